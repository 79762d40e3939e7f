/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_TASKS_H
#define TC_TRACE_TASKS_H

#include <sys/types.h>

struct tfs_err;
struct trace_request;

/**
 * trace_find_tasks() - find the threads to trace in each buffer, by the current state of /proc
 * @command: COMMAND's process, stopped before exec; 0 or less for none
 *
 * Return: 0; -ESRCH if a process of -P has ended or a cgroup has no tasks; -EINVAL if --container
 * names a process outside of containers; -errno.
 */
int trace_find_tasks(struct trace_request *req, pid_t command, struct tfs_err *err);

#endif
