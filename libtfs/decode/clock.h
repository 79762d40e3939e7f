/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_CLOCK_H
#define TFS_DECODE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/prefix.h"

struct tfs_trace;

/**
 * tfs_trace_time_format() - how the recording's time stamps are shown
 * @format: of times: TFS_TIME_USECS or TFS_TIME_NSECS
 *
 * The clock in brackets of the file's last TRACECLOCK option decides for all buffers, as in
 * trace-cmd; without one time is in nanoseconds. Cycles that option TSC2NSEC converts are too,
 * whatever the clock (a guest records with x86-tsc, its host adds the option afterwards).
 */
enum tfs_time_format tfs_trace_time_format(const struct tfs_trace *trace,
					   enum tfs_time_format format);

/** tfs_trace_is_ns() - are its time stamps nanoseconds, whatever trace-cmd takes them for? */
bool tfs_trace_is_ns(const struct tfs_trace *trace);

/**
 * tfs_trace_counts() - are differences of its time stamps counts of something, not nanoseconds?
 * @raw_ts: they are as recorded
 * @unit: nanoseconds of a unit of the clock, as the user says; 0: not known
 */
bool tfs_trace_counts(const struct tfs_trace *trace, bool raw_ts, double unit);

/**
 * tfs_clock_is_ns() - is this clock's unit the nanosecond? Pure
 *
 * From the kernel's trace_clocks[]: it shows these as seconds and the others (counter, uptime,
 * x86-tsc) as the integers they are. trace-cmd (@compat) takes uptime for one, and boot not.
 */
bool tfs_clock_is_ns(const char *clock, size_t len, bool compat);

#endif
