/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/trace.h"
#include "lib/alloc_fail.h"
#include "lib/graph_view.h"

/* alpha 12 us: __beta 3 us, of which gamma 0.5; gamma again 2 us */
static const struct event nested[] = {
	EV(ENTRY, 100, A, 0, 1000000),
	EV(ENTRY, 100, B, 1, 1001000),
	EV(ENTRY, 100, C, 2, 1002000),
	EV(EXIT, 100, C, 2, 1002500, .took = 500),
	EV(EXIT, 100, B, 1, 1004000, .took = 3000),
	EV(ENTRY, 100, C, 1, 1005000),
	EV(EXIT, 100, C, 1, 1007000, .took = 2000),
	EV(EXIT, 100, A, 0, 1012000, .took = 12000, .value = (uint64_t)-22),
};

static void nested_calls_are_drawn_as_the_kernel_draws_them(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha() {"),
		IN("1001", 0, "  __beta.constprop.0() {"),
		AT("1002", 0, "  0.500 us", "    gamma(); /* ret=0x0 */"),
		AT("1004", 0, "  3.000 us", "  } /* ret=0x0 */"),
		AT("1005", 0, "  2.000 us", "  gamma(); /* ret=0x0 */"),
		AT("1012", 0, "+ 12.000 us", "} /* ret=-22 */"),
		NULL,
	};
	struct view *v = *state;

	graph_draw(nested, N_EVENTS(nested), v);
	assert_int_equal(v->missed, 0);
	graph_expect(v, want);
}

static void own_time_excludes_callees(void **state)
{
	struct view *v = *state;

	v->opts.summary = true;
	graph_draw(nested, N_EVENTS(nested), v);
	/* alpha 12 - 3 - 2, __beta 3 - 0.5, gamma 0.5 + 2; 2^11 <= 2000, 3000 < 2^12 */
	assert_string_equal(
		v->text.s,
		"#    CALLS      TOTAL us       SELF us    AVERAGE us        MAX us  FUNCTION\n"
		"         1        12.000         7.000        12.000        12.000  alpha\n"
		"         1         3.000         2.500         3.000         3.000  "
		"__beta.constprop.0\n"
		"         2         2.500         2.500         1.250         2.000  gamma\n"
		"\nalpha\n"
		"        8.192 -        16.384 us |          1 | "
		"######################################## |\n"
		"\n__beta.constprop.0\n"
		"        2.048 -         4.096 us |          1 | "
		"######################################## |\n"
		"\ngamma\n"
		"        0.256 -         0.512 us |          1 | "
		"######################################## |\n"
		"        0.512 -         1.024 us |          0 | "
		"                                         |\n"
		"        1.024 -         2.048 us |          1 | "
		"######################################## |\n");
}

static void only_requested_calls_are_drawn(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1001", 0, "__beta.constprop.0() {"),
		AT("1002", 0, "  0.500 us", "  gamma(); /* ret=0x0 */"),
		AT("1004", 0, "  3.000 us", "} /* ret=0x0 */"),
		NULL,
	};
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->funcs, "*beta*"), 0);
	graph_draw(nested, N_EVENTS(nested), v);
	graph_expect(v, want);
}

static void calls_of_one_caller(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		AT("1005", 0, "  2.000 us", "gamma(); /* ret=0x0 */"),
		NULL,
	};
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->funcs, "gamma"), 0);
	assert_int_equal(tfs_strvec_push(&v->callers, "alpha"), 0);
	graph_draw(nested, N_EVENTS(nested), v);
	graph_expect(v, want);
}

static void depth_and_duration_leave_out(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha() {"),
		AT("1001", 0, "  3.000 us", "  __beta.constprop.0(); /* ret=0x0 */"),
		AT("1012", 0, "+ 12.000 us", "} /* ret=-22 */"),
		NULL,
	};
	struct view *v = *state;

	v->opts.depth = 2;
	v->opts.min_duration = 3000;
	graph_draw(nested, N_EVENTS(nested), v);
	graph_expect(v, want);
}

static void marks_and_digits_of_durations_are_the_kernels(void **state)
{
	/* trace_print_graph_duration(): eight characters at most */
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "  0.000 us    |" },           { 10000, "  10.000 us   |" },
		{ 10001, "+ 10.001 us   |" },       { 100001, "! 100.001 us  |" },
		{ 1000001, "# 1000.001 us |" },     { 10000001, "* 10000.00 us |" },
		{ 100000001, "@ 100000.0 us |" },   { 1000000001, "$ 1000000 us  |" },
		{ 20000000001, "$ 20000000 us |" },
	};
	struct view *v = *state;

	for (size_t i = 0; i < N_EVENTS(cases); i++) {
		const struct event events[] = {
			EV(ENTRY, 100, A, 0, 50000000000),
			EV(EXIT, 100, A, 0, 50000000100, .took = cases[i].ns),
		};

		tfs_strbuf_reset(&v->text);
		graph_draw(events, N_EVENTS(events), v);
		assert_non_null(strstr(v->text.s, cases[i].text));
	}
}

