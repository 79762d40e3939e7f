/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedat/dat-segments.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "lib/dat_build.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"

static struct tfs_dat *file_with(bool big, const void *payload, size_t size)
{
	struct dat_spec spec = { .big = big };
	struct dat_builder d;
	struct tfs_dat *dat = NULL;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	if (payload)
		dat_option(&d, TFS_DAT_PRIVATE_SEGMENTS, payload, size);
	dat_options_end(&d);
	assert_int_equal(tfs_dat_open_fd(bytes_to_fd(d.b.sb.s, d.b.sb.len), "x.dat", &dat, NULL),
			 0);
	dat_release(&d);
	return dat;
}

static void files_are_named_after_buffer_and_cpu(void **state)
{
	char *path;

	(void)state;
	path = tfs_dat_segment_path("a/t.dat", "", 3);
	assert_string_equal(path, "a/t.dat.cpu3");
	free(path);
	path = tfs_dat_segment_path("a/t.dat", "net", 12);
	assert_string_equal(path, "a/t.dat.net.cpu12");
	free(path);
}

static void written_segments_are_read(void **state)
{
	const struct tfs_dat_segments_buffer main_buffer = { "", "local", 4096 };
	const struct tfs_dat_segments_buffer net = { "net", "mono", 16384 };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_dat_segments segments;
	struct tfs_dat *dat;

	(void)state;
	assert_int_equal(tfs_dat_segments_begin(&sb, TFS_DAT_SEGMENTS_CAPPED, "a boot"), 0);
	assert_int_equal(tfs_dat_segments_add(&sb, &main_buffer, 2), 0);
	assert_int_equal(tfs_dat_segments_add_cpu(&sb, 0), 0);
	assert_int_equal(tfs_dat_segments_add_cpu(&sb, 5), 0);
	assert_int_equal(tfs_dat_segments_add(&sb, &net, 1), 0);
	assert_int_equal(tfs_dat_segments_add_cpu(&sb, 1), 0);
	/* In host byte order both times, as the mark says. */
	for (int big = 0; big < 2; big++) {
		dat = file_with(big, sb.s, sb.len);
		assert_int_equal(tfs_dat_segments_read(dat, &segments, NULL), 0);
		assert_int_equal(segments.flags, TFS_DAT_SEGMENTS_CAPPED);
		assert_string_equal(segments.boot, "a boot");
		assert_int_equal(segments.n_buffers, 2);
		assert_string_equal(segments.buffers[0].name, "");
		assert_string_equal(segments.buffers[0].clock, "local");
		assert_string_equal(segments.buffers[1].name, "net");
		assert_int_equal(segments.buffers[1].page_size, 16384);
		assert_int_equal(segments.n, 3);
		assert_int_equal(segments.segments[1].buffer, 0);
		assert_int_equal(segments.segments[1].cpu, 5);
		assert_int_equal(segments.segments[2].buffer, 1);
		assert_int_equal(segments.segments[2].cpu, 1);
		tfs_dat_segments_release(&segments);
		tfs_dat_free(dat);
	}
	tfs_strbuf_release(&sb);
}

static void without_the_option_it_is_one_buffer_with_all_cpus(void **state)
{
	struct tfs_dat *dat = file_with(false, NULL, 0);
	struct tfs_dat_segments segments;

	(void)state;
	assert_int_equal(tfs_dat_segments_read(dat, &segments, NULL), 0);
	assert_int_equal(segments.n_buffers, 1);
	assert_string_equal(segments.buffers[0].name, "");
	assert_int_equal(segments.n, tfs_dat_info(dat)->cpus);
	tfs_dat_segments_release(&segments);
	tfs_dat_free(dat);
}

/* mark, flags, ""; "", "x", sub-buffers of 4096 bytes, one CPU: each with one thing wrong */
static void hostile_payloads_are_refused(void **state)
{
	static const unsigned char good[] = { 4, 3,  2, 1, 0, 0, 0, 0, 0, 0, 'x', 0,
					      0, 16, 0, 0, 1, 0, 0, 0, 7, 0, 0,   0 };
	static const struct {
		size_t at;
		unsigned char byte;
	} wrong[] = {
		{ 0, 9 },    /* no mark */
		{ 8, 1 },    /* strings shifted by one: then there is too little */
		{ 12, 1 },   /* sub-buffers of 4097 bytes */
		{ 16, 2 },   /* a CPU more than there are */
		{ 19, 255 }, /* 4 G of them */
		{ 22, 1 },   /* CPU 65543 */
	};
	unsigned char payload[sizeof(good)];
	struct tfs_dat_segments segments;
	struct tfs_dat *dat;

	(void)state;
	dat = file_with(false, good, sizeof(good));
	assert_int_equal(tfs_dat_segments_read(dat, &segments, NULL), 0);
	assert_int_equal(segments.segments[0].cpu, 7);
	tfs_dat_segments_release(&segments);
	tfs_dat_free(dat);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		memcpy(payload, good, sizeof(good));
		payload[wrong[i].at] = wrong[i].byte;
		dat = file_with(false, payload, sizeof(payload));
		assert_int_equal(tfs_dat_segments_read(dat, &segments, NULL), -EBADMSG);
		tfs_dat_segments_release(&segments);
		tfs_dat_free(dat);
	}
	for (size_t cut = 0; cut < sizeof(good); cut++) {
		/* No buffers are a list, too. */
		if (cut == 9)
			continue;
		dat = file_with(false, good, cut);
		assert_int_equal(tfs_dat_segments_read(dat, &segments, NULL), -EBADMSG);
		tfs_dat_segments_release(&segments);
		tfs_dat_free(dat);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_named_after_buffer_and_cpu),
		cmocka_unit_test(written_segments_are_read),
		cmocka_unit_test(without_the_option_it_is_one_buffer_with_all_cpus),
		cmocka_unit_test(hostile_payloads_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
