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
#include "lib/dat_walk.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-read.h"
#include "tracedat/merge.h"

#define MAX 100000

static const char *const instances[] = { "", "foo", NULL };

static const struct dat_spec small_files[] = {
	{ .version = 6, .names = instances, .page_size = 128 },
	{ .names = instances, .page_size = 128 },
	{ .codec = TFS_CODEC_ZLIB,
	  .names = instances,
	  .pages = 3,
	  .chunk_pages = 2,
	  .page_size = 128 },
	{ .codec = TFS_CODEC_ZLIB, .latency = true, .big = true, .page_size = 128 },
};

#define N_FILES ARRAY_SIZE(small_files)

static void walk(const struct bytes *b, struct dat_walk *w)
{
	dat_walk_bytes(b->sb.s, b->sb.len, MAX, w);
}

static void check_message(const struct dat_walk *w)
{
	if (w->rc)
		assert_true(w->rc == -EBADMSG || w->rc == -EOPNOTSUPP);
	if (w->rc)
		assert_true(w->err.msg[0]);
}

/*
 * A shorter file never gives more than a longer one, and wherever it is cut but in its last bytes
 * something is said.
 */
static void file_cut_at_any_byte_gives_the_data_before_it(void **state)
{
	struct dat_walk w, whole, last = { 0 };
	struct bytes b;
	size_t i, cut;

	(void)state;
	for (i = 0; i < N_FILES; i++) {
		dat_sample(&small_files[i], &b);
		walk(&b, &whole);
		assert_int_equal(whole.rc, 0);
		assert_int_equal(whole.err.code, 0);
		memset(&last, 0, sizeof(last));
		for (cut = 0; cut < b.sb.len; cut++) {
			dat_walk_bytes(b.sb.s, cut, MAX, &w);
			check_message(&w);
			assert_true(w.records <= whole.records);
			assert_true(w.formats >= last.formats);
			if (w.records + w.text_bytes < whole.records + whole.text_bytes)
				assert_true(w.err.code);
			last = w;
		}
		bytes_release(&b);
	}
}

static void any_byte_may_be_flipped(void **state)
{
	static const unsigned char masks[] = { 0xff, 0x01 };
	struct dat_walk w;
	struct bytes b;
	size_t i, at, m;

	(void)state;
	for (i = 0; i < N_FILES; i++) {
		dat_sample(&small_files[i], &b);
		for (at = 0; at < b.sb.len; at++) {
			for (m = 0; m < sizeof(masks); m++) {
				b.sb.s[at] ^= (char)masks[m];
				walk(&b, &w);
				check_message(&w);
				b.sb.s[at] ^= (char)masks[m];
			}
		}
		bytes_release(&b);
	}
}

static void walk_cut(const struct dat_spec *spec, size_t keep, struct dat_walk *w)
{
	struct bytes b;

	dat_sample(spec, &b);
	assert_true(keep < b.sb.len);
	dat_walk_bytes(b.sb.s, keep, MAX, w);
	bytes_release(&b);
}

static size_t size_of(const struct dat_spec *spec)
{
	struct bytes b;
	size_t n;

	dat_sample(spec, &b);
	n = b.sb.len;
	bytes_release(&b);
	return n;
}

/* The option that describes a buffer comes after its data, in files of trace-cmd. */
static void buffer_whose_option_was_cut_off_is_read_without_it(void **state)
{
	struct dat_spec spec = { .codec = TFS_CODEC_ZLIB, .cpus = 3, .pages = 3, .chunk_pages = 2 };
	struct dat_walk w;

	(void)state;
	walk_cut(&spec, size_of(&spec) - 20, &w);
	assert_int_equal(w.rc, 0);
	assert_int_equal(w.buffers, 1);
	assert_int_equal(w.records, 3 * 3 * 4);
	assert_false(w.backwards);
	assert_true(w.err.code);
	assert_non_null(strstr(w.err.hint, "is read without its description"));
	assert_non_null(strstr(w.err.hint, "3 CPUs, numbered by their order"));
}

static void raw_buffer_without_option_is_divided_where_time_goes_back(void **state)
{
	struct dat_spec spec = { .cpus = 3, .pages = 3 };
	struct tfs_dat *dat;
	struct dat_walk w;
	struct bytes b;

	(void)state;
	walk_cut(&spec, size_of(&spec) - 20, &w);
	assert_int_equal(w.rc, 0);
	assert_int_equal(w.records, 3 * 3 * 4);
	assert_false(w.backwards);
	dat_sample(&spec, &b);
	b.sb.len -= 20;
	dat = dat_open(&b);
	assert_int_equal(tfs_dat_n_buffers(dat), 1);
	assert_int_equal(tfs_dat_buffer(dat, 0)->n_cpus, 3);
	assert_int_equal(tfs_dat_buffer(dat, 0)->cpus[1].cpu, 1);
	assert_int_equal(tfs_dat_buffer(dat, 0)->cpus[1].size, 3 * 512);
	tfs_dat_free(dat);
	bytes_release(&b);
}

