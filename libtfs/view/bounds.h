/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_BOUNDS_H
#define TFS_VIEW_BOUNDS_H

#include <stdbool.h>

struct tfs_err;
struct tfs_out;
struct tfs_trace;

/**
 * struct tfs_bounds_opts - what to print for each CPU besides its number
 * @first, @last: the time stamp of its first, its last record
 * @nsecs: with all digits (-t)
 * @raw_ts, @no_date, @unit: see tracedat/merge.h
 */
struct tfs_bounds_opts {
	bool first, last;
	bool nsecs;
	bool raw_ts, no_date;
	double unit;
};

/**
 * tfs_bounds_print() - the CPUs of the top buffer that recorded something, as trace-cmd report does
 *
 * Does not read all records of a CPU: see tracedat/seek.h. Return: 0; -ENOMEM or what writing
 * failed with, @err is set.
 */
int tfs_bounds_print(struct tfs_trace *trace, const struct tfs_bounds_opts *opts,
		     struct tfs_out *out, struct tfs_err *err);

#endif
