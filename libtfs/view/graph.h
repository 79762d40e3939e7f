/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_GRAPH_H
#define TFS_VIEW_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "span/syscall-name.h"

struct tfs_err;
struct tfs_select;
struct tfs_strvec;
struct tfs_trace;
struct tfs_view;

/** enum tfs_graph_style - a tree, or a row a call for other programs, see tc-report-json(5) */
enum tfs_graph_style {
	TFS_GRAPH_TREE,
	TFS_GRAPH_JSON,
	TFS_GRAPH_CSV,
};

/**
 * struct tfs_graph_opts - which calls are shown, and how; all texts are borrowed
 * @funcs: names and globs of functions, or of the first events of pairs: only calls of these and
 *         what they called; empty: all
 * @callers: the same: only calls that these made directly; empty: whoever made them
 * @pairs: "BEGIN:END" and the like (span/pairs.h) besides function_graph; empty: probes
 *         that belong together by their names
 * @min_duration: only calls that took so many ns at least, and those around them
 * @depth: only so many levels, the first being 1; 0: all
 * @by_task: each call in one piece with what it called, one task after the other; else in order of
 *           time, as the kernel shows it
 * @summary: a table of functions instead of calls
 * @no_hardirq, @no_softirq: not what interrupted them
 * @nsecs: time stamps with all digits
 * @counts: time stamps are not nanoseconds (tfs_trace_counts()): durations between two of them are
 *          shown as counts; those that function_graph measured are in ns whatever the clock
 * @style: in the order in which calls ended; not with @summary or @by_task
 * @inert: for a terminal, of CSV: see base/inert.h
 * @file: the recording's name in each row; NULL: none
 * @no_head: of @style: another recording's rows had the names of the columns
 * @syscall: the name of a system call by its number, NULL if it has none; for calls of
 *           raw_syscalls:sys_enter. Its result lives as long as the view. NULL: they have no names
 * @syscalls: its first argument
 * @select: the run's, NULL for all: what a filter of its says of the record that ends a call counts
 *          as well
 */
struct tfs_graph_opts {
	const struct tfs_strvec *funcs, *callers, *pairs;
	uint64_t min_duration;
	uint64_t depth;
	bool by_task, summary;
	bool no_hardirq, no_softirq;
	bool nsecs, counts;
	enum tfs_graph_style style;
	const char *file;
	bool inert, no_head;
	tfs_syscall_name_func *syscall;
	const void *syscalls;
	const struct tfs_select *select;
};

/**
 * tfs_graph_new() - a view of who called whom, for how long: function_graph, and pairs of events
 *
 * Calls are followed task by task, those of interrupts within the one that they interrupted. Memory
 * is that of open calls, of functions and tasks, and of some MB of text. Calls without an end or a
 * beginning are shown as such; a loss ends everything that was open on its CPU.
 *
 * Return: 0; -EINVAL or -ENOENT for a pair that is none; -EINVAL for @min_duration of pairs with
 * @counts; -ENOMEM. Release with tfs_view_free().
 */
int tfs_graph_new(struct tfs_trace *trace, const struct tfs_graph_opts *opts,
		  struct tfs_view **view, struct tfs_err *err);

/**
 * tfs_graph_missed() - after the run: names that no call was met of
 * @funcs, @callers: with 1: filled with what to ask for instead
 *
 * Return: 0 when there are none; 1 when nothing was shown yet and each stands for one function that
 * was met (base/name-match.h): another run with these names shows it; -ENOENT with near names in
 * @err; -ENOMEM.
 */
int tfs_graph_missed(const struct tfs_view *view, struct tfs_strvec *funcs,
		     struct tfs_strvec *callers, struct tfs_err *err);

#endif
