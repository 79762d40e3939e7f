/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "lib/dat_build.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"
#include "tracedat/event-source.h"
#include "tracedat/merge.h"
#include "tracedat/recording-source.h"

#define CPUS 2
#define PAGES 6
#define PAGE_SIZE 512
#define EVENTS (PAGES * 4)

/* A recording being made as tc-record makes it: a locked head, and data growing beside it. */
struct recording {
	struct dat_spec spec;
	char dir[32], path[64], segment[CPUS][80];
	int lock;
	struct bytes data[CPUS]; /* all that a temporary file will hold */
	struct tfs_dat *dat;
	struct tfs_event_source *source;
	struct tfs_merge *merge;
};

static void put(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	close(fd);
}

static void head(struct recording *r, struct dat_builder *d)
{
	const uint32_t cpus = CPUS;

	dat_begin(d, &r->spec);
	dat_metadata(d);
	dat_option(d, TFS_DAT_CPUCOUNT, &cpus, sizeof(cpus));
	dat_options_end(d);
}

/* The data of a CPU's temporary file: the chunks without their count, or the pages. */
static void make_data(struct recording *r, unsigned int cpu)
{
	struct dat_builder d;
	struct bytes pages;
	size_t start;

	bytes_init(&pages, false);
	dat_sample_pages(&r->spec, 0, cpu, &pages);
	bytes_init(&r->data[cpu], false);
	dat_begin(&d, &r->spec);
	start = d.b.sb.len + 4;
	if (r->spec.codec != TFS_CODEC_NONE) {
		dat_chunks(&d, &pages, PAGE_SIZE);
		bytes_add(&r->data[cpu], d.b.sb.s + start, d.b.sb.len - start);
	} else {
		bytes_add(&r->data[cpu], pages.sb.s, pages.sb.len);
	}
	dat_release(&d);
	bytes_release(&pages);
}

/* Where the @n-th sub-buffer of a CPU's file ends; each is a chunk of its own. */
static size_t end_of(const struct recording *r, unsigned int cpu, unsigned int n)
{
	const char *p = r->data[cpu].sb.s;
	size_t at = 0;
	uint32_t packed;

	if (r->spec.codec == TFS_CODEC_NONE)
		return (size_t)n * PAGE_SIZE;
	while (n--) {
		memcpy(&packed, p + at, sizeof(packed));
		at += 8 + packed;
	}
	return at;
}

static void grow(struct recording *r, unsigned int cpu, size_t size)
{
	put(r->segment[cpu], r->data[cpu].sb.s, size);
	assert_int_equal(tfs_event_source_update(r->source, NULL), 0);
}

static void begin(struct recording *r, enum tfs_codec_id codec)
{
	struct tfs_merge_opts opts = { .missing = true };
	struct dat_builder d;
	unsigned int cpu;

	memset(r, 0, sizeof(*r));
	r->spec = (struct dat_spec){ .cpus = CPUS, .pages = PAGES, .codec = codec };
	snprintf(r->dir, sizeof(r->dir), "/tmp/tc-follow-XXXXXX");
	assert_non_null(mkdtemp(r->dir));
	snprintf(r->path, sizeof(r->path), "%s/x.dat", r->dir);
	head(r, &d);
	put(r->path, d.b.sb.s, d.b.sb.len);
	dat_release(&d);
	r->lock = open(r->path, O_RDONLY);
	assert_int_equal(flock(r->lock, LOCK_EX), 0);
	for (cpu = 0; cpu < CPUS; cpu++) {
		make_data(r, cpu);
		snprintf(r->segment[cpu], sizeof(r->segment[cpu]), "%s.cpu%u", r->path, cpu);
		put(r->segment[cpu], "", 0);
	}
	assert_int_equal(tfs_dat_open(r->path, &r->dat, NULL), 0);
	assert_null(tfs_dat_damage(r->dat));
	assert_int_equal(tfs_growing_source_open(r->dat, 0, &r->source, NULL), 0);
	opts.source = r->source;
	assert_int_equal(tfs_merge_new(r->dat, &opts, &r->merge, NULL), 0);
}

static void end(struct recording *r)
{
	unsigned int cpu;

	tfs_merge_free(r->merge);
	tfs_event_source_free(r->source);
	tfs_dat_free(r->dat);
	for (cpu = 0; cpu < CPUS; cpu++) {
		bytes_release(&r->data[cpu]);
		unlink(r->segment[cpu]);
	}
	close(r->lock);
	unlink(r->path);
	rmdir(r->dir);
}

/* The file is completed, the temporary files emptied and removed. */
static void complete(struct recording *r)
{
	struct dat_cpu cpus[CPUS];
	struct bytes pages[CPUS];
	struct dat_builder d;
	unsigned int cpu;

	head(r, &d);
	for (cpu = 0; cpu < CPUS; cpu++) {
		bytes_init(&pages[cpu], false);
		dat_sample_pages(&r->spec, 0, cpu, &pages[cpu]);
		cpus[cpu] = (struct dat_cpu){ cpu, &pages[cpu] };
	}
	d.spec.chunk_pages = 1;
	dat_buffer(&d, "", cpus, CPUS);
	dat_options_end(&d);
	put(r->path, d.b.sb.s, d.b.sb.len);
	dat_release(&d);
	for (cpu = 0; cpu < CPUS; cpu++)
		bytes_release(&pages[cpu]);
}

