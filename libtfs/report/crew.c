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

/* Items of a batch: for threads, so many that handing on costs nothing; alone, what caches hold. */
#define ITEMS 1024
#define ITEMS_ALONE 256
/* Batches under way for each thread. */
#define BATCHES_PER_JOB 3
/* Blocks that only batches under way hold; beyond it nothing more is filled until some are done. */
#define BLOCKS_MAX ((size_t)16 << 20)

struct worker {
	struct tfs_crew *crew;
	pthread_t thread;
	void *state; /* of the printer */
};

/* A batch and how far it is; its number modulo the number of slots is its place. */
struct slot {
	struct tfs_batch batch;
	bool printed;
};

struct tfs_crew {
	const struct tfs_printer *printer;
	struct tfs_out *out;
	struct worker *workers;
	unsigned int n_workers, n_threads;
	struct slot *slots;
	unsigned int n_slots;
	pthread_mutex_t lock;
	pthread_cond_t work, room;
	/* Numbers of batches, under the lock: emptied <= written <= taken <= filled. */
	uint64_t filled, taken, written, emptied;
	size_t block_bytes; /* of batches that are not emptied; the filler's */
	bool writing;       /* somebody is */
	bool closed;        /* no more batches will come */
	int print_rc, write_rc;
};

static struct slot *slot(struct tfs_crew *c, uint64_t number)
{
	return &c->slots[number % c->n_slots];
}

static bool failed(const struct tfs_crew *c)
{
	return c->print_rc || c->write_rc;
}

/* Write what is next in order, as far as it is printed. Under the lock, given up while writing. */
static void write_printed(struct tfs_crew *c)
{
	struct tfs_batch *b;
	int rc;

	if (c->writing)
		return;
	c->writing = true;
	while (c->written < c->taken && slot(c, c->written)->printed) {
		b = &slot(c, c->written)->batch;
		if (b->rc && !failed(c))
			c->print_rc = b->rc;
		if (!failed(c)) {
			pthread_mutex_unlock(&c->lock);
			rc = tfs_out_write(c->out, b->text.s, b->text.len);
			pthread_mutex_lock(&c->lock);
			c->write_rc = rc;
		}
		slot(c, c->written)->printed = false;
		c->written++;
		pthread_cond_signal(&c->room);
	}
	c->writing = false;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct tfs_crew *c = w->crew;
	struct slot *s;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		while (c->taken == c->filled && !c->closed)
			pthread_cond_wait(&c->work, &c->lock);
		if (c->taken == c->filled)
			break;
		s = slot(c, c->taken++);
		if (!failed(c)) {
			pthread_mutex_unlock(&c->lock);
			tfs_batch_print(&s->batch, c->printer, w->state);
			pthread_mutex_lock(&c->lock);
		}
		s->printed = true;
		write_printed(c);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Signals are for the thread that came with the program. */
static void start_threads(struct tfs_crew *c)
{
	sigset_t all, old;
	unsigned int i;

	if (c->n_workers < 2)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (i = 0; i < c->n_workers; i++, c->n_threads++)
		if (pthread_create(&c->workers[i].thread, NULL, worker_main, &c->workers[i]))
			break;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static int set_up(struct tfs_crew *c)
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

int tfs_crew_new(const struct tfs_printer *printer, struct tfs_out *out, unsigned int jobs,
		 struct tfs_crew **crew, struct tfs_err *err)
{
	struct tfs_crew *c = calloc(1, sizeof(*c));
	int rc = -ENOMEM;

	if (!c)
		return tfs_err_set(err, rc, "cannot format the report");
	c->printer = printer;
	c->out = out;
	c->n_workers = jobs < 1 ? 1 : jobs > TFS_CREW_MAX ? TFS_CREW_MAX : jobs;
	c->n_slots = c->n_workers > 1 ? BATCHES_PER_JOB * c->n_workers : 1;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->work, NULL);
	pthread_cond_init(&c->room, NULL);
	rc = set_up(c);
	if (rc) {
		tfs_crew_free(c);
		return tfs_err_set(err, rc, "cannot format the report");
	}
	start_threads(c);
	*crew = c;
	return 0;
}

void tfs_crew_free(struct tfs_crew *c)
{
	unsigned int i;

	if (!c)
		return;
	for (i = 0; c->slots && i < c->n_slots; i++)
		tfs_batch_release(&c->slots[i].batch);
	for (i = 0; c->workers && i < c->n_workers; i++)
		if (c->printer->close)
			c->printer->close(c->workers[i].state);
	pthread_cond_destroy(&c->room);
	pthread_cond_destroy(&c->work);
	pthread_mutex_destroy(&c->lock);
	free(c->slots);
	free(c->workers);
	free(c);
}

/* Those that are written need their memory no more: nor does any that came before. */
static void empty_written(struct tfs_crew *c)
{
	struct tfs_batch *b;

	for (; c->emptied < c->written; c->emptied++) {
		b = &slot(c, c->emptied)->batch;
		c->block_bytes -= b->blocks.bytes;
		tfs_batch_empty(b);
	}
}

static bool is_full(const struct tfs_crew *c)
{
	return c->filled - c->emptied == c->n_slots ||
	       (c->block_bytes > BLOCKS_MAX && c->emptied < c->filled);
}

struct tfs_batch *tfs_crew_batch(struct tfs_crew *c)
{
	bool over;

	pthread_mutex_lock(&c->lock);
	empty_written(c);
	while (is_full(c) && !failed(c)) {
		pthread_cond_wait(&c->room, &c->lock);
		empty_written(c);
	}
	over = failed(c);
	pthread_mutex_unlock(&c->lock);
	return over ? NULL : &slot(c, c->filled)->batch;
}

/* No threads: the one who fills prints and writes. */
static void submit_alone(struct tfs_crew *c)
{
	struct slot *s = slot(c, c->taken++);

	tfs_batch_print(&s->batch, c->printer, c->workers[0].state);
	s->printed = true;
	write_printed(c);
}

void tfs_crew_submit(struct tfs_crew *c)
{
	pthread_mutex_lock(&c->lock);
	c->block_bytes += slot(c, c->filled)->batch.blocks.bytes;
	c->filled++;
	if (!c->n_threads)
		submit_alone(c);
	else
		pthread_cond_signal(&c->work);
	pthread_mutex_unlock(&c->lock);
}

int tfs_crew_finish(struct tfs_crew *c, struct tfs_err *err)
{
	unsigned int i;

	pthread_mutex_lock(&c->lock);
	c->closed = true;
	pthread_cond_broadcast(&c->work);
	pthread_mutex_unlock(&c->lock);
	for (i = 0; i < c->n_threads; i++)
		pthread_join(c->workers[i].thread, NULL);
	c->n_threads = 0;
	if (c->print_rc)
		return tfs_err_set(err, c->print_rc, "cannot format the report");
	/* A reader that went away (-EPIPE) is no failure to talk about; the caller decides. */
	if (c->write_rc)
		return tfs_err_set(err, c->write_rc, "cannot write the report");
	return 0;
}
