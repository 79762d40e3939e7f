/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_LATENCY_H
#define TFS_VIEW_LATENCY_H

#include <stdint.h>

#include "span/span.h"
#include "view/export.h"

struct tfs_err;
struct tfs_view;

/**
 * enum tfs_latency_flags - what the table has
 * @TFS_LATENCY_BY_TASK: a row for each task
 * @TFS_LATENCY_HISTOGRAM: histograms by powers of two
 * @TFS_LATENCY_INERT: for a terminal: see base/inert.h
 * @TFS_LATENCY_COUNTS: time stamps are not nanoseconds (tfs_trace_counts())
 */
enum tfs_latency_flags {
	TFS_LATENCY_BY_TASK = 1 << 0,
	TFS_LATENCY_HISTOGRAM = 1 << 1,
	TFS_LATENCY_INERT = 1 << 2,
	TFS_LATENCY_COUNTS = 1 << 3,
};

/**
 * struct tfs_latency_opts - how long things took; everything is borrowed while the view lives
 * @spans: of the recordings; with pairs only these are shown. @kinds, @records, @ops and @ctx are
 *	the view's
 * @files: names of the recordings, a column if there are several
 * @style: TFS_EXPORT_TAB is text
 * @flags: enum tfs_latency_flags
 * @sort, @top: as of tables (view/table.h)
 * @values_max: so many durations are kept for percentiles, 12 bytes each; of more, the events are
 *	needed again. 0: 4 million
 */
struct tfs_latency_opts {
	struct tfs_spans_opts spans;
	const char *const *files;
	enum tfs_export_style style;
	unsigned int flags;
	const char *sort;
	uint64_t top;
	size_t values_max;
};

/**
 * tfs_latency_new() - a table: how often something happened, and how long it took
 *
 * A row for wakeups (until the task runs), for each interrupt, softirq, system call, function of
 * function_graph and pair: count, sum, minimum, mean, exact percentiles, maximum and when that
 * began. Things whose beginning or end is not known are only counted.
 *
 * The percentiles need the values again if there are many: end() then sets @view->again, and
 * prints nothing. Return: 0; what tfs_spans_new() and tfs_table_new() return. Release with
 * tfs_view_free().
 */
int tfs_latency_new(const struct tfs_latency_opts *opts, struct tfs_view **view,
		    struct tfs_err *err);

#endif
