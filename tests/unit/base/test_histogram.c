/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/few-stats.h"
#include "base/histogram.h"
#include "base/macros.h"
#include "base/percentiles.h"
#include "base/stats.h"
#include "base/strbuf-core.h"
#include "lib/alloc_fail.h"

#define MANY 300000

static const unsigned int asked[] = { 0, 50000, 90000, 95000, 99000, 99900, 100000 };

struct fixture {
	struct tfs_percentiles p;
	struct tfs_histogram h, other;
	struct tfs_strbuf text;
	uint64_t *value, *sorted;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->value = calloc(MANY, sizeof(*f->value));
	f->sorted = calloc(MANY, sizeof(*f->sorted));
	tfs_strbuf_init(&f->text);
	*state = f;
	return f->value && f->sorted ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	alloc_fail_off();
	tfs_percentiles_release(&f->p);
	tfs_histogram_release(&f->h);
	tfs_histogram_release(&f->other);
	tfs_strbuf_release(&f->text);
	free(f->value);
	free(f->sorted);
	free(f);
	return 0;
}

/* xorshift64: the same numbers everywhere */
static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void buckets_are_exact_below_128_and_within_a_128th_above(void **state)
{
	unsigned int before = 0;

	(void)state;
	for (uint64_t v = 0; v < 128; v++) {
		assert_int_equal(tfs_histogram_low(tfs_histogram_bucket(v)), v);
		assert_int_equal(tfs_histogram_high(tfs_histogram_bucket(v)), v);
	}
	for (unsigned int b = 0; b < TFS_HISTOGRAM_BUCKETS; b++) {
		uint64_t low = tfs_histogram_low(b), high = tfs_histogram_high(b);

		assert_int_equal(tfs_histogram_bucket(low), b);
		assert_int_equal(tfs_histogram_bucket(high), b);
		assert_true(high - low <= low / 128);
		assert_true(!b || tfs_histogram_high(before) + 1 == low);
		before = b;
	}
	assert_true(tfs_histogram_high(before) == UINT64_MAX);
}

/* Passes until everything is exact, at most @most; then compares with the sorted values. */
static void check_percentiles(struct fixture *f, size_t n, int most)
{
	int again, passes = 1;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(tfs_percentiles_add(&f->p, f->value[i]), 0);
	again = tfs_percentiles_rank(&f->p, asked, ARRAY_SIZE(asked));
	for (; again == 1; passes++) {
		for (size_t i = 0; i < n; i++)
			tfs_percentiles_again(&f->p, f->value[i]);
		again = tfs_percentiles_next(&f->p);
	}
	assert_int_equal(again, 0);
	assert_true(passes <= most);
	memcpy(f->sorted, f->value, n * sizeof(*f->value));
	qsort(f->sorted, n, sizeof(*f->sorted), compare);
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		/* Nearest rank: the smallest with at least p percent at or below it */
		size_t rank = (size_t)((asked[i] * (uint64_t)n + 99999) / 100000);
		bool exact;

		assert_int_equal(tfs_percentiles_value(&f->p, i, &exact),
				 f->sorted[rank ? rank - 1 : 0]);
		assert_true(exact);
	}
	tfs_percentiles_release(&f->p);
}

static void percentiles_are_those_of_the_sorted_values(void **state)
{
	struct fixture *f = *state;
	uint64_t x = 1;

	for (unsigned int shift = 0; shift < 64; shift += 9) {
		for (size_t i = 0; i < 20000; i++)
			f->value[i] = next_random(&x) >> (next_random(&x) % 32 + shift / 2);
		check_percentiles(f, 20000, 2);
	}
	for (size_t n = 1; n < 600; n += 37) {
		for (size_t i = 0; i < n; i++)
			f->value[i] = next_random(&x) % 5000;
		check_percentiles(f, n, n <= TFS_HISTOGRAM_KEEP ? 1 : 2);
	}
}

static void a_bucket_with_too_many_values_to_keep_is_divided(void **state)
{
	struct fixture *f = *state;
	uint64_t x = 7;

	/* All in one bucket of 2^33 values, so that it has more parts than values are kept */
	for (size_t i = 0; i < MANY; i++)
		f->value[i] = (UINT64_C(1) << 40) + (next_random(&x) & ((UINT64_C(1) << 33) - 1));
	assert_int_equal(tfs_histogram_bucket(f->value[0]), tfs_histogram_bucket(f->value[1]));
	check_percentiles(f, MANY, 3);
}

