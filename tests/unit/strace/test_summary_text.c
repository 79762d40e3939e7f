/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "strace/summary-text.h"

/*
 * Printed by strace 6.1 (-c -w) of a program with few system calls. The times of the rows are
 * within half a microsecond of those that it printed, chosen so that shares, means and sums are its
 * own.
 */
static const struct tfs_summary_row few[] = {
	{ "clock_nanosleep", 1, 0, 1, 31483068, 0, 0 },
	{ "getrandom", 1, 0, 1, 17655291, 0, 0 },
	{ "brk", 5, 0, 5, 9587368, 0, 0 },
	{ "execve", 1, 0, 1, 3323410, 0, 0 },
	{ "rseq", 1, 0, 1, 525892, 0, 0 },
	{ "getppid", 5, 0, 5, 140032, 0, 0 },
	{ "readlink", 1, 0, 1, 117130, 0, 0 },
	{ "mprotect", 1, 0, 1, 113060, 0, 0 },
	{ "close", 3, 3, 3, 68008, 0, 0 },
	{ "prlimit64", 1, 0, 1, 50389, 0, 0 },
	{ "arch_prctl", 1, 0, 1, 46731, 0, 0 },
	{ "set_tid_address", 1, 0, 1, 16742, 0, 0 },
	{ "pidfd_send_signal", 1, 1, 1, 14333, 0, 0 },
	{ "set_robust_list", 1, 0, 1, 12695, 0, 0 },
};

static const char of_few[] =
	"% time     seconds  usecs/call     calls    errors syscall\n"
	"------ ----------- ----------- --------- --------- ------------------\n"
	" 49.85    0.031483       31483         1           clock_nanosleep\n"
	" 27.96    0.017655       17655         1           getrandom\n"
	" 15.18    0.009587        1917         5           brk\n"
	"  5.26    0.003323        3323         1           execve\n"
	"  0.83    0.000526         525         1           rseq\n"
	"  0.22    0.000140          28         5           getppid\n"
	"  0.19    0.000117         117         1           readlink\n"
	"  0.18    0.000113         113         1           mprotect\n"
	"  0.11    0.000068          22         3         3 close\n"
	"  0.08    0.000050          50         1           prlimit64\n"
	"  0.07    0.000047          46         1           arch_prctl\n"
	"  0.03    0.000017          16         1           set_tid_address\n"
	"  0.02    0.000014          14         1         1 pidfd_send_signal\n"
	"  0.02    0.000013          12         1           set_robust_list\n"
	"------ ----------- ----------- --------- --------- ------------------\n"
	"100.00    0.063154        2631        24         4 total\n";

/* -U time,total-time,shortest,longest,avg-time,calls,errors,name -S calls */
static const struct tfs_summary_row all[] = {
	{ "brk", 5, 0, 5, 38857308, 13000, 38796000 },
	{ "getppid", 5, 0, 5, 43496715, 51000, 31588000 },
	{ "close", 3, 3, 3, 39048, 13000, 13000 },
	{ "mprotect", 1, 0, 1, 8426249, 8426000, 8426000 },
	{ "execve", 1, 0, 1, 37115014, 37115000, 37115000 },
	{ "readlink", 1, 0, 1, 219958, 220000, 220000 },
	{ "arch_prctl", 1, 0, 1, 78427, 78000, 78000 },
	{ "set_tid_address", 1, 0, 1, 13199, 13000, 13000 },
	{ "clock_nanosleep", 1, 0, 1, 20301722, 20302000, 20302000 },
	{ "set_robust_list", 1, 0, 1, 12812, 13000, 13000 },
	{ "prlimit64", 1, 0, 1, 57891, 58000, 58000 },
	{ "getrandom", 1, 0, 1, 21392, 21000, 21000 },
	{ "rseq", 1, 0, 1, 58001, 58000, 58000 },
	{ "pidfd_send_signal", 1, 1, 1, 12985857, 12986000, 12986000 },
};

static const char of_all[] =
	"% time     seconds shortest  longest  usecs/call     calls    errors syscall\n"
	"------ ----------- -------- -------- ----------- --------- --------- ------------------\n"
	" 24.03    0.038857 0.000013 0.038796        7771         5           brk\n"
	" 26.90    0.043497 0.000051 0.031588        8699         5           getppid\n"
	"  0.02    0.000039 0.000013 0.000013          13         3         3 close\n"
	"  5.21    0.008426 0.008426 0.008426        8426         1           mprotect\n"
	" 22.96    0.037115 0.037115 0.037115       37115         1           execve\n"
	"  0.14    0.000220 0.000220 0.000220         219         1           readlink\n"
	"  0.05    0.000078 0.000078 0.000078          78         1           arch_prctl\n"
	"  0.01    0.000013 0.000013 0.000013          13         1           set_tid_address\n"
	" 12.56    0.020302 0.020302 0.020302       20301         1           clock_nanosleep\n"
	"  0.01    0.000013 0.000013 0.000013          12         1           set_robust_list\n"
	"  0.04    0.000058 0.000058 0.000058          57         1           prlimit64\n"
	"  0.01    0.000021 0.000021 0.000021          21         1           getrandom\n"
	"  0.04    0.000058 0.000058 0.000058          58         1           rseq\n"
	"  8.03    0.012986 0.012986 0.012986       12985         1         1 pidfd_send_signal\n"
	"------ ----------- -------- -------- ----------- --------- --------- ------------------\n"
	"100.00    0.161684 0.000013 0.038796        6736        24         4 total\n";

