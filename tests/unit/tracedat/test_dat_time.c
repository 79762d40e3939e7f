/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "lib/dat_build.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-time.h"
#include "tracedat/merge.h"

struct fixture {
	struct dat_builder d;
	struct tfs_dat *dat;
	struct tfs_dat_time *time;
};

static void begin(struct fixture *f, const struct dat_spec *spec)
{
	dat_begin(&f->d, spec);
	dat_metadata(&f->d);
}

static void text_option(struct fixture *f, uint16_t id, const char *s)
{
	dat_option(&f->d, id, s, strlen(s) + 1);
}

static void open_time(struct fixture *f, const struct tfs_dat_time_opts *opts)
{
	static const struct tfs_dat_time_opts none;

	dat_options_end(&f->d);
	assert_int_equal(tfs_dat_open_fd(bytes_to_fd(f->d.b.sb.s, f->d.b.sb.len), "x.dat", &f->dat,
					 NULL),
			 0);
	assert_int_equal(tfs_dat_time_new(f->dat, opts ? opts : &none, &f->time, NULL), 0);
}

static void end(struct fixture *f)
{
	tfs_dat_time_free(f->time);
	tfs_dat_free(f->dat);
	dat_release(&f->d);
}

static void without_options_time_stays_as_it_is(void **state)
{
	struct dat_spec spec = { 0 };
	struct fixture f;
	uint64_t offset;

	(void)state;
	begin(&f, &spec);
	open_time(&f, NULL);
	assert_true(tfs_dat_time_is_offset(f.time, &offset));
	assert_int_equal(offset, 0);
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 12345), 12345);
	end(&f);
	tfs_dat_time_free(NULL);
}

static void date_is_in_microseconds_and_offset_in_nanoseconds(void **state)
{
	static const struct tfs_dat_time_opts no_date = { .no_date = true }, raw = { .raw = true };
	struct dat_spec spec = { 0 };
	struct fixture f;
	uint64_t offset;

	(void)state;
	begin(&f, &spec);
	text_option(&f, 1, "0x10");
	text_option(&f, 7, "-500");
	open_time(&f, NULL);
	assert_true(tfs_dat_time_is_offset(f.time, &offset));
	assert_int_equal(offset, 16000 - 500);
	assert_int_equal(tfs_dat_time_fix(f.time, 3, 1000), 16500);
	tfs_dat_time_free(f.time);
	assert_int_equal(tfs_dat_time_new(f.dat, &no_date, &f.time, NULL), 0);
	assert_int_equal(tfs_dat_time_fix(f.time, 3, 1000), 500);
	tfs_dat_time_free(f.time);
	assert_int_equal(tfs_dat_time_new(f.dat, &raw, &f.time, NULL), 0);
	assert_int_equal(tfs_dat_time_fix(f.time, 3, 1000), 1000);
	end(&f);
}

static void offset_may_be_in_any_base(void **state)
{
	struct dat_spec spec = { 0 };
	struct fixture f;

	(void)state;
	begin(&f, &spec);
	text_option(&f, 7, "0x100");
	text_option(&f, 7, "010");
	text_option(&f, 7, "junk");
	open_time(&f, NULL);
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 1), 1 + 256 + 8);
	end(&f);
}

static void cycles_option(struct fixture *f, bool big, uint32_t mult, uint32_t shift)
{
	struct bytes o;

	bytes_init(&o, big);
	bytes_u32(&o, mult);
	bytes_u32(&o, shift);
	bytes_u64(&o, 999); /* stored, but no reader uses it */
	dat_option(&f->d, 14, o.sb.s, o.sb.len);
	bytes_release(&o);
}

/* (ts * mult) >> shift, computed with Python's integers */
static void cycles_become_nanoseconds(void **state)
{
	static const struct {
		uint64_t ts;
		uint32_t mult, shift;
		uint64_t ns;
	} cases[] = {
		{ 927991668282, 1715256, 22, 379501170389 },
		{ 0xffffffffffff, 0xffffffff, 32, 281474976645119 },
		{ 1ull << 63, 3, 33, 3221225472 },
		{ 12345678901234567, 4000000000, 40, 44913318201850 },
		{ 5, 7, 0, 35 },
	};
	struct fixture f;
	uint64_t offset;
	size_t i;
	int big, swapped;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (big = 0; big < 2; big++) {
			struct dat_spec spec = { .big = big };

			begin(&f, &spec);
			cycles_option(&f, big, cases[i].mult, cases[i].shift);
			text_option(&f, 7, "1000");
			open_time(&f, NULL);
			assert_false(tfs_dat_time_is_offset(f.time, &offset));
			assert_int_equal(tfs_dat_time_fix(f.time, 0, cases[i].ts),
					 cases[i].ns + 1000);
			end(&f);
		}
	}
	/* written in the other byte order: the shift gives it away */
	for (swapped = 0; swapped < 2; swapped++) {
		struct dat_spec spec = { .big = !swapped };

		begin(&f, &spec);
		cycles_option(&f, swapped, 7, 1);
		open_time(&f, NULL);
		assert_int_equal(tfs_dat_time_fix(f.time, 0, 10), 35);
		end(&f);
	}
}

