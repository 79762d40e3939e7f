/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline/worker-pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/out.h"
#include "base/thread.h"
#include "decode/event.h"
#include "pipeline/batch.h"
#include "pipeline/view.h"

/*
 * Events of a batch. For one thread, as many as fit into the caches of a CPU. For several, enough
 * to make it cheap that filling moves between CPUs, with the data it reads; EVENTS_OF_ALL limits
 * the memory of many threads.
 */
#define EVENTS_ALONE 1024
#define EVENTS 4096
#define EVENTS_OF_ALL (8 * EVENTS)
/* Spin iterations before sleeping: some microseconds. */
#define SPINS 1000
/* Batches of each thread, and how many it fills ahead if no other thread wants to. */
#define BATCHES 4
#define FILLED 2
/* Blocks and texts of unwritten batches; beyond it, filling waits until some are written. */
#define BYTES_MAX ((size_t)32 << 20)

struct slot {
	struct tfs_batch batch;
	bool used, printed;
};

/* Aligned, because cache lines that bounce between the threads cost more than the work. */
struct worker {
	_Alignas(TFS_WORKER_POOL_ALIGN) struct worker_pool *pool;
	pthread_t thread;
	void *state;              /* of the view */
	struct tfs_event *events; /* of FILLED batches, used in turn */
	struct slot slots[BATCHES];
	struct slot *filled[FILLED]; /* a ring: @n_filled from @printed on are to be printed */
	unsigned int n_filled, printed;
	pthread_cond_t turn; /* to fill */
	bool asleep;         /* until then */
};

struct worker_pool {
	const struct tfs_worker_pool_source *source;
	struct tfs_view *view;
	struct tfs_out *out;
	struct worker *workers; /* the first is the calling thread */
	unsigned int n_workers, n_threads;
	size_t events;       /* of a batch */
	struct slot **order; /* of batches that are not written, by their numbers modulo @n_slots */
	unsigned int n_slots;
	pthread_mutex_t lock;
	/* Numbers of batches, under the lock: written <= filled. */
	uint64_t filled, written;
	size_t bytes;         /* of blocks and texts of batches that are not written */
	atomic_uint changes;  /* counts changes of what may_fill() checks, for threads that spin */
	bool awake;           /* each thread has a processor */
	unsigned int waiting; /* threads that do nothing */
	pthread_cond_t next;  /* the oldest unwritten batch changed */
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
	const struct worker_pool *p = w->pool;
	/* One thread gains nothing by filling ahead, and would show slow events late. */
	unsigned int most = p->n_workers == 1 || p->waiting ? 1 : FILLED;

	return w->n_filled < most && !p->filling && free_slot(w) &&
	       (p->bytes <= BYTES_MAX || p->filled == p->written);
}

/* Wake a thread that may fill now, or all at the end. Call with the lock held. */
static void wake(struct worker_pool *p)
{
	struct worker *w;

	atomic_fetch_add_explicit(&p->changes, 1, memory_order_relaxed);
	for (w = p->workers; w < p->workers + p->n_workers; w++) {
		if (!w->asleep || !(p->over || may_fill(w)))
			continue;
		pthread_cond_signal(&w->turn);
		if (!p->over)
			break;
	}
}

static bool failed(const struct worker_pool *p)
{
	return p->print_rc || p->write_rc;
}

/* The view may make something else of it. The thread that writes is alone in here. */
static int write_text(struct worker_pool *p, const struct tfs_strbuf *text)
{
	return p->view->ops->join ? p->view->ops->join(p->view, text) :
				    tfs_out_write(p->out, text->s, text->len);
}

/* Write a batch, and free its blocks: earlier batches, which might use them, are written. */
static int write_batch(struct worker_pool *p, struct tfs_batch *b)
{
	int rc = write_text(p, &b->text);

	tfs_batch_empty(b);
	return rc;
}

