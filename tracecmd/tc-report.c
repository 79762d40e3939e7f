/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "cli/live.h"
#include "cli/msg.h"
#include "cli/pager.h"
#include "cli/signals.h"
#include "main.h"
#include "decode/clock.h"
#include "decode/trace.h"
#include "decode/wakeup.h"
#include "filter/filter.h"
#include "filter/select.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "tc-report-graph.h"
#include "tc-report-notices.h"
#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "tracedat/dat-read.h"
#include "view/bounds.h"
#include "view/combined.h"
#include "view/export.h"
#include "view/info.h"
#include "view/kernel-lines.h"
#include "view/kernel-view.h"
#include "view/stat.h"
#include "view/text.h"

/* Beyond this the one thread that reads in order has nothing left to hand out. */
#define JOBS_DEFAULT_MAX 8

static unsigned int jobs(const struct report_request *req)
{
	cpu_set_t mine;
	long n;

	if (req->jobs)
		return (unsigned int)req->jobs;
	/* A machine may have more processors than the set has room for. */
	n = sched_getaffinity(0, sizeof(mine), &mine) ? sysconf(_SC_NPROCESSORS_ONLN) :
							CPU_COUNT(&mine);
	if (n < 1)
		n = 1;
	return n > JOBS_DEFAULT_MAX ? JOBS_DEFAULT_MAX : (unsigned int)n;
}

static int new_text(const struct report_request *req, const struct report_sources *s, size_t n,
		    const struct tfs_wakeup *wakeup, struct tfs_view **view)
{
	const struct tfs_text_opts opts = {
		.raw = req->raw,
		.latency = req->latency,
		.nsecs = req->nsecs,
		.no_flags = req->no_flags,
		.color = req->color == REPORT_COLOR_ALWAYS,
		.raw_ts = req->raw_ts,
		.file = s->n > 1 ? s->v[n].name : NULL,
		.name_width = s->name_width,
		.diff = req->ts_diff,
		.wakeup = wakeup,
	};

	return tfs_text_new(s->v[n].trace, &opts, view);
}

static int new_export(const struct report_request *req, const struct report_sources *s,
		      struct tfs_trace *const *traces, size_t n, struct tfs_view **view,
		      struct tfs_err *err)
{
	static const enum tfs_export_style styles[] = {
		[REPORT_EXPORT_NONE] = TFS_EXPORT_TAB,
		[REPORT_EXPORT_JSON] = TFS_EXPORT_JSON,
		[REPORT_EXPORT_CSV] = TFS_EXPORT_CSV,
	};
	const struct tfs_export_opts opts = {
		.style = styles[req->export],
		.columns = &req->fields,
		.text = req->export_text,
		.inert = req->terminal,
		.raw_ts = req->raw_ts,
		.traces = traces,
		.n_traces = s->n,
		.own = n,
		.file = s->v[n].name,
	};

	return tfs_export_new(&opts, view, err);
}

static bool wants_export(const struct report_request *req)
{
	return req->export || req->fields.n;
}

static int new_records(const struct report_request *req, const struct report_sources *s,
		       struct tfs_trace *const *traces, size_t n, const struct tfs_wakeup *wakeup,
		       struct tfs_view **view, struct tfs_err *err)
{
	if (req->kernel)
		return tfs_kernel_lines_new(s->v[n].trace, view);
	if (wants_export(req))
		return new_export(req, s, traces, n, view, err);
	return new_text(req, s, n, wakeup, view);
}

/* Each recording has a view of its own; of several another one hands the events out. */
static int show_records(const struct report_request *req, const struct report_sources *s,
			struct tfs_out *out, struct tfs_err *err)
{
	struct tfs_view **views = calloc(s->n + 1, sizeof(struct tfs_view *));
	struct tfs_trace **traces = calloc(s->n + 1, sizeof(struct tfs_trace *));
	struct tfs_run_opts run = s->v[0].run;
	/* trace-cmd takes them for nanoseconds. */
	bool counts = !req->compat &&
		      tfs_trace_counts(s->v[0].trace, s->v[0].merge.raw_ts, s->v[0].merge.unit);
	struct tfs_view *combined = NULL;
	int rc = views && traces ? 0 : -ENOMEM;

