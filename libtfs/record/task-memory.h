/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_TASK_MEMORY_H
#define TFS_RECORD_TASK_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

/** TFS_TASK_MEMORY_MAX - bytes that are read at once, at most */
#define TFS_TASK_MEMORY_MAX 4096

/**
 * struct tfs_task_memory - reads the memory of tasks, which may make a reader wait
 *
 * A task can have pages that come when it likes (userfaultfd(2), a file of FUSE), and
 * process_vm_readv(2) waits for them, whatever signals come. So a thread of its own reads. If it
 * does not answer in time, it is left alone until the process ends, and nothing more is read.
 * One thread at a time uses it.
 */
struct tfs_task_memory;

/** tfs_task_memory_new() - begins the thread; 0 or -errno */
int tfs_task_memory_new(struct tfs_task_memory **out);
/** tfs_task_memory_free() - ends the thread, unless it waits for a task */
void tfs_task_memory_free(struct tfs_task_memory *m);

/**
 * tfs_task_memory_read() - what is at an address of a task, up to a page that is not there
 * @size: at most TFS_TASK_MEMORY_MAX
 *
 * Return: bytes read; -errno of process_vm_readv(); -ETIMEDOUT: a task has made it wait, now or
 * before.
 */
ssize_t tfs_task_memory_read(struct tfs_task_memory *m, pid_t tid, uint64_t address, void *to,
			     size_t size);

#endif
