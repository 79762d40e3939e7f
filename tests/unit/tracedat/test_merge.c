/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/macros.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/blocks.h"
#include "tracedat/dat-read.h"
#include "tracedat/merge.h"
#include "tracedat/record-run.h"
#include "tracedat/stream.h"

static struct tfs_merge *merge(struct tfs_dat *dat, const struct tfs_merge_opts *opts)
{
	struct tfs_merge *m;

	assert_int_equal(tfs_merge_new(dat, opts, &m, NULL), 0);
	return m;
}

/* The next record: of tfs_merge_next(), or (@run) of tfs_merge_run() */
static int next(struct tfs_merge *m, struct tfs_record_run *run, struct tfs_record *rec)
{
	int rc;

	if (!run)
		return tfs_merge_next(m, rec, NULL);
	if (tfs_record_run_next(run, rec))
		return 1;
	run->page = NULL;
	rc = tfs_merge_run(m, run, NULL);
	if (rc > 0)
		assert_true(tfs_record_run_next(run, rec));
	return rc;
}

/* Few CPUs are looked at in turn, many are kept in a heap: the order must be the same. */
static void check_counts(struct tfs_record_run *run)
{
	static const unsigned int counts[] = { 1, 2, 8, 9, 10, 33 };
	struct tfs_record rec;
	struct tfs_merge *m;
	struct tfs_dat *dat;
	unsigned int i, n, cpu;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		struct dat_spec spec = { .cpus = counts[i], .pages = 3, .page_size = 128 };

		dat = dat_open_sample(&spec);
		m = merge(dat, NULL);
		for (n = 0; n < 12; n++)
			for (cpu = 0; cpu < counts[i]; cpu++) {
				assert_int_equal(next(m, run, &rec), 1);
				assert_int_equal(rec.ts, dat_sample_ts(0, cpu, n));
				assert_int_equal(rec.cpu, cpu);
			}
		assert_int_equal(next(m, run, &rec), 0);
		tfs_merge_free(m);
		tfs_dat_free(dat);
	}
}

static void records_come_by_time_from_few_and_many_cpus(void **state)
{
	struct tfs_record_run run = { .has_first = false };

	(void)state;
	check_counts(NULL);
	check_counts(&run);
}

/* A page with an entry at each of @n times. */
static void times_page(struct bytes *out, const uint32_t *times, size_t n)
{
	struct page_builder p;
	uint32_t payload, last = times[0];
	size_t i;

	bytes_init(out, false);
	page_begin(&p, out, 8, 512, times[0]);
	for (i = 0; i < n; i++) {
		payload = (uint32_t)i;
		page_data(&p, times[i] - last, &payload, 4);
		last = times[i];
	}
	page_end(&p, 0);
}

/* As many CPUs as wanted, records of all at the same times: CPU by CPU, buffer by buffer. */
static void check_ties(unsigned int cpus, struct tfs_record_run *run)
{
	static const uint32_t times[] = { 5, 5, 7 };
	static const char *const names[] = { "", "b", "a" };
	struct dat_spec spec = { .cpus = cpus };
	struct dat_cpu *c = calloc(cpus, sizeof(*c));
	struct dat_builder d;
	struct tfs_record rec;
	struct tfs_merge *m;
	struct tfs_dat *dat;
	struct bytes page;
	unsigned int i, buf, cpu, k, t;

	assert_non_null(c);
	times_page(&page, times, 3);
	dat_begin(&d, &spec);
	dat_metadata(&d);
	for (i = 0; i < cpus; i++)
		c[i] = (struct dat_cpu){ .cpu = i, .pages = &page };
	for (buf = 0; buf < 3; buf++)
		dat_buffer(&d, names[buf], c, cpus);
	dat = dat_open_built(&d);
	m = merge(dat, NULL);
	for (t = 0; t < 2; t++)
		for (buf = 0; buf < 3; buf++)
			for (cpu = 0; cpu < cpus; cpu++)
				for (k = 0; k < (t ? 1u : 2u); k++) {
					assert_int_equal(next(m, run, &rec), 1);
					assert_int_equal(rec.ts, t ? 7 : 5);
					assert_int_equal(rec.buffer, buf);
					assert_int_equal(rec.cpu, cpu);
				}
	assert_int_equal(next(m, run, &rec), 0);
	tfs_merge_free(m);
	tfs_dat_free(dat);
	bytes_release(&page);
	free(c);
}

static void equal_times_come_by_buffer_then_cpu(void **state)
{
	struct tfs_record_run run = { .has_first = false };

	(void)state;
	check_ties(2, NULL);
	check_ties(5, NULL);
	check_ties(2, &run);
	check_ties(5, &run);
}

