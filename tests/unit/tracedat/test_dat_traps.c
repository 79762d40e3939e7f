/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the format, or what writers make of it, misleads a reader or a writer. T8 (statistics read
 * before the last flush), T10 and T11 (options of another report program, its flag column) are none
 * of a reader's business; T2 (large chunks are slow to read) is in test_chunks.c.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "lib/dat_walk.h"
#include "tracedat/compress-zstd.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-write.h"
#include "tracedat/merge.h"

#define MAX 100000

static void walk(const struct bytes *b, struct dat_walk *w)
{
	dat_walk_bytes(b->sb.s, b->sb.len, MAX, w);
}

static void check_whole(const struct dat_spec *spec, uint64_t records)
{
	struct dat_walk w;
	struct bytes b;

	dat_sample(spec, &b);
	walk(&b, &w);
	bytes_release(&b);
	if (w.rc || w.err.code)
		fail_msg("%s", w.err.msg);
	assert_int_equal(w.records, records);
	assert_false(w.backwards);
}

static void t1_compressed_size_stored_four_short(void **state)
{
	struct dat_spec spec = { .codec = TFS_CODEC_ZLIB, .pages = 25, .short_by = 4 };

	(void)state;
	check_whole(&spec, 2 * 25 * 4);
}

/* The chunk table says where the data end, whatever the size says. */
static void t1_compressed_size_far_too_small(void **state)
{
	struct dat_spec spec = { .codec = TFS_CODEC_ZLIB, .pages = 25, .short_by = 9 };

	(void)state;
	check_whole(&spec, 2 * 25 * 4);
}

static struct tfs_merge *merge_page(struct bytes *pages, unsigned int long_size, bool big,
				    struct tfs_dat **dat)
{
	struct dat_spec spec = { .long_size = long_size, .big = big, .cpus = 1 };
	struct dat_cpu cpu = { .cpu = 0, .pages = pages };
	struct dat_builder d;
	struct tfs_merge *m;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	dat_buffer(&d, "", &cpu, 1);
	dat_options_end(&d);
	*dat = dat_open(&d.b);
	assert_int_equal(tfs_merge_new(*dat, NULL, &m, NULL), 0);
	dat_release(&d);
	return m;
}

static void check_commit_flags(unsigned int long_size, bool big)
{
	struct page_builder p;
	struct tfs_record rec;
	struct tfs_merge *m;
	struct tfs_dat *dat;
	struct bytes pages;

	bytes_init(&pages, big);
	page_begin(&p, &pages, long_size, 512, 10);
	page_data(&p, 0, "0123", 4);
	page_data(&p, 1, "0123", 4);
	page_end(&p, 0xffffffff80000000); /* as the kernel leaves it on 64 bits */
	page_begin(&p, &pages, long_size, 512, 20);
	page_data(&p, 0, "0123", 4);
	page_end_lost(&p, 38641);
	page_begin(&p, &pages, long_size, 512, 30);
	page_data(&p, 0, "0123", 4);
	page_end(&p, 0);
	m = merge_page(&pages, long_size, big, &dat);
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
	assert_int_equal(rec.lost, TFS_LOST_UNKNOWN);
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
	assert_int_equal(rec.lost, 0);
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
	assert_int_equal(rec.lost, 38641);
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
	assert_int_equal(rec.lost, 0);
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 0);
	assert_null(tfs_dat_damage(dat));
	tfs_merge_free(m);
	tfs_dat_free(dat);
	bytes_release(&pages);
}

static void t3_commit_word_with_flags_in_its_upper_half(void **state)
{
	(void)state;
	check_commit_flags(8, false);
	check_commit_flags(8, true);
	check_commit_flags(4, false);
	check_commit_flags(4, true);
}

/* A page of lost events without a record: the next record reports both losses. */
static void t3_losses_on_empty_pages_add_up(void **state)
{
	struct page_builder p;
	struct tfs_record rec;
	struct tfs_merge *m;
	struct tfs_dat *dat;
	struct bytes pages;
	int round;

	(void)state;
	for (round = 0; round < 2; round++) {
		bytes_init(&pages, false);
		page_begin(&p, &pages, 8, 512, 10);
		page_end_lost(&p, 5);
		page_begin(&p, &pages, 8, 512, 20);
		page_data(&p, 0, "0123", 4);
		if (round)
			page_end(&p, 0x80000000);
		else
			page_end_lost(&p, 7);
		m = merge_page(&pages, 8, false, &dat);
		assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
		assert_int_equal(rec.lost, round ? TFS_LOST_UNKNOWN : 12);
		tfs_merge_free(m);
		tfs_dat_free(dat);
		bytes_release(&pages);
	}
}

