/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-tables.h"

#include <stdbool.h>

#include "decode/clock.h"
#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "tc-report-spans.h"
#include "tc-report-stacks.h"
#include "tc-report-syscalls.h"
#include "tc-report-text.h"
#include "tc-report-views.h"
#include "view/count.h"
#include "view/flat.h"
#include "view/latency.h"
#include "view/syscalls.h"
#include "view/task-profile.h"
#include "view/wakeups.h"

/* Are times not in nanoseconds? */
static bool has_counts(const struct report_run *run)
{
	const struct report_source *first = &run->sources->v[0];

	return tfs_trace_counts(first->trace, first->merge.raw_ts, first->merge.unit);
}

int report_open_count(const struct report_run *run, size_t n, struct tfs_view **view,
		      struct tfs_err *err)
{
	const struct tfs_count_opts opts = {
		.rows = {
			.style = report_export_style(run->req),
			.columns = &run->req->by,
			.inert = run->req->terminal,
			.traces = run->traces,
			.n_traces = run->sources->n,
		},
		.files = run->files,
		.hosts = run->hosts,
		.sort = run->req->sort,
		.top = run->req->top,
	};

	(void)n;
	return tfs_count_new(&opts, view, err);
}

int report_open_latency(const struct report_run *run, size_t n, struct tfs_view **view,
			struct tfs_err *err)
{
	const struct report_request *req = run->req;
	const struct tfs_latency_opts opts = {
		.spans = report_spans_opts(run),
		.files = run->files,
		.style = report_export_style(req),
		.flags = (req->graph.by_task ? TFS_LATENCY_BY_TASK : 0) |
			 (req->histogram ? TFS_LATENCY_HISTOGRAM : 0) |
			 (req->terminal ? TFS_LATENCY_INERT : 0) |
			 (has_counts(run) ? TFS_LATENCY_COUNTS : 0),
		.sort = req->sort,
		.top = req->top,
	};

	(void)n;
	return tfs_latency_new(&opts, view, err);
}

int report_open_profile(const struct report_run *run, size_t n, struct tfs_view **view,
			struct tfs_err *err)
{
	const struct tfs_task_profile_opts opts = {
		.spans = report_spans_opts(run),
		.files = run->files,
		.style = report_export_style(run->req),
		.flags = (run->req->terminal ? TFS_TASK_PROFILE_INERT : 0) |
			 (has_counts(run) ? TFS_TASK_PROFILE_COUNTS : 0),
		.sort = run->req->sort,
		.top = run->req->top,
	};

	(void)n;
	return tfs_task_profile_new(&opts, view, err);
}

int report_open_syscalls(const struct report_run *run, size_t n, struct tfs_view **view,
			 struct tfs_err *err)
{
	const struct tfs_syscalls_opts opts = {
		.traces = run->traces,
		.files = run->files,
		.n_traces = run->sources->n,
		.style = report_export_style(run->req),
		.inert = run->req->terminal,
		.by_task = run->req->graph.by_task,
		.counts = has_counts(run),
		.sort = run->req->sort,
		.top = run->req->top,
		.syscall = report_syscall_name,
		.syscalls = run->syscalls,
		.errno_name = report_errno_name,
	};

	(void)n;
	return tfs_syscalls_new(&opts, view, err);
}

int report_open_wakeups(const struct report_run *run, size_t n, struct tfs_view **view,
			struct tfs_err *err)
{
	const struct tfs_wakeups_opts opts = {
		.traces = run->traces,
		.files = run->files,
		.n_traces = run->sources->n,
		.style = report_export_style(run->req),
		.inert = run->req->terminal,
		.counts = has_counts(run),
		.sort = run->req->sort,
		.top = run->req->top,
	};

	(void)n;
	return tfs_wakeups_new(&opts, view, err);
}

int report_open_flat(const struct report_run *run, size_t n, struct tfs_view **view,
		     struct tfs_err *err)
{
	struct tfs_flat_opts opts = {
		.style = report_export_style(run->req),
		.inert = run->req->terminal,
		.sort = run->req->sort,
		.top = run->req->top,
	};

	(void)n;
	report_collect_opts(run, &opts.collect);
	return tfs_flat_new(&opts, view, err);
}
