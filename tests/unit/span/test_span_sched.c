/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/span_view.h"

static void a_task_runs_sleeps_is_woken_and_runs(void **state)
{
	static const struct span_event events[] = {
		EV(SWITCH, 0, 0, 1000, .b = 100),
		EV(SWITCH, 100, 0, 2000, .a = 1),
		EV(WAKING, 0, 0, 3000, .a = 100),
		EV(WAKEUP, 0, 0, 3100, .a = 100),
		EV(SWITCH, 0, 0, 3500, .b = 100),
		EV(SWITCH, 100, 0, 4000, .a = 0x100, .b = 200),
		EV(SWITCH, 200, 0, 5000, .a = 2, .b = 100),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_RUN | 1u << TFS_SPAN_STATE;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "run swapper tid 0 cpu 0 1000-1000 no-begin\n"
		    "run task100 tid 100 cpu 0 1000-2000\n"
		    "state task100 tid 100 cpu 0 1000-2000 running\n"
		    "state task100 tid 100 cpu 0 2000-3000 sleeping\n"
		    "run swapper tid 0 cpu 0 2000-3500\n"
		    "state task100 tid 100 cpu 0 3000-3500 runnable\n"
		    "run task100 tid 100 cpu 0 3500-4000\n"
		    "state task100 tid 100 cpu 0 3500-4000 running\n"
		    "run task200 tid 200 cpu 0 4000-5000\n"
		    "state task200 tid 200 cpu 0 4000-5000 running\n"
		    "state task100 tid 100 cpu 0 4000-5000 preempted\n"
		    "run task100 tid 100 cpu 0 5000-5000 no-end\n"
		    "state task100 tid 100 cpu 0 5000-5000 running no-end\n"
		    "state task200 tid 200 cpu 0 5000-5000 blocked no-end\n");
}

static void a_wakeup_counts_if_no_waking_was_recorded(void **state)
{
	static const struct span_event events[] = {
		EV(SWITCH, 100, 0, 1000, .a = 1),
		EV(WAKEUP, 0, 1, 2000, .a = 100),
		EV(SWITCH, 0, 0, 2500, .b = 100),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_RUN | 1u << TFS_SPAN_STATE;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "run task100 tid 100 cpu 0 1000-1000 no-begin\n"
		    "state task100 tid 100 cpu 0 1000-1000 running no-begin\n"
		    "state task100 tid 100 cpu 0 1000-2000 sleeping\n"
		    "run swapper tid 0 cpu 0 1000-2500\n"
		    "state task100 tid 100 cpu 0 2000-2500 runnable\n"
		    "run task100 tid 100 cpu 0 2500-2500 no-end\n"
		    "state task100 tid 100 cpu 0 2500-2500 running no-end\n");
}

static void the_first_waking_counts(void **state)
{
	static const struct span_event events[] = {
		EV(SWITCH, 100, 0, 1000, .a = 1), EV(WAKING, 0, 1, 2000, .a = 100),
		EV(WAKING, 0, 1, 2100, .a = 100), EV(SWITCH, 0, 0, 2500, .b = 100),
		EV(WAKING, 0, 1, 2600, .a = 100), EV(SWITCH, 100, 0, 2700, .a = 1),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_RUN | 1u << TFS_SPAN_STATE;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "run task100 tid 100 cpu 0 1000-1000 no-begin\n"
		    "state task100 tid 100 cpu 0 1000-1000 running no-begin\n"
		    "state task100 tid 100 cpu 0 1000-2000 sleeping\n"
		    "run swapper tid 0 cpu 0 1000-2500\n"
		    "state task100 tid 100 cpu 0 2000-2500 runnable\n"
		    "run task100 tid 100 cpu 0 2500-2700\n"
		    "state task100 tid 100 cpu 0 2500-2700 running\n"
		    "run swapper tid 0 cpu 0 2700-2700 no-end\n"
		    "state task100 tid 100 cpu 0 2700-2700 sleeping no-end\n");
}

/*
 * kernel/trace/trace_events.c, event_filter_pid_sched_switch_probe_pre(): a switch is left out if
 * both of its tasks are. 101 was put on, and 102 is taken off.
 */
