/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_STATS_H
#define TFS_BASE_STATS_H

#include <stdint.h>

/**
 * struct tfs_stats - exact sums over values, in any order
 * @n: values
 * @min, @max: 0 without values
 * @sum: 128 bits, the lowest first
 * @squares: the sum of the squares, 192 bits, the lowest first
 *
 * Zeroed it is empty; nothing to release. Integers only, so that the result depends neither on the
 * order nor on how the values were divided among threads.
 */
struct tfs_stats {
	uint64_t n, min, max;
	uint64_t sum[2];
	uint64_t squares[3];
};

void tfs_stats_add(struct tfs_stats *s, uint64_t value);
/** tfs_stats_merge() - add what @from has */
void tfs_stats_merge(struct tfs_stats *s, const struct tfs_stats *from);

/** tfs_stats_sum() - the sum; UINT64_MAX if it is larger */
uint64_t tfs_stats_sum(const struct tfs_stats *s);
/** tfs_stats_mean() - the mean, rounded down; 0 without values */
uint64_t tfs_stats_mean(const struct tfs_stats *s);
/**
 * tfs_stats_stddev() - standard deviation of the sample (n - 1), rounded down; 0 with less than two
 *
 * Computed in integers: no digits cancel.
 */
uint64_t tfs_stats_stddev(const struct tfs_stats *s);

#endif
