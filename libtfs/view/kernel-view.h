/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_KERNEL_VIEW_H
#define TFS_VIEW_KERNEL_VIEW_H

#include <stdbool.h>

struct tfs_err;
struct tfs_run_input;
struct tfs_trace;
struct tfs_view;

/**
 * struct tfs_kernel_view_opts - what decides the layout
 * @graph: calls of function_graph are drawn, as the kernel does while that is the current tracer
 * @latency: the kernel's latency format (its option latency-format)
 */
struct tfs_kernel_view_opts {
	bool graph, latency;
};

/**
 * tfs_kernel_view_new() - the lines of the kernel's file "trace" that depend on other lines
 * @trace: borrowed; outlives the view. Opened with tfs_trace_opts.kernel
 *
 * Lines that do not are tfs_kernel_lines_new()'s. The drawing is that of
 * kernel/trace/trace_functions_graph.c with its options as they are at first, the latency format
 * that of kernel/trace/trace_output.c. The kernel counts the latter's time from when the buffer
 * was cleared, which a recording does not have: here it is counted from the first line.
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_kernel_view_new(struct tfs_trace *trace, const struct tfs_kernel_view_opts *opts,
			struct tfs_view **view);

/**
 * tfs_kernel_view_has_graph() - was function_graph the current tracer?
 * @input: of it, only the selected buffers and CPUs count
 *
 * So it was if there is an entry of it among the first 65,536 records. Return: 1, 0, -errno.
 */
int tfs_kernel_view_has_graph(const struct tfs_run_input *input, struct tfs_err *err);

#endif
