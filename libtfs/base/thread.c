/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/thread.h"

#include <pthread.h>
#include <signal.h>

int tfs_thread_start(pthread_t *thread, const pthread_attr_t *attr, void *(*main)(void *arg),
		     void *arg)
{
	sigset_t all, old;
	int rc;

	/* A thread begins with the mask of the one that makes it. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(thread, attr, main, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -rc;
}
