/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/clock.h"

#include <string.h>

#include "data/dat-read.h"
#include "report/trace-internal.h"

/* The clocks whose unit is the nanosecond, as trace-cmd knows them: "boot" is not among them. */
bool tfs_clock_is_ns(const char *clock, size_t len)
{
	static const char *const names[] = {
		"local", "global", "uptime", "perf", "tai", "tsc2nsec"
	};
	size_t i;

	if (len >= 4 && !strncmp(clock, "mono", 4))
		return true;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == len && !strncmp(clock, names[i], len))
			return true;
	return false;
}

/* The clock in brackets of the file's last TRACECLOCK; without one time is in nanoseconds. */
static bool time_is_ns(const struct tfs_dat *dat)
{
	size_t n = tfs_dat_n_options(dat);
	const struct tfs_dat_option *o;
	const char *open, *end;

	while (n--) {
		o = tfs_dat_option(dat, n);
		if (o->id != TFS_DAT_TRACECLOCK)
			continue;
		open = memchr(o->data.data, '[', o->data.size);
		if (!open)
			return true;
		open++;
		end = memchr(open, ']', o->data.size - (size_t)(open - o->data.data));
		return !end || tfs_clock_is_ns(open, (size_t)(end - open));
	}
	return true;
}

enum tfs_time_format tfs_trace_time_format(const struct tfs_trace *trace, bool nsecs)
{
	if (!time_is_ns(trace->dat))
		return TFS_TIME_RAW;
	return nsecs ? TFS_TIME_NSECS : TFS_TIME_USECS;
}
