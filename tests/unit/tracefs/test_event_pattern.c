/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "tracefs/event-pattern.h"

static void selects_events_as_trace_cmd_and_tc_record_do(void **state)
{
	static const struct {
		const char *text, *name;
		bool match;
	} cases[] = {
		/* a part of the name, in any case */
		{ "SCHED_SW", "sched:sched_switch", true },
		{ "sched:", "sched:sched_switch", true },
		{ "d:sched_s", "sched:sched_switch", true },
		{ "sched", "irq:irq_handler_entry", false },
		/* globs: the event or its system, or with a colon or slash the whole name */
		{ "sched_*", "sched:sched_switch", true },
		{ "s*d", "sched:sched_switch", true },
		{ "s*:*switch", "sched:sched_switch", true },
		{ "sched/*", "sched:sched_switch", true },
		{ "sched_*", "sched_ext:dump", true },
		{ "sched*p", "sched_ext:dump", false },
		{ "*switch:*", "sched:sched_switch", false },
		{ "*SWITCH", "sched:sched_switch", false },
		/* regular expressions: the event or its system, or with a colon one each */
		{ "^sched_s", "sched:sched_switch", true },
		{ "^switch", "sched:sched_switch", false },
		{ "^sched$", "sched:sched_switch", true },
		{ "^sched$", "sched_ext:dump", false },
		{ "switch$", "sched:sched_switch", true },
		{ "sched:switch$", "sched:sched_switch", true },
		{ "sched:^switch", "sched:sched_switch", false },
		{ "^sched$:^sched_sw", "sched:sched_switch", true },
		{ "^sched$:^sched_sw", "sched_ext:sched_switch", false },
		{ ":^sched_s.*h$", "sched:sched_switch", true },
		{ "^sched:sched_switch$", "sched:sched_switch", true },
		{ "^sched/sched_sw.tch$", "sched:sched_switch", true },
		/* a colon inside of one */
		{ "^sched_[[:alpha:]]*$", "sched:sched_switch", false },
		{ "^sched:sched_[[:alpha:]]*$", "sched:sched_switch", true },
		{ "all", "sched:sched_switch", true },
	};
	struct tfs_event_pattern p;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(tfs_event_pattern_init(&p, cases[i].text, NULL), 0);
		if (tfs_event_pattern_match(&p, cases[i].name) != cases[i].match)
			fail_msg("'%s' and '%s'", cases[i].text, cases[i].name);
		tfs_event_pattern_release(&p);
	}
}

static void refuses_what_is_not_a_regular_expression(void **state)
{
	struct tfs_event_pattern p;
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(tfs_event_pattern_init(&p, "^sched_[", &err), -EINVAL);
	assert_int_equal(err.code, -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selects_events_as_trace_cmd_and_tc_record_do),
		cmocka_unit_test(refuses_what_is_not_a_regular_expression),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
