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
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/compress-zstd.h"
#include "tracedat/dat-read.h"
#include "tracedat/merge.h"

static const char *const three_buffers[] = { "", "bar", "foo", NULL };

static struct tfs_dat *open_whole(const struct dat_spec *spec)
{
	struct tfs_dat *dat = dat_open_sample(spec);

	if (tfs_dat_damage(dat))
		fail_msg("%s", tfs_dat_damage(dat)->msg);
	return dat;
}

static uint32_t value_of(const struct tfs_record *rec, bool big)
{
	const unsigned char *p = (const unsigned char *)rec->data + 8;

	if (big)
		return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* All records of a sample are there, each in its place: by number, then CPU, then buffer. */
static void check_records(struct tfs_dat *dat, const struct dat_spec *spec, unsigned int buffers,
			  unsigned int cpus, unsigned int events)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_record rec;
	struct tfs_merge *m;
	unsigned int n, cpu, buf;

	assert_int_equal(tfs_merge_new(dat, NULL, &m, &err), 0);
	for (n = 0; n < events; n++)
		for (cpu = 0; cpu < cpus; cpu++)
			for (buf = 0; buf < buffers; buf++) {
				assert_int_equal(tfs_merge_next(m, &rec, &err), 1);
				assert_int_equal(rec.ts, dat_sample_ts(buf, cpu, n));
				assert_int_equal(rec.cpu, cpu);
				assert_int_equal(rec.buffer, buf);
				assert_int_equal(rec.size, 12);
				assert_int_equal(rec.lost, 0);
				assert_int_equal(value_of(&rec, spec->big), n);
			}
	assert_int_equal(tfs_merge_next(m, &rec, &err), 0);
	assert_int_equal(tfs_merge_next(m, &rec, &err), 0);
	assert_int_equal(tfs_merge_peek(m, &rec, &err), 0);
	tfs_merge_free(m);
}

static void every_kind_of_file_gives_all_its_records(void **state)
{
	static const enum tfs_codec_id codecs[] = { TFS_CODEC_NONE, TFS_CODEC_ZLIB,
						    TFS_CODEC_ZSTD };
	struct dat_spec spec;
	struct tfs_dat *dat;
	unsigned int i;

	(void)state;
	/* bits: version, byte order, size of long, several buffers, chunks; then the codec */
	for (i = 0; i < 32 * 3; i++) {
		spec = (struct dat_spec){
			.version = i & 1 ? 6 : 7,
			.big = i & 2,
			.long_size = i & 4 ? 4 : 8,
			.names = i & 8 ? three_buffers : NULL,
			.pages = 7,
			.chunk_pages = i & 16 ? 2 : 10,
			.codec = codecs[i / 32],
			.page_size = i & 16 ? 4096 : 256,
		};
		if (spec.version == 6 && spec.codec != TFS_CODEC_NONE)
			continue;
		if (spec.codec == TFS_CODEC_ZSTD && !tfs_zstd_is_built_in())
			continue;
		dat = open_whole(&spec);
		assert_int_equal(tfs_dat_n_buffers(dat), spec.names ? 3 : 1);
		check_records(dat, &spec, spec.names ? 3 : 1, 2, 28);
		assert_null(tfs_dat_damage(dat));
		tfs_dat_free(dat);
	}
}

static void reports_facts_of_the_file(void **state)
{
	struct dat_spec spec = { .big = true,
				 .long_size = 4,
				 .kernel_long = 8,
				 .cpus = 3,
				 .codec = TFS_CODEC_ZLIB,
				 .page_size = 1024 };
	struct tfs_dat *dat = open_whole(&spec);
	const struct tfs_dat_info *info = tfs_dat_info(dat);
	const struct tfs_dat_buffer *buf = tfs_dat_buffer(dat, 0);

	(void)state;
	assert_int_equal(info->version, 7);
	assert_true(info->big_endian);
	assert_int_equal(info->long_size, 4);
	assert_int_equal(info->kernel_long_size, 8);
	assert_int_equal(info->page_data_offset, 16);
	assert_int_equal(info->page_size, 1024);
	assert_int_equal(info->cpus, 3);
	assert_int_equal(info->codec, TFS_CODEC_ZLIB);
	assert_string_equal(info->codec_version, tfs_codec_version(TFS_CODEC_ZLIB));
	assert_string_equal(tfs_dat_path(dat), "x.dat");
	assert_string_equal(buf->name, "");
	assert_string_equal(buf->clock, "local");
	assert_int_equal(buf->page_size, 1024);
	assert_true(buf->compressed);
	assert_false(buf->text);
	assert_int_equal(buf->n_cpus, 3);
	assert_int_equal(buf->cpus[2].cpu, 2);
	tfs_dat_free(dat);
}

