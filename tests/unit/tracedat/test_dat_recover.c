/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wants: root */
#include "tracedat/dat-recover.h"

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
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "lib/dat_build.h"
#include "lib/skip.h"
#include "tracedat/dat-segments.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-write.h"
#include "tracedat/merge.h"
#include "tracedat/segment.h"

#define CPUS 2
#define PAGES 3000 /* more than a MiB, so that a segment is given back in several pieces */
#define PAGE_SIZE 512
#define EVENTS 4
#define CUT 5 /* bytes of a chunk that was being written */

/*
 * The files of a recorder that is killed while it records: a head, and a segment for each CPU of
 * two buffers, which have the same data.
 */
struct fixture {
	struct dat_spec spec;
	char dir[32], path[64];
	uint32_t flags; /* of the segments */
	bool received;  /* the metadata are what a listener was sent of them */
	struct tfs_codec *codec;
	struct bytes data[CPUS]; /* the whole chunks, or sub-buffers, of a CPU */
	uint32_t chunks;
};

static const char *const names[] = { "", "net" };

static void head(struct fixture *f)
{
	const struct tfs_dat_segments_buffer buffers[] = {
		{ "", "local", PAGE_SIZE },
		{ "net", "mono", PAGE_SIZE },
	};
	const uint32_t cpus = CPUS;
	struct tfs_strbuf segments = TFS_STRBUF_INIT;
	struct dat_builder d;
	int fd;

	assert_int_equal(tfs_dat_segments_begin(&segments, f->flags, "this boot"), 0);
	for (size_t b = 0; b < 2; b++) {
		assert_int_equal(tfs_dat_segments_add(&segments, &buffers[b], CPUS), 0);
		for (unsigned int cpu = 0; cpu < CPUS; cpu++)
			assert_int_equal(tfs_dat_segments_add_cpu(&segments, cpu), 0);
	}
	dat_begin(&d, &f->spec);
	dat_metadata(&d);
	dat_option(&d, TFS_DAT_CPUCOUNT, &cpus, sizeof(cpus));
	if (!f->received)
		dat_option(&d, TFS_DAT_PRIVATE_SEGMENTS, segments.s, segments.len);
	dat_options_end(&d);
	/* A sender has left room, which it has not filled, before more options. */
	if (f->received) {
		bytes_set_u64(&d.b, d.next_options, d.b.sb.len + 65536 + 16);
		dat_section_header(&d, 32700, false, 65536);
		bytes_zeros(&d.b, 2);
	}
	fd = open(f->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(tfs_write_all(fd, d.b.sb.s, d.b.sb.len), 0);
	close(fd);
	dat_release(&d);
	tfs_strbuf_release(&segments);
}

static char *segment_path(const struct fixture *f, size_t buffer, unsigned int cpu)
{
	return tfs_dat_segment_path(f->path, names[buffer], cpu);
}

static void make_data(struct fixture *f, unsigned int cpu)
{
	struct dat_builder d;
	struct bytes pages;

	bytes_init(&pages, false);
	dat_sample_pages(&f->spec, 0, cpu, &pages);
	bytes_init(&f->data[cpu], false);
	if (f->spec.codec == TFS_CODEC_NONE) {
		bytes_add(&f->data[cpu], pages.sb.s, pages.sb.len);
	} else {
		dat_begin(&d, &f->spec);
		d.b.sb.len = 0;
		dat_chunks(&d, &pages, 10 * PAGE_SIZE);
		memcpy(&f->chunks, d.b.sb.s, sizeof(f->chunks));
		bytes_add(&f->data[cpu], d.b.sb.s + 4, d.b.sb.len - 4);
		dat_release(&d);
	}
	bytes_release(&pages);
}

static void write_segment(const struct fixture *f, size_t buffer, unsigned int cpu)
{
	char *path = segment_path(f, buffer, cpu);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(tfs_write_all(fd, f->data[cpu].sb.s, f->data[cpu].sb.len), 0);
	assert_int_equal(tfs_write_all(fd, f->data[cpu].sb.s, CUT), 0);
	close(fd);
	free(path);
}

static void begin(struct fixture *f, enum tfs_codec_id codec)
{
	memset(f, 0, sizeof(*f));
	f->spec = (struct dat_spec){ .cpus = CPUS, .pages = PAGES, .codec = codec };
	snprintf(f->dir, sizeof(f->dir), "/tmp/tc-recover-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/x.dat", f->dir);
	assert_int_equal(tfs_codec_new(codec, 0, &f->codec, NULL), 0);
	head(f);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		make_data(f, cpu);
		for (size_t b = 0; b < 2; b++)
			write_segment(f, b, cpu);
	}
}

