/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/task-memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/thread.h"
#include "base/time.h"

/* A page that has to come from a disk is there long before. */
#define ANSWER_NS (200 * NS_PER_MSEC)

/* @asked: the thread is to read; @left: it has not answered in time, and owns all of this */
struct tfs_task_memory {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool asked, end, left;
	pid_t tid;
	uint64_t address;
	size_t size;
	ssize_t got;
	char bytes[TFS_TASK_MEMORY_MAX];
};

/* Up to the end of its page, and on: the next one may not be there */
static ssize_t read_pages(struct tfs_task_memory *m)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), to_end = page - m->address % page;
	const size_t first = to_end < m->size ? to_end : m->size;
	const struct iovec local = { m->bytes, m->size };
	const struct iovec remote[] = {
		{ (void *)(uintptr_t)m->address, first },
		{ (void *)(uintptr_t)(m->address + first), m->size - first },
	};
	const ssize_t n = process_vm_readv(m->tid, &local, 1, remote, ARRAY_SIZE(remote), 0);

	return n < 0 ? -errno : n;
}

static void *run(void *arg)
{
	struct tfs_task_memory *m = arg;

	pthread_mutex_lock(&m->lock);
	while (!m->end && !m->left) {
		if (!m->asked) {
			pthread_cond_wait(&m->changed, &m->lock);
			continue;
		}
		pthread_mutex_unlock(&m->lock);
		m->got = read_pages(m);
		pthread_mutex_lock(&m->lock);
		m->asked = false;
		pthread_cond_signal(&m->changed);
	}
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

int tfs_task_memory_new(struct tfs_task_memory **out)
{
	struct tfs_task_memory *m = calloc(1, sizeof(*m));
	pthread_condattr_t attr;
	int rc;

	if (!m)
		return -ENOMEM;
	pthread_mutex_init(&m->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&m->changed, &attr);
	pthread_condattr_destroy(&attr);
	rc = tfs_thread_start(&m->thread, NULL, run, m);
	if (rc) {
		pthread_cond_destroy(&m->changed);
		pthread_mutex_destroy(&m->lock);
		free(m);
		return rc;
	}
	*out = m;
	return 0;
}

void tfs_task_memory_free(struct tfs_task_memory *m)
{
	/* One that waits for a task may never end, and writes to the memory if it does. */
	if (!m || m->left)
		return;
	pthread_mutex_lock(&m->lock);
	m->end = true;
	pthread_cond_signal(&m->changed);
	pthread_mutex_unlock(&m->lock);
	pthread_join(m->thread, NULL);
	pthread_cond_destroy(&m->changed);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

ssize_t tfs_task_memory_read(struct tfs_task_memory *m, pid_t tid, uint64_t address, void *to,
			     size_t size)
{
	const uint64_t until = tfs_monotonic_ns() + ANSWER_NS;
	const struct timespec end = { .tv_sec = (time_t)(until / NS_PER_SEC),
				      .tv_nsec = (long)(until % NS_PER_SEC) };
	int rc = 0;

	if (m->left)
		return -ETIMEDOUT;
	if (size > sizeof(m->bytes) || address > UINTPTR_MAX - size)
		return -EFAULT;
	pthread_mutex_lock(&m->lock);
	m->tid = tid;
	m->address = address;
	m->size = size;
	m->asked = true;
	pthread_cond_signal(&m->changed);
	while (m->asked && !rc)
		rc = pthread_cond_timedwait(&m->changed, &m->lock, &end);
	m->left = m->asked;
	if (m->left)
		pthread_detach(m->thread);
	else if (m->got > 0)
		memcpy(to, m->bytes, (size_t)m->got);
	pthread_mutex_unlock(&m->lock);
	return m->left ? -ETIMEDOUT : m->got;
}