static void without_a_second_pass_percentiles_are_near(void **state)
{
	struct fixture *f = *state;
	const unsigned int median = 50 * TFS_PERCENT;
	uint64_t got;
	bool exact;

	for (uint64_t i = 1; i <= 100000; i++)
		assert_int_equal(tfs_percentiles_add(&f->p, i), 0);
	assert_int_equal(tfs_percentiles_rank(&f->p, &median, 1), 1);
	got = tfs_percentiles_value(&f->p, 0, &exact);
	assert_false(exact);
	assert_in_range(got, 50000 - 200, 50000 + 200);
}

static void a_second_pass_with_other_values_is_not_believed(void **state)
{
	struct fixture *f = *state;
	const unsigned int median = 50 * TFS_PERCENT;
	bool exact;

	for (uint64_t i = 1; i <= 1000; i++)
		assert_int_equal(tfs_percentiles_add(&f->p, i * 1000), 0);
	assert_int_equal(tfs_percentiles_rank(&f->p, &median, 1), 1);
	assert_int_equal(tfs_percentiles_next(&f->p), 0);
	tfs_percentiles_value(&f->p, 0, &exact);
	assert_false(exact);
}

static void merged_histograms_count_what_one_would(void **state)
{
	struct fixture *f = *state;
	struct tfs_histogram all = { 0 };
	uint64_t x = 3;
	bool same = true;

	for (size_t i = 0; i < 5000; i++) {
		uint64_t v = next_random(&x) >> next_random(&x) % 60;

		assert_int_equal(tfs_histogram_add(i < 100 ? &f->h : &f->other, v), 0);
		assert_int_equal(tfs_histogram_add(&all, v), 0);
	}
	assert_int_equal(tfs_histogram_merge(&f->h, &f->other), 0);
	for (unsigned int b = 0; b < TFS_HISTOGRAM_BUCKETS; b++)
		same &= tfs_histogram_count(&f->h, b) == tfs_histogram_count(&all, b);
	tfs_histogram_release(&all);
	assert_true(same);
	assert_int_equal(f->h.stats.n, 5000);
}

static void prints_powers_of_two(void **state)
{
	struct fixture *f = *state;
	static const uint64_t values[] = { 0, 1, 1, 2, 3, 3, 3, 700, 1023, 1024, 2047, 1500, 1500 };

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		assert_int_equal(tfs_histogram_add(&f->h, values[i]), 0);
	assert_int_equal(tfs_histogram_log2(&f->h, &f->text), 0);
	assert_non_null(strstr(f->text.s,
			       "[0]                    1 |@@@@@@@@@@@@@                     "
			       "                  |\n"
			       "[1]                    2 |@@@@@@@@@@@@@@@@@@@@@@@@@@        "
			       "                  |\n"
			       "[2, 4)                 4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
			       "@@@@@@@@@@@@@@@@@@|\n"
			       "[4, 8)                 0 |"));
	assert_non_null(strstr(f->text.s, "\n[512, 1K)              2 |"));
	assert_non_null(strstr(f->text.s, "\n[1K, 2K)               4 |"));
	assert_null(strstr(f->text.s, "[2K"));
}

static void sums_are_exact_beyond_64_bits(void **state)
{
	struct tfs_stats s = { 0 }, half = { 0 };

	(void)state;
	tfs_stats_add(&s, UINT64_MAX);
	tfs_stats_add(&half, UINT64_MAX - 2);
	tfs_stats_add(&half, UINT64_MAX - 4);
	tfs_stats_merge(&s, &half);
	assert_int_equal(s.n, 3);
	assert_true(tfs_stats_sum(&s) == UINT64_MAX);
	assert_true(tfs_stats_mean(&s) == UINT64_MAX - 2);
	/* 0, -2, -4: variance 4 */
	assert_int_equal(tfs_stats_stddev(&s), 2);
	assert_true(s.min == UINT64_MAX - 4);
	assert_true(s.max == UINT64_MAX);
}

