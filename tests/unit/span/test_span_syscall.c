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

/* As x86_64 records it: execve(59) of a program of 32 bits returns as i386's execve(11). */
static void a_program_of_32_bits_has_names_of_its_own_numbers(void **state)
{
	static const struct span_event events[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 20),
		EV(RAW_EXIT, 100, 0, 1100, .a = 20),
		EV(RAW_ENTER, 100, 0, 2000, .a = 59),
		EV(RAW_EXIT, 100, 0, 2100, .a = 11),
		EV(RAW_ENTER, 100, 0, 3000, .a = 20),
		EV(RAW_EXIT, 100, 0, 3100, .a = 20, .b = 100),
		EV(RAW_ENTER, 100, 0, 4000, .a = 11),
		EV(RAW_EXIT, 100, 0, 4100, .a = 11),
		EV(RAW_ENTER, 200, 1, 4200, .a = 20),
		EV(RAW_EXIT, 200, 1, 4300, .a = 20),
		EV(RAW_ENTER, 100, 0, 5000, .a = 358),
		EV(RAW_EXIT, 100, 0, 5100, .a = 59),
		EV(RAW_ENTER, 100, 0, 6000, .a = 20),
		EV(RAW_EXIT, 100, 0, 6100, .a = 20),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_SYSCALL;
	v->syscall = "poll";
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "syscall writev tid 100 cpu 0 1000-1100\n"
		    "syscall execve tid 100 cpu 0 2000-2100\n"
		    "syscall getpid tid 100 cpu 0 3000-3100\n"
		    "syscall execve tid 100 cpu 0 4000-4100\n"
		    "syscall writev tid 200 cpu 1 4200-4300\n"
		    "syscall execveat tid 100 cpu 0 5000-5100\n"
		    "syscall writev tid 100 cpu 0 6000-6100\n");
}

static void a_program_that_was_not_known_to_be_of_32_bits_is_by_its_execve(void **state)
{
	static const struct span_event events[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 11),
		EV(RAW_EXIT, 100, 0, 1100, .a = 59),
		EV(RAW_ENTER, 100, 0, 2000, .a = 20),
		EV(RAW_EXIT, 100, 0, 2100, .a = 20),
		/* not an execve, as it failed */
		EV(RAW_ENTER, 100, 0, 3000, .a = 59),
		EV(RAW_EXIT, 100, 0, 3100, .a = 11, .b = 5),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_SYSCALL;
	v->syscall = "poll";
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "syscall execve tid 100 cpu 0 1000-1100\n"
		    "syscall writev tid 100 cpu 0 2000-2100\n"
		    "syscall execve tid 100 cpu 0 3000-3100 no-end\n"
		    "syscall munmap tid 100 cpu 0 3100-3100 no-begin\n");
}

/* The child returns before its parent (300), or after it (400). */
static void children_of_32_bits_are_so_as_well(void **state)
{
	static const struct span_event events[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 59),
		EV(RAW_EXIT, 100, 0, 1100, .a = 11),
		EV(RAW_ENTER, 100, 0, 2000, .a = 120),
		EV(RAW_EXIT, 300, 1, 2050, .a = 120),
		EV(RAW_EXIT, 100, 0, 2100, .a = 120, .b = 300),
		EV(RAW_ENTER, 300, 1, 2200, .a = 20),
		EV(RAW_EXIT, 300, 1, 2300, .a = 20, .b = 300),
		EV(RAW_ENTER, 100, 0, 3000, .a = 2),
		EV(RAW_EXIT, 100, 0, 3100, .a = 2, .b = 400),
		EV(RAW_EXIT, 400, 1, 3200, .a = 2),
		EV(RAW_ENTER, 400, 1, 3300, .a = 20),
		EV(RAW_EXIT, 400, 1, 3400, .a = 20, .b = 400),
		/* the number in another namespace: not the child */
		EV(RAW_ENTER, 100, 0, 4000, .a = 2),
		EV(RAW_EXIT, 100, 0, 4100, .a = 2, .b = 500),
		EV(RAW_ENTER, 500, 1, 4200, .a = 20),
		EV(RAW_EXIT, 500, 1, 4300, .a = 20),
		/* 400 ended, and a program of 64 bits has the number */
		EV(RAW_EXIT, 400, 1, 5000, .a = 56),
		EV(RAW_ENTER, 400, 1, 5100, .a = 20),
		EV(RAW_EXIT, 400, 1, 5200, .a = 20),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_SYSCALL;
	v->syscall = "poll";
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "syscall execve tid 100 cpu 0 1000-1100\n"
		    "syscall clone tid 100 cpu 0 2000-2100\n"
		    "syscall getpid tid 300 cpu 1 2200-2300\n"
		    "syscall fork tid 100 cpu 0 3000-3100\n"
		    "syscall getpid tid 400 cpu 1 3300-3400\n"
		    "syscall fork tid 100 cpu 0 4000-4100\n"
		    "syscall writev tid 500 cpu 1 4200-4300\n"
		    "syscall writev tid 400 cpu 1 5100-5200\n");
}

/* The return in the child is not a call: its parent's has both events. */
static void a_childs_first_return_is_its_parents_call(void **state)
{
	static const struct span_event events[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 56),
		EV(RAW_EXIT, 200, 1, 1500, .a = 56),
		EV(RAW_EXIT, 100, 0, 2000, .a = 56, .b = 200),
		EV(RAW_ENTER, 200, 1, 2100, .a = 39),
		EV(RAW_EXIT, 200, 1, 2200, .a = 39, .b = 200),
		/* the task that had the number before was in exit_group, or so */
		EV(RAW_ENTER, 300, 1, 3000, .a = 231),
		EV(RAW_ENTER, 100, 0, 3100, .a = 435),
		EV(RAW_EXIT, 100, 0, 3200, .a = 435, .b = 300),
		EV(RAW_EXIT, 300, 1, 3300, .a = 435),
		/* a clone that began before the recording, and one that failed */
		EV(RAW_EXIT, 400, 0, 4000, .a = 56, .b = 500),
		EV(RAW_ENTER, 400, 0, 4100, .a = 57),
		EV(RAW_EXIT, 400, 0, 4200, .a = 57, .b = (uint64_t)-11),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_SYSCALL;
	v->syscall = "poll";
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "syscall clone tid 100 cpu 0 1000-2000\n"
		    "syscall getpid tid 200 cpu 1 2100-2200\n"
		    "syscall clone3 tid 100 cpu 0 3100-3200\n"
		    "syscall syscall 231 tid 300 cpu 1 3000-3300 no-end\n"
		    "syscall clone tid 400 cpu 0 4000-4000 no-begin\n"
		    "syscall fork tid 400 cpu 0 4100-4200\n");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, span_set_up, span_tear_down)

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
		TEST(a_program_of_32_bits_has_names_of_its_own_numbers),
		TEST(a_program_that_was_not_known_to_be_of_32_bits_is_by_its_execve),
		TEST(children_of_32_bits_are_so_as_well),
		TEST(a_childs_first_return_is_its_parents_call),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
