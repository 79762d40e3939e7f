/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "lib/fake.h"
#include "tracefs/errlog.h"

/* Logs below are what a 6.18 kernel wrote after the commands named in them. */
static const char bad_value[] =
	"[ 2515.943328] event filter parse error: error: Expecting string field\n"
	"  Command: prev_comm == 1\n"
	"                         ^\n"
	"[ 2515.943595] event filter parse error: error: Invalid value (did you forget quotes)?\n"
	"  Command: prev_pid == abc\n"
	"                        ^\n";

static void the_newest_entry_is_taken_if_it_is_ours(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_true(tfs_errlog_parse(bad_value, "prev_pid == abc", &err));
	assert_string_equal(err.kernel, "event filter parse error: error: Invalid value "
					"(did you forget quotes)?");
	assert_string_equal(err.input, "prev_pid == abc");
	/* 24 blanks, 11 of them below "  Command: " */
	assert_int_equal(err.caret, 13);
}

static void a_newline_at_the_end_makes_no_difference(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_true(tfs_errlog_parse(bad_value, "prev_pid == abc\n", &err));
	assert_true(tfs_errlog_parse(bad_value, " prev_pid == abc ", &err));
}

static void anothers_entry_is_left_out(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_false(tfs_errlog_parse(bad_value, "prev_comm == 1", &err));
	assert_false(tfs_errlog_parse(bad_value, "prev_pid == ab", &err));
	assert_false(tfs_errlog_parse(bad_value, "prev_pid == abcd", &err));
	assert_false(tfs_errlog_parse("", "x", &err));
	assert_false(tfs_errlog_parse("# tracer: nop\n", "x", &err));
	assert_string_equal(err.kernel, "");
	assert_string_equal(err.input, "");
	assert_int_equal(err.caret, -1);
}

/* For a missing word at the end, the caret is after the newline that was written: 1 too far. */
static void a_caret_past_the_end_is_put_at_the_end(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_true(
		tfs_errlog_parse("[ 2534.447652] event filter parse error: error: Invalid value "
				 "(did you forget quotes)?\n"
				 "  Command: prev_pid ==\n"
				 "                       ^\n",
				 "prev_pid ==\n", &err));
	assert_string_equal(err.input, "prev_pid ==");
	assert_int_equal(err.caret, 11);
}

static void blanks_before_the_command_count_for_the_caret(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_true(
		tfs_errlog_parse("[ 2515.943431] event filter parse error: error: Field not found\n"
				 "  Command:    nosuch == 1\n"
				 "                     ^\n",
				 "   nosuch == 1\n", &err));
	assert_string_equal(err.input, "   nosuch == 1");
	assert_int_equal(err.caret, 10);
}

static void an_entry_cut_short_is_read_as_far_as_it_goes(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_true(tfs_errlog_parse("[ 1.0] a: error: b\n  Command: x", "x", &err));
	assert_string_equal(err.kernel, "a: error: b");
	assert_int_equal(err.caret, -1);
	assert_true(tfs_errlog_parse("no stamp\n  Command: x\n^\n", "x", &err));
	assert_string_equal(err.kernel, "no stamp");
	assert_int_equal(err.caret, -1);
	assert_true(tfs_errlog_parse("[ no end\n  Command: x\n", "x", &err));
	assert_string_equal(err.kernel, "[ no end");
}

/* The capture's own log: its newest entry is about a uprobe in a register that does not exist. */
static void the_log_of_the_tracefs_is_read(void **state)
{
	static const char command[] = "p:a/b /bin/bash:0x0 %foo";
	struct tfs_err err = TFS_ERR_INIT;
	struct fake fake;

	(void)state;
	fake_new(&fake, "x86_64-6.18");
	tfs_errlog_add(fake.root, "", command, &err);
	assert_string_equal(err.kernel, "trace_uprobe: error: Invalid register name");
	assert_string_equal(err.input + err.caret, "%foo");
	tfs_err_clear(&err);
	tfs_errlog_add(fake.root, "instances/none/", command, &err);
	tfs_errlog_add(fake.root, "", command, NULL);
	assert_string_equal(err.kernel, "");
	fake_free(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_entry_is_taken_if_it_is_ours),
		cmocka_unit_test(a_newline_at_the_end_makes_no_difference),
		cmocka_unit_test(anothers_entry_is_left_out),
		cmocka_unit_test(a_caret_past_the_end_is_put_at_the_end),
		cmocka_unit_test(blanks_before_the_command_count_for_the_caret),
		cmocka_unit_test(an_entry_cut_short_is_read_as_far_as_it_goes),
		cmocka_unit_test(the_log_of_the_tracefs_is_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("errlog", tests, NULL, NULL);
}
