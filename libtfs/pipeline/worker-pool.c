/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline/worker-pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/out.h"
#include "decode/event.h"
#include "pipeline/batch.h"
#include "pipeline/printer.h"

/*
 * Items of a batch. Alone, what a processor's own caches hold. With others so many that a turn, in
 * which all that is read from comes over from another processor, costs little; but many threads
 * are to take no more memory than some.
 */
#define ITEMS_ALONE 1024
#define ITEMS 4096
#define ITEMS_OF_ALL (8 * ITEMS)
/* How often it is looked whether a turn comes before a thread goes to sleep: some microseconds. */
#define LOOKS 1000
/* Batches of each thread, and how many it fills beforehand if nobody else wants to. */
#define BATCHES 4
#define FILLED 2
/*
 * Blocks and texts that only batches under way hold; beyond it nothing more is filled until some
 * are done.
 */
#define BYTES_MAX ((size_t)32 << 20)

/* A batch and how far it is. */
struct slot {
	struct tfs_batch batch;
	bool used, printed;
};

/* What a thread writes to stays its own: memory that goes to and fro costs more than the work. */
struct worker {
	_Alignas(TFS_CREW_APART) struct crew *crew;
	pthread_t thread;
	void *state;            /* of the printer */
	struct tfs_item *items; /* of FILLED batches, which have their turns with them */
	struct slot slots[BATCHES];
	struct slot *filled
		[FILLED]; /* and not printed: @n_filled, of all of them those behind @printed */
	unsigned int n_filled, printed;
	pthread_cond_t turn; /* to fill */
	bool asleep;         /* until then */
};

struct crew {
	const struct tfs_crew_source *source;
	const struct tfs_printer *printer;
	struct tfs_out *out;
	struct worker *workers; /* the first is the thread that came with the program */
	unsigned int n_workers, n_threads;
	size_t items;        /* of a batch */
	struct slot **order; /* of batches that are not written, by their numbers modulo @n_slots */
	unsigned int n_slots;
	pthread_mutex_t lock;
	/* Numbers of batches, under the lock: written <= filled. */
	uint64_t filled, written;
	size_t bytes;            /* of blocks and texts of batches that are not written */
	atomic_uint changes;     /* of what may_fill() looks at, for who waits awake */
	bool awake;              /* each thread has a processor */
	unsigned int waiting;    /* threads that do nothing */
	pthread_cond_t next;     /* another batch is the first that is not written */
	unsigned int long_texts; /* threads that wait for it */
	bool filling;            /* somebody is: the source and @fault are that thread's */
	bool writing;            /* somebody is: @out is that thread's */
	bool over;               /* no more batches will come */
	struct tfs_err fault;    /* why filling failed, with @fill_rc */
	int fill_rc, print_rc, write_rc;
};

static struct slot *free_slot(struct worker *w)
{
	struct slot *s;

	for (s = w->slots; s < w->slots + BATCHES; s++)
		if (!s->used)
			return s;
	return NULL;
}

static bool may_fill(struct worker *w)
{
	const struct crew *c = w->crew;
	/* Alone, nothing is gained by it, and what comes slowly would be shown late. */
	unsigned int most = c->n_workers == 1 || c->waiting ? 1 : FILLED;

	return w->n_filled < most && !c->filling && free_slot(w) &&
	       (c->bytes <= BYTES_MAX || c->filled == c->written);
}

/* Somebody may fill now, or it is over. Under the lock. */
static void call(struct crew *c)
{
	struct worker *w;

	atomic_fetch_add_explicit(&c->changes, 1, memory_order_relaxed);
	for (w = c->workers; w < c->workers + c->n_workers; w++) {
		if (!w->asleep || !(c->over || may_fill(w)))
			continue;
		pthread_cond_signal(&w->turn);
		if (!c->over)
			break;
	}
}

static bool failed(const struct crew *c)
{
	return c->print_rc || c->write_rc;
}

/* Write a batch and empty it: what its blocks held, and those before, nobody needs any more. */
static int write_batch(struct crew *c, struct tfs_batch *b)
{
	int rc = tfs_out_write(c->out, b->text.s, b->text.len);

	tfs_batch_empty(b);
	return rc;
}

