/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "cli/msg.h"
#include "cli/pager.h"
#include "command.h"
#include "data/dat-read.h"
#include "data/merge.h"
#include "report/filter.h"
#include "report/info.h"
#include "report/run.h"
#include "report/select.h"
#include "report/stat.h"
#include "report/text.h"
#include "report/trace.h"
#include "tc-report-opts.h"

static int open_trace(const struct report_request *req, struct tfs_trace **trace,
		      struct tfs_err *err)
{
	struct tfs_trace_opts opts = {
		.no_plugins = req->no_plugins,
		.local_plugins = req->local_plugins,
		.plugin_options = (const char *const *)req->plugin_options.v,
		.n_plugin_options = req->plugin_options.n,
		.kallsyms = req->kallsyms,
	};
	int rc;

	if (req->plugins)
		opts.plugin_dir = strcmp(req->plugins, "tracecraft") ? req->plugins :
								       PACKAGE_PLUGIN_DIR;
	rc = tfs_trace_open(req->input, &opts, trace, err);
	if (rc == -ENOENT)
		tfs_err_hint(err, "'tc-record -e sched -- COMMAND' makes one; -i names another");
	else if (rc == -EBADMSG && !*err->hint)
		tfs_err_hint(err, "recordings are made by 'tc-record' and 'trace-cmd record'");
	return rc;
}

static int show_text(const struct report_request *req, struct tfs_trace *trace,
		     const struct tfs_run_opts *run, struct tfs_out *out, struct tfs_err *err)
{
	const struct tfs_text_opts opts = {
		.raw = req->raw,
		.latency = req->latency,
		.nsecs = req->nsecs,
		.no_flags = req->no_flags,
		.raw_ts = req->raw_ts,
	};
	struct tfs_printer *printer = NULL;
	int rc = tfs_text_new(trace, &opts, &printer);

	if (rc)
		return tfs_err_set(err, rc, "cannot prepare the report");
	rc = tfs_run_printer(trace, printer, out, run, err);
	tfs_text_free(printer);
	return rc;
}

static int show_stat(enum tfs_stat_kind kind, struct tfs_trace *trace,
		     const struct tfs_run_opts *run, struct tfs_out *out, struct tfs_err *err)
{
	struct tfs_sink *sink = NULL;
	int rc = tfs_stat_new(trace, out, kind, &sink);

	if (rc)
		return tfs_err_set(err, rc, "cannot prepare the report");
	rc = tfs_run_sink(trace, sink, run, err);
	tfs_stat_free(sink);
	return rc;
}

/* Beyond this the one thread that reads in order has nothing left to hand out. */
#define JOBS_DEFAULT_MAX 8

static unsigned int jobs(const struct report_request *req)
{
	cpu_set_t mine;
	int n;

	if (req->jobs)
		return (unsigned int)req->jobs;
	if (sched_getaffinity(0, sizeof(mine), &mine))
		return 1;
	n = CPU_COUNT(&mine);
	return n > JOBS_DEFAULT_MAX ? JOBS_DEFAULT_MAX : (unsigned int)n;
}

static int show(const struct report_request *req, struct tfs_trace *trace,
		struct tfs_select *select, struct tfs_out *out, struct tfs_err *err)
{
	const struct tfs_merge_opts merge = {
		.raw_ts = req->raw_ts,
		.no_date = req->no_date,
	};
	const struct tfs_run_opts run = {
		.merge = &merge,
		.select = select,
		.ts_offset = req->raw_ts ? 0 : req->ts_offset,
		.jobs = jobs(req),
	};

	switch (req->view) {
	case REPORT_STAT:
		return show_stat(TFS_STAT_ALL, trace, &run, out, err);
	case REPORT_STAT_KERNEL:
		return show_stat(TFS_STAT_KERNEL, trace, &run, out, err);
	case REPORT_UNAME:
		return show_stat(TFS_STAT_UNAME, trace, &run, out, err);
	case REPORT_VERSION:
		return show_stat(TFS_STAT_VERSION, trace, &run, out, err);
	default:
		return show_text(req, trace, &run, out, err);
	}
}

