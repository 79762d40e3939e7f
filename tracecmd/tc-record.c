/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/pid-ns.h"
#include "base/strbuf.h"
#include "cli/live.h"
#include "cli/msg.h"
#include "cli/signals.h"
#include "main.h"
#include "record/passed-by.h"
#include "record/session.h"
#include "tc-record-clock.h"
#include "tc-record-daemon.h"
#include "tc-record-files.h"
#include "tc-record-net.h"
#include "tc-record-unloaded.h"
#include "tc-record-opts.h"
#include "tc-record-profile.h"
#include "tc-record-recover.h"
#include "tc-record-session.h"
#include "tc-record-show.h"
#include "tc-record-stream.h"
#include "tc-record-symbols.h"
#include "trace-command.h"
#include "trace-journal.h"
#include "trace-lock.h"
#include "trace-plan.h"
#include "trace-session.h"
#include "trace-tasks.h"
#include "tracedat/dat-lost.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/journal.h"
#include "tracefs/plan.h"
#include "tracefs/root.h"

#define PROGRAM "tc-record"
#define LIVE_NS 500000000LL
#define ENOUGH_NS 50000000LL
/* Longest wait, after which everything that may be due is looked at */
#define WAIT_NS (10 * NS_PER_SEC)
#define NS_PER_SEC 1000000000LL
#define NS_PER_MS 1000000LL

/*
 * struct recording - one run of the program
 * @inst: the instance of the main buffer
 * @found: what the names of the request resolve to
 * @plan: all changes to tracefs; applied in two steps, rolled back at the end
 * @pids: the numbers that the kernel has for COMMAND and the recorder
 * @profile: --profile-cpu
 * @command: COMMAND and signals
 * @start_ns: when recording began, CLOCK_MONOTONIC
 * @files: with --switch-output: the files before the current one
 * @switch_asked: SIGUSR2 came
 * @switched_ns: when the current file was begun
 * @switch_err: why recording could not switch to another file, or the listener is gone
 * @lost: number of lost events in all files
 * @unloaded: events that were enabled when recording began
 * @passed_by: markers that are not recorded
 * @n_passed_by: number of these, once tracing is off
 * @is_full: it has the size that --policy allows
 * @emptied: a module was unloaded, which emptied the ring buffer
 * @disturbed: others read events, or changed a ring buffer
 * @watched_ns: when it was last looked for changes by others
 * @joins: tasks that come into the cgroups and containers
 * @live: there is a terminal to show progress on
 * @live_ns: when progress was last shown
 * @daemon: --daemonize
 * @stream: --stream
 * @net: -N
 */
struct recording {
	struct record_request *req;
	struct tfs_root *root;
	struct tfs_journal *journal;
	struct tfs_instance inst;
	struct trace_found found;
	struct tfs_plan *plan;
	struct trace_pids pids;
	struct record_profile profile;
	struct tfs_session *session;
	struct trace_command command;
	long long start_ns;
	struct record_files files;
	bool switch_asked;
	long long switched_ns;
	struct tfs_err switch_err;
	uint64_t lost;
	struct record_unloaded unloaded;
	struct tfs_passed_by passed_by;
	uint64_t n_passed_by;
	bool is_full;
	bool emptied;
	bool disturbed;
	long long watched_ns;
	struct trace_joins joins;
	bool live;
	long long live_ns;
	struct record_daemon daemon;
	struct record_stream stream;
	struct record_net net;
};

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* Prints a failure besides the one that main() prints. */
static void print_error(const struct tfs_err *err)
{
	if (err->code)
		tc_msg_error(PROGRAM, err);
}

static void print_lines(const struct recording *r, const struct tfs_strvec *notices)
{
	if (!r->req->quiet)
		tc_msg_notices(PROGRAM, notices);
}

static void print_notices(const struct recording *r)
{
	for (size_t i = 0; i < tfs_plan_notices(r->plan) && !r->req->quiet; i++)
		tc_msg_notice(PROGRAM, "%s", tfs_plan_notice(r->plan, i)->msg);
}

