/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "lib/dat_build.h"
#include "lib/skip.h"
#include "tracedat/chunks.h"
#include "tracedat/compress-zstd.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-write.h"
#include "tracedat/merge.h"

#define PAGE 4096
#define MAX_CPUS 4

static const struct dat_spec pages_spec = { .page_size = PAGE, .pages = 23 };

struct fixture {
	int fd;
	struct tfs_codec *codec;
	struct tfs_dat_writer *w;
	struct tfs_dat_writer_cpu cpus[MAX_CPUS];
};

static void begin(struct fixture *f, enum tfs_codec_id id)
{
	size_t i;

	memset(f, 0, sizeof(*f));
	f->fd = bytes_to_fd("", 0);
	for (i = 0; i < MAX_CPUS; i++)
		f->cpus[i].fd = -1;
	assert_int_equal(tfs_codec_new(id, 0, &f->codec, NULL), 0);
	assert_int_equal(tfs_dat_writer_new(f->fd, f->codec, PAGE, &f->w, NULL), 0);
}

static void end(struct fixture *f)
{
	size_t i;

	tfs_dat_writer_free(f->w);
	tfs_codec_free(f->codec);
	for (i = 0; i < MAX_CPUS; i++)
		tfs_close(&f->cpus[i].fd);
	tfs_close(&f->fd);
}

static bool host_is_big(void)
{
	const uint16_t one = 1;

	return !*(const unsigned char *)&one;
}

static void add_section(struct fixture *f, enum tfs_dat_id id)
{
	struct bytes b;

	bytes_init(&b, host_is_big());
	switch (id) {
	case TFS_DAT_HEADER_INFO:
		bytes_strz(&b, "header_page");
		bytes_u64(&b, 0);
		bytes_strz(&b, "header_event");
		bytes_u64(&b, 3);
		bytes_text(&b, "abc");
		break;
	case TFS_DAT_FTRACE_EVENTS:
	case TFS_DAT_EVENT_FORMATS:
		bytes_u32(&b, 0);
		break;
	case TFS_DAT_CMDLINES:
		bytes_u64(&b, 7);
		bytes_text(&b, "1 init\n");
		break;
	default:
		bytes_u32(&b, 5);
		bytes_text(&b, "text\n");
		break;
	}
	assert_int_equal(tfs_dat_writer_section(f->w, id, b.sb.s, b.sb.len, NULL), 0);
	bytes_release(&b);
}

static void write_head(struct fixture *f)
{
	static const enum tfs_dat_id ids[] = { TFS_DAT_HEADER_INFO, TFS_DAT_FTRACE_EVENTS,
					       TFS_DAT_EVENT_FORMATS, TFS_DAT_KALLSYMS,
					       TFS_DAT_PRINTK };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ids); i++)
		add_section(f, ids[i]);
	assert_int_equal(tfs_dat_writer_option(f->w, TFS_DAT_VERSION, "tracecraft 1", 13), 0);
	assert_int_equal(tfs_dat_writer_head(f->w, NULL), 0);
}

/* A CPU's temporary file as a recorder leaves it. */
static void record_cpu(struct fixture *f, size_t slot, unsigned int buffer, unsigned int cpu)
{
	struct tfs_chunks *c;
	struct bytes pages;
	size_t off;
	int fd = bytes_to_fd("", 0);

	bytes_init(&pages, host_is_big());
	dat_sample_pages(&(struct dat_spec){ .page_size = PAGE,
					     .pages = pages_spec.pages,
					     .big = host_is_big(),
					     .long_size = sizeof(long) },
			 buffer, cpu, &pages);
	assert_int_equal(tfs_chunks_new(fd, f->codec, PAGE, &c), 0);
	for (off = 0; off < pages.sb.len; off += PAGE) {
		memcpy(tfs_chunks_room(c), pages.sb.s + off, PAGE);
		assert_int_equal(tfs_chunks_commit(c), 0);
	}
	assert_int_equal(tfs_chunks_flush(c), 0);
	f->cpus[slot] = (struct tfs_dat_writer_cpu){
		.cpu = cpu,
		.fd = fd,
		.bytes = tfs_chunks_bytes(c),
		.chunks = tfs_chunks_count(c),
	};
	tfs_chunks_free(c);
	bytes_release(&pages);
}

static struct tfs_dat *read_back(struct fixture *f)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_dat *dat;

	if (tfs_dat_open_fd(dup(f->fd), "x.dat", &dat, &err))
		fail_msg("%s", err.msg);
	return dat;
}

