/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_KERNEL_LINES_H
#define TFS_VIEW_KERNEL_LINES_H

struct tfs_trace;
struct tfs_view;

/**
 * tfs_kernel_lines_new() - the lines that the kernel's file "trace" has
 * @trace: borrowed; outlives the view. Opened with tfs_trace_opts.kernel
 *
 * The layout is that of the kernel that recorded (kernel/trace/trace.c, trace_output.c and
 * trace_syscalls.c), as its release says, with the options of tracing as they are at first. The
 * line that counts the entries is left out: records may have been selected. Lines that depend on
 * others, as of function_graph, are tfs_kernel_view_new()'s.
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_kernel_lines_new(struct tfs_trace *trace, struct tfs_view **view);

#endif
