/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-check.h"
#include "tracedat/dat-read.h"

struct heard {
	unsigned int damaged, notes, sound;
	uint64_t offset;
	char text[256];
};

static void report(void *context, enum tfs_dat_grade grade, uint64_t offset, const char *text)
{
	struct heard *h = context;

	h->sound += grade == TFS_DAT_SOUND;
	h->notes += grade == TFS_DAT_NOTE;
	if (grade != TFS_DAT_DAMAGED || h->damaged++)
		return;
	h->offset = offset;
	snprintf(h->text, sizeof(h->text), "%s", text);
}

static void check(const struct bytes *b, struct heard *h, struct tfs_dat_totals *t)
{
	const struct tfs_dat_checker checker = { report, h };
	struct tfs_dat *dat = dat_open(b);

	*h = (struct heard){ 0 };
	assert_int_equal(tfs_dat_check(dat, &checker, t, NULL), 0);
	assert_int_equal(t->damaged, h->damaged);
	tfs_dat_free(dat);
}

static void check_sound(const struct dat_spec *spec, uint64_t records)
{
	struct tfs_dat_totals t;
	struct heard h;
	struct bytes b;

	dat_sample(spec, &b);
	check(&b, &h, &t);
	bytes_release(&b);
	if (h.damaged)
		fail_msg("0x%" PRIx64 ": %s", h.offset, h.text);
	assert_int_equal(h.notes, 0);
	assert_int_equal(t.records, records);
	assert_int_equal(t.bad_pages, 0);
	assert_true(h.sound > 0);
}

static void whole_files_are_sound(void **state)
{
	(void)state;
	check_sound(&(struct dat_spec){ .page_size = 512, .pages = 25 }, 2 * 25 * 4);
	check_sound(&(struct dat_spec){ .version = 6, .big = true, .pages = 3 }, 2 * 3 * 4);
	check_sound(&(struct dat_spec){ .codec = TFS_CODEC_ZLIB, .pages = 25 }, 2 * 25 * 4);
	check_sound(&(struct dat_spec){ .latency = true }, 0);
}

/* trace-cmd 3.1 leaves out the number of chunks when it counts bytes. */
static void a_size_that_is_four_short_is_sound(void **state)
{
	(void)state;
	check_sound(&(struct dat_spec){ .codec = TFS_CODEC_ZLIB, .pages = 25, .short_by = 4 },
		    2 * 25 * 4);
}

/* Where CPU 0 of the first buffer begins */
static uint64_t data_of(const struct bytes *b)
{
	struct tfs_dat *dat = dat_open(b);
	uint64_t at = tfs_dat_buffer(dat, 0)->cpus[0].offset;

	tfs_dat_free(dat);
	return at;
}

static void a_chunk_that_does_not_expand_is_stepped_over(void **state)
{
	const struct dat_spec spec = { .codec = TFS_CODEC_ZLIB, .pages = 25 };
	struct tfs_dat_totals t;
	struct heard h;
	struct bytes b;
	uint64_t at;

	(void)state;
	dat_sample(&spec, &b);
	at = data_of(&b) + 4; /* after the number of chunks */
	b.sb.s[at + 8 + 10] ^= 0x55;
	check(&b, &h, &t);
	bytes_release(&b);
	assert_int_equal(h.damaged, 1);
	assert_int_equal(h.offset, at);
	assert_non_null(strstr(h.text, "CPU 0"));
	assert_int_equal(t.bad_pages, 10);
	assert_int_equal(t.records, 2 * 25 * 4 - 10 * 4);
}

static void an_entry_that_does_not_fit_is_found(void **state)
{
	const struct dat_spec spec = { .pages = 3 };
	struct tfs_dat_totals t;
	struct heard h;
	struct bytes b;
	uint64_t at;

	(void)state;
	dat_sample(&spec, &b);
	at = data_of(&b) + 512;
	b.sb.s[at + 16] = 28; /* 28 words, more than are used */
	check(&b, &h, &t);
	bytes_release(&b);
	assert_int_equal(h.damaged, 1);
	assert_int_equal(h.offset, at);
	assert_non_null(strstr(h.text, "sub-buffer 1"));
	assert_int_equal(t.bad_pages, 1);
}

static void a_truncated_file_is_damaged(void **state)
{
	const struct dat_spec spec = { .version = 6, .pages = 30 };
	struct tfs_dat_totals t;
	struct heard h;
	struct bytes b;

	(void)state;
	dat_sample(&spec, &b);
	b.sb.len -= 1000;
	check(&b, &h, &t);
	bytes_release(&b);
	assert_true(h.damaged > 0);
	assert_int_equal(t.bad_bytes, 1000);
}

/* A byte that is wrong anywhere: the check ends, and never says sound of what does not expand. */
static void any_wrong_byte_is_survived(void **state)
{
	const struct dat_spec spec = { .codec = TFS_CODEC_ZLIB, .pages = 2 };
	struct bytes b;

	(void)state;
	dat_sample(&spec, &b);
	for (size_t i = 0; i < b.sb.len; i++) {
		const struct tfs_dat_checker checker = { report, &(struct heard){ 0 } };
		const char was = b.sb.s[i];
		struct tfs_dat_totals t;
		struct tfs_dat *dat;
		int fd;

		b.sb.s[i] = (char)~was;
		fd = bytes_to_fd(b.sb.s, b.sb.len);
		if (!tfs_dat_open_fd(fd, "wrong", &dat, NULL)) {
			assert_int_equal(tfs_dat_check(dat, &checker, &t, NULL), 0);
			if (tfs_dat_damage(dat))
				assert_true(t.damaged > 0);
			tfs_dat_free(dat);
		}
		b.sb.s[i] = was;
	}
	bytes_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_files_are_sound),
		cmocka_unit_test(a_size_that_is_four_short_is_sound),
		cmocka_unit_test(a_chunk_that_does_not_expand_is_stepped_over),
		cmocka_unit_test(an_entry_that_does_not_fit_is_found),
		cmocka_unit_test(a_truncated_file_is_damaged),
		cmocka_unit_test(any_wrong_byte_is_survived),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