/* beta's interrupt takes 4 of its 6 us; a tick later another comes when alpha has ended */
static const struct event interrupted[] = {
	EV(ENTRY, 100, A, 0, 1000000),
	EV(ENTRY, 100, B, 1, 1001000),
	EV(ENTRY, 100, IRQ_ENTER, 2, 1002000),
	EV(EXIT, 100, IRQ_ENTER, 2, 1003000, .took = 1000, .flags = FLAG_HARDIRQ),
	EV(ENTRY, 100, TICK, 2, 1003000, .flags = FLAG_HARDIRQ),
	EV(ENTRY, 100, C, 3, 1004000, .flags = FLAG_HARDIRQ),
	EV(EXIT, 100, C, 3, 1005000, .took = 1000, .flags = FLAG_HARDIRQ),
	EV(EXIT, 100, TICK, 2, 1006000, .took = 3000, .flags = FLAG_HARDIRQ),
	EV(EXIT, 100, B, 1, 1007000, .took = 6000),
	EV(EXIT, 100, A, 0, 1008000, .took = 8000),
};

static void interrupts_are_marked(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha() {"),
		IN("1001", 0, "  __beta.constprop.0() {"),
		"     0.001002 |   0)   ==========> |\n",
		AT("1002", 0, "  1.000 us", "    irq_enter_rcu(); /* ret=0x0 */"),
		IN("1003", 0, "    tick() {"),
		AT("1004", 0, "  1.000 us", "      gamma(); /* ret=0x0 */"),
		AT("1006", 0, "  3.000 us", "    } /* ret=0x0 */"),
		"     0.001007 |   0)   <========== |\n",
		AT("1007", 0, "  6.000 us", "  } /* ret=0x0 */"),
		AT("1008", 0, "  8.000 us", "} /* ret=0x0 */"),
		NULL,
	};
	struct view *v = *state;

	graph_draw(interrupted, N_EVENTS(interrupted), v);
	graph_expect(v, want);
}

static void interrupts_are_left_out_from_end_to_end(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha() {"),
		AT("1001", 0, "  6.000 us", "  __beta.constprop.0(); /* ret=0x0 */"),
		AT("1008", 0, "  8.000 us", "} /* ret=0x0 */"),
		NULL,
	};
	struct view *v = *state;

	v->opts.no_hardirq = true;
	graph_draw(interrupted, N_EVENTS(interrupted), v);
	graph_expect(v, want);
}

static void own_time_is_without_interrupts(void **state)
{
	struct view *v = *state;

	v->opts.summary = true;
	v->opts.no_hardirq = true;
	graph_draw(interrupted, N_EVENTS(interrupted), v);
	assert_non_null(
		strstr(v->text.s,
		       "         1         8.000         2.000         8.000         8.000  alpha\n"
		       "         1         6.000         2.000         6.000         6.000  "
		       "__beta.constprop.0\n\n"));
}

/*
 * An interrupt between the time of a call's end and its record (as deep as the call, which has left
 * the kernel's stack), and between the time of its beginning and its record.
 */
static void interrupts_count_where_their_time_was(void **state)
{
	static const struct event events[] = {
		EV(ENTRY, 100, A, 0, 1000000),
		EV(ENTRY, 100, B, 1, 1001000),
		EV(ENTRY, 100, TICK, 1, 1004000, .flags = FLAG_HARDIRQ),
		EV(EXIT, 100, TICK, 1, 1006000, .took = 2000, .flags = FLAG_HARDIRQ),
		EV(EXIT, 100, B, 1, 1007000, .took = 2000,
		   .late = 4000), /* from 1001000 to 1003000 */
		EV(ENTRY, 100, TICK, 1, 1011000, .flags = FLAG_HARDIRQ),
		EV(EXIT, 100, TICK, 1, 1014000, .took = 3000, .flags = FLAG_HARDIRQ),
		EV(ENTRY, 100, C, 1, 1015000),
		EV(EXIT, 100, C, 1, 1016000, .took = 6000), /* began at 1010000 */
		EV(EXIT, 100, A, 0, 1020000, .took = 20000),
	};
	struct view *v = *state;

	v->opts.summary = true;
	graph_draw(events, N_EVENTS(events), v);
	/* alpha: 20 - beta 2 - tick 2 - gamma 6; gamma 6 - tick 3 */
	assert_non_null(
		strstr(v->text.s,
		       "         1        20.000        10.000        20.000        20.000  alpha\n"
		       "         1         6.000         3.000         6.000         6.000  gamma\n"
		       "         2         5.000         5.000         2.500         3.000  tick\n"
		       "         1         2.000         2.000         2.000         2.000  "
		       "__beta.constprop.0\n"));
}