static void expect(struct recording *r, unsigned int *n, unsigned int until)
{
	struct tfs_record rec;

	for (; *n < until; ++*n) {
		assert_int_equal(tfs_merge_next(r->merge, &rec, NULL), 1);
		assert_int_equal(rec.cpu, *n % CPUS);
		assert_int_equal(rec.ts, dat_sample_ts(0, *n % CPUS, *n / CPUS));
	}
}

static void expect_none(struct recording *r, int rc)
{
	struct tfs_record rec;

	assert_int_equal(tfs_merge_next(r->merge, &rec, NULL), rc);
}

/* After its last record: the rest of this CPU is missing. */
static void expect_missing(struct recording *r, unsigned int cpu)
{
	struct tfs_record rec;

	assert_int_equal(tfs_merge_next(r->merge, &rec, NULL), TFS_MERGE_MISSING);
	assert_int_equal(rec.cpu, cpu);
	assert_int_equal(rec.lost, TFS_LOST_UNKNOWN);
}

static void follow_to_the_end(enum tfs_codec_id codec)
{
	struct recording r;
	unsigned int n = 0;

	begin(&r, codec);
	expect_none(&r, -EAGAIN);
	/* One CPU alone may be ahead of the other. */
	grow(&r, 0, end_of(&r, 0, 2));
	expect_none(&r, -EAGAIN);
	/* Part of a sub-buffer is none. */
	grow(&r, 1, end_of(&r, 1, 1) - 1);
	expect_none(&r, -EAGAIN);
	grow(&r, 1, end_of(&r, 1, 1));
	expect(&r, &n, 8);
	expect_none(&r, -EAGAIN);
	grow(&r, 1, end_of(&r, 1, 4));
	/* CPU 0's next record could be older than CPU 1's. */
	expect(&r, &n, 15);
	expect_none(&r, -EAGAIN);
	/* From here on the temporary files are being emptied. */
	complete(&r);
	grow(&r, 0, end_of(&r, 0, PAGES));
	memset(r.data[0].sb.s, 0, r.data[0].sb.len);
	grow(&r, 0, end_of(&r, 0, 1));
	expect_none(&r, -EAGAIN);
	assert_false(r.source->ended);
	unlink(r.segment[0]);
	unlink(r.segment[1]);
	assert_int_equal(tfs_event_source_update(r.source, NULL), 0);
	assert_true(r.source->ended);
	expect(&r, &n, CPUS * EVENTS);
	expect_none(&r, 0);
	assert_null(tfs_dat_damage(r.dat));
	end(&r);
}

static void every_record_comes_once_and_in_order(void **state)
{
	(void)state;
	follow_to_the_end(TFS_CODEC_NONE);
	follow_to_the_end(TFS_CODEC_ZLIB);
}

static void follows_the_data_of_a_killed_recorder(void **state)
{
	struct recording r;
	unsigned int n = 0;

	(void)state;
	begin(&r, TFS_CODEC_ZLIB);
	grow(&r, 0, end_of(&r, 0, 3));
	grow(&r, 1, end_of(&r, 1, 3));
	expect(&r, &n, 4 * CPUS);
	flock(r.lock, LOCK_UN);
	assert_int_equal(tfs_event_source_update(r.source, NULL), 0);
	assert_true(r.source->ended);
	expect(&r, &n, 12 * CPUS - 1);
	expect_missing(&r, 0);
	expect(&r, &n, 12 * CPUS);
	expect_missing(&r, 1);
	expect_none(&r, 0);
	/* Nothing comes twice. */
	assert_int_equal(tfs_event_source_update(r.source, NULL), 0);
	expect_none(&r, 0);
	assert_non_null(tfs_dat_damage(r.dat));
	assert_non_null(strstr(tfs_dat_damage(r.dat)->msg, "not completed"));
	end(&r);
}

static void a_complete_file_does_not_grow(void **state)
{
	struct tfs_event_source *source;
	struct recording r;

	(void)state;
	begin(&r, TFS_CODEC_NONE);
	complete(&r);
	tfs_dat_free(r.dat);
	tfs_merge_free(r.merge);
	tfs_event_source_free(r.source);
	r.merge = NULL;
	r.source = NULL;
	assert_int_equal(tfs_dat_open(r.path, &r.dat, NULL), 0);
	/* While its recorder still has the lock, it is at work on it. */
	assert_int_equal(tfs_growing_source_open(r.dat, 0, &source, NULL), -EAGAIN);
	flock(r.lock, LOCK_UN);
	assert_int_equal(tfs_growing_source_open(r.dat, 0, &source, NULL), -ENOENT);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_record_comes_once_and_in_order),
		cmocka_unit_test(follows_the_data_of_a_killed_recorder),
		cmocka_unit_test(a_complete_file_does_not_grow),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
