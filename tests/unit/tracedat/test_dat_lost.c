/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedat/dat-lost.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"

/* A file with @payload as its option of lost events; NULL for none. */
static struct tfs_dat *file_with(bool big, const void *payload, size_t size)
{
	struct dat_spec spec = { .big = big };
	struct dat_builder d;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	if (payload)
		dat_option(&d, TFS_DAT_PRIVATE_LOST, payload, size);
	return dat_open_built(&d);
}

static void finds_written_counts_by_cpu(void **state)
{
	const struct tfs_dat_lost one = { .cpu = 3, .events = 70, .overrun = 1ull << 40 };
	const struct tfs_dat_lost two = {
		.cpu = 5,
		.events = 8,
		.commit_overrun = 2,
		.dropped = 3,
		.unread = 4,
		.taken = 5,
		.signs = TFS_DAT_LOST_CLOCK,
	};
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_dat_lost got;
	struct tfs_dat *dat;

	(void)state;
	assert_int_equal(tfs_dat_lost_begin(&sb), 0);
	assert_int_equal(tfs_dat_lost_add(&sb, &one), 0);
	assert_int_equal(tfs_dat_lost_add(&sb, &two), 0);
	/* Host byte order both times here: the file may be of the other and says so by the mark. */
	for (int big = 0; big < 2; big++) {
		dat = file_with(big, sb.s, sb.len);
		assert_int_equal(tfs_dat_lost_find(dat, 0, 5, &got), 1);
		assert_memory_equal(&got, &two, sizeof(got));
		assert_int_equal(tfs_dat_lost_find(dat, 0, 3, &got), 1);
		assert_memory_equal(&got, &one, sizeof(got));
		assert_int_equal(tfs_dat_lost_find(dat, 0, 4, &got), 0);
		assert_int_equal(tfs_dat_lost_sum(&two), 2 + 3 + 4 + 5);
		/* No buffer has data of these CPUs. */
		assert_int_equal(tfs_dat_lost_all(dat).taken, 5);
		assert_int_equal(tfs_dat_lost_all(dat).signs, TFS_DAT_LOST_CLOCK);
		tfs_dat_free(dat);
	}
	tfs_strbuf_release(&sb);
}

static void a_file_without_the_option_says_nothing(void **state)
{
	struct tfs_dat *dat = file_with(false, NULL, 0);
	struct tfs_dat_lost got;

	(void)state;
	assert_int_equal(tfs_dat_lost_find(dat, 0, 0, &got), 0);
	tfs_dat_free(dat);
}

static void fields_added_later_are_stepped_over(void **state)
{
	unsigned char payload[8 + 2 * 72] = { 4, 3, 2, 1, 72 };
	struct tfs_dat_lost got;
	struct tfs_dat *dat;

	(void)state;
	payload[8] = 1;
	payload[8 + 64] = 99;
	payload[8 + 72] = 2;
	payload[8 + 72 + 16] = 7;
	payload[8 + 72 + 48] = 8;
	dat = file_with(false, payload, sizeof(payload));
	assert_int_equal(tfs_dat_lost_find(dat, 0, 2, &got), 1);
	assert_int_equal(got.overrun, 7);
	assert_int_equal(got.taken, 8);
	tfs_dat_free(dat);
}

static void an_older_file_says_nothing_of_others(void **state)
{
	unsigned char payload[8 + 2 * 48] = { 4, 3, 2, 1, 48 };
	struct tfs_dat_lost got;
	struct tfs_dat *dat;

	(void)state;
	payload[8 + 48] = 2;
	payload[8 + 48 + 40] = 7;
	memset(&got, 0xff, sizeof(got));
	dat = file_with(false, payload, sizeof(payload));
	assert_int_equal(tfs_dat_lost_find(dat, 0, 2, &got), 1);
	assert_int_equal(got.unread, 7);
	assert_int_equal(got.taken, 0);
	assert_int_equal(got.signs, 0);
	tfs_dat_free(dat);
}

static void deeds_of_others_have_words(void **state)
{
	const struct tfs_dat_lost of[] = {
		{ .cpu = 0, .taken = 1, .overrun = 9 },
		{ .cpu = 1, .signs = TFS_DAT_LOST_EMPTIED },
		{ .cpu = 1, .buffer = 1, .taken = 4, .signs = TFS_DAT_LOST_OFF },
	};
	struct tfs_dat_lost sum = { .taken = 0 };
	struct tfs_strvec lines = TFS_STRVEC_INIT;

	(void)state;
	assert_int_equal(tfs_dat_lost_say(&sum, &lines), 0);
	assert_int_equal(lines.n, 0);
	assert_int_equal(tfs_dat_lost_say(&of[0], &lines), 0);
	assert_int_equal(lines.n, 1);
	assert_non_null(strstr(lines.v[0], "read 1 event out of the ring buffer: it is missing"));
	for (size_t i = 0; i < 3; i++) {
		sum.taken += of[i].taken;
		sum.signs |= of[i].signs;
	}
	assert_int_equal(tfs_dat_lost_say(&sum, &lines), 0);
	assert_int_equal(lines.n, 4);
	assert_non_null(strstr(lines.v[1], "read 5 events"));
	assert_non_null(strstr(lines.v[2], "emptied"));
	assert_non_null(strstr(lines.v[3], "turned off"));
	tfs_strvec_release(&lines);
}

static void malformed_input_is_refused_at_every_length(void **state)
{
	/* Right mark and size, one entry: only lengths of none or one whole entry are sound. */
	unsigned char payload[8 + 48] = { 4, 3, 2, 1, 48 };
	static const unsigned char small[8] = { 4, 3, 2, 1, 47 };
	static const unsigned char marked[8] = { 4, 3, 3, 1, 48 };
	struct tfs_dat_lost got;
	struct tfs_dat *dat;

	(void)state;
	for (size_t n = 0; n <= sizeof(payload); n++) {
		dat = file_with(false, payload, n);
		assert_int_equal(tfs_dat_lost_find(dat, 0, 1, &got),
				 n == 8 || n == sizeof(payload) ? 0 : -EBADMSG);
		tfs_dat_free(dat);
	}
	dat = file_with(false, small, sizeof(small));
	assert_int_equal(tfs_dat_lost_find(dat, 0, 1, &got), -EBADMSG);
	tfs_dat_free(dat);
	dat = file_with(false, marked, sizeof(marked));
	assert_int_equal(tfs_dat_lost_find(dat, 0, 1, &got), -EBADMSG);
	tfs_dat_free(dat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_written_counts_by_cpu),
		cmocka_unit_test(a_file_without_the_option_says_nothing),
		cmocka_unit_test(fields_added_later_are_stepped_over),
		cmocka_unit_test(an_older_file_says_nothing_of_others),
		cmocka_unit_test(deeds_of_others_have_words),
		cmocka_unit_test(malformed_input_is_refused_at_every_length),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
