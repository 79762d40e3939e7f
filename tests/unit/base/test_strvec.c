/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strvec.h"
#include "lib/alloc_fail.h"

static int setup(void **state)
{
	struct tfs_strvec *sv = malloc(sizeof(*sv));

	if (!sv)
		return -1;
	tfs_strvec_init(sv);
	*state = sv;
	return 0;
}

static int teardown(void **state)
{
	alloc_fail_off();
	tfs_strvec_release(*state);
	free(*state);
	return 0;
}

static void an_empty_vector_has_no_memory(void **state)
{
	struct tfs_strvec sv = TFS_STRVEC_INIT;

	(void)state;
	assert_null(sv.v);
	assert_false(tfs_strvec_has(&sv, ""));
	tfs_strvec_sort(&sv);
	tfs_strvec_release(&sv);
	assert_null(sv.v);
}

static void strings_are_copied_and_null_follows(void **state)
{
	struct tfs_strvec *sv = *state;
	char text[] = "abc";
	size_t i;

	assert_int_equal(tfs_strvec_push(sv, text), 0);
	text[0] = 'x';
	assert_int_equal(tfs_strvec_pushn(sv, text, 2), 0);
	assert_int_equal(tfs_strvec_pushn(sv, NULL, 0), 0);
	assert_int_equal(tfs_strvec_pushf(sv, "%s=%d", "n", 5), 0);
	assert_int_equal(sv->n, 4);
	assert_string_equal(sv->v[0], "abc");
	assert_string_equal(sv->v[1], "xb");
	assert_string_equal(sv->v[2], "");
	assert_string_equal(sv->v[3], "n=5");
	assert_null(sv->v[4]);
	for (i = 0; i < 100; i++) {
		assert_int_equal(tfs_strvec_pushf(sv, "%zu", i), 0);
		assert_null(sv->v[sv->n]);
	}
	assert_string_equal(sv->v[103], "99");
	assert_string_equal(sv->v[0], "abc");
}

static void an_impossible_length_fails_with_enomem(void **state)
{
	struct tfs_strvec *sv = *state;

	assert_int_equal(tfs_strvec_pushn(sv, "x", SIZE_MAX), -ENOMEM);
	assert_int_equal(sv->n, 0);
}

static void sort_is_by_bytes(void **state)
{
	struct tfs_strvec *sv = *state;

	assert_int_equal(tfs_strvec_split(sv, "b,B,\xc3\xa9,a,ab,_", ","), 0);
	tfs_strvec_sort(sv);
	assert_string_equal(sv->v[0], "B");
	assert_string_equal(sv->v[1], "_");
	assert_string_equal(sv->v[2], "a");
	assert_string_equal(sv->v[3], "ab");
	assert_string_equal(sv->v[4], "b");
	assert_string_equal(sv->v[5], "\xc3\xa9");
	assert_null(sv->v[6]);
}

static void has_finds_equal_strings_only(void **state)
{
	struct tfs_strvec *sv = *state;

	assert_int_equal(tfs_strvec_split(sv, "one two", " "), 0);
	assert_true(tfs_strvec_has(sv, "two"));
	assert_false(tfs_strvec_has(sv, "tw"));
	assert_false(tfs_strvec_has(sv, ""));
}

static void split_leaves_out_empty_pieces(void **state)
{
	struct tfs_strvec *sv = *state;

	assert_int_equal(tfs_strvec_split(sv, ",,a;b,;c ,", ",;"), 0);
	assert_int_equal(sv->n, 3);
	assert_string_equal(sv->v[0], "a");
	assert_string_equal(sv->v[1], "b");
	assert_string_equal(sv->v[2], "c ");
	assert_int_equal(tfs_strvec_split(sv, "", ","), 0);
	assert_int_equal(tfs_strvec_split(sv, ",,,", ","), 0);
	assert_int_equal(sv->n, 3);
	assert_int_equal(tfs_strvec_split(sv, "whole", ""), 0);
	assert_string_equal(sv->v[3], "whole");
}

static int build(struct tfs_strvec *sv)
{
	int rc = tfs_strvec_push(sv, "a");

	if (!rc)
		rc = tfs_strvec_pushf(sv, "%060d", 1);
	if (!rc)
		rc = tfs_strvec_split(sv, "c d e f g h i j k l", " ");
	return rc;
}

static void without_memory_it_holds_what_it_held(void **state)
{
	struct tfs_strvec *sv = *state;
	size_t n;
	int rc;

	for (n = 0;; n++) {
		tfs_strvec_release(sv);
		alloc_fail_at(n);
		rc = build(sv);
		if (!alloc_fail_off())
			break;
		assert_int_equal(rc, -ENOMEM);
		/* of the split all or nothing */
		assert_true(sv->n <= 2);
		if (sv->v)
			assert_null(sv->v[sv->n]);
	}
	assert_int_equal(rc, 0);
	assert_int_equal(sv->n, 12);
	assert_string_equal(sv->v[11], "l");
	/* a string each, and one for the vector at least */
	assert_true(n > 12);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void a_string_can_be_taken_out(void **state)
{
	struct tfs_strvec sv = TFS_STRVEC_INIT;

	(void)state;
	assert_int_equal(tfs_strvec_split(&sv, "a b c", " "), 0);
	tfs_strvec_remove(&sv, 1);
	assert_int_equal(sv.n, 2);
	assert_string_equal(sv.v[0], "a");
	assert_string_equal(sv.v[1], "c");
	assert_null(sv.v[2]);
	tfs_strvec_remove(&sv, 1);
	tfs_strvec_remove(&sv, 0);
	assert_int_equal(sv.n, 0);
	tfs_strvec_release(&sv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_vector_has_no_memory),
		TEST(strings_are_copied_and_null_follows),
		TEST(an_impossible_length_fails_with_enomem),
		TEST(sort_is_by_bytes),
		TEST(has_finds_equal_strings_only),
		TEST(split_leaves_out_empty_pieces),
		TEST(without_memory_it_holds_what_it_held),
		cmocka_unit_test(a_string_can_be_taken_out),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
