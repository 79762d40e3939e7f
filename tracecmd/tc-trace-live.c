/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-live.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/num.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "cli/clause.h"
#include "cli/command.h"
#include "cli/msg.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "record/clocksource.h"
#include "record/names.h"
#include "record/outer-pid.h"
#include "strace/calls.h"
#include "record/session.h"
#include "strace/expr.h"
#include "tc-trace-graph.h"
#include "tc-trace-opts.h"
#include "tc-trace-output.h"
#include "tc-trace-proc.h"
#include "tc-trace-record.h"
#include "tc-trace-strings.h"
#include "tc-trace-view.h"
#include "trace-command.h"
#include "trace-keep.h"
#include "trace-live.h"
#include "tracedat/dat-tasks.h"
#include "tracedat/event-source.h"
#include "tracedat/merge.h"
#include "tracefs/cpu-stats.h"
#include "tracefs/file.h"
#include "tracefs/root.h"

#define PROGRAM "tc-trace"
#define NS_PER_SEC INT64_C(1000000000)
/* Beyond this many comparisons it costs less to read a call than to reject it. */
#define FILTER_MAX 32
/*
 * Names of tasks are read again after so many reads of the ring buffers: it takes a millisecond,
 * and those that change are known by task:task_rename.
 */
#define NAMES_UPDATES 100

/*
 * Objects in the order in which they are made; @filter is borrowed by @req; @record and @names may
 * be NULL
 */
struct shown_live {
	struct trace_strace *req;
	struct tfs_expr expr;
	struct tfs_strbuf filter;
	struct strace_strings strings;
	struct strace_output output;
	struct trace_live *live;
	struct trace_keep *record;
	struct tfs_names *names;
	struct strace_proc *proc;
	struct tfs_view *view;
};

/* Calls that lines of others depend on: how a thread ended, what a new one shares */
static int read_also(struct tfs_call_set *also)
{
	static const char *const names[] = { "clone", "clone3",     "execve", "execveat",
					     "exit",  "exit_group", "fork",   "vfork" };
	int rc = tfs_call_set_init(also, false);

	for (size_t i = 0; !rc && i < ARRAY_SIZE(names); i++)
		tfs_call_set_add(also, names[i]);
	return rc;
}

static int make_filter(struct shown_live *l)
{
	struct tfs_call_set also;
	int rc = read_also(&also);

	/* Descriptors are followed by the calls that open and close them. */
	if (!rc && !l->expr.decode && !tfs_expr_has_targets(&l->expr))
		rc = tfs_expr_kernel_filter(&l->expr, &also, l->expr.abi, FILTER_MAX, &l->filter);
	tfs_call_set_release(&also);
	return rc;
}

static int add_event(struct shown_live *l, const char *name, const char *filter,
		     struct tfs_err *err)
{
	struct tc_clauses *c = &l->req->trace.clauses;
	int rc = tc_clauses_event(c, name, err);

	return rc || !*filter ? rc : tc_clauses_filter(c, filter, err);
}

static bool has_event(const struct tfs_root *root, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "events/%s", name);
	path[strcspn(path, ":")] = '/';
	return tfs_file_exists(root, path);
}

/* --why: those that the kernel has */
static int add_why_events(struct shown_live *l, const struct tfs_root *root, struct tfs_err *err)
{
	static const char *const names[] = {
		"sched:sched_switch",         "sched:sched_waking",
		"block:block_rq_issue",       "block:block_rq_complete",
		"exceptions:page_fault_user", "exceptions:page_fault_kernel",
	};
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_SIZE(names); i++)
		if (has_event(root, names[i]))
			rc = add_event(l, names[i], "", err);
	return rc;
}

static int choose_events(struct shown_live *l, struct tfs_err *err)
{
	static const char *const tasks[] = { "sched:sched_process_fork", "sched:sched_process_exec",
					     "sched:sched_process_exit", "task:task_newtask",
					     "task:task_rename",         "signal:signal_deliver" };
	int rc;

	if (l->req->graph.n)
		return strace_graph_request(l->req) ?
			       tfs_err_set(err, -ENOMEM, "cannot read the options") :
			       0;
	rc = make_filter(l);
	if (rc)
		return tfs_err_set(err, rc, "cannot choose the events");
	rc = add_event(l, "raw_syscalls:sys_enter", l->filter.s, err);
	if (!rc)
		rc = add_event(l, "raw_syscalls:sys_exit", l->filter.s, err);
	for (size_t i = 0; !rc && i < ARRAY_SIZE(tasks); i++)
		rc = add_event(l, tasks[i], "", err);
	for (size_t i = 0; !rc && i < l->expr.events.n; i++)
		rc = add_event(l, l->expr.events.v[i], "", err);
	return rc;
}