static void check_records(struct tfs_dat *dat, unsigned int buffers, unsigned int cpus)
{
	struct tfs_record rec;
	struct tfs_merge *m;
	unsigned int n, cpu, buf;

	assert_int_equal(tfs_merge_new(dat, NULL, &m, NULL), 0);
	for (n = 0; n < 4 * pages_spec.pages; n++)
		for (cpu = 0; cpu < cpus; cpu++)
			for (buf = 0; buf < buffers; buf++) {
				assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
				assert_int_equal(rec.ts, dat_sample_ts(buf, cpu, n));
				assert_int_equal(rec.cpu, cpu);
				assert_int_equal(rec.buffer, buf);
			}
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 0);
	tfs_merge_free(m);
	assert_null(tfs_dat_damage(dat));
}

static const enum tfs_codec_id all[] = { TFS_CODEC_NONE, TFS_CODEC_ZLIB, TFS_CODEC_ZSTD };

static size_t n_codecs(void)
{
	return tfs_zstd_is_built_in() ? 3 : 2;
}

static void a_written_file_reads_back(void **state)
{
	struct tfs_dat *dat;
	struct tfs_blob blob;
	struct fixture f;
	struct stat st;
	size_t i;

	(void)state;
	for (i = 0; i < n_codecs(); i++) {
		begin(&f, all[i]);
		write_head(&f);
		add_section(&f, TFS_DAT_CMDLINES);
		assert_int_equal(tfs_dat_writer_option(f.w, TFS_DAT_CPUSTAT, "CPU: 0\n", 8), 0);
		record_cpu(&f, 0, 0, 0);
		record_cpu(&f, 1, 0, 1);
		record_cpu(&f, 2, 1, 0);
		record_cpu(&f, 3, 1, 1);
		f.cpus[3].consume = true;
		assert_int_equal(tfs_dat_writer_buffer(f.w, "", "local", PAGE, f.cpus, 2), 0);
		assert_int_equal(tfs_dat_writer_buffer(f.w, "foo", "mono", PAGE, f.cpus + 2, 2), 0);
		assert_int_equal(tfs_dat_writer_finish(f.w, NULL), 0);
		dat = read_back(&f);
		assert_int_equal(tfs_dat_info(dat)->version, 7);
		assert_int_equal(tfs_dat_info(dat)->page_size, PAGE);
		assert_int_equal(tfs_dat_info(dat)->codec, all[i]);
		assert_int_equal(tfs_dat_n_buffers(dat), 2);
		assert_string_equal(tfs_dat_buffer(dat, 0)->clock, "local");
		assert_string_equal(tfs_dat_buffer(dat, 1)->name, "foo");
		assert_string_equal(tfs_dat_buffer(dat, 1)->clock, "mono");
		check_records(dat, 2, 2);
		tfs_dat_blob(dat, TFS_DAT_BLOB_CMDLINES, &blob);
		assert_string_equal(blob.data, "1 init\n");
		tfs_dat_blob(dat, TFS_DAT_BLOB_KALLSYMS, &blob);
		assert_string_equal(blob.data, "text\n");
		tfs_dat_blob(dat, TFS_DAT_BLOB_HEADER_EVENT, &blob);
		assert_string_equal(blob.data, "abc");
		assert_int_equal(fstat(f.cpus[3].fd, &st), 0);
		assert_int_equal(st.st_blocks, 0); /* given back */
		assert_int_equal(fstat(f.cpus[0].fd, &st), 0);
		assert_true(st.st_blocks > 0);
		tfs_dat_free(dat);
		end(&f);
	}
}

/* Other readers need aligned data, and sections that lead to the end of the file. */
static void data_are_aligned_and_sections_have_no_gaps(void **state)
{
	static const unsigned int expected[] = { 16, 17, 18, 19, 20, 0, 21, 0, 3 };
	unsigned char head[16];
	struct tfs_dat *dat;
	struct fixture f;
	uint64_t at, size;
	size_t i, k;

	(void)state;
	for (i = 0; i < n_codecs(); i++) {
		begin(&f, all[i]);
		write_head(&f);
		add_section(&f, TFS_DAT_CMDLINES);
		record_cpu(&f, 0, 0, 0);
		record_cpu(&f, 1, 0, 1);
		assert_int_equal(tfs_dat_writer_buffer(f.w, "", "local", PAGE, f.cpus, 2), 0);
		assert_int_equal(tfs_dat_writer_finish(f.w, NULL), 0);
		dat = read_back(&f);
		for (k = 0; k < 2; k++)
			assert_int_equal(tfs_dat_buffer(dat, 0)->cpus[k].offset % PAGE, 0);
		size = tfs_dat_info(dat)->file_size;
		at = 12 + 1 + 1 + 4 + strlen(tfs_codec_name(all[i])) + 1 +
		     strlen(tfs_codec_version(all[i])) + 1 + 8;
		for (k = 0; k < ARRAY_SIZE(expected); k++) {
			assert_int_equal(tfs_pread_all(f.fd, head, 16, (off_t)at), 0);
			assert_int_equal(tfs_load_u16(head, host_is_big()), expected[k]);
			assert_int_equal(tfs_load_u32(head + 4, host_is_big()), 0xffffffff);
			at += 16 + tfs_load_u64(head + 8, host_is_big());
		}
		assert_int_equal(at, size);
		tfs_dat_free(dat);
		end(&f);
	}
}

