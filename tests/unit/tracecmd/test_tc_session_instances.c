/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "main.h"
#include "lib/fake.h"
#include "tc-session-instances.h"
#include "tracefs/root.h"

/* main.c is not linked here */
const struct tc_command tc_command = { .name = "tc-session" };

static const struct tc_option options[] = {
	{ .type = TC_OPT_TABLE, .table = session_instance_options },
	TC_OPT_END,
};

struct fixture {
	struct fake fake;
	struct session_selection selection;
	struct session_instances instances;
	struct tfs_err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	fake_new(&f->fake, NULL);
	fake_put(&f->fake, "tracing_on", "1\n");
	fake_put(&f->fake, "instances/one/tracing_on", "1\n");
	fake_put(&f->fake, "instances/two/tracing_on", "1\n");
	fake_put(&f->fake, "instances/" SESSION_NAME "/tracing_on", "1\n");
	f->err = TFS_ERR_INIT;
	*state = f;
	return setenv(TFS_ROOT_ENV, f->fake.dir, 1);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	session_close(&f->instances);
	session_selection_release(&f->selection);
	fake_free(&f->fake);
	free(f);
	return 0;
}

/* The arguments after the verb, as the option table reads them */
static int parse(struct fixture *f, char **argv)
{
	struct tc_opt_result res;
	int argc = 0;

	while (argv[argc])
		argc++;
	return tc_opt_parse(options, argc, argv, &f->selection, &res, &f->err);
}

static int begin(struct fixture *f, unsigned int flags)
{
	return session_open(&f->selection, flags, 0, NULL, &f->instances, &f->err);
}

static void assert_places(const struct fixture *f, size_t n, const char *const names[])
{
	assert_int_equal(f->instances.n, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(f->instances.v[i].inst.name, names[i]);
}

static void named_buffers_are_taken_once_each_in_order(void **state)
{
	char *argv[] = { (char *)"stop", (char *)"-B", (char *)"two", (char *)"-t", (char *)"-B",
			 (char *)"one",  (char *)"-B", (char *)"two", NULL };
	struct fixture *f = *state;

	assert_int_equal(parse(f, argv), 0);
	assert_int_equal(begin(f, 0), TC_EXIT_OK);
	assert_places(f, 3, (const char *const[]){ "two", "", "one" });
	assert_string_equal(f->instances.v[0].inst.prefix, "instances/two/");
	assert_string_equal(f->instances.v[1].inst.prefix, "");
}

/* trace-cmd stop -a leaves the top level out, trace-cmd clear -a does not */
static void all_has_the_top_level_where_trace_cmd_has_it(void **state)
{
	char *argv[] = { (char *)"clear", (char *)"-a", NULL };
	struct fixture *f = *state;

	assert_int_equal(parse(f, argv), 0);
	assert_int_equal(begin(f, 0), TC_EXIT_OK);
	assert_places(f, 3, (const char *const[]){ "one", SESSION_NAME, "two" });
	session_close(&f->instances);
	assert_int_equal(begin(f, SESSION_ALL_WITH_TOP), TC_EXIT_OK);
	assert_places(f, 4, (const char *const[]){ "", "one", SESSION_NAME, "two" });
}

static void without_a_name_it_is_the_session(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(begin(f, 0), TC_EXIT_OK);
	assert_places(f, 1, (const char *const[]){ SESSION_NAME });
}

static void reports_unknown_instances_with_similar_names(void **state)
{
	char *argv[] = { (char *)"stop", (char *)"-B", (char *)"onee", NULL };
	struct fixture *f = *state;

	assert_int_equal(parse(f, argv), 0);
	assert_int_equal(begin(f, 0), TC_EXIT_FAILED);
	assert_string_equal(f->err.msg, "there is no instance 'onee'");
	assert_non_null(strstr(f->err.hint, "did you mean 'one'"));
}

static void a_path_is_not_a_name_and_an_operand_is_not_an_option(void **state)
{
	char *argv[] = { (char *)"stop", (char *)"-B", (char *)"../x", NULL };
	char *operands[] = { (char *)"one", NULL };
	struct fixture *f = *state;

	assert_int_equal(parse(f, argv), -EINVAL);
	assert_non_null(strstr(f->err.msg, "contains a slash"));
	assert_int_equal(session_open(&f->selection, 0, 1, operands, &f->instances, &f->err),
			 TC_EXIT_USAGE);
	assert_non_null(strstr(f->err.msg, "unexpected argument 'one'"));
}

static void options_of_a_choice_are_included(void **state)
{
	char *argv[] = { (char *)"reset", (char *)"-B",  (char *)"one",
			 (char *)"-B",    (char *)"two", NULL };
	struct fixture *f = *state;

	assert_null(session_last_selector(&f->selection));
	assert_int_equal(parse(f, argv), 0);
	assert_string_equal(session_last_selector(&f->selection)->name, "two");
	session_last_selector(&f->selection)->remove = true;
	session_last_selector(&f->selection)->buffer_bytes = 4096;
	assert_int_equal(begin(f, 0), TC_EXIT_OK);
	assert_false(f->instances.v[0].remove);
	assert_int_equal(f->instances.v[0].buffer_bytes, 0);
	assert_true(f->instances.v[1].remove);
	assert_int_equal(f->instances.v[1].buffer_bytes, 4096);
}

static void a_write_goes_to_the_buffers_own_file(void **state)
{
	char *argv[] = { (char *)"stop", (char *)"-B", (char *)"two", NULL };
	struct fixture *f = *state;

	assert_int_equal(parse(f, argv), 0);
	assert_int_equal(begin(f, 0), TC_EXIT_OK);
	assert_int_equal(
		session_write(&f->instances, &f->instances.v[0], "tracing_on", "0\n", &f->err), 0);
	assert_string_equal(fake_get(&f->fake, "instances/two/tracing_on"), "0\n");
	assert_string_equal(fake_get(&f->fake, "instances/one/tracing_on"), "1\n");
	assert_string_equal(fake_get(&f->fake, "tracing_on"), "1\n");
}

static void an_instance_is_chosen_again_by_its_words(void **state)
{
	struct tfs_instance inst;
	char words[64];

	(void)state;
	tfs_instance_top(&inst);
	session_option(&inst, words, sizeof(words));
	assert_string_equal(words, " -t");
	assert_int_equal(tfs_instance_named(&inst, "x", NULL), 0);
	session_option(&inst, words, sizeof(words));
	assert_string_equal(words, " -B x");
	assert_int_equal(tfs_instance_named(&inst, SESSION_NAME, NULL), 0);
	session_option(&inst, words, sizeof(words));
	assert_string_equal(words, "");
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(named_buffers_are_taken_once_each_in_order),
		T(all_has_the_top_level_where_trace_cmd_has_it),
		T(without_a_name_it_is_the_session),
		T(reports_unknown_instances_with_similar_names),
		T(a_path_is_not_a_name_and_an_operand_is_not_an_option),
		T(options_of_a_choice_are_included),
		T(a_write_goes_to_the_buffers_own_file),
		T(an_instance_is_chosen_again_by_its_words),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
