/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records go into sub-buffers and come out the same, read by tracedat/page.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "rewrite/dat-out.h"
#include "rewrite/image.h"
#include "rewrite/page-build.h"
#include "tracedat/dat-read.h"
#include "tracedat/page.h"
#include "tracedat/stream.h"

#define PAGE 512u

static unsigned char payload[PAGE];

/* A file of one CPU with @recs, opened again */
static struct tfs_dat *build(const struct tfs_record *recs, size_t n, bool big,
			     unsigned int long_size)
{
	const struct tfs_dat_buffer top = { .name = "", .clock = "local", .page_size = PAGE };
	const struct tfs_dat_form form = { .version = 7, .codec = TFS_CODEC_NONE };
	struct tfs_image image = { .big = big,
				   .long_size = long_size,
				   .cpus = 1,
				   .kernel_long_size = long_size,
				   .page_size = PAGE,
				   .page_data_offset = 8 + long_size };
	int fd = memfd_create("out", MFD_CLOEXEC);
	char page_format[256];
	struct tfs_page_build b;
	struct tfs_dat_out *out;
	struct tfs_dat *dat;

	snprintf(page_format, sizeof(page_format),
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		 "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
		 long_size, 8 + long_size, PAGE - 8 - long_size);
	for (size_t i = 0; i < TFS_DAT_N_BLOBS; i++)
		tfs_strbuf_init(&image.blob[i]);
	assert_int_equal(tfs_strbuf_adds(&image.blob[TFS_DAT_BLOB_HEADER_PAGE], page_format), 0);
	assert_int_equal(tfs_image_add_buffer(&image, &top), 0);
	assert_int_equal(tfs_dat_out_new(fd, &image, &form, &out, NULL), 0);
	assert_int_equal(tfs_dat_out_buffer(out, NULL), 0);
	assert_int_equal(tfs_page_build_init(&b, out, &image, 0, PAGE), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(tfs_page_build_add(&b, &recs[i], NULL), 0);
	assert_int_equal(tfs_page_build_flush(&b, NULL), 0);
	tfs_page_build_release(&b);
	assert_int_equal(tfs_dat_out_end(out, NULL), 0);
	tfs_dat_out_free(out);
	tfs_image_release(&image);
	assert_int_equal(tfs_dat_open_fd(fd, "built", &dat, NULL), 0);
	assert_null(tfs_dat_damage(dat));
	return dat;
}

/* Returns the number of sub-buffers. */
static unsigned int check(const struct tfs_record *recs, size_t n, bool big, unsigned int long_size)
{
	struct tfs_dat *dat = build(recs, n, big, long_size);
	unsigned int pages = 0;
	struct tfs_stream *s;
	struct tfs_record rec;
	struct tfs_page pg;
	const void *page;
	size_t i = 0;

	assert_int_equal(tfs_dat_info(dat)->kernel_long_size, long_size);
	assert_int_equal(tfs_stream_new(dat, 0, 0, &s, NULL), 0);
	while (tfs_stream_next(s, &page, NULL) > 0) {
		pages++;
		assert_int_equal(tfs_page_init(&pg, page, PAGE, long_size, 8 + long_size, big), 0);
		while (tfs_page_next(&pg, &rec) > 0) {
			assert_true(i < n);
			assert_int_equal(rec.ts, recs[i].ts);
			/* the words of an entry are counted, not its bytes */
			assert_int_equal(rec.size, recs[i].size);
			assert_memory_equal(rec.data, recs[i].data, rec.size);
			assert_int_equal(rec.lost, recs[i].lost);
			i++;
		}
	}
	assert_int_equal(i, n);
	tfs_stream_free(s);
	tfs_dat_free(dat);
	return pages;
}

static unsigned int check_all(const struct tfs_record *recs, size_t n)
{
	unsigned int pages = check(recs, n, false, 8);

	assert_int_equal(check(recs, n, true, 8), pages);
	check(recs, n, false, 4);
	check(recs, n, true, 4);
	return pages;
}

#define REC(stamp, len, gap)                                                 \
	{                                                                    \
		.ts = (stamp), .data = payload, .size = (len), .lost = (gap) \
	}

static void keeps_sizes_with_and_without_a_length(void **state)
{
	const struct tfs_record recs[] = {
		REC(10, 4, 0), REC(11, 112, 0), REC(11, 116, 0), REC(12, 13, 0), REC(15, 200, 0),
	};

	(void)state;
	check_all(recs, ARRAY_SIZE(recs));
}

static void keeps_stamps_that_are_far_apart(void **state)
{
	const struct tfs_record recs[] = {
		REC(5, 8, 0),
		REC(5 + (1u << 27) - 1, 8, 0),
		REC(5 + 2 * (1ull << 27), 8, 0),
		REC((1ull << 58) + 7, 8, 0),
		REC(UINT64_MAX - 1, 8, 0),
	};

	(void)state;
	/* the last distance is larger than an entry can say */
	assert_int_equal(check_all(recs, ARRAY_SIZE(recs)), 2);
}

static void time_that_goes_back_begins_a_sub_buffer(void **state)
{
	const struct tfs_record recs[] = { REC(1000, 8, 0), REC(999, 8, 0), REC(1001, 8, 0) };

	(void)state;
	assert_int_equal(check_all(recs, ARRAY_SIZE(recs)), 2);
}

static void a_loss_begins_a_sub_buffer(void **state)
{
	const struct tfs_record recs[] = {
		REC(1, 8, 7),
		REC(2, 8, 0),
		REC(3, 8, TFS_LOST_UNKNOWN),
		REC(4, 8, 123456),
	};

	(void)state;
	assert_int_equal(check_all(recs, ARRAY_SIZE(recs)), 3);
}

/* As many as fit; then the next sub-buffer, with room for a number of losses */
static void fills_sub_buffers(void **state)
{
	struct tfs_record recs[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(recs); i++)
		recs[i] = (struct tfs_record)REC(100 + i, 12, i == 0 || i == 100 ? 5 : 0);
	/* 496 bytes are 31 entries of 16; a number of losses leaves room for 30 */
	assert_int_equal(check(recs, ARRAY_SIZE(recs), false, 8), 4 + 4);
	check_all(recs, ARRAY_SIZE(recs));
}

static void refuses_a_record_that_is_larger_than_a_sub_buffer(void **state)
{
	struct tfs_image image = { .kernel_long_size = 8, .page_data_offset = 16 };
	struct tfs_record rec = REC(1, PAGE - 16 - 8, 0);
	struct tfs_page_build b;

	(void)state;
	assert_int_equal(tfs_page_build_init(&b, NULL, &image, 0, PAGE), 0);
	assert_int_equal(tfs_page_build_add(&b, &rec, NULL), 0);
	rec.size++;
	assert_int_equal(tfs_page_build_add(&b, &rec, NULL), -EMSGSIZE);
	tfs_page_build_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_sizes_with_and_without_a_length),
		cmocka_unit_test(keeps_stamps_that_are_far_apart),
		cmocka_unit_test(time_that_goes_back_begins_a_sub_buffer),
		cmocka_unit_test(a_loss_begins_a_sub_buffer),
		cmocka_unit_test(fills_sub_buffers),
		cmocka_unit_test(refuses_a_record_that_is_larger_than_a_sub_buffer),
	};

	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (unsigned char)(i * 7 + 1);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
