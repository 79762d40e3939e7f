/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/align.h"

#include <errno.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "clock/clock-map.h"
#include "rewrite/image.h"
#include "tracedat/dat-compared.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-guest.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-shift.h"

/* A recording, its clocks and its id */
struct side {
	struct tfs_dat_compared rec;
	uint64_t id;
};

static int refuse(const struct tfs_dat *dat, const char *why, struct tfs_err *err)
{
	return tfs_err_say(err, -EINVAL, "'%s' cannot be aligned: %s", tfs_dat_path(dat), why);
}

static int read_side(struct side *s, struct tfs_dat *dat, struct tfs_err *err)
{
	static const struct tfs_dat_time_opts opts = { .raw = false };
	int rc;

	if (!tfs_dat_trace_id(dat, &s->id))
		return refuse(dat, "it has no id (option TRACEID)", err);
	if (tfs_dat_option_last(dat, TFS_DAT_TIME_SHIFT))
		return refuse(dat, "its times are those of another recording already", err);
	if (tfs_dat_option_last(dat, TFS_DAT_TSC2NSEC))
		return refuse(dat, "its clock counts cycles", err);
	rc = tfs_dat_compared_read(&s->rec, dat, &opts, err);
	if (!rc && !s->rec.has_events)
		rc = refuse(dat, "it has no events", err);
	if (!rc && !s->rec.clocks)
		rc = refuse(dat, "its clock was not compared with any other", err);
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
		.add = tfs_dat_time_offset(to->rec.time) - tfs_dat_time_offset(from->rec.time),
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
	struct side from = { .id = 0 }, to = { .id = 0 };
	struct tfs_clock_map *map = NULL;
	int rc;

	if (!is_of_this_machine(image))
		return refuse(dat, "it is of a machine of the other byte order", err);
	rc = read_side(&from, dat, err);
	if (!rc)
		rc = read_side(&to, other, err);
	if (!rc && tfs_dat_compared_map(&from.rec, &to.rec, &map))
		rc = tfs_err_set(err, -ENOMEM, "cannot align '%s'", tfs_dat_path(dat));
	if (!rc && (!map || tfs_clock_map_worst(map) == UINT64_MAX))
		rc = refuse(dat, "both were not compared with one clock", err);
	if (!rc) {
		*bound = tfs_clock_map_worst(map);
		if (put_shift(image, &from, &to, map))
			rc = tfs_err_set(err, -ENOMEM, "cannot align '%s'", tfs_dat_path(dat));
	}
	tfs_clock_map_free(map);
	tfs_dat_compared_release(&from.rec);
	tfs_dat_compared_release(&to.rec);
	return rc;
}