/* Time that goes back on a CPU does not stop it, nor reorder it. */
static void check_time_going_back(struct tfs_record_run *run)
{
	static const uint32_t first[] = { 100, 110 }, second[] = { 50, 60 }, other[] = { 55, 105 };
	static const uint64_t expected[] = { 55, 100, 105, 110, 50, 60 };
	struct dat_spec spec = { 0 };
	struct dat_builder d;
	struct dat_cpu cpus[2];
	struct bytes pages, more, lone;
	struct tfs_record rec;
	struct tfs_merge *m;
	struct tfs_dat *dat;
	size_t i;

	times_page(&pages, first, 2);
	times_page(&more, second, 2);
	times_page(&lone, other, 2);
	bytes_add(&pages, more.sb.s, more.sb.len);
	dat_begin(&d, &spec);
	dat_metadata(&d);
	cpus[0] = (struct dat_cpu){ .cpu = 0, .pages = &pages };
	cpus[1] = (struct dat_cpu){ .cpu = 1, .pages = &lone };
	dat_buffer(&d, "", cpus, 2);
	dat = dat_open_built(&d);
	m = merge(dat, NULL);
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(next(m, run, &rec), 1);
		assert_int_equal(rec.ts, expected[i]);
	}
	tfs_merge_free(m);
	tfs_dat_free(dat);
	bytes_release(&pages);
	bytes_release(&more);
	bytes_release(&lone);
}

static void time_going_back_on_a_cpu_keeps_its_order(void **state)
{
	struct tfs_record_run run = { .has_first = false };

	(void)state;
	check_time_going_back(NULL);
	check_time_going_back(&run);
}

static uint32_t value_of(const struct tfs_record *rec)
{
	uint32_t n;

	memcpy(&n, (const char *)rec->data + 8, sizeof(n));
	return n;
}

/* The record in hand stays what it is while the next one lies in another page or chunk. */
static void peek_shows_the_next_record_of_the_cpu(void **state)
{
	static const enum tfs_codec_id codecs[] = { TFS_CODEC_NONE, TFS_CODEC_ZLIB };
	struct tfs_record rec, ahead, copy;
	struct tfs_merge *m;
	struct tfs_dat *dat;
	unsigned int i, n, cpu;

	(void)state;
	for (i = 0; i < 2; i++) {
		/* one entry a page, two pages a chunk; raw blocks are left behind after 64 KiB */
		struct dat_spec spec = {
			.codec = codecs[i],
			.pages = 40,
			.events = 1,
			.chunk_pages = 2,
			.page_size = 4096,
		};

		dat = dat_open_sample(&spec);
		m = merge(dat, NULL);
		for (n = 0; n < 40; n++)
			for (cpu = 0; cpu < 2; cpu++) {
				assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
				copy = rec;
				assert_int_equal(tfs_merge_peek(m, &ahead, NULL), n < 39);
				assert_int_equal(tfs_merge_peek(m, &ahead, NULL), n < 39);
				if (n < 39) {
					assert_int_equal(ahead.cpu, cpu);
					assert_int_equal(ahead.ts, dat_sample_ts(0, cpu, n + 1));
					assert_int_equal(value_of(&ahead), n + 1);
				}
				assert_memory_equal(&rec, &copy, sizeof(rec));
				assert_int_equal(value_of(&rec), n);
				assert_int_equal(rec.ts, dat_sample_ts(0, cpu, n));
			}
		assert_int_equal(tfs_merge_next(m, &rec, NULL), 0);
		tfs_merge_free(m);
		tfs_dat_free(dat);
	}
}

static void peek_before_the_first_record_shows_nothing(void **state)
{
	struct dat_spec spec = { 0 };
	struct tfs_dat *dat = dat_open_sample(&spec);
	struct tfs_merge *m = merge(dat, NULL);
	struct tfs_record rec;

	(void)state;
	assert_int_equal(tfs_merge_peek(m, &rec, NULL), 0);
	tfs_merge_free(m);
	tfs_dat_free(dat);
}

