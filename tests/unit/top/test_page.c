/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pattern.h"
#include "top/page.h"
#include "top/rows.h"
#include "top/snapshot.h"

struct fixture {
	struct tfs_top_rows rows;
	struct tfs_top_snapshot snap;
	struct tfs_top_page page;
	struct tfs_top_page_opts opts;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->rows.max = 100;
	f->opts = (struct tfs_top_page_opts){ .cpu = -1, .sort = TFS_TOP_RATE };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_top_rows_release(&f->rows);
	tfs_top_snapshot_release(&f->snap);
	tfs_top_page_release(&f->page);
	free(f);
	return 0;
}

static void happens(struct fixture *f, const char *name, unsigned int n)
{
	const struct tfs_top_key key = { .text = name, .len = strlen(name) };
	struct tfs_top_row *row = tfs_top_rows_get(&f->rows, &key);

	assert_non_null(row);
	assert_int_equal(tfs_top_row_label(row, name, strlen(name)), 0);
	while (n--)
		tfs_top_row_count(row);
}

/* A second is over */
static void next(struct fixture *f)
{
	f->snap.elapsed = 1000000000;
	tfs_top_rows_close(&f->rows, f->snap.elapsed, false);
	assert_int_equal(tfs_top_snapshot_rows(&f->snap, &f->rows), 0);
	tfs_top_snapshot_sort(&f->snap, f->opts.sort, f->opts.flags & TFS_TOP_REVERSE);
}

static const char *make(struct fixture *f)
{
	assert_int_equal(tfs_top_page_make(&f->page, &f->snap, &f->opts), 0);
	return f->page.text.s;
}

static const char *line(const struct fixture *f, size_t i)
{
	static char text[512];
	const struct tfs_top_page_line *l = &f->page.line[i];

	assert_true(i < f->page.n);
	snprintf(text, sizeof(text), "%.*s", (int)l->len, f->page.text.s + l->start);
	return text;
}

static void a_page_without_limits_has_all_columns_and_whole_names(void **state)
{
	struct fixture *f = *state;
	char name[200];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	happens(f, "a", 3);
	happens(f, name, 1);
	next(f);
	make(f);
	assert_int_equal(f->page.n, 4);
	assert_string_equal(line(f, 0),
			    "0.000s +1.000s  0.0 events/s  0 events lost  by event  sort rate");
	assert_string_equal(line(f, 1), "   RATE/S     10S/S      TOTAL  SHARE EVENT");
	assert_string_equal(line(f, 2), "      3.0       3.0          3  75.0% a");
	assert_memory_equal(line(f, 3), "      1.0       1.0          1  25.0% xxx", 41);
	assert_int_equal(f->page.line[3].len, 38 + sizeof(name) - 1);
}

/* System calls have nine columns, of 72 characters and as many blanks */
static void columns_that_do_not_fit_are_named(void **state)
{
	struct fixture *f = *state;

	f->snap.by = TFS_TOP_SYSCALL;
	happens(f, "poll", 1);
	next(f);
	f->opts.width = 200;
	assert_null(strstr(make(f), "hidden"));
	f->opts.width = 80;
	make(f);
	assert_string_equal(line(f, 1), "hidden: max errors");
	assert_string_equal(
		line(f, 2),
		"   RATE/S     10S/S      TOTAL  SHARE    TIME    MEAN     P99 SYSCALL");
	f->opts.width = 40;
	make(f);
	assert_string_equal(line(f, 1), "hidden: rate10 total time mean p99 max e");
	assert_string_equal(line(f, 2), "   RATE/S  SHARE SYSCALL");
	/* The column that it is sorted by is shown in any case. */
	f->opts.sort = TFS_TOP_ERRORS;
	make(f);
	assert_string_equal(line(f, 2), "   RATE/S  ERRORS SYSCALL");
}