static void calls_without_a_beginning_or_end_are_marked(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		AT("1000", 0, "  0.700 us",
		   "    } /* gamma, its beginning was not recorded, ret=0x0 */"),
		IN("1001", 0, "alpha() {"),
		IN("1002", 0, "  __beta.constprop.0() {"),
		IN("1003", 0, "    gamma(); /* unfinished */"),
		AT("1004", 0, "  2.000 us", "  } /* ret=0x0 */"),
		IN("1005", 0, "  delta(); /* unfinished */"),
		IN("1005", 0, "} /* alpha, unfinished */"),
		NULL,
	};
	static const struct event events[] = {
		EV(EXIT, 100, C, 2, 1000000, .took = 700),
		EV(ENTRY, 100, A, 0, 1001000),
		EV(ENTRY, 100, B, 1, 1002000),
		EV(ENTRY, 100, C, 2, 1003000),
		EV(EXIT, 100, B, 1, 1004000, .took = 2000),
		EV(ENTRY, 100, D, 1, 1005000),
	};
	struct view *v = *state;

	graph_draw(events, N_EVENTS(events), v);
	graph_expect(v, want);
}

static void a_loss_ends_open_calls_on_its_cpu(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha() {"),
		IN("1002", 0, "  gamma(); /* unfinished */"),
		IN("1005", 0, "} /* alpha, unfinished */"),
		"CPU:0 [42 EVENTS DROPPED]\n",
		AT("1005", 0, "  0.500 us",
		   "  } /* delta, its beginning was not recorded, ret=0x0 */"),
		AT("1006", 0, "  6.000 us",
		   "} /* alpha, its beginning was not recorded, ret=0x0 */"),
		RUNS(1, "<...>-101"),
		AT("1001", 1, "  6.000 us", "__beta.constprop.0(); /* ret=0x0 */"),
		NULL,
	};
	static const struct event events[] = {
		EV(ENTRY, 100, A, 0, 1000000),
		EV(ENTRY, 101, B, 0, 1001000, .cpu = 1),
		EV(ENTRY, 100, C, 1, 1002000),
		EV(EXIT, 100, D, 1, 1005000, .took = 500, .lost = 42),
		EV(EXIT, 100, A, 0, 1006000, .took = 6000),
		EV(EXIT, 101, B, 0, 1007000, .took = 6000, .cpu = 1),
	};
	struct view *v = *state;

	graph_draw(events, N_EVENTS(events), v);
	graph_expect(v, want);
}

static void a_loss_is_in_the_summary_too(void **state)
{
	static const struct event events[] = {
		EV(ENTRY, 100, A, 0, 1000000),
		EV(EXIT, 100, A, 0, 1006000, .took = 6000, .lost = 42),
	};
	struct view *v = *state;

	v->opts.summary = true;
	graph_draw(events, N_EVENTS(events), v);
	assert_non_null(
		strstr(v->text.s,
		       "         1         6.000             -         6.000         6.000  alpha\n"
		       "# and 1 whose end was not recorded\n"
		       "# 1 of them without their beginning: what these called is not known\n"
		       "CPU:0 [42 EVENTS DROPPED]\n"));
}

static void arguments_and_callers_are_shown(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha(0xabc) {"),
		AT("1001", 0, "  1.000 us", "  __beta.constprop.0(); /* <-alpha, ret=0x5 */"),
		AT("1003", 0, "  3.000 us", "} /* ret=0x0 */"),
		NULL,
	};
	static const struct event events[] = {
		EV(ENTRY, 100, A, 0, 1000000, .value = 0xabc),
		EV(ENTRY_FROM, 100, B, 1, 1001000, .value = 0xffffffff81010020),
		EV(EXIT, 100, B, 1, 1002000, .took = 1000, .value = 5),
		EV(EXIT, 100, A, 0, 1003000, .took = 3000),
	};
	struct view *v = *state;

	graph_draw(events, N_EVENTS(events), v);
	graph_expect(v, want);
}

