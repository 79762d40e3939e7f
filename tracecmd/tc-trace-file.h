/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_FILE_H
#define TC_TRACE_FILE_H

struct tfs_err;
struct trace_strace;

/** strace_file_show() - tc-trace -i FILE; returns an exit status, with @err set unless it is 0 */
int strace_file_show(const struct trace_strace *req, struct tfs_err *err);

#endif
