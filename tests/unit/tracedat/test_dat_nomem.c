/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory runs out at each allocation in turn: an error, no leak, nothing half-done in use. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "lib/alloc_fail.h"
#include "lib/dat_build.h"
#include "tracedat/chunks.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-write.h"
#include "tracedat/merge.h"

/* More than any of these need; reaching it means that a loop does not end. */
#define MAX_ALLOCATIONS 5000

static int read_everything(int fd, uint64_t *records)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_merge *m = NULL;
	struct tfs_record rec, ahead;
	struct tfs_dat *dat = NULL;
	size_t i;
	int rc;

	*records = 0;
	rc = tfs_dat_open_fd(fd, "x.dat", &dat, &err);
	if (rc)
		goto out;
	for (i = 0; !rc && i < tfs_dat_n_buffers(dat); i++)
		rc = tfs_dat_text(dat, i, &sb, &err);
	if (!rc)
		rc = tfs_merge_new(dat, NULL, &m, &err);
	while (!rc) {
		rc = tfs_merge_next(m, &rec, &err);
		if (rc <= 0)
			break;
		++*records;
		rc = tfs_merge_peek(m, &ahead, &err);
		rc = rc < 0 ? rc : 0;
	}
	if (!rc)
		assert_null(tfs_dat_damage(dat));
out:
	if (rc)
		assert_true(err.msg[0]);
	tfs_merge_free(m);
	tfs_dat_free(dat);
	tfs_strbuf_release(&sb);
	return rc;
}

static void check_reading(const struct dat_spec *spec, const struct bytes *b, uint64_t expected)
{
	uint64_t records;
	size_t n;
	int rc, fd;

	(void)spec;
	for (n = 0; n < MAX_ALLOCATIONS; n++) {
		fd = bytes_to_fd(b->sb.s, b->sb.len);
		alloc_fail_at(n);
		rc = read_everything(fd, &records);
		if (!alloc_fail_off())
			break;
		assert_int_equal(rc, -ENOMEM);
	}
	assert_true(n > 10 && n < MAX_ALLOCATIONS);
	assert_int_equal(rc, 0);
	assert_int_equal(records, expected);
}

static void reading_without_memory_fails_cleanly(void **state)
{
	static const char *const names[] = { "", "foo", NULL };
	static const struct dat_spec specs[] = {
		{ .version = 6, .names = names },
		{ .names = names, .pages = 40, .page_size = 4096 },
		{ .codec = TFS_CODEC_ZLIB, .pages = 5, .chunk_pages = 2, .cpus = 10 },
		{ .codec = TFS_CODEC_ZLIB, .latency = true },
		{ .version = 6, .latency = true },
	};
	static const uint64_t expected[] = { 32, 640, 200, 0, 0 };
	struct bytes b;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		dat_sample(&specs[i], &b);
		check_reading(&specs[i], &b, expected[i]);
		bytes_release(&b);
	}
}

/* A guest's file: its time correction needs memory of its own. */
static void guest_times_without_memory_fail_cleanly(void **state)
{
	struct dat_spec spec = { .cpus = 1 };
	struct dat_cpu cpu = { .cpu = 0 };
	struct dat_builder d;
	struct bytes o, pages;
	unsigned int i;

	(void)state;
	bytes_init(&pages, false);
	dat_sample_pages(&spec, 0, 0, &pages);
	cpu.pages = &pages;
	bytes_init(&o, false);
	bytes_u64(&o, 1);
	bytes_u32(&o, 0);
	bytes_u32(&o, 2);
	for (i = 0; i < 2; i++) {
		bytes_u32(&o, 1);
		bytes_u64(&o, 5);
		bytes_u64(&o, 7);
		bytes_u64(&o, 1);
	}
	dat_begin(&d, &spec);
	dat_metadata(&d);
	dat_option(&d, TFS_DAT_TIME_SHIFT, o.sb.s, o.sb.len);
	dat_buffer(&d, "", &cpu, 1);
	dat_options_end(&d);
	check_reading(&spec, &d.b, 8);
	bytes_release(&o);
	bytes_release(&pages);
	dat_release(&d);
}

