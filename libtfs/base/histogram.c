/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/histogram.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf-core.h"

#define PER_OCTAVE 128
#define OCTAVES (TFS_HISTOGRAM_BUCKETS / PER_OCTAVE)
/* Powers of two as bpftrace has them: 0, 1, [2, 4) and so on to [2^63, 2^64) */
#define POWERS 65
#define BAR 52
/* 100 percent, in thousandths */
#define WHOLE UINT64_C(100000)

void tfs_histogram_release(struct tfs_histogram *h)
{
	for (size_t i = 0; h->octave && i < OCTAVES; i++)
		free(h->octave[i]);
	free(h->octave);
	free(h->value);
	*h = (struct tfs_histogram){ 0 };
}

static int add_count(struct tfs_histogram *h, unsigned int bucket, uint64_t n)
{
	uint64_t **octave = &h->octave[bucket / PER_OCTAVE];

	if (!*octave)
		*octave = calloc(PER_OCTAVE, sizeof(**octave));
	if (!*octave)
		return -ENOMEM;
	(*octave)[bucket % PER_OCTAVE] += n;
	return 0;
}

/* From here on values are only counted. */
static int spill(struct tfs_histogram *h)
{
	int rc = 0;

	h->octave = calloc(OCTAVES, sizeof(*h->octave));
	if (!h->octave)
		return -ENOMEM;
	for (size_t i = 0; i < h->stats.n && !rc; i++)
		rc = add_count(h, tfs_histogram_bucket(h->value[i]), 1);
	if (rc) {
		for (size_t i = 0; i < OCTAVES; i++)
			free(h->octave[i]);
		free(h->octave);
		h->octave = NULL;
		return rc;
	}
	free(h->value);
	h->value = NULL;
	h->alloc = 0;
	return 0;
}

int tfs_histogram_add(struct tfs_histogram *h, uint64_t value)
{
	int rc = 0;

	if (!h->octave && h->stats.n == TFS_HISTOGRAM_KEEP)
		rc = spill(h);
	if (!rc && h->octave)
		rc = add_count(h, tfs_histogram_bucket(value), 1);
	else if (!rc)
		rc = tfs_grow(&h->value, &h->alloc, h->stats.n + 1);
	if (rc)
		return rc;
	if (!h->octave)
		h->value[h->stats.n] = value;
	tfs_stats_add(&h->stats, value);
	return 0;
}

int tfs_histogram_merge(struct tfs_histogram *h, const struct tfs_histogram *from)
{
	int rc = 0;

	if (!from->octave) {
		for (size_t i = 0; i < from->stats.n && !rc; i++)
			rc = tfs_histogram_add(h, from->value[i]);
		return rc;
	}
	if (!h->octave)
		rc = spill(h);
	for (unsigned int b = 0; b < TFS_HISTOGRAM_BUCKETS && !rc; b++) {
		uint64_t n = tfs_histogram_count(from, b);

		rc = n ? add_count(h, b, n) : 0;
	}
	if (!rc)
		tfs_stats_merge(&h->stats, &from->stats);
	return rc;
}

uint64_t tfs_histogram_low(unsigned int bucket)
{
	unsigned int octave = bucket / PER_OCTAVE;

	return octave ? (uint64_t)(PER_OCTAVE + bucket % PER_OCTAVE) << (octave - 1) : bucket;
}

uint64_t tfs_histogram_high(unsigned int bucket)
{
	return bucket + 1 < TFS_HISTOGRAM_BUCKETS ? tfs_histogram_low(bucket + 1) - 1 : UINT64_MAX;
}