/*
 * Looks up the names on the command line before anything is changed. The group of the probes has
 * this process's pid, so that their names are free even if others probe the same.
 */
static int find(struct recording *r, struct tfs_err *err)
{
	struct tfs_strvec notices = TFS_STRVEC_INIT;
	char group[64], tag[TFS_PID_TAG_SIZE];
	int rc = record_profile_place(r->req, &r->inst, r->root, &notices, err);

	tfs_pid_tag(tag, '_');
	snprintf(group, sizeof(group), "tc_record_%s", tag);
	if (!rc)
		rc = trace_find(&r->req->trace, r->root, group, &r->found, &notices, err);
	if (!rc && r->req->policy.file)
		rc = record_policy_check_events(r->req, &r->found.names, err);
	if (!rc && r->req->policy.file)
		rc = record_policy_check_filters(r->req, r->root, &r->found.names, err);
	if (!rc)
		print_lines(r, &notices);
	tfs_strvec_release(&notices);
	return rc;
}

/* Checks everything that can fail before the recording, and looks up names. */
static int prepare(struct recording *r, struct tfs_err *err)
{
	int rc = tfs_root_open(NULL, &r->root, err);

	if (!rc)
		trace_lock_wait(r->root, PROGRAM, r->req->quiet ? TRACE_LOCK_QUIET : 0);
	if (!rc)
		rc = tfs_plan_new(r->root, &r->plan);
	if (rc)
		return err->code ? rc : tfs_err_set(err, rc, "cannot plan the recording");
	tfs_instance_private(&r->inst, PROGRAM);
	if (r->req->keep) {
		const struct tfs_instance own = r->inst;

		rc = tfs_instance_beside(&r->inst, &own, TFS_INSTANCE_KEPT);
	}
	return rc ? tfs_err_set(err, rc, "cannot name an instance") : find(r, err);
}

static int dry_run(struct recording *r, struct tfs_err *err)
{
	struct tfs_strvec none = TFS_STRVEC_INIT;
	struct tfs_strbuf sb = TFS_STRBUF_INIT, symbols = TFS_STRBUF_INIT;
	struct tfs_plan *start = NULL;
	int rc;

	rc = trace_choose_instances(&r->req->trace, r->root, NULL, &r->inst, err);
	if (!rc)
		rc = trace_find_tasks(&r->req->trace, -1, NULL, err);
	if (!rc)
		rc = record_profile_dry_run(&r->profile, r->req);
	if (!rc)
		rc = trace_plan(&r->req->trace, &r->found, r->plan, err);
	if (!rc)
		rc = tfs_plan_new(r->root, &start);
	if (!rc)
		rc = trace_plan_start(&r->req->trace, &r->found, &none, start, err);
	if (!rc)
		rc = record_symbols_show(r->req, r->root, &symbols, err);
	if (!rc)
		rc = record_show_plan(r->req, tfs_root_path(r->root), r->plan, start, symbols.s,
				      &sb);
	if (!rc)
		fputs(sb.s, stdout);
	else if (!err->code)
		tfs_err_set(err, rc, "cannot print the plan");
	tfs_plan_free(start);
	tfs_strbuf_release(&sb);
	tfs_strbuf_release(&symbols);
	return rc ? TC_EXIT_FAILED : TC_EXIT_OK;
}

