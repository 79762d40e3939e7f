/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "lib/alloc_fail.h"

static int setup(void **state)
{
	struct tfs_strbuf *sb = malloc(sizeof(*sb));

	if (!sb)
		return -1;
	tfs_strbuf_init(sb);
	*state = sb;
	return 0;
}

static int teardown(void **state)
{
	alloc_fail_off();
	tfs_strbuf_release(*state);
	free(*state);
	return 0;
}

static void an_empty_buffer_is_an_empty_string(void **state)
{
	struct tfs_strbuf fresh = TFS_STRBUF_INIT;

	(void)state;
	assert_string_equal(fresh.s, "");
	assert_int_equal(fresh.len, 0);
	tfs_strbuf_reset(&fresh);
	tfs_strbuf_rtrim(&fresh);
	tfs_strbuf_release(&fresh);
	assert_string_equal(fresh.s, "");
}

static void adding_appends_and_terminates(void **state)
{
	struct tfs_strbuf *sb = *state;

	assert_int_equal(tfs_strbuf_add(sb, "a\0b", 3), 0);
	assert_int_equal(tfs_strbuf_adds(sb, "cd"), 0);
	assert_int_equal(tfs_strbuf_addc(sb, 'e'), 0);
	assert_int_equal(tfs_strbuf_addf(sb, "%d-%s", 42, "f"), 0);
	assert_int_equal(tfs_strbuf_add(sb, NULL, 0), 0);
	assert_int_equal(sb->len, 10);
	assert_memory_equal(sb->s, "a\0bcde42-f", 11);
}

static void it_grows_as_far_as_needed(void **state)
{
	struct tfs_strbuf *sb = *state;
	size_t i;

	for (i = 0; i < 5000; i++)
		assert_int_equal(tfs_strbuf_addc(sb, (char)('a' + i % 26)), 0);
	assert_int_equal(strlen(sb->s), 5000);
	for (i = 0; i < 5000; i++)
		assert_int_equal(sb->s[i], 'a' + i % 26);
}

/* every room there can be in the buffer when the text arrives */
static void formatted_text_fits_at_every_fill(void **state)
{
	struct tfs_strbuf *sb = *state;
	size_t fill;

	for (fill = 0; fill < 80; fill++) {
		tfs_strbuf_release(sb);
		while (sb->len < fill)
			assert_int_equal(tfs_strbuf_addc(sb, '.'), 0);
		assert_int_equal(tfs_strbuf_addf(sb, "<%s>", "0123456789abcdef0123456789"), 0);
		assert_int_equal(sb->len, fill + 28);
		assert_string_equal(sb->s + fill, "<0123456789abcdef0123456789>");
	}
}

static void reset_keeps_the_memory(void **state)
{
	struct tfs_strbuf *sb = *state;
	size_t cap;

	assert_int_equal(tfs_strbuf_adds(sb, "text"), 0);
	cap = sb->cap;
	tfs_strbuf_reset(sb);
	assert_string_equal(sb->s, "");
	assert_int_equal(sb->len, 0);
	assert_int_equal(sb->cap, cap);
}

static void rtrim_drops_white_space_at_the_end_only(void **state)
{
	struct tfs_strbuf *sb = *state;

	assert_int_equal(tfs_strbuf_adds(sb, " a b \t\r\n\v\f"), 0);
	tfs_strbuf_rtrim(sb);
	assert_string_equal(sb->s, " a b");
	tfs_strbuf_rtrim(sb);
	assert_int_equal(sb->len, 4);
	tfs_strbuf_reset(sb);
	assert_int_equal(tfs_strbuf_adds(sb, " \n"), 0);
	tfs_strbuf_rtrim(sb);
	assert_string_equal(sb->s, "");
}

static void detach_hands_out_also_an_empty_string(void **state)
{
	struct tfs_strbuf *sb = *state;
	char *s = NULL;

	assert_int_equal(tfs_strbuf_detach(sb, &s), 0);
	assert_string_equal(s, "");
	free(s);
	assert_int_equal(tfs_strbuf_adds(sb, "mine"), 0);
	assert_int_equal(tfs_strbuf_detach(sb, &s), 0);
	assert_string_equal(s, "mine");
	assert_string_equal(sb->s, "");
	assert_int_equal(sb->cap, 0);
	free(s);
}

static void an_impossible_size_fails_with_enomem(void **state)
{
	struct tfs_strbuf *sb = *state;

	assert_int_equal(tfs_strbuf_adds(sb, "kept"), 0);
	assert_int_equal(tfs_strbuf_grow(sb, SIZE_MAX), -ENOMEM);
	assert_int_equal(tfs_strbuf_grow(sb, SIZE_MAX - 5), -ENOMEM);
	assert_int_equal(tfs_strbuf_add(sb, "x", SIZE_MAX / 2 + 1), -ENOMEM);
	assert_string_equal(sb->s, "kept");
}

static int build(struct tfs_strbuf *sb)
{
	int rc = tfs_strbuf_adds(sb, "0123456789");

	if (!rc)
		rc = tfs_strbuf_addf(sb, "%060d", 7);
	if (!rc)
		rc = tfs_strbuf_add(sb, "abc", 3);
	if (!rc)
		rc = tfs_strbuf_grow(sb, 1000);
	if (!rc)
		rc = tfs_strbuf_addc(sb, 'd');
	return rc;
}

static void without_memory_it_holds_what_it_held(void **state)
{
	struct tfs_strbuf *sb = *state;
	struct tfs_strbuf whole = TFS_STRBUF_INIT;
	size_t n;
	int rc;

	assert_int_equal(build(&whole), 0);
	for (n = 0;; n++) {
		tfs_strbuf_release(sb);
		alloc_fail_at(n);
		rc = build(sb);
		if (!alloc_fail_off())
			break;
		assert_int_equal(rc, -ENOMEM);
		/* a step that failed has added nothing: 0, 10, 70 or 73 bytes */
		assert_true(sb->len == 0 || sb->len == 10 || sb->len == 70 || sb->len == 73);
		assert_int_equal(strlen(sb->s), sb->len);
		assert_memory_equal(sb->s, whole.s, sb->len);
	}
	assert_int_equal(rc, 0);
	assert_true(n >= 3);
	assert_string_equal(sb->s, whole.s);
	tfs_strbuf_release(&whole);
}

static void a_failed_detach_leaves_the_buffer(void **state)
{
	struct tfs_strbuf *sb = *state;
	char *s = NULL;

	alloc_fail_at(0);
	assert_int_equal(tfs_strbuf_detach(sb, &s), -ENOMEM);
	assert_true(alloc_fail_off());
	assert_null(s);
	assert_string_equal(sb->s, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_buffer_is_an_empty_string),
		TEST(adding_appends_and_terminates),
		TEST(it_grows_as_far_as_needed),
		TEST(formatted_text_fits_at_every_fill),
		TEST(reset_keeps_the_memory),
		TEST(rtrim_drops_white_space_at_the_end_only),
		TEST(detach_hands_out_also_an_empty_string),
		TEST(an_impossible_size_fails_with_enomem),
		TEST(without_memory_it_holds_what_it_held),
		TEST(a_failed_detach_leaves_the_buffer),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
