/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clocks of two hosts, each known to the test, put on one time line */
#include "clock/clock-map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/time.h"
#include "clock/clock-line.h"

#define S ((uint64_t)NS_PER_SEC)

static struct tfs_clock_line *line_of(const struct tfs_clock_sample *samples, size_t n)
{
	const struct tfs_clock_limits limits = TFS_CLOCK_LIMITS;
	struct tfs_clock_line *line = NULL;

	assert_int_equal(tfs_clock_line_new(samples, n, &limits, &line), 0);
	return line;
}

/* A clock that showed @at when the reference showed 1000 s, and gains @ppb; compared every 10 s */
struct host {
	uint64_t at;
	int64_t ppb;
};

static uint64_t local_at(const struct host *h, uint64_t ref)
{
	int64_t since = (int64_t)(ref - 1000 * S);

	return h->at + (uint64_t)(since + since / 1000 * h->ppb / 1000000);
}

static struct tfs_clock_line *host_line(const struct host *h, uint64_t bound)
{
	struct tfs_clock_sample samples[7];

	for (size_t i = 0; i < 7; i++)
		samples[i] = (struct tfs_clock_sample){ local_at(h, (1000 + 10 * i) * S),
							(1000 + 10 * i) * S, bound };
	return line_of(samples, 7);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* An event at a moment of the reference gets the stamp that the other host's clock showed then. */
static void stamps_become_those_of_the_other_clock(void **state)
{
	const struct host a = { 50 * S, 0 }, b = { 77 * S, 50000 };
	struct tfs_clock_line *from = host_line(&b, 20000), *to = host_line(&a, 5000);
	const struct tfs_clock_span span = { local_at(&b, 1001 * S), local_at(&b, 1059 * S) };
	struct tfs_clock_map *map = NULL;
	uint64_t last = 0;

	(void)state;
	assert_int_equal(tfs_clock_map_new(from, to, &span, 1000, &map), 0);
	tfs_clock_line_free(from);
	tfs_clock_line_free(to);
	for (uint64_t ms = 1001000; ms <= 1059000; ms += 137) {
		uint64_t ref = ms * NS_PER_MSEC;
		uint64_t time = tfs_clock_map_time(map, local_at(&b, ref));

		assert_true(apart(time, local_at(&a, ref)) <= 5);
		/* that of b's samples, what is added, and the wander of 10 ppm in 10 s */
		assert_in_range(tfs_clock_map_bound(map, time), 21000, 21000 + 25000 + 100);
		assert_true(time > last);
		last = time;
	}
	assert_in_range(tfs_clock_map_worst(map), 45000, 46100);
	/* 27 s ahead at 1000 s, and 50 us more at 1001 s */
	assert_true(tfs_clock_map_shift(map) + 27 * NS_PER_SEC + 50000 < 10);
	assert_true(tfs_clock_map_drift(map) < -49900 && tfs_clock_map_drift(map) > -50100);
	tfs_clock_map_free(map);
}

static void time_line_itself_stays_as_it_is(void **state)
{
	const struct host a = { 50 * S, 300000 };
	struct tfs_clock_line *line = host_line(&a, 100);
	const struct tfs_clock_span span = { 50 * S, 90 * S };
	struct tfs_clock_map *map = NULL;

	(void)state;
	assert_int_equal(tfs_clock_map_new(line, NULL, &span, 0, &map), 0);
	tfs_clock_line_free(line);
	for (uint64_t t = 49 * S; t < 92 * S; t += 999999937)
		assert_true(tfs_clock_map_time(map, t) == t);
	assert_int_equal(tfs_clock_map_shift(map), 0);
	assert_true(tfs_clock_map_worst(map) < 26000);
	tfs_clock_map_free(map);
}

static void unknown_error_of_the_reference_makes_the_bound_unknown(void **state)
{
	const struct host a = { 50 * S, 0 };
	struct tfs_clock_line *line = host_line(&a, 100);
	const struct tfs_clock_span span = { 50 * S, 90 * S };
	struct tfs_clock_map *map = NULL;

	(void)state;
	assert_int_equal(tfs_clock_map_new(line, NULL, &span, UINT64_MAX, &map), 0);
	tfs_clock_line_free(line);
	assert_true(tfs_clock_map_worst(map) == UINT64_MAX);
	assert_true(tfs_clock_map_bound(map, 60 * S) == UINT64_MAX);
	tfs_clock_map_free(map);
}

/* A clock that was set back by 3 s: stamps of one CPU must not be shown in the wrong order. */
static void time_does_not_decrease_where_a_clock_was_set(void **state)
{
	const struct tfs_clock_sample samples[] = {
		{ 10 * S, 500 * S, 1000 },
		{ 20 * S, 510 * S, 1000 },
		{ 30 * S, 517 * S, 1000 },
		{ 40 * S, 527 * S, 1000 },
	};
	const struct tfs_clock_sample same[] = { { 500 * S, 500 * S, 0 } };
	struct tfs_clock_line *from = line_of(samples, 4), *to = line_of(same, 1);
	const struct tfs_clock_span span = { 10 * S, 40 * S };
	struct tfs_clock_map *map = NULL;
	uint64_t time, last = 0;

	(void)state;
	assert_int_equal(tfs_clock_map_new(from, to, &span, 0, &map), 0);
	for (uint64_t t = 9 * S; t < 41 * S; t += 9999991) {
		time = tfs_clock_map_time(map, t);
		assert_true(time >= last);
		last = time;
	}
	/* It says so. */
	assert_true(tfs_clock_map_worst(map) > S);
	tfs_clock_line_free(from);
	tfs_clock_line_free(to);
	tfs_clock_map_free(map);
}

static void span_may_end_before_it_begins(void **state)
{
	const struct tfs_clock_sample samples[] = { { 10 * S, 20 * S, 5 }, { 40 * S, 50 * S, 5 } };
	const struct tfs_clock_span forth = { 15 * S, 35 * S }, back = { 35 * S, 15 * S };
	struct tfs_clock_line *line = NULL;
	struct tfs_clock_map *map[2];
	uint64_t local[2], time[2];
	size_t n = 0;

	(void)state;
	assert_int_equal(tfs_clock_line_new(samples, 2, &TFS_CLOCK_LIMITS, &line), 0);
	assert_int_equal(tfs_clock_map_new(line, NULL, &forth, 0, &map[0]), 0);
	assert_int_equal(tfs_clock_map_new(line, NULL, &back, 0, &map[1]), 0);
	tfs_clock_line_free(line);
	for (; tfs_clock_map_node(map[0], n, &local[0], &time[0]); n++) {
		assert_true(tfs_clock_map_node(map[1], n, &local[1], &time[1]));
		assert_true(local[0] == local[1] && time[0] == time[1]);
	}
	assert_in_range(n, 2, 5);
	assert_false(tfs_clock_map_node(map[1], n, &local[1], &time[1]));
	assert_true(tfs_clock_map_worst(map[1]) >= 5);
	assert_int_equal(tfs_clock_map_drift(map[1]), 0);
	tfs_clock_map_free(map[0]);
	tfs_clock_map_free(map[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stamps_become_those_of_the_other_clock),
		cmocka_unit_test(time_line_itself_stays_as_it_is),
		cmocka_unit_test(unknown_error_of_the_reference_makes_the_bound_unknown),
		cmocka_unit_test(time_does_not_decrease_where_a_clock_was_set),
		cmocka_unit_test(span_may_end_before_it_begins),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
