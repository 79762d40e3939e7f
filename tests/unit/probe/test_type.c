/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the tables of probe types and of argument types against the README of a kernel (6.12),
 * which lists both.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "probe/fetch-type.h"
#include "probe/type.h"

/* "s8/16/32/64, ... string, symbol, symstr, %pd/%pD", with the numbers written out */
static const char *const in_readme[] = {
	"s8",  "s16", "s32",  "s64",    "u8",      "u16", "u32", "u64",    "x8",      "x16",
	"x32", "x64", "char", "string", "ustring", "%pd", "%pD", "symbol", "b3@4/32", "symstr",
};

static void types_of_the_readme_are_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(in_readme); i++) {
		const char *text = in_readme[i];
		struct tfs_fetch_type t;

		assert_int_equal(tfs_fetch_type_parse(text, text + strlen(text), &t), 0);
		assert_string_equal(t.array, "");
		assert_int_equal(!t.bits, !(t.info->flags & TFS_FETCH_SIZED));
	}
}

static void other_words_are_not_types(void **state)
{
	static const char *const bad[] = { "",      "s",   "u7",   "u65", "u128",
					   "u08",   "s8x", "int",  "str", "strings",
					   "chars", "%p",  "%pdx", "[4]", "y8" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct tfs_fetch_type t = { 0 };
		int rc = tfs_fetch_type_parse(bad[i], bad[i] + strlen(bad[i]), &t);

		/* a letter alone is a type of tc-probe's, without a size */
		assert_true(rc == -EINVAL || (t.info->flags & TFS_FETCH_SIZED && !t.bits));
		assert_int_equal(!rc, tfs_fetch_type_is_letter(bad[i]));
	}
}

static void arrays_have_the_size_of_their_elements(void **state)
{
	(void)state;
	assert_int_equal(tfs_fetch_type_bytes("u32"), 4);
	assert_int_equal(tfs_fetch_type_bytes("x64[3]"), 24);
	assert_int_equal(tfs_fetch_type_bytes("char[16]"), 16);
	assert_int_equal(tfs_fetch_type_bytes("string"), 0);
	assert_int_equal(tfs_fetch_type_bytes("b3@4/32"), 0);
	assert_true(tfs_fetch_type_is("string", TFS_FETCH_TEXT));
	assert_false(tfs_fetch_type_is("string[2]", TFS_FETCH_TEXT));
	assert_false(tfs_fetch_type_is("symstr", TFS_FETCH_TEXT));
	assert_false(tfs_fetch_type_is(NULL, TFS_FETCH_TEXT));
}

/* A line of a control file is of one type: its letter says which. */
static void letters_stand_for_the_types_of_files(void **state)
{
	(void)state;
	for (size_t a = 0; a < TFS_PROBE_TYPES; a++) {
		const struct tfs_probe_type_info *x = tfs_probe_type(a);

		assert_non_null(x->name);
		assert_non_null(x->file);
		assert_true(tfs_probe_type_has_letter(a, x->letter));
		assert_true(tfs_probe_type_has_letter(a, x->return_letter));
		assert_false(tfs_probe_type_has_letter(a, '-'));
		for (size_t b = 0; b < a; b++) {
			const struct tfs_probe_type_info *y = tfs_probe_type(b);

			assert_string_not_equal(x->name, y->name);
			if (strcmp(x->file, y->file) != 0)
				continue;
			assert_false(tfs_probe_type_has_letter(b, x->letter));
			assert_false(tfs_probe_type_has_letter(b, x->return_letter));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_of_the_readme_are_known),
		cmocka_unit_test(other_words_are_not_types),
		cmocka_unit_test(arrays_have_the_size_of_their_elements),
		cmocka_unit_test(letters_stand_for_the_types_of_files),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
