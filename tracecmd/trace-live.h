/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_LIVE_H
#define TC_TRACE_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tfs_err;
struct tfs_event_source;
struct tfs_journal;
struct tfs_plan;
struct tfs_root;
struct tfs_strvec;
struct tfs_trace;
struct trace_command;
struct trace_found;
struct trace_live;
struct trace_request;

/*
 * One run of a tool that traces and shows at once (tc-stat, tc-trace, tc-top):
 *
 *	trace_target_set(), trace_check()	check the request, without a look at the system
 *	trace_live_open()	instances, events, tasks; COMMAND waits before its exec
 *	trace_live_start()	tracing on, COMMAND runs
 *	tfs_run() on trace_live_source(), or trace_live_wait() in a loop
 *	trace_live_end()	undo everything; the exit status
 *
 * Changes to tracefs are in a journal: the next program undoes them if this one is killed.
 * Open it before threads are made: signals are blocked, and come by the tick. One thread at a time.
 */

/**
 * enum trace_live_flags - how a live run behaves
 * @TRACE_LIVE_NO_SOURCE: events are not read; trace_live_source() and trace_live_trace() are NULL
 * @TRACE_LIVE_UNTIL_LAST: after COMMAND's end the tasks that it left behind are traced on
 * @TRACE_LIVE_AT_ONCE: events are given when they happen, not at the next tick
 * @TRACE_LIVE_FOLLOW: the program runs on the CPU that most events come from, see tfs_near
 * @TRACE_LIVE_QUIET: errors only, no notices
 */
enum trace_live_flags {
	TRACE_LIVE_NO_SOURCE = 1 << 0,
	TRACE_LIVE_UNTIL_LAST = 1 << 1,
	TRACE_LIVE_QUIET = 1 << 2,
	TRACE_LIVE_AT_ONCE = 1 << 3,
	TRACE_LIVE_FOLLOW = 1 << 4,
};

/**
 * struct trace_live_opts - what a live run needs; all borrowed until trace_live_end()
 * @program: "tc-trace": names instance, journal and messages
 * @req: filled and checked (trace_check()). Buffers that trace_add_buffer() added get instances of
 *       their own, PROGRAM.PID.N; only the main buffer is read
 * @user: run COMMAND as this user; NULL: unchanged
 * @flags: enum trace_live_flags
 * @define: called when tracefs was found, and before events are looked up: may add clauses to @req,
 *        and steps to @plan and apply them (probes, whose events are looked up then); NULL: none
 * @tick: called every 10 ms (TFS_LIVE_TICK_MS), when all events read so far were shown, while
 *        the source is read; NULL: none. 0 to go on, 1 to end, -errno with @err set to fail
 * @page: called for each sub-buffer of the main buffer that was read, before its events are given;
 *        NULL: none. 0 or -errno with @err set
 * @context: for @define, @tick and @page
 */
struct trace_live_opts {
	const char *program;
	struct trace_request *req;
	const char *user;
	unsigned int flags;
	int (*define)(void *context, const struct tfs_root *root, struct tfs_plan *plan,
		      struct tfs_err *err);
	int (*tick)(void *context, struct tfs_err *err);
	int (*page)(void *context, unsigned int cpu, const void *page, struct tfs_err *err);
	void *context;
};

/**
 * trace_live_open() - set everything up, with tracing off
 * @status: exit status of the program if this fails: 2 for names that do not exist, 126 or 127 for
 *          a COMMAND that cannot be run, else 1
 *
 * Return: 0; -errno with @err set, and everything undone.
 */
int trace_live_open(const struct trace_live_opts *opts, struct trace_live **out, int *status,
		    struct tfs_err *err);

/** trace_live_root() - the tracefs; borrowed, as everything that follows, until trace_live_end() */
const struct tfs_root *trace_live_root(const struct trace_live *live);
/** trace_live_found() - what the names of the request resolved to: events, probes */
const struct trace_found *trace_live_found(const struct trace_live *live);
/** trace_live_trace() - formats and names of the events of the main buffer; for views */
struct tfs_trace *trace_live_trace(struct trace_live *live);
/**
 * trace_live_source() - events of the main buffer, for tfs_run_input.source and tfs_merge_opts
 *
 * It ends when COMMAND has ended, when no task of those named is left, at SIGINT, SIGTERM or
 * SIGHUP, when the tick or trace_live_stop() asks for it, and when all events were read. A second
 * signal ends it with events unread.
 */
struct tfs_event_source *trace_live_source(struct trace_live *live);
/** trace_live_events() - "system:event" of those that the buffers may hold */
const struct tfs_strvec *trace_live_events(const struct trace_live *live);
/** trace_live_own() - after trace_live_start(): the program's threads, as events number them */
const struct tfs_strvec *trace_live_own(const struct trace_live *live);
/** trace_live_journal() - that of this run; NULL: none */
struct tfs_journal *trace_live_journal(struct trace_live *live);
/** trace_live_command() - COMMAND: its status, its resources, the signal that ended the run */
const struct trace_command *trace_live_command(const struct trace_live *live);
/** trace_live_now_ns() - the present time, CLOCK_MONOTONIC */
uint64_t trace_live_now_ns(void);
/** trace_live_started_ns() - when tracing began, CLOCK_MONOTONIC */
uint64_t trace_live_started_ns(const struct trace_live *live);
/** trace_live_ended_ns() - when COMMAND ended or tracing was turned off; 0 before */
uint64_t trace_live_ended_ns(const struct trace_live *live);

/**
 * trace_live_start() - turn tracing on, without this program's own threads; COMMAND runs
 *
 * Threads made later are not excluded by themselves; make them before. After a failure call
 * trace_live_end() nevertheless.
 */
int trace_live_start(struct trace_live *live, struct tfs_err *err);

/**
 * trace_live_wait() - without a source: wait until the run is to end
 * @ns: at most so long; negative: no limit
 *
 * When the run is to end, tracing is off and COMMAND, if that was its end, was waited for.
 * Return: 1 when the run is to end, 0 when the time is up, -errno.
 */
int trace_live_wait(struct trace_live *live, int64_t ns, struct tfs_err *err);

/**
 * trace_live_signs() - what others did to the ring buffers while tracing was on
 *
 * Return: enum tfs_dat_lost_signs, without what tfs_live_lost() finds by its counters.
 */
unsigned int trace_live_signs(struct trace_live *live);
/** trace_live_stop() - turn tracing off now, in all buffers; the source ends after what is left */
int trace_live_stop(struct trace_live *live, struct tfs_err *err);

/**
 * trace_live_end() - turn tracing off, undo everything, wait for COMMAND, free @live
 * @rc: 0, or what failed meanwhile
 *
 * Views, outputs and merges that use the source are freed before. A COMMAND that still runs
 * goes on to its end; it gets SIGTERM if a signal ended the run.
 * Return: the exit status: that of COMMAND, 128 and the signal that killed it; 1 after a failure.
 * With @err set if something is left to be printed.
 */
int trace_live_end(struct trace_live *live, int rc, struct tfs_err *err);

#endif
