/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/stats.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"

/* Digits of 32 bits, the lowest first, of a product of 256 bits. */
#define DIGITS 8

static void add_limbs(uint64_t *to, size_t n, const uint64_t *v, size_t n_v)
{
	uint64_t carry = 0;

	for (size_t i = 0; i < n && (i < n_v || carry); i++) {
		uint64_t a = i < n_v ? v[i] : 0, sum = to[i] + a;
		uint64_t out = sum < a;

		to[i] = sum + carry;
		carry = out | (to[i] < sum);
	}
}

static void square(uint64_t v, uint64_t out[2])
{
	uint64_t low = v & UINT32_MAX, high = v >> 32, middle = low * high;

	/* (high 2^32 + low)^2, the middle product twice */
	out[0] = low * low;
	out[1] = high * high + (middle >> 31);
	add_limbs(out, 2, (const uint64_t[1]){ middle << 33 }, 1);
}

void tfs_stats_add(struct tfs_stats *s, uint64_t value)
{
	uint64_t sq[2];

	if (!s->n || value < s->min)
		s->min = value;
	if (value > s->max)
		s->max = value;
	s->n++;
	s->sum[0] += value;
	s->sum[1] += s->sum[0] < value;
	square(value, sq);
	add_limbs(s->squares, ARRAY_SIZE(s->squares), sq, ARRAY_SIZE(sq));
}

void tfs_stats_merge(struct tfs_stats *s, const struct tfs_stats *from)
{
	if (!from->n)
		return;
	if (!s->n || from->min < s->min)
		s->min = from->min;
	if (from->max > s->max)
		s->max = from->max;
	s->n += from->n;
	add_limbs(s->sum, ARRAY_SIZE(s->sum), from->sum, ARRAY_SIZE(from->sum));
	add_limbs(s->squares, ARRAY_SIZE(s->squares), from->squares, ARRAY_SIZE(from->squares));
}

uint64_t tfs_stats_sum(const struct tfs_stats *s)
{
	return s->sum[1] ? UINT64_MAX : s->sum[0];
}

uint64_t tfs_stats_mean(const struct tfs_stats *s)
{
	uint64_t mean = 0, rest = 0;

	if (!s->n || !s->sum[1])
		return s->n ? s->sum[0] / s->n : 0;
	/* Long division, bit by bit: the mean is below the maximum, so 64 bits are enough. */
	for (int i = 127; i >= 0; i--) {
		uint64_t bit = s->sum[i / 64] >> (i % 64) & 1, over = rest >> 63;

		rest = rest << 1 | bit;
		mean <<= 1;
		if (over || rest >= s->n) {
			rest -= s->n;
			mean |= 1;
		}
	}
	return mean;
}

static void to_digits(const uint64_t *v, size_t n, uint32_t out[DIGITS])
{
	for (size_t i = 0; i < DIGITS; i++)
		out[i] = i / 2 < n ? (uint32_t)(v[i / 2] >> (i % 2 * 32)) : 0;
}

/* Both operands' product has at most 256 bits. */
static void multiply(const uint32_t x[DIGITS], const uint32_t y[DIGITS], uint32_t out[DIGITS])
{
	for (size_t i = 0; i < DIGITS; i++)
		out[i] = 0;
	for (size_t i = 0; i < DIGITS; i++) {
		uint64_t carry = 0;

		for (size_t j = 0; x[i] && i + j < DIGITS; j++) {
			carry += out[i + j] + (uint64_t)x[i] * y[j];
			out[i + j] = (uint32_t)carry;
			carry >>= 32;
		}
	}
}

/* Is @value squared, times @scale, at most @limit? */
static bool is_below_root(uint64_t value, const uint32_t scale[DIGITS],
			  const uint32_t limit[DIGITS])
{
	uint32_t root[DIGITS], sq[DIGITS];

	to_digits(&value, 1, root);
	multiply(root, root, sq);
	multiply(sq, scale, root);
	for (size_t i = DIGITS; i--;)
		if (root[i] != limit[i])
			return root[i] < limit[i];
	return true;
}

uint64_t tfs_stats_stddev(const struct tfs_stats *s)
{
	uint32_t n[DIGITS], less_one[DIGITS], squares[DIGITS], sum[DIGITS];
	uint32_t all[DIGITS], less[DIGITS], scale[DIGITS];
	uint64_t range = s->max - s->min, root = 0;
	int64_t borrow = 0;

	if (s->n < 2 || !range)
		return 0;
	to_digits(&s->n, 1, n);
	to_digits(&(uint64_t){ s->n - 1 }, 1, less_one);
	to_digits(s->squares, ARRAY_SIZE(s->squares), squares);
	to_digits(s->sum, ARRAY_SIZE(s->sum), sum);
	/* The variance is (n * squares - sum * sum) / (n * (n - 1)). */
	multiply(n, squares, all);
	multiply(sum, sum, less);
	multiply(n, less_one, scale);
	for (size_t i = 0; i < DIGITS; i++) {
		borrow += (int64_t)all[i] - less[i];
		all[i] = (uint32_t)borrow;
		borrow >>= 32;
	}
	/* It is not larger than the range. */
	for (int bit = 63 - __builtin_clzll(range); bit >= 0; bit--)
		if (is_below_root(root | UINT64_C(1) << bit, scale, all))
			root |= UINT64_C(1) << bit;
	return root;
}