uint64_t tfs_histogram_count(const struct tfs_histogram *h, unsigned int bucket)
{
	uint64_t n = 0;

	if (h->octave)
		return h->octave[bucket / PER_OCTAVE] ?
			       h->octave[bucket / PER_OCTAVE][bucket % PER_OCTAVE] :
			       0;
	for (size_t i = 0; i < h->stats.n; i++)
		n += tfs_histogram_bucket(h->value[i]) == bucket;
	return n;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* ceil(percent * n / 100000), at least 1, without overflow */
static uint64_t rank_of(uint64_t n, unsigned int percent)
{
	uint64_t rank = n / WHOLE * percent + (n % WHOLE * percent + WHOLE - 1) / WHOLE;

	return rank + !rank;
}

/* The bucket that the value of a rank is in */
static unsigned int bucket_of_rank(const struct tfs_histogram *h, uint64_t rank)
{
	uint64_t before = 0;

	for (unsigned int b = 0; b < TFS_HISTOGRAM_BUCKETS; b++) {
		if (b % PER_OCTAVE == 0 && !h->octave[b / PER_OCTAVE]) {
			b += PER_OCTAVE - 1;
			continue;
		}
		before += tfs_histogram_count(h, b);
		if (before >= rank)
			return b;
	}
	return TFS_HISTOGRAM_BUCKETS - 1;
}

uint64_t tfs_histogram_percentile(const struct tfs_histogram *h, unsigned int percent)
{
	uint64_t rank = rank_of(h->stats.n, percent), low, high;
	uint64_t sorted[TFS_HISTOGRAM_KEEP];
	unsigned int bucket;

	if (!h->stats.n || rank == 1)
		return h->stats.min;
	if (rank == h->stats.n)
		return h->stats.max;
	if (!h->octave) {
		memcpy(sorted, h->value, h->stats.n * sizeof(*sorted));
		qsort(sorted, (size_t)h->stats.n, sizeof(*sorted), compare);
		return sorted[rank - 1];
	}
	bucket = bucket_of_rank(h, rank);
	low = tfs_histogram_low(bucket);
	high = tfs_histogram_high(bucket);
	low = low < h->stats.min ? h->stats.min : low;
	high = high > h->stats.max ? h->stats.max : high;
	return low + (high - low) / 2;
}

static unsigned int power_of(uint64_t value)
{
	return value ? 64 - (unsigned int)__builtin_clzll(value) : 0;
}

static void count_powers(const struct tfs_histogram *h, uint64_t n[POWERS])
{
	memset(n, 0, POWERS * sizeof(*n));
	if (!h->octave) {
		for (size_t i = 0; i < h->stats.n; i++)
			n[power_of(h->value[i])]++;
		return;
	}
	for (unsigned int b = 0; b < TFS_HISTOGRAM_BUCKETS; b++)
		n[power_of(tfs_histogram_low(b))] += tfs_histogram_count(h, b);
}

/* 2^@power with a suffix: 512, 1K */
static void label(char *text, size_t size, unsigned int power)
{
	static const char suffix[][2] = { "", "K", "M", "G", "T", "P", "E" };

	snprintf(text, size, "%u%s", 1u << power % 10, suffix[power / 10]);
}

int tfs_histogram_log2(const struct tfs_histogram *h, struct tfs_strbuf *out)
{
	unsigned int first = power_of(h->stats.min), last = power_of(h->stats.max);
	char range[40], low[16], high[16];
	uint64_t n[POWERS], most = 1;
	int rc = 0;

	count_powers(h, n);
	for (unsigned int i = first; i <= last; i++)
		most = n[i] > most ? n[i] : most;
	for (unsigned int i = first; h->stats.n && i <= last && !rc; i++) {
		int bar = (int)((double)n[i] / (double)most * BAR);

		if (i < 2) {
			snprintf(range, sizeof(range), "[%u]", i);
		} else {
			label(low, sizeof(low), i - 1);
			label(high, sizeof(high), i);
			snprintf(range, sizeof(range), "[%s, %s)", low, high);
		}
		rc = tfs_strbuf_addf(out, "%-16s%8" PRIu64 " |%.*s%*s|\n", range, n[i], bar,
				     "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@",
				     BAR - bar, "");
	}
	return rc;
}
