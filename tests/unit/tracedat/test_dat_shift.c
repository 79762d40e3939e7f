/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedat/dat-shift.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cursor.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "clock/clock-line.h"
#include "clock/clock-map.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-time.h"

#define S ((uint64_t)NS_PER_SEC)

/* From a clock that is 3 s late and loses 20 ppm to one that is right */
static struct tfs_clock_map *map_of(void)
{
	const struct tfs_clock_limits limits = TFS_CLOCK_LIMITS;
	const struct tfs_clock_sample from[] = {
		{ 10 * S, 13 * S, 100 },
		{ 20 * S, 23 * S + 200000, 100 },
		{ 30 * S, 33 * S + 400000, 100 },
	};
	const struct tfs_clock_sample to[] = { { 13 * S, 13 * S, 0 }, { 34 * S, 34 * S, 0 } };
	const struct tfs_clock_span span = { 11 * S, 29 * S };
	struct tfs_clock_line *a, *b;
	struct tfs_clock_map *map = NULL;

	assert_int_equal(tfs_clock_line_new(from, 3, &limits, &a), 0);
	assert_int_equal(tfs_clock_line_new(to, 2, &limits, &b), 0);
	assert_int_equal(tfs_clock_map_new(a, b, &span, 0, &map), 0);
	tfs_clock_line_free(a);
	tfs_clock_line_free(b);
	return map;
}

static struct tfs_dat *file_with(const struct tfs_strbuf *option)
{
	struct dat_spec spec = { .cpus = 2 };
	struct dat_builder d;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	dat_option(&d, TFS_DAT_TIME_SHIFT, option->s, option->len);
	return dat_open_built(&d);
}

/* A reader that knows TIME_SHIFT and no bounds shows the same times. */
static void reader_converts_stamps_as_the_map_does(void **state)
{
	const struct tfs_dat_shift shift = { 0x1234, 2, UINT64_MAX - 999 };
	const struct tfs_dat_time_opts opts = { .raw = false };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_clock_map *map = map_of();
	struct tfs_dat_time *time = NULL;
	struct tfs_dat *dat;

	(void)state;
	assert_int_equal(tfs_dat_shift_put(&sb, map, &shift), 0);
	dat = file_with(&sb);
	assert_null(tfs_dat_damage(dat));
	assert_int_equal(tfs_dat_time_new(dat, &opts, &time, NULL), 0);
	assert_true(tfs_dat_time_has_shift(time));
	for (uint64_t t = 11 * S; t < 29 * S; t += 7777777) {
		uint64_t want = tfs_clock_map_time(map, t) - 1000;

		for (unsigned int cpu = 0; cpu < 2; cpu++)
			assert_in_range(tfs_dat_time_fix(time, cpu, t), want - 1, want + 1);
		/* by arithmetic: 3 s, and 20 ppm since 10 s, less 1 us */
		assert_in_range(want, t + 3 * S + (t - 10 * S) / 50000 - 1005,
				t + 3 * S + (t - 10 * S) / 50000 - 995);
	}
	tfs_dat_time_free(time);
	tfs_dat_free(dat);
	tfs_clock_map_free(map);
	tfs_strbuf_release(&sb);
}

/* The layout that trace.dat(5) has, in which trace-cmd looks for it */
static void option_has_samples_for_each_cpu(void **state)
{
	const struct tfs_dat_shift shift = { 0x1122334455667788, 3, 0 };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_clock_map *map = map_of();
	struct tfs_cursor c;
	uint64_t peer, value;
	uint32_t flags, cpus, n = 0;

	(void)state;
	assert_int_equal(tfs_dat_shift_put(&sb, map, &shift), 0);
	tfs_cursor_init(&c, sb.s, sb.len, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	assert_int_equal(tfs_cursor_u64(&c, &peer), 0);
	assert_int_equal(tfs_cursor_u32(&c, &flags), 0);
	assert_int_equal(tfs_cursor_u32(&c, &cpus), 0);
	assert_true(peer == shift.peer);
	assert_int_equal(flags, 1);
	assert_int_equal(cpus, 3);
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		uint64_t last = 0;

		assert_int_equal(tfs_cursor_u32(&c, &n), 0);
		assert_true(n >= 3);
		for (uint32_t i = 0; i < n; i++, last = value) {
			assert_int_equal(tfs_cursor_u64(&c, &value), 0);
			assert_true(value > last);
		}
		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal(tfs_cursor_u64(&c, &value), 0);
			assert_in_range(value, 3 * S, 3 * S + 400000);
		}
		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal(tfs_cursor_u64(&c, &value), 0);
			assert_int_equal(value, 1);
		}
	}
	for (uint32_t i = 0; i < cpus * n; i++) {
		assert_int_equal(tfs_cursor_u64(&c, &value), 0);
		assert_int_equal(value, 0);
	}
	assert_int_equal(tfs_cursor_left(&c), 0);
	tfs_clock_map_free(map);
	tfs_strbuf_release(&sb);
}

static void impossible_numbers_of_cpus_are_refused(void **state)
{
	const struct tfs_dat_shift none = { 1, 0, 0 }, absurd = { 1, UINT32_MAX, 0 };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_clock_map *map = map_of();

	(void)state;
	assert_int_equal(tfs_dat_shift_put(&sb, map, &none), -EINVAL);
	assert_int_equal(tfs_dat_shift_put(&sb, map, &absurd), -EINVAL);
	tfs_clock_map_free(map);
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reader_converts_stamps_as_the_map_does),
		cmocka_unit_test(option_has_samples_for_each_cpu),
		cmocka_unit_test(impossible_numbers_of_cpus_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
