/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-sql.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/out.h"
#include "base/pid-ns.h"
#include "base/strbuf-core.h"
#include "cli/clause.h"
#include "cli/command.h"
#include "cli/msg.h"
#include "hist/kernel-hist.h"
#include "hist/query-kernel.h"
#include "hist/query-view.h"
#include "hist/query.h"
#include "hist/rows.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "tc-report-syscalls.h"
#include "tc-trace-opts.h"
#include "tc-trace-output.h"
#include "trace-command.h"
#include "trace-live.h"
#include "trace-opts.h"
#include "trace-target.h"
#include "tracedat/merge.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/root.h"

#define PROGRAM "tc-trace"
#define NS_PER_SEC UINT64_C(1000000000)
/* For histograms nothing is recorded. */
#define HIST_BYTES (8 * UINT64_C(1024))
/* To the upper left corner, and nothing on the screen */
#define CLEAR "\033[H\033[2J"

/*
 * Objects in the order in which they are made
 * @kernel: the kernel evaluates the query
 * @shown_ns: when the table was printed, on a terminal
 */
struct sql_run {
	struct trace_strace *req;
	struct tfs_root *root;
	int abi;
	struct tfs_query query;
	bool kernel;
	struct tfs_query_hists hists;
	struct strace_output output;
	struct trace_live *live;
	struct tfs_view *view;
	struct tfs_hist_rows rows;
	uint64_t shown_ns;
};

/* Whether events that pass different filters, and are the same, would have to be read */
static int check_self_join(const struct sql_run *s, struct tfs_err *err)
{
	const struct tfs_sql *sql = &s->query.sql;

	if (!sql->join || strcmp(s->query.event[0], s->query.event[1]) != 0 ||
	    !strcmp(sql->event[0].filter.s, sql->event[1].filter.s))
		return 0;
	tfs_err_say(err, -EOPNOTSUPP,
		    "an event is joined with itself under different conditions: that needs "
		    "histograms of the kernel (CONFIG_HIST_TRIGGERS)");
	tfs_err_input(err, sql->text, (int)sql->event[1].at);
	return -EOPNOTSUPP;
}

/* Histograms have no filters of their own for names of tasks. */
static bool can_kernel(const struct sql_run *s)
{
	return s->query.fields.kernel && !s->req->target.comms.n &&
	       (!s->query.sql.join || tfs_file_exists(s->root, "synthetic_events"));
}

static int open_query(struct sql_run *s, struct tfs_err *err)
{
	char name[64], tag[TFS_PID_TAG_SIZE];
	int rc = tfs_root_open(NULL, &s->root, err);

	s->abi = report_syscall_here();
	s->query.fields.syscall = report_syscall_own_name;
	s->query.fields.syscalls = &s->abi;
	if (!rc)
		rc = tfs_query_open(s->req->sql, s->root, &s->query, err);
	if (rc)
		return rc;
	s->kernel = can_kernel(s);
	tfs_pid_tag(tag, '_');
	snprintf(name, sizeof(name), "tc_sql_%s", tag);
	return s->kernel ? tfs_query_compose(&s->query, s->root, name, &s->hists, err) :
			   check_self_join(s, err);
}

static int add_hists(struct sql_run *s, struct tfs_err *err)
{
	struct trace_request *trace = &s->req->trace;
	int rc = 0;

	trace->buffers[0].buffer_bytes = HIST_BYTES;
	trace->synthetic = s->hists.synthetic;
	tc_clauses_exclude(&trace->clauses);
	for (size_t i = 0; i < s->hists.n && !rc; i++) {
		rc = tc_clauses_event(&trace->clauses, s->hists.v[i].event, err);
		if (!rc)
			rc = tc_clauses_trigger(&trace->clauses, s->hists.v[i].text, err);
	}
	return rc;
}

static int add_events(struct sql_run *s, struct tfs_err *err)
{
	struct trace_request *trace = &s->req->trace;
	const struct tfs_query *q = &s->query;
	const bool same = q->sql.join && !strcmp(q->event[0], q->event[1]);
	const unsigned int n = same ? 1 : q->sql.n_events;
	int rc = 0;

	trace->buffers[0].buffer_bytes = s->req->buffer_bytes;
	/* That of histograms */
	trace->buffers[0].clock = "global";
	for (unsigned int i = 0; i < n && !rc; i++) {
		rc = tc_clauses_event(&trace->clauses, q->event[i], err);
		if (!rc && q->sql.event[i].filter.len)
			rc = tc_clauses_filter(&trace->clauses, q->sql.event[i].filter.s, err);
	}
	return rc;
}

static int make_request(struct sql_run *s, struct tfs_err *err)
{
	int rc = s->kernel ? add_hists(s, err) : add_events(s, err);

	s->req->trace.from_exec = true;

	if (!rc)
		rc = trace_target_set(&s->req->target, &s->req->trace, err);
	return rc ? rc : trace_check(&s->req->trace, err);
}

/* The histogram that is the table; @event is borrowed by it */
static struct tfs_hists table_of(const struct sql_run *s, struct tfs_hist_event *event)
{
	const struct tfs_query_trigger *last = &s->hists.v[s->hists.n - 1];

	*event = (struct tfs_hist_event){ .name = last->event, .trigger = last->text };
	return (struct tfs_hists){
		.fields = &s->query.fields,
		.events = event,
		.n = 1,
		.root = trace_live_root(s->live),
		.inst = &s->req->trace.buffers[0].inst,
	};
}

