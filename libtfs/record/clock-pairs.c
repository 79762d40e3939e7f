/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/clock-pairs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>

#include "base/array.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "clock/clock-line.h"
#include "clock/round-trip.h"
#include "record/clocks.h"
#include "record/remote.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-write.h"

/* Readings are repeated so often: the narrowest counts. Those of a file take longer. */
#define READS 20
#define FILE_READS 5
/* "now ts" has microseconds; the clock "uptime" counts jiffies, of 10 ms at the most. */
#define STATS_NS 1000
/* The number that the other side's clock has in the file */
#define REMOTE 1u
#define JIFFY_NS (10 * NS_PER_MSEC)

void tfs_clock_pairs_release(struct tfs_clock_pairs *pairs)
{
	free(pairs->v);
	*pairs = (struct tfs_clock_pairs){ .n = 0 };
}

uint32_t tfs_clock_pairs_kind(const char *clock)
{
	if (!strcmp(clock, "counter"))
		return TFS_DAT_CLOCK_COUNTER;
	return strcmp(clock, "local") != 0 ? 0 : TFS_DAT_CLOCK_PER_CPU;
}

static uint64_t read_clock(const char *name)
{
	uint64_t ns = 0;

	return tfs_clock_probe_now(name, &ns) ? 0 : ns;
}

/* The trace clock is one that programs can read: once before and once after the other */
static void read_between(const char *clock, struct tfs_dat_clock_pair *pair)
{
	uint64_t before, real, after;

	for (int i = 0; i < READS; i++) {
		before = read_clock(clock);
		real = read_clock("real");
		after = read_clock(clock);
		if ((after - before) / 2 + 1 >= pair->bound)
			continue;
		pair->bound = (after - before) / 2 + 1;
		pair->trace = before + (after - before) / 2;
		pair->ref = real;
	}
	pair->method = TFS_DAT_CLOCK_READ;
}

/* The kernel says what its clock shows: the other one before and after */
static int read_stats(const struct tfs_clock_pairs *pairs, struct tfs_dat_clock_pair *pair)
{
	uint64_t before, trace, width;
	int rc = 0;

	for (int i = 0; i < FILE_READS && !rc; i++) {
		before = read_clock("real");
		rc = tfs_clocks_trace(pairs->root, pairs->inst, pairs->cpu, &trace);
		width = read_clock("real") - before;
		if (rc || width >= pair->bound)
			continue;
		pair->bound = width;
		pair->trace = trace;
		pair->ref = before + width / 2;
	}
	pair->bound = pair->bound / 2 + 1 + STATS_NS;
	if (!strcmp(pairs->clock, "uptime"))
		pair->bound += JIFFY_NS;
	pair->method = TFS_DAT_CLOCK_STATS;
	return rc;
}

/* How well the host's CLOCK_REALTIME is known; only read, which anybody may */
static void read_discipline(struct tfs_dat_clock_pair *pair)
{
	struct timex tx = { .modes = 0 };
	int state = adjtimex(&tx);

	if (state < 0)
		return;
	pair->status = (uint32_t)tx.status;
	if (state == TIME_ERROR || tx.status & STA_UNSYNC || tx.maxerror < 0 || tx.esterror < 0)
		return;
	pair->flags |= TFS_DAT_CLOCK_SYNCED;
	pair->maxerror = (uint64_t)tx.maxerror * NS_PER_USEC;
	pair->esterror = (uint64_t)tx.esterror * NS_PER_USEC;
}

/* Drops every other pair with either clock. */
static void thin(struct tfs_clock_pairs *pairs)
{
	size_t kept = 0, met[2] = { 0, 0 };

	for (size_t i = 0; i < pairs->n; i++)
		if (met[pairs->v[i].source == REMOTE]++ % 2 == 0)
			pairs->v[kept++] = pairs->v[i];
	pairs->n = kept;
	pairs->written /= 2;
}

static int add(struct tfs_clock_pairs *pairs, const struct tfs_dat_clock_pair *pair)
{
	if (pairs->n >= pairs->most)
		thin(pairs);
	if (tfs_grow(&pairs->v, &pairs->cap, pairs->n + 1))
		return -ENOMEM;
	pairs->v[pairs->n++] = *pair;
	return 0;
}

int tfs_clock_pairs_compare(struct tfs_clock_pairs *pairs)
{
	const struct tfs_record_remote *remote = pairs->remote;
	struct tfs_dat_clock_pair pair = { .source = REMOTE, .method = TFS_DAT_CLOCK_TRIP };
	struct tfs_clock_sample sample;
	const char *name;

	if (!remote || !remote->compare || !strcmp(pairs->clock, "real") ||
	    remote->compare(remote->context, pairs->clock, &sample, &name))
		return 0;
	snprintf(pairs->reference, sizeof(pairs->reference), "%s", name);
	pair.trace = sample.local;
	pair.ref = sample.ref;
	pair.bound = sample.bound;
	return add(pairs, &pair);
}

int tfs_clock_pairs_take(struct tfs_clock_pairs *pairs)
{
	struct tfs_dat_clock_pair pair = { .bound = UINT64_MAX };
	uint64_t now;

	pairs->next_ns = (int64_t)read_clock("mono") + TFS_CLOCK_PAIRS_NS;
	if (tfs_clock_pairs_kind(pairs->clock) & TFS_DAT_CLOCK_COUNTER)
		return 0;
	/* CLOCK_REALTIME is not a trace clock of this name. */
	if (strcmp(pairs->clock, "real") != 0 && !tfs_clock_probe_now(pairs->clock, &now))
		read_between(pairs->clock, &pair);
	else if (read_stats(pairs, &pair))
		return 0;
	read_discipline(&pair);
	return add(pairs, &pair) ? -ENOMEM : tfs_clock_pairs_compare(pairs);
}

int64_t tfs_clock_pairs_left(const struct tfs_clock_pairs *pairs)
{
	int64_t now = (int64_t)read_clock("mono");

	return now < pairs->next_ns ? pairs->next_ns - now : 0;
}

int tfs_clock_pairs_write(struct tfs_clock_pairs *pairs, struct tfs_dat_writer *writer, bool last)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_dat_private_begin(&sb);

	if (!rc)
		rc = tfs_dat_clocks_add_kind(&sb, tfs_clock_pairs_kind(pairs->clock), pairs->clock);
	if (!rc && *pairs->reference)
		rc = tfs_dat_clocks_add_source(&sb, REMOTE, pairs->reference);
	for (size_t i = pairs->written ? pairs->written - 1 : 0; i < pairs->n && !rc; i++)
		rc = tfs_dat_clocks_add(&sb, &pairs->v[i]);
	if (!rc)
		rc = tfs_dat_writer_option(writer, TFS_DAT_PRIVATE_CLOCKS, sb.s, sb.len);
	if (last)
		pairs->written = pairs->n;
	tfs_strbuf_release(&sb);
	return rc;
}