/* Write what is next in order, as far as it is printed. Under the lock, given up while writing. */
static void write_printed(struct crew *c)
{
	struct slot *s;
	size_t bytes;
	int rc;

	if (c->writing)
		return;
	c->writing = true;
	while (c->written < c->filled && !failed(c)) {
		s = c->order[c->written % c->n_slots];
		if (!s->printed)
			break;
		c->print_rc = s->batch.rc;
		if (c->print_rc)
			break;
		bytes = s->batch.blocks.bytes + s->batch.text.len;
		pthread_mutex_unlock(&c->lock);
		rc = write_batch(c, &s->batch);
		pthread_mutex_lock(&c->lock);
		c->write_rc = rc;
		c->bytes -= bytes;
		s->used = false;
		c->written++;
		call(c);
	}
	c->writing = false;
	if (failed(c)) {
		c->over = true;
		call(c);
	}
	if (c->long_texts)
		pthread_cond_broadcast(&c->next);
}

/* Under the lock, given up while filling. */
static void fill(struct worker *w)
{
	struct crew *c = w->crew;
	const struct tfs_crew_source *source = c->source;
	struct slot *s = free_slot(w);
	unsigned int place = (w->printed + w->n_filled) % FILLED;
	int rc;

	c->filling = true;
	pthread_mutex_unlock(&c->lock);
	tfs_batch_use(&s->batch, w->items + place * c->items, c->items);
	rc = source->fill(source->context, &s->batch, &c->fault);
	pthread_mutex_lock(&c->lock);
	c->filling = false;
	if (rc > 0) {
		s->used = true;
		s->printed = false;
		c->order[c->filled++ % c->n_slots] = s;
		w->filled[place] = s;
		w->n_filled++;
		c->bytes += s->batch.blocks.bytes;
	} else {
		c->fill_rc = rc;
		c->over = true;
	}
	call(c);
}

static inline void relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#else
	atomic_signal_fence(memory_order_seq_cst);
#endif
}

/*
 * Until something changed. A turn is short, and to sleep and be woken may take longer than it: as
 * long as that is so, better look again. Under the lock, given up while waiting.
 */
static void wait_for_turn(struct worker *w)
{
	struct crew *c = w->crew;
	unsigned int seen = atomic_load_explicit(&c->changes, memory_order_relaxed), i;

	c->waiting++;
	if (c->awake) {
		pthread_mutex_unlock(&c->lock);
		for (i = 0; i < LOOKS; i++) {
			if (atomic_load_explicit(&c->changes, memory_order_relaxed) != seen)
				break;
			relax();
		}
		pthread_mutex_lock(&c->lock);
	}
	if (atomic_load_explicit(&c->changes, memory_order_relaxed) == seen) {
		w->asleep = true;
		pthread_cond_wait(&w->turn, &c->lock);
		w->asleep = false;
	}
	c->waiting--;
}

/*
 * A batch whose text is long is written in pieces, once all before it are. They do not wait for
 * this thread, which printed those of its own. false: writing failed.
 */
static bool write_piece(struct crew *c, struct slot *s)
{
	int rc = 0;

	pthread_mutex_lock(&c->lock);
	c->long_texts++;
	while (!failed(c) && (c->writing || c->order[c->written % c->n_slots] != s))
		pthread_cond_wait(&c->next, &c->lock);
	c->long_texts--;
	if (!failed(c)) {
		c->writing = true;
		pthread_mutex_unlock(&c->lock);
		rc = tfs_out_write(c->out, s->batch.text.s, s->batch.text.len);
		pthread_mutex_lock(&c->lock);
		c->writing = false;
		c->write_rc = rc;
	}
	rc = failed(c);
	pthread_mutex_unlock(&c->lock);
	tfs_strbuf_reset(&s->batch.text);
	return !rc;
}

/* What was filled first, and write what is next in order. Under the lock, given up meanwhile. */
static void print(struct worker *w)
{
	struct crew *c = w->crew;
	struct slot *s = w->filled[w->printed % FILLED];

	pthread_mutex_unlock(&c->lock);
	while (!tfs_batch_print(&s->batch, c->printer, w->state) && write_piece(c, s))
		;
	pthread_mutex_lock(&c->lock);
	c->bytes += s->batch.text.len;
	w->printed++;
	w->n_filled--;
	s->printed = true;
	write_printed(c);
}

