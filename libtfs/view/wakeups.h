/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_WAKEUPS_H
#define TFS_VIEW_WAKEUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/export.h"

struct tfs_err;
struct tfs_trace;
struct tfs_view;

/**
 * struct tfs_wakeups_opts - a table of wakeups
 * @traces: the @n_traces recordings; borrowed as long as the view lives
 * @files: what each is called, a column when there are several; the names are borrowed as @traces
 * @style, @inert: as of other tables: struct tfs_table_opts
 * @counts: times are not in nanoseconds
 * @sort, @top: as struct tfs_table_opts has them; by default by the number of wakeups
 */
struct tfs_wakeups_opts {
	struct tfs_trace *const *traces;
	const char *const *files;
	size_t n_traces;
	enum tfs_export_style style;
	bool inert, counts;
	const char *sort;
	uint64_t top;
};

/**
 * tfs_wakeups_new() - who wakes whom, and how long it takes until the task runs
 *
 * A row for each pair of tasks; wakeups by interrupts have no waker, since the task that was
 * interrupted has nothing to do with them. Wakeups of tasks that run or wait for a CPU already are
 * not counted. The latency is from sched_waking (sched_wakeup, if that alone was recorded) to the
 * switch to the task. One view shows all recordings. Memory grows with the number of rows.
 * Return: 0; what tfs_table_new() and tfs_spans_new() return. Release with tfs_view_free().
 */
int tfs_wakeups_new(const struct tfs_wakeups_opts *opts, struct tfs_view **view,
		    struct tfs_err *err);

#endif
