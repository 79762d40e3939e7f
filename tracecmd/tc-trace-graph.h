/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_GRAPH_H
#define TC_TRACE_GRAPH_H

struct tfs_err;
struct tfs_trace;
struct tfs_view;
struct trace_strace;

/** strace_graph_check() - options that are about system calls have no meaning with --graph */
int strace_graph_check(const struct trace_strace *req, struct tfs_err *err);
/** strace_graph_request() - trace the functions of --graph in the main buffer; 0 or -ENOMEM */
int strace_graph_request(struct trace_strace *req);
/** strace_graph_view() - their calls, as they happen; 0 or -errno with @err set */
int strace_graph_view(const struct trace_strace *req, struct tfs_trace *trace,
		      struct tfs_view **view, struct tfs_err *err);
/** strace_graph_notice() - after the run: say which of them were not called */
void strace_graph_notice(const struct trace_strace *req, const struct tfs_view *view);

#endif
