/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_TASK_PROFILE_H
#define TFS_VIEW_TASK_PROFILE_H

#include <stdint.h>

#include "span/span.h"
#include "view/export.h"

struct tfs_err;
struct tfs_view;

/**
 * enum tfs_task_profile_flags - how the table is printed
 * @TFS_TASK_PROFILE_INERT: for a terminal: see base/inert.h
 * @TFS_TASK_PROFILE_COUNTS: time stamps are not nanoseconds (tfs_trace_counts())
 */
enum tfs_task_profile_flags {
	TFS_TASK_PROFILE_INERT = 1 << 0,
	TFS_TASK_PROFILE_COUNTS = 1 << 1,
};

/**
 * struct tfs_task_profile_opts - what tasks did; everything is borrowed while the view lives
 * @spans: of the recordings. Kinds, pairs and callbacks are the view's
 * @files: names of the recordings, a column if there are several
 * @style: TFS_EXPORT_TAB is text
 * @flags: enum tfs_task_profile_flags
 * @sort, @top: as of tables (view/table.h)
 */
struct tfs_task_profile_opts {
	struct tfs_spans_opts spans;
	const char *const *files;
	enum tfs_export_style style;
	unsigned int flags;
	const char *sort;
	uint64_t top;
};

/**
 * tfs_task_profile_new() - a table of tasks: how long each ran and waited, and for what
 *
 * From sched_switch and wakeups. A run whose beginning is not known counts, and has no time. Idle
 * tasks are left out. Return: 0; what tfs_spans_new() and tfs_table_new() return. Release with
 * tfs_view_free().
 */
int tfs_task_profile_new(const struct tfs_task_profile_opts *opts, struct tfs_view **view,
			 struct tfs_err *err);

#endif
