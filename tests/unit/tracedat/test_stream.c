/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#include "base/macros.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/blocks.h"
#include "tracedat/dat-read.h"
#include "tracedat/stream.h"

static struct tfs_dat *open_sample(const struct dat_spec *spec, int *fd)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_dat *dat;
	struct bytes b;
	int own;

	dat_sample(spec, &b);
	own = bytes_to_fd(b.sb.s, b.sb.len);
	if (fd)
		*fd = own;
	if (tfs_dat_open_fd(own, "x.dat", &dat, &err))
		fail_msg("%s", err.msg);
	bytes_release(&b);
	return dat;
}

static void sub_buffers_come_in_file_order(void **state)
{
	static const struct dat_spec specs[] = {
		{ .pages = 23, .page_size = 4096 },
		{ .pages = 23, .page_size = 4096, .codec = TFS_CODEC_ZLIB, .chunk_pages = 10 },
		{ .pages = 3, .page_size = 131072 }, /* larger than a block of raw data */
		{ .pages = 23, .page_size = 4096, .version = 6 },
	};
	struct tfs_stream *s;
	struct tfs_dat *dat;
	struct bytes expected;
	const void *page;
	unsigned int i, cpu, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		dat = open_sample(&specs[i], NULL);
		for (cpu = 0; cpu < 2; cpu++) {
			bytes_init(&expected, false);
			dat_sample_pages(&specs[i], 0, cpu, &expected);
			assert_int_equal(tfs_stream_new(dat, 0, cpu, &s, NULL), 0);
			for (n = 0; n < specs[i].pages; n++) {
				assert_int_equal(tfs_stream_next(s, &page, NULL), 1);
				assert_memory_equal(page,
						    expected.sb.s + (size_t)n * specs[i].page_size,
						    specs[i].page_size);
			}
			assert_int_equal(tfs_stream_next(s, &page, NULL), 0);
			assert_int_equal(tfs_stream_next(s, &page, NULL), 0);
			tfs_stream_free(s);
			bytes_release(&expected);
		}
		tfs_dat_free(dat);
	}
}

static void offset_is_that_of_the_page_or_of_its_chunk(void **state)
{
	struct dat_spec spec = { .pages = 5 };
	struct tfs_stream *s;
	struct tfs_dat *dat;
	const void *page;
	uint64_t start, last = 0;
	unsigned int n;

	(void)state;
	dat = open_sample(&spec, NULL);
	start = tfs_dat_buffer(dat, 0)->cpus[1].offset;
	assert_int_equal(tfs_stream_new(dat, 0, 1, &s, NULL), 0);
	for (n = 0; n < 5; n++) {
		assert_int_equal(tfs_stream_next(s, &page, NULL), 1);
		assert_int_equal(tfs_stream_offset(s), start + 512ull * n);
	}
	tfs_stream_free(s);
	tfs_dat_free(dat);

	spec.codec = TFS_CODEC_ZLIB;
	spec.chunk_pages = 2;
	dat = open_sample(&spec, NULL);
	start = tfs_dat_buffer(dat, 0)->cpus[1].offset;
	assert_int_equal(tfs_stream_new(dat, 0, 1, &s, NULL), 0);
	for (n = 0; n < 5; n++) {
		assert_int_equal(tfs_stream_next(s, &page, NULL), 1);
		if (n == 0)
			assert_int_equal(tfs_stream_offset(s), start + 4); /* after the count */
		else if (n % 2)
			assert_int_equal(tfs_stream_offset(s), last);
		else
			assert_true(tfs_stream_offset(s) > last);
		last = tfs_stream_offset(s);
	}
	tfs_stream_free(s);
	tfs_dat_free(dat);
}

static void pages_stay_when_their_blocks_are_retired(void **state)
{
	static const struct dat_spec specs[] = {
		{ .pages = 100, .page_size = 4096 },
		{ .pages = 100, .page_size = 4096, .codec = TFS_CODEC_ZLIB, .chunk_pages = 1 },
	};
	struct tfs_blocks blocks = { 0 };
	struct tfs_stream *s;
	struct tfs_dat *dat;
	const void *held, *page;
	unsigned char *copy = malloc(4096);
	unsigned int i, n;
	size_t spare;

	(void)state;
	assert_non_null(copy);
	for (i = 0; i < 2; i++) {
		dat = open_sample(&specs[i], NULL);
		assert_int_equal(tfs_stream_new(dat, 0, 0, &s, NULL), 0);
		assert_int_equal(tfs_stream_next(s, &held, NULL), 1);
		memcpy(copy, held, 4096);
		tfs_stream_retire_to(s, &blocks);
		for (n = 1; n < 90; n++) {
			assert_int_equal(tfs_stream_next(s, &page, NULL), 1);
			assert_ptr_not_equal(page, held);
		}
		assert_memory_equal(held, copy, 4096);
		/* all but the one in use */
		assert_true(blocks.bytes >= 74 * 4096);
		tfs_blocks_done(&blocks);
		assert_int_equal(blocks.bytes, 0);
		/* Memory that is no longer used is used again before more is allocated. */
		spare = blocks.spare_bytes;
		assert_true(spare >= 4096 && spare <= 74 * 4096);
		for (; blocks.spare_bytes == spare && n < 99; n++)
			assert_int_equal(tfs_stream_next(s, &page, NULL), 1);
		assert_true(blocks.spare_bytes < spare);
		tfs_blocks_free(&blocks);
		assert_int_equal(blocks.spare_bytes, 0);
		tfs_stream_retire_to(s, NULL);
		for (; n < 100; n++)
			assert_int_equal(tfs_stream_next(s, &page, NULL), 1);
		assert_int_equal(tfs_stream_next(s, &page, NULL), 0);
		assert_int_equal(blocks.bytes, 0);
		tfs_stream_free(s);
		tfs_dat_free(dat);
	}
	free(copy);
}

