/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "lib/capture.h"

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
	tfs_strbuf_release(*state);
	free(*state);
	return 0;
}

static void show_error(void *arg)
{
	tc_msg_error("tc-test", arg);
}

/* The output of tc_msg_error() on stderr */
static const char *shown(struct tfs_strbuf *sb, struct tfs_err *err)
{
	tfs_strbuf_reset(sb);
	assert_int_equal(capture_run(show_error, err, STDERR_FILENO, -1, sb), 0);
	return sb->s;
}

static void an_error_is_one_line_after_the_programs_name(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	tfs_err_set(&err, -ENOENT, "cannot open 'a'");
	assert_string_equal(shown(*state, &err),
			    "tc-test: cannot open 'a': No such file or directory\n");
}

static void a_code_without_words_is_explained(void **state)
{
	struct tfs_err err = { .code = -EACCES, .caret = -1 };

	assert_string_equal(shown(*state, &err), "tc-test: Permission denied\n");
}

static void a_limit_of_open_files_is_named(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct rlimit limit;
	char want[256];

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	tfs_err_set(&err, -EMFILE, "cannot open 'a'");
	snprintf(want, sizeof(want),
		 "tc-test: cannot open 'a': Too many open files\n"
		 "hint: this program may have %llu files open at a time; ulimit -n shows and sets "
		 "that\n",
		 (unsigned long long)limit.rlim_cur);
	assert_string_equal(shown(*state, &err), want);
	tfs_err_hint(&err, "another one");
	assert_null(strstr(shown(*state, &err), "ulimit"));
}

static void the_caret_stands_under_the_fault(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	tfs_err_say(&err, -EINVAL, "'64Q': unknown unit 'Q'");
	tfs_err_input(&err, "64Q", 2);
	tfs_err_hint(&err, "K, M, G or T");
	assert_string_equal(shown(*state, &err), "tc-test: '64Q': unknown unit 'Q'\n"
						 "  64Q\n"
						 "    ^\n"
						 "hint: K, M, G or T\n");
	/* after the end: something is missing there */
	tfs_err_say(&err, -EINVAL, "x");
	tfs_err_input(&err, "0-", 2);
	assert_string_equal(shown(*state, &err), "tc-test: x\n  0-\n    ^\n");
	/* without a place there is nothing to point at */
	tfs_err_input(&err, "0-", -1);
	assert_string_equal(shown(*state, &err), "tc-test: x\n");
}

static void the_caret_counts_characters_and_tabs_as_one(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	tfs_err_say(&err, -EINVAL, "x");
	tfs_err_input(&err, "\xc3\xa9\xe2\x82\xac!", 5);
	assert_string_equal(shown(*state, &err), "tc-test: x\n  \xc3\xa9\xe2\x82\xac!\n    ^\n");
	tfs_err_input(&err, "a\tb\nc!", 5);
	assert_string_equal(shown(*state, &err), "tc-test: x\n  a b c!\n       ^\n");
}

static void the_kernels_words_keep_their_lines(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	tfs_err_say(&err, -EINVAL, "cannot set the filter");
	tfs_err_kernel(&err, "parse_error: Field not found\n  Command: nonsense > 1\n\t   ^");
	assert_string_equal(shown(*state, &err), "tc-test: cannot set the filter\n"
						 "the kernel says:\n"
						 "  parse_error: Field not found\n"
						 "    Command: nonsense > 1\n"
						 "  \t   ^\n");
	tfs_err_kernel(&err, "one\n");
	assert_string_equal(shown(*state, &err),
			    "tc-test: cannot set the filter\nthe kernel says:\n  one\n");
}

static void nothing_printed_acts_on_the_terminal(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	tfs_err_say(&err, -EINVAL, "bad \033[31mname\r\177");
	tfs_err_input(&err, "\033]0;x\007", 0);
	tfs_err_kernel(&err, "k\033c\r");
	tfs_err_hint(&err, "two\nlines\b");
	assert_string_equal(shown(*state, &err), "tc-test: bad ?[31mname??\n"
						 "  ?]0;x?\n"
						 "  ^\n"
						 "the kernel says:\n"
						 "  k?c?\n"
						 "hint: two lines?\n");
	/* U+009B begins a sequence as ESC [ does, as a byte on terminals without UTF-8. */
	tfs_err_say(&err, -EINVAL,
		    "c1 \xc2\x9b"
		    "2J \x9b"
		    "2J \xc3\xa4 \xc2\xa0.");
	assert_string_equal(shown(*state, &err), "tc-test: c1 ?2J ?2J \xc3\xa4 \xc2\xa0.\n");
}

static void the_longest_error_is_printed_whole(void **state)
{
	struct tfs_strbuf *sb = *state;
	struct tfs_err err = { .code = -EIO, .caret = 500 };

	memset(err.msg, 'm', sizeof(err.msg) - 1);
	memset(err.input, 'i', sizeof(err.input) - 1);
	memset(err.kernel, '\n', sizeof(err.kernel) - 1);
	memset(err.hint, 'h', sizeof(err.hint) - 1);
	shown(sb, &err);
	assert_int_equal(sb->len, strlen("tc-test: ") + 1023 + 1 + 2 + 511 + 1 + 2 + 500 + 2 +
					  strlen("the kernel says:\n") + 3 * 1023 +
					  strlen("hint: ") + 1023 + 1);
}

static void print_notices(void *arg)
{
	char one[] = "first", two[] = "second";
	char *v[] = { one, two };
	const struct tfs_strvec lines = { .v = v, .n = 2 };

	(void)arg;
	tc_msg_notices("tc-test", &lines);
	tc_msg_notice("tc-test", "took '%s' for '%s'", "a\ntc-test: b", "b\033");
	tc_msg_line("%d events, %s", 5, "none lost");
	tc_msg_line("%s", "");
	tc_msg_line("two\nlines");
}

static void notices_and_lines_go_to_stderr(void **state)
{
	struct tfs_strbuf *sb = *state;

	assert_int_equal(capture_run(print_notices, NULL, STDERR_FILENO, -1, sb), 0);
	assert_string_equal(sb->s, "tc-test: first\n"
				   "tc-test: second\n"
				   "tc-test: took 'a?tc-test: b' for 'b?'\n"
				   "5 events, none lost\n"
				   "\n"
				   "two\n"
				   "lines\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_error_is_one_line_after_the_programs_name),
		TEST(a_code_without_words_is_explained),
		TEST(a_limit_of_open_files_is_named),
		TEST(the_caret_stands_under_the_fault),
		TEST(the_caret_counts_characters_and_tabs_as_one),
		TEST(the_kernels_words_keep_their_lines),
		TEST(nothing_printed_acts_on_the_terminal),
		TEST(the_longest_error_is_printed_whole),
		TEST(notices_and_lines_go_to_stderr),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
