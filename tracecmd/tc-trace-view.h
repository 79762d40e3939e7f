/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_VIEW_H
#define TC_TRACE_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct strace_proc;
struct tfs_err;
struct tfs_expr;
struct tfs_names;
struct tfs_out;
struct tfs_trace;
struct tfs_view;
struct trace_strace;

/**
 * struct strace_view_opts - what is shown of a trace; all borrowed as long as the view lives
 * @req: checked
 * @expr: read for @abi
 * @abi: of tfs_calls_abi()
 * @proc: what is known of tasks besides the events. Nothing of COMMAND is shown before its exec
 * @names: with -k: names of addresses while tracing; NULL: those of the trace
 * @wall_offset: what makes its time stamps ns since 1970; 0: not known
 * @memory: texts that no event has are read from the memory of the programs
 * @terminal: control characters are shown escaped
 */
struct strace_view_opts {
	const struct trace_strace *req;
	const struct tfs_expr *expr;
	struct tfs_trace *trace;
	int abi;
	struct strace_proc *proc;
	struct tfs_names *names;
	int64_t wall_offset;
	bool memory, terminal;
};

/**
 * strace_view_new() - lines, table, or both, of the calls that @expr wants
 *
 * Return: 0, or -errno with @err set. Release with tfs_view_free().
 */
int strace_view_new(const struct strace_view_opts *opts, struct tfs_view **view,
		    struct tfs_err *err);

/** strace_view_is_full() - were as many calls shown as --max-events allows? */
bool strace_view_is_full(const struct tfs_view *view);

/**
 * strace_view_read_fds() - with -y: the files that a process has open now
 *
 * Return: 0 or -ENOMEM.
 */
int strace_view_read_fds(struct tfs_view *view, pid_t pid);

/**
 * strace_view_flush() - all events that came are shown: write what does not wait for more
 *
 * With -ff to the files, else to @out. Return: 0 or -errno with @err set.
 */
int strace_view_flush(struct tfs_view *view, struct tfs_out *out, struct tfs_err *err);

#endif