static void second_buffer_without_option_gets_a_name(void **state)
{
	struct dat_spec spec = { .names = instances };
	struct tfs_dat *dat;
	struct dat_walk w;
	struct bytes b;

	(void)state;
	dat_sample(&spec, &b);
	b.sb.len -= 20;
	walk(&b, &w);
	assert_int_equal(w.records, 32);
	dat = dat_open(&b);
	assert_int_equal(tfs_dat_n_buffers(dat), 2);
	assert_string_equal(tfs_dat_buffer(dat, 0)->name, "");
	assert_string_equal(tfs_dat_buffer(dat, 1)->name, "salvaged-1");
	tfs_dat_free(dat);
	bytes_release(&b);
}

/* A recorder that was killed has written neither the options' place nor the buffer's size. */
static void file_that_was_never_finished_is_walked(void **state)
{
	static const enum tfs_codec_id codecs[] = { TFS_CODEC_NONE, TFS_CODEC_ZLIB };
	struct dat_spec spec = { .cpus = 2, .pages = 2 };
	struct dat_builder d;
	struct dat_cpu cpus[2];
	struct bytes pages[2];
	struct dat_walk w;
	size_t i, c, at;

	(void)state;
	for (i = 0; i < 2; i++) {
		spec.codec = codecs[i];
		dat_begin(&d, &spec);
		dat_metadata(&d);
		for (c = 0; c < 2; c++) {
			bytes_init(&pages[c], false);
			dat_sample_pages(&spec, 0, (unsigned int)c, &pages[c]);
			cpus[c] = (struct dat_cpu){ .cpu = (unsigned int)c, .pages = &pages[c] };
		}
		at = d.b.sb.len;
		dat_buffer(&d, "", cpus, 2);
		bytes_set_u64(&d.b, at + 8, 0);
		walk(&d.b, &w);
		assert_int_equal(w.rc, 0);
		assert_non_null(strstr(w.err.msg, "recording was not finished"));
		assert_int_equal(w.formats, 3);
		assert_int_equal(w.buffers, 1);
		assert_int_equal(w.records, 16);
		for (c = 0; c < 2; c++)
			bytes_release(&pages[c]);
		dat_release(&d);
	}
}

static void options_found_by_walking_count(void **state)
{
	struct dat_spec spec = { 0 };
	struct dat_walk w;
	struct bytes b;

	(void)state;
	dat_sample(&spec, &b);
	bytes_set_u64(&b, 24, 0x7fffffffffffffff); /* v7, none: first options at 24 */
	walk(&b, &w);
	assert_int_equal(w.rc, 0);
	assert_non_null(strstr(w.err.msg, "section header at offset 0x7fffffffffffffff"));
	assert_int_equal(w.options, 12);
	assert_int_equal(w.records, 16);
	bytes_release(&b);
}

static void loop_of_options_ends(void **state)
{
	struct dat_spec spec = { 0 };
	struct dat_builder d;
	struct dat_walk w;
	size_t first, i;

	(void)state;
	for (i = 0; i < 2; i++) {
		dat_begin(&d, &spec);
		dat_metadata(&d);
		first = d.b.sb.len;
		dat_option(&d, 9, "3.1.6", 6);
		dat_options_end(&d);
		if (i) {
			dat_option(&d, 5, "Linux", 6);
			dat_options_end(&d);
		}
		bytes_set_u64(&d.b, d.next_options, first);
		walk(&d.b, &w);
		assert_int_equal(w.rc, 0);
		assert_non_null(strstr(w.err.msg, "is a loop"));
		assert_int_equal(w.options, 7 + i);
		assert_int_equal(w.formats, 3);
		dat_release(&d);
	}
}

/* A section with all its bytes after 8 bytes of sizes. */
static void walk_packed(const struct dat_spec *spec, uint32_t packed, uint32_t size,
			struct dat_walk *w)
{
	struct dat_builder d;
	unsigned char at[8] = { 0 };

	dat_begin(&d, spec);
	dat_metadata(&d);
	at[0] = (unsigned char)d.b.sb.len;
	at[1] = (unsigned char)(d.b.sb.len >> 8);
	dat_section_header(&d, 21, true, 8 + 20);
	bytes_u32(&d.b, packed);
	bytes_u32(&d.b, size);
	bytes_zeros(&d.b, 20);
	dat_option(&d, 21, at, 8);
	dat_options_end(&d);
	walk(&d.b, w);
	dat_release(&d);
}