/* -U name,errors,calls -S name */
static const char by_name[] = "syscall               errors     calls\n"
			      "------------------ --------- ---------\n"
			      "arch_prctl                           1\n"
			      "brk                                  5\n"
			      "clock_nanosleep                      1\n"
			      "close                      3         3\n"
			      "execve                               1\n"
			      "getppid                              5\n"
			      "getrandom                            1\n"
			      "mprotect                             1\n"
			      "pidfd_send_signal          1         1\n"
			      "prlimit64                            1\n"
			      "readlink                             1\n"
			      "rseq                                 1\n"
			      "set_robust_list                      1\n"
			      "set_tid_address                      1\n"
			      "------------------ --------- ---------\n"
			      "total                      4        24\n";

/* The rows in reverse, with these options; in static memory */
static const char *print(const struct tfs_summary_row *rows, size_t n, const char *columns,
			 const char *sort, bool times)
{
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	struct tfs_summary_row copy[32];
	struct tfs_summary_layout layout;
	static char text[8192];

	for (size_t i = 0; i < n; i++)
		copy[i] = rows[n - 1 - i];
	assert_int_equal(tfs_summary_layout_parse(&layout, columns, sort, times, NULL), 0);
	assert_int_equal(tfs_summary_sort(&layout, copy, n), 0);
	assert_int_equal(tfs_summary_text(&layout, copy, n, &out), 0);
	assert_true(out.len < sizeof(text));
	memcpy(text, out.s, out.len + 1);
	tfs_strbuf_release(&out);
	return text;
}

static void table_is_that_of_strace(void **state)
{
	(void)state;
	assert_string_equal(print(few, ARRAY_SIZE(few), NULL, NULL, true), of_few);
}

static void columns_and_sort_keys_are_those_of_strace(void **state)
{
	struct tfs_summary_row rows[ARRAY_SIZE(all)];

	(void)state;
	/* strace leaves rows with equal keys in the order of their numbers, as these are. */
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		rows[i] = all[ARRAY_SIZE(all) - 1 - i];
	assert_string_equal(print(rows, ARRAY_SIZE(rows),
				  "time,total-time,shortest,longest,avg-time,calls,errors,name",
				  "calls", true),
			    of_all);
	assert_string_equal(print(few, ARRAY_SIZE(few), "name,errors,calls", "name", true),
			    by_name);
}

static void every_name_of_a_column_is_known(void **state)
{
	static const char *const names[][6] = {
		[TFS_SUMMARY_SHARE] = { "time", "time_percent", "time-percent" },
		[TFS_SUMMARY_TOTAL] = { "time_total", "time-total", "total_time", "total-time" },
		[TFS_SUMMARY_MIN] = { "min_time", "min-time", "shortest", "time_min", "time-min" },
		[TFS_SUMMARY_MAX] = { "longest", "max_time", "max-time", "time_max", "time-max" },
		[TFS_SUMMARY_MEAN] = { "avg_time", "avg-time", "time_avg", "time-avg" },
		[TFS_SUMMARY_CALLS] = { "calls", "count" },
		[TFS_SUMMARY_ERRORS] = { "error", "errors" },
		[TFS_SUMMARY_NAME] = { "name", "syscall", "syscall_name", "syscall-name" },
		[TFS_SUMMARY_WALL_TOTAL] = { "wall_total", "wall-total", "total_wall" },
		[TFS_SUMMARY_WALL_MIN] = { "wall_min", "wall-min", "min_wall", "min-wall" },
		[TFS_SUMMARY_WALL_MAX] = { "wall_max", "wall-max", "max_wall", "max-wall" },
		[TFS_SUMMARY_WALL_MEAN] = { "wall_avg", "wall-avg", "avg_wall", "avg-wall" },
	};
	struct tfs_summary_layout layout;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (size_t k = 0; k < ARRAY_SIZE(names[i]) && names[i][k]; k++) {
			assert_int_equal(tfs_summary_layout_parse(&layout, names[i][k], names[i][k],
								  true, NULL),
					 0);
			assert_int_equal(layout.column[0], i);
			assert_int_equal(layout.sort, i);
			/* The name of the system call is always there. */
			assert_int_equal(layout.n, i == TFS_SUMMARY_NAME ? 1 : 2);
			assert_int_equal(layout.column[layout.n - 1], TFS_SUMMARY_NAME);
		}
}

