/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/percentiles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A range with more values is divided, not kept: 1 MiB. */
#define KEEP_MAX (1u << 17)
/* Into so many parts at most: 512 KiB. */
#define PARTS_MAX (1u << 16)

/*
 * Values from @low to @high: there are @n, after @before smaller ones. The next pass keeps them in
 * @slot, or, if @shift is not negative, counts them there by parts of 2^@shift values.
 */
struct tfs_percentile_range {
	uint64_t low, high, n, before;
	int shift;
	uint64_t *slot;
	size_t n_slots, kept;
};

static void free_ranges(struct tfs_percentiles *p)
{
	for (size_t i = 0; i < p->n_ranges; i++)
		free(p->range[i].slot);
	free(p->range);
	p->range = NULL;
	p->n_ranges = 0;
}

void tfs_percentiles_release(struct tfs_percentiles *p)
{
	free_ranges(p);
	free(p->want);
	tfs_histogram_release(&p->h);
	*p = (struct tfs_percentiles){ 0 };
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void set_value(struct tfs_percentile *want, uint64_t low, uint64_t high)
{
	want->value = low + (high - low) / 2;
	want->exact = low == high;
}

/* Ask the next pass for the values of a range, unless an earlier percentile did. */
static int add_range(struct tfs_percentiles *p, const struct tfs_percentile_range *range)
{
	struct tfs_percentile_range *r;

	for (size_t i = 0; i < p->n_ranges; i++)
		if (p->range[i].low == range->low)
			return 0;
	r = &p->range[p->n_ranges];
	*r = *range;
	r->shift = -1;
	r->kept = 0;
	r->n_slots = (size_t)range->n;
	if (range->n > KEEP_MAX || range->n > range->high - range->low) {
		for (r->shift = 0; (range->high - range->low) >> r->shift >= PARTS_MAX; r->shift++)
			;
		r->n_slots = (size_t)((range->high - range->low) >> r->shift) + 1;
	}
	r->slot = calloc(r->n_slots, sizeof(*r->slot));
	if (!r->slot)
		return -ENOMEM;
	p->n_ranges++;
	return 0;
}

static int new_ranges(struct tfs_percentiles *p)
{
	p->n_ranges = 0;
	p->range = calloc(p->n + 1, sizeof(*p->range));
	return p->range ? 0 : -ENOMEM;
}

/* Which buckets have the values of the ranks that are not known yet */
static int find_buckets(struct tfs_percentiles *p)
{
	int rc = new_ranges(p);

	for (size_t i = 0; i < p->n && !rc; i++) {
		struct tfs_percentile *want = &p->want[i];
		struct tfs_percentile_range r = { 0 };
		unsigned int b = 0;

		for (; b < TFS_HISTOGRAM_BUCKETS; b++) {
			r.n = tfs_histogram_count(&p->h, b);
			if (r.before + r.n >= want->rank)
				break;
			r.before += r.n;
		}
		r.low = tfs_histogram_low(b);
		r.high = tfs_histogram_high(b);
		if (r.low < p->h.stats.min)
			r.low = p->h.stats.min;
		if (r.high > p->h.stats.max)
			r.high = p->h.stats.max;
		set_value(want, r.low, r.high);
		/* The first and the last are known. */
		if (want->rank == 1)
			set_value(want, p->h.stats.min, p->h.stats.min);
		else if (want->rank == p->h.stats.n)
			set_value(want, p->h.stats.max, p->h.stats.max);
		if (!want->exact)
			rc = add_range(p, &r);
	}
	return rc ? rc : p->n_ranges > 0;
}

int tfs_percentiles_rank(struct tfs_percentiles *p, const unsigned int *percent, size_t n)
{
	uint64_t all = p->h.stats.n;

	p->want = calloc(n + 1, sizeof(*p->want));
	if (!p->want)
		return -ENOMEM;
	p->n = n;
	if (!all)
		return 0;
	if (p->h.value)
		qsort(p->h.value, (size_t)all, sizeof(*p->h.value), compare);
	for (size_t i = 0; i < n; i++) {
		const uint64_t whole = UINT64_C(100) * TFS_PERCENT;
		struct tfs_percentile *want = &p->want[i];

		/* ceil(percent * all / whole) without overflow */
		want->rank =
			all / whole * percent[i] + (all % whole * percent[i] + whole - 1) / whole;
		want->rank += !want->rank;
		if (p->h.value)
			set_value(want, p->h.value[want->rank - 1], p->h.value[want->rank - 1]);
	}
	return p->h.value ? 0 : find_buckets(p);
}

void tfs_percentiles_again(struct tfs_percentiles *p, uint64_t value)
{
	for (size_t i = 0; i < p->n_ranges; i++) {
		struct tfs_percentile_range *r = &p->range[i];

		if (value < r->low || value > r->high)
			continue;
		if (r->shift >= 0)
			r->slot[(value - r->low) >> r->shift]++;
		else if (r->kept < r->n_slots)
			r->slot[r->kept++] = value;
		return;
	}
}

/* The part of a range that has a rank; false: this pass had other values than the first */
static bool find_part(const struct tfs_percentile_range *r, uint64_t rank,
		      struct tfs_percentile_range *part)
{
	*part = (struct tfs_percentile_range){ .before = r->before };
	for (size_t i = 0; i < r->n_slots; i++) {
		part->n = r->slot[i];
		if (part->before + part->n >= rank) {
			part->low = r->low + ((uint64_t)i << r->shift);
			part->high = part->low + (UINT64_C(1) << r->shift) - 1;
			if (part->high > r->high || part->high < part->low)
				part->high = r->high;
			return true;
		}
		part->before += part->n;
	}
	return false;
}

static int narrow(struct tfs_percentiles *p, const struct tfs_percentile_range *r,
		  struct tfs_percentile *want)
{
	struct tfs_percentile_range part;
	uint64_t value;

	if (r->shift < 0) {
		if (want->rank - r->before > r->kept)
			return 0;
		value = r->slot[want->rank - r->before - 1];
		set_value(want, value, value);
		return 0;
	}
	if (!find_part(r, want->rank, &part))
		return 0;
	set_value(want, part.low, part.high);
	return want->exact ? 0 : add_range(p, &part);
}

int tfs_percentiles_next(struct tfs_percentiles *p)
{
	struct tfs_percentile_range *old = p->range;
	size_t n_old = p->n_ranges;
	int rc = new_ranges(p);

	for (size_t i = 0; i < n_old; i++) {
		struct tfs_percentile_range *r = &old[i];

		if (r->shift < 0)
			qsort(r->slot, r->kept, sizeof(*r->slot), compare);
		for (size_t k = 0; k < p->n && !rc; k++)
			if (!p->want[k].exact && p->want[k].rank > r->before &&
			    p->want[k].rank <= r->before + r->n)
				rc = narrow(p, r, &p->want[k]);
		free(r->slot);
	}
	free(old);
	return rc ? rc : p->n_ranges > 0;
}

uint64_t tfs_percentiles_value(const struct tfs_percentiles *p, size_t i, bool *exact)
{
	*exact = p->want[i].exact;
	return p->want[i].value;
}