static void metadata_are_those_that_were_stored(void **state)
{
	static const struct dat_spec specs[] = { { .version = 6 }, { .codec = TFS_CODEC_ZLIB } };
	struct tfs_dat *dat;
	struct tfs_blob blob;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		dat = open_whole(&specs[i]);
		tfs_dat_blob(dat, TFS_DAT_BLOB_HEADER_PAGE, &blob);
		assert_non_null(strstr(blob.data, "local_t commit;"));
		assert_int_equal(blob.size, strlen(blob.data));
		tfs_dat_blob(dat, TFS_DAT_BLOB_HEADER_EVENT, &blob);
		assert_non_null(strstr(blob.data, "type_len"));
		tfs_dat_blob(dat, TFS_DAT_BLOB_KALLSYMS, &blob);
		assert_string_equal(blob.data, "ffffffff81000000 T _text\n");
		tfs_dat_blob(dat, TFS_DAT_BLOB_PRINTK, &blob);
		assert_string_equal(blob.data, "0xffffffff82000000 : \"hello\\n\"\n");
		tfs_dat_blob(dat, TFS_DAT_BLOB_CMDLINES, &blob);
		assert_string_equal(blob.data, "1 init\n100 task\n");
		assert_int_equal(tfs_dat_n_formats(dat), 3);
		assert_string_equal(tfs_dat_format(dat, 0)->system, "ftrace");
		assert_string_equal(tfs_dat_format(dat, 1)->system, "alpha");
		assert_string_equal(tfs_dat_format(dat, 2)->system, "beta");
		assert_string_equal(tfs_dat_format(dat, 2)->text.data, DAT_SAMPLE_LAST_FORMAT);
		tfs_dat_free(dat);
	}
}

static void options_come_in_file_order_unknown_ones_too(void **state)
{
	struct dat_spec spec = { 0 };
	struct dat_builder d;
	struct tfs_dat *dat;

	(void)state;
	dat_begin(&d, &spec);
	dat_metadata(&d);
	dat_option(&d, 9, "3.1.6", 6);
	dat_option(&d, 200, "hello", 5);
	dat_options_end(&d);
	dat_option(&d, 0x7c55, "", 0);
	dat_options_end(&d);
	dat = dat_open(&d.b);
	assert_null(tfs_dat_damage(dat));
	assert_int_equal(tfs_dat_n_options(dat), 9); /* six of them say where metadata are */
	assert_int_equal(tfs_dat_option(dat, 6)->id, 9);
	assert_int_equal(tfs_dat_option(dat, 7)->id, 200);
	assert_int_equal(tfs_dat_option(dat, 7)->data.size, 5);
	assert_string_equal(tfs_dat_option(dat, 7)->data.data, "hello");
	assert_int_equal(tfs_dat_option(dat, 8)->id, 0x7c55);
	assert_int_equal(tfs_dat_option(dat, 8)->data.size, 0);
	assert_int_equal(tfs_dat_n_buffers(dat), 0); /* a file without any is whole */
	tfs_dat_free(dat);
	dat_release(&d);
}

