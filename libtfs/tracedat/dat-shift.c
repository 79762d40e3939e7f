/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-shift.h"

#include <errno.h>
#include <stddef.h>

#include "base/strbuf-core.h"
#include "clock/clock-map.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-records.h"

/* Interpolate between two samples. */
#define INTERPOLATE 1u
/* 32 MiB for all CPUs; a recording of an hour has 360 for each */
#define SAMPLES_MAX (UINT64_C(1) << 20)

enum column { TIMES, OFFSETS, SCALINGS, N_COLUMNS };

static int put_column(struct tfs_strbuf *payload, const struct tfs_clock_map *map,
		      enum column column, uint64_t add)
{
	uint64_t local, time;
	int rc = 0;

	for (size_t i = 0; tfs_clock_map_node(map, i, &local, &time) && !rc; i++) {
		uint64_t value = 1;

		if (column == TIMES)
			value = local;
		else if (column == OFFSETS)
			value = time - local + add;
		rc = tfs_dat_put_u64(payload, value);
	}
	return rc;
}

static uint32_t count(const struct tfs_clock_map *map)
{
	uint64_t local, time;
	uint32_t n = 0;

	while (tfs_clock_map_node(map, n, &local, &time))
		n++;
	return n;
}

int tfs_dat_shift_put(struct tfs_strbuf *payload, const struct tfs_clock_map *map,
		      const struct tfs_dat_shift *shift)
{
	uint32_t n = count(map);
	int rc;

	if (!shift->cpus || shift->cpus > TFS_DAT_CPUS_SANE)
		return -EINVAL;
	if ((uint64_t)shift->cpus * n > SAMPLES_MAX)
		return -E2BIG;
	rc = tfs_dat_put_u64(payload, shift->peer);
	if (!rc)
		rc = tfs_dat_put_u32(payload, INTERPOLATE);
	if (!rc)
		rc = tfs_dat_put_u32(payload, shift->cpus);
	for (uint32_t cpu = 0; cpu < shift->cpus && !rc; cpu++) {
		rc = tfs_dat_put_u32(payload, n);
		for (unsigned int column = TIMES; column < N_COLUMNS && !rc; column++)
			rc = put_column(payload, map, (enum column)column, shift->add);
	}
	/* The scalings have no fractional bits. */
	for (uint64_t i = 0; i < (uint64_t)shift->cpus * n && !rc; i++)
		rc = tfs_dat_put_u64(payload, 0);
	return rc;
}
