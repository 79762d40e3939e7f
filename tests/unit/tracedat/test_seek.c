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
#include "lib/dat_open.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-time.h"
#include "tracedat/merge.h"
#include "tracedat/seek.h"

/* Times of one CPU are 1000 apart: see dat_sample_ts(). */
#define STEP 1000

static struct tfs_dat_time *no_correction(struct tfs_dat *dat)
{
	static const struct tfs_dat_time_opts opts;
	struct tfs_dat_time *time;

	assert_int_equal(tfs_dat_time_new(dat, &opts, &time, NULL), 0);
	return time;
}

static const struct dat_spec layouts[] = {
	{ .pages = 23, .page_size = 4096 },
	{ .pages = 23, .page_size = 512, .codec = TFS_CODEC_ZLIB, .chunk_pages = 3 },
	{ .pages = 23, .page_size = 4096, .version = 6, .big = true, .long_size = 4 },
	{ .pages = 1, .events = 1 },
	/* more chunks than the table of places has entries */
	{ .pages = 9001, .page_size = 64, .codec = TFS_CODEC_ZLIB, .chunk_pages = 1, .events = 2 },
};

static unsigned int events(const struct dat_spec *s)
{
	return s->pages * (s->events ? s->events : 4);
}

static void bounds_are_those_of_the_first_and_the_last_record(void **state)
{
	struct tfs_dat_time *time;
	struct tfs_bounds b;
	struct tfs_dat *dat;
	unsigned int i, cpu, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		dat = dat_open_sample(&layouts[i]);
		time = no_correction(dat);
		n = events(&layouts[i]);
		for (cpu = 0; cpu < 2; cpu++) {
			assert_int_equal(tfs_seek_bounds(dat, 0, cpu, time, &b, NULL), 1);
			assert_int_equal(b.first, dat_sample_ts(0, cpu, 0));
			assert_int_equal(b.last, dat_sample_ts(0, cpu, n - 1));
		}
		assert_int_equal(tfs_seek_all_bounds(dat, time, &b, NULL), 1);
		assert_int_equal(b.first, dat_sample_ts(0, 0, 0));
		assert_int_equal(b.last, dat_sample_ts(0, 1, n - 1));
		tfs_dat_time_free(time);
		tfs_dat_free(dat);
	}
}

/* A merge from @from on yields the records of a whole one that are not before it. */
static void check_from(struct tfs_dat *dat, const struct dat_spec *spec, uint64_t from)
{
	const struct tfs_merge_opts opts = { .from = from };
	unsigned int n, cpu;
	struct tfs_record rec;
	struct tfs_merge *m;

	assert_int_equal(tfs_merge_new(dat, &opts, &m, NULL), 0);
	for (n = 0; n < events(spec); n++)
		for (cpu = 0; cpu < 2; cpu++) {
			if (dat_sample_ts(0, cpu, n) < from)
				continue;
			assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
			assert_int_equal(rec.ts, dat_sample_ts(0, cpu, n));
			assert_int_equal(rec.cpu, cpu);
		}
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 0);
	tfs_merge_free(m);
}

static void records_from_a_time_on_are_all_there(void **state)
{
	const struct dat_spec *spec;
	struct tfs_dat *dat;
	unsigned int i, n, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		spec = &layouts[i];
		dat = dat_open_sample(spec);
		for (k = 0; k <= 16; k++) {
			n = events(spec) * k / 16;
			check_from(dat, spec, dat_sample_ts(0, 0, n));
			check_from(dat, spec, dat_sample_ts(0, 1, n) + 1);
			check_from(dat, spec, dat_sample_ts(0, 0, n) - STEP / 2);
		}
		check_from(dat, spec, 1);
		check_from(dat, spec, UINT64_MAX);
		tfs_dat_free(dat);
	}
}

/* A sub-buffer at @ts with one entry, or without. */
static void page(struct bytes *out, uint64_t ts, unsigned int entries)
{
	const uint32_t payload = DAT_SAMPLE_EVENT_ID;
	struct page_builder p;

	page_begin(&p, out, 8, 512, ts);
	while (entries--)
		page_data(&p, 0, &payload, 4);
	page_end(&p, 0);
}