static int read_exprs(struct shown_live *l, struct tfs_err *err)
{
	struct utsname name;
	int rc = uname(&name) ? -errno : 0;

	if (!rc)
		rc = tfs_expr_init(&l->expr, sys_abi_parse(name.machine));
	return rc ? tfs_err_set(err, rc, "cannot read the options") :
		    strace_read_exprs(l->req, &l->expr, err);
}

static bool only_counts(const struct shown_live *l)
{
	return l->req->summary_only && !l->req->record && !tfs_expr_has_targets(&l->expr);
}

static int check_request(struct shown_live *l, struct tfs_err *err)
{
	struct trace_request *req = &l->req->trace;
	int rc = read_exprs(l, err);

	if (rc)
		return rc;
	rc = choose_events(l, err);
	if (rc)
		return rc;
	req->buffers[0].buffer_bytes = l->req->buffer_bytes;
	/* Lines and recordings have a clock that the others of the machine can be compared with. */
	req->buffers[0].clock = only_counts(l) ? tfs_clocksource_trace_clock() : "mono";
	if (only_counts(l))
		req->buffers[0].flags |= TRACE_BUFFER_LARGE_SUBBUFS;
	if (l->req->stacks && tfs_strvec_push(&req->buffers[0].options, "userstacktrace"))
		return tfs_err_set(err, -ENOMEM, "cannot read the options");
	if (l->req->immediate)
		req->buffers[0].flags |= TRACE_BUFFER_AT_ONCE;
	rc = trace_target_set(&l->req->target, req, err);
	return rc ? rc : trace_check(req, err);
}

static int set_environment(const struct tfs_strvec *env, struct tfs_err *err)
{
	for (size_t i = 0; i < env->n; i++) {
		char *value = strchr(env->v[i], '=');
		int rc;

		if (value)
			*value++ = '\0';
		rc = value ? setenv(env->v[i], value, 1) : unsetenv(env->v[i]);
		if (rc)
			return tfs_err_set(err, -errno, "option -E: '%s'", env->v[i]);
	}
	return 0;
}

static int64_t clock_offset(void)
{
	struct timespec wall, mono;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &wall);
	return (wall.tv_sec - mono.tv_sec) * NS_PER_SEC + wall.tv_nsec - mono.tv_nsec;
}

static int tick(void *context, struct tfs_err *err)
{
	struct shown_live *l = context;

	int rc;

	if (!l->view)
		return 0;
	rc = l->record ? trace_keep_tick(l->record, err) : 0;
	if (rc)
		return rc;
	if (strace_view_is_full(l->view))
		return 1;
	return strace_view_flush(l->view, l->output.out, err);
}

/* Before there is a file, nothing was traced. */
static int page(void *context, unsigned int cpu, const void *data, struct tfs_err *err)
{
	struct shown_live *l = context;

	return l->record ? trace_keep_page(l->record, cpu, data, err) : 0;
}

/* -P shows little without paths, and may then be silent: that is said with -q, too. */
static void say_no_paths(const struct shown_live *l, const struct tfs_root *root)
{
	const bool chooses = l->expr.paths.n;
	const char *hint = tfs_file_exists(root, "uprobe_events") ?
				   "; --strings=uprobe would record them" :
				   "";
	const char *why = l->strings.why.s;

	if (chooses && l->req->strings == STRACE_STRINGS_NONE)
		tc_msg_notice(PROGRAM, "-P finds the files of descriptors only: with "
				       "--strings=none no paths are known");
	if (!*why || (l->req->quiets && !chooses))
		return;
	if (l->strings.memory && tfs_proc_shows_events())
		tc_msg_notice(PROGRAM,
			      "no event of this kernel has paths (%s): they are read from the "
			      "memory of the programs a moment later, and have a ~ in front, since "
			      "they may have changed%s",
			      why, hint);
	else
		tc_msg_notice(
			PROGRAM,
			"no event of this kernel has paths (%s): they are shown as addresses%s%s",
			why, chooses ? ", and -P finds the files of descriptors only" : "", hint);
}

