/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/num.h"
#include "base/out.h"
#include "base/strvec.h"
#include "cli/command.h"
#include "cli/msg.h"
#include "decode/clock.h"
#include "decode/trace.h"
#include "filter/select.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "strace/call-abi.h"
#include "strace/expr.h"
#include "tc-trace-opts.h"
#include "tc-trace-output.h"
#include "tc-trace-proc.h"
#include "tc-trace-view.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-tasks.h"

#define PROGRAM "tc-trace"

/* Objects in the order in which they are made */
struct shown_file {
	struct tfs_trace *trace;
	struct tfs_expr expr;
	struct tfs_select *select;
	struct strace_proc *proc;
	struct tfs_view *view;
	struct strace_output output;
};

static int open_trace(const struct trace_strace *req, struct shown_file *f, struct tfs_err *err)
{
	static const struct tfs_trace_opts opts = { .no_plugins = true };
	int rc = tfs_trace_open(req->input, &opts, &f->trace, err);

	if (!rc && strace_proc_file(tfs_trace_dat(f->trace), &f->proc))
		rc = tfs_err_set(err, -ENOMEM, "cannot show system calls");
	if (rc == -ENOENT)
		tfs_err_hint(err,
			     "'tc-trace --record=%s COMMAND' makes a recording that can be shown",
			     req->input);
	return rc;
}

static enum sys_abi abi_of(int abi)
{
	return abi == TFS_CALLS_ABI_NONE ? SYS_ABI_NONE : (enum sys_abi)abi;
}

/* Names are checked again, now that it is known which calls there are. */
static int read_exprs(const struct trace_strace *req, int abi, struct shown_file *f,
		      struct tfs_err *err)
{
	int rc = tfs_expr_init(&f->expr, abi_of(abi));

	return rc ? tfs_err_set(err, rc, "cannot read the options") :
		    strace_read_exprs(req, &f->expr, err);
}

/* -p means all threads of a process, --tid single ones. */
static int list_tasks(const struct trace_strace *req, const struct shown_file *f,
		      struct tfs_strvec *tids, struct tfs_err *err)
{
	const struct tfs_strvec *pids = &req->target.pids;
	uint64_t pid;
	int rc = 0;

	for (size_t i = 0; !rc && !pids->n && i < req->target.tids.n; i++)
		rc = tfs_strvec_push(tids, req->target.tids.v[i]);
	for (size_t i = 0; !rc && i < pids->n; i++) {
		rc = tfs_strvec_push(tids, pids->v[i]);
		if (!rc && !tfs_parse_u64(pids->v[i], 1, INT_MAX, &pid, NULL))
			rc = strace_proc_threads(f->proc, (int)pid, tids);
	}
	return rc ? tfs_err_set(err, rc, "cannot select the tasks") : 0;
}

static int new_select(const struct trace_strace *req, struct shown_file *f, struct tfs_err *err)
{
	static const struct tfs_strvec none;
	struct tfs_strvec tids = TFS_STRVEC_INIT;
	const struct tfs_select_opts opts = {
		.events = &none,
		.filters = &none,
		.pids = &tids,
		.comms = &req->target.comms,
		.children = !req->target.no_children && req->target.pids.n,
		.cpus = NULL,
	};

	int rc = list_tasks(req, f, &tids, err);

	if (!rc)
		rc = tfs_select_new(f->trace, &opts, &f->select, err);
	tfs_strvec_release(&tids);
	return rc;
}

/* Nothing is known of waiting without them. */
static int check_switches(struct shown_file *f, struct tfs_err *err)
{
	struct tfs_strvec switches = TFS_STRVEC_INIT;
	const struct tfs_select_opts opts = { .events = &switches };
	struct tfs_select *events = NULL;
	int rc = tfs_strvec_push(&switches, "sched:sched_switch");

	rc = rc ? tfs_err_set(err, rc, "cannot look for events") :
		  tfs_select_new(f->trace, &opts, &events, err);
	tfs_select_free(events);
	tfs_strvec_release(&switches);
	return rc;
}

