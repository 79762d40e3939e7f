/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain: one thread after another, each made by the one before, which ends then, until standard
 * input ends. Who knows one of them knows all that follow; who looks in between for threads may
 * find none that lasts.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 500000

static atomic_bool ended;

static void *link_of_it(void *arg)
{
	const struct timespec step = { .tv_nsec = STEP_NS };
	pthread_attr_t detached;
	pthread_t next;

	nanosleep(&step, NULL);
	if (atomic_load(&ended))
		return arg;
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_create(&next, &detached, link_of_it, arg);
	pthread_attr_destroy(&detached);
	return NULL;
}

int main(void)
{
	char c;

	link_of_it(NULL);
	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	atomic_store(&ended, 1);
	return 0;
}
