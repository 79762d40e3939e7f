/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_LIVE_PROGRAM_H
#define TC_TRACE_LIVE_PROGRAM_H

struct tfs_err;
struct trace_strace;

/** strace_live_show() - trace and show at once; returns the exit status */
int strace_live_show(struct trace_strace *req, struct tfs_err *err);

#endif
