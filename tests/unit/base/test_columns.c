/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/columns.h"

/* U+6F22 and U+5B57 are wide, U+FF71 is a half-width form, U+0301 stands on the letter before. */
#define HAN "\xe6\xbc\xa2"
#define JI "\xe5\xad\x97"
#define HALF "\xef\xbd\xb1"
#define ACUTE "\xcc\x81"
#define E_ACUTE "\xc3\xa9"

static size_t columns(const char *s)
{
	return tfs_columns(s, strlen(s));
}

static size_t cut(const char *s, size_t n)
{
	return tfs_columns_cut(s, strlen(s), n);
}

static void characters_take_the_columns_of_unicode(void **state)
{
	(void)state;
	assert_int_equal(columns(""), 0);
	assert_int_equal(columns("read"), 4);
	assert_int_equal(columns(HAN JI), 4);
	assert_int_equal(columns(HALF), 1);
	assert_int_equal(columns(E_ACUTE), 1);
	assert_int_equal(columns("e" ACUTE), 1);
	/* 0x1F600, which has four bytes */
	assert_int_equal(columns("\xf0\x9f\x98\x80"), 2);
}

static void bytes_that_are_no_characters_take_one(void **state)
{
	(void)state;
	assert_int_equal(columns("\xff\xfe"), 2);
	assert_int_equal(columns("a\x80" HAN), 4);
	/* Cut in the middle */
	assert_int_equal(tfs_columns(HAN, 2), 2);
}

static void text_is_cut_between_characters(void **state)
{
	(void)state;
	assert_int_equal(cut("read", 0), 0);
	assert_int_equal(cut("read", 3), 3);
	assert_int_equal(cut("read", 9), 4);
	assert_int_equal(cut(HAN JI, 3), 3);
	assert_int_equal(cut(HAN JI, 4), 6);
	assert_int_equal(cut("a" HAN, 2), 1);
	/* An accent stays with its letter. */
	assert_int_equal(cut("e" ACUTE "a", 1), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters_take_the_columns_of_unicode),
		cmocka_unit_test(bytes_that_are_no_characters_take_one),
		cmocka_unit_test(text_is_cut_between_characters),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
