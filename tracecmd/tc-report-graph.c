/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-graph.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/out.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "main.h"
#include "decode/clock.h"
#include "decode/trace.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "tc-report-syscalls.h"
#include "tc-report-views.h"
#include "strace/call-abi.h"
#include "tracedat/dat-read.h"
#include "span/pairs.h"
#include "view/graph.h"

struct graph_view {
	const struct report_request *req;
	const struct report_sources *s;
	struct tfs_out *out;
};

struct names {
	struct tfs_strvec funcs, callers;
};

static void release(struct names *names)
{
	tfs_strvec_release(&names->funcs);
	tfs_strvec_release(&names->callers);
}

/* 1: nothing was shown, but @other names would show something */
static int show(const struct graph_view *v, const struct report_source *src,
		const struct names *names, struct names *other, struct tfs_err *err)
{
	const struct report_request *req = v->req;
	static const enum tfs_graph_style styles[] = {
		[REPORT_EXPORT_NONE] = TFS_GRAPH_TREE,
		[REPORT_EXPORT_JSON] = TFS_GRAPH_JSON,
		[REPORT_EXPORT_CSV] = TFS_GRAPH_CSV,
	};
	const int abi = req->graph.pairs.n ? tfs_calls_abi(src->trace) : TFS_CALLS_ABI_NONE;
	const struct tfs_graph_opts opts = {
		.funcs = &names->funcs,
		.callers = &names->callers,
		.pairs = &req->graph.pairs,
		.min_duration = req->graph.min_duration,
		.depth = req->graph.depth,
		.by_task = req->graph.by_task,
		.summary = req->graph.summary,
		.no_hardirq = req->no_hardirq,
		.no_softirq = req->no_softirq,
		.nsecs = req->nsecs,
		.counts = tfs_trace_counts(src->trace, src->merge.raw_ts, src->merge.unit),
		.style = styles[req->export],
		.file = v->s->n > 1 ? src->name : NULL,
		.inert = req->terminal,
		.no_head = src != v->s->v,
		.select = src->select,
		.syscall = report_syscall_name,
		.syscalls = &abi,
	};
	struct tfs_run_opts run = v->s->run;
	struct tfs_view *view = NULL;
	int rc = tfs_graph_new(src->trace, &opts, &view, err);

	run.inputs = &src->input;
	run.n = 1;
	/* --max-events ends the first recording only. */
	if (src != v->s->v)
		run.max_events = 0;
	if (!rc)
		rc = tfs_run(view, v->out, &run, err);
	if (!rc)
		rc = tfs_graph_missed(view, &other->funcs, &other->callers, err);
	/* Damaged parts may have had them; the damage is reported. */
	if (rc == -ENOENT && tfs_dat_damage(tfs_trace_dat(src->trace))) {
		tfs_err_clear(err);
		rc = 0;
	}
	tfs_view_free(view);
	return rc;
}

static void notice_names(const struct report_request *req, const struct tfs_strvec *typed,
			 const struct tfs_strvec *taken)
{
	for (size_t i = 0; i < taken->n && !req->quiet; i++)
		if (strcmp(typed->v[i], taken->v[i]) != 0)
			tc_msg_notice(tc_command.name, "'%s' was not called: showing '%s'",
				      typed->v[i], taken->v[i]);
}

static int show_source(const struct graph_view *v, const struct report_source *src,
		       struct tfs_err *err)
{
	const struct report_request *req = v->req;
	const struct names typed = { req->graph.funcs, req->graph.callers };
	struct names other = { TFS_STRVEC_INIT, TFS_STRVEC_INIT };
	struct names none = { TFS_STRVEC_INIT, TFS_STRVEC_INIT };
	int rc = show(v, src, &typed, &other, err);

	if (rc == 1) {
		notice_names(req, &typed.funcs, &other.funcs);
		notice_names(req, &typed.callers, &other.callers);
		rc = show(v, src, &other, &none, err);
	}
	release(&other);
	release(&none);
	return rc;
}

int report_graph_show(const struct report_run *run, struct tfs_err *err)
{
	struct report_sources *s = run->sources;
	const struct graph_view v = { run->req, s, run->out };
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++) {
		if (s->n > 1 && !run->req->export &&
		    (rc = tfs_out_printf(run->out, "%s%s:\n", i ? "\n" : "", s->v[i].name)))
			return tfs_err_set(err, rc, "cannot write the report");
		rc = show_source(&v, &s->v[i], err);
		if (rc && s->n > 1)
			tfs_err_prefix(err, "'%s'", s->v[i].name);
	}
	return rc;
}

/* Malformed pairs are found before any recording is opened. */
static int check_pairs(const struct tfs_strvec *pairs, struct tfs_err *err)
{
	struct tfs_pair_spec spec;
	char *text;
	int rc = 0;

	for (size_t i = 0; i < pairs->n && !rc; i++) {
		text = strdup(pairs->v[i]);
		rc = text ? tfs_pair_parse(text, &spec, err) :
			    tfs_err_set(err, -ENOMEM, "cannot prepare the report");
		free(text);
	}
	return rc;
}

int report_graph_check(const struct report_request *req, struct tfs_err *err)
{
	const char *rows = req->export == REPORT_EXPORT_JSON ? "--json" : "--csv";

	if (req->export && (req->graph.summary || req->graph.by_task))
		return tfs_err_say(err, -EINVAL, "%s has no meaning with %s",
				   req->graph.summary ? "--summary" : "--by-task", rows);
	if (req->graph.by_task && req->graph.summary)
		return tfs_err_say(err, -EINVAL, "--by-task has no meaning with --summary");
	return check_pairs(&req->graph.pairs, err);
}