/* The header says 8192 bytes, the buffer's own option 512: its data are read by its own. */
static void t4_page_size_of_the_header_is_not_that_of_the_buffer(void **state)
{
	struct dat_spec spec = { .pages = 5 };
	struct tfs_dat *dat;
	struct dat_walk w;
	struct bytes b;

	(void)state;
	dat_sample(&spec, &b);
	bytes_set_u32(&b, 14, 8192);
	walk(&b, &w);
	assert_int_equal(w.rc, 0);
	assert_int_equal(w.err.code, 0);
	assert_int_equal(w.records, 2 * 5 * 4);
	dat = dat_open(&b);
	assert_int_equal(tfs_dat_info(dat)->page_size, 8192);
	assert_int_equal(tfs_dat_buffer(dat, 0)->page_size, 512);
	tfs_dat_free(dat);
	bytes_release(&b);
}

static void t4_impossible_page_size_of_the_header_is_replaced(void **state)
{
	static const uint32_t bad[] = { 0, 1, 63, 513, 0x80000000, 0xffffffff };
	struct dat_spec spec = { .version = 6 };
	struct dat_walk w;
	struct bytes b;
	size_t i;

	(void)state;
	dat_sample(&spec, &b);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		bytes_set_u32(&b, 14, bad[i]);
		walk(&b, &w);
		assert_int_equal(w.rc, 0);
		assert_int_equal(w.records, 16); /* header_page knows the size */
		assert_non_null(strstr(w.err.msg, "sub-buffers of"));
	}
	bytes_release(&b);
}

static void t5_uncompressed_data_that_are_not_aligned(void **state)
{
	struct dat_spec spec = { .cpus = 1 }, unaligned = { .cpus = 1, .page_size = 8 };
	struct dat_cpu cpu = { .cpu = 0 };
	struct dat_builder d;
	struct dat_walk w;
	struct bytes pages;

	(void)state;
	bytes_init(&pages, false);
	dat_sample_pages(&spec, 0, 0, &pages);
	cpu.pages = &pages;
	dat_begin(&d, &unaligned); /* aligns to 8 bytes */
	d.spec.page_size = 512;
	dat_metadata(&d);
	d.spec.page_size = 8;
	dat_buffer(&d, "", &cpu, 1);
	dat_options_end(&d);
	bytes_set_u32(&d.b, 14, 512);
	/* the option has 8 for a page size, which cannot be: the header's is taken */
	walk(&d.b, &w);
	assert_int_equal(w.records, 8);
	bytes_release(&pages);
	dat_release(&d);
}

/* trace-cmd convert of a big-endian file: binary options in the converter's byte order. */
static void t6_binary_options_in_the_other_byte_order(void **state)
{
	struct dat_spec spec = { .swap_binary = true };
	struct tfs_dat *dat;
	struct bytes b;
	int big;

	(void)state;
	for (big = 0; big < 2; big++) {
		spec.big = big;
		check_whole(&spec, 16);
		dat_sample(&spec, &b);
		dat = dat_open(&b);
		assert_int_equal(tfs_dat_info(dat)->cpus, 2);
		assert_int_equal(tfs_dat_buffer(dat, 0)->n_cpus, 2);
		tfs_dat_free(dat);
		bytes_release(&b);
	}
}

static void t6_version_6_cpu_count_of_an_instance_swapped(void **state)
{
	static const char *const names[] = { "", "foo", NULL };
	static const unsigned char count[] = { 8, 0, 4, 0, 0, 0, 0, 0, 0, 2 }; /* big-endian 2 */
	struct dat_spec spec = { .version = 6, .names = names };
	struct tfs_dat *dat;
	struct bytes b, with;
	const char *name;
	uint64_t block;
	size_t at;

	(void)state;
	/* Put the option after the BUFFER option, and move what that points at accordingly. */
	dat_sample(&spec, &b);
	name = memmem(b.sb.s, b.sb.len, "foo\0\0\0flyrecord", 15);
	assert_non_null(name);
	memcpy(&block, name - 8, sizeof(block));
	at = (size_t)(name - b.sb.s) + 4;
	bytes_init(&with, false);
	bytes_add(&with, b.sb.s, at);
	bytes_set_u64(&with, at - 12, block + sizeof(count));
	bytes_add(&with, count, sizeof(count));
	bytes_add(&with, b.sb.s + at, b.sb.len - at);
	dat = dat_open(&with);
	assert_int_equal(tfs_dat_n_buffers(dat), 2);
	assert_string_equal(tfs_dat_buffer(dat, 1)->name, "foo");
	assert_int_equal(tfs_dat_buffer(dat, 1)->n_cpus, 2);
	assert_int_equal(tfs_dat_buffer(dat, 1)->cpus[1].size, 1024);
	tfs_dat_free(dat);
	bytes_release(&with);
	bytes_release(&b);
}

