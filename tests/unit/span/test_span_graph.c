/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/span_view.h"

static void calls_nest_and_know_their_own_time(void **state)
{
	static const struct span_event events[] = {
		EV(CALL_ENTRY, 100, 0, 1000, .a = ALPHA),
		EV(CALL_ENTRY, 100, 0, 1100, .a = BETA, .b = 1),
		EV(CALL_EXIT, 100, 0, 1300, .a = BETA, .b = 1, .c = 180),
		EV(CALL_EXIT, 100, 0, 1500, .a = ALPHA, .c = 480),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_GRAPH | 1u << TFS_SPAN_SYSCALL;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "graph beta tid 100 cpu 0 1100-1300 took 180 self 180 depth 1\n"
		    "graph alpha tid 100 cpu 0 1000-1500 took 480 self 300\n");
}

static void a_call_without_an_end_ends_with_the_next_as_deep(void **state)
{
	static const struct span_event events[] = {
		EV(CALL_ENTRY, 100, 0, 1000, .a = ALPHA),
		EV(CALL_ENTRY, 100, 0, 1100, .a = BETA, .b = 1),
		EV(CALL_ENTRY, 100, 0, 1200, .a = GAMMA, .b = 1),
		EV(CALL_EXIT, 100, 0, 1500, .a = ALPHA, .c = 500),
		EV(CALL_EXIT, 100, 0, 1600, .a = BETA, .b = 3, .c = 50),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_GRAPH | 1u << TFS_SPAN_SYSCALL;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "graph beta tid 100 cpu 0 1100-1200 took 100 self 100 depth 1 no-end\n"
		    "graph gamma tid 100 cpu 0 1200-1500 took 300 self 300 depth 1 no-end\n"
		    "graph alpha tid 100 cpu 0 1000-1500 took 500 self 500\n"
		    "graph beta tid 100 cpu 0 1550-1600 took 50 self 50 no-begin\n");
}

static void an_interrupt_at_the_end_of_a_call_does_not_end_it(void **state)
{
	static const struct span_event events[] = {
		EV(CALL_ENTRY, 100, 0, 1000, .a = ALPHA),
		EV(CALL_ENTRY, 100, 0, 1100, .a = SYSVEC),
		EV(CALL_EXIT, 100, 0, 1200, .a = SYSVEC, .c = 100),
		EV(CALL_EXIT, 100, 0, 1300, .a = ALPHA, .c = 90),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_GRAPH | 1u << TFS_SPAN_SYSCALL;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "graph sysvec tid 100 cpu 0 1100-1200 took 100 self 100 depth 1\n"
		    "graph alpha tid 100 cpu 0 1000-1300 took 90 self 90\n");
}

static void system_calls_and_functions_may_cross(void **state)
{
	static const struct span_event events[] = {
		EV(CALL_ENTRY, 100, 0, 1000, .a = ALPHA),
		EV(RAW_ENTER, 100, 0, 1100, .a = 7),
		EV(CALL_EXIT, 100, 0, 1200, .a = ALPHA, .c = 200),
		EV(CALL_ENTRY, 100, 0, 1300, .a = BETA),
		EV(CALL_EXIT, 100, 0, 1400, .a = BETA, .c = 100),
		EV(RAW_EXIT, 100, 0, 1500, .a = 7),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_GRAPH | 1u << TFS_SPAN_SYSCALL;
	v->syscall = "poll";
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "graph alpha tid 100 cpu 0 1000-1200 took 200 self 200\n"
		    "graph beta tid 100 cpu 0 1300-1400 took 100 self 100 depth 2\n"
		    "syscall poll tid 100 cpu 0 1100-1500 depth 1\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(calls_nest_and_know_their_own_time, span_set_up,
						span_tear_down),
		cmocka_unit_test_setup_teardown(a_call_without_an_end_ends_with_the_next_as_deep,
						span_set_up, span_tear_down),
		cmocka_unit_test_setup_teardown(an_interrupt_at_the_end_of_a_call_does_not_end_it,
						span_set_up, span_tear_down),
		cmocka_unit_test_setup_teardown(system_calls_and_functions_may_cross, span_set_up,
						span_tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
