/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpus.h"
#include "base/err.h"

static void lists_and_ranges_are_taken(void **state)
{
	struct tfs_cpus cpus;
	unsigned int cpu;

	(void)state;
	assert_int_equal(tfs_cpus_parse("0-3,8", &cpus, NULL), 0);
	assert_int_equal(tfs_cpus_count(&cpus), 5);
	for (cpu = 0; cpu < 20; cpu++)
		assert_int_equal(tfs_cpus_has(&cpus, cpu), cpu <= 3 || cpu == 8);
	assert_int_equal(tfs_cpus_parse("0:2-3:8", &cpus, NULL), 0);
	for (cpu = 0; cpu < 20; cpu++)
		assert_int_equal(tfs_cpus_has(&cpus, cpu),
				 !cpu || cpu == 2 || cpu == 3 || cpu == 8);
	assert_int_equal(tfs_cpus_parse("5", &cpus, NULL), 0);
	assert_int_equal(tfs_cpus_count(&cpus), 1);
	assert_true(tfs_cpus_has(&cpus, 5));
	assert_int_equal(tfs_cpus_parse("7,1,1-2,7-7\n", &cpus, NULL), 0);
	assert_int_equal(tfs_cpus_count(&cpus), 3);
}

static void the_last_cpu_there_can_be_is_taken(void **state)
{
	struct tfs_cpus cpus;

	(void)state;
	assert_int_equal(tfs_cpus_parse("0-8191", &cpus, NULL), 0);
	assert_int_equal(tfs_cpus_count(&cpus), TFS_CPUS_MAX);
	assert_int_equal(tfs_cpus_parse("8191", &cpus, NULL), 0);
	assert_true(tfs_cpus_has(&cpus, 8191));
	assert_false(tfs_cpus_has(&cpus, 8192));
	assert_false(tfs_cpus_has(&cpus, 0xffffffffu));
	tfs_cpus_add(&cpus, 8192);
	tfs_cpus_add(&cpus, 0xffffffffu);
	assert_int_equal(tfs_cpus_count(&cpus), 1);
}

static void bad(const char *s, int want, int caret)
{
	struct tfs_cpus cpus, before;
	struct tfs_err err = TFS_ERR_INIT;
	int rc;

	memset(&cpus, 0x5a, sizeof(cpus));
	before = cpus;
	rc = tfs_cpus_parse(s, &cpus, &err);
	if (rc != want || err.caret != caret)
		fail_msg("'%s': %d with caret %d instead of %d with %d", s, rc, err.caret, want,
			 caret);
	assert_string_equal(err.input, s);
	assert_memory_equal(&cpus, &before, sizeof(cpus));
}

static void the_fault_is_pointed_at(void **state)
{
	(void)state;
	bad("", -EINVAL, 0);
	bad("a", -EINVAL, 0);
	bad("0,", -EINVAL, 2);
	bad(",0", -EINVAL, 0);
	bad("0,,1", -EINVAL, 2);
	bad("0-", -EINVAL, 2);
	bad("-1", -EINVAL, 0);
	bad("0-1-2", -EINVAL, 3);
	bad("0x1", -EINVAL, 1);
	bad("1 2", -EINVAL, 1);
	bad("1,5-3", -EINVAL, 2);
	bad("1\n\n", -EINVAL, 1);
	bad("8192", -ERANGE, 0);
	bad("1,8192", -ERANGE, 2);
	bad("0-99999999999999999999999", -ERANGE, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_ranges_are_taken),
		cmocka_unit_test(the_last_cpu_there_can_be_is_taken),
		cmocka_unit_test(the_fault_is_pointed_at),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
