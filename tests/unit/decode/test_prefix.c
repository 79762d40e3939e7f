/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/prefix.h"

static char buf[256];

static const char *task(const char *comm, int pid, enum tfs_task_format format)
{
	*tfs_prefix_task(buf, comm, pid, format) = '\0';
	return buf;
}

static const char *stamp(uint64_t ts, enum tfs_time_format format)
{
	*tfs_prefix_time(buf, ts, format) = '\0';
	return buf;
}

static void time_is_rounded_to_microseconds(void **state)
{
	(void)state;
	assert_string_equal(stamp(910884001126, TFS_TIME_USECS), "   910.884001:");
	assert_string_equal(stamp(910884001499, TFS_TIME_USECS), "   910.884001:");
	assert_string_equal(stamp(910884001500, TFS_TIME_USECS), "   910.884002:");
	assert_string_equal(stamp(999999999500, TFS_TIME_USECS), "  1000.000000:");
	assert_string_equal(stamp(0, TFS_TIME_USECS), "     0.000000:");
	assert_string_equal(stamp(1, TFS_TIME_USECS), "     0.000000:");
}

static void seconds_may_be_longer_than_their_column(void **state)
{
	(void)state;
	assert_string_equal(stamp(1700000000123456789, TFS_TIME_USECS), " 1700000000.123457:");
	assert_string_equal(stamp(1700000000123456789, TFS_TIME_NSECS), " 1700000000.123456789:");
}

static void nanoseconds_are_not_rounded(void **state)
{
	(void)state;
	assert_string_equal(stamp(910884001126, TFS_TIME_NSECS), "   910.884001126:");
	assert_string_equal(stamp(999999999, TFS_TIME_NSECS), "     0.999999999:");
}

static void a_clock_without_unit_shows_its_number(void **state)
{
	(void)state;
	assert_string_equal(stamp(927991668282, TFS_TIME_RAW), "927991668282:");
	assert_string_equal(stamp(7, TFS_TIME_RAW), "           7:");
	assert_string_equal(stamp(UINT64_MAX, TFS_TIME_RAW), "18446744073709551615:");
}

/* libtraceevent adds half a microsecond without a thought for the end of 64 bits. */
static void rounding_wraps_at_the_end_of_time(void **state)
{
	(void)state;
	assert_string_equal(stamp(UINT64_MAX, TFS_TIME_USECS), "     0.000000:");
}

static void a_task_is_padded_on_both_sides(void **state)
{
	(void)state;
	assert_string_equal(task("sh", 1725, TFS_TASK_NORMAL), "              sh-1725  ");
	assert_string_equal(task("<idle>", 0, TFS_TASK_NORMAL), "          <idle>-0     ");
	assert_string_equal(task("", 1234567, TFS_TASK_NORMAL), "                -1234567 ");
}

static void a_long_name_is_cut_in_the_latency_format_only(void **state)
{
	(void)state;
	assert_string_equal(task("trace-cmd", 7, TFS_TASK_LATENCY), "trace-cm-7     ");
	assert_string_equal(task("sh", 7, TFS_TASK_LATENCY), "      sh-7     ");
	assert_string_equal(task("a-very-long-task-name", 7, TFS_TASK_NORMAL),
			    "a-very-long-task-name-7     ");
}

static void a_negative_pid_keeps_its_sign(void **state)
{
	(void)state;
	assert_string_equal(task("x", -1, TFS_TASK_NORMAL), "               x--1    ");
	assert_string_equal(task("x", INT32_MIN, TFS_TASK_LATENCY), "       x--2147483648 ");
}

static void cpus_have_three_places_or_more(void **state)
{
	(void)state;
	*tfs_prefix_cpu(buf, 3, TFS_TASK_NORMAL) = '\0';
	assert_string_equal(buf, "[003]");
	*tfs_prefix_cpu(buf, 8191, TFS_TASK_NORMAL) = '\0';
	assert_string_equal(buf, "[8191]");
	*tfs_prefix_cpu(buf, 3, TFS_TASK_LATENCY) = '\0';
	assert_string_equal(buf, "  3");
}

/* printf is the second source. */
static void numbers_are_those_of_printf(void **state)
{
	char want[64];
	uint64_t n = 1;
	int i;

	(void)state;
	for (i = 0; i < 200; i++, n = n * 6364136223846793005u + 1442695040888963407u) {
		uint64_t v = n >> i % 64;

		snprintf(want, sizeof(want), "%12llu", (unsigned long long)v);
		*tfs_prefix_number(buf, v, 12, ' ') = '\0';
		assert_string_equal(buf, want);
		snprintf(want, sizeof(want), "%06llu", (unsigned long long)v);
		*tfs_prefix_number(buf, v, 6, '0') = '\0';
		assert_string_equal(buf, want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_rounded_to_microseconds),
		cmocka_unit_test(seconds_may_be_longer_than_their_column),
		cmocka_unit_test(nanoseconds_are_not_rounded),
		cmocka_unit_test(a_clock_without_unit_shows_its_number),
		cmocka_unit_test(rounding_wraps_at_the_end_of_time),
		cmocka_unit_test(a_task_is_padded_on_both_sides),
		cmocka_unit_test(a_long_name_is_cut_in_the_latency_format_only),
		cmocka_unit_test(a_negative_pid_keeps_its_sign),
		cmocka_unit_test(cpus_have_three_places_or_more),
		cmocka_unit_test(numbers_are_those_of_printf),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