static void stddev_is_that_of_the_sample(void **state)
{
	struct tfs_stats s = { 0 };
	static const uint64_t v[] = { 2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000 };

	(void)state;
	assert_int_equal(tfs_stats_stddev(&s), 0);
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		tfs_stats_add(&s, v[i]);
	/* Squared differences from 5000: 32 million; over 7, its root */
	assert_int_equal(tfs_stats_stddev(&s), 2138);
	assert_int_equal(tfs_stats_mean(&s), 5000);
	assert_int_equal(tfs_stats_sum(&s), 40000);
}

static void few_values_have_the_sums_of_many(void **state)
{
	static const uint64_t v[] = { 7, 3, UINT64_MAX, 0, 9 };
	struct tfs_few_stats few = { 0 };
	struct tfs_stats all = { 0 }, got;

	(void)state;
	assert_int_equal(tfs_few_stats_max(&few), 0);
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		got = tfs_few_stats_all(&few);
		assert_memory_equal(&got, &all, sizeof(got));
		assert_int_equal(tfs_few_stats_add(&few, v[i]), 0);
		tfs_stats_add(&all, v[i]);
		assert_true(tfs_few_stats_max(&few) == all.max);
	}
	tfs_few_stats_release(&few);
	alloc_fail_at(0);
	assert_int_equal(tfs_few_stats_add(&few, 1), 0);
	assert_int_equal(tfs_few_stats_add(&few, 2), -ENOMEM);
	alloc_fail_off();
	assert_int_equal(few.n, 1);
	assert_int_equal(tfs_few_stats_all(&few).max, 1);
}

static void a_value_without_memory_is_not_counted(void **state)
{
	struct fixture *f = *state;
	uint64_t n = 0, x = 5;

	for (unsigned long fail = 1; fail < 40; fail++) {
		alloc_fail_at(fail);
		for (int i = 0; i < 400; i++)
			n += !tfs_histogram_add(&f->h, next_random(&x) >> 20);
		alloc_fail_off();
		assert_int_equal(f->h.stats.n, n);
		if (fail % 3 == 0) {
			tfs_histogram_release(&f->h);
			n = 0;
		}
	}
}

/* By nearest rank in the sorted values; counted ones within half a bucket */
static void a_percentile_of_the_histogram_is_that_of_the_values(void **state)
{
	static const size_t numbers[] = { 1, 2, 3, 100, TFS_HISTOGRAM_KEEP, 257, MANY };
	struct fixture *f = *state;
	uint64_t x = 88172645463325252;

	assert_int_equal(tfs_histogram_percentile(&f->h, 99000), 0);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		size_t n = numbers[i];

		tfs_histogram_release(&f->h);
		for (size_t k = 0; k < n; k++) {
			f->sorted[k] = next_random(&x) >> (next_random(&x) % 50);
			assert_int_equal(tfs_histogram_add(&f->h, f->sorted[k]), 0);
		}
		qsort(f->sorted, n, sizeof(*f->sorted), compare);
		for (size_t k = 0; k < ARRAY_SIZE(asked); k++) {
			size_t rank = (asked[k] * n + 99999) / 100000;
			uint64_t want = f->sorted[rank ? rank - 1 : 0];
			uint64_t got = tfs_histogram_percentile(&f->h, asked[k]);
			uint64_t off = got > want ? got - want : want - got;

			assert_true(off <= (n > TFS_HISTOGRAM_KEEP ? want / 256 + 1 : 0));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(buckets_are_exact_below_128_and_within_a_128th_above),
		TEST(percentiles_are_those_of_the_sorted_values),
		TEST(a_bucket_with_too_many_values_to_keep_is_divided),
		TEST(without_a_second_pass_percentiles_are_near),
		TEST(a_second_pass_with_other_values_is_not_believed),
		TEST(merged_histograms_count_what_one_would),
		TEST(prints_powers_of_two),
		TEST(a_percentile_of_the_histogram_is_that_of_the_values),
		TEST(sums_are_exact_beyond_64_bits),
		TEST(stddev_is_that_of_the_sample),
		TEST(few_values_have_the_sums_of_many),
		TEST(a_value_without_memory_is_not_counted),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