	run.jobs = jobs(req);
	if (!rc && req->wakeup)
		rc = tfs_wakeup_new(s->v[0].trace, counts, &run.wakeup);
	for (size_t i = 0; i < s->n && !rc; i++)
		traces[i] = s->v[i].trace;
	for (size_t i = 0; i < s->n && !rc; i++)
		rc = new_records(req, s, traces, i, run.wakeup, &views[i], err);
	if (!rc && s->n > 1)
		rc = tfs_combined_new(views, s->n, &combined);
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot prepare the report");
	else if (!rc)
		rc = tfs_run(s->v[0].trace, combined ? combined : views[0], out, &run, err);
	for (size_t i = 0; views && !combined && i < s->n; i++)
		tfs_view_free(views[i]);
	tfs_view_free(combined);
	free(views);
	free(traces);
	tfs_wakeup_free(run.wakeup);
	return rc;
}

/*
 * Lines that depend on others: the latency format, and calls of function_graph, which a recording
 * that is still being made may hold later only. 1: there are none; 0, -errno
 */
static int show_kernel_view(const struct report_request *req, struct report_source *src,
			    struct tfs_out *out, struct tfs_err *err)
{
	struct tfs_kernel_view_opts opts = { .latency = req->latency };
	struct tfs_view *view = NULL;
	int rc;

	if (req->follow)
		return 1;
	rc = tfs_kernel_view_has_graph(src->trace, &src->run, err);
	if (rc < 0 || (!rc && !req->latency))
		return rc < 0 ? rc : 1;
	opts.graph = rc;
	rc = tfs_kernel_view_new(src->trace, &opts, &view);
	if (rc)
		return tfs_err_set(err, rc, "cannot prepare the report");
	rc = tfs_run(src->trace, view, out, &src->run, err);
	tfs_view_free(view);
	return rc;
}

static int show_stat(enum tfs_stat_kind kind, const struct report_source *src, struct tfs_out *out,
		     struct tfs_err *err)
{
	struct tfs_run_opts run = src->run;
	struct tfs_view *view = NULL;
	int rc = tfs_stat_new(src->trace, kind, &view);

	if (rc)
		return tfs_err_set(err, rc, "cannot prepare the report");
	run.n_others = 0;
	rc = tfs_run(src->trace, view, out, &run, err);
	tfs_view_free(view);
	return rc;
}

/* Views of one recording: of several, one after the other. */
static int show_stats(enum tfs_stat_kind kind, struct report_sources *s, struct tfs_out *out,
		      struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++) {
		if (s->n > 1)
			rc = tfs_out_printf(out, "%*s: ", s->name_width, s->v[i].name);
		if (rc)
			return tfs_err_set(err, rc, "cannot write the report");
		s->v[i].run.losses = s->v[0].run.losses;
		rc = show_stat(kind, &s->v[i], out, err);
	}
	return rc;
}

static int show(const struct report_request *req, struct report_sources *s, struct tfs_out *out,
		struct tfs_err *err)
{
	int rc = req->kernel ? show_kernel_view(req, &s->v[0], out, err) : 1;

	if (rc <= 0)
		return rc;
	switch (req->view) {
	case REPORT_GRAPH:
		return report_graph_show(req, s, out, err);
	case REPORT_STAT:
		return show_stats(TFS_STAT_ALL, s, out, err);
	case REPORT_STAT_KERNEL:
		return show_stats(TFS_STAT_KERNEL, s, out, err);
	case REPORT_UNAME:
		return show_stats(TFS_STAT_UNAME, s, out, err);
	case REPORT_VERSION:
		return show_stats(TFS_STAT_VERSION, s, out, err);
	default:
		return show_records(req, s, out, err);
	}
}

