/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_THREAD_H
#define TFS_BASE_THREAD_H

#include <pthread.h>

/**
 * tfs_thread_start() - pthread_create() of a thread that takes no signals: they go to the caller
 * @attr: NULL: the default
 *
 * Return: 0 or -errno. Any thread.
 */
int tfs_thread_start(pthread_t *thread, const pthread_attr_t *attr, void *(*main)(void *arg),
		     void *arg);

#endif