static int read_table(struct sql_run *s, uint64_t *dropped, struct tfs_err *err)
{
	struct tfs_hist_event event;
	const struct tfs_hists hists = table_of(s, &event);

	return tfs_hists_read(&hists, &s->rows, dropped, err);
}

/* It has counted since it was made. */
static int begin_table(const struct sql_run *s, struct tfs_err *err)
{
	struct tfs_hist_event event;
	const struct tfs_hists hists = table_of(s, &event);

	return s->req->trace.only_command ?
		       tfs_hists_from_exec(&hists, trace_live_command(s->live)->child.pid, err) :
		       tfs_hists_command(&hists, "clear", err);
}

static int print_table(struct sql_run *s, bool again, struct tfs_err *err)
{
	const enum tfs_export_style style = s->req->json ? TFS_EXPORT_JSON : TFS_EXPORT_TAB;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	uint64_t dropped = 0;
	bool more = false;
	int rc = s->kernel ? read_table(s, &dropped, err) : 0;

	if (rc)
		return rc;
	if (s->view)
		dropped = tfs_query_view_lost(s->view, &more);
	if (s->output.terminal)
		rc = tfs_strbuf_adds(&sb, CLEAR);
	if (!rc)
		rc = tfs_query_print(&s->query, &s->rows, dropped, style, s->output.terminal, &sb);
	if (!rc)
		rc = tfs_out_write(s->output.out, sb.s, sb.len);
	if (!rc && again)
		rc = tfs_out_flush(s->output.out);
	tfs_strbuf_release(&sb);
	s->shown_ns = trace_live_now_ns();
	return rc ? tfs_err_set(err, rc, "cannot write the table") : 0;
}

static bool is_due(const struct sql_run *s)
{
	return s->output.terminal && trace_live_now_ns() - s->shown_ns >= NS_PER_SEC;
}

static int tick(void *context, struct tfs_err *err)
{
	struct sql_run *s = context;

	return s->view && trace_live_started_ns(s->live) && is_due(s) ? print_table(s, true, err) :
									0;
}

static int wait_for_end(struct sql_run *s, struct tfs_err *err)
{
	int rc = 0;

	while (!rc) {
		rc = trace_live_wait(s->live, s->output.terminal ? (int64_t)NS_PER_SEC : -1, err);
		if (!rc)
			rc = print_table(s, true, err);
	}
	return rc < 0 ? rc : 0;
}

static int read_events(struct sql_run *s, struct tfs_err *err)
{
	struct tfs_event_source *source = trace_live_source(s->live);
	const struct tfs_merge_opts merge = { .source = source };
	const struct tfs_run_input input = {
		.trace = trace_live_trace(s->live),
		.merge = &merge,
		.source = source,
	};
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };

	return tfs_run(s->view, s->output.out, &run, err);
}

static int make_view(struct sql_run *s, struct tfs_err *err)
{
	const struct tfs_query_view_opts opts = {
		.query = &s->query,
		.trace = trace_live_trace(s->live),
		.rows = &s->rows,
	};
	int rc = tfs_query_view_new(&opts, &s->view, err);

	return rc && !err->code ? tfs_err_set(err, rc, "cannot evaluate the query") : rc;
}

static int run(struct sql_run *s, int *status, struct tfs_err *err)
{
	const bool quiet = s->req->quiets;
	const struct trace_live_opts opts = {
		.program = PROGRAM,
		.req = &s->req->trace,
		.user = s->req->user,
		.flags = (quiet ? TRACE_LIVE_QUIET : 0u) | (s->kernel ? TRACE_LIVE_NO_SOURCE : 0u),
		.tick = tick,
		.context = s,
	};
	int rc = trace_live_open(&opts, &s->live, status, err);

	if (rc)
		return rc;
	if (!quiet)
		tc_msg_notice(PROGRAM, s->kernel ? "the kernel evaluates the query, in histograms" :
						   "events are read to evaluate the query");
	rc = s->kernel ? begin_table(s, err) : make_view(s, err);
	if (!rc)
		rc = trace_live_start(s->live, err);
	s->shown_ns = trace_live_now_ns();
	if (!rc)
		rc = s->kernel ? wait_for_end(s, err) : read_events(s, err);
	if (!rc)
		rc = print_table(s, false, err);
	rc = strace_output_close(s->req, &s->output, rc, err);
	tfs_view_free(s->view);
	*status = trace_live_end(s->live, rc, err);
	return rc;
}

int strace_sql_show(struct trace_strace *req, struct tfs_err *err)
{
	struct sql_run s = { .req = req, .output = STRACE_OUTPUT_INIT };
	int status = TC_EXIT_FAILED;
	int rc = open_query(&s, err);

	if (rc == -EINVAL || rc == -ENOENT || rc == -EOPNOTSUPP)
		status = TC_EXIT_USAGE;
	if (!rc) {
		rc = make_request(&s, err);
		status = rc ? TC_EXIT_USAGE : TC_EXIT_FAILED;
	}
	if (!rc)
		rc = strace_output_open(req, req->trace.command ? STDERR_FILENO : STDOUT_FILENO,
					&s.output, err);
	if (!rc)
		rc = run(&s, &status, err);
	strace_output_close(req, &s.output, rc, err);
	tfs_hist_rows_release(&s.rows);
	tfs_query_hists_release(&s.hists);
	tfs_query_release(&s.query);
	tfs_root_free(s.root);
	return status;
}
