/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relay/compare.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "tracedat/dat-clocks.h"
#include "tracedat/dat-host.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-time.h"

/* Round trips of a comparison, and how long it may take: the first of both ends it */
#define TRIPS 40
#define COMPARE_NS (500 * (uint64_t)NS_PER_MSEC)
/* Without any answer it may take so long: a slow link, or much to be sent before */
#define WAIT_NS (2 * (uint64_t)NS_PER_SEC)
#define INTERVAL_NS (10 * (uint64_t)NS_PER_SEC)
/* Sources of a file have numbers above that of its own CLOCK_REALTIME. */
#define NUMBERS_MAX 2000u

static uint64_t now_ns(void)
{
	uint64_t now = 0;

	return tfs_clock_probe_now("mono", &now) ? 0 : now;
}

void tfs_relay_compare_stop(struct tfs_relay_compare *c)
{
	c->state = TFS_RELAY_COMPARE_OFF;
	c->waits = false;
}

/* Clocks that programs can read; those that count no nanoseconds cannot be compared at all. */
static const char *readable(const char *clock)
{
	static const char *const names[] = { "mono", "mono_raw", "boot", "tai" };
	static const char *const by_realtime[] = { "local", "global", "perf", "uptime" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(clock, names[i]))
			return names[i];
	for (size_t i = 0; i < ARRAY_SIZE(by_realtime); i++)
		if (!strcmp(clock, by_realtime[i]))
			return "real";
	return NULL;
}

static void thin(struct tfs_relay_compare *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i += 2)
		c->samples[kept++] = c->samples[i];
	c->n = kept;
}

static void end_comparison(struct tfs_relay_compare *c, uint64_t now)
{
	struct tfs_clock_sample sample;

	c->state = TFS_RELAY_COMPARE_IDLE;
	c->next_ns = now + INTERVAL_NS;
	c->waits = false;
	if (!c->burst.n || tfs_clock_trip_sample(&c->burst.best, &sample))
		return;
	if (c->n == TFS_RELAY_SAMPLES)
		thin(c);
	c->samples[c->n++] = sample;
}

void tfs_relay_compare_now(struct tfs_relay_compare *c)
{
	if (!*c->clock)
		return;
	/* One that is being made counts with the trips that it has. */
	if (c->state == TFS_RELAY_COMPARE_ASKING)
		end_comparison(c, 0);
	c->state = TFS_RELAY_COMPARE_IDLE;
	c->next_ns = 0;
	c->waits = false;
}

void tfs_relay_compare_start(struct tfs_relay_compare *c, const char *clock)
{
	const char *name = readable(clock);

	tfs_relay_compare_stop(c);
	/* Samples of another clock cannot be of the same recording. */
	if (!name || (c->n && strcmp(c->clock, name) != 0))
		return;
	snprintf(c->clock, sizeof(c->clock), "%s", name);
	tfs_relay_compare_now(c);
}

static bool is_over(const struct tfs_relay_compare *c, uint64_t now)
{
	return c->burst.n + c->burst.bad >= TRIPS ||
	       now > c->began_ns + (c->burst.n ? COMPARE_NS : WAIT_NS);
}

bool tfs_relay_compare_ask(struct tfs_relay_compare *c, char *line)
{
	const uint64_t now = now_ns();

	if (c->state == TFS_RELAY_COMPARE_IDLE && now >= c->next_ns) {
		c->state = TFS_RELAY_COMPARE_ASKING;
		c->began_ns = now;
		c->burst = TFS_CLOCK_BURST_INIT;
	}
	if (c->state != TFS_RELAY_COMPARE_ASKING)
		return false;
	if (is_over(c, now)) {
		end_comparison(c, now);
		return false;
	}
	if (c->waits)
		return false;
	c->waits = true;
	c->probe.seq++;
	memcpy(c->probe.name, c->clock, sizeof(c->probe.name));
	tfs_clock_probe_ask(&c->probe, line);
	c->trip.t0 = now_ns();
	return true;
}

void tfs_relay_compare_answer(struct tfs_relay_compare *c, const char *line, uint64_t ns)
{
	int rc;

	if (!c->waits)
		return;
	rc = tfs_clock_probe_parse_answer(line, &c->probe);
	if (rc == -EBADMSG || rc == -ESTALE)
		return;
	c->waits = false;
	if (rc) {
		tfs_relay_compare_stop(c);
		return;
	}
	c->trip.t1 = c->probe.t1;
	c->trip.t2 = c->probe.t2;
	c->trip.t3 = ns;
	tfs_clock_burst_add(&c->burst, &c->trip);
}

/* A number that no source of the file has */
static uint32_t free_number(const struct tfs_dat_clocks *clocks)
{
	const struct tfs_dat_clock_pair *pairs;
	uint32_t number = TFS_DAT_CLOCK_REALTIME + 1;
	size_t n;

	pairs = tfs_dat_clocks_all(clocks, &n);
	while (number < NUMBERS_MAX && tfs_dat_clocks_source(clocks, number))
		number++;
	/* Pairs without a name would get this one. */
	for (size_t i = 0; i < n; i++)
		if (pairs[i].source >= number && pairs[i].source != UINT32_MAX)
			number = pairs[i].source + 1;
	return number;
}

/* The trace clock when CLOCK_REALTIME of the host showed what was answered */
static int find_line(struct tfs_dat *dat, const struct tfs_dat_clocks *clocks,
		     struct tfs_clock_line **line)
{
	const struct tfs_dat_time_opts raw = { .raw = true };
	struct tfs_dat_time *time = NULL;
	int rc = tfs_dat_time_new(dat, &raw, &time, NULL);

	if (!rc)
		rc = tfs_dat_clock_line(dat, clocks, time, "", NULL, line);
	tfs_dat_time_free(time);
	return rc == -ENOMEM ? rc : 0;
}

static int put_sample(const struct tfs_clock_sample *sample, const struct tfs_clock_line *line,
		      uint32_t number, struct tfs_strbuf *payload)
{
	struct tfs_clock_sample back = { .local = sample->local };
	struct tfs_dat_clock_pair pair = {
		.ref = sample->ref,
		.source = number,
		.method = TFS_DAT_CLOCK_TRIP,
	};

	if (line)
		tfs_clock_line_back(line, sample->local, &back);
	if (back.bound > UINT64_MAX - sample->bound)
		return 0;
	pair.trace = back.local;
	pair.bound = sample->bound + back.bound;
	return tfs_dat_clocks_add(payload, &pair);
}

int tfs_relay_compare_put(const struct tfs_relay_compare *c, struct tfs_dat *dat, const char *name,
			  struct tfs_strbuf *payload)
{
	const bool converts = !strcmp(c->clock, "real");
	struct tfs_dat_clocks *clocks = NULL;
	struct tfs_clock_line *line = NULL;
	uint32_t number;
	int rc;

	if (!c->n)
		return 0;
	rc = tfs_dat_clocks_new(dat, &clocks);
	if (!rc && converts)
		rc = find_line(dat, clocks, &line);
	if (rc || (converts && !line))
		goto out;
	number = free_number(clocks);
	rc = tfs_dat_private_begin(payload);
	if (!rc)
		rc = tfs_dat_clocks_add_source(payload, number, name);
	for (size_t i = 0; i < c->n && !rc; i++)
		rc = put_sample(&c->samples[i], line, number, payload);
out:
	tfs_clock_line_free(line);
	tfs_dat_clocks_free(clocks);
	return rc;
}
