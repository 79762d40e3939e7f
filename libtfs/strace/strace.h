/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_STRACE_H
#define TFS_STRACE_STRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "strace/args.h"
#include "strace/call.h"
#include "strace/line.h"

struct tfs_call;
struct tfs_err;
struct tfs_event;
struct tfs_strbuf;
struct tfs_task_clone;
struct tfs_trace;
struct tfs_view;

/**
 * enum tfs_strace_flags - what is shown
 * @TFS_STRACE_JSON: JSON objects instead of lines, calls when they end (strace/line-json.h)
 * @TFS_STRACE_NO_SIGNALS: no "--- SIGCHLD {...} ---"
 * @TFS_STRACE_NO_EXITS: no "+++ exited with 0 +++"
 * @TFS_STRACE_WHOLE: lines are complete: a call is shown when it ends (as -z and --duration need)
 * @TFS_STRACE_WHY: a line, or a member, after a call that waited says for what (strace/why.h)
 */
enum tfs_strace_flags {
	TFS_STRACE_JSON = 1 << 0,
	TFS_STRACE_NO_SIGNALS = 1 << 1,
	TFS_STRACE_NO_EXITS = 1 << 2,
	TFS_STRACE_WHOLE = 1 << 3,
	TFS_STRACE_WHY = 1 << 4,
};

/**
 * struct tfs_strace_hooks - who else looks at calls; each may be NULL
 * @begin: a call began. Return: is it shown?
 * @end: it ended. Return: is it shown? Asked only with TFS_STRACE_WHOLE, and if @begin agreed
 * @signal: is this signal shown?
 * @raw: are arguments and result of this call shown as plain numbers?
 * @text: a call begins, and no event has the text of an argument, which is at @address in the
 *	program's memory. Return: 1: *@text has it, until the next call; 0: it stays unknown
 * @other: an event that says nothing of system calls, signals or threads: append its text, without
 *	name and line end. Return: 1: shown; 0: not; -errno
 * @enter, @done: a call began or ended, shown or not, before and after its line; 0 or -errno
 * @returned: it ended, shown or not: after its arguments were shown, before its result is (a new
 *	descriptor means its file from here on); 0 or -errno
 * @more: it ended and is shown: append lines after its own, or with TFS_STRACE_JSON further
 *	members, each after a comma; 0 or -errno
 * @fork, @exec, @thread_end: threads are created, run another program, and end; 0 or -errno
 *
 * exec: @file may be NULL. thread_end: after its last line.
 */
struct tfs_strace_hooks {
	bool (*begin)(void *ctx, const struct tfs_call *call);
	bool (*end)(void *ctx, const struct tfs_call *call);
	bool (*signal)(void *ctx, int tid, int sig);
	bool (*raw)(void *ctx, const struct tfs_call *call);
	int (*text)(void *ctx, const struct tfs_call *call, uint64_t address,
		    struct tfs_call_text *text);
	int (*other)(void *ctx, const struct tfs_event *event, struct tfs_strbuf *out);
	int (*enter)(void *ctx, const struct tfs_call *call);
	int (*done)(void *ctx, const struct tfs_call *call);
	int (*returned)(void *ctx, const struct tfs_call *call);
	int (*more)(void *ctx, const struct tfs_call *call, struct tfs_strbuf *out);
	int (*fork)(void *ctx, int tid, int child, const struct tfs_task_clone *clone);
	int (*exec)(void *ctx, int tid, const char *file);
	int (*thread_end)(void *ctx, int tid, int tgid);
	void *ctx;
};

/**
 * struct tfs_strace_opts - a view of system calls
 * @trace: the recording, or a live source's; outlives the view
 * @abi: of tfs_calls_abi() (strace/calls.h)
 * @command: a thread that is not shown before it has executed its program; 0: none
 * @flags: enum tfs_strace_flags
 * @args, @line: how arguments and lines look
 * @find: see struct tfs_calls_opts
 * @hooks: all called with hooks.ctx, as @find is
 */
struct tfs_strace_opts {
	struct tfs_trace *trace;
	int abi;
	int command;
	unsigned int flags;
	struct tfs_args_opts args;
	struct tfs_line_opts line;
	int (*find)(void *ctx, int tid, char comm[TFS_CALL_COMM]);
	struct tfs_strace_hooks hooks;
};

/**
 * tfs_strace_new() - system calls, a line each, as strace prints them
 *
 * From raw_syscalls and syscalls events, with signals and ends of threads where
 * signal:signal_deliver and sched:sched_process_exit are recorded. Arguments that are in memory are
 * shown as pointers, as strace shows addresses that it cannot read. A loss is a line in its place.
 * Return: 0 or -errno.
 */
int tfs_strace_new(const struct tfs_strace_opts *opts, struct tfs_view **view, struct tfs_err *err);

#endif
