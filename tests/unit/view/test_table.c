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

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "lib/alloc_fail.h"
#include "pipeline/view.h"
#include "view/table.h"

enum { NAME, CALLS, PID, TOTAL, AT, SHARE, ADDRESS, FAILED, SECRET };

static const struct tfs_table_column columns[] = {
	[NAME] = { .name = "name", .kind = TFS_CELL_TEXT },
	[CALLS] = { .name = "calls", .kind = TFS_CELL_COUNT, .width = 7 },
	[PID] = { .name = "pid", .kind = TFS_CELL_SIGNED, .flags = TFS_TABLE_ASCENDING },
	[TOTAL] = { .name = "total",
		    .kind = TFS_CELL_NS,
		    .flags = TFS_TABLE_UNIT,
		    .unit = 1000000,
		    .digits = 3 },
	[AT] = { .name = "at", .kind = TFS_CELL_TIME, .flags = TFS_TABLE_EXACT },
	[SHARE] = { .name = "share", .kind = TFS_CELL_PERCENT, .flags = TFS_TABLE_FIRST },
	[ADDRESS] = { .name = "address", .kind = TFS_CELL_ADDRESS, .flags = TFS_TABLE_EXACT },
	[FAILED] = { .name = "failed", .kind = TFS_CELL_BOOL, .flags = TFS_TABLE_OPTIONAL },
	[SECRET] = { .name = "cals", .kind = TFS_CELL_COUNT, .flags = TFS_TABLE_HIDDEN },
};

struct fixture {
	struct tfs_table *t;
	struct tfs_strbuf out;
	struct tfs_err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	tfs_strbuf_init(&f->out);
	f->err = TFS_ERR_INIT;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	alloc_fail_off();
	tfs_table_free(f->t);
	tfs_strbuf_release(&f->out);
	free(f);
	return 0;
}

static int add_row(struct fixture *f, const char *name, uint64_t calls, int pid, uint64_t total)
{
	int rc = tfs_table_add(f->t);

	if (!rc)
		rc = tfs_table_set_text(f->t, NAME, name, strlen(name));
	if (rc)
		return rc;
	tfs_table_set(f->t, CALLS, calls);
	tfs_table_set(f->t, PID, (uint64_t)(int64_t)pid);
	tfs_table_set(f->t, TOTAL, total);
	tfs_table_set(f->t, SHARE, calls * 100);
	return 0;
}

static int open_table(struct fixture *f, enum tfs_export_style style, const char *sort,
		      uint64_t top)
{
	const struct tfs_table_opts opts = {
		.columns = columns,
		.n_columns = ARRAY_SIZE(columns),
		.style = style,
		.order = "calls",
		.sort = sort,
		.top = top,
		.sum = CALLS,
		.sum_noun = "calls",
	};

	tfs_table_free(f->t);
	f->t = NULL;
	tfs_strbuf_reset(&f->out);
	return tfs_table_new(&opts, &f->t, &f->err);
}

/* The first names of the rows, in order */
static const char *order_of(struct fixture *f, const char *sort)
{
	static char names[16];
	size_t n = 0;

	assert_int_equal(open_table(f, TFS_EXPORT_CSV, sort, 0), 0);
	assert_int_equal(add_row(f, "a", 5, 30, 1), 0);
	assert_int_equal(add_row(f, "b", 7, -1, 1), 0);
	assert_int_equal(add_row(f, "c", 5, 4, 9), 0);
	assert_int_equal(tfs_table_add(f->t), 0);
	assert_int_equal(tfs_table_set_text(f->t, NAME, "d", 1), 0);
	assert_int_equal(tfs_table_print(f->t, &f->out), 0);
	for (const char *s = strchr(f->out.s, '\n'); s && s[1]; s = strchr(s + 1, '\n'))
		names[n++] = s[1];
	names[n] = '\0';
	return names;
}

static void numbers_come_largest_first_and_missing_ones_last(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(order_of(f, NULL), "bacd");
	assert_string_equal(order_of(f, "-calls"), "acbd");
	assert_string_equal(order_of(f, "-calls,-name"), "cabd");
	assert_string_equal(order_of(f, "pid"), "bcad");
	assert_string_equal(order_of(f, "-pid"), "acbd");
	assert_string_equal(order_of(f, "total,name"), "cabd");
	assert_string_equal(order_of(f, "-name"), "dcba");
}

