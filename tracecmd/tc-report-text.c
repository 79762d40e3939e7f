/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "cli/msg.h"
#include "decode/wakeup.h"
#include "main.h"
#include "symbolize/symbolize.h"
#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "tc-report-views.h"
#include "tracedat/dat-time.h"
#include "view/bounds.h"
#include "view/export.h"
#include "view/info.h"
#include "view/kernel-lines.h"
#include "view/kernel-view.h"
#include "view/stat.h"
#include "view/text.h"
#include "view/user-text.h"
#include "view/wide.h"

int report_open_text(const struct report_run *run, size_t n, struct tfs_view **view,
		     struct tfs_err *err)
{
	const struct report_request *req = run->req;
	const struct report_sources *s = run->sources;
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
		.wakeup = run->wakeup,
		.user = run->user_texts ? run->user_texts[n] : NULL,
	};

	(void)err;
	return tfs_text_new(run->traces[n], &opts, view);
}

int report_user_texts_new(struct report_run *run, struct tfs_err *err)
{
	size_t n = run->sources->n;
	int rc;

	if (!run->req->user_symbols)
		return 0;
	run->user_texts = calloc(n, sizeof(struct tfs_user_text *));
	rc = run->user_texts ? 0 : -ENOMEM;
	for (size_t i = 0; i < n && !rc; i++) {
		const struct report_source *src = &run->sources->v[i];
		const struct tfs_dat_time_opts time = report_source_time(src);
		const struct tfs_symbolize_opts opts = {
			.time = &time,
			.ts_offset = src->input.ts_offset,
		};

		rc = tfs_user_text_new(run->traces[i], &opts, &run->user_texts[i]);
	}
	return rc ? tfs_err_set(err, rc, "cannot prepare the report") : 0;
}

void report_user_texts_free(struct report_run *run)
{
	for (size_t i = 0; run->user_texts && i < run->sources->n; i++)
		tfs_user_text_free(run->user_texts[i]);
	free(run->user_texts);
	run->user_texts = NULL;
}

/* "no symbol: 12, the file was replaced: 3" */
static int put_reasons(const struct tfs_user_text_counts *counts, struct tfs_strbuf *sb)
{
	int rc = 0;

	for (unsigned int i = TFS_SYMBOL_NAMED + 1; i < TFS_SYMBOL_N_WHY && !rc; i++)
		if (counts->why[i])
			rc = tfs_strbuf_addf(sb, "%s%s: %" PRIu64, sb->len ? ", " : "",
					     tfs_symbol_why_text((enum tfs_symbol_why)i),
					     counts->why[i]);
	return rc;
}

void report_user_texts_notice(const struct report_run *run)
{
	struct tfs_user_text_counts counts = { .stacks = 0 };
	struct tfs_strbuf reasons = TFS_STRBUF_INIT;
	uint64_t unnamed;

	for (size_t i = 0; run->user_texts && i < run->sources->n; i++)
		tfs_user_text_counts(run->user_texts[i], &counts);
	unnamed = counts.addresses - counts.why[TFS_SYMBOL_NAMED];
	if (!unnamed || run->req->quiet || put_reasons(&counts, &reasons))
		goto out;
	if (counts.no_maps)
		tc_msg_notice(tc_command.name,
			      "%" PRIu64 " of %" PRIu64 " user stacks without maps", counts.no_maps,
			      counts.stacks);
	tc_msg_notice(tc_command.name,
		      "%" PRIu64 " of %" PRIu64 " user addresses have no name (%s)", unnamed,
		      counts.addresses, reasons.s);
out:
	tfs_strbuf_release(&reasons);
}

static const enum tfs_export_style export_styles[] = {
	[REPORT_EXPORT_NONE] = TFS_EXPORT_TAB,
	[REPORT_EXPORT_JSON] = TFS_EXPORT_JSON,
	[REPORT_EXPORT_CSV] = TFS_EXPORT_CSV,
};

enum tfs_export_style report_export_style(const struct report_request *req)
{
	return export_styles[req->export];
}