/* Sets up the instance, its settings and events, with tracing off. */
static int set_up(struct recording *r, struct tfs_err *err)
{
	const struct trace_request *trace = &r->req->trace;
	int rc;

	rc = trace_choose_instances(&r->req->trace, r->root, r->journal, &r->inst, err);
	if (!rc)
		trace_pids_begin(&r->pids, r->root, r->journal);
	if (!rc && trace->command)
		rc = tc_child_fork(&r->command.child, trace->command, r->req->user, err);
	if (!rc)
		rc = trace_find_tasks(&r->req->trace, r->command.child.pid, &r->pids, err);
	if (!rc)
		rc = record_profile_begin(&r->profile, r->req, err);
	if (!rc)
		rc = trace_plan(trace, &r->found, r->plan, err);
	if (!rc)
		rc = tfs_plan_apply(r->plan, err);
	if (!rc)
		rc = trace_joins_complete(&r->req->trace, r->root, err);
	if (!rc)
		print_notices(r);
	return rc;
}

/* --delay: waits while COMMAND runs; record() handles signals and its end */
static void wait_before(struct recording *r)
{
	struct pollfd fd = { .fd = r->command.signals, .events = POLLIN };
	long long left, until = now_ns() + (long long)r->req->delay_ns;

	while ((left = until - now_ns()) > 0) {
		if (left > NS_PER_SEC)
			left = NS_PER_SEC;
		if (poll(&fd, 1, (int)((left + NS_PER_MS - 1) / NS_PER_MS)) > 0)
			return;
	}
}

static void start_profile(struct recording *r)
{
	struct tfs_strvec notices = TFS_STRVEC_INIT;

	record_profile_start(&r->profile, &notices);
	print_lines(r, &notices);
	tfs_strvec_release(&notices);
}

/* Turns tracing on, excluding this program, and lets COMMAND run. */
static int go(struct recording *r, struct tfs_err *err)
{
	const bool delayed = r->req->delay_ns != 0;
	struct tfs_strvec own = TFS_STRVEC_INIT;
	const char *notice = NULL;
	const pid_t *tids;
	size_t n = tfs_session_tids(r->session, &tids);
	int rc = tfs_strvec_pushf(&own, "%d", (int)getpid());

	for (size_t i = 0; i < n && !rc; i++)
		rc = tfs_strvec_pushf(&own, "%d", (int)tids[i]);
	/* The process that sends */
	if (!rc && r->stream.spool)
		rc = tfs_strvec_pushf(&own, "%d", (int)getppid());
	if (!rc)
		rc = record_profile_own(&r->profile, &own);
	if (!rc)
		rc = trace_pids_own(&r->pids, r->command.child.pid > 0, &own, &notice);
	trace_pids_end(&r->pids);
	if (!rc && notice && !r->req->quiet)
		tc_msg_notice(PROGRAM, "%s", notice);
	if (!rc && !r->req->trace.no_filter)
		rc = trace_session_own(r->session, &own);
	if (rc)
		tfs_err_set(err, rc, "cannot list the threads of the recorder");
	else
		rc = trace_plan_start(&r->req->trace, &r->found, &own, r->plan, err);
	if (!rc)
		rc = record_stream_wait(&r->stream, r->command.signals, err);
	if (!rc && delayed && r->command.child.pid > 0)
		rc = tc_child_go(&r->command.child, err);
	if (!rc && delayed)
		wait_before(r);
	if (!rc)
		rc = tfs_plan_apply(r->plan, err);
	if (!rc)
		print_notices(r);
	if (!rc)
		start_profile(r);
	r->start_ns = now_ns();
	if (!rc)
		rc = record_daemon_begun(&r->daemon, err);
	if (!rc)
		record_stream_began(&r->stream);
	if (!rc && !delayed && r->command.child.pid > 0)
		rc = tc_child_go(&r->command.child, err);
	tfs_strvec_release(&own);
	return rc;
}

/* Handles pending signals. Return: the last one that ends the recording, 0 if none does */
static int take_signals(struct recording *r)
{
	int sig, ask = 0;

	while ((sig = trace_command_signal(&r->command))) {
		if (sig == SIGUSR2)
			r->switch_asked = true;
		else
			ask = sig;
	}
	return ask;
}

