/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TOP_TOP_H
#define TFS_TOP_TOP_H

#include <stddef.h>
#include <stdint.h>

#include "span/syscall-name.h"
#include "top/keys.h"

struct tfs_err;
struct tfs_strbuf;
struct tfs_top;
struct tfs_top_snapshot;
struct tfs_trace;
struct tfs_view;

/** TFS_TOP_ROWS - rows at most, unless asked for otherwise */
#define TFS_TOP_ROWS 4096

/**
 * enum tfs_top_flags - how it counts
 * @TFS_TOP_CLOCK: intervals end by the events' time stamps, as in a recording. Without it
 *	tfs_top_end_interval() ends them
 * @TFS_TOP_CUMULATIVE: times and errors are those since the start, and rows stay
 */
enum tfs_top_flags {
	TFS_TOP_CLOCK = 1 << 0,
	TFS_TOP_CUMULATIVE = 1 << 1,
};

/**
 * struct tfs_top_opts - what to count; everything is borrowed while the view lives
 * @trace: the recording, or what is known of a live instance; its clock is in nanoseconds
 * @task: only events of this task; -1: of all
 * @flags: enum tfs_top_flags
 * @interval: nanoseconds, with TFS_TOP_CLOCK; at least 1
 * @max_rows: 0: TFS_TOP_ROWS
 * @syscall, @syscalls: as struct tfs_spans_opts has them, for one recording
 * @cgroups: may be NULL: no task's is known
 * @probes: group of events whose rows have no system before their names: probes of this run. NULL:
 *	none
 * @ended: called when an interval is over, with TFS_TOP_CLOCK and at the end: take a snapshot,
 *	and append to @out what is to be printed. A failure ends the run. Empty intervals of a
 *	long pause are left out
 */
struct tfs_top_opts {
	struct tfs_trace *trace;
	enum tfs_top_by by;
	int task;
	unsigned int flags;
	uint64_t interval;
	size_t max_rows;
	tfs_syscall_name_func *syscall;
	const void *syscalls;
	const struct tfs_top_cgroups *cgroups;
	const char *probes;
	int (*ended)(void *context, struct tfs_strbuf *out);
	void *context;
};

/**
 * tfs_top_new() - a table of events by what they have in common, with rates
 * @view: for tfs_run(); release with tfs_view_free(), which ends @top as well
 *
 * Memory is that of the rows, of which there are at most @max_rows, and of the span model.
 * One thread. Return: 0; -ENOMEM; what tfs_spans_new() returns.
 */
int tfs_top_new(const struct tfs_top_opts *opts, struct tfs_top **top, struct tfs_view **view,
		struct tfs_err *err);

/** tfs_top_leave_out() - do not count what this task does from now on: the tracer. 0 or -ENOMEM */
int tfs_top_leave_out(struct tfs_top *top, int pid);
/** tfs_top_end_interval() - end the interval, which lasted @elapsed ns, and begin the next */
void tfs_top_end_interval(struct tfs_top *top, uint64_t elapsed);
/** tfs_top_snapshot() - how the last interval ended; 0 or -ENOMEM */
int tfs_top_snapshot(const struct tfs_top *top, struct tfs_top_snapshot *snap);
/** tfs_top_set_interval() - from the next interval on */
void tfs_top_set_interval(struct tfs_top *top, uint64_t interval);
/** tfs_top_zero() - forget all rows and totals */
void tfs_top_zero(struct tfs_top *top);
/** tfs_top_show() - count something else from now on, with no rows; returns as tfs_top_new() */
int tfs_top_show(struct tfs_top *top, enum tfs_top_by by, int task, struct tfs_err *err);

#endif