static void end(struct fixture *f)
{
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		for (size_t b = 0; b < 2; b++) {
			char *path = segment_path(f, b, cpu);

			unlink(path);
			free(path);
		}
		bytes_release(&f->data[cpu]);
	}
	tfs_codec_free(f->codec);
	unlink(f->path);
	assert_int_equal(rmdir(f->dir), 0);
}

/* Complete, without segments, and with every event of both buffers, in order */
static void check(const struct fixture *f)
{
	const struct tfs_merge_opts opts = { 0 };
	struct tfs_merge *merge;
	struct tfs_record rec;
	struct tfs_dat *dat;
	size_t n = 0;
	uint64_t last = 0;

	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		for (size_t b = 0; b < 2; b++) {
			char *path = segment_path(f, b, cpu);

			assert_int_not_equal(access(path, F_OK), 0);
			free(path);
		}
	}
	assert_int_equal(tfs_dat_open(f->path, &dat, NULL), 0);
	assert_null(tfs_dat_damage(dat));
	assert_int_equal(tfs_dat_n_buffers(dat), 2);
	assert_string_equal(tfs_dat_buffer(dat, 1)->name, "net");
	assert_string_equal(tfs_dat_buffer(dat, 1)->clock, "mono");
	assert_int_equal(tfs_merge_new(dat, &opts, &merge, NULL), 0);
	while (tfs_merge_next(merge, &rec, NULL) > 0) {
		assert_true(rec.ts >= last);
		last = rec.ts;
		n++;
	}
	assert_null(tfs_dat_damage(dat));
	assert_int_equal(n, 2 * CPUS * PAGES * EVENTS);
	assert_int_equal(last, dat_sample_ts(0, CPUS - 1, PAGES * EVENTS - 1));
	tfs_merge_free(merge);
	tfs_dat_free(dat);
}

static void recover(const struct fixture *f, const char *boot)
{
	const struct tfs_recover_opts opts = {
		.boot = boot,
		.cmdlines = "77 a task\n",
		.kallsyms = "ffffffff81000000 T a_function\n",
	};
	struct tfs_recovered found;

	assert_int_equal(tfs_dat_recover(f->path, &opts, &found, NULL), 0);
	assert_int_equal(found.cpus, 2 * CPUS);
	check(f);
	assert_int_equal(tfs_dat_recover(f->path, &opts, &found, NULL), -EALREADY);
}

static bool has_function(const struct fixture *f)
{
	struct tfs_blob blob;
	struct tfs_dat *dat;
	bool found;

	assert_int_equal(tfs_dat_open(f->path, &dat, NULL), 0);
	tfs_dat_blob(dat, TFS_DAT_BLOB_KALLSYMS, &blob);
	found = blob.size && strstr(blob.data, "ffffffff81000000 T a_function\n");
	tfs_dat_free(dat);
	return found;
}

static void cmdlines_are(const struct fixture *f, const char *want)
{
	struct tfs_blob blob;
	struct tfs_dat *dat;

	assert_int_equal(tfs_dat_open(f->path, &dat, NULL), 0);
	tfs_dat_blob(dat, TFS_DAT_BLOB_CMDLINES, &blob);
	if (want)
		assert_string_equal(blob.data, want);
	else
		assert_true(!blob.size || !strstr(blob.data, "a task"));
	tfs_dat_free(dat);
}