static void impossible_sizes_of_a_section_are_refused_before_memory_is_taken(void **state)
{
	struct dat_spec spec = { .codec = TFS_CODEC_ZLIB };
	struct dat_walk w;

	(void)state;
	walk_packed(&spec, 20, 0xffffffff, &w);
	assert_non_null(strstr(w.err.msg, "beyond all reason"));
	walk_packed(&spec, 20, 1 << 20, &w);
	assert_non_null(strstr(w.err.msg, "beyond all reason"));
	walk_packed(&spec, 21, 100, &w);
	assert_non_null(strstr(w.err.msg, "more than what is left"));
	walk_packed(&spec, 20, 100, &w);
	assert_non_null(strstr(w.err.msg, "do not expand to 100 bytes"));
	assert_int_equal(w.formats, 3);
}

/* One CPU whose chunk table is @table; another that is well. */
static void walk_table(const struct bytes *table, struct dat_walk *w)
{
	struct dat_spec spec = { .codec = TFS_CODEC_ZLIB };
	struct dat_builder d;
	struct bytes pages, o;
	size_t section, start;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	bytes_init(&pages, false);
	bytes_init(&o, false);
	dat_sample_pages(&spec, 0, 1, &pages);
	section = dat_section_header(&d, 3, true, 0);
	start = d.b.sb.len;
	dat_chunks(&d, &pages, 512);
	bytes_u64(&o, section);
	bytes_strz(&o, "");
	bytes_strz(&o, "local");
	bytes_u32(&o, 512);
	bytes_u32(&o, 2);
	bytes_u32(&o, 1);
	bytes_u64(&o, start);
	bytes_u64(&o, d.b.sb.len - start);
	bytes_u32(&o, 0);
	bytes_u64(&o, d.b.sb.len);
	bytes_u64(&o, table->sb.len);
	dat_option(&d, 3, o.sb.s, o.sb.len);
	bytes_add(&d.b, table->sb.s, table->sb.len);
	bytes_set_u64(&d.b, section + 8, d.b.sb.len - section - 16);
	dat_options_end(&d);
	walk(&d.b, w);
	bytes_release(&o);
	bytes_release(&pages);
	dat_release(&d);
}

static void bad_chunk_ends_its_cpu_only(void **state)
{
	static const uint32_t heads[][2] = {
		{ 8, 0xffffffff }, /* expands to too much */
		{ 8, (16 << 20) + 1 },
		{ 0xffffffff, 512 }, /* longer than the file */
		{ 100000, 512 },
		{ 4000, 512 }, /* inside the file, but not what 512 bytes compress to */
		{ 8, 512 },    /* no zlib stream */
	};
	struct bytes table;
	struct dat_walk w;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		bytes_init(&table, false);
		bytes_u32(&table, 3);
		bytes_u32(&table, heads[i][0]);
		bytes_u32(&table, heads[i][1]);
		bytes_zeros(&table, 8);
		walk_table(&table, &w);
		assert_int_equal(w.rc, 0);
		assert_int_equal(w.records, 8); /* those of the other CPU */
		assert_non_null(strstr(w.err.msg, "CPU 0 of buffer ''"));
		assert_non_null(strstr(w.err.msg, "at offset 0x"));
		bytes_release(&table);
	}
}

static void empty_chunks_and_tables_are_fine(void **state)
{
	struct bytes table;
	struct dat_walk w;

	(void)state;
	bytes_init(&table, false);
	bytes_u32(&table, 0);
	walk_table(&table, &w);
	assert_int_equal(w.records, 8);
	assert_int_equal(w.err.code, 0);
	tfs_strbuf_reset(&table.sb);
	bytes_u32(&table, 2);
	bytes_zeros(&table, 16);
	walk_table(&table, &w);
	assert_int_equal(w.records, 8);
	assert_int_equal(w.err.code, 0);
	bytes_release(&table);
}

static void bad_sub_buffer_ends_its_cpu_only(void **state)
{
	struct dat_spec spec = { .pages = 3 };
	struct dat_walk w;
	struct tfs_dat *dat;
	struct bytes b;
	uint64_t at;
	int round;

	(void)state;
	for (round = 0; round < 2; round++) {
		dat_sample(&spec, &b);
		dat = dat_open(&b);
		at = tfs_dat_buffer(dat, 0)->cpus[0].offset + 512;
		tfs_dat_free(dat);
		if (round)
			bytes_set_u32(&b, at + 8, 497); /* one more than fits */
		else
			bytes_set_u32(&b, at + 8, 6); /* ends inside an entry */
		walk(&b, &w);
		assert_int_equal(w.rc, 0);
		assert_int_equal(w.records, 4 + 12);
		assert_non_null(strstr(w.err.msg, "CPU 0 of buffer ''"));
		bytes_release(&b);
	}
}

