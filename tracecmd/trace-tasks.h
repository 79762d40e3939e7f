/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_TASKS_H
#define TC_TRACE_TASKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "record/outer-pid.h"

struct tfs_journal;
struct tfs_root;
struct tfs_strbuf;
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
 * Return: 0; -ESRCH if a process of -P has ended, or a cgroup has no tasks and nobody looks for
 * those that come (trace_request.joins, trace_request.no_filter); -EINVAL if --container
 * names a process outside of containers; -ENXIO if this is a container that does not see the
 * numbers that the kernel has; -errno.
 */
int trace_find_tasks(struct trace_request *req, pid_t command, const struct trace_pids *pids,
		     struct tfs_err *err);

/**
 * trace_pids_piece() - the next part of a list of pids that one write may have
 * @at: the first of it; moved after its last
 * @piece: replaced
 *
 * Return: 0 or -ENOMEM.
 */
int trace_pids_piece(const struct tfs_strvec *pids, size_t *at, struct tfs_strbuf *piece);

/**
 * struct trace_joins - tasks that come into cgroups and containers while they are traced
 * @next_ns: when to look next, CLOCK_MONOTONIC; a zeroed one looks at once
 */
struct trace_joins {
	uint64_t next_ns;
};

/** trace_has_groups() - is any buffer restricted to a cgroup or a container? */
bool trace_has_groups(const struct trace_request *req);
/**
 * trace_joins_complete() - add the tasks made since trace_find_tasks() to the kernel's lists
 *
 * After the plan with the lists was applied. The lists are changed without the plan: what undoes
 * them undoes this, too.
 */
int trace_joins_complete(struct trace_request *req, const struct tfs_root *root,
			 struct tfs_err *err);
/** trace_joins_look() - if it is time: are there tasks in cgroups and containers that are new? */
bool trace_joins_look(struct trace_joins *joins, struct trace_request *req,
		      const struct tfs_root *root);
/** trace_joins_wait() - ns until the next look, 0: it is time */
uint64_t trace_joins_wait(const struct trace_joins *joins);
/** trace_joins_list() - add those that were found to the kernel's lists */
int trace_joins_list(struct trace_request *req, const struct tfs_root *root, struct tfs_err *err);

#endif
