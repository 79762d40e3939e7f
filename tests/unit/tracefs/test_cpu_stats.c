/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/fake.h"
#include "tracefs/cpu-stats.h"
#include "tracefs/instance.h"

/* per_cpu/cpu0/stats of a real machine, Linux 6.18 */
static const char stats_text[] = "entries: 12\n"
				 "overrun: 38641\n"
				 "commit overrun: 3\n"
				 "bytes: 5\n"
				 "oldest event ts:  2836.582769\n"
				 "now ts:  2836.605081\n"
				 "dropped events: 7\n"
				 "read events: 424\n";

static void reads_counters_by_name(void **state)
{
	struct tfs_cpu_stats stats;

	(void)state;
	tfs_cpu_stats_parse(stats_text, &stats);
	assert_int_equal(stats.entries, 12);
	assert_int_equal(stats.overrun, 38641);
	assert_int_equal(stats.commit_overrun, 3);
	assert_int_equal(stats.dropped, 7);
	assert_int_equal(stats.read, 424);
	tfs_cpu_stats_parse("overrun: x\nread events", &stats);
	assert_int_equal(stats.overrun, 0);
	assert_int_equal(stats.read, 0);
}

static void lists_cpus_in_ascending_order(void **state)
{
	struct tfs_instance top;
	struct fake fake;
	unsigned int *cpus = NULL;
	size_t n;

	(void)state;
	fake_new(&fake, NULL);
	tfs_instance_top(&top);
	assert_int_equal(tfs_instance_cpus(fake.root, &top, &cpus, &n, NULL), -ENOENT);
	fake_put(&fake, "per_cpu/cpu10/stats", "");
	fake_put(&fake, "per_cpu/cpu2/stats", "");
	fake_put(&fake, "per_cpu/cpu0/stats", "");
	fake_put(&fake, "per_cpu/cpux/stats", "");
	fake_put(&fake, "per_cpu/cpu3x/stats", "");
	assert_int_equal(tfs_instance_cpus(fake.root, &top, &cpus, &n, NULL), 0);
	assert_int_equal(n, 3);
	assert_int_equal(cpus[0], 0);
	assert_int_equal(cpus[1], 2);
	assert_int_equal(cpus[2], 10);
	free(cpus);
	fake_free(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_counters_by_name),
		cmocka_unit_test(lists_cpus_in_ascending_order),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