static void complete_data_is_joined(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, tfs_codec_default());
	recover(&f, "this boot");
	cmdlines_are(&f, "77 a task\n");
	end(&f);
	begin(&f, TFS_CODEC_NONE);
	recover(&f, "another boot");
	cmdlines_are(&f, NULL);
	end(&f);
}

static void symbols_are_added_that_the_recorder_would_have_added(void **state)
{
	static const struct {
		const char *boot;
		uint32_t flags;
		bool added;
	} rows[] = {
		{ "this boot", TFS_DAT_SEGMENTS_SYMBOLS, true },
		{ "this boot", 0, false },
		{ "another boot", TFS_DAT_SEGMENTS_SYMBOLS, false },
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin(&f, tfs_codec_default());
		f.flags = rows[i].flags;
		head(&f);
		recover(&f, rows[i].boot);
		assert_int_equal(has_function(&f), rows[i].added);
		end(&f);
	}
}

/* Who may read the file need not know what the process that completes it may. */
static void nothing_is_added_to_another_users_file(void **state)
{
	struct fixture f;

	(void)state;
	if (geteuid())
		skip_because("not root");
	begin(&f, tfs_codec_default());
	f.flags = TFS_DAT_SEGMENTS_SYMBOLS;
	head(&f);
	assert_int_equal(chown(f.path, 65534, 65534), 0);
	recover(&f, "this boot");
	assert_false(has_function(&f));
	cmdlines_are(&f, NULL);
	end(&f);
}

static void a_file_that_is_being_recorded_is_left_alone(void **state)
{
	const struct tfs_recover_opts opts = { 0 };
	struct tfs_recovered found;
	struct fixture f;
	int fd;

	(void)state;
	begin(&f, TFS_CODEC_NONE);
	fd = open(f.path, O_RDONLY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(tfs_dat_recover(f.path, &opts, &found, NULL), -EBUSY);
	close(fd);
	recover(&f, NULL);
	end(&f);
}

/*
 * The recorder joined the data itself and was killed at some byte of the trace file: it wrote
 * nothing after that byte, and gave back only the data of segments that go before it.
 */
static void join_until(const struct fixture *f, uint64_t end)
{
	struct tfs_dat_resume_point place;
	struct tfs_dat_writer *w;
	struct tfs_dat *dat;
	char *segments[2][CPUS];
	uint64_t head_end;
	struct stat st;
	int fd;

	fd = open(f->path, O_RDWR);
	assert_int_equal(fstat(fd, &st), 0);
	head_end = (uint64_t)st.st_size;
	place = (struct tfs_dat_resume_point){ .link = head_end - 8, .end = head_end };
	assert_int_equal(tfs_dat_writer_resume(fd, f->codec, &place, &w, NULL), 0);
	for (size_t b = 0; b < 2; b++) {
		struct tfs_dat_writer_cpu cpus[CPUS] = { 0 };

		for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
			segments[b][cpu] = segment_path(f, b, cpu);
			cpus[cpu].cpu = cpu;
			cpus[cpu].fd = open(segments[b][cpu], O_RDONLY);
			cpus[cpu].bytes = f->data[cpu].sb.len;
			cpus[cpu].chunks = f->chunks;
		}
		assert_int_equal(tfs_dat_writer_buffer(w, names[b], b ? "mono" : "local", PAGE_SIZE,
						       cpus, CPUS),
				 0);
	}
	assert_int_equal(tfs_dat_writer_finish(w, NULL), 0);
	tfs_dat_writer_free(w);
	assert_int_equal(tfs_dat_open(f->path, &dat, NULL), 0);
	for (size_t b = 0; b < 2; b++) {
		for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
			const struct tfs_dat_cpu *c = &tfs_dat_buffer(dat, b)->cpus[cpu];
			uint64_t done = end > c->offset + 4 ? end - c->offset - 4 : 0;
			int segment = open(segments[b][cpu], O_RDWR);

			done = done / (1 << 20) * (1 << 20);
			if (done && fallocate(segment, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					      0, (off_t)done))
				skip_because("the file system takes no holes");
			close(segment);
			free(segments[b][cpu]);
		}
	}
	assert_int_equal(fstat(fd, &st), 0);
	if (end < (uint64_t)st.st_size)
		assert_int_equal(ftruncate(fd, (off_t)end), 0);
	tfs_dat_free(dat);
	close(fd);
}