static void last_of_several_options_for_a_section_counts(void **state)
{
	struct dat_spec spec = { 0 };
	struct dat_builder d;
	struct tfs_dat *dat;
	struct tfs_blob blob;
	struct bytes better;
	unsigned char at[8] = { 0 };
	size_t off;

	(void)state;
	dat_begin(&d, &spec);
	dat_metadata(&d);
	bytes_init(&better, false);
	bytes_u64(&better, 8);
	bytes_text(&better, "7 seven\n");
	off = dat_payload(&d, 21, &better);
	at[0] = (unsigned char)off;
	at[1] = (unsigned char)(off >> 8);
	dat_option(&d, 21, at, sizeof(at));
	dat_options_end(&d);
	dat = dat_open(&d.b);
	tfs_dat_blob(dat, TFS_DAT_BLOB_CMDLINES, &blob);
	assert_string_equal(blob.data, "7 seven\n");
	tfs_dat_free(dat);
	bytes_release(&better);
	dat_release(&d);
}

static void latency_text_is_read_from_every_kind_of_file(void **state)
{
	static const struct dat_spec specs[] = {
		{ .version = 6, .latency = true },
		{ .latency = true },
		{ .latency = true, .codec = TFS_CODEC_ZLIB },
		{ .latency = true, .codec = TFS_CODEC_ZLIB, .big = true, .long_size = 4 },
	};
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_dat *dat;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		dat = open_whole(&specs[i]);
		assert_int_equal(tfs_dat_n_buffers(dat), 1);
		assert_true(tfs_dat_buffer(dat, 0)->text);
		assert_int_equal(tfs_dat_buffer(dat, 0)->n_cpus, 0);
		tfs_strbuf_reset(&sb);
		assert_int_equal(tfs_strbuf_adds(&sb, "before: "), 0);
		assert_int_equal(tfs_dat_text(dat, 0, &sb, NULL), 0);
		assert_int_equal(strncmp(sb.s, "before: ", 8), 0);
		assert_string_equal(sb.s + 8, dat_latency_text);
		check_records(dat, &specs[i], 0, 0, 0);
		tfs_dat_free(dat);
	}
	tfs_strbuf_release(&sb);
}

static void buffer_with_ring_buffer_data_has_no_text(void **state)
{
	struct dat_spec spec = { 0 };
	struct tfs_dat *dat = open_whole(&spec);
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	(void)state;
	assert_int_equal(tfs_dat_text(dat, 0, &sb, NULL), 0);
	assert_int_equal(sb.len, 0);
	tfs_dat_free(dat);
}

/* The buffer without a name is the first, wherever its option is. */
static void top_buffer_comes_first(void **state)
{
	static const char *const names[] = { "a", "", "b", NULL };
	struct dat_spec spec = { .names = names };
	struct tfs_dat *dat = open_whole(&spec);

	(void)state;
	assert_string_equal(tfs_dat_buffer(dat, 0)->name, "");
	assert_string_equal(tfs_dat_buffer(dat, 1)->name, "a");
	assert_string_equal(tfs_dat_buffer(dat, 2)->name, "b");
	tfs_dat_free(dat);
}

static void cpus_come_by_number_also_those_with_gaps(void **state)
{
	struct dat_spec spec = { .cpus = 1 };
	struct dat_builder d;
	struct bytes pages;
	struct dat_cpu cpus[3];
	struct tfs_dat *dat;

	(void)state;
	dat_begin(&d, &spec);
	dat_metadata(&d);
	bytes_init(&pages, false);
	dat_sample_pages(&spec, 0, 0, &pages);
	cpus[0] = (struct dat_cpu){ .cpu = 255, .pages = &pages };
	cpus[1] = (struct dat_cpu){ .cpu = 7, .pages = &pages };
	cpus[2] = (struct dat_cpu){ .cpu = 64, .pages = &pages };
	dat_buffer(&d, "", cpus, 3);
	dat_options_end(&d);
	dat = dat_open(&d.b);
	assert_null(tfs_dat_damage(dat));
	assert_int_equal(tfs_dat_buffer(dat, 0)->cpus[0].cpu, 7);
	assert_int_equal(tfs_dat_buffer(dat, 0)->cpus[1].cpu, 64);
	assert_int_equal(tfs_dat_buffer(dat, 0)->cpus[2].cpu, 255);
	assert_int_equal(tfs_dat_info(dat)->cpus, 256); /* CPUCOUNT is missing */
	tfs_dat_free(dat);
	bytes_release(&pages);
	dat_release(&d);
}

