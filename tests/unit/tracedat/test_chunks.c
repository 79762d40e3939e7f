/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "lib/skip.h"
#include "tracedat/chunks.h"
#include "tracedat/compress.h"
#include "tracedat/dat-format.h"

#define PAGE 4096

struct fixture {
	struct tfs_codec *codec;
	struct tfs_chunks *chunks;
	int fd;
};

static void begin(struct fixture *f, enum tfs_codec_id id)
{
	f->fd = memfd_create("cpu0", MFD_CLOEXEC);
	assert_true(f->fd >= 0);
	assert_int_equal(tfs_codec_new(id, 0, &f->codec, NULL), 0);
	assert_int_equal(tfs_chunks_new(f->fd, f->codec, PAGE, &f->chunks), 0);
}

static void end(struct fixture *f)
{
	tfs_chunks_free(f->chunks);
	tfs_codec_free(f->codec);
	tfs_close(&f->fd);
}

static void fill(void *page, unsigned int n)
{
	memset(page, 'a' + (int)(n % 26), PAGE);
	memcpy(page, &n, sizeof(n));
}

static void commit_pages(struct fixture *f, unsigned int first, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		fill(tfs_chunks_room(f->chunks), first + i);
		assert_int_equal(tfs_chunks_commit(f->chunks), 0);
	}
}

/* Reads back the chunk at @off: pages @first, @first + 1, ... Return: the next chunk's offset. */
static off_t check_chunk(struct fixture *f, off_t off, unsigned int first, unsigned int n)
{
	unsigned char *packed, *pages = malloc((size_t)n * PAGE), expected[PAGE];
	uint32_t head[2];
	unsigned int i;

	assert_non_null(pages);
	assert_int_equal(tfs_pread_all(f->fd, head, sizeof(head), off), 0);
	assert_int_equal(head[1], n * PAGE);
	packed = malloc(head[0]);
	assert_non_null(packed);
	assert_int_equal(tfs_pread_all(f->fd, packed, head[0], off + 8), 0);
	assert_int_equal(tfs_codec_expand(f->codec, packed, head[0], pages, head[1]), 0);
	for (i = 0; i < n; i++) {
		fill(expected, first + i);
		assert_memory_equal(pages + (size_t)i * PAGE, expected, PAGE);
	}
	free(packed);
	free(pages);
	return off + 8 + head[0];
}

static void t2_ten_sub_buffers_make_a_chunk(void **state)
{
	struct fixture f;
	off_t off;

	(void)state;
	begin(&f, TFS_CODEC_ZLIB);
	commit_pages(&f, 0, 9);
	assert_int_equal(tfs_chunks_bytes(f.chunks), 0);
	assert_int_equal(tfs_chunks_raw_bytes(f.chunks), 9 * PAGE);
	commit_pages(&f, 9, 14);
	assert_int_equal(tfs_chunks_count(f.chunks), 2);
	assert_int_equal(tfs_chunks_flush(f.chunks), 0);
	assert_int_equal(tfs_chunks_flush(f.chunks), 0); /* nothing is left */
	assert_int_equal(tfs_chunks_count(f.chunks), 3);
	assert_int_equal(tfs_chunks_raw_bytes(f.chunks), 23 * PAGE);
	off = check_chunk(&f, 0, 0, 10);
	off = check_chunk(&f, off, 10, 10);
	off = check_chunk(&f, off, 20, 3);
	assert_int_equal(off, tfs_chunks_bytes(f.chunks));
	assert_int_equal(lseek(f.fd, 0, SEEK_END), off);
	end(&f);
}

static void without_compression_pages_are_written_as_they_are(void **state)
{
	unsigned char got[PAGE], expected[PAGE];
	struct fixture f;
	unsigned int i;

	(void)state;
	begin(&f, TFS_CODEC_NONE);
	commit_pages(&f, 0, 12);
	assert_int_equal(tfs_chunks_flush(f.chunks), 0);
	assert_int_equal(tfs_chunks_bytes(f.chunks), 12 * PAGE);
	assert_int_equal(tfs_chunks_raw_bytes(f.chunks), 12 * PAGE);
	assert_int_equal(tfs_chunks_count(f.chunks), 0);
	for (i = 0; i < 12; i++) {
		fill(expected, i);
		assert_int_equal(tfs_pread_all(f.fd, got, PAGE, (off_t)i * PAGE), 0);
		assert_memory_equal(got, expected, PAGE);
	}
	end(&f);
}

static void spliced_bytes_count(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, TFS_CODEC_NONE);
	tfs_chunks_spliced(f.chunks, 3 * PAGE);
	assert_int_equal(tfs_chunks_bytes(f.chunks), 3 * PAGE);
	assert_int_equal(tfs_chunks_raw_bytes(f.chunks), 3 * PAGE);
	end(&f);
}

static void room_asked_for_again_is_the_same(void **state)
{
	struct fixture f;
	void *room;

	(void)state;
	begin(&f, TFS_CODEC_ZLIB);
	room = tfs_chunks_room(f.chunks);
	assert_ptr_equal(tfs_chunks_room(f.chunks), room);
	commit_pages(&f, 0, 1);
	assert_ptr_equal(tfs_chunks_room(f.chunks), (char *)room + PAGE);
	end(&f);
}

/* /dev/full refuses every byte. */
static void failed_write_is_remembered_and_not_counted(void **state)
{
	struct fixture f;
	unsigned int i;

	(void)state;
	begin(&f, TFS_CODEC_ZLIB);
	tfs_close(&f.fd);
	tfs_chunks_free(f.chunks);
	f.fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	if (f.fd < 0) {
		tfs_codec_free(f.codec);
		skip_because("no /dev/full");
	}
	assert_int_equal(tfs_chunks_new(f.fd, f.codec, PAGE, &f.chunks), 0);
	for (i = 0; i < TFS_DAT_CHUNK_PAGES; i++) {
		fill(tfs_chunks_room(f.chunks), i);
		assert_int_equal(tfs_chunks_commit(f.chunks),
				 i + 1 < TFS_DAT_CHUNK_PAGES ? 0 : -ENOSPC);
	}
	assert_int_equal(tfs_chunks_bytes(f.chunks), 0);
	assert_int_equal(tfs_chunks_raw_bytes(f.chunks), 0);
	assert_int_equal(tfs_chunks_count(f.chunks), 0);
	fill(tfs_chunks_room(f.chunks), 0);
	assert_int_equal(tfs_chunks_commit(f.chunks), -ENOSPC);
	assert_int_equal(tfs_chunks_flush(f.chunks), -ENOSPC);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t2_ten_sub_buffers_make_a_chunk),
		cmocka_unit_test(without_compression_pages_are_written_as_they_are),
		cmocka_unit_test(spliced_bytes_count),
		cmocka_unit_test(room_asked_for_again_is_the_same),
		cmocka_unit_test(failed_write_is_remembered_and_not_counted),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