/* -e SYSTEM:EVENT: each must be described, though it need not have occurred. */
static int check_events(const struct trace_strace *req, struct shown_file *f, struct tfs_err *err)
{
	const struct tfs_select_opts opts = { .events = &f->expr.events };
	struct tfs_select *events = NULL;
	const char *option = "-e";
	int rc = f->expr.events.n ? tfs_select_new(f->trace, &opts, &events, err) : 0;

	tfs_select_free(events);
	if (!rc && req->why) {
		option = "--why";
		rc = check_switches(f, err);
	}
	if (rc != -ENOENT)
		return rc;
	tfs_err_prefix(err, "option %s: '%s'", option, req->input);
	tfs_err_hint(err, "%s%s'tc-report --list-events %s' prints those that it has", err->hint,
		     *err->hint ? "; " : "", req->input);
	return rc;
}

/* Added to time stamps it gives the time of day, where the recorder read both clocks */
static int64_t wall_offset(struct tfs_trace *trace)
{
	struct tfs_dat_tasks *tasks = NULL;
	const struct tfs_dat_clock *clocks;
	int64_t offset = 0;
	size_t n = 0;

	if (!tfs_trace_is_ns(trace) || tfs_dat_tasks_new(tfs_trace_dat(trace), &tasks))
		return 0;
	clocks = tfs_dat_tasks_clocks(tasks, &n);
	if (n)
		offset = (int64_t)(clocks[0].realtime - clocks[0].trace);
	tfs_dat_tasks_free(tasks);
	return offset;
}

static int show(const struct trace_strace *req, struct shown_file *f, struct tfs_err *err)
{
	const struct tfs_run_input input = { .trace = f->trace, .select = f->select };
	struct tfs_run_losses losses = { 0 };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1, .losses = &losses };
	int rc = tfs_run(f->view, f->output.out, &run, err);

	/* No file of a thread has that line. */
	if (req->separate && losses.missing)
		tc_msg_notice(PROGRAM, "%" PRIu64 " CPU%s last events; how many is not known",
			      losses.missing, losses.missing == 1 ? " lacks its" : "s lack their");

	if (!rc)
		rc = tfs_trace_check_memory(f->trace, err);
	rc = strace_output_close(req, &f->output, rc, err);
	if (!rc && tfs_dat_damage(tfs_trace_dat(f->trace))) {
		*err = *tfs_dat_damage(tfs_trace_dat(f->trace));
		rc = err->code;
	}
	return rc;
}

static int new_view(const struct trace_strace *req, int abi, struct shown_file *f,
		    struct tfs_err *err)
{
	const struct strace_view_opts opts = {
		.req = req,
		.expr = &f->expr,
		.trace = f->trace,
		.abi = abi,
		.proc = f->proc,
		.wall_offset = wall_offset(f->trace),
		.terminal = f->output.terminal,
	};

	int rc = strace_view_new(&opts, &f->view, err);
	for (int tid = 0; !rc && (tid = strace_proc_next(f->proc, tid));)
		if (strace_view_read_fds(f->view, tid))
			rc = tfs_err_set(err, -ENOMEM, "cannot show the files of processes");
	return rc;
}

int strace_file_show(const struct trace_strace *req, struct tfs_err *err)
{
	struct shown_file f = { .output = STRACE_OUTPUT_INIT };
	int status = TC_EXIT_FAILED, abi, rc = open_trace(req, &f, err);

	if (!rc) {
		abi = tfs_calls_abi(f.trace);
		rc = read_exprs(req, abi, &f, err);
		if (!rc)
			rc = check_events(req, &f, err);
		if (!rc)
			rc = new_select(req, &f, err);
		if (rc && rc != -ENOMEM)
			status = TC_EXIT_USAGE;
	}
	if (!rc)
		rc = strace_output_open(req, STDOUT_FILENO, &f.output, err);
	if (!rc)
		rc = new_view(req, abi, &f, err);
	if (!rc)
		rc = show(req, &f, err);
	else
		strace_output_close(req, &f.output, rc, err);
	tfs_view_free(f.view);
	strace_proc_free(f.proc);
	tfs_select_free(f.select);
	tfs_expr_release(&f.expr);
	tfs_trace_free(f.trace);
	return rc ? status : TC_EXIT_OK;
}
