/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_COMPARED_H
#define TFS_TRACEDAT_DAT_COMPARED_H

#include <stdbool.h>

#include "clock/clock-map.h"
#include "tracedat/dat-host.h"
#include "tracedat/dat-time.h"

struct tfs_dat;
struct tfs_dat_clocks;
struct tfs_err;

/**
 * struct tfs_dat_compared - a recording, and the clocks that its trace clock was compared with
 * @dat: borrowed
 * @clocks: NULL: it was compared with none
 * @time: how its time stamps are corrected
 * @span: first and last of them, corrected but for tfs_dat_time_offset()
 * @boot: id of the kernel's boot; "": the recording does not say
 *
 * A zeroed one is empty. One thread.
 */
struct tfs_dat_compared {
	struct tfs_dat *dat;
	struct tfs_dat_clocks *clocks;
	struct tfs_dat_time *time;
	struct tfs_clock_span span;
	bool has_events;
	char boot[TFS_DAT_BOOT_SIZE];
};

/**
 * tfs_dat_compared_read() - read what a recording says
 * @opts: of its time stamps
 *
 * Return: 0 or -errno; tfs_dat_compared_release() either way.
 */
int tfs_dat_compared_read(struct tfs_dat_compared *c, struct tfs_dat *dat,
			  const struct tfs_dat_time_opts *opts, struct tfs_err *err);
void tfs_dat_compared_release(struct tfs_dat_compared *c);

/**
 * tfs_dat_compared_next() - the names of the clocks that a recording was compared with, one by one
 * @at: 0 at first
 *
 * Return: a name, borrowed; NULL after the last. CLOCK_REALTIME of its host has none.
 */
const char *tfs_dat_compared_next(const struct tfs_dat_compared *c, size_t *at);

/**
 * tfs_dat_compared_map() - from the clock of one recording to that of another
 * @map: by the clock with a name that both were compared with, or by CLOCK_REALTIME of each,
 *	whichever has the smallest bound: that of both comparisons and, of CLOCK_REALTIME, of both
 *	hosts' errors; UINT64_MAX: it is not known. NULL: there is none; tfs_clock_map_free() it
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_dat_compared_map(const struct tfs_dat_compared *from, const struct tfs_dat_compared *to,
			 struct tfs_clock_map **map);

#endif