static void several_streams_of_a_file_do_not_disturb_each_other(void **state)
{
	struct dat_spec spec = { .pages = 12, .codec = TFS_CODEC_ZLIB, .chunk_pages = 2 };
	struct tfs_stream *a, *b;
	struct tfs_dat *dat = open_sample(&spec, NULL);
	const void *x, *y;
	unsigned int n;

	(void)state;
	assert_int_equal(tfs_stream_new(dat, 0, 0, &a, NULL), 0);
	assert_int_equal(tfs_stream_new(dat, 0, 0, &b, NULL), 0);
	for (n = 0; n < 12; n++) {
		assert_int_equal(tfs_stream_next(a, &x, NULL), 1);
		assert_int_equal(tfs_stream_next(b, &y, NULL), 1);
		assert_memory_equal(x, y, 512);
	}
	tfs_stream_free(a);
	tfs_stream_free(b);
	tfs_stream_free(NULL);
	tfs_dat_free(dat);
}

/* Somebody truncates the file while it is read: an error, no signal. */
static void file_that_shrinks_while_it_is_read_gives_an_error(void **state)
{
	static const enum tfs_codec_id codecs[] = { TFS_CODEC_NONE, TFS_CODEC_ZLIB };
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_stream *s;
	struct tfs_dat *dat;
	const void *page;
	unsigned int i;
	int fd, rc;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct dat_spec spec = { .pages = 64, .page_size = 4096, .codec = codecs[i] };

		dat = open_sample(&spec, &fd);
		assert_int_equal(tfs_stream_new(dat, 0, 1, &s, NULL), 0);
		assert_int_equal(tfs_stream_next(s, &page, &err), 1);
		assert_int_equal(ftruncate(fd, 2000), 0);
		do {
			rc = tfs_stream_next(s, &page, &err);
		} while (rc > 0);
		assert_int_equal(rc, -EBADMSG);
		assert_non_null(strstr(err.msg, "CPU 1 of buffer ''"));
		assert_int_equal(tfs_stream_next(s, &page, &err), 0);
		tfs_stream_free(s);
		tfs_dat_free(dat);
	}
}

/* The last page of a chunk, or of raw data, may be shorter than the others. */
static void short_last_page_is_filled_up_with_zeros(void **state)
{
	static const enum tfs_codec_id codecs[] = { TFS_CODEC_NONE, TFS_CODEC_ZLIB };
	struct bytes pages;
	struct dat_cpu cpu = { .cpu = 0, .pages = &pages };
	struct tfs_stream *s;
	struct tfs_dat *dat;
	const unsigned char *p;
	const void *page;
	unsigned int i, k;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct dat_spec spec = { .codec = codecs[i], .cpus = 1 };
		struct dat_builder d;

		bytes_init(&pages, false);
		dat_sample_pages(&spec, 0, 0, &pages);
		pages.sb.len -= 400;
		dat_begin(&d, &spec);
		dat_metadata(&d);
		dat_buffer(&d, "", &cpu, 1);
		dat = dat_open_built(&d);
		assert_int_equal(tfs_stream_new(dat, 0, 0, &s, NULL), 0);
		assert_int_equal(tfs_stream_next(s, &page, NULL), 1);
		assert_int_equal(tfs_stream_next(s, &page, NULL), 1);
		p = page;
		assert_memory_equal(p, pages.sb.s + 512, 112);
		for (k = 112; k < 512; k++)
			assert_int_equal(p[k], 0);
		assert_int_equal((const unsigned char *)tfs_stream_limit(s) - p, 512);
		assert_int_equal((const unsigned char *)tfs_stream_end(s) - p, 112);
		assert_int_equal(tfs_stream_next(s, &page, NULL), 0);
		tfs_stream_free(s);
		tfs_dat_free(dat);
		bytes_release(&pages);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sub_buffers_come_in_file_order),
		cmocka_unit_test(offset_is_that_of_the_page_or_of_its_chunk),
		cmocka_unit_test(pages_stay_when_their_blocks_are_retired),
		cmocka_unit_test(several_streams_of_a_file_do_not_disturb_each_other),
		cmocka_unit_test(file_that_shrinks_while_it_is_read_gives_an_error),
		cmocka_unit_test(short_last_page_is_filled_up_with_zeros),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
