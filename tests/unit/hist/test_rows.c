/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/alloc_fail.h"
#include "hist/rows.h"

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct tfs_hist_rows));
	assert_non_null(*state);
	return 0;
}

static int teardown(void **state)
{
	tfs_hist_rows_release(*state);
	free(*state);
	return 0;
}

/* "KEY COUNT " of each row that is listed */
static const char *listed(const struct tfs_hist_rows *rows, size_t event)
{
	static char text[256];
	struct tfs_hist_row **list;
	size_t n, len = 0;

	assert_int_equal(tfs_hist_rows_list(rows, event, &list, &n), 0);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%d %d ",
					list[i]->text ? list[i]->text : "", (int)list[i]->number,
					(int)(list[i]->count - list[i]->shown));
	free(list);
	return text;
}

static void the_largest_count_is_first_then_the_smallest_number(void **state)
{
	struct tfs_hist_rows *rows = *state;

	for (uint64_t i = 0; i < 5; i++)
		tfs_hist_rows_number(rows, 1, 4 - i)->count = i == 2 ? 9 : 7;
	tfs_hist_rows_number(rows, 0, 4)->count = 8;
	assert_string_equal(listed(rows, 1), "2 9 0 7 1 7 3 7 4 7 ");
	assert_string_equal(listed(rows, 0), "4 8 ");
	assert_string_equal(listed(rows, 2), "");
}

static void rows_without_anything_new_are_left_out(void **state)
{
	struct tfs_hist_rows *rows = *state;

	tfs_hist_rows_number(rows, 0, 1)->count = 5;
	tfs_hist_rows_number(rows, 0, 1)->shown = 5;
	tfs_hist_rows_number(rows, 0, 2)->count = 5;
	tfs_hist_rows_number(rows, 0, 2)->shown = 3;
	assert_string_equal(listed(rows, 0), "2 2 ");
}

static void texts_differ_by_any_of_their_bytes(void **state)
{
	struct tfs_hist_rows *rows = *state;

	tfs_hist_rows_text(rows, 0, "ab", 2)->count++;
	tfs_hist_rows_text(rows, 0, "abc", 3)->count++;
	tfs_hist_rows_text(rows, 0, "abc", 2)->count++;
	tfs_hist_rows_text(rows, 1, "ab", 2)->count++;
	assert_string_equal(listed(rows, 0), "ab0 2 abc0 1 ");
	assert_string_equal(listed(rows, 1), "ab0 1 ");
}

static void a_row_that_cannot_be_added_is_not_there(void **state)
{
	struct tfs_hist_rows *rows = *state;
	struct tfs_hist_row *row = NULL;

	for (size_t i = 0; !row; i++) {
		alloc_fail_at(i);
		row = tfs_hist_rows_text(rows, 0, "ab", 2);
		alloc_fail_off();
		assert_int_equal(rows->map.n, row ? 1 : 0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_largest_count_is_first_then_the_smallest_number),
		TEST(rows_without_anything_new_are_left_out),
		TEST(texts_differ_by_any_of_their_bytes),
		TEST(a_row_that_cannot_be_added_is_not_there),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
