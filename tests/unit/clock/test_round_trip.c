/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "clock/clock-line.h"
#include "clock/round-trip.h"

static void half_of_the_trip_is_the_bound(void **context)
{
	/* 1000 ns on the way in all; the other clock is 5,000,000 ahead */
	const struct tfs_clock_trip trip = { 1000, 5001300, 5001500, 2200 };
	struct tfs_clock_sample s;

	(void)context;
	assert_int_equal(tfs_clock_trip_sample(&trip, &s), 0);
	assert_int_equal(s.local, 5001300);
	assert_int_equal(s.ref, 1500);
	/* half of 1000, rounding, and what the rates may differ in 200 ns */
	assert_int_equal(s.bound, 502);
}

static void impossible_trips_are_refused(void **context)
{
	static const struct tfs_clock_trip trips[] = {
		{ 1000, 500, 600, 900 },             /* the reference went backwards */
		{ 1000, 600, 500, 1100 },            /* the other clock did */
		{ 1000, 500, 2500, 2000 },           /* longer there than in all */
		{ UINT64_MAX, 0, UINT64_MAX, 0 },    /* hostile */
		{ 0, 0, UINT64_MAX, UINT64_MAX / 2 } /* hostile */
	};
	struct tfs_clock_burst burst = TFS_CLOCK_BURST_INIT;
	struct tfs_clock_sample s;

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(trips); i++) {
		assert_int_equal(tfs_clock_trip_sample(&trips[i], &s), -EINVAL);
		tfs_clock_burst_add(&burst, &trips[i]);
	}
	assert_int_equal(burst.n, 0);
	assert_int_equal(burst.bad, ARRAY_SIZE(trips));
}

static void burst_keeps_the_shortest_trip(void **context)
{
	const struct tfs_clock_trip trips[] = {
		{ 1000, 100, 110, 9000 },
		{ 10000, 9100, 9110, 10400 },
		{ 20000, 19100, 19110, 28000 },
	};
	struct tfs_clock_burst burst = TFS_CLOCK_BURST_INIT;

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(trips); i++)
		tfs_clock_burst_add(&burst, &trips[i]);
	assert_int_equal(burst.n, 3);
	assert_int_equal(burst.best.t0, 10000);
}

static void request_is_answered(void **context)
{
	struct tfs_clock_probe asked = { .seq = 17, .name = "mono" }, seen;
	char line[TFS_CLOCK_LINE_MAX];

	(void)context;
	tfs_clock_probe_ask(&asked, line);
	assert_string_equal(line, "clock 1 17 mono\n");
	assert_int_equal(tfs_clock_probe_parse_ask(line, &seen), 0);
	assert_int_equal(seen.seq, 17);
	assert_string_equal(seen.name, "mono");
	assert_int_equal(tfs_clock_probe_now(seen.name, &seen.t1), 0);
	tfs_clock_probe_answer(&seen, line);
	assert_true(seen.t2 >= seen.t1 && seen.t1);
	assert_int_equal(tfs_clock_probe_parse_answer(line, &asked), 0);
	assert_true(asked.t1 == seen.t1 && asked.t2 == seen.t2);
	asked.seq = 18;
	assert_int_equal(tfs_clock_probe_parse_answer(line, &asked), -ESTALE);
}

static void unknown_clock_is_said_to_be(void **context)
{
	struct tfs_clock_probe asked = { .seq = 4294967295, .name = "counter" }, seen;
	char line[TFS_CLOCK_LINE_MAX];
	uint64_t now;

	(void)context;
	assert_int_equal(tfs_clock_probe_now("counter", &now), -EINVAL);
	tfs_clock_probe_ask(&asked, line);
	assert_int_equal(tfs_clock_probe_parse_ask(line, &seen), 0);
	tfs_clock_probe_answer(&seen, line);
	assert_string_equal(line, "clock 1 4294967295 counter unknown\n");
	assert_int_equal(tfs_clock_probe_parse_answer(line, &asked), -EOPNOTSUPP);
}

static void damaged_lines_are_refused(void **context)
{
	static const char *const asks[] = {
		"",
		"\n",
		"clock",
		"clock 2 1 mono\n",
		"clock 1  mono\n",
		"clock 1 -1 mono\n",
		"clock 1 4294967296 mono\n",
		"clock 1 1 \n",
		"clock 1 1 mono extra\n",
		"clock 1 1 mono\nclock",
		"clock 1 1 a_name_of_16_byt\n",
		"clock 1 1 mo\x1bno\n",
	};
	static const char *const answers[] = {
		"clock 1 1 mono\n",       "clock 1 1 mono 1\n",
		"clock 1 1 mono 1 2 3\n", "clock 1 1 mono 1 \n",
		"clock 1 1 mono -1 2\n",  "clock 1 1 mono 18446744073709551616 2\n",
		"clock 1 1 mono 1 2x\n",
	};
	struct tfs_clock_probe probe = { .seq = 1, .name = "mono" };

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(asks); i++)
		assert_int_equal(tfs_clock_probe_parse_ask(asks[i], &probe), -EBADMSG);
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
		assert_int_equal(tfs_clock_probe_parse_answer(answers[i], &probe), -EBADMSG);
	assert_int_equal(probe.t1, 0);
	assert_int_equal(
		tfs_clock_probe_parse_answer("clock 1 1 mono 1 18446744073709551615", &probe), 0);
	assert_true(probe.t2 == UINT64_MAX);
}

static void the_name_is_of_this_machine(void **state)
{
	char name[TFS_CLOCK_REFERENCE_MAX], again[TFS_CLOCK_REFERENCE_MAX];

	(void)state;
	tfs_clock_reference(name);
	tfs_clock_reference(again);
	assert_string_equal(name, again);
	assert_non_null(strstr(name, ", clock mono of boot "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_of_the_trip_is_the_bound),
		cmocka_unit_test(impossible_trips_are_refused),
		cmocka_unit_test(burst_keeps_the_shortest_trip),
		cmocka_unit_test(request_is_answered),
		cmocka_unit_test(unknown_clock_is_said_to_be),
		cmocka_unit_test(damaged_lines_are_refused),
		cmocka_unit_test(the_name_is_of_this_machine),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
