/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-stat-syscalls.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/err.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "cli/clause.h"
#include "cli/command.h"
#include "cli/msg.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "record/clocksource.h"
#include "strace/call-abi.h"
#include "strace/summary.h"
#include "tc-stat-opts.h"
#include "tc-stat-print.h"
#include "trace-command.h"
#include "trace-live.h"
#include "trace-opts.h"
#include "trace-target.h"
#include "tracedat/merge.h"

#define PROGRAM "tc-stat"
#define MIB (UINT64_C(1024) * 1024)
#define NS_PER_MS UINT64_C(1000000)

/* @trace is borrowed by @live, and @live by @view */
struct calls {
	const struct stat_request *req;
	struct trace_request trace;
	struct trace_live *live;
	struct tfs_view *view;
};

/* Entries are needed for times alone, and are half of the events. */
static int make_request(struct calls *c, struct tfs_err *err)
{
	struct trace_request *trace = &c->trace;
	int rc = 0;

	*trace = (struct trace_request){ .command = c->req->command };
	trace_init(trace);
	trace->buffers[0].buffer_bytes = (c->req->times ? 8 : 4) * MIB;
	trace->buffers[0].flags |= TRACE_BUFFER_LARGE_SUBBUFS;
	trace->buffers[0].clock = tfs_clocksource_trace_clock();
	if (c->req->times)
		rc = tc_clauses_event(&trace->clauses, "raw_syscalls:sys_enter", err);
	if (!rc)
		rc = tc_clauses_event(&trace->clauses, "raw_syscalls:sys_exit", err);
	if (!rc)
		rc = trace_target_set(&c->req->target, trace, err);
	return rc ? rc : trace_check(trace, err);
}

static int tick(void *context, struct tfs_err *err)
{
	const struct calls *c = context;
	const uint64_t begun = c->live ? trace_live_started_ns(c->live) : 0;

	(void)err;
	return c->req->timeout_ms && begun &&
	       trace_live_now_ns() - begun >= c->req->timeout_ms * NS_PER_MS;
}

static int new_view(struct calls *c, struct tfs_err *err)
{
	const pid_t command = trace_live_command(c->live)->child.pid;
	struct tfs_trace *trace = trace_live_trace(c->live);
	const struct tfs_strace_summary_opts opts = {
		.trace = trace,
		.style = c->req->json ? TFS_EXPORT_JSON : TFS_EXPORT_TAB,
		.inert = !c->req->output && isatty(stat_rows_fd(c->req)),
		.times = c->req->times,
		.title = c->req->times && !c->req->quiet,
		.command = command > 0 ? command : 0,
		.abi = tfs_calls_abi(trace),
	};
	int rc = tfs_strace_summary_new(&opts, &c->view, err);

	return rc && !err->code ? tfs_err_set(err, rc, "cannot count system calls") : rc;
}

/* Not silenced by -q: with losses the counts are too small. Rows of JSON say it by themselves. */
static void report_losses(const struct calls *c, const struct tfs_run_losses *losses)
{
	if (c->req->json && !c->req->output && stat_rows_fd(c->req) == STDERR_FILENO)
		return;
	if (losses->counted)
		tc_msg_notice(PROGRAM,
			      "%" PRIu64 " events%s were lost, and as many calls may be missing: "
			      "name fewer tasks, or CPUs with -C",
			      losses->counted, losses->uncounted ? " and more" : "");
	else if (losses->any)
		tc_msg_notice(PROGRAM, "events were lost, the kernel did not count how many: "
				       "calls are missing");
}

static int write_losses(const struct calls *c, struct tfs_out *out,
			const struct tfs_run_losses *losses)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	if (c->req->json && (losses->any || losses->counted))
		rc = stat_print_losses(losses->counted, &sb);
	if (!rc)
		rc = tfs_out_write(out, sb.s, sb.len);
	tfs_strbuf_release(&sb);
	return rc;
}

static int count(struct calls *c, struct tfs_out *out, struct tfs_err *err)
{
	struct tfs_event_source *source = trace_live_source(c->live);
	struct tfs_run_losses losses = { 0 };
	const struct tfs_merge_opts merge = { .source = source };
	const struct tfs_run_input input = {
		.trace = trace_live_trace(c->live),
		.merge = &merge,
		.source = source,
	};
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1, .losses = &losses };
	int rc = new_view(c, err);

	if (!rc)
		rc = trace_live_start(c->live, err);
	if (!rc)
		rc = tfs_run(c->view, out, &run, err);
	if (!rc) {
		rc = write_losses(c, out, &losses);
		if (!rc)
			rc = tfs_out_flush(out);
		if (rc)
			tfs_err_set(err, rc, "cannot write the counts");
	}
	report_losses(c, &losses);
	return rc;
}

int stat_syscalls(const struct stat_request *req, struct tfs_out *out, int *status,
		  struct tfs_err *err)
{
	struct calls c = { .req = req };
	const struct trace_live_opts opts = {
		.program = PROGRAM,
		.req = &c.trace,
		.user = req->user,
		.flags = TRACE_LIVE_FOLLOW | (req->quiet ? TRACE_LIVE_QUIET : 0u),
		.tick = tick,
		.context = &c,
	};
	int rc = make_request(&c, err);

	*status = rc ? TC_EXIT_USAGE : TC_EXIT_FAILED;
	if (!rc)
		rc = trace_live_open(&opts, &c.live, status, err);
	if (!rc) {
		rc = count(&c, out, err);
		tfs_view_free(c.view);
		*status = trace_live_end(c.live, rc, err);
	}
	trace_release(&c.trace);
	return rc;
}