int report_open_export(const struct report_run *run, size_t n, struct tfs_view **view,
		       struct tfs_err *err)
{
	const struct report_request *req = run->req;
	const struct tfs_export_opts opts = {
		.style = report_export_style(req),
		.columns = &req->fields,
		.text = req->export_text,
		.inert = req->terminal,
		.raw_ts = req->raw_ts,
		.traces = run->traces,
		.n_traces = run->sources->n,
		.own = n,
		.file = run->sources->v[n].file,
		.host = run->sources->v[n].host,
	};

	return tfs_export_new(&opts, view, err);
}

/* One format has to be asked for. */
int report_check_wide(const struct report_request *req, struct tfs_err *err)
{
	if (req->export)
		return 0;
	tfs_err_say(err, -EINVAL, "--wide is a layout of --json and --csv");
	tfs_err_hint(err, "--wide --json, or --arrow");
	return -EINVAL;
}

int report_open_wide(const struct report_run *run, size_t n, struct tfs_view **view,
		     struct tfs_err *err)
{
	const struct report_request *req = run->req;
	const struct tfs_wide_opts opts = {
		.csv = req->export == REPORT_EXPORT_CSV,
		.inert = req->terminal,
		.input = { run->traces, run->paths, run->bounds, run->sources->n },
	};

	(void)n;
	return tfs_wide_new(&opts, view, err);
}

/*
 * Lines that depend on others are a view of their own: the latency format, and calls of
 * function_graph, which a recording that is still being made may hold later only.
 */
int report_open_kernel(const struct report_run *run, size_t n, struct tfs_view **view,
		       struct tfs_err *err)
{
	struct tfs_kernel_view_opts opts = { .latency = run->req->latency };
	const struct report_source *src = &run->sources->v[n];
	int rc;

	if (run->req->follow)
		return tfs_kernel_lines_new(src->trace, view);
	rc = tfs_kernel_view_has_graph(&src->input, err);
	if (rc < 0)
		return rc;
	opts.graph = rc;
	return opts.graph || opts.latency ? tfs_kernel_view_new(src->trace, &opts, view) :
					    tfs_kernel_lines_new(src->trace, view);
}

/* The kernel's lines are one layout of one recording. */
int report_check_kernel(const struct report_request *req, struct tfs_err *err)
{
	if (req->latency && req->follow)
		return tfs_err_say(
			err, -EINVAL,
			"-l with --kernel marks a line by the next one's time; leave out "
			"--follow");
	if (req->n_inputs > 1)
		return tfs_err_say(err, -EINVAL, "--kernel shows one recording at a time");
	return 0;
}

int report_check_export(const struct report_request *req, struct tfs_err *err)
{
	if (!req->export_text || !req->fields.n)
		return 0;
	tfs_err_say(err, -EINVAL, "%s=text has no meaning with --fields",
		    req->export == REPORT_EXPORT_JSON ? "--json" : "--csv");
	tfs_err_hint(err, "--fields=...,text");
	return -EINVAL;
}

int report_open_stat(const struct report_run *run, size_t n, struct tfs_view **view,
		     struct tfs_err *err)
{
	(void)err;
	return tfs_stat_new(run->traces[n], (enum tfs_stat_kind)run->view->kind, view);
}

/* Information that needs no events */
int report_show_info(const struct report_run *run, struct tfs_err *err)
{
	const char *events = run->view->kind == TFS_INFO_FORMATS ? run->req->formats : NULL;
	int rc = 0;

	for (size_t i = 0; i < run->sources->n && !rc; i++)
		rc = tfs_info_print(run->traces[i], (enum tfs_info)run->view->kind, events,
				    run->out, err);
	return rc;
}

int report_show_cpus(const struct report_run *run, struct tfs_err *err)
{
	const struct report_request *req = run->req;
	struct tfs_bounds_opts bounds = {
		.first = req->first_event,
		.last = req->last_event,
		.nsecs = req->nsecs,
		.raw_ts = req->raw_ts,
		.no_date = req->no_date,
	};
	int rc = 0;

	for (size_t i = 0; i < run->sources->n && !rc; i++) {
		bounds.unit = run->sources->v[i].merge.unit;
		rc = tfs_bounds_print(run->traces[i], &bounds, run->out, err);
	}
	return rc;
}

int report_show_check_events(const struct report_run *run, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < run->sources->n && !rc; i++)
		rc = tfs_info_check_events(run->traces[i], err);
	return rc;
}
