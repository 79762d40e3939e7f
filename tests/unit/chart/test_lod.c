/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "chart/lod.h"
#include "lib/alloc_fail.h"

static int teardown(void **state)
{
	(void)state;
	alloc_fail_off();
	return 0;
}

/* The first bucket of a level, 0 the finest, and its length */
static size_t level(const struct tfs_lod *lod, unsigned int n, uint64_t *first, size_t *len)
{
	uint64_t last = lod->first + lod->n - 1;
	size_t at = 0;

	*first = lod->first;
	for (; n; n--) {
		at += (size_t)(last - *first) + 1;
		*first >>= 2;
		last >>= 2;
	}
	*len = (size_t)(last - *first) + 1;
	return at;
}

static void a_bucket_has_its_share_and_longest_name(void **state)
{
	struct tfs_lod lod = { 0 };

	(void)state;
	assert_int_equal(tfs_lod_begin(&lod, 0, 255, 10), 0);
	assert_int_equal(lod.shift, 2); /* 64 buckets of 4 ns: not more than TFS_LOD_LAST */
	tfs_lod_add(&lod, 0, 1, 7);
	tfs_lod_add(&lod, 2, 2, 8);  /* three quarters of bucket 0, most of it 8 */
	tfs_lod_add(&lod, 6, 4, 9);  /* half of buckets 1 and 2 */
	tfs_lod_add(&lod, 16, 0, 5); /* no time, but it is there */
	assert_int_equal(tfs_lod_end(&lod), 0);
	assert_int_equal(lod.n, 64);
	assert_int_equal(lod.levels, 1);
	assert_int_equal(lod.share[0], 191);
	assert_int_equal(lod.name[0], 8);
	assert_int_equal(lod.share[1], 127);
	assert_int_equal(lod.name[1], 9);
	assert_int_equal(lod.share[2], 127);
	assert_int_equal(lod.share[3], 0);
	assert_int_equal(lod.name[3], TFS_LOD_NONE);
	assert_int_equal(lod.share[4], 1);
	assert_int_equal(lod.name[4], 5);
	tfs_lod_release(&lod);
}

static void levels_join_four_buckets_until_few_are_left(void **state)
{
	struct tfs_lod lod = { 0 };
	uint64_t i, first, k;
	size_t at, len, below, below_len;
	uint64_t below_first;
	unsigned int n;

	(void)state;
	/* buckets of 4 ns from an odd place on; each second one full, names in turn */
	assert_int_equal(tfs_lod_begin(&lod, 4012, 20000, 8000), 0);
	assert_int_equal(lod.shift, 2);
	for (i = 4012; i < 20000; i += 8)
		tfs_lod_add(&lod, i, 4, (uint32_t)(i / 8 % 3));
	assert_int_equal(tfs_lod_end(&lod), 0);
	at = level(&lod, lod.levels - 1, &first, &len);
	assert_true(len <= TFS_LOD_LAST);
	assert_int_equal(at + len, lod.total);
	for (n = 1; n < lod.levels; n++) {
		at = level(&lod, n, &first, &len);
		below = level(&lod, n - 1, &below_first, &below_len);
		for (i = 0; i < len; i++) {
			unsigned int sum = 0;

			for (k = (first + i) * 4; k < (first + i) * 4 + 4; k++)
				if (k >= below_first && k < below_first + below_len)
					sum += lod.share[below + (size_t)(k - below_first)];
			assert_int_equal(lod.share[at + i], (sum + 3) / 4);
			assert_true(!sum == (lod.name[at + i] == TFS_LOD_NONE));
		}
	}
	tfs_lod_release(&lod);
}

static void a_level_is_bounded_by_the_slices(void **state)
{
	struct tfs_lod lod = { 0 };

	(void)state;
	assert_int_equal(tfs_lod_begin(&lod, 0, UINT64_MAX / 2, 5000), 0);
	assert_true(lod.n <= 2500);
	tfs_lod_add(&lod, 0, UINT64_MAX / 2, 1);
	assert_int_equal(tfs_lod_end(&lod), 0);
	assert_int_equal(lod.share[0], 255);
	/* up to the last nanosecond but one */
	assert_int_equal(lod.share[lod.n - 1], 254);
	alloc_fail_at(0);
	assert_int_equal(tfs_lod_begin(&lod, 0, 1 << 30, 1 << 24), -ENOMEM);
	assert_true(alloc_fail_off());
	tfs_lod_release(&lod);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_bucket_has_its_share_and_longest_name, teardown),
		cmocka_unit_test_teardown(levels_join_four_buckets_until_few_are_left, teardown),
		cmocka_unit_test_teardown(a_level_is_bounded_by_the_slices, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