/* The table of -c has no arguments. */
static int define(void *context, const struct tfs_root *root, struct tfs_plan *plan,
		  struct tfs_err *err)
{
	struct shown_live *l = context;
	struct trace_request *req = &l->req->trace;
	const struct strace_strings_opts opts = {
		.from = (enum strace_strings_from)l->req->strings,
		.keeps = l->req->record != NULL,
		.expr = &l->expr,
		.root = root,
		.plan = plan,
		.clauses = &req->clauses,
	};
	int rc = l->req->why ? add_why_events(l, root, err) : 0;

	if (!rc && !l->req->graph.n && !only_counts(l))
		rc = strace_strings_define(&l->strings, &opts, err);
	if (rc)
		return rc;
	if (l->strings.kernel)
		req->buffers[0].text_bytes = STRACE_STRINGS_MAX;
	say_no_paths(l, root);
	if (l->req->whole_structs && l->strings.said.len)
		tc_msg_notice(PROGRAM, "paths and strings come from %s", l->strings.said.s);
	else if (l->req->whole_structs)
		tc_msg_notice(PROGRAM, "paths and strings are shown as addresses");
	return 0;
}

static int open_live(struct shown_live *l, int *status, struct tfs_err *err)
{
	const struct trace_live_opts opts = {
		.program = PROGRAM,
		.req = &l->req->trace,
		.user = l->req->user,
		.flags = TRACE_LIVE_UNTIL_LAST | (l->req->quiets ? TRACE_LIVE_QUIET : 0u) |
			 (l->req->immediate ? TRACE_LIVE_AT_ONCE : 0u) |
			 (only_counts(l) ? TRACE_LIVE_FOLLOW : 0u),
		.define = define,
		.tick = tick,
		.page = l->req->record ? page : NULL,
		.context = l,
	};

	return trace_live_open(&opts, &l->live, status, err);
}

/* As it is computed from the file */
static int64_t wall_offset(const struct shown_live *l)
{
	const struct tfs_dat_clock *clock =
		l->record ? tfs_session_started(trace_keep_session(l->record)) : NULL;

	return clock && clock->trace ? (int64_t)(clock->realtime - clock->trace) : clock_offset();
}

static int new_proc(struct shown_live *l, struct tfs_err *err)
{
	const struct tfs_strvec *threads = &l->req->trace.buffers[0].threads;
	pid_t command = trace_live_command(l->live)->child.pid;
	const struct tfs_strvec *pids = &l->req->target.pids;
	uint64_t pid;
	int rc;

	/* By the number that events have: it was added last. */
	if (command > 0 && threads->n)
		command = (pid_t)strtol(threads->v[threads->n - 1], NULL, 10);
	rc = strace_proc_live(command > 0 ? command : 0, l->record != NULL, l->strings.memory,
			      &l->proc);

	for (size_t i = 0; !rc && i < pids->n; i++)
		if (!tfs_parse_u64(pids->v[i], 1, INT_MAX, &pid, NULL))
			rc = strace_proc_learn(l->proc, (int)pid);
	return rc ? tfs_err_set(err, rc, "cannot show system calls") : 0;
}

/* -k without --record */
static int new_names(struct shown_live *l, struct tfs_err *err)
{
	const struct tfs_instance *inst = &l->req->trace.buffers[0].inst;
	struct tfs_names_opts opts = {
		.root = trace_live_root(l->live),
		.insts = &inst,
		.n_insts = 1,
		.clock = l->req->trace.buffers[0].clock,
		.events = trace_live_events(l->live),
	};
	unsigned int *cpus = NULL;
	size_t n;
	int rc;

	if (!l->req->stacks || l->record)
		return 0;
	rc = tfs_instance_cpus(opts.root, inst, &cpus, &n, err);
	if (rc)
		return rc;
	opts.cpu = n ? cpus[0] : 0;
	free(cpus);
	rc = tfs_names_new(&opts, &l->names);
	if (rc)
		return tfs_err_set(err, rc, "cannot look up the functions of programs");
	tfs_names_start(l->names);
	return 0;
}

static int new_view(struct shown_live *l, struct tfs_err *err)
{
	struct tfs_trace *trace = trace_live_trace(l->live);
	const struct strace_view_opts opts = {
		.req = l->req,
		.expr = &l->expr,
		.trace = trace,
		.abi = tfs_calls_abi(trace),
		.proc = l->proc,
		.names = l->record ? tfs_session_names(trace_keep_session(l->record)) : l->names,
		.wall_offset = wall_offset(l),
		.memory = l->strings.memory,
		.terminal = l->output.terminal,
	};

	return l->req->graph.n ? strace_graph_view(l->req, trace, &l->view, err) :
				 strace_view_new(&opts, &l->view, err);
}