/* At most once in LIVE_NS, since the counters are read from a file for each CPU. */
static void show_live(struct recording *r, const char *doing)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	uint64_t events, lost, raw, stored;
	long long now = now_ns();

	if ((!r->live && !r->stream.spool) || now < r->live_ns + LIVE_NS)
		return;
	r->live_ns = now;
	tfs_session_count(r->session, &events, &lost);
	if (r->stream.spool)
		record_stream_progress(&r->stream, events, lost);
	if (!r->live)
		return;
	tfs_session_progress(r->session, &raw, &stored);
	if (!record_show_size(&sb, stored))
		tc_live_line("%s %lld s: %" PRIu64 " events, %" PRIu64 " lost, %s written", doing,
			     (now - r->start_ns) / NS_PER_SEC, events, lost, sb.s);
	tfs_strbuf_release(&sb);
}

/* Waits for a signal or a reader, at most @ns (-1: no limit). */
static void wait_for_news(const struct recording *r, long long ns)
{
	struct pollfd fds[] = {
		{ .fd = r->command.signals, .events = POLLIN },
		{ .fd = tfs_session_fd(r->session), .events = POLLIN },
		{ .fd = record_stream_fd(&r->stream), .events = POLLIN },
	};

	if ((r->live || r->stream.spool) && (ns < 0 || ns > LIVE_NS))
		ns = LIVE_NS;
	/* CPUs are followed, and the listener hears of this side. */
	if ((r->profile.sampler || r->net.sender) && (ns < 0 || ns > NS_PER_SEC))
		ns = NS_PER_SEC;
	if (ns > WAIT_NS)
		ns = WAIT_NS;
	poll(fds, ARRAY_SIZE(fds), ns < 0 ? -1 : (int)((ns + NS_PER_MS - 1) / NS_PER_MS));
}

/* --max-events, by the kernel's counters, so there may be some more. */
static bool has_enough(const struct recording *r)
{
	uint64_t events, lost;

	if (!r->req->max_events)
		return false;
	tfs_session_count(r->session, &events, &lost);
	return events + lost >= r->req->max_events;
}

/* --policy: looked at as often as --max-events, and what is in the ring buffers then comes to it */
static bool is_too_large(struct recording *r)
{
	const uint64_t max = r->req->stream.max_bytes;
	uint64_t raw, stored;

	if (!max)
		return false;
	tfs_session_progress(r->session, &raw, &stored);
	r->is_full = stored >= max;
	return r->is_full;
}

/* Is it time to switch to a new file? *@left: the time until then, -1 if unknown */
static bool is_switch_due(struct recording *r, enum tfs_session_state state, long long *left)
{
	const struct tfs_switch_output *change = &r->req->switch_output;
	const bool asked = r->switch_asked;

	*left = -1;
	r->switch_asked = false;
	if (change->ns)
		*left = r->switched_ns + (long long)change->ns - now_ns();
	return (change->bytes && state == TFS_SESSION_FULL) || (change->ns && *left <= 0) ||
	       (change->by_signal && asked);
}

/* 0 to continue; switches to a new file if due. *@left: time until something is to be done */
static int record_on(struct recording *r, long long *left)
{
	enum tfs_session_state state = tfs_session_state(r->session);
	int rc;

	if (is_switch_due(r, state, left)) {
		if (r->live)
			tc_live_end();
		rc = record_files_switch(&r->files, r->req, r->session, &r->switch_err);
		if (rc)
			return rc;
		r->switched_ns = now_ns();
		is_switch_due(r, TFS_SESSION_RUNNING, left);
		state = TFS_SESSION_RUNNING;
	}
	return state != TFS_SESSION_RUNNING;
}

/* @left: ns to wait, negative: no limit; @until: another limit */
static void limit_wait(long long *left, long long until)
{
	if (*left < 0 || until < *left)
		*left = until;
}

static void watch_now(struct recording *r)
{
	r->watched_ns = now_ns();
	tfs_session_watch(r->session, !trace_turns_off(&r->req->trace));
}

