/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_VIEWS_H
#define TC_REPORT_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/opt.h"

struct report_request;
struct report_sources;
struct tfs_err;
struct tfs_out;
struct tfs_symbolize;
struct tfs_trace;
struct tfs_user_text;
struct tfs_view;
struct tfs_wakeup;

/**
 * struct report_run - what a view is opened with
 * @traces: of @sources
 * @view: the row of the table
 * @wakeup: of -w; NULL: not given
 * @files: what each recording is called: the host or the file, or both
 * @paths: the file of each
 * @hosts: the machine that each is from
 * @bounds: of the time stamps of each, in ns; UINT64_MAX: not known
 * @syscalls: of each what report_syscall_name() takes, with REPORT_SYSCALLS
 * @symbolize: of each, with REPORT_SYMBOLIZE; else NULL
 * @user_texts: of --user-symbols, for each of @sources; NULL: not given
 */
struct report_run {
	const struct report_request *req;
	struct report_sources *sources;
	struct tfs_out *out;
	const struct report_view *view;
	struct tfs_trace *const *traces;
	const struct tfs_wakeup *wakeup;
	const char *const *files;
	const char *const *paths;
	const char *const *hosts;
	const uint64_t *bounds;
	const void *const *syscalls;
	const struct tfs_symbolize *const *symbolize;
	struct tfs_user_text **user_texts;
};

/**
 * enum report_view_flags - how a view is shown
 * @REPORT_EVENTS: it reads events
 * @REPORT_MERGED: several recordings are merged by time, and each has a view; without it they are
 *	shown one after the other
 * @REPORT_ONE_VIEW: with MERGED: one view gets the events of all
 * @REPORT_FOLLOWS: works with --follow
 * @REPORT_INERT: makes its text inert for a terminal itself; else everything written is
 * @REPORT_NAMES: operands that cannot be files are names for --graph
 * @REPORT_TYPED: failing with -EINVAL or -ENOENT, it refuses what was typed
 * @REPORT_IRQS: leaves out interrupts itself (-I, -S)
 * @REPORT_TEXT: the text of trace-cmd report
 * @REPORT_NO_FILE: without a FILE it is about this program
 * @REPORT_SYMBOLIZE: shows names of user addresses: @symbolize of struct report_run
 * @REPORT_SYSCALLS: shows names of system calls by number
 * @REPORT_NO_RECORDING: it opens none: operands are something else
 * @REPORT_BINARY: what it writes is not text, and not for a terminal
 * @REPORT_NO_LOSSES: what it writes has no place for lost events: they are a notice
 * @REPORT_TABLE: the same, as CSV
 */
enum report_view_flags {
	REPORT_EVENTS = 1 << 0,
	REPORT_MERGED = 1 << 1,
	REPORT_ONE_VIEW = 1 << 2,
	REPORT_FOLLOWS = 1 << 3,
	REPORT_INERT = 1 << 4,
	REPORT_NAMES = 1 << 5,
	REPORT_TYPED = 1 << 6,
	REPORT_IRQS = 1 << 7,
	REPORT_NO_FILE = 1 << 8,
	REPORT_TEXT = 1 << 9,
	REPORT_SYMBOLIZE = 1 << 10,
	REPORT_SYSCALLS = 1 << 11,
	REPORT_BINARY = 1 << 12,
	REPORT_NO_RECORDING = 1 << 13,
	REPORT_NO_LOSSES = 1 << 14,
	REPORT_TABLE = 1 << 15,
};

/**
 * enum report_view_id - rows of the table. When options ask for several, the last of these is
 * shown, as in trace-cmd
 */
enum report_view_id {
	REPORT_VIEW_TEXT,
	REPORT_VIEW_EXPORT,
	REPORT_VIEW_WIDE,
	REPORT_VIEW_KERNEL,
	REPORT_VIEW_COUNT_BY,
	REPORT_VIEW_LATENCY,
	REPORT_VIEW_HEATMAP,
	REPORT_VIEW_PROFILE,
	REPORT_VIEW_SYSCALLS,
	REPORT_VIEW_WAKEUPS,
	REPORT_VIEW_FLAT,
	REPORT_VIEW_GRAPH,
	REPORT_VIEW_HTML,
	REPORT_VIEW_CHROME,
	REPORT_VIEW_PERFETTO,
	REPORT_VIEW_FLAME,
	REPORT_VIEW_FOLDED,
	REPORT_VIEW_PERF_SCRIPT,
	REPORT_VIEW_SPEEDSCOPE,
	REPORT_VIEW_ARROW,
	REPORT_VIEW_SCHEMA,
	REPORT_VIEW_STAT,
	REPORT_VIEW_STAT_KERNEL,
	REPORT_VIEW_UNAME,
	REPORT_VIEW_VERSION,
	REPORT_VIEW_CPUS,
	REPORT_VIEW_EVENTS,
	REPORT_VIEW_PRINTK,
	REPORT_VIEW_FUNCTIONS,
	REPORT_VIEW_CHECK_EVENTS,
	REPORT_VIEW_FORMATS,
	REPORT_VIEW_ENDIAN,
	REPORT_VIEW_PAGE_SIZE,
};

/**
 * struct report_view - a row of the table of views
 * @option: that asks for it, as messages have it
 * @flags: enum report_view_flags
 * @without: enum report_layout: options that have no meaning with it
 * @kind: for @open and @show, where several rows share them
 * @check: what else can be wrong with a request for it; pure; NULL: nothing
 * @open: makes the view of recording @n; 0 or -errno with @err set, -ENOMEM without
 * @show: instead of @open: everything, to @run->out. Return: 0 or -errno with @err set
 */
struct report_view {
	const char *option;
	unsigned int flags, without;
	int kind;
	int (*check)(const struct report_request *req, struct tfs_err *err);
	int (*open)(const struct report_run *run, size_t n, struct tfs_view **view,
		    struct tfs_err *err);
	int (*show)(const struct report_run *run, struct tfs_err *err);
};

/** report_view_ask() - an option asks for @view; the last one of the table counts */
void report_view_ask(struct report_request *req, enum report_view_id view);

/** report_view_is_default() - is it the text, which no option asked for? */
bool report_view_is_default(const struct report_request *req);

/** report_view_lacks_losses() - does what the chosen view writes not say what was lost? */
bool report_view_lacks_losses(const struct report_request *req);

/** report_view_exists() - is there a view that @option asks for? */
bool report_view_exists(const char *option);

/** report_view_options - the options of views; a part of tc-report's table */
extern const struct tc_option report_view_options[];

/**
 * report_view_check() - choose the view if no option did, and check what was asked for besides it
 *
 * Pure. Return: 0 or -EINVAL, -ENOMEM with @err set.
 */
int report_view_check(struct report_request *req, struct tfs_err *err);

/** report_view_show() - show the recordings as asked; 0 or -errno with @err set */
int report_view_show(const struct report_request *req, struct report_sources *s,
		     struct tfs_out *out, struct tfs_err *err);

#endif