/* A call, of so many nanoseconds */
static void called(struct fixture *f, const char *name, const char *comm, uint64_t ns)
{
	const struct tfs_top_key key = { .text = name, .len = strlen(name) };
	struct tfs_top_row *row;

	happens(f, name, 1);
	row = tfs_top_rows_get(&f->rows, &key);
	assert_int_equal(tfs_top_row_who(row, comm, 1, ns), 0);
	assert_int_equal(tfs_histogram_add(&row->times, ns), 0);
}

/* By time: sh took longest for reading, though dd did it more often. */
static void rows_say_whose_they_are_on_80_columns(void **state)
{
	struct fixture *f = *state;

	f->snap.by = TFS_TOP_SYSCALL;
	f->opts.width = 80;
	f->opts.sort = TFS_TOP_TIME;
	called(f, "read", "sh", 9000);
	for (int i = 0; i < 3; i++)
		called(f, "read", "dd", 1000);
	called(f, "poll", "a-name-of-15-ch", 1000);
	called(f, "stat", NULL, 100);
	f->snap.calls = 6;
	next(f);
	make(f);
	assert_string_equal(line(f, 0),
			    "0.000s +1.000s  6.0 calls/s  0 events lost  by syscall  sort time");
	assert_string_equal(line(f, 1), "hidden: mean p99 max errors");
	assert_string_equal(
		line(f, 2),
		"   RATE/S     10S/S      TOTAL  SHARE    TIME COMM             SYSCALL");
	assert_string_equal(line(f, 3),
			    "      4.0       4.0          4  91.6% 12.00us sh+              read");
	assert_string_equal(line(f, 4),
			    "      1.0       1.0          1   7.6% 1.000us a-name-of-15-ch  poll");
	assert_string_equal(line(f, 5),
			    "      1.0       1.0          1   0.8%   100ns <...>            stat");
	/* In the next interval, others */
	called(f, "poll", "b\x1b[2J\t", 1000);
	next(f);
	make(f);
	assert_string_equal(line(f, 3),
			    "      1.0       1.0          2 100.0% 1.000us b\\x1b[2J         poll");
	assert_string_equal(line(f, 4),
			    "      0.0       2.0          4   0.0%                          read");
}

/* As many as are told apart, and the rest, which has more than any of them */
static void tasks_of_too_many_names_are_counted_together(void **state)
{
	struct fixture *f = *state;
	char comm[16];

	for (int i = 0; i < 3 * TFS_TOP_WHO; i++) {
		snprintf(comm, sizeof(comm), "task%d", i);
		called(f, "read", comm, 10);
	}
	next(f);
	assert_string_equal(f->snap.line[0].values.comm, "<...>");
	assert_true(f->snap.line[0].values.others);
	for (int i = 0; i < 3 * TFS_TOP_WHO; i++)
		called(f, "read", i % 2 ? "b" : "a", i == 0 ? 11 : 10);
	next(f);
	assert_string_equal(f->snap.line[0].values.comm, "a");
}

static void no_line_is_wider_than_the_page(void **state)
{
	static const unsigned int widths[] = { 1, 2, 10, 20, 40, 80, 200 };
	struct fixture *f = *state;

	for (enum tfs_top_by by = 0; by < TFS_TOP_N_BY; by++) {
		f->snap.by = by;
		happens(f, "a name that is a good deal longer than most functions have it in C++",
			1);
		next(f);
		for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
			f->opts.width = widths[i];
			f->opts.height = 10;
			f->opts.flags = by % 2 ? TFS_TOP_KEYS | TFS_TOP_FROZEN : 0;
			make(f);
			for (size_t k = 0; k < f->page.n; k++)
				assert_true(f->page.line[k].len <= widths[i]);
			assert_true(f->page.n <= 10);
		}
	}
}

