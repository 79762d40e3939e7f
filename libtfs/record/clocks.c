/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/clocks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/strbuf-core.h"
#include "base/time.h"
#include "tracedat/dat-tasks.h"
#include "tracefs/cpu-stats.h"

/* Readings of the clocks are tried so often: the narrowest counts. */
#define TRIES 3
#define MICROSECOND_DIGITS 6

int tfs_clocks_parse(const char *text, uint64_t *out)
{
	static const char key[] = "now ts: ";
	const char *p = strstr(text, key);
	unsigned long long whole, part;
	char *end;

	if (!p)
		return -ENODATA;
	p += strlen(key);
	whole = strtoull(p, &end, 10);
	if (end == p)
		return -ENODATA;
	*out = whole;
	/* Seconds, where the clock counts nanoseconds */
	if (*end != '.')
		return 0;
	p = end + 1;
	part = strtoull(p, &end, 10);
	if (end - p != MICROSECOND_DIGITS)
		return -ENODATA;
	*out = whole * NS_PER_SEC + part * 1000;
	return 0;
}

int tfs_clocks_trace(const struct tfs_root *root, const struct tfs_instance *inst, unsigned int cpu,
		     uint64_t *out)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_cpu_stats stats;
	int rc = tfs_cpu_stats_read(root, inst, cpu, &text, &stats);

	if (!rc)
		rc = tfs_clocks_parse(text.s, out);
	tfs_strbuf_release(&text);
	return rc;
}

int tfs_clocks_read(const struct tfs_root *root, const struct tfs_instance *inst, unsigned int cpu,
		    struct tfs_dat_clock *out)
{
	uint64_t before, real, boot, trace;
	int rc = 0;

	out->width = UINT64_MAX;
	for (int i = 0; i < TRIES && !rc; i++) {
		before = tfs_clock_ns(CLOCK_MONOTONIC);
		real = tfs_clock_ns(CLOCK_REALTIME);
		boot = tfs_clock_ns(CLOCK_BOOTTIME);
		rc = tfs_clocks_trace(root, inst, cpu, &trace);
		if (rc || tfs_clock_ns(CLOCK_MONOTONIC) - before >= out->width)
			continue;
		out->width = tfs_clock_ns(CLOCK_MONOTONIC) - before;
		out->monotonic = before;
		out->realtime = real;
		out->boottime = boot;
		out->trace = trace;
	}
	return rc;
}
