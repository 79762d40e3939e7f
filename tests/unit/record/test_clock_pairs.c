/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/clock-pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/time.h"
#include "lib/fake.h"
#include "tracefs/instance.h"

static uint64_t now(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* The pair lies between two readings of both clocks by the test. */
static void clock_of_programs_is_read_directly(void **state)
{
	struct tfs_clock_pairs pairs = { .clock = "boot", .most = 8 };
	uint64_t boot = now(CLOCK_BOOTTIME), real = now(CLOCK_REALTIME);

	(void)state;
	assert_int_equal(tfs_clock_pairs_take(&pairs), 0);
	assert_int_equal(pairs.n, 1);
	assert_int_equal(pairs.v->method, TFS_DAT_CLOCK_READ);
	assert_int_equal(pairs.v->source, TFS_DAT_CLOCK_REALTIME);
	assert_true(pairs.v->trace >= boot && pairs.v->trace <= now(CLOCK_BOOTTIME));
	assert_true(pairs.v->ref >= real && pairs.v->ref <= now(CLOCK_REALTIME));
	assert_true(pairs.v->bound > 0 && pairs.v->bound < UINT64_MAX / 2);
	assert_true(tfs_clock_pairs_left(&pairs) > 0);
	tfs_clock_pairs_release(&pairs);
	assert_int_equal(tfs_clock_pairs_left(&pairs), 0);
}

static void other_clocks_are_read_from_statistics(void **state)
{
	struct tfs_clock_pairs pairs = { .clock = "local", .most = 8, .cpu = 1 };
	struct tfs_instance inst = { .prefix = "instances/tc/" };
	struct fake f;

	(void)state;
	fake_new(&f, NULL);
	pairs.root = f.root;
	pairs.inst = &inst;
	/* Without the file there is no pair, and no error. */
	assert_int_equal(tfs_clock_pairs_take(&pairs), 0);
	assert_int_equal(pairs.n, 0);
	fake_put(&f, "instances/tc/per_cpu/cpu1/stats",
		 "entries: 0\noverrun: 0\ncommit overrun: 0\nbytes: 0\n"
		 "oldest event ts:     0.000000\nnow ts:  3182.901625\ndropped events: 0\n"
		 "read events: 0\n");
	assert_int_equal(tfs_clock_pairs_take(&pairs), 0);
	assert_int_equal(pairs.n, 1);
	assert_int_equal(pairs.v->method, TFS_DAT_CLOCK_STATS);
	assert_true(pairs.v->trace == 3182901625000);
	/* the file has whole microseconds */
	assert_true(pairs.v->bound > 1000);
	tfs_clock_pairs_release(&pairs);
	fake_free(&f);
}

static void counter_is_not_compared(void **state)
{
	struct tfs_clock_pairs pairs = { .clock = "counter", .most = 8 };

	(void)state;
	assert_int_equal(tfs_clock_pairs_take(&pairs), 0);
	assert_int_equal(pairs.n, 0);
	assert_int_equal(tfs_clock_pairs_kind("counter"), TFS_DAT_CLOCK_COUNTER);
	assert_int_equal(tfs_clock_pairs_kind("local"), TFS_DAT_CLOCK_PER_CPU);
	assert_int_equal(tfs_clock_pairs_kind("mono"), 0);
}

/* A recorder that runs for months */
static void number_of_pairs_is_bounded(void **state)
{
	struct tfs_clock_pairs pairs = { .clock = "mono", .most = 8 };
	uint64_t first;

	(void)state;
	assert_int_equal(tfs_clock_pairs_take(&pairs), 0);
	first = pairs.v->trace;
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(tfs_clock_pairs_take(&pairs), 0);
		assert_in_range(pairs.n, 2, 8);
	}
	assert_true(pairs.v[0].trace == first);
	for (size_t i = 1; i < pairs.n; i++)
		assert_true(pairs.v[i].trace > pairs.v[i - 1].trace);
	tfs_clock_pairs_release(&pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clock_of_programs_is_read_directly),
		cmocka_unit_test(other_clocks_are_read_from_statistics),
		cmocka_unit_test(counter_is_not_compared),
		cmocka_unit_test(number_of_pairs_is_bounded),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
