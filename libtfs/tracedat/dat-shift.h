/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_SHIFT_H
#define TFS_TRACEDAT_DAT_SHIFT_H

#include <stdint.h>

struct tfs_clock_map;
struct tfs_strbuf;

/**
 * struct tfs_dat_shift - besides the map
 * @peer: trace id of the recording with the time line
 * @cpus: of this one
 * @add: to all times on that line, modulo 2^64
 */
struct tfs_dat_shift {
	uint64_t peer;
	uint32_t cpus;
	uint64_t add;
};

/**
 * tfs_dat_shift_put() - append the bytes of option TIME_SHIFT, which trace-cmd applies as well
 * @map: of the recording's time stamps as they are recorded, in ns: not for one with TSC2NSEC,
 *	whose stamps are shifted before they are converted
 *
 * The option has no place for bounds. Whoever reads the recording, also alone, sees its stamps on
 * the other time line: it belongs into a copy that is made to be merged. tfs_dat_time_new() reads
 * it. Host byte order.
 * Return: 0; -EINVAL for no CPUs, or more than a file can have; -E2BIG for more than a million
 * samples of all CPUs; -ENOMEM.
 */
int tfs_dat_shift_put(struct tfs_strbuf *payload, const struct tfs_clock_map *map,
		      const struct tfs_dat_shift *shift);

#endif