/* Write the batches that are next in order and printed. Drops the lock while writing. */
static void write_printed(struct worker_pool *p)
{
	struct slot *s;
	size_t bytes;
	int rc;

	if (p->writing)
		return;
	p->writing = true;
	while (p->written < p->filled && !failed(p)) {
		s = p->order[p->written % p->n_slots];
		if (!s->printed)
			break;
		p->print_rc = s->batch.rc;
		if (p->print_rc)
			break;
		bytes = s->batch.blocks.bytes + s->batch.text.len;
		pthread_mutex_unlock(&p->lock);
		rc = write_batch(p, &s->batch);
		pthread_mutex_lock(&p->lock);
		p->write_rc = rc;
		p->bytes -= bytes;
		s->used = false;
		p->written++;
		wake(p);
	}
	p->writing = false;
	if (failed(p)) {
		p->over = true;
		wake(p);
	}
	if (p->long_texts)
		pthread_cond_broadcast(&p->next);
}

/* Drops the lock while filling. */
static void fill(struct worker *w)
{
	struct worker_pool *p = w->pool;
	const struct tfs_worker_pool_source *source = p->source;
	struct slot *s = free_slot(w);
	unsigned int place = (w->printed + w->n_filled) % FILLED;
	int rc;

	p->filling = true;
	pthread_mutex_unlock(&p->lock);
	tfs_batch_use(&s->batch, w->events + place * p->events, p->events);
	rc = source->fill(source->context, &s->batch, &p->fault);
	pthread_mutex_lock(&p->lock);
	p->filling = false;
	if (rc > 0) {
		s->used = true;
		s->printed = false;
		p->order[p->filled++ % p->n_slots] = s;
		w->filled[place] = s;
		w->n_filled++;
		p->bytes += s->batch.blocks.bytes;
	} else {
		p->fill_rc = rc;
		p->over = true;
	}
	wake(p);
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
 * Wait for a change. Spin first, because filling is short and a sleep may take longer. Drops the
 * lock while waiting.
 */
static void wait_for_turn(struct worker *w)
{
	struct worker_pool *p = w->pool;
	unsigned int seen = atomic_load_explicit(&p->changes, memory_order_relaxed), i;

	p->waiting++;
	if (p->awake) {
		pthread_mutex_unlock(&p->lock);
		for (i = 0; i < SPINS; i++) {
			if (atomic_load_explicit(&p->changes, memory_order_relaxed) != seen)
				break;
			relax();
		}
		pthread_mutex_lock(&p->lock);
	}
	if (atomic_load_explicit(&p->changes, memory_order_relaxed) == seen) {
		w->asleep = true;
		pthread_cond_wait(&w->turn, &p->lock);
		w->asleep = false;
	}
	p->waiting--;
}

/*
 * Write a piece of a long text once all earlier batches are written. This cannot deadlock: this
 * thread has printed its own earlier ones. Return: false if writing failed.
 */
static bool write_piece(struct worker_pool *p, struct slot *s)
{
	int rc = 0;

	pthread_mutex_lock(&p->lock);
	p->long_texts++;
	while (!failed(p) && (p->writing || p->order[p->written % p->n_slots] != s))
		pthread_cond_wait(&p->next, &p->lock);
	p->long_texts--;
	if (!failed(p)) {
		p->writing = true;
		pthread_mutex_unlock(&p->lock);
		rc = write_text(p, &s->batch.text);
		pthread_mutex_lock(&p->lock);
		p->writing = false;
		p->write_rc = rc;
	}
	rc = failed(p);
	pthread_mutex_unlock(&p->lock);
	tfs_strbuf_reset(&s->batch.text);
	return !rc;
}

/* Print the oldest filled batch, and write what is next in order. Drops the lock meanwhile. */
static void print(struct worker *w)
{
	struct worker_pool *p = w->pool;
	struct slot *s = w->filled[w->printed % FILLED];

	pthread_mutex_unlock(&p->lock);
	while (!tfs_batch_print(&s->batch, p->view, w->state) && write_piece(p, s))
		;
	pthread_mutex_lock(&p->lock);
	p->bytes += s->batch.text.len;
	w->printed++;
	w->n_filled--;
	s->printed = true;
	write_printed(p);
}

static void work(struct worker *w)
{
	struct worker_pool *p = w->pool;

	pthread_mutex_lock(&p->lock);
	while (!failed(p) && (w->n_filled || !p->over)) {
		if (!p->over && may_fill(w))
			fill(w);
		else if (w->n_filled)
			print(w);
		else
			wait_for_turn(w);
	}
	pthread_mutex_unlock(&p->lock);
}

static void *worker_main(void *arg)
{
	work(arg);
	return NULL;
}

static void start_threads(struct worker_pool *p)
{
	struct worker *w;

	for (w = p->workers + 1; w < p->workers + p->n_workers; w++, p->n_threads++)
		if (tfs_thread_start(&w->thread, NULL, worker_main, w))
			break;
}

/* CPUs that this process may run on. */
static int processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

static int set_up_worker(struct worker_pool *p, struct worker *w)
{
	size_t i;

	w->pool = p;
	pthread_cond_init(&w->turn, NULL);
	for (i = 0; i < BATCHES; i++)
		tfs_batch_init(&w->slots[i].batch);
	w->events = calloc(FILLED * p->events, sizeof(*w->events));
	if (!w->events)
		return -ENOMEM;
	return p->view->ops->thread_begin ? p->view->ops->thread_begin(p->view, &w->state) : 0;
}

static int set_up(struct worker_pool *p)
{
	unsigned int i;
	int rc = 0;

	p->order = calloc(p->n_slots, sizeof(struct slot *));
	if (!p->order)
		return -ENOMEM;
	p->workers = aligned_alloc(TFS_WORKER_POOL_ALIGN, p->n_workers * sizeof(*p->workers));
	if (!p->workers)
		return -ENOMEM;
	memset(p->workers, 0, p->n_workers * sizeof(*p->workers));
	for (i = 0; i < p->n_workers && !rc; i++)
		rc = set_up_worker(p, &p->workers[i]);
	return rc;
}

/* Merge the threads' states into the view. */
static int end_states(struct worker_pool *p)
{
	const struct tfs_view_ops *ops = p->view->ops;
	struct worker *w;
	int rc = 0, rc2;

	for (w = p->workers; w && w < p->workers + p->n_workers; w++) {
		rc2 = w->pool && ops->thread_end ? ops->thread_end(p->view, w->state) : 0;
		rc = rc ? rc : rc2;
	}
	return rc;
}

static void tear_down(struct worker_pool *p)
{
	struct worker *w;
	size_t i;

	for (w = p->workers; w && w < p->workers + p->n_workers; w++) {
		/* set_up() stopped before this one. */
		if (!w->pool)
			break;
		for (i = 0; i < BATCHES; i++)
			tfs_batch_release(&w->slots[i].batch);
		pthread_cond_destroy(&w->turn);
		free(w->events);
	}
	free(p->order);
	free(p->workers);
}

static int result(const struct worker_pool *p, struct tfs_err *err)
{
	if (p->fill_rc) {
		if (err)
			*err = p->fault;
		return p->fill_rc;
	}
	if (p->print_rc)
		return tfs_err_set(err, p->print_rc, "cannot format the report");
	/* The caller decides whether a closed pipe (-EPIPE) is worth a message. */
	if (p->write_rc)
		return tfs_err_set(err, p->write_rc, "cannot write the report");
	return 0;
}

int tfs_worker_pool_run(const struct tfs_worker_pool_source *source, struct tfs_view *view,
			struct tfs_out *out, unsigned int jobs, struct tfs_err *err)
{
	struct worker_pool p = {
		.source = source,
		.view = view,
		.out = out,
		.n_workers = jobs < 1                   ? 1 :
			     jobs > TFS_WORKER_POOL_MAX ? TFS_WORKER_POOL_MAX :
							  jobs,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.fault = TFS_ERR_INIT,
	};
	unsigned int i;
	int rc, rc2;

	pthread_cond_init(&p.next, NULL);
	p.n_slots = BATCHES * p.n_workers;
	p.events = p.n_workers == 1                     ? EVENTS_ALONE :
		   p.n_workers * EVENTS > EVENTS_OF_ALL ? EVENTS_OF_ALL / p.n_workers :
							  EVENTS;
	p.awake = p.n_workers <= (unsigned int)processors();
	rc = set_up(&p);
	if (rc) {
		tfs_err_set(err, rc, "cannot format the report");
		goto out;
	}
	start_threads(&p);
	work(p.workers);
	for (i = 1; i <= p.n_threads; i++)
		pthread_join(p.workers[i].thread, NULL);
	rc = result(&p, err);
out:
	rc2 = end_states(&p);
	if (!rc && rc2)
		rc = tfs_err_set(err, rc2, "cannot format the report");
	tear_down(&p);
	pthread_cond_destroy(&p.next);
	pthread_mutex_destroy(&p.lock);
	return rc;
}
