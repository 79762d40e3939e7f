/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedat/dat-constants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"

/* A file with @payload as its option of constants; NULL for none. */
static struct tfs_dat *file_with(bool big, const void *payload, size_t size)
{
	struct dat_spec spec = { .big = big };
	struct dat_builder d;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	if (payload)
		dat_option(&d, TFS_DAT_PRIVATE_CONSTANTS, payload, size);
	return dat_open_built(&d);
}

static bool find(const struct tfs_dat_constants *c, const char *name, uint64_t *value)
{
	return tfs_dat_constants_find(c, name, strlen(name), value);
}

static void written_names_are_found_in_either_byte_order(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_dat_constants *c;
	struct tfs_dat *dat;
	uint64_t value;

	(void)state;
	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	assert_int_equal(tfs_dat_constants_add(&sb, "I_NEW", 8), 0);
	assert_int_equal(tfs_dat_constants_add(&sb, "MINUS_TWO", (uint64_t)-2), 0);
	/* the option is in host byte order: in the file of the other one its mark says so */
	for (int big = 0; big < 2; big++) {
		dat = file_with(big, sb.s, sb.len);
		assert_int_equal(tfs_dat_constants_new(dat, &c), 0);
		assert_true(find(c, "I_NEW", &value));
		assert_int_equal(value, 8);
		assert_true(find(c, "MINUS_TWO", &value));
		assert_int_equal((int64_t)value, -2);
		assert_false(find(c, "I_NE", &value));
		assert_true(tfs_dat_constants_find(c, "I_NEWS", 5, &value));
		tfs_dat_constants_free(c);
		tfs_dat_free(dat);
	}
	tfs_strbuf_release(&sb);
}

static void a_file_without_the_option_has_no_constants(void **state)
{
	struct tfs_dat *dat = file_with(false, NULL, 0);
	struct tfs_dat_constants *c;
	uint64_t value;

	(void)state;
	assert_int_equal(tfs_dat_constants_new(dat, &c), 0);
	assert_null(c);
	assert_false(find(c, "I_NEW", &value));
	tfs_dat_free(dat);
}

/* mark, "A" = 1, "BC" = 2, cut after @size bytes */
static void check_cut(size_t size, bool first, bool second)
{
	static const unsigned char whole[] = { 4, 3, 2, 1, 1, 0, 0, 0, 0, 0,   0,   0, 'A',
					       0, 2, 0, 0, 0, 0, 0, 0, 0, 'B', 'C', 0 };
	struct tfs_dat *dat = file_with(false, whole, size);
	struct tfs_dat_constants *c;
	uint64_t value;

	assert_true(size <= sizeof(whole));
	assert_int_equal(tfs_dat_constants_new(dat, &c), 0);
	assert_int_equal(find(c, "A", &value), first);
	assert_int_equal(find(c, "BC", &value), second);
	tfs_dat_constants_free(c);
	tfs_dat_free(dat);
}

static void entries_before_damage_count(void **state)
{
	(void)state;
	for (size_t size = 1; size <= 25; size++)
		check_cut(size, size >= 14, size == 25);
}

static void names_longer_than_the_limit_are_passed_over(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_dat_constants *c;
	struct tfs_dat *dat;
	char name[TFS_DAT_CONSTANT_MAX + 2];
	uint64_t value;

	(void)state;
	memset(name, 'x', sizeof(name));
	name[TFS_DAT_CONSTANT_MAX + 1] = '\0';
	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	assert_int_equal(tfs_dat_constants_add(&sb, name, 1), 0);
	assert_int_equal(tfs_dat_constants_add(&sb, name + 1, 2), 0);
	dat = file_with(false, sb.s, sb.len);
	assert_int_equal(tfs_dat_constants_new(dat, &c), 0);
	assert_false(find(c, name, &value));
	assert_true(find(c, name + 1, &value));
	assert_int_equal(value, 2);
	tfs_dat_constants_free(c);
	tfs_dat_free(dat);
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_names_are_found_in_either_byte_order),
		cmocka_unit_test(a_file_without_the_option_has_no_constants),
		cmocka_unit_test(entries_before_damage_count),
		cmocka_unit_test(names_longer_than_the_limit_are_passed_over),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