static void a_switch_between_threads_of_the_recorder_is_made(void **state)
{
	static const uint32_t recorder[] = { 102, 101, 0 };
	static const struct span_event events[] = {
		EV(SWITCH, 0, 0, 1000, .b = 101),
		EV(WAKING, 0, 1, 1100, .a = 102),
		EV(SWITCH, 102, 0, 1500, .a = 1, .b = 200),
		EV(SWITCH, 200, 0, 1600, .a = 1, .b = 102),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_RUN | 1u << TFS_SPAN_STATE;
	v->recorder = recorder;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "run swapper tid 0 cpu 0 1000-1000 no-begin\n"
		    "run task101 tid 101 cpu 0 1000-1500 made\n"
		    "state task101 tid 101 cpu 0 1000-1500 running made\n"
		    "state task102 tid 102 cpu 0 1100-1500 runnable made\n"
		    "run task102 tid 102 cpu 0 1500-1500 made\n"
		    "state task102 tid 102 cpu 0 1500-1500 running made\n"
		    "run task200 tid 200 cpu 0 1500-1600\n"
		    "state task200 tid 200 cpu 0 1500-1600 running\n"
		    "state task102 tid 102 cpu 0 1500-1600 sleeping\n"
		    "run task102 tid 102 cpu 0 1600-1600 no-end\n"
		    "state task102 tid 102 cpu 0 1600-1600 running no-end\n"
		    "state task200 tid 200 cpu 0 1600-1600 sleeping no-end\n");
	assert_int_equal(v->counts.made, 1);
	assert_int_equal(v->counts.no_begin, 1);
}

/* A filter may have left out any number of switches; and nothing is known of a loss. */
static void no_other_switch_is_made(void **state)
{
	static const uint32_t recorder[] = { 101, 102, 0 };
	static const struct span_event events[] = {
		EV(SWITCH, 0, 0, 1000, .b = 101),
		EV(SWITCH, 300, 0, 1500, .a = 1, .b = 102),
		EV(SWITCH, 101, 0, 1600, .a = 1, .lost = 1),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_RUN;
	v->recorder = recorder;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "run swapper tid 0 cpu 0 1000-1000 no-begin\n"
		    "run task101 tid 101 cpu 0 1000-1500 no-end\n"
		    "run task300 tid 300 cpu 0 1500-1500 no-begin\n"
		    "run task102 tid 102 cpu 0 1500-1500 cut\n"
		    "gap cpu 0 1500-1600 1\n"
		    "run task101 tid 101 cpu 0 1600-1600 no-begin\n"
		    "run swapper tid 0 cpu 0 1600-1600 no-end\n");
	assert_int_equal(v->counts.made, 0);
}

static void a_loss_cuts_what_was_on_its_cpu(void **state)
{
	static const struct span_event events[] = {
		EV(SWITCH, 0, 0, 1000, .b = 100),
		EV(SWITCH, 0, 1, 1100, .b = 200),
		EV(WAKING, 100, 0, 1200, .a = 300),
		EV(SWITCH, 100, 0, 5000, .a = 1, .lost = 7),
		EV(SWITCH, 200, 1, 6000, .a = 1, .b = 300),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_RUN | 1u << TFS_SPAN_STATE;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "run swapper tid 0 cpu 0 1000-1000 no-begin\n"
		    "run swapper tid 0 cpu 1 1100-1100 no-begin\n"
		    "run task100 tid 100 cpu 0 1000-1200 cut\n"
		    "state task300 tid 300 cpu 0 1200-1200 runnable cut\n"
		    "state task100 tid 100 cpu 0 1000-1200 running cut\n"
		    "gap cpu 0 1200-5000 7\n"
		    "run task100 tid 100 cpu 0 5000-5000 no-begin\n"
		    "state task100 tid 100 cpu 0 5000-5000 running no-begin\n"
		    "run task200 tid 200 cpu 1 1100-6000\n"
		    "state task200 tid 200 cpu 1 1100-6000 running\n"
		    "run swapper tid 0 cpu 0 5000-6000 no-end\n"
		    "run task300 tid 300 cpu 1 6000-6000 no-end\n"
		    "state task100 tid 100 cpu 0 5000-6000 sleeping no-end\n"
		    "state task200 tid 200 cpu 1 6000-6000 sleeping no-end\n"
		    "state task300 tid 300 cpu 1 6000-6000 running no-end\n");
}

