/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedat/dat-values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cursor.h"
#include "base/meaning-list.h"
#include "base/meaning.h"
#include "base/strbuf-core.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"

/* A file with @payload as its option of values; NULL for none. */
static struct tfs_dat *file_with(bool big, const void *payload, size_t size)
{
	struct dat_spec spec = { .big = big };
	struct dat_builder d;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	if (payload)
		dat_option(&d, TFS_DAT_PRIVATE_VALUES, payload, size);
	return dat_open_built(&d);
}

static const struct tfs_meaning *find(const struct tfs_dat_values *v, const char *field)
{
	return tfs_dat_values_find(v, "grp", "openat", 4, field);
}

static void written_meanings_are_found_in_either_byte_order(void **state)
{
	struct tfs_meaning mode = { .bits = 4 }, weight = { .kind = TFS_MEANS_FLOAT };
	const struct tfs_meaning shift = { .bits = 5 };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_dat_values *v;
	struct tfs_dat *dat;

	(void)state;
	assert_int_equal(tfs_meaning_add(&mode, 7, "RW"), 0);
	assert_int_equal(tfs_meaning_add(&mode, 1, "WR"), 0);
	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	assert_int_equal(tfs_meaning_list_add(&sb, "grp:open", "mode", &mode), 0);
	assert_int_equal(tfs_meaning_list_add(&sb, "grp:open", "weight", &weight), 0);
	assert_int_equal(tfs_meaning_list_add(&sb, "grp:open", "shift", &shift), 0);
	/* the option is in host byte order: in the file of the other one its mark says so */
	for (int big = 0; big < 2; big++) {
		dat = file_with(big, sb.s, sb.len);
		assert_int_equal(tfs_dat_values_new(dat, &v), 0);
		assert_true(tfs_dat_values_has(v, "grp", "openat", 4));
		assert_false(tfs_dat_values_has(v, "grp", "openat", 6));
		assert_string_equal(tfs_meaning_name(find(v, "mode"), 7, 4), "RW");
		assert_string_equal(tfs_meaning_name(find(v, "mode"), 1, 4), "WR");
		assert_int_equal(find(v, "mode")->bits, 4);
		assert_int_equal(find(v, "weight")->kind, TFS_MEANS_FLOAT);
		assert_int_equal(find(v, "weight")->bits, 0);
		assert_int_equal(find(v, "shift")->kind, TFS_MEANS_NUMBER);
		assert_int_equal(find(v, "shift")->bits, 5);
		assert_null(find(v, "other"));
		assert_null(tfs_dat_values_find(v, "other", "open", 4, "mode"));
		tfs_dat_values_free(v);
		tfs_dat_free(dat);
	}
	tfs_meaning_release(&mode);
	tfs_strbuf_release(&sb);
}

static void a_file_without_the_option_has_none(void **state)
{
	struct tfs_dat *dat = file_with(false, NULL, 0);
	struct tfs_dat_values *v;

	(void)state;
	assert_int_equal(tfs_dat_values_new(dat, &v), 0);
	assert_null(v);
	assert_false(tfs_dat_values_has(v, "grp", "open", 4));
	assert_null(find(v, "mode"));
	tfs_dat_free(dat);
}

/*
 * Written out by hand: mark; g:e a, a float; g:e b, { 2, "B" }; g:e c, of a kind to come; g:e d, a
 * float; g:e s, of 7 bits with a sign
 */
static const unsigned char whole[] = {
	4,   3,   2,   1,                                   /* mark */
	'g', ':', 'e', 0, 'a', 0, 2, 0, 0,   0, 0, 0, 0, 0, /* 18 bytes so far */
	'g', ':', 'e', 0, 'b', 0, 1, 0, 0,   0, 1, 0, 0, 0, /* 32 */
	2,   0,   0,   0, 0,   0, 0, 0, 'B', 0,             /* 42 */
	'g', ':', 'e', 0, 'c', 0, 9, 0, 0,   0, 1, 0, 0, 0, /* 56 */
	2,   0,   0,   0, 0,   0, 0, 0, 'C', 0,             /* 66 */
	'g', ':', 'e', 0, 'd', 0, 2, 0, 0,   0, 0, 0, 0, 0, /* 80 */
	'g', ':', 'e', 0, 's', 0, 3, 0, 0,   0, 1, 0, 0, 0, /* 94 */
	7,   0,   0,   0, 0,   0, 0, 0, 0,                  /* 103 */
};

static void check_cut(size_t size)
{
	struct tfs_dat *dat = file_with(false, whole, size);
	const struct tfs_meaning *sign;
	struct tfs_dat_values *v;

	assert_int_equal(tfs_dat_values_new(dat, &v), 0);
	assert_int_equal(tfs_dat_values_find(v, "g", "e", 1, "a") != NULL, size >= 18);
	assert_int_equal(tfs_dat_values_find(v, "g", "e", 1, "b") != NULL, size >= 42);
	assert_null(tfs_dat_values_find(v, "g", "e", 1, "c"));
	assert_int_equal(tfs_dat_values_find(v, "g", "e", 1, "d") != NULL, size >= 80);
	sign = tfs_dat_values_find(v, "g", "e", 1, "s");
	assert_int_equal(sign ? sign->bits : 0, size >= 103 ? 7 : 0);
	tfs_dat_values_free(v);
	tfs_dat_free(dat);
}

static void entries_before_damage_count_and_unknown_kinds_are_skipped(void **state)
{
	(void)state;
	for (size_t size = 1; size <= sizeof(whole); size++)
		check_cut(size);
}

static void a_count_without_names_ends_the_list(void **state)
{
	unsigned char bytes[sizeof(whole)];
	struct tfs_dat *dat;
	struct tfs_dat_values *v;

	(void)state;
	memcpy(bytes, whole, sizeof(bytes));
	/* four thousand million names */
	memset(bytes + 28, 0xff, 4);
	dat = file_with(false, bytes, sizeof(bytes));
	assert_int_equal(tfs_dat_values_new(dat, &v), 0);
	assert_non_null(tfs_dat_values_find(v, "g", "e", 1, "a"));
	assert_null(tfs_dat_values_find(v, "g", "e", 1, "b"));
	tfs_dat_values_free(v);
	tfs_dat_free(dat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_meanings_are_found_in_either_byte_order),
		cmocka_unit_test(a_file_without_the_option_has_none),
		cmocka_unit_test(entries_before_damage_count_and_unknown_kinds_are_skipped),
		cmocka_unit_test(a_count_without_names_ends_the_list),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
