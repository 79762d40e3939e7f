/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/align.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "clock/clock-line.h"
#include "clock/clock-map.h"
#include "rewrite/image.h"
#include "tracedat/dat-clocks.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-guest.h"
#include "tracedat/dat-host.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-shift.h"
#include "tracedat/dat-time.h"
#include "tracedat/seek.h"

/* Sources of pairs that are tried at the most */
#define SOURCES_MAX 16

/* A recording and its clocks */
struct side {
	struct tfs_dat *dat;
	struct tfs_dat_clocks *clocks;
	struct tfs_dat_time *time;
	struct tfs_clock_span span;
	char boot[TFS_DAT_BOOT_SIZE];
	uint64_t id;
};

static void release(struct side *s)
{
	tfs_dat_clocks_free(s->clocks);
	tfs_dat_time_free(s->time);
}

static int refuse(const struct side *s, const char *why, struct tfs_err *err)
{
	return tfs_err_say(err, -EINVAL, "'%s' cannot be aligned: %s", tfs_dat_path(s->dat), why);
}

static int read_side(struct side *s, struct tfs_err *err)
{
	const struct tfs_dat_time_opts opts = { .raw = false };
	struct tfs_bounds bounds = { 0 };
	int rc;

	if (!tfs_dat_trace_id(s->dat, &s->id))
		return refuse(s, "it has no id (option TRACEID)", err);
	if (tfs_dat_option_last(s->dat, TFS_DAT_TIME_SHIFT))
		return refuse(s, "its times are those of another recording already", err);
	if (tfs_dat_option_last(s->dat, TFS_DAT_TSC2NSEC))
		return refuse(s, "its clock counts cycles", err);
	rc = tfs_dat_time_new(s->dat, &opts, &s->time, err);
	if (!rc && tfs_dat_clocks_new(s->dat, &s->clocks))
		rc = tfs_err_set(err, -ENOMEM, "cannot align '%s'", tfs_dat_path(s->dat));
	if (!rc)
		rc = tfs_seek_all_bounds(s->dat, s->time, &bounds, err);
	if (!rc)
		return refuse(s, "it has no events", err);
	if (rc < 0)
		return rc;
	if (!s->clocks)
		return refuse(s, "its clock was not compared with any other", err);
	s->span.first = bounds.first - tfs_dat_time_offset(s->time);
	s->span.last = bounds.last - tfs_dat_time_offset(s->time);
	if (!tfs_dat_boot(s->dat, s->boot))
		*s->boot = '\0';
	return 0;
}

/* How far the CLOCK_REALTIME of both may be apart; UINT64_MAX: it is not known */
static uint64_t realtime_error(const struct side *from, const struct side *to,
			       const struct tfs_dat_clock_about *a,
			       const struct tfs_dat_clock_about *b)
{
	if (*from->boot && !strcmp(from->boot, to->boot))
		return 0;
	if (!a->is_synced || !b->is_synced || a->maxerror > UINT64_MAX - b->maxerror)
		return UINT64_MAX;
	return a->maxerror + b->maxerror;
}

/* Keeps the map by @source if it is better than *@best. */
static int try_source(const struct side *from, const struct side *to, const char *source,
		      struct tfs_clock_map **best)
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
		rc = tfs_clock_map_new(a, b, &from->span, extra, &map);
	}
	if (!rc && map && tfs_clock_map_worst(map) != UINT64_MAX &&
	    (!*best || tfs_clock_map_worst(map) < tfs_clock_map_worst(*best))) {
		tfs_clock_map_free(*best);
		*best = map;
		map = NULL;
	}
	tfs_clock_map_free(map);
	tfs_clock_line_free(a);
	tfs_clock_line_free(b);
	return rc;
}

static int find_map(const struct side *from, const struct side *to, struct tfs_clock_map **map)
{
	const struct tfs_dat_clock_pair *pairs;
	const char *name;
	size_t n, tried = 0;
	int rc = try_source(from, to, "", map);

	pairs = tfs_dat_clocks_all(from->clocks, &n);
	for (size_t i = 0; i < n && !rc && tried < SOURCES_MAX; i++) {
		if (i && pairs[i].source == pairs[i - 1].source)
			continue;
		name = tfs_dat_clocks_source(from->clocks, pairs[i].source);
		if (!name || !*name)
			continue;
		tried++;
		rc = try_source(from, to, name, map);
	}
	return rc;
}

static bool is_of_this_machine(const struct tfs_image *image)
{
	return image->big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static int put_shift(struct tfs_image *image, const struct side *from, const struct side *to,
		     const struct tfs_clock_map *map)
{
	const struct tfs_dat_shift shift = {
		.peer = to->id,
		.cpus = image->cpus,
		.add = tfs_dat_time_offset(to->time) - tfs_dat_time_offset(from->time),
	};
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_dat_shift_put(&sb, map, &shift);

	if (!rc)
		rc = tfs_image_add_option(image, TFS_DAT_TIME_SHIFT, sb.s, sb.len);
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_align_to(struct tfs_image *image, struct tfs_dat *dat, struct tfs_dat *other,
		 uint64_t *bound, struct tfs_err *err)
{
	struct side from = { .dat = dat }, to = { .dat = other };
	struct tfs_clock_map *map = NULL;
	int rc;

	if (!is_of_this_machine(image))
		return refuse(&from, "it is of a machine of the other byte order", err);
	rc = read_side(&from, err);
	if (!rc)
		rc = read_side(&to, err);
	if (!rc && find_map(&from, &to, &map))
		rc = tfs_err_set(err, -ENOMEM, "cannot align '%s'", tfs_dat_path(dat));
	if (!rc && !map)
		rc = refuse(&from, "both were not compared with one clock", err);
	if (!rc) {
		*bound = tfs_clock_map_worst(map);
		if (put_shift(image, &from, &to, map))
			rc = tfs_err_set(err, -ENOMEM, "cannot align '%s'", tfs_dat_path(dat));
	}
	tfs_clock_map_free(map);
	release(&from);
	release(&to);
	return rc;
}
