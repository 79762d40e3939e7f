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
#include "base/strvec.h"
#include "cli/shell.h"
#include "lib/alloc_fail.h"

/* POSIX, Shell Command Language, 2.2 Quoting */
static void a_line_is_split_as_a_shell_splits_it(void **state)
{
	static const struct {
		const char *line;
		const char *words[5];
	} cases[] = {
		{ "", { NULL } },
		{ " \t ", { NULL } },
		{ "a", { "a" } },
		{ "  a\tb  ", { "a", "b" } },
		{ "'a b' c", { "a b", "c" } },
		{ "'' \"\"", { "", "" } },
		{ "a'b'\"c\"d", { "abcd" } },
		{ "'it'\\''s'", { "it's" } },
		{ "'a\\b$`;|\"'", { "a\\b$`;|\"" } },
		{ "\"a'b\"", { "a'b" } },
		{ "\"\\\"\\\\\\$\\`\\a\"", { "\"\\$`\\a" } },
		{ "\\$HOME \\; \\'", { "$HOME", ";", "'" } },
		{ "sched:* sched_[sw]? {a,b} ~ x=y !",
		  { "sched:*", "sched_[sw]?", "{a,b}", "~", "x=y" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tfs_strvec got = TFS_STRVEC_INIT;
		size_t n = 0;

		assert_int_equal(tc_shell_split(&got, cases[i].line, NULL), 0);
		for (; n < ARRAY_SIZE(cases[i].words) && cases[i].words[n]; n++) {
			assert_in_range(got.n, n + 1, SIZE_MAX);
			assert_string_equal(got.v[n], cases[i].words[n]);
		}
		/* the last case has one more */
		assert_int_equal(got.n, i + 1 < ARRAY_SIZE(cases) ? n : n + 1);
		tfs_strvec_release(&got);
	}
}

static void shell_syntax_is_refused_at_its_position(void **state)
{
	static const struct {
		const char *line;
		int at;
	} cases[] = {
		{ "a; b", 1 },       { "a && b", 2 },  { "a | b", 2 },       { "a >b", 2 },
		{ "a <b", 2 },       { "(a)", 0 },     { "a $b", 2 },        { "a$(b)", 1 },
		{ "a `b`", 2 },      { "a\nb", 1 },    { "a \"$b\"", 3 },    { "a \"`b`\"", 3 },
		{ "a \"b\nc\"", 4 }, { "a 'b", 2 },    { "a \"b", 2 },       { "a\\", 1 },
		{ "a \\\nb", 2 },    { "a \"b\\", 2 }, { "a \"b\\\" c", 2 }, { "a\rb", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tfs_strvec got = TFS_STRVEC_INIT;
		struct tfs_err err = TFS_ERR_INIT;

		assert_int_equal(tc_shell_split(&got, cases[i].line, &err), -EINVAL);
		assert_string_not_equal(err.msg, "");
		assert_int_equal(err.caret, cases[i].at);
		tfs_strvec_release(&got);
	}
}

static void quoted_words_of_any_bytes_are_split_into_the_same(void **state)
{
	struct tfs_strvec words = TFS_STRVEC_INIT;
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	char word[4] = "";

	(void)state;
	for (unsigned int a = 1; a < 256; a++) {
		for (unsigned int b = 0; b < 256; b += 7) {
			tfs_strbuf_reset(&line);
			tfs_strvec_release(&words);
			word[0] = (char)a;
			word[1] = (char)b;
			assert_int_equal(tc_shell_quote(&line, word), 0);
			assert_int_equal(tfs_strbuf_addc(&line, ' '), 0);
			assert_int_equal(tc_shell_quote(&line, ""), 0);
			assert_int_equal(tc_shell_split(&words, line.s, NULL), 0);
			assert_int_equal(words.n, 2);
			assert_string_equal(words.v[0], word);
			assert_string_equal(words.v[1], "");
		}
	}
	tfs_strvec_release(&words);
	tfs_strbuf_release(&line);
}

static void plain_words_are_left_readable(void **state)
{
	struct tfs_strbuf line = TFS_STRBUF_INIT;

	(void)state;
	assert_int_equal(tc_shell_quote(&line, "--max-size=10M,sched:sched_switch@/a.b"), 0);
	assert_string_equal(line.s, "--max-size=10M,sched:sched_switch@/a.b");
	tfs_strbuf_reset(&line);
	assert_int_equal(tc_shell_quote(&line, "sched:*"), 0);
	assert_string_equal(line.s, "'sched:*'");
	tfs_strbuf_release(&line);
}

static void no_memory_is_a_failure(void **state)
{
	int failed = 0, rc = -ENOMEM;

	(void)state;
	for (size_t i = 0; rc; i++) {
		struct tfs_strvec words = TFS_STRVEC_INIT;

		alloc_fail_at(i);
		rc = tc_shell_split(&words, "'a b' c", NULL);
		alloc_fail_off();
		assert_true(!rc || rc == -ENOMEM);
		failed += rc == -ENOMEM;
		tfs_strvec_release(&words);
	}
	assert_in_range(failed, 2, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_split_as_a_shell_splits_it),
		cmocka_unit_test(shell_syntax_is_refused_at_its_position),
		cmocka_unit_test(quoted_words_of_any_bytes_are_split_into_the_same),
		cmocka_unit_test(plain_words_are_left_readable),
		cmocka_unit_test(no_memory_is_a_failure),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