/* A heading that two columns have says nothing. */
static void headings_name_columns_too(void **state)
{
	static const struct tfs_table_column columns_with_headings[] = {
		{ .name = "task", .kind = TFS_CELL_TEXT },
		{ .name = "run_mean", .heading = "MEAN", .kind = TFS_CELL_COUNT },
		{ .name = "run_max", .heading = "MAX", .kind = TFS_CELL_COUNT },
		{ .name = "delay_max", .heading = "MAX", .kind = TFS_CELL_COUNT },
	};
	static const char *const good[] = { "MEAN", "-mean", "run_mean", "TASK", "task,MEAN" };
	static const char *const bad[] = { "MAX", "max", "MEA", "Run" };
	struct tfs_table_opts opts = { .columns = columns_with_headings,
				       .n_columns = ARRAY_SIZE(columns_with_headings),
				       .style = TFS_EXPORT_CSV };
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		opts.sort = good[i];
		assert_int_equal(tfs_table_new(&opts, &f->t, &f->err), 0);
		tfs_table_free(f->t);
		f->t = NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		opts.sort = bad[i];
		assert_int_equal(tfs_table_new(&opts, &f->t, &f->err), -EINVAL);
	}
	opts.sort = "MEAN";
	assert_int_equal(tfs_table_new(&opts, &f->t, &f->err), 0);
	for (uint64_t i = 1; i <= 3; i++) {
		assert_int_equal(tfs_table_add(f->t), 0);
		tfs_table_set(f->t, 1, i);
	}
	assert_int_equal(tfs_table_print(f->t, &f->out), 0);
	assert_string_equal(f->out.s, "task,run_mean,run_max,delay_max\n,3,,\n,2,,\n,1,,\n");
}

/* The first line */
static const char *heading_of(struct fixture *f)
{
	assert_int_equal(tfs_table_add(f->t), 0);
	assert_int_equal(tfs_table_print(f->t, &f->out), 0);
	*strchr(f->out.s, '\n') = '\0';
	return f->out.s;
}

static void units_are_after_headings_unless_the_clock_has_none(void **state)
{
#define OF_UNIT(name_, unit_, flags_)                              \
	{                                                          \
		.name = name_, .kind = TFS_CELL_NS, .unit = unit_, \
		.flags = TFS_TABLE_UNIT | (flags_)                 \
	}
	static const struct tfs_table_column of_units[] = {
		OF_UNIT("sum", 1000000000, 0),
		OF_UNIT("run", 1000000, 0),
		OF_UNIT("mean", 1000, 0),
		OF_UNIT("min", 1, 0),
		{ .name = "max", .kind = TFS_CELL_NS, .unit = 1000 },
	};
	static const char *const sorts[] = { "mean(us)", "MEAN(US)", "-Run", "sum(s),min(ns)" };
	static const char *const bad[] = { "mean(ms)", "mean()", "max(us)" };
	struct tfs_table_opts opts = { .columns = of_units,
				       .n_columns = ARRAY_SIZE(of_units),
				       .style = TFS_EXPORT_TAB };
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		opts.sort = sorts[i];
		assert_int_equal(tfs_table_new(&opts, &f->t, &f->err), 0);
		assert_string_equal(heading_of(f), "#SUM(s) RUN(ms) MEAN(us) MIN(ns) MAX");
		tfs_strbuf_reset(&f->out);
		tfs_table_free(f->t);
		f->t = NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		opts.sort = bad[i];
		assert_int_equal(tfs_table_new(&opts, &f->t, &f->err), -EINVAL);
	}
	opts.sort = "mean";
	opts.flags = TFS_TABLE_COUNTS;
	assert_int_equal(tfs_table_new(&opts, &f->t, &f->err), 0);
	assert_string_equal(heading_of(f), "#SUM RUN MEAN MIN MAX");
}

static void an_unknown_column_is_refused_with_suggestions(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_table(f, TFS_EXPORT_TAB, "-cals", 0), -EINVAL);
	assert_string_equal(f->err.msg, "the table has no column 'cals' to sort by");
	assert_string_equal(f->err.hint, "did you mean 'calls'?");
	assert_int_equal(open_table(f, TFS_EXPORT_TAB, "calls,zzz", 0), -EINVAL);
	assert_string_equal(f->err.hint, "the columns are name, calls, pid, total, at, share, "
					 "address, failed");
	assert_int_equal(open_table(f, TFS_EXPORT_TAB, "", 0), -EINVAL);
}