static void check_clock(const struct dat_spec *spec, const char *version, const char *clocks,
			const char *expected)
{
	struct dat_builder d;
	struct tfs_dat *dat;

	dat_begin(&d, spec);
	dat_metadata(&d);
	if (clocks)
		dat_option(&d, 4, clocks, strlen(clocks) + 1);
	dat_option(&d, 9, version, strlen(version) + 1);
	dat_buffer(&d, "foo", NULL, 0);
	dat_options_end(&d);
	dat = dat_open(&d.b);
	assert_string_equal(tfs_dat_buffer(dat, 0)->clock, expected);
	tfs_dat_free(dat);
	dat_release(&d);
}

/* trace-cmd stores the top buffer's clock with every instance; TRACECLOCK has the instance's. */
static void t7_clock_of_an_instance(void **state)
{
	struct dat_spec spec = { .clock = "local" };

	(void)state;
	check_clock(&spec, "3.1.6", "local global [mono] tai\n", "mono");
	check_clock(&spec, "3.1.6", "", "local");
	check_clock(&spec, "3.1.6", "local [mono", "local");
	check_clock(&spec, "3.1.6", NULL, "local");
	check_clock(&spec, "tracecraft 1.0", "local global [mono] tai\n", "local");
	spec.clock = "";
	check_clock(&spec, "tracecraft 1.0", "local global [mono] tai\n", "mono");
}

