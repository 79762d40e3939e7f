/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_SUMMARY_H
#define TFS_STRACE_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/export.h"

struct tfs_call;
struct tfs_err;
struct tfs_strbuf;
struct tfs_trace;
struct tfs_view;

/** enum tfs_summary_by - what has a table of its own */
enum tfs_summary_by { TFS_SUMMARY_BY_NOTHING, TFS_SUMMARY_BY_TASK };

/**
 * struct tfs_strace_summary_opts - what is counted and how it is printed
 * @trace: borrowed as long as the view lives
 * @style: TFS_EXPORT_TAB: the table of strace -c; JSON and CSV: a row for each system call
 * @inert: for a terminal: see base/inert.h
 * @times: how long calls took, which takes their entries as well. Without it only exits are needed,
 *	and entries are ignored
 * @by: a table for each thread, with its name and its number
 * @errnos: in text, a second table of errors by system call and errno. JSON and CSV always have
 *	them
 * @title: in text, a line before the table that says what its times are. strace has none
 * @columns, @sort: strace's options -U and -S: tfs_summary_layout_parse(); for text. NULL: as there
 * @command: a process that was started to be traced: its calls count from its first successful
 *	execve() on, as strace counts them. 0: none
 * @wants: is the system call @nr of the enum sys_abi @abi (TFS_CALLS_ABI_NONE: not known) to be
 *	counted? NULL: all are. Called with @wants_ctx
 * @abi: of tfs_calls_abi(): whose names numbers have
 * @given: only what tfs_strace_summary_call() is given counts, not events
 */
struct tfs_strace_summary_opts {
	struct tfs_trace *trace;
	enum tfs_export_style style;
	bool inert, times, errnos, title, given;
	enum tfs_summary_by by;
	const char *columns, *sort;
	int command;
	bool (*wants)(const void *ctx, int abi, int64_t nr);
	const void *wants_ctx;
	int abi;
};

/**
 * tfs_strace_summary_new() - how many system calls were made, failed, and how long they took
 *
 * For one trace with raw_syscalls:sys_exit, or syscalls:sys_exit_*, and for times their sys_enter
 * as well. A call is counted when it returns, as strace -c counts it: exit_group() and what is open
 * at the end is in no table of text ("unfinished" in JSON). Times are wall time from entry to exit.
 * A call whose entry was not recorded, or in which events were lost, is counted without a time. The
 * return of fork() and its like in the child is not a call of its own.
 *
 * With times, calls of programs of 32 bits on a kernel of 64 have their own names and, in text, a
 * table of their own, as strace has one; in JSON and CSV "@32" follows their names. A program is
 * known to be one by its execve or by the thread that created it. Without times they are counted as
 * calls of 64 bits.
 *
 * The table is printed at the end, or by tfs_strace_summary_print(). Memory grows with the number
 * of different system calls, and of threads that are alive.
 * Return: 0; -EINVAL with @err for @columns and @sort; -ENOMEM. Release with tfs_view_free().
 */
int tfs_strace_summary_new(const struct tfs_strace_summary_opts *opts, struct tfs_view **view,
			   struct tfs_err *err);

/**
 * tfs_strace_summary_call() - count a call that ended or did not return, with @given
 * @comm: its thread's name; "": not known
 *
 * For calls that are chosen by more than their number. Return: 0 or -ENOMEM.
 */
int tfs_strace_summary_call(struct tfs_view *view, const struct tfs_call *call, const char *comm);

/** tfs_strace_summary_print() - append what was counted so far; 0 or -ENOMEM */
int tfs_strace_summary_print(struct tfs_view *view, struct tfs_strbuf *out);
/** tfs_strace_summary_reset() - count from 0 on; calls that are open now count when they return */
void tfs_strace_summary_reset(struct tfs_view *view);

/**
 * struct tfs_strace_summary_totals - sums over everything that was counted
 * @lost: events lost, and, if @uncounted, more
 * @missing: CPUs whose last events are missing from the recording
 * @more_cpus: it may have had CPUs of which nothing is left
 */
struct tfs_strace_summary_totals {
	uint64_t calls, errors, unbegun, cut, unfinished, lost, missing;
	bool uncounted, more_cpus;
};

/** tfs_strace_summary_totals() - of what was counted so far */
void tfs_strace_summary_totals(const struct tfs_view *view,
			       struct tfs_strace_summary_totals *totals);

#endif