static void the_missing_rest_of_a_cpu_cuts_what_may_have_been_there(void **state)
{
	static const struct span_event events[] = {
		EV(SWITCH, 0, 0, 1000, .b = 100),
		EV(SWITCH, 0, 1, 1100, .b = 200),
		EV(WAKING, 100, 0, 1200, .a = 300),
		EV(CUT, 0, 0, 0),
		/* Woken for the CPU whose events are missing */
		EV(WAKING, 200, 1, 3000, .a = 400, .b = 0),
		EV(SWITCH, 200, 1, 4000, .a = 1, .b = 300),
		/* Sleeps, and was woken where nobody sees it */
		EV(SWITCH, 300, 1, 5000, .a = 1, .b = 200),
		EV(SWITCH, 200, 1, 6000, .a = 1),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_RUN | 1u << TFS_SPAN_STATE;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "run swapper tid 0 cpu 0 1000-1000 no-begin\n"
		    "run swapper tid 0 cpu 1 1100-1100 no-begin\n"
		    "run task100 tid 100 cpu 0 1000-1200 cut\n"
		    "state task300 tid 300 cpu 0 1200-1200 runnable cut\n"
		    "state task100 tid 100 cpu 0 1000-1200 running cut\n"
		    "state task400 tid 400 cpu 1 3000-3000 runnable cut\n"
		    "run task200 tid 200 cpu 1 1100-4000\n"
		    "state task200 tid 200 cpu 1 1100-4000 running\n"
		    "run task300 tid 300 cpu 1 4000-5000\n"
		    "state task300 tid 300 cpu 1 4000-5000 running\n"
		    "state task200 tid 200 cpu 1 4000-4000 sleeping cut\n"
		    "run task200 tid 200 cpu 1 5000-6000\n"
		    "state task200 tid 200 cpu 1 5000-6000 running\n"
		    "run swapper tid 0 cpu 1 6000-6000 no-end\n"
		    "state task200 tid 200 cpu 1 6000-6000 sleeping no-end\n"
		    "state task300 tid 300 cpu 1 5000-6000 sleeping no-end\n"
		    "gap cpu 0 1200-6000 0 missing\n");
	assert_int_equal(v->counts.missing, 1);
	assert_int_equal(v->counts.gaps, 0);
	assert_int_equal(v->counts.negative, 0);
}

static void a_cpu_without_events_is_missing_from_the_beginning(void **state)
{
	static const struct span_event events[] = {
		EV(CUT, 0, 0, 0),
		EV(SWITCH, 0, 1, 1100, .b = 200),
		EV(SWITCH, 200, 1, 1200, .a = 1),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_RUN;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "run swapper tid 0 cpu 1 1100-1100 no-begin\n"
		    "run task200 tid 200 cpu 1 1100-1200\n"
		    "run swapper tid 0 cpu 1 1200-1200 no-end\n"
		    "gap cpu 0 1100-1200 0 missing\n");
}

/* 200 is up twice, 300 waking twice: they ran and slept between. */
static void a_task_that_is_woken_again_has_run_where_events_are_missing(void **state)
{
	static const struct span_event events[] = {
		EV(CUT, 0, 0, 0),
		EV(WAKING, 0, 1, 1000, .a = 100, .b = 1),
		EV(WAKEUP, 0, 1, 1010, .a = 100, .b = 1),
		EV(WAKING, 0, 1, 1100, .a = 200, .b = 1),
		EV(WAKEUP, 0, 1, 1110, .a = 200, .b = 1),
		EV(WAKING, 0, 1, 1200, .a = 300, .b = 1),
		EV(WAKEUP, 0, 1, 1210, .a = 300, .b = 1),
		EV(SWITCH, 0, 1, 2000, .b = 100),
		EV(WAKEUP, 100, 1, 3000, .a = 200, .b = 1),
		EV(WAKING, 100, 1, 3100, .a = 300, .b = 1),
		EV(SWITCH, 100, 1, 4000, .a = 1, .b = 200),
		EV(SWITCH, 200, 1, 5000, .a = 1, .b = 300),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_STATE;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "state task100 tid 100 cpu 1 1000-2000 runnable\n"
		    "state task200 tid 200 cpu 1 1100-1100 runnable cut\n"
		    "state task300 tid 300 cpu 1 1200-1200 runnable cut\n"
		    "state task100 tid 100 cpu 1 2000-4000 running\n"
		    "state task200 tid 200 cpu 1 4000-5000 running\n"
		    "state task300 tid 300 cpu 1 3100-5000 runnable\n"
		    "state task100 tid 100 cpu 1 4000-5000 sleeping no-end\n"
		    "state task200 tid 200 cpu 1 5000-5000 sleeping no-end\n"
		    "state task300 tid 300 cpu 1 5000-5000 running no-end\n"
		    "gap cpu 0 1000-5000 0 missing\n");
}