/* Looks whether others changed the ring buffers. Return: ns until the next time */
static long long watch(struct recording *r)
{
	if (now_ns() >= r->watched_ns + TFS_SESSION_WATCH_NS)
		watch_now(r);
	return r->watched_ns + TFS_SESSION_WATCH_NS - now_ns();
}

/* Records the tasks that came into the cgroups. If that fails, the watch says what changed. */
static void take_joins(struct recording *r)
{
	if (!trace_joins_look(&r->joins, &r->req->trace, r->root))
		return;
	watch_now(r);
	trace_joins_list(&r->req->trace, r->root, NULL);
	tfs_session_listed(r->session);
}

/* Until COMMAND ends, time is up, there are enough events, a signal comes or a reader fails. */
static void record(struct recording *r)
{
	const bool command = r->command.child.pid > 0;
	const long long duration = (long long)r->req->duration_ns;
	long long left, until;

	r->switched_ns = r->start_ns;
	tfs_session_watch_begin(r->session);
	for (;;) {
		r->command.ended_by = take_signals(r);
		if (r->command.ended_by || (command && r->command.child.pid <= 0) ||
		    record_on(r, &left))
			return;
		if (duration) {
			until = r->start_ns + duration - now_ns();
			if (until <= 0)
				return;
			limit_wait(&left, until);
		}
		if (has_enough(r) || is_too_large(r) || record_stream_is_lost(&r->stream))
			return;
		if (r->req->max_events || r->req->stream.max_bytes)
			limit_wait(&left, ENOUGH_NS);
		limit_wait(&left, tfs_session_compare_clocks(r->session));
		limit_wait(&left, watch(r));
		take_joins(r);
		if (trace_has_groups(&r->req->trace))
			limit_wait(&left, (long long)trace_joins_wait(&r->joins));
		show_live(r, "recording");
		wait_for_news(r, left);
		record_profile_follow(&r->profile);
		if (record_net_tick(&r->net, &r->switch_err))
			return;
	}
}

/* osnoise, timerlat and hwlat measure in threads of the kernel, which end when tracing is off. */
static bool has_thread_tracer(const struct trace_request *trace)
{
	for (size_t i = 0; i < trace->n_buffers; i++) {
		const char *tracer = trace->buffers[i].tracer;

		if (tracer && strcmp(tracer, "nop") != 0 &&
		    !trace_has_functions(&trace->buffers[i]))
			return true;
	}
	return false;
}

/* A signal ends COMMAND as well, which may run on after the recording. */
static bool is_interrupted(struct recording *r)
{
	const int sig = take_signals(r);

	if (sig && r->command.child.pid > 0)
		r->command.ended_by = sig;
	return sig;
}

/* Lets the readers read the rest; a signal meanwhile skips it. */
static int drain(struct recording *r, struct tfs_err *err)
{
	int off, rc;

	if (has_thread_tracer(&r->req->trace))
		tfs_session_learn_comms(r->session);
	r->watched_ns = 0;
	watch(r);
	off = trace_switch_off(&r->req->trace, r->root, err);
	/* Still being filled, the ring buffer would never be empty. */
	if (off)
		tfs_session_give_up(r->session);
	else
		tfs_session_drain(r->session);
	while (tfs_session_state(r->session) != TFS_SESSION_ENDED) {
		if (is_interrupted(r))
			tfs_session_give_up(r->session);
		show_live(r, "finishing");
		wait_for_news(r, -1);
		if (record_net_tick(&r->net, NULL))
			tfs_session_give_up(r->session);
	}
	rc = tfs_session_stop(r->session, off ? NULL : err);
	return off ? off : rc;
}

static void show_unloaded(struct recording *r)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = record_unloaded_show(&r->unloaded, &r->req->trace, r->root, &sb, &r->emptied);

	tfs_strbuf_rtrim(&sb);
	if (!rc && sb.len)
		tc_msg_line("%s", sb.s);
	tfs_strbuf_release(&sb);
}

