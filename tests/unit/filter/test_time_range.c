/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "filter/time-range.h"

#define S 1000000000ull
#define MAX UINT64_MAX

/* From 100 s to 120 s. */
static const struct tfs_time_range_clock shown_us = { 100 * S, 120 * S, false, TFS_TIME_USECS };
static const struct tfs_time_range_clock shown_ns = { 100 * S, 120 * S, false, TFS_TIME_NSECS };
static const struct tfs_time_range_clock counts = { 5000, 9000, false, TFS_TIME_RAW };

static int parse(const char *spec, const struct tfs_time_range_clock *clock,
		 struct tfs_time_ranges *w, struct tfs_err *err)
{
	struct tfs_strvec specs = TFS_STRVEC_INIT;
	int rc;

	*err = TFS_ERR_INIT;
	assert_int_equal(tfs_strvec_push(&specs, spec), 0);
	rc = tfs_time_ranges_parse(&specs, clock, w, err);
	tfs_strvec_release(&specs);
	return rc;
}

static void each_form_gives_its_range(void **state)
{
	static const struct {
		const char *spec;
		const struct tfs_time_range_clock *clock;
		size_t n;
		struct tfs_time_range v[3];
	} rows[] = {
		/* the stamps that are shown as 101.500000 are within 500 ns of it */
		{ "101.5,102", &shown_us, 1, { { 101 * S + 499999500, 102 * S + 499 } } },
		{ "101.123456,", &shown_us, 1, { { 101 * S + 123455500, MAX } } },
		{ ",101.123456", &shown_us, 1, { { 0, 101 * S + 123456499 } } },
		{ "101.123456000,101.123457000",
		  &shown_us,
		  1,
		  { { 101 * S + 123456000, 101 * S + 123457000 } } },
		{ "101.5,102", &shown_ns, 1, { { 101 * S + 500000000, 102 * S } } },
		{ ".5,101", &shown_ns, 1, { { S / 2, 101 * S } } },
		{ ",", &shown_ns, 1, { { 0, MAX } } },
		{ "101,+1.5s", &shown_ns, 1, { { 101 * S, 102 * S + S / 2 } } },
		{ ",+20ms", &shown_ns, 1, { { 0, 100 * S + S / 50 } } },
		{ "+5s", &shown_us, 1, { { 100 * S, 105 * S } } },
		{ "+300us", &shown_us, 1, { { 100 * S, 100 * S + 300000 } } },
		{ "-2", &shown_us, 1, { { 118 * S, 120 * S } } },
		{ "-1h", &shown_us, 1, { { 0, 120 * S } } },
		/* 20 s: a tenth is 2 s; the moment where a part ends is the next one's */
		{ "10%-20%", &shown_us, 1, { { 102 * S, 104 * S - 1 } } },
		{ "10%/2", &shown_us, 1, { { 102 * S, 104 * S - 1 } } },
		{ "10%/10", &shown_us, 1, { { 118 * S, 120 * S } } },
		{ "30%/4", &shown_us, 1, { { 118 * S, 120 * S } } },
		{ "12.5%/1", &shown_us, 1, { { 100 * S, 102 * S + S / 2 - 1 } } },
		{ "0%-100%", &shown_us, 1, { { 100 * S, 120 * S } } },
		{ "10%/3,0%-10%",
		  &shown_us,
		  2,
		  { { 100 * S, 102 * S - 1 }, { 104 * S, 106 * S - 1 } } },
		{ "110,111 101,102 -1s",
		  &shown_ns,
		  3,
		  { { 101 * S, 102 * S }, { 110 * S, 111 * S }, { 119 * S, 120 * S } } },
		{ "101,105 104,106 103,+1s", &shown_ns, 1, { { 101 * S, 106 * S } } },
		{ "6000,7000", &counts, 1, { { 6000, 7000 } } },
		{ "+100", &counts, 1, { { 5000, 5100 } } },
		{ "50%-100%", &counts, 1, { { 7000, 9000 } } },
	};
	struct tfs_time_ranges w;
	struct tfs_err err;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (parse(rows[i].spec, rows[i].clock, &w, &err))
			fail_msg("'%s': %s", rows[i].spec, err.msg);
		assert_int_equal(w.n, rows[i].n);
		assert_memory_equal(w.v, rows[i].v, w.n * sizeof(*w.v));
		tfs_time_ranges_release(&w);
	}
}

static void refuses_malformed_time_ranges(void **state)
{
	static const struct {
		const char *spec;
		const struct tfs_time_range_clock *clock;
		const char *says;
	} rows[] = {
		{ "", &shown_us, "it is empty" },
		{ "101", &shown_us, "it has no comma" },
		{ "a,b", &shown_us, "a time is written as" },
		{ "-3,101", &shown_us, "a time is written as" },
		{ "101.1234567890,", &shown_us, "a time is written as" },
		{ "99999999999999999999,", &shown_us, "a time is written as" },
		{ "18446744073709551,", &shown_us, "no clock counts" },
		{ "1,2,3", &shown_us, "one comma" },
		{ "102,101", &shown_us, "it ends before it begins" },
		{ "20%-10%", &shown_us, "it ends before it begins" },
		{ "10%-20", &shown_us, "a percent sign is missing" },
		{ "10%", &shown_us, "a share is written as" },
		{ "10%-20%x", &shown_us, "text after" },
		{ "10%/11", &shown_us, "no part of this number" },
		{ "10%/0", &shown_us, "no part of this number" },
		{ "0%/1", &shown_us, "no part of this number" },
		{ "90%-101%", &shown_us, "more than 100%" },
		{ "+5x", &shown_us, "5x" },
		{ "6000.5,", &counts, "whole numbers" },
		{ "+5s", &counts, "whole numbers" },
		{ "200,300", &shown_us, "nothing was recorded then" },
		{ "101,102 3,4", &shown_us, "'3,4': nothing was recorded then" },
	};
	struct tfs_time_ranges w;
	struct tfs_err err;
	size_t i;
	int rc;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		rc = parse(rows[i].spec, rows[i].clock, &w, &err);
		if (rc != -EINVAL && rc != -ERANGE)
			fail_msg("'%s' was taken", rows[i].spec);
		if (!strstr(err.msg, rows[i].says))
			fail_msg("'%s': %s", rows[i].spec, err.msg);
		tfs_time_ranges_release(&w);
	}
}

static void a_miss_says_when_the_recording_was(void **state)
{
	struct tfs_time_ranges w;
	struct tfs_err err;

	(void)state;
	assert_int_equal(parse(",99", &shown_us, &w, &err), -ERANGE);
	assert_string_equal(err.hint, "the recording goes from 100.000000 to 120.000000");
	tfs_time_ranges_release(&w);
	assert_int_equal(parse("1,2", &counts, &w, &err), -ERANGE);
	assert_string_equal(err.hint, "the recording goes from 5000 to 9000");
	tfs_time_ranges_release(&w);
}

static void any_range_fits_an_empty_recording(void **state)
{
	static const struct tfs_time_range_clock empty = { 0, 0, true, TFS_TIME_USECS };
	struct tfs_time_ranges w;
	struct tfs_err err;

	(void)state;
	assert_int_equal(parse("5,6", &empty, &w, &err), 0);
	assert_int_equal(w.n, 1);
	tfs_time_ranges_release(&w);
	assert_int_equal(parse("+1s", &empty, &w, &err), 0);
	tfs_time_ranges_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_gives_its_range),
		cmocka_unit_test(refuses_malformed_time_ranges),
		cmocka_unit_test(a_miss_says_when_the_recording_was),
		cmocka_unit_test(any_range_fits_an_empty_recording),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
