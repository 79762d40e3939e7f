/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CLOCK_CLOCK_MAP_H
#define TFS_CLOCK_CLOCK_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_clock_line;

/**
 * struct tfs_clock_map - the time stamps of one host on the time line of another
 *
 * Both hosts' clocks were compared with the same reference. A stamp of the one becomes what the
 * other one's clock showed when the reference showed the same. Between the moments at which they
 * were compared the difference is interpolated. Constant once made, for any number of threads.
 */
struct tfs_clock_map;

/**
 * struct tfs_clock_span - the part of a recording that a map is made for
 * @first, @last: its first and last time stamp
 */
struct tfs_clock_span {
	uint64_t first, last;
};

/**
 * tfs_clock_map_new() - from @from's clock to @to's
 * @to: NULL: stamps stay as they are, and only have a bound
 * @extra: added to the bound, which else is that of @from: what is not known of the reference
 *
 * The lines are not needed afterwards. Return: 0 or -ENOMEM.
 */
int tfs_clock_map_new(const struct tfs_clock_line *from, const struct tfs_clock_line *to,
		      const struct tfs_clock_span *span, uint64_t extra,
		      struct tfs_clock_map **out);
void tfs_clock_map_free(struct tfs_clock_map *map);

/** tfs_clock_map_time() - the time on the other host's time line; does not decrease with @local */
uint64_t tfs_clock_map_time(const struct tfs_clock_map *map, uint64_t local);
/** tfs_clock_map_bound() - how far from the truth a time on that line is, in ns, at the most */
uint64_t tfs_clock_map_bound(const struct tfs_clock_map *map, uint64_t time);
/** tfs_clock_map_worst() - the greatest bound in the span */
uint64_t tfs_clock_map_worst(const struct tfs_clock_map *map);
/**
 * tfs_clock_map_node() - moment @i of those between which times are interpolated, in order
 * Return: false beyond the last one.
 */
bool tfs_clock_map_node(const struct tfs_clock_map *map, size_t i, uint64_t *local, uint64_t *time);
/** tfs_clock_map_shift() - what is added to the first time stamp of the span, in ns */
int64_t tfs_clock_map_shift(const struct tfs_clock_map *map);
/** tfs_clock_map_drift() - by how much that changes over the span, in parts per 10^9 */
double tfs_clock_map_drift(const struct tfs_clock_map *map);

#endif
