/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cursor.h"

/* u8, u16, u32, u64, "tag", "str\0", three bytes */
static const unsigned char sample[] = {
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xf1, 0xe2, 0xd3, 0xc4, 0xb5, 0xa6,
	0x97, 0x88, 't',  'a',  'g',  's',  't',  'r',  '\0', 7,    8,    9,
};

struct values {
	uint8_t a;
	uint16_t b;
	uint32_t c;
	uint64_t d;
	const char *s;
	const void *bytes;
};

#define STEPS 7

/* Reads item number @step; returns what the reader returned. */
static int take(struct tfs_cursor *c, int step, struct values *v)
{
	switch (step) {
	case 0:
		return tfs_cursor_u8(c, &v->a);
	case 1:
		return tfs_cursor_u16(c, &v->b);
	case 2:
		return tfs_cursor_u32(c, &v->c);
	case 3:
		return tfs_cursor_u64(c, &v->d);
	case 4:
		return tfs_cursor_bytes(c, 3, &v->bytes);
	case 5:
		return tfs_cursor_strz(c, &v->s);
	default:
		return tfs_cursor_bytes(c, 3, &v->bytes);
	}
}

static void numbers_are_read_in_either_byte_order(void **state)
{
	struct tfs_cursor c;
	struct values v;
	int step;

	(void)state;
	tfs_cursor_init(&c, sample, sizeof(sample), false);
	for (step = 0; step < STEPS; step++)
		assert_int_equal(take(&c, step, &v), 0);
	assert_int_equal(v.a, 0x01);
	assert_int_equal(v.b, 0x4523);
	assert_int_equal(v.c, 0xcdab8967u);
	assert_true(v.d == UINT64_C(0x8897a6b5c4d3e2f1));
	assert_string_equal(v.s, "str");
	assert_memory_equal(v.bytes, "\7\10\11", 3);
	assert_int_equal(tfs_cursor_left(&c), 0);

	tfs_cursor_init(&c, sample, sizeof(sample), true);
	for (step = 0; step < 4; step++)
		assert_int_equal(take(&c, step, &v), 0);
	assert_int_equal(v.b, 0x2345);
	assert_int_equal(v.c, 0x6789abcdu);
	assert_true(v.d == UINT64_C(0xf1e2d3c4b5a69788));
}

/* The data are copied to memory that ends at the cut: a sanitizer sees one byte too many. */
static void at_every_cut_the_reader_that_does_not_fit_changes_nothing(void **state)
{
	/* where each of the steps ends */
	static const size_t ends[STEPS] = { 1, 3, 7, 15, 18, 22, 25 };
	struct values v, before;
	struct tfs_cursor c;
	unsigned char *copy;
	size_t cut, off;
	int step, rc;

	(void)state;
	for (cut = 0; cut <= sizeof(sample); cut++) {
		copy = malloc(cut ? cut : 1);
		assert_non_null(copy);
		memcpy(copy, sample, cut);
		tfs_cursor_init(&c, copy, cut, cut & 1);
		memset(&v, 0x5a, sizeof(v));
		for (step = 0; step < STEPS; step++) {
			before = v;
			off = c.off;
			rc = take(&c, step, &v);
			if (ends[step] <= cut) {
				assert_int_equal(rc, 0);
				assert_int_equal(c.off, ends[step]);
				continue;
			}
			assert_int_equal(rc, -EBADMSG);
			assert_int_equal(c.off, off);
			assert_memory_equal(&v, &before, sizeof(v));
			break;
		}
		assert_int_equal(tfs_cursor_left(&c), cut - c.off);
		free(copy);
	}
}

static void a_length_from_the_file_cannot_overflow(void **state)
{
	struct tfs_cursor c;
	const void *p = NULL;

	(void)state;
	tfs_cursor_init(&c, sample, sizeof(sample), false);
	c.off = 4;
	assert_int_equal(tfs_cursor_bytes(&c, UINT64_MAX, &p), -EBADMSG);
	assert_int_equal(tfs_cursor_bytes(&c, UINT64_MAX - 3, &p), -EBADMSG);
	assert_int_equal(tfs_cursor_bytes(&c, UINT64_C(1) << 32, &p), -EBADMSG);
	assert_null(p);
	assert_int_equal(c.off, 4);
	assert_int_equal(tfs_cursor_bytes(&c, sizeof(sample) - 4, &p), 0);
	assert_ptr_equal(p, sample + 4);
	assert_int_equal(tfs_cursor_bytes(&c, 0, &p), 0);
}

static void a_string_needs_its_nul(void **state)
{
	struct tfs_cursor c;
	const char *s = NULL;

	(void)state;
	tfs_cursor_init(&c, "abc", 3, false);
	assert_int_equal(tfs_cursor_strz(&c, &s), -EBADMSG);
	assert_null(s);
	tfs_cursor_init(&c, "", 1, false);
	assert_int_equal(tfs_cursor_strz(&c, &s), 0);
	assert_string_equal(s, "");
	assert_int_equal(tfs_cursor_strz(&c, &s), -EBADMSG);
}

static void no_data_gives_no_data(void **state)
{
	struct tfs_cursor c;
	uint8_t b = 1;

	(void)state;
	tfs_cursor_init(&c, NULL, 0, true);
	assert_int_equal(tfs_cursor_left(&c), 0);
	assert_int_equal(tfs_cursor_u8(&c, &b), -EBADMSG);
	assert_int_equal(b, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read_in_either_byte_order),
		cmocka_unit_test(at_every_cut_the_reader_that_does_not_fit_changes_nothing),
		cmocka_unit_test(a_length_from_the_file_cannot_overflow),
		cmocka_unit_test(a_string_needs_its_nul),
		cmocka_unit_test(no_data_gives_no_data),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