static void long_names_are_cut_paths_at_their_beginning(void **state)
{
	struct fixture *f = *state;

	f->opts.width = 80;
	happens(f, "/usr/lib/x86_64-linux-gnu/a-rather-long-name-of-a-library.so.1", 1);
	next(f);
	make(f);
	assert_string_equal(
		line(f, 2),
		"      1.0       1.0          1 100.0% /usr/lib/x86_64-linux-gnu/a-rather-long...");
	f->snap.by = TFS_TOP_FILE;
	make(f);
	assert_string_equal(
		line(f, 2),
		"      1.0       1.0          1 100.0% ...nu/a-rather-long-name-of-a-library.so.1");
}

/* 24 characters of two columns, and 42 columns of room, as the test before shows */
static void wide_names_are_cut_to_their_columns(void **state)
{
	static const char han[] = "\xe6\xbc\xa2";
	struct fixture *f = *state;
	char name[24 * 3 + 1], shown[19 * 3 + 1] = "", wanted[128];
	const char *row = "      1.0       1.0          1 100.0% ";

	for (int i = 0; i < 24; i++)
		memcpy(name + 3 * i, han, sizeof(han));
	memcpy(shown, name, 19 * 3);
	f->opts.width = 80;
	f->opts.flags = TFS_TOP_UTF8;
	happens(f, name, 1);
	next(f);
	make(f);
	snprintf(wanted, sizeof(wanted), "%s%s...", row, shown);
	assert_string_equal(line(f, 2), wanted);
	f->snap.by = TFS_TOP_FILE;
	make(f);
	snprintf(wanted, sizeof(wanted), "%s...%s", row, shown);
	assert_string_equal(line(f, 2), wanted);
}

/* Escape sequences, line ends, C1 control characters, bytes that are not UTF-8 */
static void names_cannot_act_on_the_terminal(void **state)
{
	struct fixture *f = *state;

	happens(f, "\x1b[2J\n\xc2\x9b\xff\xc3\xa9", 1);
	next(f);
	f->opts.flags = TFS_TOP_UTF8;
	make(f);
	assert_string_equal(line(f, 2) + 38, "\\x1b[2J\\n\\xc2\\x9b\\xff\xc3\xa9");
	f->opts.flags = 0;
	make(f);
	assert_string_equal(line(f, 2) + 38, "\\x1b[2J\\n\\xc2\\x9b\\xff\\xc3\\xa9");
}

static void without_rows_the_page_says_so(void **state)
{
	struct fixture *f = *state;

	next(f);
	assert_non_null(strstr(make(f), "\nno events\n"));
	happens(f, "a", 1);
	next(f);
	assert_null(strstr(make(f), "no events"));
}

static void rows_with_equal_values_keep_their_places(void **state)
{
	static const char *const names[] = { "c", "a", "d", "b" };
	struct fixture *f = *state;

	for (size_t i = 0; i < 4; i++)
		happens(f, names[i], 1);
	next(f);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(tfs_top_snapshot_name(&f->snap, &f->snap.line[i]), names[i]);
	/* b becomes the first, then is as the others again: it stays. A new one comes last. */
	for (size_t i = 0; i < 4; i++)
		happens(f, names[i], i == 3 ? 2 : 1);
	next(f);
	happens(f, "0", 1);
	for (size_t i = 0; i < 4; i++)
		happens(f, names[i], 1);
	next(f);
	static const char *const want[] = { "b", "c", "a", "d", "0" };
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(tfs_top_snapshot_name(&f->snap, &f->snap.line[i]), want[i]);
	/* Names from the first to the last, or the reverse */
	tfs_top_snapshot_sort(&f->snap, TFS_TOP_NAME, false);
	assert_string_equal(tfs_top_snapshot_name(&f->snap, &f->snap.line[0]), "0");
	tfs_top_snapshot_sort(&f->snap, TFS_TOP_NAME, true);
	assert_string_equal(tfs_top_snapshot_name(&f->snap, &f->snap.line[0]), "d");
}

