/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-compared.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "clock/clock-line.h"
#include "tracedat/dat-clocks.h"
#include "tracedat/dat-read.h"
#include "tracedat/seek.h"

/* Clocks that are tried at the most */
#define SOURCES_MAX 16

int tfs_dat_compared_read(struct tfs_dat_compared *c, struct tfs_dat *dat,
			  const struct tfs_dat_time_opts *opts, struct tfs_err *err)
{
	struct tfs_bounds bounds = { 0 };
	int rc;

	*c = (struct tfs_dat_compared){ .dat = dat };
	rc = tfs_dat_time_new(dat, opts, &c->time, err);
	if (!rc && tfs_dat_clocks_new(dat, &c->clocks))
		rc = tfs_err_set(err, -ENOMEM, "cannot read the clocks of '%s'", tfs_dat_path(dat));
	if (!rc)
		rc = tfs_seek_all_bounds(dat, c->time, &bounds, err);
	if (rc < 0)
		return rc;
	c->has_events = rc;
	c->span.first = bounds.first - tfs_dat_time_offset(c->time);
	c->span.last = bounds.last - tfs_dat_time_offset(c->time);
	if (!tfs_dat_boot(dat, c->boot))
		*c->boot = '\0';
	return 0;
}

void tfs_dat_compared_release(struct tfs_dat_compared *c)
{
	tfs_dat_clocks_free(c->clocks);
	tfs_dat_time_free(c->time);
	*c = (struct tfs_dat_compared){ .dat = NULL };
}

const char *tfs_dat_compared_next(const struct tfs_dat_compared *c, size_t *at)
{
	const struct tfs_dat_clock_pair *pairs;
	const char *name;
	size_t n;

	pairs = tfs_dat_clocks_all(c->clocks, &n);
	for (size_t i = *at; i < n; i++) {
		if (i && pairs[i].source == pairs[i - 1].source)
			continue;
		name = tfs_dat_clocks_source(c->clocks, pairs[i].source);
		if (!name || !*name)
			continue;
		*at = i + 1;
		return name;
	}
	*at = n;
	return NULL;
}

static uint64_t add_bounds(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* How far the CLOCK_REALTIME of both may be apart; UINT64_MAX: it is not known */
static uint64_t realtime_error(const struct tfs_dat_compared *from,
			       const struct tfs_dat_compared *to,
			       const struct tfs_dat_clock_about *a,
			       const struct tfs_dat_clock_about *b)
{
	if (*from->boot && !strcmp(from->boot, to->boot))
		return 0;
	return a->is_synced && b->is_synced ? add_bounds(a->maxerror, b->maxerror) : UINT64_MAX;
}

/* A map's own bound is that of @a. That of @b, where the times of @span are on it, comes to it. */
static int make_map(const struct tfs_clock_line *a, const struct tfs_clock_line *b,
		    const struct tfs_clock_span *span, uint64_t extra, struct tfs_clock_map **out)
{
	struct tfs_clock_map *map = NULL, *own = NULL;
	struct tfs_clock_span there;
	int rc = tfs_clock_map_new(a, b, span, 0, &map);

	if (!rc) {
		there.first = tfs_clock_map_time(map, span->first);
		there.last = tfs_clock_map_time(map, span->last);
		rc = tfs_clock_map_new(b, NULL, &there, extra, &own);
	}
	if (!rc)
		rc = tfs_clock_map_new(a, b, span, tfs_clock_map_worst(own), out);
	tfs_clock_map_free(map);
	tfs_clock_map_free(own);
	return rc;
}

/* Keeps the map by @source if it is better than *@best. */
static int try_source(const struct tfs_dat_compared *from, const struct tfs_dat_compared *to,
		      const char *source, struct tfs_clock_map **best)
{
	struct tfs_clock_line *a = NULL, *b = NULL;
	struct tfs_dat_clock_about about_a, about_b;
	struct tfs_clock_map *map = NULL;
	uint64_t extra;
	int rc = tfs_dat_clock_line(from->dat, from->clocks, from->time, source, &about_a, &a);

	if (!rc)
		rc = tfs_dat_clock_line(to->dat, to->clocks, to->time, source, &about_b, &b);
	if (!rc && a && b) {
		extra = *source ? 0 : realtime_error(from, to, &about_a, &about_b);
		rc = make_map(a, b, &from->span, extra, &map);
	}
	if (!rc && map && (!*best || tfs_clock_map_worst(map) < tfs_clock_map_worst(*best))) {
		tfs_clock_map_free(*best);
		*best = map;
		map = NULL;
	}
	tfs_clock_map_free(map);
	tfs_clock_line_free(a);
	tfs_clock_line_free(b);
	return rc;
}

int tfs_dat_compared_map(const struct tfs_dat_compared *from, const struct tfs_dat_compared *to,
			 struct tfs_clock_map **map)
{
	const char *name;
	size_t at = 0;
	int rc = 0;

	*map = NULL;
	for (size_t tried = 0; tried < SOURCES_MAX && !rc; tried++) {
		name = tfs_dat_compared_next(from, &at);
		if (!name)
			break;
		rc = try_source(from, to, name, map);
	}
	if (!rc)
		rc = try_source(from, to, "", map);
	if (rc) {
		tfs_clock_map_free(*map);
		*map = NULL;
	}
	return rc;
}