/* Markers are in a recording of the top level anyhow. */
static void begin_passed_by(struct recording *r)
{
	const struct trace_request *trace = &r->req->trace;
	bool top = !trace->markers, copied = false;

	for (size_t i = 0; i < trace->n_buffers; i++) {
		copied |= (trace->buffers[i].flags & TRACE_BUFFER_MARKERS) != 0;
		top |= trace_is_used(trace, &trace->buffers[i]) && !trace->buffers[i].inst.name[0];
	}
	if (!top)
		tfs_passed_by_begin(&r->passed_by, r->root, copied);
}

static void show_passed_by(const struct recording *r)
{
	const uint64_t n = r->n_passed_by;

	if (n && !r->req->quiet)
		tc_msg_notice(PROGRAM,
			      "%" PRIu64 " record%s of trace_printk()%s went into the top level's "
			      "buffer meanwhile and %s not recorded: --markers records such",
			      n, n == 1 ? "" : "s", r->passed_by.copied ? "" : " or trace_marker",
			      n == 1 ? "was" : "were");
}

/* Others read or changed the ring buffers. */
static void show_disturbed(struct recording *r, const struct tfs_session_totals *totals)
{
	const struct tfs_dat_lost lost = {
		.taken = r->files.taken + totals->taken,
		.signs = (r->files.signs | totals->signs) &
			 ~(r->emptied ? TFS_DAT_LOST_EMPTIED | TFS_DAT_LOST_EVENTS : 0U),
	};
	struct tfs_strvec lines = TFS_STRVEC_INIT;

	r->disturbed = lost.taken || lost.signs;
	if (!tfs_dat_lost_say(&lost, &lines))
		tc_msg_notices(PROGRAM, &lines);
	tfs_strvec_release(&lines);
}

static void show_profile(struct recording *r)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	if (!record_profile_show(&r->profile, r->req, &sb) && sb.len && !r->req->quiet) {
		tfs_strbuf_rtrim(&sb);
		tc_msg_line("%s", sb.s);
	}
	tfs_strbuf_release(&sb);
}

/* Completes the file, also after a failure, with the data written so far. */
static int finish(struct recording *r, struct tfs_err *err)
{
	struct tfs_session_totals totals;
	int rc, finished;

	rc = drain(r, err);
	/* Now: completing the file takes its time. */
	r->n_passed_by = tfs_passed_by_count(&r->passed_by, r->root);
	if (r->live)
		tc_live_end();
	if (rc) {
		if (r->net.sender)
			record_net_explain(&r->net, err);
		else
			tfs_err_hint(
				err,
				"recording was stopped; '%s' will hold what was written so far",
				r->req->output);
		/* At once: joining takes its time, and COMMAND may go on for hours. */
		print_error(err);
		tfs_err_clear(err);
	}
	if (!rc && r->switch_err.code) {
		*err = r->switch_err;
		rc = err->code;
		print_error(err);
		tfs_err_clear(err);
	}
	finished = tfs_session_finish(r->session, &totals, err);
	if (!finished && r->stream.spool)
		finished = record_stream_end(&r->stream, &totals, err);
	/* Why the listener takes nothing more has been printed. */
	if (rc && r->net.sender)
		tfs_err_clear(err);
	/* Also after a switch that failed: this file is complete. */
	if (!finished && r->req->switch_output.on)
		finished = record_files_name(&r->files, r->req, &totals, err);
	if (!finished) {
		record_files_print_totals(&r->files, r->req, &totals);
		show_profile(r);
		show_unloaded(r);
		show_passed_by(r);
		show_disturbed(r, &totals);
		if (r->is_full)
			tc_msg_notice(PROGRAM, "recording ended at %" PRIu64 " KiB, by --policy",
				      r->req->stream.max_bytes / 1024);
	}
	r->lost = r->files.lost + totals.lost;
	return rc ? rc : finished;
}