/* A line on the terminal for who waits, from the first second on, four times a second. */
#define PROGRESS_FIRST_NS 1000000000
#define PROGRESS_NEXT_NS 250000000

struct progress {
	int64_t next; /* when the line is due */
	bool shown;
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void on_progress(void *context, uint64_t done, uint64_t total)
{
	struct progress *p = context;
	int64_t now = now_ns();

	if (!total || now < p->next)
		return;
	tc_live_line("%" PRIu64 "%% of %" PRIu64 " MiB read", done * 100 / total, total >> 20);
	p->next = now + PROGRESS_NEXT_NS;
	p->shown = true;
}

/* Not where the text itself scrolls by; a pager has the terminal for itself. */
static bool wants_progress(const struct report_request *req)
{
	return !req->quiet && tc_live_can() && !isatty(STDOUT_FILENO);
}

static int show_with_progress(const struct report_request *req, struct report_sources *s,
			      struct tfs_out *out, struct tfs_err *err)
{
	struct progress p = { .next = now_ns() + PROGRESS_FIRST_NS };
	const struct tfs_run_progress progress = { on_progress, &p };
	size_t i;
	int rc;

	for (i = 0; i < s->n && wants_progress(req); i++)
		s->v[i].run.progress = &progress;
	rc = show(req, s, out, err);
	for (i = 0; i < s->n; i++)
		s->v[i].run.progress = NULL;
	if (p.shown)
		tc_live_end();
	return rc;
}

static int describe_filters(const struct report_sources *s, struct tfs_out *out,
			    struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const struct tfs_filter *f;
	size_t n, i;
	int rc = 0;

	for (n = 0; n < s->n; n++)
		for (i = 0; !rc && (f = tfs_select_filter(s->v[n].select, i)); i++)
			rc = tfs_filter_describe(f, &sb);
	if (!rc)
		rc = tfs_out_write(out, sb.s, sb.len);
	if (!rc)
		rc = tfs_out_flush(out);
	tfs_strbuf_release(&sb);
	return rc ? tfs_err_set(err, rc, "cannot write the report") : 0;
}

/* What needs no records. */
static int print_info(const struct report_request *req, const struct report_source *src,
		      struct tfs_out *out, struct tfs_err *err)
{
	const struct tfs_bounds_opts bounds = {
		.first = req->first_event,
		.last = req->last_event,
		.nsecs = req->nsecs,
		.raw_ts = req->raw_ts,
		.no_date = req->no_date,
		.unit = src->merge.unit,
	};
	struct tfs_trace *trace = src->trace;

	switch (req->view) {
	case REPORT_CPUS:
		return tfs_bounds_print(trace, &bounds, out, err);
	case REPORT_EVENTS:
		return tfs_info_print(trace, TFS_INFO_EVENTS, NULL, out, err);
	case REPORT_PRINTK:
		return tfs_info_print(trace, TFS_INFO_PRINTK, NULL, out, err);
	case REPORT_FUNCTIONS:
		return tfs_info_print(trace, TFS_INFO_FUNCTIONS, NULL, out, err);
	case REPORT_FORMATS:
		return tfs_info_print(trace, TFS_INFO_FORMATS, req->formats, out, err);
	case REPORT_ENDIAN:
		return tfs_info_print(trace, TFS_INFO_ENDIAN, NULL, out, err);
	case REPORT_PAGE_SIZE:
		return tfs_info_print(trace, TFS_INFO_PAGE_SIZE, NULL, out, err);
	default:
		return tfs_info_check_events(trace, err);
	}
}

static int print_all_info(const struct report_request *req, const struct report_sources *s,
			  struct tfs_out *out, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++)
		rc = print_info(req, &s->v[i], out, err);
	return rc;
}

