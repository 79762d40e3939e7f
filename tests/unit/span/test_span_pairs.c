/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/span_view.h"

static void requests_of_a_device_cross(void **state)
{
	static const struct span_event events[] = {
		EV(ISSUE, 100, 0, 1000, .a = 8, .b = 64),
		EV(ISSUE, 100, 0, 1100, .a = 8, .b = 128),
		EV(COMPLETE, 0, 1, 2000, .a = 8, .b = 64),
		EV(ISSUE, 100, 0, 2100, .a = 8, .b = 256),
		EV(COMPLETE, 0, 1, 2200, .a = 8, .b = 128),
		EV(COMPLETE, 0, 1, 2300, .a = 8, .b = 512),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_PAIR;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "pair block_rq_issue tid 100 cpu 0 1000-2000 keyed\n"
		    "pair block_rq_issue tid 100 cpu 0 1100-2200 depth 1 keyed\n"
		    "pair block_rq_issue tid 100 cpu 0 2100-2300 no-end keyed\n");
}

static void a_probe_and_one_of_its_return_nest(void **state)
{
	static const struct span_event events[] = {
		EV(PROBE, 100, 0, 1000),  EV(PROBE, 100, 0, 1100),  EV(PROBE, 200, 0, 1150),
		EV(RETURN, 100, 0, 1200), EV(RETURN, 100, 0, 1300), EV(RETURN, 100, 0, 1400),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_PAIR;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "pair work tid 100 cpu 0 1100-1200 depth 1\n"
		    "pair work tid 100 cpu 0 1000-1300\n"
		    "pair work tid 100 cpu 0 1300-1400 no-begin\n"
		    "pair work tid 200 cpu 0 1150-1400 no-end\n");
}

static void the_last_beginning_of_a_key_counts(void **state)
{
	static const struct span_event events[] = {
		EV(ISSUE, 100, 0, 1000, .a = 8, .b = 64),
		EV(ISSUE, 100, 0, 1500, .a = 8, .b = 64),
		EV(COMPLETE, 0, 0, 2000, .a = 8, .b = 64),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_PAIR;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "pair block_rq_issue tid 100 cpu 0 1000-1500 no-end keyed\n"
		    "pair block_rq_issue tid 100 cpu 0 1500-2000 keyed\n");
}

static void pairs_that_were_typed_may_cross(void **state)
{
	static const struct span_event events[] = {
		EV(READ_ENTER, 100, 0, 1000),
		EV(SOFTIRQ_ENTRY, 100, 0, 1100),
		EV(READ_EXIT, 100, 0, 1200),
		EV(SOFTIRQ_EXIT, 100, 0, 1300),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_PAIR;
	tfs_strvec_push(&v->pairs, "sys_enter_read:sys_exit_read");
	tfs_strvec_push(&v->pairs, "softirq_entry:softirq_exit");
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "pair read tid 100 cpu 0 1000-1200\n"
		    "pair softirq_entry tid 100 cpu 0 1100-1300 depth 1\n");
}

static void a_loss_cuts_what_began_on_its_cpu(void **state)
{
	static const struct span_event events[] = {
		EV(ISSUE, 100, 0, 1000, .a = 8, .b = 64),
		EV(ISSUE, 100, 1, 1100, .a = 8, .b = 128),
		EV(WAKING, 100, 0, 3000, .a = 1, .lost = 5),
		EV(COMPLETE, 0, 1, 4000, .a = 8, .b = 128),
		EV(COMPLETE, 0, 1, 4100, .a = 8, .b = 64),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_PAIR;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "pair block_rq_issue tid 100 cpu 0 1000-1000 cut keyed\n"
		    "gap cpu 0 1000-3000 5\n"
		    "pair block_rq_issue tid 100 cpu 1 1100-4000 depth 1 keyed\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(requests_of_a_device_cross, span_set_up,
						span_tear_down),
		cmocka_unit_test_setup_teardown(a_probe_and_one_of_its_return_nest, span_set_up,
						span_tear_down),
		cmocka_unit_test_setup_teardown(the_last_beginning_of_a_key_counts, span_set_up,
						span_tear_down),
		cmocka_unit_test_setup_teardown(pairs_that_were_typed_may_cross, span_set_up,
						span_tear_down),
		cmocka_unit_test_setup_teardown(a_loss_cuts_what_began_on_its_cpu, span_set_up,
						span_tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
