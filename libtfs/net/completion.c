/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "net/completion.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/thread.h"
#include "record/output.h"

/*
 * @ended: an eventfd, written to as the last thing that the thread does
 * @done: the thread's, until it has been joined
 */
struct tfs_completion {
	pthread_t thread;
	int ended;
	struct tfs_intake *intake;
	const struct tfs_output *output;
	bool add_cpu_count;
	struct tfs_completed done;
};

static uint64_t new_id(void)
{
	struct timespec ts;
	uint64_t id = 0;

	if (getrandom(&id, sizeof(id), 0) == (ssize_t)sizeof(id))
		return id;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec << 32 | (uint64_t)ts.tv_nsec;
}

/* Whether the file reads well decides whether it stays where nothing arrived. */
void tfs_complete(struct tfs_intake *intake, const struct tfs_output *output, bool add_cpu_count,
		  struct tfs_completed *out)
{
	*out = (struct tfs_completed){ .err = TFS_ERR_INIT };
	out->rc = tfs_intake_finish(intake, add_cpu_count, new_id(), &out->err);
	tfs_intake_totals(intake, &out->totals);
	out->removed = out->rc && !out->totals.raw_bytes;
	if (!out->rc || out->removed)
		tfs_intake_unlink(intake);
	if (out->removed)
		tfs_output_discard(output);
	tfs_intake_free(intake);
}

static void *thread_main(void *arg)
{
	const uint64_t one = 1;
	struct tfs_completion *c = arg;

	tfs_complete(c->intake, c->output, c->add_cpu_count, &c->done);
	/* An eventfd takes a first 1 always. */
	(void)!write(c->ended, &one, sizeof(one));
	return NULL;
}

int tfs_completion_start(struct tfs_intake *intake, const struct tfs_output *output,
			 bool add_cpu_count, struct tfs_completion **out)
{
	struct tfs_completion *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return -ENOMEM;
	c->intake = intake;
	c->output = output;
	c->add_cpu_count = add_cpu_count;
	c->ended = eventfd(0, EFD_CLOEXEC);
	rc = c->ended < 0 ? -errno : tfs_thread_start(&c->thread, NULL, thread_main, c);
	if (rc) {
		tfs_close(&c->ended);
		free(c);
		return rc;
	}
	*out = c;
	return 0;
}

int tfs_completion_fd(const struct tfs_completion *c)
{
	return c->ended;
}

void tfs_completion_wait(struct tfs_completion *c, struct tfs_completed *out)
{
	pthread_join(c->thread, NULL);
	*out = c->done;
	tfs_close(&c->ended);
	free(c);
}
