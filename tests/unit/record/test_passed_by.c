/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/fake.h"
#include "record/passed-by.h"

/* One CPU of the top level holds, has overwritten and has given away so many. */
static void has(const struct fake *fake, int entries, int overrun, int read)
{
	char text[128];

	snprintf(
		text, sizeof(text),
		"entries: %d\noverrun: %d\ncommit overrun: 0\ndropped events: 0\nread events: %d\n",
		entries, overrun, read);
	fake_put(fake, "per_cpu/cpu0/stats", text);
}

/* 6 so far, then these */
static uint64_t passed(const struct fake *fake, bool copied, int entries, int overrun, int read)
{
	struct tfs_passed_by p;

	has(fake, 3, 2, 1);
	tfs_passed_by_begin(&p, fake->root, copied);
	has(fake, entries, overrun, read);
	return tfs_passed_by_count(&p, fake->root);
}

static int setup(void **state)
{
	struct fake *fake = calloc(1, sizeof(*fake));

	if (!fake)
		return -1;
	*state = fake;
	fake_new(fake, NULL);
	fake_put(fake, "current_tracer", "nop\n");
	fake_put(fake, "set_event", "");
	return 0;
}

static int teardown(void **state)
{
	fake_free(*state);
	free(*state);
	return 0;
}

static void every_record_counts_where_nothing_is_copied(void **state)
{
	assert_int_equal(passed(*state, false, 3, 2, 1), 0);
	assert_int_equal(passed(*state, false, 3, 3, 5), 5);
	assert_int_equal(passed(*state, false, 4, 2, 1), 1);
	/* somebody emptied it */
	assert_int_equal(passed(*state, false, 1, 0, 0), 0);
}

static void where_markers_are_copied_the_kernels_own_text_is_missing(void **state)
{
	fake_put(*state, "trace",
		 "# tracer: nop\n#\n"
		 "   sh-1   [000] .....  1.000001: some_function: before the recording\n"
		 "   sh-1   [000] .....  1.000002: tracing_mark_write: B|1|x\n"
		 "   sh-1   [000] .....  1.000003: some_function: during it\n"
		 "   sh-1   [000] .....  1.000004: tracing_mark_write: E|1|x\n");
	assert_int_equal(passed(*state, true, 6, 2, 1), 1);
	assert_int_equal(passed(*state, true, 7, 2, 1), 2);
	assert_int_equal(passed(*state, true, 300, 2, 1), 2);
	assert_int_equal(passed(*state, true, 4, 2, 1), 0);
}

static void a_top_level_that_others_use_is_not_counted(void **state)
{
	fake_put(*state, "set_event", "sched:sched_switch\n");
	assert_int_equal(passed(*state, false, 30, 2, 1), 0);
	fake_put(*state, "set_event", "");
	fake_put(*state, "current_tracer", "function\n");
	assert_int_equal(passed(*state, false, 30, 2, 1), 0);
}

static void a_zeroed_one_watches_nothing(void **state)
{
	const struct tfs_passed_by none = { 0 };
	const struct fake *fake = *state;

	has(fake, 30, 0, 0);
	assert_int_equal(tfs_passed_by_count(&none, fake->root), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_record_counts_where_nothing_is_copied),
		TEST(where_markers_are_copied_the_kernels_own_text_is_missing),
		TEST(a_top_level_that_others_use_is_not_counted),
		TEST(a_zeroed_one_watches_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
