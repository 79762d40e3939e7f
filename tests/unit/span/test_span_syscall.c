/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/span_view.h"

static void a_call_that_both_systems_recorded_is_one(void **state)
{
	static const struct span_event events[] = {
		EV(RAW_ENTER, 100, 0, 1000),  EV(READ_ENTER, 100, 0, 1001),
		EV(RAW_EXIT, 100, 1, 2000),   EV(READ_EXIT, 100, 1, 2001),
		EV(READ_ENTER, 100, 1, 3000), EV(RAW_ENTER, 100, 1, 3001),
		EV(READ_EXIT, 100, 1, 4000),  EV(RAW_EXIT, 100, 1, 4001),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_SYSCALL;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "syscall read tid 100 cpu 0 1000-2000\n"
		    "syscall read tid 100 cpu 1 3000-4000\n");
}

static void numbers_have_names_where_they_are_known(void **state)
{
	static const struct span_event events[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 7),
		EV(RAW_EXIT, 100, 0, 2000, .a = 7),
		EV(RAW_ENTER, 100, 0, 3000, .a = 8),
		EV(RAW_EXIT, 100, 0, 4000, .a = 8),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_SYSCALL;
	v->syscall = "poll";
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "syscall poll tid 100 cpu 0 1000-2000\n"
		    "syscall syscall 8 tid 100 cpu 0 3000-4000\n");
}

static void the_next_call_ends_one_without_an_end(void **state)
{
	static const struct span_event events[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 15),
		EV(RAW_ENTER, 100, 0, 2000, .a = 8),
		EV(RAW_EXIT, 100, 0, 3000, .a = 9),
		EV(RAW_ENTER, 100, 0, 4000, .a = 15),
		EV(RAW_EXIT, 100, 0, 5000, .a = (uint64_t)-1),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_SYSCALL;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "syscall syscall 15 tid 100 cpu 0 1000-2000 no-end\n"
		    "syscall syscall 8 tid 100 cpu 0 2000-3000 no-end\n"
		    "syscall syscall 9 tid 100 cpu 0 3000-3000 no-begin\n"
		    "syscall syscall 15 tid 100 cpu 0 4000-5000\n");
}

static void a_loss_cuts_calls_of_tasks_last_seen_on_its_cpu(void **state)
{
	static const struct span_event events[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 1),
		EV(RAW_ENTER, 200, 1, 1100, .a = 1),
		EV(RAW_EXIT, 100, 0, 3000, .a = 1, .lost = 2),
		EV(RAW_EXIT, 200, 1, 4000, .a = 1),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_SYSCALL;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "syscall syscall 1 tid 100 cpu 0 1000-1000 cut\n"
		    "gap cpu 0 1000-3000 2\n"
		    "syscall syscall 1 tid 100 cpu 0 3000-3000 no-begin\n"
		    "syscall syscall 1 tid 200 cpu 1 1100-4000\n");
}

static void the_missing_rest_of_a_cpu_cuts_calls_of_its_tasks(void **state)
{
	static const struct span_event events[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 1),
		EV(RAW_ENTER, 200, 1, 1100, .a = 1),
		EV(CUT, 0, 0, 0),
		EV(RAW_EXIT, 100, 1, 3000, .a = 1),
		EV(RAW_EXIT, 200, 1, 4000, .a = 1),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_SYSCALL;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "syscall syscall 1 tid 100 cpu 0 1000-1000 cut\n"
		    "syscall syscall 1 tid 100 cpu 1 3000-3000 no-begin\n"
		    "syscall syscall 1 tid 200 cpu 1 1100-4000\n"
		    "gap cpu 0 1000-4000 0 missing\n");
}

static void calls_without_a_beginning_do_not_overlap(void **state)
{
	static const struct span_event events[] = {
		EV(SWITCH, 0, 0, 500, .a = 0, .b = 100), EV(RAW_EXIT, 100, 0, 1000, .a = 8),
		EV(RAW_EXIT, 100, 0, 2000, .a = 8),      EV(RAW_ENTER, 100, 0, 3000, .a = 9),
		EV(RAW_EXIT, 100, 0, 4000, .a = 9),      EV(RAW_EXIT, 100, 0, 5000, .a = 8),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_SYSCALL;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "syscall syscall 8 tid 100 cpu 0 500-1000 no-begin\n"
		    "syscall syscall 8 tid 100 cpu 0 1000-2000 no-begin\n"
		    "syscall syscall 9 tid 100 cpu 0 3000-4000\n"
		    "syscall syscall 8 tid 100 cpu 0 4000-5000 no-begin\n");
}

static void a_call_without_a_beginning_is_within_what_is_around_it(void **state)
{
	static const struct span_event events[] = {
		EV(SWITCH, 0, 0, 500, .a = 0, .b = 100),
		EV(PROBE, 100, 0, 1000),
		EV(RAW_EXIT, 100, 0, 2000, .a = 8),
		EV(RETURN, 100, 0, 3000),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_SYSCALL | 1u << TFS_SPAN_PAIR;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "syscall syscall 8 tid 100 cpu 0 1000-2000 depth 1 no-begin\n"
		    "pair work tid 100 cpu 0 1000-3000\n");
}

static void a_call_of_a_dead_task_has_no_end(void **state)
{
	static const struct span_event events[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 231),
		EV(SWITCH, 100, 0, 2000, .a = 0x10),
		EV(SWITCH, 0, 0, 3000, .a = 0, .b = 200),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_SYSCALL;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "syscall syscall 231 tid 100 cpu 0 1000-2000 no-end\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_call_that_both_systems_recorded_is_one,
						span_set_up, span_tear_down),
		cmocka_unit_test_setup_teardown(a_call_of_a_dead_task_has_no_end, span_set_up,
						span_tear_down),
		cmocka_unit_test_setup_teardown(numbers_have_names_where_they_are_known,
						span_set_up, span_tear_down),
		cmocka_unit_test_setup_teardown(the_next_call_ends_one_without_an_end, span_set_up,
						span_tear_down),
		cmocka_unit_test_setup_teardown(a_loss_cuts_calls_of_tasks_last_seen_on_its_cpu,
						span_set_up, span_tear_down),
		cmocka_unit_test_setup_teardown(the_missing_rest_of_a_cpu_cuts_calls_of_its_tasks,
						span_set_up, span_tear_down),
		cmocka_unit_test_setup_teardown(calls_without_a_beginning_do_not_overlap,
						span_set_up, span_tear_down),
		cmocka_unit_test_setup_teardown(
			a_call_without_a_beginning_is_within_what_is_around_it, span_set_up,
			span_tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
