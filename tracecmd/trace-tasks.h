/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_TASKS_H
#define TC_TRACE_TASKS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "record/outer-pid.h"

struct tfs_journal;
struct tfs_root;
struct tfs_strvec;
struct trace_request;

/**
 * struct trace_pids - the numbers that the kernel has for this process and what it starts
 *
 * In the first pid namespace they are those that everybody sees, and this is empty.
 * @is_on: they are others, and @look knows them
 * @why: they are others, and nothing shows them
 */
struct trace_pids {
	struct tfs_pid_look look;
	bool is_on;
	struct tfs_err why;
};

/** trace_pids_begin() - before COMMAND is forked, and before threads are made */
void trace_pids_begin(struct trace_pids *pids, const struct tfs_root *root,
		      struct tfs_journal *journal);
/**
 * trace_pids_own() - the threads of this program, for set_event_notrace_pid
 * @command: COMMAND was forked after trace_pids_begin(), before anything else
 * @own: their numbers here; outside the first namespace those that the kernel has. Empty, with a
 *       @notice, where these are not known: the numbers are those of other tasks then
 * @notice: NULL, or a line to print
 *
 * Return: 0 or -ENOMEM.
 */
int trace_pids_own(const struct trace_pids *pids, bool command, struct tfs_strvec *own,
		   const char **notice);
/** trace_pids_end() - before tracing begins, and after a failure; twice is fine */
void trace_pids_end(struct trace_pids *pids);

/**
 * trace_find_tasks() - find the threads to trace in each buffer, by the current state of /proc
 * @command: COMMAND's process, stopped before exec; 0 or less for none
 * @pids: of trace_pids_begin(); NULL: there is no COMMAND
 *
 * Return: 0; -ESRCH if a process of -P has ended or a cgroup has no tasks; -EINVAL if --container
 * names a process outside of containers; -ENXIO if this is a container that does not see the
 * numbers that the kernel has; -errno.
 */
int trace_find_tasks(struct trace_request *req, pid_t command, const struct trace_pids *pids,
		     struct tfs_err *err);

#endif