static void impossible_cycles_are_ignored(void **state)
{
	struct dat_spec spec = { 0 };
	struct fixture f;

	(void)state;
	begin(&f, &spec);
	cycles_option(&f, false, 7, 0x40404040);
	dat_option(&f.d, 14, "short", 5);
	open_time(&f, NULL);
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 10), 10);
	end(&f);
}

struct sample {
	uint64_t time;
	int64_t offset;
	uint64_t scaling, fraction;
};

/* CPU 0 has @n samples, CPU 1 one, CPU 2 none. */
static void shift_option(struct fixture *f, bool big, uint32_t flags, const struct sample *s,
			 uint32_t n, bool fractions)
{
	struct bytes o;
	uint32_t i;

	bytes_init(&o, big);
	bytes_u64(&o, 0x1234);
	bytes_u32(&o, flags);
	bytes_u32(&o, 3);
	bytes_u32(&o, n);
	for (i = 0; i < n; i++)
		bytes_u64(&o, s[i].time);
	for (i = 0; i < n; i++)
		bytes_u64(&o, (uint64_t)s[i].offset);
	for (i = 0; i < n; i++)
		bytes_u64(&o, s[i].scaling);
	bytes_u32(&o, 1);
	bytes_u64(&o, 5);
	bytes_u64(&o, (uint64_t)-7);
	bytes_u64(&o, 1);
	bytes_u32(&o, 0);
	for (i = 0; fractions && i < n; i++)
		bytes_u64(&o, s[i].fraction);
	if (fractions)
		bytes_u64(&o, 0);
	dat_option(&f->d, 12, o.sb.s, o.sb.len);
	bytes_release(&o);
}

static const struct sample samples[] = {
	{ 2000, 300, 1, 0 },
	{ 1000, 100, 1, 0 }, /* out of order: they are sorted */
	{ 1000, 777, 1, 0 }, /* the same time again: only one of them counts */
	{ 4000, -700, 1, 0 },
};

static void guest_times_take_the_offset_of_the_sample_before(void **state)
{
	struct dat_spec spec = { 0 };
	struct fixture f;
	uint64_t offset;

	(void)state;
	begin(&f, &spec);
	shift_option(&f, false, 0, samples, 4, true);
	open_time(&f, NULL);
	assert_null(tfs_dat_damage(f.dat));
	assert_false(tfs_dat_time_is_offset(f.time, &offset));
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 2000), 2300);
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 3999), 4299);
	/* from the last sample on, the last two are what counts */
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 5000), 5300);
	assert_int_equal(tfs_dat_time_fix(f.time, 1, 50), 43);
	assert_int_equal(tfs_dat_time_fix(f.time, 2, 50), 50);
	assert_int_equal(tfs_dat_time_fix(f.time, 9, 50), 50);
	end(&f);
}

static void guest_times_are_interpolated_when_the_file_says_so(void **state)
{
	static const struct sample two[] = { { 1000, 100, 1, 0 },
					     { 2000, 300, 1, 0 },
					     { 4000, -700, 1, 0 } };
	struct dat_spec spec = { .big = true };
	struct fixture f;

	(void)state;
	begin(&f, &spec);
	shift_option(&f, true, 1, two, 3, true);
	open_time(&f, NULL);
	/* between 1000 and 2000 the offset grows by 200, from there to 4000 it falls by 1000 */
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 1500), 1500 + 200);
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 3000), 3000 + 300 - 500 + 1); /* rounded up */
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 1000), 1100);
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 500), 500 + 100 - 100 + 1);
	end(&f);
}

static void guest_times_are_scaled(void **state)
{
	static const struct sample two[] = { { 0, 10, 3, 1 }, { 1000, 10, 3, 1 } };
	struct dat_spec spec = { 0 };
	struct fixture f;

	(void)state;
	begin(&f, &spec);
	shift_option(&f, false, 0, two, 2, true);
	open_time(&f, NULL);
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 100), 150 + 10); /* 3 / 2 */
	end(&f);
	/* older files have no fractions */
	begin(&f, &spec);
	shift_option(&f, false, 0, two, 2, false);
	open_time(&f, NULL);
	assert_null(tfs_dat_damage(f.dat));
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 100), 300 + 10);
	end(&f);
}

/* 48 fractional bits, as Intel's processors have; computed with Python's integers */
static void guest_times_are_scaled_without_overflow(void **state)
{
	static const struct sample two[] = { { 0, -10, 338139543535616ull, 48 },
					     { 1, -10, 338139543535616ull, 48 } };
	struct dat_spec spec = { 0 };
	struct fixture f;

	(void)state;
	begin(&f, &spec);
	shift_option(&f, false, 0, two, 2, true);
	open_time(&f, NULL);
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 9876543210987654ull),
			 11864819573308524ull - 10);
	end(&f);
}

