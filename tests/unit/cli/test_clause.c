/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "cli/clause.h"
#include "lib/alloc_fail.h"
#include "tracefs/event.h"

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct tc_clauses));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	alloc_fail_off();
	tc_clauses_release(*state);
	free(*state);
	return 0;
}

static void a_filter_belongs_to_the_event_before_it(void **state)
{
	struct tc_clauses *c = *state;

	assert_int_equal(tc_clauses_event(c, "a", NULL), 0);
	assert_int_equal(tc_clauses_event(c, "b", NULL), 0);
	assert_int_equal(tc_clauses_filter(c, "x == 1", NULL), 0);
	assert_int_equal(tc_clauses_event(c, "c", NULL), 0);
	assert_int_equal(c->n, 3);
	assert_string_equal(c->events[0].text, "a");
	assert_null(c->events[0].filter);
	assert_string_equal(c->events[1].filter, "x == 1");
	assert_null(c->events[2].filter);
}

static void a_filter_for_all_is_added_to_each_and_to_no_excluded_event(void **state)
{
	struct tc_clauses *c = *state;

	assert_int_equal(tc_clauses_event(c, "a", NULL), 0);
	assert_int_equal(tc_clauses_filter(c, "x == 1", NULL), 0);
	assert_int_equal(tc_clauses_event(c, "b", NULL), 0);
	tc_clauses_exclude(c);
	assert_int_equal(tc_clauses_event(c, "c", NULL), 0);
	assert_int_equal(tc_clauses_filter_all(c, "y || z", NULL), 0);
	assert_string_equal(c->events[0].filter, "(x == 1)&&(y || z)");
	assert_string_equal(c->events[1].filter, "y || z");
	assert_null(c->events[2].filter);
}

static void several_filters_have_all_to_hold(void **state)
{
	struct tc_clauses *c = *state;

	assert_int_equal(tc_clauses_event(c, "a", NULL), 0);
	assert_int_equal(tc_clauses_filter(c, "x == 1 || y == 2", NULL), 0);
	assert_int_equal(tc_clauses_filter(c, "z", NULL), 0);
	assert_string_equal(c->events[0].filter, "(x == 1 || y == 2)&&(z)");
	assert_int_equal(tc_clauses_filter(c, "w", NULL), 0);
	assert_string_equal(c->events[0].filter, "((x == 1 || y == 2)&&(z))&&(w)");
}

static void a_filter_without_an_event_is_an_error(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	assert_int_equal(tc_clauses_filter(*state, "x", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "no -e or -p before the filter 'x'"));
	/* whoever calls names the option, once */
	assert_null(strstr(err.msg, "option"));
	assert_true(err.hint[0]);
}

static void an_empty_name_or_filter_is_an_error(void **state)
{
	struct tc_clauses *c = *state;

	assert_int_equal(tc_clauses_event(c, "", NULL), -EINVAL);
	assert_int_equal(tc_clauses_event(c, "a", NULL), 0);
	assert_int_equal(tc_clauses_filter(c, " \t", NULL), -EINVAL);
	assert_null(c->events[0].filter);
	assert_int_equal(c->n, 1);
}

static void triggers_belong_to_the_event_before_them(void **state)
{
	struct tc_clauses *c = *state;
	struct tfs_err err = TFS_ERR_INIT;

	assert_int_equal(tc_clauses_trigger(c, "stacktrace", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "no -e or -p before the trigger 'stacktrace'"));
	assert_int_equal(tc_clauses_event(c, "a", NULL), 0);
	assert_int_equal(tc_clauses_trigger(c, "stacktrace:3", NULL), 0);
	assert_int_equal(tc_clauses_trigger(c, "traceoff if x == 1", NULL), 0);
	assert_int_equal(tc_clauses_trigger(c, " ", NULL), -EINVAL);
	assert_int_equal(tc_clauses_trigger(c, "!stacktrace", NULL), -EINVAL);
	assert_int_equal(tc_clauses_event(c, "b", NULL), 0);
	assert_int_equal(c->events[0].triggers.n, 2);
	assert_string_equal(c->events[0].triggers.v[1], "traceoff if x == 1");
	assert_int_equal(c->events[1].triggers.n, 0);
}

static void an_excluded_event_with_a_trigger_is_something_to_do(void **state)
{
	struct tc_clauses *c = *state;

	tc_clauses_exclude(c);
	assert_int_equal(tc_clauses_event(c, "a", NULL), 0);
	assert_int_equal(tc_clauses_check(c, TC_CLAUSES_REQUIRED, NULL), -EINVAL);
	/* a tracer, say, is recorded */
	assert_int_equal(tc_clauses_check(c, 0, NULL), 0);
	assert_int_equal(tc_clauses_trigger(c, "hist:keys=common_pid", NULL), 0);
	assert_int_equal(tc_clauses_check(c, TC_CLAUSES_REQUIRED, NULL), 0);
}