static void killed_recorder_leaves_a_file_that_opens(void **state)
{
	struct tfs_dat *dat;
	struct fixture f;

	(void)state;
	begin(&f, TFS_CODEC_ZLIB);
	write_head(&f);
	dat = read_back(&f);
	assert_null(tfs_dat_damage(dat));
	assert_int_equal(tfs_dat_n_buffers(dat), 0);
	assert_int_equal(tfs_dat_n_options(dat), 6);
	tfs_dat_free(dat);
	add_section(&f, TFS_DAT_CMDLINES);
	dat = read_back(&f);
	assert_null(tfs_dat_damage(dat));
	tfs_dat_free(dat);
	end(&f);
}

/* Wherever the data are cut, all that was written of them is read, since it is described before. */
static void file_cut_in_its_data_gives_the_rest(void **state)
{
	struct tfs_record rec;
	struct tfs_merge *m;
	struct tfs_dat *dat;
	struct fixture f;
	uint64_t start;
	unsigned int n = 0;

	(void)state;
	begin(&f, TFS_CODEC_NONE);
	write_head(&f);
	record_cpu(&f, 0, 0, 0);
	record_cpu(&f, 1, 0, 1);
	assert_int_equal(tfs_dat_writer_buffer(f.w, "", "local", PAGE, f.cpus, 2), 0);
	assert_int_equal(tfs_dat_writer_finish(f.w, NULL), 0);
	dat = read_back(&f);
	start = tfs_dat_buffer(dat, 0)->cpus[1].offset;
	tfs_dat_free(dat);
	assert_int_equal(ftruncate(f.fd, (off_t)start + 5 * PAGE), 0);
	dat = read_back(&f);
	assert_int_equal(tfs_merge_new(dat, NULL, &m, NULL), 0);
	while (tfs_merge_next(m, &rec, NULL) > 0)
		n++;
	assert_int_equal(n, 4 * 23 + 4 * 5);
	assert_non_null(strstr(tfs_dat_damage(dat)->msg, "CPU 1"));
	tfs_merge_free(m);
	tfs_dat_free(dat);
	end(&f);
}

static void buffers_without_data_are_written(void **state)
{
	struct tfs_dat *dat;
	struct fixture f;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		begin(&f, all[i]);
		write_head(&f);
		record_cpu(&f, 1, 0, 3);
		f.cpus[0] = (struct tfs_dat_writer_cpu){ .cpu = 2, .fd = bytes_to_fd("", 0) };
		assert_int_equal(tfs_dat_writer_buffer(f.w, "", "local", PAGE, NULL, 0), 0);
		assert_int_equal(tfs_dat_writer_buffer(f.w, "a", "local", PAGE, f.cpus, 1), 0);
		assert_int_equal(tfs_dat_writer_buffer(f.w, "b", "local", PAGE, f.cpus, 2), 0);
		assert_int_equal(tfs_dat_writer_finish(f.w, NULL), 0);
		dat = read_back(&f);
		assert_null(tfs_dat_damage(dat));
		assert_int_equal(tfs_dat_n_buffers(dat), 3);
		assert_int_equal(tfs_dat_buffer(dat, 0)->n_cpus, 0);
		assert_int_equal(tfs_dat_buffer(dat, 1)->n_cpus,
				 0); /* CPUs without data are left out */
		assert_int_equal(tfs_dat_buffer(dat, 2)->n_cpus, 1);
		assert_int_equal(tfs_dat_buffer(dat, 2)->cpus[0].cpu, 3);
		tfs_dat_free(dat);
		end(&f);
	}
}