static void a_dead_task_ends_and_its_number_is_used_again(void **state)
{
	static const struct span_event events[] = {
		EV(SWITCH, 0, 0, 1000, .b = 100),
		EV(SWITCH, 100, 0, 2000, .a = 0x10),
		EV(WAKEUP_NEW, 0, 0, 3000, .a = 100),
		EV(SWITCH, 0, 0, 4000, .b = 100),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_RUN | 1u << TFS_SPAN_STATE;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "run swapper tid 0 cpu 0 1000-1000 no-begin\n"
		    "run task100 tid 100 cpu 0 1000-2000\n"
		    "state task100 tid 100 cpu 0 1000-2000 running\n"
		    "run swapper tid 0 cpu 0 2000-4000\n"
		    "state task100 tid 100 cpu 0 3000-4000 runnable\n"
		    "run task100 tid 100 cpu 0 4000-4000 no-end\n"
		    "state task100 tid 100 cpu 0 4000-4000 running no-end\n");
}

static void switches_that_were_not_recorded_leave_times_unknown(void **state)
{
	static const struct span_event events[] = {
		EV(SWITCH, 0, 0, 1000, .b = 100),
		EV(SWITCH, 200, 0, 2000, .a = 1, .b = 300),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_RUN | 1u << TFS_SPAN_STATE;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "run swapper tid 0 cpu 0 1000-1000 no-begin\n"
		    "state task100 tid 100 cpu 0 1000-2000 running no-end\n"
		    "run task100 tid 100 cpu 0 1000-2000 no-end\n"
		    "run task200 tid 200 cpu 0 2000-2000 no-begin\n"
		    "state task200 tid 200 cpu 0 2000-2000 running no-begin\n"
		    "run task300 tid 300 cpu 0 2000-2000 no-end\n"
		    "state task200 tid 200 cpu 0 2000-2000 sleeping no-end\n"
		    "state task300 tid 300 cpu 0 2000-2000 running no-end\n");
}

static void wakeups_without_switches_say_nothing_of_states(void **state)
{
	static const struct span_event events[] = {
		EV(WAKING, 0, 0, 1000, .a = 100),
		EV(WAKING, 0, 0, 1500, .a = 200),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_RUN | 1u << TFS_SPAN_STATE;
	span_expect(v, events, N_SPAN_EVENTS(events), "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_task_runs_sleeps_is_woken_and_runs, span_set_up,
						span_tear_down),
		cmocka_unit_test_setup_teardown(a_wakeup_counts_if_no_waking_was_recorded,
						span_set_up, span_tear_down),
		cmocka_unit_test_setup_teardown(the_first_waking_counts, span_set_up,
						span_tear_down),
		cmocka_unit_test_setup_teardown(a_switch_between_threads_of_the_recorder_is_made,
						span_set_up, span_tear_down),
		cmocka_unit_test_setup_teardown(no_other_switch_is_made, span_set_up,
						span_tear_down),
		cmocka_unit_test_setup_teardown(a_loss_cuts_what_was_on_its_cpu, span_set_up,
						span_tear_down),
		cmocka_unit_test_setup_teardown(
			the_missing_rest_of_a_cpu_cuts_what_may_have_been_there, span_set_up,
			span_tear_down),
		cmocka_unit_test_setup_teardown(a_cpu_without_events_is_missing_from_the_beginning,
						span_set_up, span_tear_down),
		cmocka_unit_test_setup_teardown(
			a_task_that_is_woken_again_has_run_where_events_are_missing, span_set_up,
			span_tear_down),
		cmocka_unit_test_setup_teardown(a_dead_task_ends_and_its_number_is_used_again,
						span_set_up, span_tear_down),
		cmocka_unit_test_setup_teardown(switches_that_were_not_recorded_leave_times_unknown,
						span_set_up, span_tear_down),
		cmocka_unit_test_setup_teardown(wakeups_without_switches_say_nothing_of_states,
						span_set_up, span_tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