/* Whose recording has the clock that the stamps are converted to */
static void guest_names_its_peer(void **state)
{
	struct dat_spec spec = { 0 };
	struct fixture f;
	uint64_t id;

	(void)state;
	begin(&f, &spec);
	open_time(&f, NULL);
	assert_false(tfs_dat_time_peer(f.time, &id));
	end(&f);
	begin(&f, &spec);
	shift_option(&f, false, 0, samples, 4, true);
	open_time(&f, NULL);
	assert_true(tfs_dat_time_peer(f.time, &id));
	assert_int_equal(id, 0x1234);
	end(&f);
}

static void guest_times_in_the_other_byte_order_are_read(void **state)
{
	struct dat_spec spec = { .big = true };
	struct fixture f;

	(void)state;
	begin(&f, &spec);
	shift_option(&f, false, 0, samples, 4, true);
	open_time(&f, NULL);
	assert_null(tfs_dat_damage(f.dat));
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 2000), 2300);
	end(&f);
}

static void damaged_guest_times_are_noted(void **state)
{
	static const unsigned char cut[20] = { [12] = 1, [16] = 200 };
	struct dat_spec spec = { 0 };
	struct fixture f;

	(void)state;
	begin(&f, &spec);
	dat_option(&f.d, 12, cut, sizeof(cut));
	text_option(&f, 7, "5");
	open_time(&f, NULL);
	assert_non_null(strstr(tfs_dat_damage(f.dat)->msg, "TIME_SHIFT"));
	assert_int_equal(tfs_dat_time_fix(f.time, 0, 10), 15);
	end(&f);
}

/* Samples far apart, as a damaged file may have them: any result, no overflow. */
static void absurd_guest_times_do_no_harm(void **state)
{
	static const struct sample wild[] = {
		{ 0x8000000000000000, INT64_MIN, UINT64_MAX, UINT64_MAX },
		{ 0x7fffffffffffffff, INT64_MAX, UINT64_MAX, 64 },
		{ 1, -1, 0, 63 },
	};
	struct dat_spec spec = { 0 };
	struct fixture f;
	unsigned int i;

	(void)state;
	begin(&f, &spec);
	shift_option(&f, false, 1, wild, 3, true);
	open_time(&f, NULL);
	for (i = 0; i < 64; i++)
		tfs_dat_time_fix(f.time, 0, 1ull << i);
	end(&f);
}

/* tfs_merge_next() corrects times, unless raw time is asked for. */
static void merged_records_have_corrected_times(void **state)
{
	static const struct tfs_merge_opts opts[] = {
		{ 0 },
		{ .raw_ts = true },
		{ .no_date = true },
	};
	static const uint64_t extra[] = { 16000 + 35, 0, 35 };
	struct dat_spec spec = { .cpus = 1 };
	struct dat_cpu cpu = { .cpu = 0 };
	struct tfs_record rec;
	struct tfs_merge *m;
	struct fixture f;
	struct bytes pages;
	size_t i;

	(void)state;
	bytes_init(&pages, false);
	dat_sample_pages(&spec, 0, 0, &pages);
	cpu.pages = &pages;
	begin(&f, &spec);
	text_option(&f, 1, "0x10");
	text_option(&f, 7, "35");
	dat_buffer(&f.d, "", &cpu, 1);
	open_time(&f, NULL);
	for (i = 0; i < 3; i++) {
		assert_int_equal(tfs_merge_new(f.dat, &opts[i], &m, NULL), 0);
		assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
		assert_int_equal(rec.ts, dat_sample_ts(0, 0, 0) + extra[i]);
		tfs_merge_free(m);
	}
	end(&f);
	/* and through the general way, for clocks in cycles */
	begin(&f, &spec);
	cycles_option(&f, false, 3, 0);
	dat_buffer(&f.d, "", &cpu, 1);
	open_time(&f, NULL);
	assert_int_equal(tfs_merge_new(f.dat, NULL, &m, NULL), 0);
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
	assert_int_equal(rec.ts, 3 * dat_sample_ts(0, 0, 0));
	tfs_merge_free(m);
	end(&f);
	bytes_release(&pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_options_time_stays_as_it_is),
		cmocka_unit_test(date_is_in_microseconds_and_offset_in_nanoseconds),
		cmocka_unit_test(offset_may_be_in_any_base),
		cmocka_unit_test(cycles_become_nanoseconds),
		cmocka_unit_test(impossible_cycles_are_ignored),
		cmocka_unit_test(guest_times_take_the_offset_of_the_sample_before),
		cmocka_unit_test(guest_times_are_interpolated_when_the_file_says_so),
		cmocka_unit_test(guest_times_are_scaled),
		cmocka_unit_test(guest_times_are_scaled_without_overflow),
		cmocka_unit_test(guest_names_its_peer),
		cmocka_unit_test(guest_times_in_the_other_byte_order_are_read),
		cmocka_unit_test(damaged_guest_times_are_noted),
		cmocka_unit_test(absurd_guest_times_do_no_harm),
		cmocka_unit_test(merged_records_have_corrected_times),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