static void work(struct worker *w)
{
	struct crew *c = w->crew;

	pthread_mutex_lock(&c->lock);
	while (!failed(c) && (w->n_filled || !c->over)) {
		if (!c->over && may_fill(w))
			fill(w);
		else if (w->n_filled)
			print(w);
		else
			wait_for_turn(w);
	}
	pthread_mutex_unlock(&c->lock);
}

static void *worker_main(void *arg)
{
	work(arg);
	return NULL;
}

/* Signals are for the thread that came with the program. */
static void start_threads(struct crew *c)
{
	sigset_t all, old;
	struct worker *w;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (w = c->workers + 1; w < c->workers + c->n_workers; w++, c->n_threads++)
		if (pthread_create(&w->thread, NULL, worker_main, w))
			break;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Those that this program may run on. */
static int processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

static int set_up_worker(struct crew *c, struct worker *w)
{
	size_t i;

	w->crew = c;
	pthread_cond_init(&w->turn, NULL);
	for (i = 0; i < BATCHES; i++)
		tfs_batch_init(&w->slots[i].batch);
	w->items = calloc(FILLED * c->items, sizeof(*w->items));
	if (!w->items)
		return -ENOMEM;
	return c->printer->open ? c->printer->open(c->printer, &w->state) : 0;
}

static int set_up(struct crew *c)
{
	unsigned int i;
	int rc = 0;

	c->order = calloc(c->n_slots, sizeof(struct slot *));
	if (!c->order)
		return -ENOMEM;
	c->workers = aligned_alloc(TFS_CREW_APART, c->n_workers * sizeof(*c->workers));
	if (!c->workers)
		return -ENOMEM;
	memset(c->workers, 0, c->n_workers * sizeof(*c->workers));
	for (i = 0; i < c->n_workers && !rc; i++)
		rc = set_up_worker(c, &c->workers[i]);
	return rc;
}

static void tear_down(struct crew *c)
{
	struct worker *w;
	size_t i;

	for (w = c->workers; w && w < c->workers + c->n_workers; w++) {
		/* Those behind one that failed were not begun. */
		if (!w->crew)
			break;
		for (i = 0; i < BATCHES; i++)
			tfs_batch_release(&w->slots[i].batch);
		if (c->printer->close)
			c->printer->close(w->state);
		pthread_cond_destroy(&w->turn);
		free(w->items);
	}
	free(c->order);
	free(c->workers);
}

static int result(const struct crew *c, struct tfs_err *err)
{
	if (c->fill_rc) {
		if (err)
			*err = c->fault;
		return c->fill_rc;
	}
	if (c->print_rc)
		return tfs_err_set(err, c->print_rc, "cannot format the report");
	/* A reader that went away (-EPIPE) is no failure to talk about; the caller decides. */
	if (c->write_rc)
		return tfs_err_set(err, c->write_rc, "cannot write the report");
	return 0;
}

int tfs_crew_run(const struct tfs_crew_source *source, const struct tfs_printer *printer,
		 struct tfs_out *out, unsigned int jobs, struct tfs_err *err)
{
	struct crew c = {
		.source = source,
		.printer = printer,
		.out = out,
		.n_workers = jobs < 1            ? 1 :
			     jobs > TFS_CREW_MAX ? TFS_CREW_MAX :
						   jobs,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.fault = TFS_ERR_INIT,
	};
	unsigned int i;
	int rc;

	pthread_cond_init(&c.next, NULL);
	c.n_slots = BATCHES * c.n_workers;
	c.items = c.n_workers == 1                   ? ITEMS_ALONE :
		  c.n_workers * ITEMS > ITEMS_OF_ALL ? ITEMS_OF_ALL / c.n_workers :
						       ITEMS;
	c.awake = c.n_workers <= (unsigned int)processors();
	rc = set_up(&c);
	if (rc) {
		tfs_err_set(err, rc, "cannot format the report");
		goto out;
	}
	start_threads(&c);
	work(c.workers);
	for (i = 1; i <= c.n_threads; i++)
		pthread_join(c.workers[i].thread, NULL);
	rc = result(&c, err);
out:
	tear_down(&c);
	pthread_cond_destroy(&c.next);
	pthread_mutex_destroy(&c.lock);
	return rc;
}
