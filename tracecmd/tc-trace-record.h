/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_RECORD_H
#define TC_TRACE_RECORD_H

struct strace_proc;
struct tfs_dat_clock;
struct tfs_err;
struct trace_live;
struct trace_strace;

/**
 * struct strace_record - --record: what is shown is recorded as well, as tc-record does it
 *
 * The ring buffers are read once: strace_record_page() gets each sub-buffer that is read.
 */
struct strace_record;

/**
 * strace_record_new() - begin the file; after trace_live_open() and before trace_live_start()
 *
 * Return: 0 or -errno with @err set, and no file is left.
 */
int strace_record_new(const struct trace_strace *req, struct trace_live *live,
		      struct strace_record **out, struct tfs_err *err);
/** strace_record_page() - a sub-buffer that was read; 0 or -errno with @err set */
int strace_record_page(struct strace_record *r, unsigned int cpu, const void *page,
		       struct tfs_err *err);
/** strace_record_tick() - have what was read in the file, now and then; 0 or -errno, @err set */
int strace_record_tick(struct strace_record *r, struct tfs_err *err);
/** strace_record_clock() - the clocks as the file has them; @trace 0: not known; borrowed */
const struct tfs_dat_clock *strace_record_clock(const struct strace_record *r);
/**
 * strace_record_end() - complete the file and free @r; tracing is off
 * @proc: what was asked of /proc, which the file gets
 * @rc: 0, or what failed meanwhile: the file has what was read until then
 *
 * Return: @rc; if that is 0, -errno with @err set.
 */
int strace_record_end(struct strace_record *r, const struct strace_proc *proc, int rc,
		      struct tfs_err *err);

#endif