static int exit_status(const struct recording *r, int rc)
{
	if (rc)
		return TC_EXIT_FAILED;
	if (r->req->fail_on_lost && (r->lost || r->emptied || r->disturbed) &&
	    (!r->command.has_status || !tc_child_exit_status(r->command.wstatus)))
		return TC_EXIT_FAILED;
	return trace_command_status(&r->command, r->req->trace.command);
}

/* Undoes everything in reverse; the ring buffer's files are closed before the rmdir. */
static int roll_back(struct recording *r, struct tfs_err *err)
{
	struct tfs_err more = TFS_ERR_INIT;
	int rc;

	trace_pids_end(&r->pids);
	tfs_session_free(r->session);
	r->session = NULL;
	rc = tfs_plan_rollback(r->plan, &more);
	print_notices(r);
	tfs_journal_done(r->journal);
	tfs_plan_set_journal(r->plan, NULL);
	r->journal = NULL;
	if (rc && !err->code)
		*err = more;
	else if (rc)
		print_error(&more);
	return rc;
}

/*
 * -k: everything that was set up stays, with tracing off. Its journal is kept for the instance, so
 * that it can be undone later.
 */
static int keep(struct recording *r, struct tfs_err *err)
{
	const struct trace_request *trace = &r->req->trace;
	size_t first = 0;
	int rc = 0;

	tfs_session_free(r->session);
	r->session = NULL;
	while (first + 1 < trace->n_buffers && !trace_is_used(trace, &trace->buffers[first]))
		first++;
	if (r->journal)
		rc = tfs_journal_keep(r->journal, TFS_JOURNAL_DIR, &trace->buffers[first].inst,
				      err);
	if (rc) {
		roll_back(r, err);
		return rc;
	}
	r->journal = NULL;
	tfs_plan_set_journal(r->plan, NULL);
	for (size_t i = first; i < trace->n_buffers && !r->req->quiet; i++) {
		const struct tfs_instance *inst = &trace->buffers[i].inst;

		if (trace_is_used(trace, &trace->buffers[i]))
			tc_msg_notice(PROGRAM, "%s/%s is left in place, with tracing off",
				      tfs_root_path(r->root), inst->prefix);
	}
	return 0;
}

static int start_session(struct recording *r, struct tfs_err *err)
{
	const struct record_from from = {
		.req = r->req,
		.root = r->root,
		.journal = r->journal,
		.names = &r->found.names,
		.defs = &r->found.defs,
		.profile = &r->profile,
		.sink = r->stream.spool ? &r->stream.sink : NULL,
		.remote = r->net.sender ? &r->net.remote : NULL,
	};

	return record_session_start(&from, &r->session, err);
}

static int run_recording(struct recording *r, struct tfs_err *err)
{
	bool started = false;
	int rc, undone, status = TC_EXIT_FAILED;

	rc = tc_signals_fd(err);
	if (rc < 0)
		return TC_EXIT_FAILED;
	r->command.signals = rc;
	rc = r->req->switch_output.by_signal ? tc_signals_add(r->command.signals, SIGUSR2, err) : 0;
	if (rc)
		return TC_EXIT_FAILED;
	r->journal = trace_journal_begin(r->root, PROGRAM, r->req->quiet ? TRACE_JOURNAL_QUIET : 0);
	tfs_plan_set_journal(r->plan, r->journal);
	rc = set_up(r, err);
	if (!rc)
		record_unloaded_begin(&r->unloaded, &r->req->trace, r->root);
	if (!rc)
		begin_passed_by(r);
	if (!rc)
		rc = start_session(r, err);
	if (!rc) {
		bool gated = r->command.child.pid > 0;

		rc = go(r, err);
		started = !rc;
		if (rc && gated && r->command.child.pid <= 0)
			status = trace_command_refused(rc);
	}
	if (started) {
		r->live = !r->req->quiet && !r->stream.spool && tc_live_can();
		record(r);
		rc = finish(r, err);
	} else {
		tc_child_kill(&r->command.child);
		tfs_session_discard(r->session);
		r->session = NULL;
	}
	undone = started && r->req->keep ? keep(r, err) : roll_back(r, err);
	if (!started)
		return status;
	if (r->command.child.pid > 0) {
		print_error(err);
		tfs_err_clear(err);
	}
	trace_command_wait(&r->command);
	return exit_status(r, rc ? rc : undone);
}

