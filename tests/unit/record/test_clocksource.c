/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as the kernel prints them in current_clocksource, with its newline */
#include "record/clocksource.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf-core.h"

static void counters_of_the_whole_machine_agree(void **state)
{
	(void)state;
	assert_true(tfs_clocksource_agrees("tsc\n"));
	assert_true(tfs_clocksource_agrees("tsc"));
	assert_true(tfs_clocksource_agrees("arch_sys_counter\n"));
}

static void other_clock_sources_are_not_taken_for_them(void **state)
{
	static const char *const others[] = {
		"hpet\n", "acpi_pm\n", "kvm-clock\n", "tsc-early\n", "ts\n", "jiffies\n", "xen\n",
		"\n",     "",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(tfs_clocksource_agrees(others[i]));
}

static void this_machine_has_one_of_the_two_clocks(void **state)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	const char *path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

	(void)state;
	if (tfs_read_path(path, &name))
		tfs_strbuf_reset(&name);
	assert_string_equal(tfs_clocksource_trace_clock(),
			    name.len && (!strcmp(name.s, "tsc\n") ||
					 !strcmp(name.s, "arch_sys_counter\n")) ?
				    "local" :
				    "mono");
	tfs_strbuf_release(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_of_the_whole_machine_agree),
		cmocka_unit_test(other_clock_sources_are_not_taken_for_them),
		cmocka_unit_test(this_machine_has_one_of_the_two_clocks),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
