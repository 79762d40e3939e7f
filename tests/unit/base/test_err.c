/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

/* longer than any field of the error */
static char long_text[3000];

static int fill(void **state)
{
	(void)state;
	memset(long_text, 'x', sizeof(long_text) - 1);
	return 0;
}

static void set_appends_the_reason(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(tfs_err_set(&err, -ENOENT, "cannot open '%s'", "a"), -ENOENT);
	assert_int_equal(err.code, -ENOENT);
	assert_string_equal(err.msg, "cannot open 'a': No such file or directory");
	assert_int_equal(err.caret, -1);
}

static void say_appends_nothing(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(tfs_err_say(&err, -EINVAL, "no %s here", "cat"), -EINVAL);
	assert_string_equal(err.msg, "no cat here");
	assert_int_equal(err.code, -EINVAL);
}

static void a_new_failure_replaces_all_of_the_old(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	tfs_err_say(&err, -EINVAL, "old");
	tfs_err_hint(&err, "do that");
	tfs_err_input(&err, "typed", 2);
	tfs_err_kernel(&err, "kernel");
	tfs_err_say(&err, -EIO, "new");
	assert_string_equal(err.msg, "new");
	assert_string_equal(err.hint, "");
	assert_string_equal(err.input, "");
	assert_string_equal(err.kernel, "");
	assert_int_equal(err.caret, -1);

	tfs_err_hint(&err, "do that");
	tfs_err_clear(&err);
	assert_int_equal(err.code, 0);
	assert_string_equal(err.msg, "");
	assert_string_equal(err.hint, "");
	assert_int_equal(err.caret, -1);
}

static void null_is_accepted_everywhere(void **state)
{
	(void)state;
	assert_int_equal(tfs_err_set(NULL, -EIO, "x"), -EIO);
	assert_int_equal(tfs_err_say(NULL, -EPERM, "x"), -EPERM);
	assert_int_equal(tfs_err_prefix(NULL, "x"), 0);
	tfs_err_hint(NULL, "x");
	tfs_err_input(NULL, "x", 0);
	tfs_err_kernel(NULL, "x");
	tfs_err_clear(NULL);
}

static void prefix_puts_context_in_front(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	tfs_err_say(&err, -EINVAL, "no such event");
	tfs_err_hint(&err, "look");
	assert_int_equal(tfs_err_prefix(&err, "event '%s'", "a:b"), -EINVAL);
	assert_int_equal(tfs_err_prefix(&err, "cannot record"), -EINVAL);
	assert_string_equal(err.msg, "cannot record: event 'a:b': no such event");
	assert_string_equal(err.hint, "look");
}

static void a_long_text_leaves_room_for_the_reason(void **state)
{
	static const char reason[] = ": No such file or directory";
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	tfs_err_set(&err, -ENOENT, "%s", long_text);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_string_equal(err.msg + strlen(err.msg) - strlen(reason), reason);
	tfs_err_say(&err, -ENOENT, "%s", long_text);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
}

static void a_long_prefix_leaves_half_for_the_message(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	tfs_err_say(&err, -EIO, "the message");
	tfs_err_prefix(&err, "%s", long_text);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) / 2 + strlen(": the message"));
	assert_non_null(strstr(err.msg, "x: the message"));

	tfs_err_say(&err, -EIO, "%s", long_text);
	tfs_err_prefix(&err, "context");
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_memory_equal(err.msg, "context: xxx", 12);
}

static void the_arguments_may_be_its_own_text(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	tfs_err_say(&err, -EIO, "first");
	tfs_err_hint(&err, "hint");
	tfs_err_say(&err, -EIO, "again: %s", err.msg);
	assert_string_equal(err.msg, "again: first");
	tfs_err_hint(&err, "one");
	tfs_err_hint(&err, "%s and two", err.hint);
	assert_string_equal(err.hint, "one and two");
	tfs_err_set(&err, -EIO, "%s", err.hint);
	assert_string_equal(err.msg, "one and two: Input/output error");
	tfs_err_input(&err, "abc", 1);
	tfs_err_input(&err, err.input, 2);
	assert_string_equal(err.input, "abc");
	assert_int_equal(err.caret, 2);
	tfs_err_kernel(&err, "words");
	tfs_err_kernel(&err, err.kernel);
	assert_string_equal(err.kernel, "words");
}

