/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_HISTOGRAM_H
#define TFS_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/stats.h"

struct tfs_strbuf;

/** TFS_HISTOGRAM_KEEP - so many values are kept themselves before they are only counted */
#define TFS_HISTOGRAM_KEEP 256
/** TFS_HISTOGRAM_BUCKETS - buckets of 64-bit values */
#define TFS_HISTOGRAM_BUCKETS 7424

/**
 * struct tfs_histogram - how often values occur, log-linear
 * @stats: exact sums over all values
 * @value: the values themselves, while there are at most TFS_HISTOGRAM_KEEP; NULL afterwards
 * @alloc: room in @value
 * @octave: then: counts of 128 buckets each, by octave; NULL: no value in it
 *
 * Values below 128 have a bucket each; above, the 128 buckets of an octave have a width of 1/128 of
 * its beginning, so a value is known within 0.8 percent. Memory: 8 bytes for each of the first
 * values, then 1 KiB for each octave that occurs. Zeroed it is empty; release with
 * tfs_histogram_release(). One thread at a time.
 */
struct tfs_histogram {
	struct tfs_stats stats;
	uint64_t *value;
	size_t alloc;
	uint64_t **octave;
};

void tfs_histogram_release(struct tfs_histogram *h);
/** tfs_histogram_add() - count a value; 0, or -ENOMEM with the value not counted */
int tfs_histogram_add(struct tfs_histogram *h, uint64_t value);
/** tfs_histogram_merge() - add what @from has; 0, or -ENOMEM: then @h is of no use */
int tfs_histogram_merge(struct tfs_histogram *h, const struct tfs_histogram *from);

/** tfs_histogram_bucket() - number of the bucket of a value, below TFS_HISTOGRAM_BUCKETS */
static inline unsigned int tfs_histogram_bucket(uint64_t value)
{
	unsigned int e = 63 - (unsigned int)__builtin_clzll(value | 64);

	/* Below 128 e is 6 and the value itself is the bucket. */
	return value < 128 ? (unsigned int)value : 128 * (e - 6) + (value >> (e - 7) & 127);
}
/** tfs_histogram_low() - the smallest value of a bucket */
uint64_t tfs_histogram_low(unsigned int bucket);
/** tfs_histogram_high() - the largest value of a bucket */
uint64_t tfs_histogram_high(unsigned int bucket);
/** tfs_histogram_count() - values in a bucket */
uint64_t tfs_histogram_count(const struct tfs_histogram *h, unsigned int bucket);

/**
 * tfs_histogram_percentile() - a percentile of the values, nearest rank; 0 without values
 * @percent: in thousandths of a percent: 99000 is the 99th; up to 100000
 *
 * A value that occurred while the values themselves are kept, and for the first and the last rank;
 * else the middle of its bucket, so known within 0.4 percent. base/percentiles.h has exact ones of
 * values that can be seen twice.
 */
uint64_t tfs_histogram_percentile(const struct tfs_histogram *h, unsigned int percent);

/**
 * tfs_histogram_log2() - append the histogram by powers of two, as bpftrace prints hist()
 *
 * One line for each power from the smallest value's to the largest's: "[8, 16)", the count, a bar
 * of at most 52 characters. Bounds have the suffixes K, M, G, T, P, E of powers of 1024. Nothing
 * without values. Return: 0 or -ENOMEM.
 */
int tfs_histogram_log2(const struct tfs_histogram *h, struct tfs_strbuf *out);

#endif
