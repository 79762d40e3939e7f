/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACE_DATE_H
#define TRACE_DATE_H

#include <stdint.h>

#include "record/session.h"

struct tfs_err;
struct tfs_journal;
struct tfs_root;

/** struct trace_date - what makes reports show the time of day; @option points to @text */
struct trace_date {
	char text[32];
	struct tfs_session_option option;
};

/**
 * trace_date() - compare a clock of the kernel's with the time of day (--date)
 * @clock: as in trace_clock; NULL: the default
 * @journal: for the instance that is created temporarily to compare the clocks; NULL for none
 *
 * Return: 0 or -errno with @err set.
 */
int trace_date(const struct tfs_root *root, const char *clock, struct tfs_journal *journal,
	       struct trace_date *date, struct tfs_err *err);

/**
 * trace_marker_time() - the time stamp of the first tracing_mark_write in the text of a trace
 * @usec: set to it in microseconds; for clocks that count, to the count
 *
 * Pure. Return: 0 or -ENOENT.
 */
int trace_marker_time(const char *trace, uint64_t *usec);

#endif