static void a_recorder_killed_while_joining_is_taken_over_from(void **state)
{
	static const unsigned int percent[] = { 1, 10, 30, 50, 77, 100 };
	enum tfs_codec_id codecs[] = { TFS_CODEC_NONE, tfs_codec_default() };
	struct fixture f;

	(void)state;
	for (size_t c = 0; c < 2; c++) {
		for (size_t i = 0; i < ARRAY_SIZE(percent); i++) {
			uint64_t all;

			begin(&f, codecs[c]);
			all = 2 * (f.data[0].sb.len + f.data[1].sb.len);
			/* The descriptions are in the first thousands of bytes. */
			join_until(&f, 20000 + all * percent[i] / 100);
			recover(&f, NULL);
			end(&f);
		}
	}
}

static void without_segments_there_is_nothing_to_recover(void **state)
{
	const struct tfs_recover_opts opts = { 0 };
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_recovered found;
	struct fixture f;

	(void)state;
	begin(&f, TFS_CODEC_NONE);
	for (size_t b = 0; b < 2; b++) {
		for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
			char *path = segment_path(&f, b, cpu);

			assert_int_equal(unlink(path), 0);
			free(path);
		}
	}
	assert_int_equal(tfs_dat_recover(f.path, &opts, &found, &err), -ENODATA);
	assert_int_equal(truncate(f.path, 100), 0);
	assert_int_equal(tfs_dat_recover(f.path, &opts, &found, &err), -EBADMSG);
	end(&f);
	assert_int_equal(tfs_dat_recover("/nonexistent/x.dat", &opts, &found, &err), -ENOENT);
}

/* Sub-buffers, as trace-cmd's listener stores them whatever the file's compression is */
static void store_raw(const struct fixture *f, unsigned int cpu)
{
	char *path = segment_path(f, 0, cpu);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	struct bytes pages;

	bytes_init(&pages, false);
	dat_sample_pages(&f->spec, 0, cpu, &pages);
	/* Events before the first were lost; the kernel's flag is negative. */
	memset(pages.sb.s + 12, 0xff, 4);
	pages.sb.s[11] |= (char)0x80;
	assert_int_equal(tfs_write_all(fd, pages.sb.s, pages.sb.len), 0);
	assert_int_equal(tfs_write_all(fd, pages.sb.s, CUT), 0);
	bytes_release(&pages);
	close(fd);
	free(path);
}

static void the_files_of_a_killed_listener_are_joined(void **state)
{
	static const bool raw[] = { false, true };
	enum tfs_codec_id codecs[] = { TFS_CODEC_NONE, tfs_codec_default() };
	const struct tfs_recover_opts opts = { 0 };
	const struct tfs_merge_opts all = { 0 };
	struct tfs_recovered found;
	struct tfs_merge *merge;
	struct tfs_record rec;
	struct tfs_dat *dat;
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		size_t n = 0;

		begin(&f, codecs[i / 2]);
		f.received = true;
		head(&f);
		for (unsigned int cpu = 0; cpu < CPUS && raw[i % 2]; cpu++)
			store_raw(&f, cpu);
		assert_int_equal(tfs_dat_recover(f.path, &opts, &found, NULL), 0);
		assert_int_equal(found.cpus, CPUS);
		assert_int_equal(tfs_dat_open(f.path, &dat, NULL), 0);
		assert_null(tfs_dat_damage(dat));
		assert_int_equal(tfs_dat_n_buffers(dat), 1);
		assert_int_equal(tfs_merge_new(dat, &all, &merge, NULL), 0);
		while (tfs_merge_next(merge, &rec, NULL) > 0)
			n++;
		assert_int_equal(n, CPUS * PAGES * EVENTS);
		tfs_merge_free(merge);
		tfs_dat_free(dat);
		assert_int_equal(tfs_dat_recover(f.path, &opts, &found, NULL), -EALREADY);
		end(&f);
	}
}

