/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "probe/path.h"

static void printing_a_parsed_path_gives_the_path_back(void **state)
{
	static const char *const text[] = {
		"a",       "a->b.c[2]", "*p",         "&a",         "&a->b",   "**p->q",
		"a[0][3]", "ns::count", "$retval->f", "list->next", "p[-1].x",
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(text); i++) {
		struct tfs_strbuf sb = TFS_STRBUF_INIT;
		struct tfs_path path;

		assert_int_equal(tfs_path_parse(text[i], &path, NULL), 0);
		assert_int_equal(tfs_path_print(&path, &sb), 0);
		assert_string_equal(sb.s, text[i]);
		tfs_path_release(&path);
		tfs_strbuf_release(&sb);
	}
}

static void steps_are_taken_apart(void **state)
{
	struct tfs_path path;

	(void)state;
	assert_int_equal(tfs_path_parse("*a->b.c[2]", &path, NULL), 0);
	assert_string_equal(path.name, "a");
	assert_int_equal(path.stars, 1);
	assert_false(path.address);
	assert_int_equal(path.n, 3);
	assert_int_equal(path.step[0].kind, TFS_STEP_ARROW);
	assert_string_equal(path.step[0].name, "b");
	assert_int_equal(path.step[1].kind, TFS_STEP_DOT);
	assert_int_equal(path.step[2].kind, TFS_STEP_INDEX);
	assert_int_equal(path.step[2].index, 2);
	assert_int_equal(path.step[2].at, 7);
	tfs_path_release(&path);
}

static void malformed_paths_are_refused_with_the_position(void **state)
{
	static const struct {
		const char *text;
		int caret;
	} bad[] = {
		{ "", 0 },      { "a.", 2 },  { "a->", 3 }, { "a[", 1 },  { "a[]", 2 },
		{ "a[x]", 2 },  { "a-b", 1 }, { "&", 1 },   { "a b", 1 }, { "a[99999999999]", 2 },
		{ "a.b%c", 3 }, { "&&a", 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct tfs_err err = TFS_ERR_INIT;
		struct tfs_path path;

		assert_int_equal(tfs_path_parse(bad[i].text, &path, &err), -EINVAL);
		assert_int_equal(err.caret, bad[i].caret);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printing_a_parsed_path_gives_the_path_back),
		cmocka_unit_test(steps_are_taken_apart),
		cmocka_unit_test(malformed_paths_are_refused_with_the_position),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