/* COMMAND's were read before it runs; these may change their descriptors, which is traced. */
static int read_fds(struct shown_live *l, struct tfs_err *err)
{
	const struct tfs_strvec *pids = &l->req->target.pids;
	uint64_t pid;
	int rc = 0;

	for (size_t i = 0; !rc && i < pids->n; i++)
		if (!tfs_parse_u64(pids->v[i], 1, INT_MAX, &pid, NULL))
			rc = strace_view_read_fds(l->view, (pid_t)pid);
	return rc ? tfs_err_set(err, rc, "cannot read the files of the processes") : 0;
}

static int show(struct shown_live *l, struct tfs_err *err)
{
	struct tfs_event_source *source = trace_live_source(l->live);
	struct tfs_run_losses losses = { 0 };
	const struct tfs_merge_opts merge = { .source = source };
	const struct tfs_run_input input = {
		.trace = trace_live_trace(l->live),
		.merge = &merge,
		.source = source,
	};
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1, .losses = &losses };
	const pid_t command = trace_live_command(l->live)->child.pid;
	int rc = command > 0 ? strace_view_read_fds(l->view, command) : 0;

	source->names_every = l->req->graph.n ? 0 : NAMES_UPDATES;
	if (!rc)
		rc = trace_live_start(l->live, err);
	if (!rc)
		rc = read_fds(l, err);
	if (!rc)
		rc = tfs_run(l->view, l->output.out, &run, err);
	if (losses.counted)
		tc_msg_notice(PROGRAM,
			      "%" PRIu64 " events%s were lost: a larger --buffer-size, or "
			      "fewer calls (-e), would help%s",
			      losses.counted, losses.uncounted ? " and more" : "",
			      only_counts(l) ? "; tc-stat --syscalls loses fewer" : "");
	else if (losses.any)
		tc_msg_notice(PROGRAM, "events were lost, the kernel did not count how many");
	return rc;
}

/* The file is completed while the instance is there, with tracing off. */
static int end_record(struct shown_live *l, int rc, struct tfs_err *err)
{
	int off;

	if (!l->record)
		return rc;
	off = trace_live_stop(l->live, rc ? NULL : err);
	rc = strace_record_end(l->record, l->req, l->proc, rc ? rc : off, err);
	l->record = NULL;
	return rc;
}

static int run(struct shown_live *l, int *status, struct tfs_err *err)
{
	int rc = open_live(l, status, err);

	if (rc)
		return rc;
	if (l->req->record)
		rc = trace_keep_new(l->live, &l->req->trace.buffers[0].inst, PROGRAM,
				    l->req->record, &l->record, err);
	if (!rc)
		rc = new_proc(l, err);
	if (!rc)
		rc = new_names(l, err);
	if (!rc)
		rc = new_view(l, err);
	if (!rc)
		rc = show(l, err);
	rc = strace_output_close(l->req, &l->output, rc, err);
	if (!rc && l->req->graph.n)
		strace_graph_notice(l->req, l->view);
	tfs_view_free(l->view);
	l->view = NULL;
	rc = end_record(l, rc, err);
	tfs_names_free(l->names);
	strace_proc_free(l->proc);
	*status = trace_live_end(l->live, rc, err);
	l->live = NULL;
	return rc;
}

int strace_live_show(struct trace_strace *req, struct tfs_err *err)
{
	struct shown_live l = { .req = req, .output = STRACE_OUTPUT_INIT };
	int status = TC_EXIT_USAGE, rc;

	tfs_strbuf_init(&l.filter);
	tfs_strbuf_init(&l.strings.said);
	tfs_strbuf_init(&l.strings.why);
	rc = check_request(&l, err);
	if (!rc) {
		status = TC_EXIT_FAILED;
		rc = set_environment(&req->env, err);
	}
	if (!rc)
		rc = strace_output_open(req, STDERR_FILENO, &l.output, err);
	if (!rc)
		rc = run(&l, &status, err);
	strace_output_close(req, &l.output, rc, err);
	tfs_expr_release(&l.expr);
	tfs_strbuf_release(&l.filter);
	strace_strings_release(&l.strings);
	return status;
}