/* A text of @width-byte characters cut at every offset within one */
static void check_cut(const char *ch)
{
	struct tfs_err err = TFS_ERR_INIT;
	char text[1200];
	size_t width = strlen(ch), shift, i, len;

	for (shift = 0; shift < width; shift++) {
		memset(text, 'x', sizeof(text));
		for (i = shift; i + width < sizeof(text); i += width)
			memcpy(text + i, ch, width);
		text[i] = '\0';
		tfs_err_say(&err, -EIO, "%s", text);
		len = strlen(err.msg);
		assert_true(len < sizeof(err.msg) && len + width >= sizeof(err.msg));
		assert_int_equal((len - shift) % width, 0);
		assert_memory_equal(err.msg, text, len);

		tfs_err_kernel(&err, text);
		assert_int_equal((strlen(err.kernel) - shift) % width, 0);
		tfs_err_hint(&err, "%s", text);
		assert_int_equal((strlen(err.hint) - shift) % width, 0);
	}
}

static void a_cut_does_not_split_a_character(void **state)
{
	(void)state;
	check_cut("\xc3\xa9");
	check_cut("\xe2\x82\xac");
	check_cut("\xf0\x9f\x90\xa7");
}

static void bytes_that_are_not_characters_are_kept(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	char text[2000];

	(void)state;
	memset(text, 0x80, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	tfs_err_kernel(&err, text);
	assert_int_equal(strlen(err.kernel), sizeof(err.kernel) - 1);
}

static void the_fault_stays_visible_in_a_long_input(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	int at;

	(void)state;
	for (at = 0; at < (int)sizeof(long_text) - 1; at++) {
		long_text[at] = '!';
		tfs_err_input(&err, long_text, at);
		assert_true(err.caret >= 0 && err.caret < (int)strlen(err.input));
		assert_int_equal(err.input[err.caret], '!');
		long_text[at] = 'x';
	}
	tfs_err_input(&err, long_text, 2999);
	assert_int_equal(err.caret, strlen(err.input));
	assert_memory_equal(err.input, "...", 3);
}

static void a_long_input_begins_with_a_whole_character(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	char text[1801] = "";
	int at;

	(void)state;
	for (at = 0; at < 1800; at += 3)
		memcpy(text + at, "\xe2\x82\xac", 3);
	for (at = 600; at < 1800; at++) {
		tfs_err_input(&err, text, at);
		assert_memory_equal(err.input, "...\xe2\x82\xac", 6);
		assert_int_equal(err.input[err.caret], text[at]);
		assert_int_equal(strlen(err.input) % 3, 0);
	}
}

static void a_caret_outside_the_input_is_unknown(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	tfs_err_input(&err, "abc", 3);
	assert_int_equal(err.caret, 3);
	tfs_err_input(&err, "abc", 4);
	assert_int_equal(err.caret, -1);
	tfs_err_input(&err, "abc", -7);
	assert_int_equal(err.caret, -1);
	assert_string_equal(err.input, "abc");
	tfs_err_input(&err, NULL, 0);
	assert_string_equal(err.input, "");
	tfs_err_kernel(&err, NULL);
	assert_string_equal(err.kernel, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_appends_the_reason),
		cmocka_unit_test(say_appends_nothing),
		cmocka_unit_test(a_new_failure_replaces_all_of_the_old),
		cmocka_unit_test(null_is_accepted_everywhere),
		cmocka_unit_test(prefix_puts_context_in_front),
		cmocka_unit_test(a_long_text_leaves_room_for_the_reason),
		cmocka_unit_test(a_long_prefix_leaves_half_for_the_message),
		cmocka_unit_test(the_arguments_may_be_its_own_text),
		cmocka_unit_test(a_cut_does_not_split_a_character),
		cmocka_unit_test(bytes_that_are_not_characters_are_kept),
		cmocka_unit_test(the_fault_stays_visible_in_a_long_input),
		cmocka_unit_test(a_long_input_begins_with_a_whole_character),
		cmocka_unit_test(a_caret_outside_the_input_is_unknown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, fill, NULL);
}
