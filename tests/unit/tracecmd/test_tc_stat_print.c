/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "tc-stat-print.h"

/*
 * Columns are those of perf stat 6.1, from its output for the same counts; deviations are from
 * arithmetic.
 */
static int setup(void **state)
{
	struct tfs_strbuf *sb = calloc(1, sizeof(*sb));

	assert_non_null(sb);
	tfs_strbuf_init(sb);
	*state = sb;
	return 0;
}

static int teardown(void **state)
{
	tfs_strbuf_release(*state);
	free(*state);
	return 0;
}

static void prints(struct tfs_strbuf *sb, const struct stat_layout *layout,
		   const struct stat_row *row, const char *want)
{
	tfs_strbuf_reset(sb);
	assert_int_equal(stat_print_row(layout, row, sb), 0);
	assert_string_equal(sb->s, want);
}

static void text_has_the_columns_of_perf_stat(void **state)
{
	struct stat_layout layout = { .style = STAT_TEXT };
	struct stat_row row = { .event = "sched:sched_switch", .count = 356 };

	prints(*state, &layout, &row, "               356      sched:sched_switch\n");
	layout.key = STAT_KEY_CPU;
	row.key = "0";
	prints(*state, &layout, &row, "CPU0                      356      sched:sched_switch\n");
	layout.key = STAT_KEY_THREAD;
	row.key = "bash-14103";
	prints(*state, &layout, &row,
	       "            bash-14103                   356      sched:sched_switch\n");
	row.key = "a-b-7";
	prints(*state, &layout, &row,
	       "             a-b-7                       356      sched:sched_switch\n");
}

static void intervals_begin_with_their_time(void **state)
{
	struct stat_layout layout = { .style = STAT_TEXT, .interval = true };
	const struct stat_row row = { .event = "a:b", .count = 1, .ns = 114828164 };

	prints(*state, &layout, &row, "     0.114828164                  1      a:b\n");
	layout.style = STAT_CSV;
	layout.separator = ",";
	prints(*state, &layout, &row, "     0.114828164,1,,a:b,0,100.00,,\n");
}

static void separated_columns_are_those_of_perf_stat(void **state)
{
	struct stat_layout layout = { .style = STAT_CSV, .separator = "," };
	struct stat_row row = { .event = "a:b", .count = 2, .running_ns = 3940005 };

	prints(*state, &layout, &row, "2,,a:b,3940005,100.00,,\n");
	layout.key = STAT_KEY_CPU;
	row.key = "1";
	prints(*state, &layout, &row, "CPU1,2,,a:b,3940005,100.00,,\n");
	layout.key = STAT_KEY_VALUE;
	row.key = "x,\"y\"";
	prints(*state, &layout, &row, "\"x,\"\"y\"\"\",2,,a:b,3940005,100.00,,\n");
	layout.separator = ";";
	row.key = "x,y";
	prints(*state, &layout, &row, "x,y;2;;a:b;3940005;100.00;;\n");
}

static void json_has_the_members_of_perf_stat_and_losses(void **state)
{
	struct stat_layout layout = { .style = STAT_JSON };
	struct stat_row row = { .event = "a:b", .count = 2, .running_ns = 5, .misses = 4 };

	prints(*state, &layout, &row,
	       "{\"counter-value\" : \"2.000000\", \"unit\" : \"\", \"event\" : \"a:b\", "
	       "\"event-runtime\" : 5, \"pcnt-running\" : 100.00, \"lost\" : \"0\", "
	       "\"misses\" : \"4\"}\n");
	layout.interval = true;
	layout.key = STAT_KEY_CPU;
	row.key = "1";
	row.ns = 1000000001;
	row.lost = 9;
	prints(*state, &layout, &row,
	       "{\"interval\" : 1.000000001, \"cpu\" : \"1\", \"counter-value\" : \"2.000000\", "
	       "\"unit\" : \"\", \"event\" : \"a:b\", \"event-runtime\" : 5, "
	       "\"pcnt-running\" : 100.00, \"lost\" : \"9\", \"misses\" : \"4\", "
	       "\"bound\" : \"lower\"}\n");
}

/* 10, 20, 30: mean 20, deviation 10, standard error 10 / sqrt(3) = 5.7735: 28.87 % of the mean */
static void rows_of_values_name_their_fields(void **state)
{
	struct stat_layout layout = { .style = STAT_JSON, .key = STAT_KEY_VALUE, .by = "x,y" };
	const struct stat_row row = { .event = "a:b", .count = 2, .key = "1,\"z\"" };
	struct tfs_strbuf *sb = *state;

	prints(sb, &layout, &row,
	       "{\"by\" : \"x,y\", \"key\" : \"1,\\\"z\\\"\", \"counter-value\" : \"2.000000\", "
	       "\"unit\" : \"\", \"event\" : \"a:b\", \"event-runtime\" : 0, "
	       "\"pcnt-running\" : 100.00, \"lost\" : \"0\", \"misses\" : \"0\"}\n");
	layout.style = STAT_TEXT;
	prints(sb, &layout, &row, "1,\"z\"                                     2      a:b\n");
	tfs_strbuf_reset(sb);
	assert_int_equal(stat_print_head(&layout, "'ls'", 0, sb), 0);
	assert_string_equal(sb->s, "\n Performance counter stats for 'ls', by x,y:\n\n");
	layout.interval = true;
	tfs_strbuf_reset(sb);
	assert_int_equal(stat_print_head(&layout, "'ls'", 0, sb), 0);
	assert_string_equal(sb->s, "#           time x,y                                  "
				   "counts unit events\n");
}

