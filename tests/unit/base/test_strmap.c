/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strmap.h"
#include "lib/alloc_fail.h"

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct tfs_strmap));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	alloc_fail_off();
	tfs_strmap_release(*state);
	free(*state);
	return 0;
}

static void nothing_is_in_an_empty_map(void **state)
{
	const struct tfs_strmap *map = *state;
	size_t value = 7;

	assert_false(tfs_strmap_get(map, "a", &value));
	assert_false(tfs_strmap_get(map, "", NULL));
	assert_int_equal(value, 7);
}

static void a_text_is_copied_and_its_number_replaced(void **state)
{
	struct tfs_strmap *map = *state;
	char text[] = "abc";
	size_t value = 0;

	assert_int_equal(tfs_strmap_put(map, text, 1), 0);
	text[0] = 'x';
	assert_int_equal(tfs_strmap_put(map, "", 2), 0);
	assert_int_equal(tfs_strmap_put(map, "abc", 3), 0);
	assert_int_equal(map->map.n, 2);
	assert_true(tfs_strmap_get(map, "abc", &value));
	assert_int_equal(value, 3);
	assert_true(tfs_strmap_get(map, "", &value));
	assert_int_equal(value, 2);
	assert_false(tfs_strmap_get(map, "xbc", NULL));
	assert_false(tfs_strmap_get(map, "ab", NULL));
}

static void thousands_are_found_again(void **state)
{
	struct tfs_strmap *map = *state;
	char key[24];
	size_t value;

	for (size_t i = 0; i < 5000; i++) {
		snprintf(key, sizeof(key), "event_%zu", i);
		assert_int_equal(tfs_strmap_put(map, key, i), 0);
	}
	assert_int_equal(map->map.n, 5000);
	for (size_t i = 0; i < 5000; i++) {
		snprintf(key, sizeof(key), "event_%zu", i);
		assert_true(tfs_strmap_get(map, key, &value));
		assert_int_equal(value, i);
	}
	assert_false(tfs_strmap_get(map, "event_5000", &value));
}

static void a_text_is_kept_once(void **state)
{
	struct tfs_strmap *map = *state;
	char text[] = "abc";
	const char *kept = tfs_strmap_keep(map, text);
	char key[24];
	size_t value;

	assert_string_equal(kept, "abc");
	assert_ptr_not_equal(kept, text);
	assert_ptr_equal(tfs_strmap_keep(map, "abc"), kept);
	assert_true(tfs_strmap_get(map, "abc", &value));
	assert_int_equal(value, 0);
	assert_int_equal(tfs_strmap_put(map, "abc", 5), 0);
	/* it stays where it is when there are more */
	for (size_t i = 0; i < 5000; i++) {
		snprintf(key, sizeof(key), "path_%zu", i);
		assert_non_null(tfs_strmap_keep(map, key));
	}
	assert_ptr_equal(tfs_strmap_keep(map, "abc"), kept);
	assert_true(tfs_strmap_get(map, "abc", &value));
	assert_int_equal(value, 5);
	assert_int_equal(map->map.n, 5001);
}

static void a_number_is_changed_where_it_is(void **state)
{
	struct tfs_strmap *map = *state;
	size_t value, *at = tfs_strmap_at(map, "abc");

	assert_non_null(at);
	assert_int_equal(*at, 0);
	*at = 7;
	assert_ptr_equal(tfs_strmap_at(map, "abc"), at);
	assert_true(tfs_strmap_get(map, "abc", &value));
	assert_int_equal(value, 7);
	assert_int_equal(tfs_strmap_put(map, "abc", 8), 0);
	assert_int_equal(*at, 8);
	assert_int_equal(map->map.n, 1);
}

static void without_memory_nothing_changes(void **state)
{
	struct tfs_strmap *map = *state;
	int rc = -ENOMEM;

	for (size_t at = 0; rc && at < 10; at++) {
		alloc_fail_at(at);
		rc = tfs_strmap_put(map, "a", 1);
		alloc_fail_off();
		assert_true(!rc || rc == -ENOMEM);
		assert_int_equal(map->map.n, !rc);
		assert_int_equal(tfs_strmap_get(map, "a", NULL), !rc);
	}
	assert_int_equal(rc, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_is_in_an_empty_map, setup, teardown),
		cmocka_unit_test_setup_teardown(a_text_is_copied_and_its_number_replaced, setup,
						teardown),
		cmocka_unit_test_setup_teardown(thousands_are_found_again, setup, teardown),
		cmocka_unit_test_setup_teardown(a_text_is_kept_once, setup, teardown),
		cmocka_unit_test_setup_teardown(a_number_is_changed_where_it_is, setup, teardown),
		cmocka_unit_test_setup_teardown(without_memory_nothing_changes, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
