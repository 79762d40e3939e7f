/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_SYSCALLS_H
#define TFS_VIEW_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "span/syscall-name.h"
#include "view/export.h"

struct tfs_err;
struct tfs_trace;
struct tfs_view;

/**
 * struct tfs_syscalls_opts - a table of system calls
 * @traces: the @n_traces recordings; borrowed as long as the view lives
 * @files: what each is called, a column when there are several; the names are borrowed as @traces
 * @style, @inert: as of other tables: struct tfs_table_opts
 * @by_task: a row for each task and system call
 * @counts: times are not in nanoseconds
 * @sort, @top: as struct tfs_table_opts has them; by default by time, the longest first
 * @syscall, @syscalls: as struct tfs_spans_opts has them
 * @errno_name: name of an error by its number, NULL if it has none; its result lives as the view
 */
struct tfs_syscalls_opts {
	struct tfs_trace *const *traces;
	const char *const *files;
	size_t n_traces;
	enum tfs_export_style style;
	bool inert, by_task, counts;
	const char *sort;
	uint64_t top;
	tfs_syscall_name_func *syscall;
	const void *const *syscalls;
	const char *(*errno_name)(int64_t error);
};

/**
 * tfs_syscalls_new() - how often system calls were made, how long they took, and how they failed
 *
 * A call is counted when it returns, as strace -c counts it: what never returned (exit_group, calls
 * that were open at the recording's end) is reported apart. Times are from entry to exit; a call
 * whose entry was not recorded is counted, without a time. One view shows all recordings, in order
 * of time. Memory grows with the number of rows.
 * Return: 0; what tfs_table_new() and tfs_spans_new() return. Release with tfs_view_free().
 */
int tfs_syscalls_new(const struct tfs_syscalls_opts *opts, struct tfs_view **view,
		     struct tfs_err *err);

#endif