/* trace-cmd restore leaves bytes behind sections that are none: options lead past them. */
static void t9_garbage_after_a_section(void **state)
{
	struct dat_spec spec = { .cpus = 1 };
	struct dat_cpu cpu = { .cpu = 0 };
	struct dat_builder d;
	struct dat_walk w;
	struct bytes pages;

	(void)state;
	dat_begin(&d, &spec);
	dat_metadata(&d);
	bytes_text(&d.b, "what was here before and is longer");
	dat_options_end(&d);
	bytes_text(&d.b,
		   "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
	bytes_init(&pages, false);
	dat_sample_pages(&spec, 0, 0, &pages);
	cpu.pages = &pages;
	dat_buffer(&d, "", &cpu, 1);
	dat_options_end(&d);
	bytes_text(&d.b, "\1\2\3");
	walk(&d.b, &w);
	assert_int_equal(w.rc, 0);
	assert_int_equal(w.err.code, 0);
	assert_int_equal(w.records, 8);
	bytes_release(&pages);
	dat_release(&d);
}

static void t12_sections_that_newer_readers_choke_on_are_not_written(void **state)
{
	struct tfs_dat_writer *w;
	struct tfs_codec *codec;
	int fd = bytes_to_fd("", 0);

	(void)state;
	assert_int_equal(tfs_codec_new(TFS_CODEC_NONE, 0, &codec, NULL), 0);
	assert_int_equal(tfs_dat_writer_new(fd, codec, 4096, &w, NULL), 0);
	assert_int_equal(tfs_dat_writer_section(w, TFS_DAT_BTF_FILE, "x", 1, NULL), -EINVAL);
	assert_int_equal(tfs_dat_writer_section(w, TFS_DAT_MODULES_FILE, "x", 1, NULL), -EINVAL);
	assert_int_equal(tfs_dat_writer_section(w, TFS_DAT_STRINGS, "x", 1, NULL), -EINVAL);
	tfs_dat_writer_free(w);
	tfs_codec_free(codec);
	tfs_close(&fd);
}

static void t13_more_than_two_gigabytes_of_a_cpu(void **state)
{
	struct tfs_dat_writer_cpu cpus[2] = { { .cpu = 0 }, { .cpu = 1 } };
	struct tfs_dat_writer *w;
	struct tfs_codec *codec;
	struct tfs_dat *dat;
	int fd = bytes_to_fd("", 0), empty = bytes_to_fd("", 0);

	(void)state;
	/* The temporary files hold nothing, so copying fails; what describes the data is there. */
	cpus[0].fd = empty;
	cpus[0].bytes = 5ull << 30;
	cpus[1].fd = empty;
	cpus[1].bytes = 3ull << 30;
	assert_int_equal(tfs_codec_new(TFS_CODEC_NONE, 0, &codec, NULL), 0);
	assert_int_equal(tfs_dat_writer_new(fd, codec, 4096, &w, NULL), 0);
	assert_int_equal(tfs_dat_writer_head(w, NULL), 0);
	assert_int_equal(tfs_dat_writer_buffer(w, "", "local", 4096, cpus, 2), 0);
	assert_int_not_equal(tfs_dat_writer_finish(w, NULL), 0);
	assert_int_equal(tfs_dat_open_fd(dup(fd), "x.dat", &dat, NULL), 0);
	assert_int_equal(tfs_dat_buffer(dat, 0)->n_cpus, 2);
	assert_int_equal(tfs_dat_buffer(dat, 0)->cpus[0].size, 5ull << 30);
	assert_int_equal(tfs_dat_buffer(dat, 0)->cpus[1].offset,
			 tfs_dat_buffer(dat, 0)->cpus[0].offset + (5ull << 30));
	assert_int_equal(tfs_dat_buffer(dat, 0)->cpus[1].size, 3ull << 30);
	assert_non_null(tfs_dat_damage(dat)); /* the data are not there */
	tfs_dat_free(dat);
	tfs_dat_writer_free(w);
	tfs_codec_free(codec);
	tfs_close(&empty);
	tfs_close(&fd);
}

static void check_open(const void *data, size_t size, int code, const char *msg)
{
	struct dat_walk w;

	dat_walk_bytes(data, size, MAX, &w);
	assert_int_equal(w.rc, code);
	assert_non_null(strstr(w.err.msg, msg));
}

static void t14_other_versions_and_compressions_are_refused(void **state)
{
	static const char v5[] = "\x17\x08\x44tracing5\0\0\x08\0\x10\0\0";
	static const char v8[] = "\x17\x08\x44tracing8\0\0\x08\0\x10\0\0none\0\0\0\0\0\0\0\0\0\0";
	static const char v77[] = "\x17\x08\x44tracing77\0\0\x08\0\x10\0\0none\0\0\0\0\0\0\0\0\0\0";
	static const char lz4[] =
		"\x17\x08\x44tracing7\0\0\x08\0\x10\0\0lz4\0001.9\0\0\0\0\0\0\0\0\0";

	(void)state;
	check_open(v5, sizeof(v5), -EOPNOTSUPP, "version '5' is not supported");
	check_open(v8, sizeof(v8), -EOPNOTSUPP, "version '8' is not supported");
	check_open(v77, sizeof(v77), -EOPNOTSUPP, "version '77' is not supported");
	check_open(lz4, sizeof(lz4), -EOPNOTSUPP, "compression 'lz4' is not supported");
}

static void t14_file_shorter_than_its_data_gives_the_rest(void **state)
{
	struct dat_spec spec = { .cpus = 1, .pages = 3 };
	struct dat_walk w;
	struct bytes b;

	(void)state;
	spec.version = 6; /* the data are last */
	dat_sample(&spec, &b);
	b.sb.len -= 512;
	walk(&b, &w);
	assert_int_equal(w.rc, 0);
	assert_int_equal(w.records, 8);
	assert_non_null(strstr(w.err.msg, "the file is truncated at offset"));
	bytes_release(&b);
}

static void t14_two_entries_for_a_cpu_are_both_read(void **state)
{
	struct dat_spec spec = { .cpus = 1 };
	struct dat_builder d;
	struct dat_cpu cpus[2];
	struct dat_walk w;
	struct bytes pages;

	(void)state;
	dat_begin(&d, &spec);
	dat_metadata(&d);
	bytes_init(&pages, false);
	dat_sample_pages(&spec, 0, 0, &pages);
	cpus[0] = cpus[1] = (struct dat_cpu){ .cpu = 3, .pages = &pages };
	dat_buffer(&d, "", cpus, 2);
	dat_options_end(&d);
	walk(&d.b, &w);
	assert_int_equal(w.rc, 0);
	assert_int_equal(w.records, 16);
	assert_non_null(strstr(w.err.msg, "CPU 3"));
	assert_non_null(strstr(w.err.msg, "is there twice"));
	bytes_release(&pages);
	dat_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t1_compressed_size_stored_four_short),
		cmocka_unit_test(t1_compressed_size_far_too_small),
		cmocka_unit_test(t3_commit_word_with_flags_in_its_upper_half),
		cmocka_unit_test(t3_losses_on_empty_pages_add_up),
		cmocka_unit_test(t4_page_size_of_the_header_is_not_that_of_the_buffer),
		cmocka_unit_test(t4_impossible_page_size_of_the_header_is_replaced),
		cmocka_unit_test(t5_uncompressed_data_that_are_not_aligned),
		cmocka_unit_test(t6_binary_options_in_the_other_byte_order),
		cmocka_unit_test(t6_version_6_cpu_count_of_an_instance_swapped),
		cmocka_unit_test(t7_clock_of_an_instance),
		cmocka_unit_test(t9_garbage_after_a_section),
		cmocka_unit_test(t12_sections_that_newer_readers_choke_on_are_not_written),
		cmocka_unit_test(t13_more_than_two_gigabytes_of_a_cpu),
		cmocka_unit_test(t14_other_versions_and_compressions_are_refused),
		cmocka_unit_test(t14_file_shorter_than_its_data_gives_the_rest),
		cmocka_unit_test(t14_two_entries_for_a_cpu_are_both_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