/* Text of strangers goes to a terminal. Lines of records have colours: inert before that. */
static void make_inert(const struct report_request *req, struct report_sources *s,
		       struct tfs_out *out)
{
	for (size_t i = 0; i < s->n && !wants_export(req); i++)
		tfs_trace_set_inert(s->v[i].trace);
	tfs_out_set_inert(out, req->view != REPORT_TEXT);
}

/* A pager that was left early is no failure. */
static int show_paged(const struct report_request *req, struct report_sources *s,
		      struct tfs_err *err)
{
	struct tfs_out *out = NULL;
	pid_t pager;
	int rc;

	pager = req->no_pager ? 0 : tc_pager_start();
	rc = tfs_out_new(STDOUT_FILENO, false, &out);
	if (!rc && req->terminal)
		make_inert(req, s, out);
	if (rc)
		tfs_err_set(err, rc, "cannot write the report");
	else if (req->test_filters && req->filters.n)
		rc = describe_filters(s, out, err);
	else if (req->view >= REPORT_CPUS)
		rc = print_all_info(req, s, out, err);
	else if (pager)
		rc = show(req, s, out, err);
	else
		rc = show_with_progress(req, s, out, err);
	tfs_out_free(out);
	tc_pager_wait(pager);
	if (rc == -EPIPE && pager) {
		tfs_err_clear(err);
		rc = 0;
	}
	return rc;
}

/* The kernel has a file "trace" for each of its buffers. */
static int check_buffers(const struct report_request *req, const struct report_sources *s,
			 struct tfs_err *err)
{
	size_t n = tfs_dat_n_buffers(tfs_trace_dat(s->v[0].trace));

	if (!req->kernel || n <= 1 || req->buffers.n == 1)
		return 0;
	tfs_err_say(err, -EINVAL, "'%s' has %zu buffers, and --kernel shows one", s->v[0].name, n);
	tfs_err_hint(err, "-B NAME chooses one");
	return -EINVAL;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct report_request *req = request;
	struct report_sources s = { 0 };
	int rc, status;

	if (report_check(req, argc, argv, err))
		return TC_EXIT_USAGE;
	if (req->view == REPORT_VERSION && !req->named) {
		tc_command_print_version();
		return TC_EXIT_OK;
	}
	/* A pager will stand between us and the terminal. */
	req->terminal = !req->raw_output && isatty(STDOUT_FILENO);
	if (req->color == REPORT_COLOR_AUTO && tc_live_color(STDOUT_FILENO))
		req->color = REPORT_COLOR_ALWAYS;
	/* As tc-record: a script that runs it in the background bounds it by a signal. */
	if (req->follow)
		tc_signals_accept();
	rc = report_sources_open(req, &s, &status, err);
	if (rc)
		goto out;
	if (check_buffers(req, &s, err)) {
		status = TC_EXIT_USAGE;
		goto out;
	}
	report_notices(req, &s);
	rc = show_paged(req, &s, err);
	/* An expression for events, a column or a function, that is none or not of the recording */
	if ((req->view == REPORT_FORMATS || req->view == REPORT_GRAPH || req->fields.n) &&
	    (rc == -EINVAL || rc == -ENOENT))
		status = TC_EXIT_USAGE;
	if (!rc)
		rc = report_sources_check(req, &s, err);
	if (!rc && req->view <= REPORT_STAT) {
		rc = report_sources_check_pids(&s, err);
		if (rc == -ENOENT)
			status = TC_EXIT_USAGE;
	}
	if (!rc)
		status = TC_EXIT_OK;
out:
	report_sources_release(&s);
	return status;
}

const struct tc_command tc_command = {
	.name = "tc-report",
	.summary = "show a recording as text",
	.operands = "[FILE]...",
	.options = report_options,
	.request_size = sizeof(struct report_request),
	.run = run,
	.release = report_release,
};
