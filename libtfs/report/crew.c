/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/crew.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/out.h"
#include "report/batch.h"
#include "report/item.h"
#include "report/printer.h"

/* Items of a batch: for threads, so many that turns cost nothing; alone, what caches hold. */
#define ITEMS 2048
#define ITEMS_ALONE 256
/* Batches under way for each thread. */
#define BATCHES_PER_JOB 3
/* Blocks that only batches under way hold; beyond it nothing more is filled until some are done. */
#define BLOCKS_MAX ((size_t)16 << 20)

struct worker {
	struct crew *crew;
	pthread_t thread;
	void *state; /* of the printer */
};

/* A batch and how far it is; its number modulo the number of slots is its place. */
struct slot {
	struct tfs_batch batch;
	bool printed;
};

struct crew {
	const struct tfs_crew_source *source;
	const struct tfs_printer *printer;
	struct tfs_out *out;
	struct worker *workers; /* the first is the thread that came with the program */
	unsigned int n_workers, n_threads;
	struct slot *slots;
	unsigned int n_slots;
	pthread_mutex_t lock;
	pthread_cond_t turn; /* to fill */
	/* Numbers of batches, under the lock: written <= filled. */
	uint64_t filled, written;
	size_t block_bytes;   /* of batches that are not written */
	bool filling;         /* somebody is: the source and @fault are that thread's */
	bool writing;         /* somebody is: @out is that thread's */
	bool over;            /* no more batches will come */
	struct tfs_err fault; /* why filling failed, with @fill_rc */
	int fill_rc, print_rc, write_rc;
};

static struct slot *slot(struct crew *c, uint64_t number)
{
	return &c->slots[number % c->n_slots];
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
	while (c->written < c->filled && slot(c, c->written)->printed && !failed(c)) {
		s = slot(c, c->written);
		c->print_rc = s->batch.rc;
		if (c->print_rc)
			break;
		bytes = s->batch.blocks.bytes;
		pthread_mutex_unlock(&c->lock);
		rc = write_batch(c, &s->batch);
		pthread_mutex_lock(&c->lock);
		c->write_rc = rc;
		c->block_bytes -= bytes;
		s->printed = false;
		c->written++;
		pthread_cond_signal(&c->turn);
	}
	c->writing = false;
	if (failed(c)) {
		c->over = true;
		pthread_cond_broadcast(&c->turn);
	}
}

static bool may_fill(const struct crew *c)
{
	return !c->filling && c->filled - c->written < c->n_slots &&
	       (c->block_bytes <= BLOCKS_MAX || c->filled == c->written);
}

/* Under the lock, given up while filling. NULL: it is over. */
static struct slot *fill(struct crew *c)
{
	const struct tfs_crew_source *source = c->source;
	struct slot *s = slot(c, c->filled);
	int rc;

	c->filling = true;
	pthread_mutex_unlock(&c->lock);
	rc = source->fill(source->context, &s->batch, &c->fault);
	pthread_mutex_lock(&c->lock);
	c->filling = false;
	if (rc > 0) {
		c->block_bytes += s->batch.blocks.bytes;
		c->filled++;
		pthread_cond_signal(&c->turn);
		return s;
	}
	c->fill_rc = rc;
	c->over = true;
	pthread_cond_broadcast(&c->turn);
	return NULL;
}

static void work(struct worker *w)
{
	struct crew *c = w->crew;
	struct slot *s;

	pthread_mutex_lock(&c->lock);
	while (!c->over) {
		if (!may_fill(c)) {
			pthread_cond_wait(&c->turn, &c->lock);
			continue;
		}
		s = fill(c);
		if (!s)
			break;
		pthread_mutex_unlock(&c->lock);
		tfs_batch_print(&s->batch, c->printer, w->state);
		pthread_mutex_lock(&c->lock);
		s->printed = true;
		write_printed(c);
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

static int set_up(struct crew *c)
{
	unsigned int i;
	int rc = 0;

	c->workers = calloc(c->n_workers, sizeof(*c->workers));
	c->slots = calloc(c->n_slots, sizeof(*c->slots));
	if (!c->workers || !c->slots)
		return -ENOMEM;
	for (i = 0; i < c->n_slots && !rc; i++)
		rc = tfs_batch_init(&c->slots[i].batch, c->n_workers > 1 ? ITEMS : ITEMS_ALONE);
	for (i = 0; i < c->n_workers && !rc; i++) {
		c->workers[i].crew = c;
		if (c->printer->open)
			rc = c->printer->open(c->printer, &c->workers[i].state);
	}
	return rc;
}

static void tear_down(struct crew *c)
{
	unsigned int i;

	for (i = 0; c->slots && i < c->n_slots; i++)
		tfs_batch_release(&c->slots[i].batch);
	for (i = 0; c->workers && i < c->n_workers; i++)
		if (c->printer->close)
			c->printer->close(c->workers[i].state);
	free(c->slots);
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
		.turn = PTHREAD_COND_INITIALIZER,
		.fault = TFS_ERR_INIT,
	};
	unsigned int i;
	int rc;

	c.n_slots = c.n_workers > 1 ? BATCHES_PER_JOB * c.n_workers : 1;
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
	pthread_cond_destroy(&c.turn);
	pthread_mutex_destroy(&c.lock);
	return rc;
}
