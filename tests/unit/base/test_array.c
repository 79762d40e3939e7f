/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/macros.h"
#include "lib/alloc_fail.h"

struct list {
	uint32_t *v;
	size_t n, alloc;
};

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct list));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	struct list *l = *state;

	alloc_fail_off();
	free(l->v);
	free(l);
	return 0;
}

static void grow_keeps_the_elements(void **state)
{
	struct list *l = *state;

	for (uint32_t i = 0; i < 10000; i++) {
		assert_int_equal(tfs_grow(&l->v, &l->alloc, l->n + 1), 0);
		assert_true(l->alloc > l->n);
		l->v[l->n++] = i * i;
	}
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(l->v[i], i * i);
}

static void grow_doubles_the_capacity(void **state)
{
	struct list *l = *state;
	size_t before = 0, times = 0;

	for (size_t n = 1; n <= 100000; n++) {
		assert_int_equal(tfs_grow(&l->v, &l->alloc, n), 0);
		times += l->alloc != before;
		before = l->alloc;
	}
	assert_in_range(times, 2, 17); /* 2^17 > 100000 */
}

static void grow_makes_room_for_many_at_once(void **state)
{
	struct list *l = *state;
	assert_int_equal(tfs_grow(&l->v, &l->alloc, 1234), 0);
	assert_true(l->alloc >= 1234);
	for (size_t i = 0; i < 1234; i++)
		l->v[i] = 1;
}

static void grow_fails_without_memory_and_changes_nothing(void **state)
{
	struct list *l = *state;
	uint32_t *v;
	size_t alloc;

	assert_int_equal(tfs_grow(&l->v, &l->alloc, 1), 0);
	l->v[0] = 7;
	v = l->v;
	alloc = l->alloc;
	alloc_fail_at(0);
	assert_int_equal(tfs_grow(&l->v, &l->alloc, alloc + 1), -ENOMEM);
	assert_true(alloc_fail_off());
	assert_ptr_equal(l->v, v);
	assert_int_equal(l->alloc, alloc);
	assert_int_equal(l->v[0], 7);
}

static void sizes_that_overflow_are_refused(void **state)
{
	struct list *l = *state;

	assert_int_equal(tfs_grow(&l->v, &l->alloc, SIZE_MAX), -ENOMEM);
	assert_int_equal(tfs_grow(&l->v, &l->alloc, SIZE_MAX / sizeof(*l->v) + 1), -ENOMEM);
	assert_int_equal(tfs_grow_one(&l->v, SIZE_MAX / 2 + 1), -ENOMEM);
	assert_null(l->v);
	assert_int_equal(l->alloc, 0);
}

static void grow_one_needs_no_capacity(void **state)
{
	struct list *l = *state;

	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(tfs_grow_one(&l->v, l->n), 0);
		l->v[l->n++] = i + 1;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(l->v[i], i + 1);
	/* 1000 is between powers of two: there is room, and memory is not asked for */
	alloc_fail_at(0);
	assert_int_equal(tfs_grow_one(&l->v, l->n), 0);
	assert_false(alloc_fail_off());
	alloc_fail_at(0);
	assert_int_equal(tfs_grow_one(&l->v, (size_t)1024), -ENOMEM);
	assert_int_equal(l->v[999], 1000);
}

/* Every position in arrays of every length up to 40, beside a linear search. */
static void bisect_finds_what_a_linear_search_finds(void **state)
{
	int v[40];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		v[i] = (int)(i / 3) * 2;
	for (size_t n = 0; n <= ARRAY_SIZE(v); n++) {
		for (int key = -1; key <= 28; key++) {
			size_t first = 0, after = 0;

			while (first < n && v[first] < key)
				first++;
			while (after < n && v[after] <= key)
				after++;
			assert_int_equal(tfs_bisect(i, n, v[i] < key), first);
			assert_int_equal(tfs_bisect(i, n, v[i] <= key), after);
		}
	}
}

static void container_of_finds_the_outer_struct(void **state)
{
	struct list l = { .n = 5 };
	size_t *alloc = &l.alloc;

	(void)state;
	assert_ptr_equal(container_of(alloc, struct list, alloc), &l);
	assert_int_equal(container_of(alloc, struct list, alloc)->n, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(grow_keeps_the_elements, setup, teardown),
		cmocka_unit_test_setup_teardown(grow_doubles_the_capacity, setup, teardown),
		cmocka_unit_test_setup_teardown(grow_makes_room_for_many_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(grow_fails_without_memory_and_changes_nothing,
						setup, teardown),
		cmocka_unit_test_setup_teardown(sizes_that_overflow_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(grow_one_needs_no_capacity, setup, teardown),
		cmocka_unit_test(bisect_finds_what_a_linear_search_finds),
		cmocka_unit_test(container_of_finds_the_outer_struct),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
