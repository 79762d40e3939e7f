/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_PERF_SCRIPT_H
#define TFS_EXCHANGE_PERF_SCRIPT_H

#include <stddef.h>

#include "stack/collect.h"

struct tfs_err;
struct tfs_view;

/** enum tfs_perf_script_flags - @TFS_PERF_SCRIPT_INERT: for a terminal: nothing acts on that */
enum tfs_perf_script_flags { TFS_PERF_SCRIPT_INERT = 1 << 0 };

/**
 * struct tfs_perf_script_opts - events and their stacks as perf script prints samples
 * @path: of the file; "-": standard output
 * @collect: which stacks of which recordings: kind and nodes_max are not used; its arrays outlive
 *	the view. With a root other than TFS_ROOT_COMM the process is named
 * @flags: enum tfs_perf_script_flags
 */
struct tfs_perf_script_opts {
	const char *path;
	struct tfs_collect_opts collect;
	unsigned int flags;
};

/**
 * tfs_perf_script_new() - "COMM TID [CPU] SECONDS: PERIOD EVENT:" and a line for each frame
 *
 * For programs that read perf's text. Only events with stacks are written, as soon as their stacks
 * are complete, so that those of different CPUs may be a little out of order. If a recording has a
 * CPU profile, samples of profiles alone are written, some seconds later: their event is cpu-clock,
 * and their period is CPU time in ns, as tfs_profile_new() weighs them. Microseconds are rounded
 * down, as perf does. "PID/TID" is written where the process is asked for and known.
 * Return: 0 or -errno with @err set, -ENOMEM without. Release with tfs_view_free().
 */
int tfs_perf_script_new(const struct tfs_perf_script_opts *opts, struct tfs_view **view,
			struct tfs_err *err);

#endif