/* A field that no event has makes a filter of nothing, and may be a slip of the hand. */
static void tell_notices(const struct report_request *req, const struct tfs_select *select)
{
	const struct tfs_filter *f;
	const struct tfs_err *notice;
	size_t i;

	for (i = 0; !req->quiet && (f = tfs_select_filter(select, i)); i++) {
		notice = tfs_filter_notice(f);
		if (notice)
			tc_msg_notice(tc_command.name, "%s (%s)", notice->msg, notice->hint);
	}
}

static int describe_filters(const struct tfs_select *select, struct tfs_out *out,
			    struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const struct tfs_filter *f;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && (f = tfs_select_filter(select, i)); i++)
		rc = tfs_filter_describe(f, &sb);
	if (!rc)
		rc = tfs_out_write(out, sb.s, sb.len);
	if (!rc)
		rc = tfs_out_flush(out);
	tfs_strbuf_release(&sb);
	return rc ? tfs_err_set(err, rc, "cannot write the report") : 0;
}

/* What needs no records. */
static int tell(const struct report_request *req, struct tfs_trace *trace, struct tfs_out *out,
		struct tfs_err *err)
{
	switch (req->view) {
	case REPORT_CPUS:
		return tfs_info_print(trace, TFS_INFO_CPUS, NULL, out, err);
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

/* Everything intact was shown; now say what was not. */
static int tell_damage(struct tfs_trace *trace, struct tfs_err *err)
{
	const struct tfs_err *damage = tfs_dat_damage(tfs_trace_dat(trace));

	if (!damage)
		return 0;
	*err = *damage;
	tfs_err_prefix(err, "'%s' is damaged", tfs_dat_path(tfs_trace_dat(trace)));
	return err->code ? err->code : -EBADMSG;
}

/* A pager that was left early is no failure. */
static int show_paged(const struct report_request *req, struct tfs_trace *trace,
		      struct tfs_select *select, struct tfs_err *err)
{
	struct tfs_out *out = NULL;
	pid_t pager;
	int rc;

	pager = req->no_pager ? 0 : tc_pager_start();
	rc = tfs_out_new(STDOUT_FILENO, false, &out);
	if (rc)
		tfs_err_set(err, rc, "cannot write the report");
	else if (req->test_filters && req->filters.n)
		rc = describe_filters(select, out, err);
	else if (req->view >= REPORT_CPUS)
		rc = tell(req, trace, out, err);
	else
		rc = show(req, trace, select, out, err);
	tfs_out_free(out);
	tc_pager_wait(pager);
	if (rc == -EPIPE && pager) {
		tfs_err_clear(err);
		rc = 0;
	}
	return rc;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct report_request *req = request;
	const struct tfs_select_opts selection = {
		.events = &req->events,
		.filters = &req->filters,
		.n_filters = req->n_filters,
		.pids = &req->pids,
		.comms = &req->comms,
		.children = req->children,
		.buffers = &req->buffers,
		.cpus = &req->cpus,
		.no_hardirq = req->no_hardirq,
		.no_softirq = req->no_softirq,
	};
	struct tfs_trace *trace = NULL;
	struct tfs_select *select = NULL;
	int rc, status = TC_EXIT_FAILED;

	if (report_check(req, argc, argv, err))
		return TC_EXIT_USAGE;
	if (req->view == REPORT_VERSION && !req->named) {
		tc_command_print_version();
		return TC_EXIT_OK;
	}
	rc = open_trace(req, &trace, err);
	if (rc)
		goto out;
	rc = tfs_select_new(trace, &selection, &select, err);
	if (rc) {
		status = rc == -ENOMEM ? TC_EXIT_FAILED : TC_EXIT_USAGE;
		goto out;
	}
	tell_notices(req, select);
	rc = show_paged(req, trace, select, err);
	/* An expression for events that is none, or that none of the recording's matches */
	if (req->view == REPORT_FORMATS && (rc == -EINVAL || rc == -ENOENT))
		status = TC_EXIT_USAGE;
	if (!rc)
		rc = tell_damage(trace, err);
	if (!rc)
		status = TC_EXIT_OK;
out:
	tfs_select_free(select);
	tfs_trace_free(trace);
	return status;
}

const struct tc_command tc_command = {
	.name = "tc-report",
	.summary = "show a recording as text",
	.operands = "[FILE]",
	.options = report_options,
	.request_size = sizeof(struct report_request),
	.run = run,
	.release = report_release,
};
