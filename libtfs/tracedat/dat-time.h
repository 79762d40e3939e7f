/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_TIME_H
#define TFS_TRACEDAT_DAT_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_clock_map;
struct tfs_dat;
struct tfs_err;

/**
 * struct tfs_dat_time - how recorded time stamps become those that are shown
 *
 * In this order: a guest's stamps to its host's clock (option TIME_SHIFT), cycles to nanoseconds
 * (TSC2NSEC, or as the user says), then the offsets of DATE and OFFSET. Units are those of the
 * trace clock.
 */
struct tfs_dat_time;

/**
 * struct tfs_dat_time_opts - @raw: leave stamps as they are; @no_date: do not add DATE's offset
 * @unit: nanoseconds of a unit of the clock, instead of what TSC2NSEC says; 0: not known
 * @map: to the time line of another host, instead of adding the offsets of DATE and OFFSET;
 *	borrowed; NULL: none. Not with @raw
 * @map_offset: what is added after it
 */
struct tfs_dat_time_opts {
	bool raw;
	bool no_date;
	double unit;
	const struct tfs_clock_map *map;
	uint64_t map_offset;
};

/** tfs_dat_time_new() - from the options of @dat (not kept); faults in them are noted as damage */
int tfs_dat_time_new(struct tfs_dat *dat, const struct tfs_dat_time_opts *opts,
		     struct tfs_dat_time **out, struct tfs_err *err);
void tfs_dat_time_free(struct tfs_dat_time *t);
/** tfs_dat_time_fix() - the stamp of an entry of @cpu */
uint64_t tfs_dat_time_fix(const struct tfs_dat_time *t, unsigned int cpu, uint64_t ts);
/** tfs_dat_time_offset() - of DATE and OFFSET, or of @map_offset: what is added at last */
uint64_t tfs_dat_time_offset(const struct tfs_dat_time *t);
/** tfs_dat_time_has_shift() - does TIME_SHIFT convert the stamps to another host's clock? */
bool tfs_dat_time_has_shift(const struct tfs_dat_time *t);
/** tfs_dat_time_peer() - trace id of the recording with that clock; false without TIME_SHIFT */
bool tfs_dat_time_peer(const struct tfs_dat_time *t, uint64_t *id);
/** tfs_dat_time_is_offset() - whether all there is to do is to add *@offset, on any CPU */
bool tfs_dat_time_is_offset(const struct tfs_dat_time *t, uint64_t *offset);

#endif