static void text_is_aligned_and_says_what_top_leaves_out(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_table(f, TFS_EXPORT_TAB, NULL, 3), 0);
	assert_int_equal(add_row(f, "read", 5, 30, 1234567), 0);
	assert_int_equal(add_row(f, "w\tx", 100, 7, 999), 0);
	assert_int_equal(add_row(f, "\xc3\xa9t\xc3\xa9", 4, 1000, 2000000000), 0);
	tfs_table_set(f->t, FAILED, 1);
	assert_int_equal(add_row(f, "rest", 2, 1, 1), 0);
	assert_int_equal(add_row(f, "rest", 1, 1, 1), 0);
	assert_int_equal(tfs_table_lost(f->t, 12, false), 0);
	assert_int_equal(tfs_table_missing(f->t, 0, 0), 0);
	assert_int_equal(tfs_table_missing(f->t, 2, 1), 0);
	assert_int_equal(tfs_table_note(f->t, "unknown", 2, "calls of unknown tasks"), 0);
	assert_int_equal(tfs_table_print(f->t, &f->out), 0);
	assert_string_equal(f->out.s,
			    "# SHARE  NAME   CALLS  PID TOTAL(ms) FAILED\n"
			    "100.00%  w\\tx     100    7     0.000      -\n"
			    "  5.00%  read       5   30     1.234      -\n"
			    "  4.00%  \xc3\xa9t\xc3\xa9        4 1000  2000.000    yes\n"
			    "# 3 calls in 2 more rows\n"
			    "# 12 events were lost\n"
			    "# 2 CPUs lack their last events; how many is not known\n"
			    "# 1 recording may have had more CPUs, of which nothing is left\n"
			    "# 2 calls of unknown tasks\n");
}

static void json_has_types_and_all_digits(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_table(f, TFS_EXPORT_JSON, NULL, 0), 0);
	assert_int_equal(add_row(f, "a\"\n", UINT64_MAX, -5, 1000000001), 0);
	tfs_table_set(f->t, AT, 12000000000345);
	tfs_table_set(f->t, SHARE, 1205);
	tfs_table_set(f->t, ADDRESS, 0xffffffff81000000);
	tfs_table_set(f->t, FAILED, 0);
	assert_int_equal(tfs_table_add(f->t), 0);
	assert_int_equal(tfs_table_lost(f->t, 12, true), 0);
	assert_int_equal(tfs_table_note(f->t, "unknown", 2, "x"), 0);
	assert_int_equal(tfs_table_print(f->t, &f->out), 0);
	assert_string_equal(f->out.s,
			    "{\"name\":\"a\\\"\\n\",\"calls\":\"18446744073709551615\",\"pid\":-5,"
			    "\"total\":1.000000001,\"at\":12000.000000345,\"share\":12.05,"
			    "\"address\":\"0xffffffff81000000\",\"failed\":false}\n"
			    "{\"name\":null,\"calls\":null,\"pid\":null,\"total\":null,"
			    "\"at\":null,\"share\":null,\"address\":null}\n"
			    "{\"lost\":null}\n"
			    "{\"unknown\":2}\n");
}

static void csv_quotes_what_needs_it(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_table(f, TFS_EXPORT_CSV, NULL, 1), 0);
	assert_int_equal(add_row(f, "a,\"b\"", 3, 1, 5), 0);
	assert_int_equal(add_row(f, "rest", 2, 1, 5), 0);
	assert_int_equal(tfs_table_lost(f->t, 12, true), 0);
	assert_int_equal(tfs_table_print(f->t, &f->out), 0);
	assert_string_equal(f->out.s, "name,calls,pid,total,at,share,address,failed\n"
				      "\"a,\"\"b\"\"\",3,1,0.000000005,,3.00,,\n");
}

static void encoded_cells_are_sorted_as_the_numbers_they_are(void **state)
{
	static const struct tfs_table_column one[] = { { .name = "x", .kind = TFS_CELL_ENCODED } };
	static const char *const cells[] = {
		"10", "\"b\"", "9", "-1", "\"0x100\"", "-20", "\"a\"", "\"18446744073709551615\""
	};
	const struct tfs_table_opts opts = { .columns = one,
					     .n_columns = 1,
					     .style = TFS_EXPORT_CSV };
	struct fixture *f = *state;

	assert_int_equal(tfs_table_new(&opts, &f->t, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cells); i++) {
		assert_int_equal(tfs_table_add(f->t), 0);
		assert_int_equal(tfs_table_set_text(f->t, 0, cells[i], strlen(cells[i])), 0);
	}
	assert_int_equal(tfs_table_print(f->t, &f->out), 0);
	assert_string_equal(f->out.s, "x\n-20\n-1\n9\n10\n\"0x100\"\n\"18446744073709551615\"\n"
				      "\"a\"\n\"b\"\n");
}

static void inert_text_does_not_act_on_a_terminal(void **state)
{
	static const struct tfs_table_column one[] = { { .name = "x", .kind = TFS_CELL_TEXT } };
	const struct tfs_table_opts opts = {
		.columns = one, .n_columns = 1, .style = TFS_EXPORT_TAB, .flags = TFS_TABLE_INERT
	};
	struct fixture *f = *state;

	assert_int_equal(tfs_table_new(&opts, &f->t, NULL), 0);
	assert_int_equal(tfs_table_add(f->t), 0);
	assert_int_equal(tfs_table_set_text(f->t, 0, "\x1b[2J\n\xff", 6), 0);
	assert_int_equal(tfs_table_print(f->t, &f->out), 0);
	assert_string_equal(f->out.s, "#X\n\\x1b[2J\\n\\xff\n");
}