static int about_spools(const struct record_request *req, struct tfs_err *err)
{
	if (req->stream.list)
		return record_stream_list(req, err);
	if (req->stream.resume)
		return record_stream_resume(req, err);
	return record_stream_stop(req, err);
}

/* Requests that need no recording: an exit status; -1: this one needs it */
static int run_without(const struct record_request *req, struct tfs_err *err)
{
	int rc;

	if (req->clock_probe)
		rc = record_answer_clock(STDIN_FILENO, STDOUT_FILENO, err);
	else if (record_is_about_spools(req))
		return about_spools(req, err);
	else if (req->recover)
		rc = record_recover(req->recover, req->quiet ? RECORD_RECOVER_QUIET : 0, err);
	else
		return -1;
	return rc ? TC_EXIT_FAILED : TC_EXIT_OK;
}

static int run_request(struct record_request *req, int argc, char **argv, struct tfs_err *err)
{
	struct recording r = {
		.req = req,
		.command = TRACE_COMMAND_INIT,
		.daemon = RECORD_DAEMON_INIT,
		.stream = RECORD_STREAM_INIT,
	};
	int rc, status;

	if (record_check(req, argc, argv, err))
		return TC_EXIT_USAGE;
	status = run_without(req, err);
	if (status >= 0)
		return status;
	tc_signals_accept();
	if (req->trace.command) {
		rc = tc_child_find(req->trace.command[0], err);
		if (rc)
			return trace_command_refused(rc);
	}
	/* First, since instance and probes are named after the process */
	if (req->daemonize && !req->dry_run && record_daemon_fork(&r.daemon, err))
		return TC_EXIT_FAILED;
	if (req->stream.on && !req->dry_run &&
	    (record_stream_fork(&r.stream, req, &status, err) || status >= 0)) {
		record_stream_release(&r.stream);
		return status >= 0 ? status : TC_EXIT_FAILED;
	}
	rc = prepare(&r, err);
	if (!rc && !req->dry_run)
		rc = record_net_connect(&r.net, req, err);
	if (rc)
		status = rc == -ENOENT && r.found.names.n ? TC_EXIT_USAGE : TC_EXIT_FAILED;
	else
		status = req->dry_run ? dry_run(&r, err) : run_recording(&r, err);
	tfs_plan_free(r.plan);
	record_profile_release(&r.profile);
	record_files_release(&r.files);
	record_unloaded_release(&r.unloaded);
	record_net_release(&r.net);
	trace_found_release(&r.found);
	tfs_root_free(r.root);
	tfs_close(&r.command.signals);
	record_daemon_end(&r.daemon);
	record_stream_release(&r.stream);
	return status;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct record_request *req = request;
	struct tfs_strvec *words = &req->policy.words;
	size_t n = (size_t)argc;
	int rc;

	if (!req->policy.file)
		return run_request(req, argc, argv, err);
	rc = record_policy_begin(req, &n, err);
	if (rc < 0)
		return TC_EXIT_USAGE;
	if (rc) {
		tc_command_print_version();
		return TC_EXIT_OK;
	}
	return run_request(req, (int)n, words->v + (words->n - n), err);
}

const struct tc_command tc_command = {
	.name = PROGRAM,
	.summary = "record events of the kernel and of programs into a trace file",
	.operands = "[--] [COMMAND [ARG...]]",
	.options = record_options,
	.request_size = sizeof(struct record_request),
	.init = record_init,
	.run = run,
	.release = record_release,
};
