/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_PERCENTILES_H
#define TFS_BASE_PERCENTILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"

/** TFS_PERCENT - a percentile is given in thousandths of a percent: 99900 is the 99.9th */
#define TFS_PERCENT 1000u

/**
 * struct tfs_percentiles - exact percentiles of values that are seen more than once
 * @h: of all values
 * @n: number of @want
 * @want: one for each percentile, see tfs_percentiles_value()
 * @range: values that the next pass looks at, from @n_ranges; no two overlap
 *
 * The percentile p of n values is the value of rank ceil(p n / 100) (nearest rank), so one that
 * occurred. The first pass counts (tfs_percentiles_add()); tfs_percentiles_rank() then says whether
 * the values are needed again, and each further pass (tfs_percentiles_again(),
 * tfs_percentiles_next()) narrows the ranges. TFS_HISTOGRAM_KEEP values need no second pass; as a
 * rule two passes are enough. If values cannot be had again, the percentile is known within
 * 0.4 percent.
 *
 * Memory of the second pass: at most 1 MiB for each range. Zeroed it is empty; release with
 * tfs_percentiles_release(). One thread at a time.
 *
 *	while (more values) tfs_percentiles_add(&p, value);
 *	again = tfs_percentiles_rank(&p, (const unsigned int[]){ 50000, 99000 }, 2);
 *	while (again == 1) {
 *		while (the same values) tfs_percentiles_again(&p, value);
 *		again = tfs_percentiles_next(&p);
 *	}
 */
struct tfs_percentiles {
	struct tfs_histogram h;
	size_t n, n_ranges;
	struct tfs_percentile {
		uint64_t rank, value; /* from 1 */
		bool exact;
	} * want;
	struct tfs_percentile_range *range;
};

void tfs_percentiles_release(struct tfs_percentiles *p);
/** tfs_percentiles_add() - a value of the first pass; 0 or -ENOMEM */
static inline int tfs_percentiles_add(struct tfs_percentiles *p, uint64_t value)
{
	return tfs_histogram_add(&p->h, value);
}

/**
 * tfs_percentiles_rank() - end the first pass
 * @percent: @n percentiles, in thousandths of a percent, up to 100 * TFS_PERCENT
 *
 * Return: 0: all values are exact; 1: another pass is needed for that; -ENOMEM.
 */
int tfs_percentiles_rank(struct tfs_percentiles *p, const unsigned int *percent, size_t n);
/** tfs_percentiles_again() - a value of a further pass, which has the values of the first */
void tfs_percentiles_again(struct tfs_percentiles *p, uint64_t value);
/** tfs_percentiles_next() - end a further pass; returns what tfs_percentiles_rank() does */
int tfs_percentiles_next(struct tfs_percentiles *p);

/**
 * tfs_percentiles_value() - percentile number @i of those asked for
 * @exact: is it one of the values? Else it is the middle of the range that it is known to be in
 *
 * Return: 0 if there are no values.
 */
uint64_t tfs_percentiles_value(const struct tfs_percentiles *p, size_t i, bool *exact);

#endif
