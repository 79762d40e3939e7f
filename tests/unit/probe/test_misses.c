/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/fake.h"
#include "probe/misses.h"

/* Two groups have an event of the same name; "twice" has two places. */
static const char events[] = "p:one/hit vfs_read arg=%di\n"
			     "r32:two/hit vfs_write\n"
			     "p:one/twice schedule\n"
			     "p:one/twice do_exit\n";
static const char profile[] =
	"  hit                                                        10  1\n"
	"  hit                                                        20  20\n"
	"  twice                                                       5  300\n"
	"  twice                                                       5  4000\n";

static int setup(void **state)
{
	struct fake *fake = calloc(1, sizeof(*fake));

	assert_non_null(fake);
	fake_new(fake, "x86_64-6.18");
	fake_put(fake, "kprobe_events", events);
	fake_put(fake, "kprobe_profile", profile);
	*state = fake;
	return 0;
}

static int teardown(void **state)
{
	fake_free(*state);
	free(*state);
	return 0;
}

static uint64_t misses(const struct fake *fake, const char *name)
{
	uint64_t n = 77;

	assert_int_equal(tfs_probe_misses(fake->root, name, &n), 0);
	return n;
}

static void groups_are_distinguished_by_the_order_of_the_definitions(void **state)
{
	assert_int_equal(misses(*state, "one:hit"), 1);
	assert_int_equal(misses(*state, "two:hit"), 20);
}

static void all_places_of_an_event_are_added_up(void **state)
{
	assert_int_equal(misses(*state, "one:twice"), 4300);
	assert_int_equal(misses(*state, "one:*"), 4301);
}

static void events_that_are_not_probes_of_the_kernel_have_no_misses(void **state)
{
	assert_int_equal(misses(*state, "sched:sched_switch"), 0);
	assert_int_equal(misses(*state, "one:hi"), 0);
	assert_int_equal(misses(*state, "on:hit"), 0);
}

static void without_the_files_there_are_no_misses(void **state)
{
	struct fake *fake = *state;

	fake_put(fake, "kprobe_profile", "");
	assert_int_equal(misses(fake, "one:hit"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(groups_are_distinguished_by_the_order_of_the_definitions),
		TEST(all_places_of_an_event_are_added_up),
		TEST(events_that_are_not_probes_of_the_kernel_have_no_misses),
		TEST(without_the_files_there_are_no_misses),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
