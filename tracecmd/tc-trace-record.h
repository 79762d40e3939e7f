/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_RECORD_H
#define TC_TRACE_RECORD_H

struct strace_proc;
struct tfs_err;
struct trace_keep;
struct trace_strace;

/**
 * strace_record_end() - --record: complete the file and free @keep; tracing is off
 * @proc: what was asked of /proc, which the file gets
 * @rc: 0, or what failed meanwhile: the file has what was read until then
 *
 * Return: @rc; if that is 0, -errno with @err set.
 */
int strace_record_end(struct trace_keep *keep, const struct trace_strace *req,
		      const struct strace_proc *proc, int rc, struct tfs_err *err);

#endif