/* Neither is data, and the file is not complete without them. */
static void only_regular_files_are_data(void **state)
{
	const struct tfs_recover_opts opts = { 0 };
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_recovered found;
	struct stat st;
	struct fixture f;
	char *path;

	(void)state;
	for (int i = 0; i < 4; i++) {
		begin(&f, TFS_CODEC_NONE);
		f.received = i / 2;
		head(&f);
		path = segment_path(&f, 0, 0);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(i % 2 ? mkfifo(path, 0600) : mkdir(path, 0700), 0);
		assert_int_equal(tfs_dat_recover(f.path, &opts, &found, &err), -EINVAL);
		assert_non_null(strstr(err.msg, path));
		assert_int_equal(lstat(path, &st), 0);
		assert_true(i % 2 ? S_ISFIFO(st.st_mode) : S_ISDIR(st.st_mode));
		assert_int_equal(i % 2 ? unlink(path) : rmdir(path), 0);
		free(path);
		end(&f);
	}
}

/* Groups begin at multiples of 64 KiB; the first was dropped, as by -m. */
static void gaps_are_stepped_over(void **state)
{
	struct fixture f;
	struct tfs_segment segment;
	struct tfs_dat_segments segments;
	struct tfs_dat_writer_extent *v;
	struct tfs_dat *dat;
	uint64_t half;
	uint32_t chunks;
	char *path;
	size_t n;
	int fd;

	(void)state;
	begin(&f, tfs_codec_default());
	path = segment_path(&f, 0, 0);
	half = f.data[0].sb.len;
	fd = open(path, O_RDWR | O_TRUNC);
	assert_int_equal(pwrite(fd, f.data[0].sb.s, half, 5 * TFS_SEGMENT_GROUP_ALIGN), half);
	assert_int_equal(pwrite(fd, f.data[0].sb.s, half, 50 * TFS_SEGMENT_GROUP_ALIGN), half);
	close(fd);
	assert_int_equal(tfs_dat_open(f.path, &dat, NULL), 0);
	assert_int_equal(tfs_dat_segments_read(dat, &segments, NULL), 0);
	assert_int_equal(tfs_segment_open(&segment, dat, &segments, 0, NULL), 1);
	assert_int_equal(tfs_segment_extents(&segment, &v, &n, &chunks), 0);
	assert_int_equal(n, 2);
	assert_int_equal(v[0].off, 5 * TFS_SEGMENT_GROUP_ALIGN);
	assert_int_equal(v[0].bytes, half);
	assert_int_equal(v[1].off, 50 * TFS_SEGMENT_GROUP_ALIGN);
	assert_int_equal(v[1].bytes, half);
	assert_int_equal(chunks, 2 * f.chunks);
	free(v);
	tfs_segment_release(&segment);
	tfs_dat_segments_release(&segments);
	tfs_dat_free(dat);
	free(path);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_data_is_joined),
		cmocka_unit_test(symbols_are_added_that_the_recorder_would_have_added),
		cmocka_unit_test(nothing_is_added_to_another_users_file),
		cmocka_unit_test(a_file_that_is_being_recorded_is_left_alone),
		cmocka_unit_test(a_recorder_killed_while_joining_is_taken_over_from),
		cmocka_unit_test(without_segments_there_is_nothing_to_recover),
		cmocka_unit_test(the_files_of_a_killed_listener_are_joined),
		cmocka_unit_test(only_regular_files_are_data),
		cmocka_unit_test(gaps_are_stepped_over),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