/* Many CPUs may share one chunk that expands to 16 MiB: what all of them hold has an end. */
static void memory_for_chunks_is_bounded(void **state)
{
	struct dat_spec spec = { .codec = TFS_CODEC_ZLIB };
	struct tfs_record rec;
	struct tfs_merge *m;
	struct tfs_dat *dat;
	struct bytes b;

	(void)state;
	dat_sample(&spec, &b);
	dat = dat_open(&b);
	dat->stream_bytes = TFS_DAT_STREAM_BUDGET - 1024; /* one more chunk of two sub-buffers */
	assert_int_equal(tfs_merge_new(dat, NULL, &m, NULL), 0);
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
	assert_int_equal(rec.cpu, 0);
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
	assert_int_equal(rec.cpu, 0);
	assert_non_null(strstr(tfs_dat_damage(dat)->msg, "CPU 1 of buffer ''"));
	assert_non_null(strstr(tfs_dat_damage(dat)->msg, "too large for the number of CPUs"));
	tfs_merge_free(m);
	assert_int_equal(dat->stream_bytes, TFS_DAT_STREAM_BUDGET - 1024);
	tfs_dat_free(dat);
	bytes_release(&b);
}

static void cpus_that_no_kernel_has_are_left_out(void **state)
{
	struct dat_spec spec = { .cpus = 1 };
	struct dat_builder d;
	struct dat_cpu cpus[2];
	struct bytes pages;
	struct dat_walk w;

	(void)state;
	dat_begin(&d, &spec);
	dat_metadata(&d);
	bytes_init(&pages, false);
	dat_sample_pages(&spec, 0, 0, &pages);
	cpus[0] = (struct dat_cpu){ .cpu = 8192, .pages = &pages };
	cpus[1] = (struct dat_cpu){ .cpu = 8191, .pages = &pages };
	dat_buffer(&d, "", cpus, 2);
	dat_options_end(&d);
	walk(&d.b, &w);
	assert_int_equal(w.records, 8);
	assert_non_null(strstr(w.err.msg, "CPU 8192"));
	bytes_release(&pages);
	dat_release(&d);
}

static void damage_in_one_section_leaves_the_others(void **state)
{
	struct dat_spec spec = { 0 };
	struct tfs_blob blob;
	struct tfs_dat *dat;
	struct bytes b;
	char *size;

	(void)state;
	dat_sample(&spec, &b);
	size = memmem(b.sb.s, b.sb.len, "ffffffff81000000 T _text", 24);
	assert_non_null(size);
	memset(size - 4, 0xff, 4);
	dat = dat_open(&b);
	assert_non_null(strstr(tfs_dat_damage(dat)->msg, "KALLSYMS"));
	tfs_dat_blob(dat, TFS_DAT_BLOB_KALLSYMS, &blob);
	assert_int_equal(blob.size, 0);
	assert_string_equal(blob.data, "");
	tfs_dat_blob(dat, TFS_DAT_BLOB_CMDLINES, &blob);
	assert_string_equal(blob.data, "1 init\n100 task\n");
	tfs_dat_free(dat);
	bytes_release(&b);
}

static void first_damage_is_kept(void **state)
{
	struct dat_spec spec = { 0 };
	struct tfs_err first = TFS_ERR_INIT, second = TFS_ERR_INIT;
	struct tfs_dat *dat;
	struct bytes b;

	(void)state;
	dat_sample(&spec, &b);
	dat = dat_open(&b);
	tfs_err_say(&first, -EBADMSG, "first");
	tfs_err_say(&second, -EBADMSG, "second");
	assert_null(tfs_dat_damage(dat));
	tfs_dat_note_damage(dat, &first);
	tfs_dat_note_damage(dat, &second);
	assert_string_equal(tfs_dat_damage(dat)->msg, "first");
	tfs_dat_free(dat);
	bytes_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_cut_at_any_byte_gives_the_data_before_it),
		cmocka_unit_test(any_byte_may_be_flipped),
		cmocka_unit_test(buffer_whose_option_was_cut_off_is_read_without_it),
		cmocka_unit_test(raw_buffer_without_option_is_divided_where_time_goes_back),
		cmocka_unit_test(second_buffer_without_option_gets_a_name),
		cmocka_unit_test(file_that_was_never_finished_is_walked),
		cmocka_unit_test(options_found_by_walking_count),
		cmocka_unit_test(loop_of_options_ends),
		cmocka_unit_test(impossible_sizes_of_a_section_are_refused_before_memory_is_taken),
		cmocka_unit_test(bad_chunk_ends_its_cpu_only),
		cmocka_unit_test(empty_chunks_and_tables_are_fine),
		cmocka_unit_test(bad_sub_buffer_ends_its_cpu_only),
		cmocka_unit_test(memory_for_chunks_is_bounded),
		cmocka_unit_test(cpus_that_no_kernel_has_are_left_out),
		cmocka_unit_test(damage_in_one_section_leaves_the_others),
		cmocka_unit_test(first_damage_is_kept),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
