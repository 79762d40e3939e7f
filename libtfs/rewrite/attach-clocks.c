/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/attach-clocks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/err.h"
#include "clock/clock-line.h"
#include "clock/clock-map.h"
#include "tracedat/dat-clocks.h"
#include "tracedat/dat-host.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-shift.h"
#include "tracedat/dat-time.h"
#include "tracedat/seek.h"

/* One of the two recordings, with its time stamps as they are */
struct side {
	struct tfs_dat *dat;
	struct tfs_dat_clocks *clocks;
	struct tfs_dat_time *time;
	struct tfs_clock_line *line;
	struct tfs_dat_clock_about about;
};

static int open_side(struct side *s, struct tfs_dat *dat, struct tfs_err *err)
{
	static const struct tfs_dat_time_opts raw = { .raw = true };

	s->dat = dat;
	return tfs_dat_clocks_new(dat, &s->clocks) ? -ENOMEM :
						     tfs_dat_time_new(dat, &raw, &s->time, err);
}

static void close_side(struct side *s)
{
	tfs_dat_clocks_free(s->clocks);
	tfs_dat_time_free(s->time);
	tfs_clock_line_free(s->line);
}

static int find_line(struct side *s, const char *source)
{
	tfs_clock_line_free(s->line);
	s->line = NULL;
	return tfs_dat_clock_line(s->dat, s->clocks, s->time, source, &s->about, &s->line);
}

/* A clock with a name that both were compared with, else each one's CLOCK_REALTIME */
static int find_lines(struct side *host, struct side *guest, const char **source)
{
	const struct tfs_dat_clock_pair *pairs;
	size_t n;
	int rc = 0;

	pairs = tfs_dat_clocks_all(guest->clocks, &n);
	for (size_t i = 0; i < n && !rc; i++) {
		*source = tfs_dat_clocks_source(guest->clocks, pairs[i].source);
		if (!*source || !**source || (i && pairs[i].source == pairs[i - 1].source))
			continue;
		rc = find_line(host, *source);
		if (!rc && host->line)
			rc = find_line(guest, *source);
		if (!rc && host->line && guest->line)
			return 0;
	}
	*source = "";
	if (!rc)
		rc = find_line(host, *source);
	return rc ? rc : find_line(guest, *source);
}

/* CLOCK_REALTIME of host and guest are two clocks. */
static uint64_t error_of(const struct side *host, const struct side *guest, const char *source)
{
	if (*source)
		return 0;
	if (!host->about.is_synced || !guest->about.is_synced ||
	    host->about.maxerror > UINT64_MAX / 4 || guest->about.maxerror > UINT64_MAX / 4)
		return UINT64_MAX;
	return host->about.maxerror + guest->about.maxerror;
}

static int not_compared(const struct side *host, const struct side *guest, struct tfs_err *err)
{
	tfs_err_say(err, -EINVAL, "the clocks of '%s' and '%s' were not compared",
		    tfs_dat_path(host->dat), tfs_dat_path(guest->dat));
	tfs_err_hint(err, "say with -s what is added to the guest's time stamps");
	return -EINVAL;
}

/* Readers add this to the host's times, but not to the guest's: options OFFSET and DATE */
static int differ_by(const struct side *host, const struct side *guest, uint64_t *add,
		     struct tfs_err *err)
{
	static const struct tfs_dat_time_opts shown = { 0 };
	struct tfs_dat_time *h = NULL, *g = NULL;
	int rc = tfs_dat_time_new(host->dat, &shown, &h, err);

	if (!rc)
		rc = tfs_dat_time_new(guest->dat, &shown, &g, err);
	if (!rc)
		*add = tfs_dat_time_offset(h) - tfs_dat_time_offset(g);
	tfs_dat_time_free(h);
	tfs_dat_time_free(g);
	return rc;
}

static int shift(struct side *host, struct side *guest, const struct tfs_dat_shift *what,
		 struct tfs_strbuf *payload, uint64_t *bound, struct tfs_err *err)
{
	struct tfs_clock_map *map = NULL;
	struct tfs_dat_shift sum = *what;
	struct tfs_bounds bounds = { 0 };
	struct tfs_clock_span span;
	const char *source;
	int rc = find_lines(host, guest, &source);

	if (rc)
		return rc;
	if (!host->line || !guest->line)
		return not_compared(host, guest, err);
	rc = differ_by(host, guest, &sum.add, err);
	if (rc)
		return rc;
	rc = tfs_seek_all_bounds(guest->dat, guest->time, &bounds, err);
	if (rc < 0)
		return rc;
	span = (struct tfs_clock_span){ bounds.first, bounds.last };
	rc = tfs_clock_map_new(guest->line, host->line, &span, error_of(host, guest, source), &map);
	if (!rc) {
		*bound = tfs_clock_map_worst(map);
		rc = tfs_dat_shift_put(payload, map, &sum);
		if (rc && rc != -ENOMEM)
			tfs_err_set(err, rc,
				    "'%s': the clock's line does not fit for %" PRIu32 " CPUs",
				    tfs_dat_path(guest->dat), what->cpus);
	}
	tfs_clock_map_free(map);
	return rc;
}

int tfs_attach_clocks(struct tfs_dat *host, struct tfs_dat *guest, const struct tfs_dat_shift *what,
		      struct tfs_strbuf *payload, uint64_t *bound, struct tfs_err *err)
{
	struct side h = { 0 }, g = { 0 };
	int rc = open_side(&h, host, err);

	if (!rc)
		rc = open_side(&g, guest, err);
	if (!rc)
		rc = shift(&h, &g, what, payload, bound, err);
	close_side(&h);
	close_side(&g);
	return rc == -ENOMEM ? tfs_err_set(err, rc, "cannot compare the clocks") : rc;
}
