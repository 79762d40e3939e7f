/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel says where the thread may run: sched_getaffinity() */
#include "record/near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAUSE UINT64_C(10000000)

static cpu_set_t allowed(void)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	return set;
}

static int first_of(const cpu_set_t *set)
{
	for (unsigned int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, set))
			return (int)i;
	fail();
	return -1;
}

static void the_reader_goes_where_three_quarters_of_the_data_are(void **state)
{
	static const unsigned int cpus[] = { 0, 3, 7 };

	(void)state;
	assert_int_equal(tfs_near_choose(cpus, (size_t[]){ 0, 8, 0 }, 3), 3);
	assert_int_equal(tfs_near_choose(cpus, (size_t[]){ 10, 0, 90 }, 3), 7);
	assert_int_equal(tfs_near_choose(cpus, (size_t[]){ 75, 25, 0 }, 3), 0);
	assert_int_equal(tfs_near_choose(cpus, (size_t[]){ 74, 26, 0 }, 3), -1);
	assert_int_equal(tfs_near_choose(cpus, (size_t[]){ 50, 50, 0 }, 3), -1);
}

static void little_is_not_worth_a_move(void **state)
{
	static const unsigned int cpus[] = { 0, 1 };

	(void)state;
	assert_int_equal(tfs_near_choose(cpus, (size_t[]){ 0, 7 }, 2), -1);
	assert_int_equal(tfs_near_choose(cpus, (size_t[]){ 0, 0 }, 2), -1);
}

static void cpus_beyond_the_set_are_left_alone(void **state)
{
	static const unsigned int cpus[] = { 0, CPU_SETSIZE };

	(void)state;
	assert_int_equal(tfs_near_choose(cpus, (size_t[]){ 0, 100 }, 2), -1);
}

static void the_thread_moves_and_is_released(void **state)
{
	const cpu_set_t before = allowed();
	const int cpu = first_of(&before);
	struct tfs_near near;
	cpu_set_t now;

	(void)state;
	tfs_near_init(&near);
	tfs_near_move(&near, cpu, 1000, PAUSE);
	now = allowed();
	assert_int_equal(CPU_COUNT(&now), 1);
	assert_true(CPU_ISSET((unsigned int)cpu, &now));
	tfs_near_move(&near, -1, 1000 + PAUSE, PAUSE);
	now = allowed();
	assert_true(CPU_EQUAL(&now, &before));
	tfs_near_move(&near, cpu, 1000 + 2 * PAUSE, PAUSE);
	tfs_near_release(&near);
	now = allowed();
	assert_true(CPU_EQUAL(&now, &before));
}

static void a_cpu_that_is_not_its_own_is_not_used(void **state)
{
	const cpu_set_t before = allowed();
	struct tfs_near near;
	cpu_set_t now;

	(void)state;
	tfs_near_init(&near);
	tfs_near_move(&near, CPU_SETSIZE - 1, 1000, PAUSE);
	now = allowed();
	assert_true(CPU_EQUAL(&now, &before));
}

static void who_does_not_get_to_run_there_is_not_moved_again(void **state)
{
	const cpu_set_t before = allowed();
	const int cpu = first_of(&before);
	struct tfs_near near;
	cpu_set_t now;

	(void)state;
	tfs_near_init(&near);
	tfs_near_move(&near, cpu, 1000, PAUSE);
	tfs_near_move(&near, cpu, 1000 + 12 * PAUSE, PAUSE);
	now = allowed();
	assert_true(CPU_EQUAL(&now, &before));
	tfs_near_move(&near, cpu, 1000 + 13 * PAUSE, PAUSE);
	now = allowed();
	assert_true(CPU_EQUAL(&now, &before));
	/* Without a move a late call means nothing. */
	tfs_near_init(&near);
	tfs_near_move(&near, -1, 1000 + 100 * PAUSE, PAUSE);
	tfs_near_move(&near, cpu, 1000 + 200 * PAUSE, PAUSE);
	assert_int_equal(near.cpu, cpu);
	tfs_near_release(&near);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_reader_goes_where_three_quarters_of_the_data_are),
		cmocka_unit_test(little_is_not_worth_a_move),
		cmocka_unit_test(cpus_beyond_the_set_are_left_alone),
		cmocka_unit_test(the_thread_moves_and_is_released),
		cmocka_unit_test(a_cpu_that_is_not_its_own_is_not_used),
		cmocka_unit_test(who_does_not_get_to_run_there_is_not_moved_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