/* Without a chain of options everything is looked for. */
static uint64_t salvaged(const struct bytes *b, int *rc)
{
	struct tfs_record rec;
	struct tfs_dat *dat;
	struct tfs_merge *m;
	uint64_t n = 0;

	*rc = tfs_dat_open_fd(bytes_to_fd(b->sb.s, b->sb.len), "x.dat", &dat, NULL);
	if (*rc)
		return 0;
	*rc = tfs_merge_new(dat, NULL, &m, NULL);
	if (!*rc) {
		while (tfs_merge_next(m, &rec, NULL) > 0)
			n++;
		tfs_merge_free(m);
	}
	tfs_dat_free(dat);
	return n;
}

static void salvaging_without_memory_fails_cleanly(void **state)
{
	static const enum tfs_codec_id codecs[] = { TFS_CODEC_NONE, TFS_CODEC_ZLIB };
	struct bytes b;
	uint64_t records = 0;
	size_t i, n;
	bool hit;
	int rc = 0;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct dat_spec spec = { .codec = codecs[i], .cpus = 12 };

		dat_sample(&spec, &b);
		b.sb.len -= 20;
		for (n = 0, hit = true; hit && n < MAX_ALLOCATIONS; n++) {
			alloc_fail_at(n);
			records = salvaged(&b, &rc);
			hit = alloc_fail_off();
			assert_true(!hit || rc == -ENOMEM || records <= 12 * 8);
		}
		assert_false(hit);
		assert_int_equal(rc, 0);
		assert_int_equal(records, 12 * 8);
		bytes_release(&b);
	}
}

static int write_everything(int fd, int data, enum tfs_codec_id id)
{
	struct tfs_dat_writer_cpu cpu = { .cpu = 0, .fd = data };
	struct tfs_dat_writer *w = NULL;
	struct tfs_chunks *chunks = NULL;
	struct tfs_codec *codec = NULL;
	int rc = tfs_codec_new(id, 0, &codec, NULL);

	if (!rc)
		rc = tfs_chunks_new(data, codec, 512, &chunks);
	if (!rc) {
		memset(tfs_chunks_room(chunks), 0, 512);
		rc = tfs_chunks_commit(chunks);
	}
	if (!rc)
		rc = tfs_chunks_flush(chunks);
	if (!rc)
		rc = tfs_dat_writer_new(fd, codec, 512, &w, NULL);
	if (!rc)
		rc = tfs_dat_writer_section(w, TFS_DAT_KALLSYMS, "\1\0\0\0x", 5, NULL);
	if (!rc)
		rc = tfs_dat_writer_option(w, TFS_DAT_UNAME, "Linux", 6);
	if (!rc)
		rc = tfs_dat_writer_head(w, NULL);
	if (!rc) {
		cpu.bytes = tfs_chunks_bytes(chunks);
		cpu.chunks = tfs_chunks_count(chunks);
		rc = tfs_dat_writer_buffer(w, "", "local", 512, &cpu, 1);
	}
	if (!rc)
		rc = tfs_dat_writer_buffer(w, "a long name for a buffer", "local", 512, NULL, 0);
	if (!rc)
		rc = tfs_dat_writer_finish(w, NULL);
	tfs_dat_writer_free(w);
	tfs_chunks_free(chunks);
	tfs_codec_free(codec);
	return rc;
}

static void writing_without_memory_fails_cleanly(void **state)
{
	static const enum tfs_codec_id codecs[] = { TFS_CODEC_NONE, TFS_CODEC_ZLIB };
	size_t i, n;
	int fd, data, rc;
	bool hit;

	(void)state;
	for (i = 0; i < 2; i++) {
		for (n = 0, hit = true; hit && n < MAX_ALLOCATIONS; n++) {
			fd = bytes_to_fd("", 0);
			data = bytes_to_fd("", 0);
			alloc_fail_at(n);
			rc = write_everything(fd, data, codecs[i]);
			hit = alloc_fail_off();
			assert_int_equal(rc, hit ? -ENOMEM : 0);
			tfs_close(&fd);
			tfs_close(&data);
		}
		assert_true(n > 5);
		assert_false(hit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading_without_memory_fails_cleanly),
		cmocka_unit_test(guest_times_without_memory_fail_cleanly),
		cmocka_unit_test(salvaging_without_memory_fails_cleanly),
		cmocka_unit_test(writing_without_memory_fails_cleanly),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