/* Two tasks take turns on one CPU, and one of them goes on on the other. */
static const struct event turns[] = {
	EV(ENTRY, 100, A, 0, 1000000),
	EV(ENTRY, 101, B, 0, 1001000),
	EV(ENTRY, 100, C, 1, 1002000, .cpu = 1),
	EV(EXIT, 100, C, 1, 1003000, .took = 1000, .cpu = 1),
	EV(EXIT, 101, B, 0, 1004000, .took = 3000),
	EV(EXIT, 100, A, 0, 1005000, .took = 5000, .cpu = 1),
};

static void each_cpu_says_who_runs(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha() {"),
		RUNS(1, "task-100"),
		AT("1002", 1, "  1.000 us", "  gamma(); /* ret=0x0 */"),
		RUNS(0, "<...>-101"),
		AT("1001", 0, "  3.000 us", "__beta.constprop.0(); /* ret=0x0 */"),
		AT("1005", 1, "  5.000 us", "} /* ret=0x0 */"),
		NULL,
	};
	struct view *v = *state;

	graph_draw(turns, N_EVENTS(turns), v);
	graph_expect(v, want);
}

static void a_tasks_calls_stay_in_one_piece(void **state)
{
	static const char *const want[] = {
		TASK("<...>-101"),
		AT("1001", 0, "  3.000 us", "__beta.constprop.0(); /* ret=0x0 */"),
		TASK("task-100"),
		IN("1000", 0, "alpha() {"),
		AT("1002", 1, "  1.000 us", "  gamma(); /* ret=0x0 */"),
		AT("1005", 1, "  5.000 us", "} /* ret=0x0 */"),
		NULL,
	};
	struct view *v = *state;

	v->opts.by_task = true;
	graph_draw(turns, N_EVENTS(turns), v);
	graph_expect(v, want);
}

static void other_events_are_comments(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha() {"),
		IN("1001", 0, "  /* note: nr=2 */"),
		AT("1003", 0, "  3.000 us", "} /* ret=0x0 */"),
		NULL,
	};
	static const struct event events[] = {
		EV(NOTE, 100, 0, 0, 999000, .took = 1),
		EV(ENTRY, 100, A, 0, 1000000),
		EV(NOTE, 100, 0, 0, 1001000, .took = 2),
		EV(EXIT, 100, A, 0, 1003000, .took = 3000),
	};
	struct view *v = *state;

	graph_draw(events, N_EVENTS(events), v);
	graph_expect(v, want);
}

static void a_name_matches_a_function_with_a_similar_name(void **state)
{
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->funcs, "_beta"), 0);
	graph_draw(nested, N_EVENTS(nested), v);
	assert_int_equal(v->missed, 1);
	assert_string_equal(v->text.s, "");
	assert_int_equal(v->other.n, 1);
	assert_string_equal(v->other.v[0], "__beta.constprop.0");
}

static void a_part_is_taken_only_when_there_is_nothing_else(void **state)
{
	static const struct event events[] = {
		EV(ENTRY, 100, COLD, 0, 1000000),
		EV(EXIT, 100, COLD, 0, 1001000, .took = 1000),
	};
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->funcs, "gamma"), 0);
	graph_draw(events, N_EVENTS(events), v);
	assert_int_equal(v->missed, 1);
	assert_string_equal(v->other.v[0], "gamma.cold");
}

static void an_unused_name_gets_suggestions(void **state)
{
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->funcs, "gama"), 0);
	graph_draw(nested, N_EVENTS(nested), v);
	assert_int_equal(v->missed, -ENOENT);
	assert_string_equal(v->err.msg, "no call of 'gama' was recorded");
	assert_string_equal(v->err.hint, "did you mean 'gamma'?");
}

static void once_something_was_shown_no_name_is_taken_for_another(void **state)
{
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->funcs, "gamma"), 0);
	assert_int_equal(tfs_strvec_push(&v->funcs, "_beta"), 0);
	graph_draw(nested, N_EVENTS(nested), v);
	assert_int_equal(v->missed, -ENOENT);
	assert_string_equal(v->err.hint, "did you mean '__beta.constprop.0'?");
}

static void a_recording_without_calls_says_so(void **state)
{
	static const struct event events[] = { EV(NOTE, 100, 0, 0, 999000, .took = 1) };
	struct view *v = *state;

	graph_draw(events, N_EVENTS(events), v);
	assert_int_equal(v->missed, -ENOENT);
	assert_string_equal(v->err.msg, "no calls were recorded");
	assert_string_equal(v->text.s, "");
}

static unsigned int pick(uint32_t *seed, unsigned int n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 16) % n;
}

#define STEPS 6000
#define TASKS 5
#define DEEP 20

