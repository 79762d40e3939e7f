/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/clock.h"

#include <string.h>

#include "base/macros.h"
#include "decode/trace-internal.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"

/* Those that the kernel shows as seconds, and trace-cmd's name for cycles that it converts. */
bool tfs_clock_is_ns(const char *clock, size_t len, bool compat)
{
	const char *const names[] = {
		"local", "global", "perf", "tai", "tsc2nsec", compat ? "uptime" : "boot",
	};
	size_t i;

	if (len >= 4 && !strncmp(clock, "mono", 4))
		return true;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == len && !strncmp(clock, names[i], len))
			return true;
	return false;
}

/* The clock in brackets of TRACECLOCK */
static bool selected_is_ns(const struct tfs_blob *clocks, bool compat)
{
	const char *open = memchr(clocks->data, '[', clocks->size), *end;
	size_t left;

	if (!open)
		return true;
	open++;
	left = clocks->size - (size_t)(open - (const char *)clocks->data);
	end = memchr(open, ']', left);
	return !end || tfs_clock_is_ns(open, (size_t)(end - open), compat);
}

/*
 * The last TRACECLOCK decides; without one time is in nanoseconds, and so it is after TSC2NSEC, but
 * for stamps as recorded (@raw).
 */
static bool time_is_ns(const struct tfs_trace *trace, bool compat, bool raw)
{
	const struct tfs_dat *dat = trace->dat;
	const struct tfs_dat_option *o;
	bool ns = true;

	for (size_t i = 0; i < tfs_dat_n_options(dat); i++) {
		o = tfs_dat_option(dat, i);
		if (o->id == TFS_DAT_TSC2NSEC && !raw)
			return true;
		if (o->id == TFS_DAT_TRACECLOCK)
			ns = selected_is_ns(&o->data, compat);
	}
	return ns;
}

bool tfs_trace_is_ns(const struct tfs_trace *trace)
{
	return time_is_ns(trace, false, false);
}

bool tfs_trace_counts(const struct tfs_trace *trace, bool raw_ts, double unit)
{
	return (raw_ts || unit <= 0) && !time_is_ns(trace, false, raw_ts);
}

enum tfs_time_format tfs_trace_time_format(const struct tfs_trace *trace,
					   enum tfs_time_format format)
{
	return time_is_ns(trace, trace->compat, false) ? format : TFS_TIME_RAW;
}
