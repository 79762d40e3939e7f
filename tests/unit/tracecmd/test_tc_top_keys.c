/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "tc-top-keys.h"
#include "tc-top-opts.h"
#include "tc-top-screen.h"
#include "top/rows.h"

#define SECOND UINT64_C(1000000000)

struct fixture {
	struct tfs_top_rows rows;
	struct top_state s;
};

/* Three tasks, of which the first did most */
static int setup(void **state)
{
	static const char *const names[] = { "dd-100", "sh-200", "cat-300" };
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->rows.max = 10;
	f->s.task = -1;
	f->s.interval = SECOND;
	f->s.by = TFS_TOP_TASK;
	f->s.zoom_by = TFS_TOP_SYSCALL;
	f->s.sort = TFS_TOP_RATE;
	f->s.opts = (struct tfs_top_page_opts){
		.cpu = -1, .width = 80, .height = 24, .flags = TFS_TOP_KEYS
	};
	for (int i = 0; i < 3; i++) {
		const struct tfs_top_key key = { .number = (uint64_t)(i + 1) * 100 };
		struct tfs_top_row *row = tfs_top_rows_get(&f->rows, &key);

		assert_non_null(row);
		assert_int_equal(tfs_top_row_label(row, names[i], strlen(names[i])), 0);
		for (int n = 0; n < 30 - 10 * i; n++)
			tfs_top_row_count(row);
	}
	f->s.snap.by = TFS_TOP_TASK;
	f->s.snap.elapsed = SECOND;
	tfs_top_rows_close(&f->rows, SECOND, false);
	assert_int_equal(tfs_top_snapshot_rows(&f->s.snap, &f->rows), 0);
	assert_int_equal(top_state_page(&f->s), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	top_state_release(&f->s);
	tfs_top_rows_release(&f->rows);
	free(f);
	return 0;
}

/* Press it, and make the page */
static unsigned int press(struct fixture *f, int key)
{
	unsigned int effect = top_state_key(&f->s, key);

	assert_int_equal(top_state_page(&f->s), 0);
	return effect;
}

static void type(struct fixture *f, const char *text)
{
	for (; *text; text++)
		assert_int_equal(press(f, (unsigned char)*text), 0);
}

static bool shows(const struct fixture *f, const char *text)
{
	return strstr(f->s.page.text.s, text) != NULL;
}

static void q_quits_from_the_table_and_from_help(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(press(f, 'q'), TOP_EFFECT_QUIT);
	assert_int_equal(press(f, 'h'), 0);
	assert_true(shows(f, "any key: back"));
	assert_int_equal(press(f, 'q'), TOP_EFFECT_QUIT);
	assert_int_equal(press(f, 'x'), 0);
	assert_true(shows(f, "dd-100"));
	/* As a letter it is typed. */
	type(f, "/q");
	assert_true(shows(f, "filter: q_"));
}

static void sorting_skips_columns_that_the_rows_lack(void **state)
{
	struct fixture *f = *state;
	unsigned int all = tfs_top_columns(TFS_TOP_TASK), seen = 0;

	for (int i = 0; i < TFS_TOP_N_COLUMNS; i++) {
		press(f, '>');
		assert_true(all & 1u << f->s.sort);
		seen |= 1u << f->s.sort;
	}
	assert_int_equal(seen, all);
	f->s.sort = TFS_TOP_RATE;
	press(f, '>');
	press(f, '<');
	assert_int_equal(f->s.sort, TFS_TOP_RATE);
	press(f, 'r');
	assert_true(strstr(f->s.page.text.s, "cat-300") < strstr(f->s.page.text.s, "dd-100"));
}

/* Until a column is chosen; shares are of times as soon as there are some. */
static void rows_are_sorted_by_time_where_there_is_one(void **state)
{
	struct fixture *f = *state;
	struct tfs_top_row *last = f->rows.v[2];

	assert_int_equal(f->s.sort, TFS_TOP_RATE);
	assert_int_equal(tfs_histogram_add(&last->times, 1000), 0);
	tfs_top_row_count(f->rows.v[0]);
	tfs_top_row_count(f->rows.v[0]);
	tfs_top_row_count(last);
	tfs_top_rows_close(&f->rows, SECOND, false);
	assert_int_equal(tfs_top_snapshot_rows(&f->s.snap, &f->rows), 0);
	assert_int_equal(top_state_page(&f->s), 0);
	assert_int_equal(f->s.sort, TFS_TOP_TIME);
	assert_true(shows(f, "sort time"));
	assert_true(strstr(f->s.page.text.s, "cat-300") < strstr(f->s.page.text.s, "dd-100"));
	/* A page without times does not change it back, nor one with times what was chosen. */
	tfs_top_rows_close(&f->rows, SECOND, false);
	assert_int_equal(tfs_top_snapshot_rows(&f->s.snap, &f->rows), 0);
	assert_int_equal(top_state_page(&f->s), 0);
	assert_int_equal(f->s.sort, TFS_TOP_TIME);
	press(f, '<');
	assert_int_equal(f->s.sort, TFS_TOP_SHARE);
	assert_int_equal(tfs_histogram_add(&last->times, 1000), 0);
	tfs_top_rows_close(&f->rows, SECOND, false);
	assert_int_equal(tfs_top_snapshot_rows(&f->s.snap, &f->rows), 0);
	assert_int_equal(top_state_page(&f->s), 0);
	assert_int_equal(f->s.sort, TFS_TOP_SHARE);
}

static void a_filter_is_typed_and_can_be_given_up(void **state)
{
	struct fixture *f = *state;

	type(f, "/sx");
	press(f, TOP_KEY_BACKSPACE);
	press(f, TOP_KEY_ENTER);
	assert_true(shows(f, "filter s (1 of 3)"));
	assert_false(shows(f, "dd-100"));
	type(f, "/dd");
	press(f, TOP_KEY_ESCAPE);
	assert_true(shows(f, "filter s (1 of 3)"));
	/* One that is wrong says so; the present one stays. */
	type(f, "/^[");
	press(f, TOP_KEY_ENTER);
	assert_true(*f->s.message);
	assert_true(shows(f, "filter s (1 of 3)"));
	type(f, "/");
	press(f, TOP_KEY_ENTER);
	assert_true(shows(f, "dd-100"));
}

static void backspace_takes_a_whole_character(void **state)
{
	struct fixture *f = *state;

	type(f, "/a\xe6\xbc\xa2");
	press(f, TOP_KEY_BACKSPACE);
	assert_string_equal(f->s.typed, "a");
	press(f, TOP_KEY_BACKSPACE);
	press(f, TOP_KEY_BACKSPACE);
	assert_string_equal(f->s.typed, "");
}

static void typed_text_has_a_limit(void **state)
{
	struct fixture *f = *state;

	type(f, "/");
	for (int i = 0; i < 2 * TOP_TYPED; i++)
		type(f, "a");
	assert_int_equal(strlen(f->s.typed), TOP_TYPED - 1);
}

static void enter_goes_into_the_selected_task_and_backspace_out(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(press(f, TOP_KEY_ENTER), 0);
	assert_true(shows(f, "select a row first, with the arrows"));
	press(f, TOP_KEY_DOWN);
	press(f, TOP_KEY_DOWN);
	assert_true(shows(f, ">"));
	assert_int_equal(press(f, TOP_KEY_ENTER), TOP_EFFECT_COUNT);
	assert_int_equal(f->s.task, 200);
	assert_string_equal(f->s.task_name, "sh-200");
	assert_int_equal(f->s.by, TFS_TOP_SYSCALL);
	assert_int_equal(press(f, TOP_KEY_ENTER), 0);
	assert_int_equal(press(f, TOP_KEY_BACKSPACE), TOP_EFFECT_COUNT);
	assert_int_equal(f->s.task, -1);
	assert_int_equal(f->s.by, TFS_TOP_TASK);
	assert_int_equal(press(f, TOP_KEY_BACKSPACE), 0);
}

static void intervals_stay_within_their_limits(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(press(f, '+'), TOP_EFFECT_INTERVAL);
	assert_true(f->s.interval == 2 * SECOND);
	assert_true(shows(f, "a page every 2.000 seconds"));
	for (int i = 0; i < 100; i++)
		press(f, '-');
	assert_true(f->s.interval >= TOP_INTERVAL_MIN && f->s.interval < 2 * TOP_INTERVAL_MIN);
	assert_int_equal(press(f, '-'), 0);
	for (int i = 0; i < 100; i++)
		press(f, '+');
	assert_true(f->s.interval <= TOP_INTERVAL_MAX && f->s.interval > TOP_INTERVAL_MAX / 2);
}

static void other_keys_ask_for_what_they_say(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(press(f, 'z'), TOP_EFFECT_ZERO);
	assert_int_equal(press(f, 'w'), TOP_EFFECT_RECORD);
	assert_int_equal(press(f, ' '), 0);
	assert_true(shows(f, "frozen, counting goes on"));
	press(f, ' ');
	assert_false(f->s.frozen);
	assert_int_equal(press(f, 'k'), TOP_EFFECT_COUNT);
	assert_int_equal(f->s.by, TFS_TOP_TASK + 1);
	assert_int_equal(press(f, TOP_KEY_OTHER), 0);
	assert_int_equal(press(f, 'y'), 0);
}

static void it_is_said_that_events_are_recorded(void **state)
{
	struct fixture *f = *state;

	f->s.recording = true;
	top_state_say(&f->s, "all of it is kept");
	assert_int_equal(top_state_page(&f->s), 0);
	assert_true(shows(f, "\nrecording  "));
	assert_true(shows(f, "\nall of it is kept\n"));
	f->s.recording = false;
	press(f, TOP_KEY_OTHER);
	assert_false(shows(f, "recording"));
	assert_false(shows(f, "kept"));
}

static void a_screen_of_a_line_has_no_room_for_rows(void **state)
{
	struct fixture *f = *state;

	for (unsigned int height = 1; height < 8; height++) {
		f->s.opts.height = height;
		press(f, TOP_KEY_DOWN);
		press(f, TOP_KEY_END);
		press(f, 'h');
		assert_true(f->s.page.n <= (height < 2 ? 2 : height));
		press(f, 'x');
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(q_quits_from_the_table_and_from_help),
		TEST(rows_are_sorted_by_time_where_there_is_one),
		TEST(sorting_skips_columns_that_the_rows_lack),
		TEST(a_filter_is_typed_and_can_be_given_up),
		TEST(backspace_takes_a_whole_character),
		TEST(typed_text_has_a_limit),
		TEST(enter_goes_into_the_selected_task_and_backspace_out),
		TEST(intervals_stay_within_their_limits),
		TEST(other_keys_ask_for_what_they_say),
		TEST(it_is_said_that_events_are_recorded),
		TEST(a_screen_of_a_line_has_no_room_for_rows),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