/* Only @bytes of a temporary file count: a chunk that was cut short follows them. */
static void bytes_after_the_counted_ones_are_not_copied(void **state)
{
	struct tfs_dat *dat;
	struct fixture f;

	(void)state;
	begin(&f, TFS_CODEC_ZLIB);
	write_head(&f);
	record_cpu(&f, 0, 0, 0);
	assert_true(lseek(f.cpus[0].fd, 0, SEEK_END) > 0);
	assert_int_equal(tfs_write_all(f.cpus[0].fd, "torn chunk", 10), 0);
	assert_int_equal(tfs_dat_writer_buffer(f.w, "", "local", PAGE, f.cpus, 1), 0);
	assert_int_equal(tfs_dat_writer_finish(f.w, NULL), 0);
	dat = read_back(&f);
	check_records(dat, 1, 1);
	assert_int_equal(tfs_dat_buffer(dat, 0)->cpus[0].size, 4 + f.cpus[0].bytes);
	assert_int_equal(tfs_dat_buffer(dat, 0)->cpus[0].offset + 4 + f.cpus[0].bytes,
			 tfs_dat_info(dat)->file_size);
	tfs_dat_free(dat);
	end(&f);
}

static void room_that_was_reserved_is_given_back(void **state)
{
	struct tfs_dat *dat;
	struct fixture f;

	(void)state;
	begin(&f, TFS_CODEC_NONE);
	assert_int_equal(ftruncate(f.fd, 1 << 20), 0);
	write_head(&f);
	assert_int_equal(tfs_dat_writer_finish(f.w, NULL), 0);
	assert_true(lseek(f.fd, 0, SEEK_END) < 4096);
	dat = read_back(&f);
	assert_null(tfs_dat_damage(dat));
	tfs_dat_free(dat);
	end(&f);
}

static void reports_failing_writes(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_dat_writer *w;
	struct tfs_codec *codec;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	if (fd < 0)
		skip_because("no /dev/full");
	assert_int_equal(tfs_codec_new(TFS_CODEC_ZLIB, 0, &codec, NULL), 0);
	assert_int_equal(tfs_dat_writer_new(fd, codec, PAGE, &w, &err), -ENOSPC);
	assert_non_null(strstr(err.msg, "cannot write the trace file"));
	tfs_codec_free(codec);
	tfs_close(&fd);
}

/* The descriptor turns read-only under the writer's hands, as a full disk would. */
static void every_step_reports_a_failed_write(void **state)
{
	static const enum tfs_codec_id ids[] = { TFS_CODEC_NONE, TFS_CODEC_ZLIB };
	struct fixture f;
	int keep, bad;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		begin(&f, ids[i]);
		write_head(&f);
		record_cpu(&f, 0, 0, 0);
		assert_int_equal(tfs_dat_writer_buffer(f.w, "", "local", PAGE, f.cpus, 1), 0);
		keep = dup(f.fd);
		bad = open("/dev/null", O_RDONLY | O_CLOEXEC);
		assert_int_equal(dup2(bad, f.fd), f.fd);
		assert_int_equal(tfs_dat_writer_section(f.w, TFS_DAT_CMDLINES, "x", 1, NULL),
				 -EBADF);
		assert_int_equal(tfs_dat_writer_head(f.w, NULL), -EBADF);
		assert_int_equal(tfs_dat_writer_finish(f.w, NULL), -EBADF);
		assert_int_equal(dup2(keep, f.fd), f.fd);
		close(keep);
		close(bad);
		end(&f);
	}
}

static void reports_a_missing_temporary_file(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct fixture f;
	struct tfs_dat *dat;

	(void)state;
	begin(&f, TFS_CODEC_ZLIB);
	write_head(&f);
	record_cpu(&f, 0, 0, 0);
	record_cpu(&f, 1, 0, 5);
	assert_int_equal(ftruncate(f.cpus[1].fd, 10), 0);
	assert_int_equal(tfs_dat_writer_buffer(f.w, "", "local", PAGE, f.cpus, 2), 0);
	assert_true(tfs_dat_writer_finish(f.w, &err) < 0);
	assert_non_null(strstr(err.msg, "CPU 5"));
	dat = read_back(&f); /* what was written is there */
	assert_int_equal(tfs_dat_buffer(dat, 0)->n_cpus, 2);
	assert_non_null(tfs_dat_damage(dat));
	tfs_dat_free(dat);
	end(&f);
	tfs_dat_writer_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_written_file_reads_back),
		cmocka_unit_test(data_are_aligned_and_sections_have_no_gaps),
		cmocka_unit_test(killed_recorder_leaves_a_file_that_opens),
		cmocka_unit_test(file_cut_in_its_data_gives_the_rest),
		cmocka_unit_test(buffers_without_data_are_written),
		cmocka_unit_test(bytes_after_the_counted_ones_are_not_copied),
		cmocka_unit_test(room_that_was_reserved_is_given_back),
		cmocka_unit_test(reports_failing_writes),
		cmocka_unit_test(every_step_reports_a_failed_write),
		cmocka_unit_test(reports_a_missing_temporary_file),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
