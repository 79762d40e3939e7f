/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "cli/verb.h"
#include "cli/command.h"

static const struct tc_option options[] = { TC_OPT_END };
static const struct tc_command start = {
	.name = "tc-x", .verb = "start", .summary = "begin", .options = options
};
static const struct tc_command status = {
	.name = "tc-x", .verb = "status", .alias = "stat", .summary = "show", .options = options
};
static const struct tc_command *const verbs[] = { &start, &status, NULL };
static const struct tc_foreign_verb foreign[] = { { "start2", "use start" }, { NULL, NULL } };
static const struct tc_command program = { .name = "tc-x",
					   .summary = "do things",
					   .options = options,
					   .verbs = verbs,
					   .foreign = foreign };

static void a_verb_is_found_by_its_name_and_its_alias(void **state)
{
	const struct tc_command *found = NULL;

	(void)state;
	assert_int_equal(tc_verb_find(&program, "start", &found, NULL), 0);
	assert_ptr_equal(found, &start);
	assert_int_equal(tc_verb_find(&program, "status", &found, NULL), 0);
	assert_ptr_equal(found, &status);
	found = NULL;
	assert_int_equal(tc_verb_find(&program, "stat", &found, NULL), 0);
	assert_ptr_equal(found, &status);
}

static void an_unknown_word_gets_similar_verbs(void **state)
{
	const struct tc_command *found = NULL;
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(tc_verb_find(&program, "strat", &found, &err), -EINVAL);
	assert_string_equal(err.msg, "unknown verb 'strat'");
	assert_non_null(strstr(err.hint, "did you mean 'start'"));
	assert_int_equal(tc_verb_find(&program, "--", &found, &err), -EINVAL);
	assert_string_equal(err.hint, "the verbs are start and status; see 'tc-x -h'");
	assert_int_equal(tc_verb_find(&program, NULL, &found, &err), -EINVAL);
	assert_string_equal(err.msg, "a verb is missing");
	assert_null(found);
}

static void a_verb_of_trace_cmd_gets_what_to_use_and_no_similar_one(void **state)
{
	const struct tc_command *found = NULL;
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(tc_verb_find(&program, "start2", &found, &err), -EINVAL);
	assert_string_equal(err.msg, "'start2' is a verb of trace-cmd, not of tc-x");
	assert_string_equal(err.hint, "use start");
}

static void all_verbs_are_listed(void **state)
{
	char text[1024] = "";
	FILE *to = fmemopen(text, sizeof(text), "w");

	(void)state;
	assert_non_null(to);
	tc_verb_dump(&program, to);
	fclose(to);
	assert_string_equal(text, "verb\tstart\t-\t-\t-\nverb\tstatus\t-\t-\t-\n");
	to = fmemopen(text, sizeof(text), "w");
	assert_non_null(to);
	tc_verb_help(&program, to);
	fclose(to);
	assert_non_null(strstr(text, "Usage: tc-x VERB [OPTION...]\ndo things\n"));
	assert_non_null(strstr(text, "\n  start   begin\n  status  show\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_verb_is_found_by_its_name_and_its_alias),
		cmocka_unit_test(an_unknown_word_gets_similar_verbs),
		cmocka_unit_test(a_verb_of_trace_cmd_gets_what_to_use_and_no_similar_one),
		cmocka_unit_test(all_verbs_are_listed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