/* Each of the 7 bits that a packed byte holds, and those around it */
static void cells_hold_any_number(void **state)
{
	static const struct tfs_table_column two[] = { { .name = "a", .kind = TFS_CELL_SIGNED },
						       { .name = "b", .kind = TFS_CELL_COUNT } };
	const struct tfs_table_opts opts = {
		.columns = two, .n_columns = 2, .style = TFS_EXPORT_CSV, .sort = "-b"
	};
	struct fixture *f = *state;
	struct tfs_strbuf expect = TFS_STRBUF_INIT;

	assert_int_equal(tfs_table_new(&opts, &f->t, NULL), 0);
	assert_int_equal(tfs_strbuf_adds(&expect, "a,b\n"), 0);
	for (unsigned int bit = 1; bit < 64; bit++) {
		for (uint64_t v = (UINT64_C(1) << bit) - 1; v <= UINT64_C(1) << bit; v++) {
			assert_int_equal(tfs_table_add(f->t), 0);
			if (bit % 2)
				tfs_table_set(f->t, 0, -v);
			tfs_table_set(f->t, 1, v);
			assert_int_equal(
				bit % 2 ? tfs_strbuf_addf(&expect, "%" PRId64, (int64_t)-v) : 0, 0);
			assert_int_equal(tfs_strbuf_addf(&expect, ",%" PRIu64 "\n", v), 0);
		}
	}
	assert_int_equal(tfs_table_print(f->t, &f->out), 0);
	assert_string_equal(f->out.s, expect.s);
	tfs_strbuf_release(&expect);
}

struct written {
	size_t times, bytes, most;
};

static int count_written(void *ctx, struct tfs_strbuf *out)
{
	struct written *w = ctx;

	w->times++;
	w->bytes += out->len;
	w->most = out->len > w->most ? out->len : w->most;
	tfs_strbuf_reset(out);
	return w->times == 5 ? -EPIPE : 0;
}

static void a_long_table_is_written_while_it_is_printed(void **state)
{
	static const struct tfs_table_column one[] = { { .name = "x", .kind = TFS_CELL_COUNT } };
	struct written w = { 0 };
	const struct tfs_view_writer writer = { count_written, &w };
	const struct tfs_view view = { .writer = &writer };
	const struct tfs_table_opts opts = {
		.columns = one, .n_columns = 1, .style = TFS_EXPORT_TAB, .view = &view
	};
	struct fixture *f = *state;

	assert_int_equal(tfs_table_new(&opts, &f->t, NULL), 0);
	for (uint64_t i = 100000; i < 140000; i++) {
		assert_int_equal(tfs_table_add(f->t), 0);
		tfs_table_set(f->t, 0, i);
	}
	assert_int_equal(tfs_table_print(f->t, &f->out), 0);
	/* "#    X", and a line of seven bytes for each */
	assert_int_equal(w.bytes + f->out.len, 7 * 40001);
	assert_int_equal(w.times, 7 * 40001 / 65536);
	assert_true(w.most < 70000);
	tfs_strbuf_reset(&f->out);
	/* The fifth time it fails. */
	assert_int_equal(tfs_table_print(f->t, &f->out), -EPIPE);
	assert_int_equal(w.times, 5);
}

static void without_memory_nothing_is_half_added(void **state)
{
	struct fixture *f = *state;
	bool failed = true;
	int rc = 0;

	for (size_t at = 0; failed; at++) {
		alloc_fail_at(at);
		rc = open_table(f, TFS_EXPORT_TAB, "name", 0);
		rc = rc ? rc : add_row(f, "a", 1, 1, 1);
		rc = rc ? rc : tfs_table_lost(f->t, 1, false);
		rc = rc ? rc : tfs_table_print(f->t, &f->out);
		failed = alloc_fail_off();
		assert_int_equal(rc, failed ? -ENOMEM : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(numbers_come_largest_first_and_missing_ones_last),
		TEST(headings_name_columns_too),
		TEST(units_are_after_headings_unless_the_clock_has_none),
		TEST(an_unknown_column_is_refused_with_suggestions),
		TEST(text_is_aligned_and_says_what_top_leaves_out),
		TEST(json_has_types_and_all_digits),
		TEST(csv_quotes_what_needs_it),
		TEST(encoded_cells_are_sorted_as_the_numbers_they_are),
		TEST(inert_text_does_not_act_on_a_terminal),
		TEST(cells_hold_any_number),
		TEST(a_long_table_is_written_while_it_is_printed),
		TEST(without_memory_nothing_is_half_added),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
