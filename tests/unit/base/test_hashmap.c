/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hashmap.h"
#include "lib/alloc_fail.h"

#define MANY 5000

struct entry {
	uint64_t key;
};

struct fixture {
	struct tfs_hashmap map;
	struct entry entry[MANY];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	for (size_t i = 0; i < MANY; i++)
		f->entry[i].key = i;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	alloc_fail_off();
	tfs_hashmap_release(&f->map);
	free(f);
	return 0;
}

static bool has_key(const void *entry, const void *key)
{
	const struct entry *e = entry;
	const uint64_t *k = key;

	return e->key == *k;
}

/* Eight hashes for all keys: nearly every slot is taken by an entry of another key. */
static uint64_t bad_hash(uint64_t key)
{
	return key % 8;
}

static void nothing_is_found_in_an_empty_map(void **state)
{
	struct fixture *f = *state;
	uint64_t key = 0;

	assert_null(tfs_hashmap_find(&f->map, 0, has_key, &key));
	assert_null(tfs_hashmap_int(&f->map, 0));
}

static void finds_every_integer_that_was_added(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(tfs_hashmap_add(&f->map, tfs_hash_int(i), &f->entry[i]), 0);
	assert_int_equal(f->map.n, MANY);
	for (size_t i = 0; i < MANY; i++)
		assert_ptr_equal(tfs_hashmap_int(&f->map, i), &f->entry[i]);
	assert_null(tfs_hashmap_int(&f->map, MANY));
	assert_null(tfs_hashmap_int(&f->map, UINT64_MAX));
}

static void integers_at_the_limits_are_different(void **state)
{
	const uint64_t key[] = {
		0, 1, UINT32_MAX, UINT32_MAX + UINT64_C(1), INT64_MAX, UINT64_MAX
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < 6; i++) {
		assert_null(tfs_hashmap_int(&f->map, key[i]));
		assert_int_equal(tfs_hashmap_add(&f->map, tfs_hash_int(key[i]), &f->entry[i]), 0);
	}
	for (size_t i = 0; i < 6; i++)
		assert_ptr_equal(tfs_hashmap_int(&f->map, key[i]), &f->entry[i]);
}

static void keys_with_the_same_hash_are_compared(void **state)
{
	struct fixture *f = *state;
	uint64_t key;

	for (key = 0; key < 200; key++)
		assert_int_equal(tfs_hashmap_add(&f->map, bad_hash(key), &f->entry[key]), 0);
	for (key = 0; key < 200; key++)
		assert_ptr_equal(tfs_hashmap_find(&f->map, bad_hash(key), has_key, &key),
				 &f->entry[key]);
	assert_null(tfs_hashmap_find(&f->map, bad_hash(key), has_key, &key));
}

/* Whatever is removed, in whatever order, all others are still found, and it is not. */
static void removing_one_leaves_the_others(void **state)
{
	struct fixture *f = *state;
	uint64_t key, removed, n = 40;

	for (uint64_t step = 1; step < n; step += 2) {
		for (key = 0; key < n; key++)
			assert_int_equal(
				tfs_hashmap_add(&f->map, bad_hash(key * step), &f->entry[key]), 0);
		for (removed = 0; removed < n; removed++) {
			uint64_t k = removed * 7 % n;

			tfs_hashmap_remove(&f->map, bad_hash(k * step), &f->entry[k]);
			f->entry[k].key = UINT64_MAX;
			for (key = 0; key < n; key++)
				assert_ptr_equal(tfs_hashmap_find(&f->map, bad_hash(key * step),
								  has_key, &key),
						 f->entry[key].key == key ? &f->entry[key] : NULL);
		}
		assert_int_equal(f->map.n, 0);
		for (key = 0; key < n; key++)
			f->entry[key].key = key;
	}
}

static void each_entry_is_visited_once(void **state)
{
	struct fixture *f = *state;
	const struct entry *e;
	uint64_t sum = 0;
	size_t i, n = 0;

	for (i = 0; i < 1000; i++)
		assert_int_equal(tfs_hashmap_add(&f->map, tfs_hash_int(i), &f->entry[i]), 0);
	tfs_hashmap_for_each(&f->map, i, e)
	{
		sum += e->key;
		n++;
	}
	assert_int_equal(n, 1000);
	assert_int_equal(sum, 999 * 1000 / 2);
}

static void adding_does_not_fail_after_reserve(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tfs_hashmap_reserve(&f->map, MANY), 0);
	for (size_t i = 0; i < MANY; i++) {
		alloc_fail_at(0);
		assert_int_equal(tfs_hashmap_add(&f->map, tfs_hash_int(i), &f->entry[i]), 0);
	}
	assert_false(alloc_fail_off());
	assert_int_equal(tfs_hashmap_reserve(&f->map, SIZE_MAX), -ENOMEM);
	assert_ptr_equal(tfs_hashmap_int(&f->map, MANY - 1), &f->entry[MANY - 1]);
}

static void add_fails_without_memory_and_changes_nothing(void **state)
{
	struct fixture *f = *state;
	size_t failed = 0;

	for (size_t i = 0; i < 100; i++) {
		alloc_fail_at(0);
		if (tfs_hashmap_add(&f->map, tfs_hash_int(i), &f->entry[i])) {
			assert_true(alloc_fail_off());
			assert_int_equal(f->map.n, i);
			assert_null(tfs_hashmap_int(&f->map, i));
			assert_int_equal(tfs_hashmap_add(&f->map, tfs_hash_int(i), &f->entry[i]),
					 0);
			failed++;
		}
		for (size_t k = 0; k <= i; k++)
			assert_ptr_equal(tfs_hashmap_int(&f->map, k), &f->entry[k]);
	}
	assert_in_range(failed, 1, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_is_found_in_an_empty_map, setup, teardown),
		cmocka_unit_test_setup_teardown(finds_every_integer_that_was_added, setup,
						teardown),
		cmocka_unit_test_setup_teardown(integers_at_the_limits_are_different, setup,
						teardown),
		cmocka_unit_test_setup_teardown(keys_with_the_same_hash_are_compared, setup,
						teardown),
		cmocka_unit_test_setup_teardown(removing_one_leaves_the_others, setup, teardown),
		cmocka_unit_test_setup_teardown(each_entry_is_visited_once, setup, teardown),
		cmocka_unit_test_setup_teardown(adding_does_not_fail_after_reserve, setup,
						teardown),
		cmocka_unit_test_setup_teardown(add_fails_without_memory_and_changes_nothing, setup,
						teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