/* Calls of several tasks at random. All time of the outermost ones is some function's own. */
static void own_times_add_up_to_the_outermost_calls(void **state)
{
	struct event *events = calloc(STEPS + TASKS * DEEP, sizeof(*events));
	uint64_t begun[TASKS][DEEP], ts = 1000000, outermost = 0, self = 0, calls = 0, us, ns, n;
	enum func func[TASKS][DEEP];
	uint32_t depth[TASKS] = { 0 }, seed = 1, t;
	struct view *v = *state;
	size_t i;
	char *row;

	assert_non_null(events);
	for (i = 0; i < STEPS || depth[0] || depth[1] || depth[2] || depth[3] || depth[4]; i++) {
		t = pick(&seed, TASKS);
		ts += 1 + pick(&seed, 5000);
		if (i >= STEPS)
			while (!depth[t])
				t = (t + 1) % TASKS;
		if (i < STEPS && depth[t] < DEEP && (!depth[t] || pick(&seed, 2))) {
			func[t][depth[t]] = A + pick(&seed, 4);
			begun[t][depth[t]] = ts;
			events[i] = (struct event)EV(ENTRY, 100 + t, func[t][depth[t]], depth[t],
						     ts, .cpu = pick(&seed, CPUS));
			depth[t]++;
			continue;
		}
		depth[t]--;
		events[i] = (struct event)EV(EXIT, 100 + t, func[t][depth[t]], depth[t], ts,
					     .took = ts - begun[t][depth[t]],
					     .cpu = pick(&seed, CPUS));
		outermost += depth[t] ? 0 : events[i].took;
		calls++;
	}
	v->opts.summary = true;
	graph_draw(events, i, v);
	for (row = strchr(v->text.s, '\n'); row && row[1] != '\n'; row = strchr(row + 1, '\n')) {
		if (sscanf(row, "%" SCNu64 " %*u.%*u %" SCNu64 ".%" SCNu64, &n, &us, &ns) != 3)
			break;
		calls -= n;
		self += us * 1000 + ns;
	}
	assert_int_equal(calls, 0);
	assert_int_equal(self, outermost);
	free(events);
}

static void running_out_of_memory_is_an_error_and_nothing_else(void **state)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	int dat = graph_build(interrupted, N_EVENTS(interrupted)),
	    fd = memfd_create("out", MFD_CLOEXEC);
	struct tfs_trace *trace = NULL;
	struct view *v = *state;
	bool failed = true;
	char path[64];
	int rc;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", dat);
	assert_int_equal(tfs_strvec_push(&v->pairs, "work_begin:work_end,key=nr"), 0);
	assert_int_equal(tfs_strvec_push(&v->funcs, "alph?"), 0);
	assert_int_equal(tfs_trace_open(path, &plain, &trace, NULL), 0);
	v->opts.by_task = true;
	assert_int_equal(graph_run(trace, fd, v), 0); /* what types need was allocated */
	for (size_t n = 0; failed; n++) {
		alloc_fail_at(n);
		rc = graph_run(trace, fd, v);
		failed = alloc_fail_off();
		assert_true(!rc || rc == -ENOMEM);
		assert_true(failed || !rc);
	}
	tfs_trace_free(trace);
	close(dat);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, graph_set_up, graph_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nested_calls_are_drawn_as_the_kernel_draws_them),
		TEST(own_time_excludes_callees),
		TEST(only_requested_calls_are_drawn),
		TEST(calls_of_one_caller),
		TEST(depth_and_duration_leave_out),
		TEST(marks_and_digits_of_durations_are_the_kernels),
		TEST(interrupts_are_marked),
		TEST(interrupts_are_left_out_from_end_to_end),
		TEST(own_time_is_without_interrupts),
		TEST(interrupts_count_where_their_time_was),
		TEST(calls_without_a_beginning_or_end_are_marked),
		TEST(a_loss_ends_open_calls_on_its_cpu),
		TEST(a_loss_is_in_the_summary_too),
		TEST(arguments_and_callers_are_shown),
		TEST(each_cpu_says_who_runs),
		TEST(a_tasks_calls_stay_in_one_piece),
		TEST(other_events_are_comments),
		TEST(a_name_matches_a_function_with_a_similar_name),
		TEST(a_part_is_taken_only_when_there_is_nothing_else),
		TEST(an_unused_name_gets_suggestions),
		TEST(once_something_was_shown_no_name_is_taken_for_another),
		TEST(a_recording_without_calls_says_so),
		TEST(own_times_add_up_to_the_outermost_calls),
		TEST(running_out_of_memory_is_an_error_and_nothing_else),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