static void check_refused(const void *data, size_t size, int code, const char *msg)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_dat *dat = NULL;

	assert_int_equal(tfs_dat_open_fd(bytes_to_fd(data, size), "x.dat", &dat, &err), code);
	assert_null(dat);
	assert_non_null(strstr(err.msg, msg));
	assert_int_equal(strncmp(err.msg, "'x.dat': ", 9), 0);
}

static void other_files_are_refused_with_a_reason(void **state)
{
	static const char elf[] = "\x7f"
				  "ELF and more";
	static const char nothing[] = "";

	(void)state;
	check_refused(elf, sizeof(elf), -EBADMSG, "not a trace.dat file");
	check_refused(nothing, 0, -EBADMSG, "not a trace.dat file");
	check_refused("\x17\x08\x44tracing7", 11, -EBADMSG, "ends too early");
	check_refused("\x17\x08\x44tracing66666666666666", 24, -EBADMSG, "name without end");
	check_refused("\x17\x08\x44tracing6\0\2\x08\0\x10\0\0", 18, -EBADMSG, "byte order");
	check_refused("\x17\x08\x44tracing6\0\0\5\0\x10\0\0", 18, -EBADMSG, "size of long");
}

static void opening_a_non_file_gives_the_reason(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_dat *dat;
	int fds[2];

	(void)state;
	assert_int_equal(tfs_dat_open("/nonexistent/x.dat", &dat, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent/x.dat"));
	assert_int_equal(tfs_dat_open("/", &dat, &err), -EISDIR);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(tfs_dat_open_fd(fds[0], "pipe", &dat, &err), -ESPIPE);
	assert_true(err.hint[0]);
	close(fds[1]);
	tfs_dat_free(NULL);
}

static void failed_open_closes_the_descriptor(void **state)
{
	int fd = bytes_to_fd("junk", 4);
	struct tfs_dat *dat;

	(void)state;
	assert_int_equal(tfs_dat_open_fd(fd, "x", &dat, NULL), -EBADMSG);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void kernels_before_type_len_are_refused(void **state)
{
	struct dat_spec spec = { 0 };
	struct dat_builder d;
	struct bytes old;

	(void)state;
	dat_begin(&d, &spec);
	bytes_init(&old, false);
	bytes_strz(&old, "header_page");
	bytes_u64(&old, 0);
	bytes_strz(&old, "header_event");
	bytes_u64(&old, 30);
	bytes_text(&old, "\ttype : 2 bits\n\tlen  : 3 bits\n");
	assert_int_equal(dat_payload(&d, 16, &old), d.next_options + 8);
	dat_option(&d, 16, (unsigned char[8]){ (unsigned char)(d.next_options + 8) }, 8);
	dat_options_end(&d);
	check_refused(d.b.sb.s, d.b.sb.len, -EOPNOTSUPP, "before 2.6.30");
	bytes_release(&old);
	dat_release(&d);
}

/* Ancient kernels have no header_page: the recorder's own size of long is all there is. */
static void empty_header_page_leaves_the_defaults(void **state)
{
	struct dat_spec spec = { .long_size = 4 };
	struct dat_builder d;
	struct tfs_dat *dat;
	struct bytes old;

	(void)state;
	dat_begin(&d, &spec);
	bytes_init(&old, false);
	bytes_strz(&old, "header_page");
	bytes_u64(&old, 0);
	bytes_strz(&old, "header_event");
	bytes_u64(&old, 0);
	dat_payload(&d, 16, &old);
	dat_option(&d, 16, (unsigned char[8]){ (unsigned char)(d.next_options + 8) }, 8);
	dat_options_end(&d);
	dat = dat_open(&d.b);
	assert_null(tfs_dat_damage(dat));
	assert_int_equal(tfs_dat_info(dat)->kernel_long_size, 4);
	assert_int_equal(tfs_dat_info(dat)->page_data_offset, 12);
	tfs_dat_free(dat);
	bytes_release(&old);
	dat_release(&d);
}

/* Offsets and sizes are 64 bits: the data of CPU 1 begin above 4 GiB, in a hole of the file. */
static void data_beyond_four_gigabytes_are_read(void **state)
{
	struct dat_spec spec = { .cpus = 1 };
	const off_t far = (off_t)5 << 30;
	struct dat_builder d;
	struct bytes pages, o;
	struct tfs_dat *dat;
	int fd;

	(void)state;
	dat_begin(&d, &spec);
	dat_metadata(&d);
	bytes_init(&pages, false);
	dat_sample_pages(&spec, 0, 0, &pages);
	bytes_init(&o, false);
	bytes_u64(&o, dat_section_header(&d, 3, false, (uint64_t)far));
	bytes_strz(&o, "");
	bytes_strz(&o, "local");
	bytes_u32(&o, d.spec.page_size);
	bytes_u32(&o, 1);
	bytes_u32(&o, 0);
	bytes_u64(&o, (uint64_t)far);
	bytes_u64(&o, pages.sb.len);
	dat_option(&d, 3, o.sb.s, o.sb.len);
	dat_options_end(&d);
	fd = bytes_to_fd(d.b.sb.s, d.b.sb.len);
	assert_int_equal(pwrite(fd, pages.sb.s, pages.sb.len, far), pages.sb.len);
	assert_int_equal(tfs_dat_open_fd(fd, "x.dat", &dat, NULL), 0);
	assert_null(tfs_dat_damage(dat));
	check_records(dat, &spec, 1, 1, 8);
	tfs_dat_free(dat);
	bytes_release(&o);
	bytes_release(&pages);
	dat_release(&d);
}

static int read_symbols(struct tfs_strbuf *text)
{
	return tfs_strbuf_adds(text, "ffffffff81000000 T _text\n");
}

static int read_nothing(struct tfs_strbuf *text)
{
	return tfs_strbuf_adds(text, "half") ? -ENOMEM : -EIO;
}

static void symbols_are_read_when_they_are_first_asked_for(void **state)
{
	static const struct dat_spec spec = { .cpus = 1 };
	struct tfs_dat *dat = dat_open_sample(&spec);
	struct tfs_blob first, again;

	(void)state;
	assert_int_equal(tfs_dat_read_symbols(dat, read_symbols), 0);
	tfs_dat_blob(dat, TFS_DAT_BLOB_KALLSYMS, &first);
	assert_int_equal(first.size, strlen("ffffffff81000000 T _text\n"));
	assert_string_equal(first.data, "ffffffff81000000 T _text\n");
	/* Not a second time: others may still have the text. */
	tfs_dat_blob(dat, TFS_DAT_BLOB_KALLSYMS, &again);
	assert_ptr_equal(again.data, first.data);
	assert_int_equal(again.size, first.size);
	tfs_dat_free(dat);
	dat = dat_open_sample(&spec);
	assert_int_equal(tfs_dat_read_symbols(dat, read_nothing), 0);
	tfs_dat_blob(dat, TFS_DAT_BLOB_KALLSYMS, &first);
	assert_int_equal(first.size, 0);
	tfs_dat_free(dat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_are_read_when_they_are_first_asked_for),
		cmocka_unit_test(every_kind_of_file_gives_all_its_records),
		cmocka_unit_test(reports_facts_of_the_file),
		cmocka_unit_test(metadata_are_those_that_were_stored),
		cmocka_unit_test(options_come_in_file_order_unknown_ones_too),
		cmocka_unit_test(last_of_several_options_for_a_section_counts),
		cmocka_unit_test(latency_text_is_read_from_every_kind_of_file),
		cmocka_unit_test(buffer_with_ring_buffer_data_has_no_text),
		cmocka_unit_test(top_buffer_comes_first),
		cmocka_unit_test(cpus_come_by_number_also_those_with_gaps),
		cmocka_unit_test(other_files_are_refused_with_a_reason),
		cmocka_unit_test(opening_a_non_file_gives_the_reason),
		cmocka_unit_test(failed_open_closes_the_descriptor),
		cmocka_unit_test(kernels_before_type_len_are_refused),
		cmocka_unit_test(empty_header_page_leaves_the_defaults),
		cmocka_unit_test(data_beyond_four_gigabytes_are_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