static void several_runs_have_their_mean_and_its_standard_error(void **state)
{
	struct stat_layout layout = { .style = STAT_TEXT, .repeat = true };
	struct stat_row row = { .event = "a:b" };

	for (uint64_t i = 1; i <= 3; i++)
		tfs_stats_add(&row.runs, 10 * i * STAT_SCALE);
	/* as many blanks as perf stat has */
	prints(*state, &layout, &row,
	       "                20      a:b"
	       "                                 "
	       "                                 ( +- 28.87% )\n");
	layout.style = STAT_CSV;
	layout.separator = ",";
	prints(*state, &layout, &row, "20,,a:b,28.87%,0,100.00,,\n");
}

/* 1, 1, 2: mean 4/3, variance 1/3, standard error 1/3: a quarter of the mean */
static void small_counts_keep_their_deviation(void **state)
{
	struct tfs_stats runs = { 0 };
	double percent;

	(void)state;
	tfs_stats_add(&runs, 1 * STAT_SCALE);
	assert_true(stat_standard_error(&runs) == 0);
	tfs_stats_add(&runs, 1 * STAT_SCALE);
	tfs_stats_add(&runs, 2 * STAT_SCALE);
	percent = stat_standard_error(&runs);
	assert_true(percent > 24.999 && percent < 25.001);
}

/* 1 s and 2 s: mean 1.5, deviation 1/sqrt(2), standard error 0.5: 33.33 % of the mean */
static void the_foot_has_as_many_digits_as_the_deviation_allows(void **state)
{
	struct tfs_strbuf *sb = *state;
	struct stat_layout layout = { .style = STAT_TEXT, .repeat = true };
	struct stat_times times = { 0 };

	tfs_stats_add(&times.elapsed, 1000000000);
	tfs_stats_add(&times.elapsed, 2000000000);
	assert_int_equal(stat_print_foot(&layout, &times, sb), 0);
	assert_string_equal(sb->s, "\n             1.500 +- 0.500 seconds time elapsed"
				   "  ( +- 33.33% )\n\n\n");
}

static void the_foot_has_the_times_of_the_command(void **state)
{
	struct tfs_strbuf *sb = *state;
	struct stat_layout layout = { .style = STAT_TEXT };
	struct stat_times times = { .user = 1500000, .sys = 2, .has_usage = true };

	tfs_stats_add(&times.elapsed, 856506248);
	assert_int_equal(stat_print_foot(&layout, &times, sb), 0);
	assert_string_equal(sb->s, "\n       0.856506248 seconds time elapsed\n\n"
				   "       0.001500000 seconds user\n"
				   "       0.000000002 seconds sys\n\n\n");
}

static void the_head_says_what_was_counted_and_how_often(void **state)
{
	struct tfs_strbuf *sb = *state;
	struct stat_layout layout = { .style = STAT_TEXT };

	assert_int_equal(stat_print_head(&layout, "'true'", 3, sb), 0);
	assert_string_equal(sb->s, "\n Performance counter stats for 'true' (3 runs):\n\n");
	tfs_strbuf_reset(sb);
	layout.style = STAT_JSON;
	assert_int_equal(stat_print_head(&layout, "'true'", 3, sb), 0);
	assert_int_equal(sb->len, 0);
}

static void losses_of_system_calls_are_an_object(void **state)
{
	struct tfs_strbuf *sb = *state;

	assert_int_equal(stat_print_losses(12, sb), 0);
	assert_string_equal(sb->s, "{\"lost\":12,\"bound\":\"lower\"}\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text_has_the_columns_of_perf_stat),
		TEST(intervals_begin_with_their_time),
		TEST(separated_columns_are_those_of_perf_stat),
		TEST(json_has_the_members_of_perf_stat_and_losses),
		TEST(rows_of_values_name_their_fields),
		TEST(several_runs_have_their_mean_and_its_standard_error),
		TEST(small_counts_keep_their_deviation),
		TEST(the_foot_has_as_many_digits_as_the_deviation_allows),
		TEST(the_foot_has_the_times_of_the_command),
		TEST(the_head_says_what_was_counted_and_how_often),
		TEST(losses_of_system_calls_are_an_object),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
