/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_HIST_QUERY_VIEW_H
#define TFS_HIST_QUERY_VIEW_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_err;
struct tfs_hist_rows;
struct tfs_query;
struct tfs_trace;
struct tfs_view;

/**
 * struct tfs_query_view_opts - a query over events that are read; all borrowed while the view lives
 * @rows: get the counts of event 0
 */
struct tfs_query_view_opts {
	const struct tfs_query *query;
	struct tfs_trace *trace;
	struct tfs_hist_rows *rows;
};

/**
 * tfs_query_view_new() - evaluate a query as the kernel's histograms do
 * @view: for tfs_run(); release with tfs_view_free(). It prints nothing
 *
 * WHERE is not looked at: the events are those that passed it. Memory grows with the rows, and with
 * the different values of the field of ON.
 * Return: 0; -ENOENT with @err set if the trace does not have the events; -ENOMEM.
 */
int tfs_query_view_new(const struct tfs_query_view_opts *opts, struct tfs_view **view,
		       struct tfs_err *err);

/** tfs_query_view_lost() - events lost so far; @uncounted is set if there were more */
uint64_t tfs_query_view_lost(const struct tfs_view *view, bool *uncounted);

#endif