static void exclude_applies_to_the_options_that_follow(void **state)
{
	struct tc_clauses *c = *state;

	assert_int_equal(tc_clauses_event(c, "a", NULL), 0);
	tc_clauses_exclude(c);
	assert_int_equal(tc_clauses_event(c, "b", NULL), 0);
	assert_int_equal(tc_clauses_event(c, "c", NULL), 0);
	assert_false(c->events[0].exclude);
	assert_true(c->events[1].exclude);
	assert_true(c->events[2].exclude);
	assert_int_equal(tc_clauses_filter(c, "x", NULL), -EINVAL);
	assert_int_equal(tc_clauses_check(c, TC_CLAUSES_REQUIRED, NULL), 0);
}

static void something_has_to_be_left_to_record(void **state)
{
	struct tc_clauses *c = *state;
	struct tfs_err err = TFS_ERR_INIT;

	assert_int_equal(tc_clauses_check(c, TC_CLAUSES_REQUIRED, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "nothing to record"));
	tc_clauses_exclude(c);
	assert_int_equal(tc_clauses_event(c, "a", NULL), 0);
	assert_int_equal(tc_clauses_check(c, TC_CLAUSES_REQUIRED, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "disables every event"));
}

static void exclude_without_an_event_after_it_is_an_error(void **state)
{
	struct tc_clauses *c = *state;
	struct tfs_err err = TFS_ERR_INIT;

	assert_int_equal(tc_clauses_event(c, "a", NULL), 0);
	tc_clauses_exclude(c);
	assert_int_equal(tc_clauses_check(c, TC_CLAUSES_REQUIRED, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "-v"));
}

/* More than the first allocation holds, so that growing is tried too. */
static int fill(struct tc_clauses *c, struct tfs_err *err)
{
	int rc = 0;

	for (int i = 0; i < 20 && !rc; i++) {
		rc = tc_clauses_event(c, "a", err);
		if (!rc)
			rc = tc_clauses_filter(c, "x", err);
		if (!rc)
			rc = tc_clauses_filter(c, "y", err);
	}
	return rc;
}

static void a_probe_takes_a_filter_as_an_event_does(void **state)
{
	struct tc_clauses *c = *state;

	assert_int_equal(tc_clauses_event(c, "a", NULL), 0);
	assert_int_equal(tc_clauses_probe(c, "kprobe:vfs_read count", NULL), 0);
	assert_int_equal(tc_clauses_filter(c, "count > 1", NULL), 0);
	assert_false(c->events[0].probe);
	assert_null(c->events[0].filter);
	assert_true(c->events[1].probe);
	assert_string_equal(c->events[1].filter, "count > 1");
	assert_int_equal(tc_clauses_check(c, TC_CLAUSES_REQUIRED, NULL), 0);
}

static void a_probe_is_not_defined_to_be_switched_off(void **state)
{
	struct tc_clauses *c = *state;
	struct tfs_err err = TFS_ERR_INIT;

	tc_clauses_exclude(c);
	assert_int_equal(tc_clauses_probe(c, "kprobe:vfs_read", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "kprobe:vfs_read"));
	assert_int_equal(c->n, 0);
}

static void without_memory_it_says_so_and_stays_whole(void **state)
{
	struct tc_clauses *c = *state;
	struct tfs_err err;
	size_t n = 0;
	int rc;

	do {
		err = TFS_ERR_INIT;
		tc_clauses_release(c);
		alloc_fail_at(n++);
		rc = fill(c, &err);
		assert_int_equal(err.code, rc);
		assert_true(!rc || rc == -ENOMEM);
	} while (alloc_fail_off());
	assert_int_equal(rc, 0);
	assert_int_equal(c->n, 20);
	assert_string_equal(c->events[19].filter, "(x)&&(y)");
	assert_true(n > 40);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_filter_belongs_to_the_event_before_it),
		TEST(a_filter_for_all_is_added_to_each_and_to_no_excluded_event),
		TEST(several_filters_have_all_to_hold),
		TEST(a_filter_without_an_event_is_an_error),
		TEST(an_empty_name_or_filter_is_an_error),
		TEST(triggers_belong_to_the_event_before_them),
		TEST(an_excluded_event_with_a_trigger_is_something_to_do),
		TEST(exclude_applies_to_the_options_that_follow),
		TEST(something_has_to_be_left_to_record),
		TEST(exclude_without_an_event_after_it_is_an_error),
		TEST(a_probe_takes_a_filter_as_an_event_does),
		TEST(a_probe_is_not_defined_to_be_switched_off),
		TEST(without_memory_it_says_so_and_stays_whole),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