/* A page without records between two chunks does not end the CPU, nor spoil what is held. */
static void peek_goes_past_empty_pages(void **state)
{
	struct dat_spec spec = { .codec = TFS_CODEC_ZLIB, .cpus = 1, .chunk_pages = 1 };
	struct dat_cpu cpu = { .cpu = 0 };
	struct tfs_record rec, ahead;
	struct page_builder p;
	struct dat_builder d;
	struct tfs_merge *m;
	struct tfs_dat *dat;
	struct bytes pages;
	uint32_t i;

	(void)state;
	bytes_init(&pages, false);
	for (i = 0; i < 6; i++) {
		page_begin(&p, &pages, 8, 512, 100 * i);
		if (i == 0 || i == 5)
			page_data(&p, 0, &i, 4);
		page_end(&p, 0);
	}
	cpu.pages = &pages;
	dat_begin(&d, &spec);
	dat_metadata(&d);
	dat_buffer(&d, "", &cpu, 1);
	dat = dat_open_built(&d);
	m = merge(dat, NULL);
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
	assert_int_equal(tfs_merge_peek(m, &ahead, NULL), 1);
	assert_int_equal(*(const uint32_t *)rec.data, 0);
	assert_int_equal(*(const uint32_t *)ahead.data, 5);
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
	assert_int_equal(rec.ts, 500);
	assert_int_equal(tfs_merge_peek(m, &ahead, NULL), 0);
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 0);
	tfs_merge_free(m);
	tfs_dat_free(dat);
	bytes_release(&pages);
}

/* Batch by batch: what a batch points to is there until its blocks are freed. */
static void records_stay_while_their_blocks_are_kept(void **state)
{
	struct dat_spec spec = { .codec = TFS_CODEC_ZLIB,
				 .pages = 40,
				 .events = 1,
				 .chunk_pages = 2,
				 .page_size = 4096 };
	struct tfs_dat *dat = dat_open_sample(&spec);
	struct tfs_merge *m = merge(dat, NULL);
	struct tfs_blocks blocks[8] = { 0 };
	struct tfs_record rec[80];
	struct tfs_record ahead;
	unsigned int n, batch;
	size_t bytes = 0;

	(void)state;
	for (n = 0; n < 80; n++) {
		if (n % 10 == 0)
			tfs_merge_keep(m, &blocks[n / 10]);
		assert_int_equal(tfs_merge_next(m, &rec[n], NULL), 1);
		if (n % 3 == 0)
			tfs_merge_peek(m, &ahead, NULL);
	}
	assert_int_equal(tfs_merge_next(m, &ahead, NULL), 0);
	for (batch = 0; batch < 8; batch++) {
		for (n = 10 * batch; n < 10 * batch + 10; n++) {
			assert_int_equal(value_of(&rec[n]), n / 2);
			assert_int_equal(rec[n].cpu, n % 2);
		}
		bytes += blocks[batch].bytes;
		tfs_blocks_free(&blocks[batch]);
	}
	/* all but the last chunk of each CPU */
	assert_int_equal(bytes, 38 * 2 * 4096);
	tfs_merge_free(m);
	tfs_dat_free(dat);
}

static void only_the_cpus_asked_for_are_merged(void **state)
{
	struct dat_spec spec = { .cpus = 4 };
	struct tfs_dat *dat = dat_open_sample(&spec);
	struct tfs_cpus cpus = { { 0 } };
	struct tfs_merge_opts opts = { .cpus = &cpus };
	struct tfs_record rec;
	struct tfs_merge *m;
	unsigned int n = 0;

	(void)state;
	tfs_cpus_add(&cpus, 1);
	tfs_cpus_add(&cpus, 3);
	tfs_cpus_add(&cpus, 100);
	m = merge(dat, &opts);
	while (tfs_merge_next(m, &rec, NULL) > 0) {
		assert_true(rec.cpu == 1 || rec.cpu == 3);
		n++;
	}
	assert_int_equal(n, 16);
	tfs_merge_free(m);
	tfs_dat_free(dat);
}

static void records_say_where_they_came_from(void **state)
{
	struct dat_spec spec = { .cpus = 1, .pages = 3 };
	struct tfs_dat *dat = dat_open_sample(&spec);
	struct tfs_merge *m = merge(dat, NULL);
	uint64_t start = tfs_dat_buffer(dat, 0)->cpus[0].offset;
	struct tfs_record rec;
	unsigned int n;

	(void)state;
	for (n = 0; n < 12; n++) {
		assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
		assert_int_equal(rec.offset, start + 512ull * (n / 4));
		assert_true(rec.room >= rec.size);
		assert_int_equal((uintptr_t)rec.data % 4, 0);
	}
	tfs_merge_free(m);
	tfs_dat_free(dat);
	tfs_merge_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_by_time_from_few_and_many_cpus),
		cmocka_unit_test(equal_times_come_by_buffer_then_cpu),
		cmocka_unit_test(time_going_back_on_a_cpu_keeps_its_order),
		cmocka_unit_test(peek_shows_the_next_record_of_the_cpu),
		cmocka_unit_test(peek_before_the_first_record_shows_nothing),
		cmocka_unit_test(peek_goes_past_empty_pages),
		cmocka_unit_test(records_stay_while_their_blocks_are_kept),
		cmocka_unit_test(only_the_cpus_asked_for_are_merged),
		cmocka_unit_test(records_say_where_they_came_from),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
