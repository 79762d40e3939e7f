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
#include "lib/fake.h"
#include "tc-stat-names.h"

struct fixture {
	struct fake fake;
	struct tc_clauses clauses;
	struct stat_events events;
	struct tfs_err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->err = TFS_ERR_INIT;
	fake_new(&f->fake, "x86_64-6.18");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	stat_events_release(&f->events);
	tc_clauses_release(&f->clauses);
	fake_free(&f->fake);
	free(f);
	return 0;
}

static int find(struct fixture *f, const char *name)
{
	assert_int_equal(tc_clauses_event(&f->clauses, name, NULL), 0);
	return stat_events_find(&f->clauses, f->fake.root, &f->events, &f->err);
}

static void a_system_is_each_of_its_events(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(find(f, "raw_syscalls"), 0);
	assert_int_equal(f->events.n, 2);
	assert_string_equal(f->events.v[0].name, "raw_syscalls:sys_enter");
	assert_string_equal(f->events.v[1].name, "raw_syscalls:sys_exit");
}

static void an_event_that_is_named_twice_is_counted_once(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tc_clauses_event(&f->clauses, "sched:sched_switch", NULL), 0);
	assert_int_equal(find(f, "sched:sched_sw*ch"), 0);
	assert_int_equal(f->events.n, 1);
}

static void with_a_filter_of_its_own_it_is_counted_again(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tc_clauses_event(&f->clauses, "sched:sched_switch", NULL), 0);
	assert_int_equal(tc_clauses_filter(&f->clauses, "next_pid == 0", NULL), 0);
	assert_int_equal(find(f, "sched:sched_switch"), 0);
	assert_int_equal(f->events.n, 2);
	assert_string_equal(f->events.v[0].filter, "next_pid == 0");
	assert_null(f->events.v[1].filter);
}

static void a_probe_is_called_as_it_was_typed_without_its_arguments(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tc_clauses_probe(&f->clauses, "kprobe:vfs_read count=%dx", NULL), 0);
	assert_int_equal(stat_events_find(&f->clauses, f->fake.root, &f->events, NULL), 0);
	assert_string_equal(f->events.v[0].name, "kprobe:vfs_read");
	assert_string_equal(f->events.v[0].text, "kprobe:vfs_read count=%dx");
}

static void a_counter_of_the_processor_is_named_as_such(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(find(f, "L1-dcache-load-misses"), -ENOENT);
	assert_string_equal(f->err.msg, "'L1-dcache-load-misses' is a counter of the processor or "
					"of perf, not an event of tracefs");
	assert_string_equal(f->err.hint, "perf stat -e L1-dcache-load-misses counts it");
}

static void a_counter_with_a_tracepoint_names_it(void **state)
{
	const char *instead;

	(void)state;
	assert_true(stat_is_counter("context-switches", &instead));
	assert_string_equal(instead, "sched:sched_switch");
	assert_true(stat_is_counter("cycles:u", &instead));
	assert_null(instead);
	assert_true(stat_is_counter("r1a8", &instead));
	assert_false(stat_is_counter("cycle", &instead));
	assert_false(stat_is_counter("read", &instead));
}

static void another_unknown_name_gets_suggestions(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(find(f, "sched:sched_swich"), -ENOENT);
	assert_non_null(strstr(f->err.hint, "'sched:sched_switch'"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_system_is_each_of_its_events),
		TEST(an_event_that_is_named_twice_is_counted_once),
		TEST(with_a_filter_of_its_own_it_is_counted_again),
		TEST(a_probe_is_called_as_it_was_typed_without_its_arguments),
		TEST(a_counter_of_the_processor_is_named_as_such),
		TEST(a_counter_with_a_tracepoint_names_it),
		TEST(another_unknown_name_gets_suggestions),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