static void refused(const char *columns, const char *sort, bool times, const char *msg)
{
	struct tfs_summary_layout layout;
	struct tfs_err err = TFS_ERR_INIT;

	assert_int_equal(tfs_summary_layout_parse(&layout, columns, sort, times, &err), -EINVAL);
	assert_string_equal(err.msg, msg);
}

static void bad_names_are_refused(void **state)
{
	struct tfs_summary_layout layout;
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	refused("calls,tme", NULL, true, "unknown column 'tme'");
	refused("", NULL, true, "unknown column ''");
	refused("calls,", NULL, true, "unknown column ''");
	refused("none", NULL, true, "unknown column 'none'");
	refused("calls,count", NULL, true, "column 'count' is given twice");
	refused(NULL, "calls,name", true, "unknown sort key 'calls,name'");
	refused("calls,avg_time", NULL, false,
		"column 'avg-time': the times of calls are not measured");
	refused(NULL, "time", false, "sort key 'time': the times of calls are not measured");
	assert_int_equal(tfs_summary_layout_parse(&layout, NULL, "cals", true, &err), -EINVAL);
	assert_string_equal(err.hint, "did you mean 'calls'?");
}

static void every_key_sorts_and_none_leaves_the_rows(void **state)
{
	static const struct tfs_summary_row rows[] = {
		/* name, calls, errors, timed, total, min, max */
		{ "c", 4, 0, 4, 4000, 1000, 1000 },
		{ "a", 1, 1, 1, 9000, 9000, 9000 },
		{ "b", 2, 2, 2, 8000, 1, 7999 },
	};
	static const struct {
		const char *key, *order;
	} keys[] = {
		{ "time", "abc" },  { "min-time", "acb" }, { "max-time", "abc" },
		{ "calls", "cba" }, { "errors", "bac" },   { "avg-time", "abc" },
		{ "name", "abc" },  { "none", "cab" },     { "wall-min", "acb" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct tfs_summary_layout layout;
		struct tfs_summary_row copy[ARRAY_SIZE(rows)];
		char order[] = "???";

		memcpy(copy, rows, sizeof(copy));
		assert_int_equal(tfs_summary_layout_parse(&layout, NULL, keys[i].key, true, NULL),
				 0);
		assert_int_equal(tfs_summary_sort(&layout, copy, ARRAY_SIZE(copy)), 0);
		for (size_t k = 0; k < ARRAY_SIZE(copy); k++)
			order[k] = *copy[k].name;
		assert_string_equal(order, keys[i].order);
	}
}

/* As strace's src/count.c has it: a column is as wide as the largest number, sums included. */
static void columns_grow_with_what_is_in_them(void **state)
{
	static const struct tfs_summary_row rows[] = {
		{ "read", 600000000, 0, 600000000, 99999999999999, 0, 12000000000 },
		{ "a_name_of_22_characters", 600000000, 5, 600000000, 1, 0, 1 },
	};

	(void)state;
	assert_string_equal(
		print(rows, 2, "total-time,max-time,calls,errors,name", NULL, true),
		"      seconds   longest      calls    errors syscall\n"
		"------------- --------- ---------- --------- ------------------------\n"
		"100000.000000 12.000000  600000000           read\n"
		"     0.000000  0.000000  600000000         5 a_name_of_22_characters\n"
		"------------- --------- ---------- --------- ------------------------\n"
		"100000.000000 12.000000 1200000000         5 total\n");
}

static void without_times_there_are_calls_and_errors(void **state)
{
	static const struct tfs_summary_row rows[] = {
		{ .name = "read", .calls = 2 },
		{ .name = "openat", .calls = 12, .errors = 3 },
	};

	(void)state;
	assert_string_equal(print(rows, 2, NULL, NULL, false),
			    "    calls    errors syscall\n"
			    "--------- --------- ----------------\n"
			    "       12         3 openat\n"
			    "        2           read\n"
			    "--------- --------- ----------------\n"
			    "       14         3 total\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_that_of_strace),
		cmocka_unit_test(columns_and_sort_keys_are_those_of_strace),
		cmocka_unit_test(every_name_of_a_column_is_known),
		cmocka_unit_test(bad_names_are_refused),
		cmocka_unit_test(every_key_sorts_and_none_leaves_the_rows),
		cmocka_unit_test(columns_grow_with_what_is_in_them),
		cmocka_unit_test(without_times_there_are_calls_and_errors),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
