/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_TARGET_H
#define TC_TRACE_TARGET_H

#include <stdbool.h>

#include "base/strvec.h"

struct tfs_err;
struct trace_request;

/**
 * struct trace_target - which tasks a live tool looks at, whatever letters its options have
 * @pids: processes, with all their threads; each a list with commas
 * @tids: single threads; each a list with commas. Not with @pids
 * @comms: tasks with one of these names, as the kernel has them; * and ? as in globs
 * @cgroups: tasks in these cgroups and those below
 * @container: tasks in the pid namespace of this process; NULL: none
 * @cpus: only on these CPUs, as a list; NULL: all. Alone it means all tasks, as for perf stat
 * @all: all tasks
 * @no_children: not the threads and processes that these tasks create
 *
 * Strings are borrowed from argv; the lists are owned. With nothing but COMMAND, the target is
 * COMMAND and what it starts; without even that, all tasks.
 */
struct trace_target {
	struct tfs_strvec pids, tids, comms, cgroups;
	const char *container;
	const char *cpus;
	bool all;
	bool no_children;
};

/** trace_target_release() - free the lists */
void trace_target_release(struct trace_target *target);

/**
 * trace_target_set() - write the target into every buffer of a request
 * @req: its COMMAND is set; its events and buffers are complete. Call trace_check() afterwards
 * @target: outlives @req
 *
 * Pure. Return: 0; -EINVAL for options that contradict each other; -ENOMEM.
 */
int trace_target_set(const struct trace_target *target, struct trace_request *req,
		     struct tfs_err *err);

/** trace_target_has_tasks() - are tasks named (other than COMMAND)? */
bool trace_target_has_tasks(const struct trace_target *target);

#endif