static struct tfs_dat *open_pages(const struct dat_spec *spec, const struct bytes *pages)
{
	const struct dat_cpu cpu = { .cpu = 0, .pages = pages };
	struct dat_builder d;

	dat_begin(&d, spec);
	dat_metadata(&d);
	dat_buffer(&d, "", &cpu, 1);
	return dat_open_built(&d);
}

static void sub_buffers_without_records_hide_nothing(void **state)
{
	static const struct dat_spec specs[] = {
		{ .cpus = 1 },
		{ .cpus = 1, .codec = TFS_CODEC_ZLIB, .chunk_pages = 1 },
	};
	struct tfs_merge_opts opts = { 0 };
	struct tfs_dat_time *time;
	struct tfs_record rec;
	struct tfs_bounds b;
	struct tfs_merge *m;
	struct tfs_dat *dat;
	struct bytes pages;
	unsigned int i, n;

	(void)state;
	for (i = 0; i < 2; i++) {
		bytes_init(&pages, false);
		page(&pages, 0, 0);
		page(&pages, 100, 1);
		for (n = 0; n < 9; n++)
			page(&pages, 0, 0);
		page(&pages, 300, 1);
		page(&pages, 0, 0);
		dat = open_pages(&specs[i], &pages);
		time = no_correction(dat);
		assert_int_equal(tfs_seek_bounds(dat, 0, 0, time, &b, NULL), 1);
		assert_int_equal(b.first, 100);
		assert_int_equal(b.last, 300);
		for (opts.from = 99; opts.from <= 301; opts.from++) {
			assert_int_equal(tfs_merge_new(dat, &opts, &m, NULL), 0);
			assert_int_equal(tfs_merge_next(m, &rec, NULL), opts.from <= 300);
			if (opts.from <= 300)
				assert_int_equal(rec.ts, opts.from <= 100 ? 100 : 300);
			tfs_merge_free(m);
		}
		tfs_dat_time_free(time);
		tfs_dat_free(dat);
		bytes_release(&pages);
	}
}

static void no_records_have_no_bounds(void **state)
{
	const struct dat_spec spec = { .cpus = 1 };
	struct tfs_dat_time *time;
	struct tfs_bounds b;
	struct tfs_dat *dat;
	struct bytes pages;

	(void)state;
	bytes_init(&pages, false);
	page(&pages, 5, 0);
	dat = open_pages(&spec, &pages);
	time = no_correction(dat);
	assert_int_equal(tfs_seek_bounds(dat, 0, 0, time, &b, NULL), 0);
	assert_int_equal(tfs_seek_all_bounds(dat, time, &b, NULL), 0);
	tfs_dat_time_free(time);
	tfs_dat_free(dat);
	bytes_release(&pages);
}

/* An impossible length in the first sub-buffers is found by whoever reads them, and only then. */
static void earlier_data_is_not_read(void **state)
{
	const struct dat_spec spec = { .cpus = 1 };
	struct tfs_merge_opts opts = { 0 };
	struct tfs_record rec;
	struct tfs_merge *m;
	struct tfs_dat *dat;
	struct bytes pages;
	unsigned int n;

	(void)state;
	bytes_init(&pages, false);
	for (n = 0; n < 64; n++)
		page(&pages, 100 * n, 1);
	for (n = 0; n < 4; n++)
		memset(pages.sb.s + (size_t)512 * n + 8, 0xff, 3);
	dat = open_pages(&spec, &pages);
	opts.from = 6000;
	assert_int_equal(tfs_merge_new(dat, &opts, &m, NULL), 0);
	for (n = 60; n < 64; n++) {
		assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
		assert_int_equal(rec.ts, 100 * n);
	}
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 0);
	tfs_merge_free(m);
	assert_null(tfs_dat_damage(dat));
	opts.from = 0;
	assert_int_equal(tfs_merge_new(dat, &opts, &m, NULL), 0);
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 0);
	tfs_merge_free(m);
	assert_non_null(tfs_dat_damage(dat));
	tfs_dat_free(dat);
	bytes_release(&pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_are_those_of_the_first_and_the_last_record),
		cmocka_unit_test(records_from_a_time_on_are_all_there),
		cmocka_unit_test(sub_buffers_without_records_hide_nothing),
		cmocka_unit_test(no_records_have_no_bounds),
		cmocka_unit_test(earlier_data_is_not_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
