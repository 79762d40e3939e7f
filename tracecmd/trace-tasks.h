/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_TASKS_H
#define TC_TRACE_TASKS_H

#include <sys/types.h>

struct tfs_err;
struct trace_request;

/**
 * trace_find_tasks() - the threads that are to be traced in each buffer, from what /proc says now
 * @command: COMMAND's process, stopped before exec; 0 or less while there is none
 *
 * Return: 0; -ESRCH for a -P that is gone, and for a cgroup without tasks; -EINVAL for a container
 * that is none; -errno.
 */
int trace_find_tasks(struct trace_request *req, pid_t command, struct tfs_err *err);

#endif