static void the_selected_row_stays_selected_where_it_goes(void **state)
{
	struct fixture *f = *state;
	char name[8];

	f->opts.flags = TFS_TOP_KEYS;
	f->opts.width = 80;
	f->opts.height = 9; /* five rows */
	for (unsigned int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		happens(f, name, 100 - i);
	}
	next(f);
	make(f);
	assert_int_equal(f->page.n, 9);
	tfs_top_page_move(&f->page, &f->snap, &f->opts, 0);
	tfs_top_page_move(&f->page, &f->snap, &f->opts, 6);
	make(f);
	assert_string_equal(line(f, 7), ">     94.0      94.0         94   5.2% n6");
	/* n6 is now the first */
	for (unsigned int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		happens(f, name, i == 6 ? 200 : 100 - i);
	}
	next(f);
	make(f);
	assert_int_equal(f->page.first, 0);
	assert_int_equal(f->page.line[3].kind, TFS_TOP_LINE_SELECTED);
	assert_non_null(strstr(line(f, 3), " n6"));
	/* Beyond the end is the end. */
	tfs_top_page_move(&f->page, &f->snap, &f->opts, 1000);
	make(f);
	assert_string_equal(line(f, 7) + 39, "n19");
	tfs_top_page_move(&f->page, &f->snap, &f->opts, -1000);
	make(f);
	assert_non_null(strstr(line(f, 3), " n6"));
}

static void a_filter_leaves_rows_out_and_says_how_many(void **state)
{
	struct fixture *f = *state;
	struct tfs_pattern pattern;

	happens(f, "open", 1);
	happens(f, "openat", 2);
	happens(f, "read", 3);
	next(f);
	assert_int_equal(tfs_pattern_init(&pattern, "OPEN", NULL), 0);
	f->opts.filter = &pattern;
	f->opts.filter_text = "OPEN";
	make(f);
	assert_string_equal(line(f, 1), "filter OPEN (2 of 3)");
	assert_int_equal(f->page.n, 5);
	assert_string_equal(line(f, 3) + 38, "openat");
	assert_string_equal(line(f, 4) + 38, "open");
	tfs_pattern_release(&pattern);
	assert_int_equal(tfs_pattern_init(&pattern, "x", NULL), 0);
	assert_non_null(strstr(make(f), "\nno row matches the filter\n"));
	tfs_pattern_release(&pattern);
}

static void durations_have_four_digits(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0ns" },
		{ 999, "999ns" },
		{ 1000, "1.000us" },
		{ 12345, "12.35us" },
		{ 999949, "999.9us" },
		{ 999950, "1.000ms" },
		{ 1234567, "1.235ms" },
		{ 999949999, "999.9ms" },
		{ 999950000, "1.000s" },
		{ 61234567890, "61.23s" },
		{ 12345678901234, "12346s" },
	};
	char text[TFS_TOP_CELL];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		tfs_top_duration(cases[i].ns, text);
		assert_string_equal(text, cases[i].text);
	}
	tfs_top_duration(UINT64_MAX, text);
	tfs_top_rate(1e30, text);
	tfs_top_rate(99.9, text);
	assert_string_equal(text, "99.9");
	tfs_top_rate(123456.7, text);
	assert_string_equal(text, "123457");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_page_without_limits_has_all_columns_and_whole_names),
		TEST(columns_that_do_not_fit_are_named),
		TEST(rows_say_whose_they_are_on_80_columns),
		TEST(tasks_of_too_many_names_are_counted_together),
		TEST(no_line_is_wider_than_the_page),
		TEST(long_names_are_cut_paths_at_their_beginning),
		TEST(wide_names_are_cut_to_their_columns),
		TEST(names_cannot_act_on_the_terminal),
		TEST(without_rows_the_page_says_so),
		TEST(rows_with_equal_values_keep_their_places),
		TEST(the_selected_row_stays_selected_where_it_goes),
		TEST(a_filter_leaves_rows_out_and_says_how_many),
		TEST(durations_have_four_digits),
	};

	/* Columns of characters */
	setlocale(LC_CTYPE, "C.UTF-8");
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
