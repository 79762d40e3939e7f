/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/out.h"
#include "decode/trace.h"
#include "lib/alloc_fail.h"
#include "lib/span_view.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "top/snapshot.h"
#include "top/top.h"

/* An interval: the recordings of lib/span_view.h have gaps of a tenth of a second at most. */
#define S UINT64_C(10000000)
#define ERROR(n) (uint64_t)(-(n))

static const char *name_of(const void *names, int64_t nr, enum tfs_syscall_abi abi)
{
	(void)names;
	(void)abi;
	return nr == 7 ? "poll" : nr == 8 ? "read" : NULL;
}

/* One line a row: its name, and what is known of it */
struct seen {
	struct tfs_top *top;
	struct tfs_top_snapshot snap;
	char text[8192];
	size_t len;
	uint64_t calls;
	int left_out;
};

static int note(void *context, struct tfs_strbuf *out)
{
	struct seen *s = context;
	int rc = tfs_top_snapshot(s->top, &s->snap);

	(void)out;
	if (rc)
		return rc;
	tfs_top_snapshot_sort(&s->snap, TFS_TOP_RATE, false);
	s->calls += s->snap.calls;
	s->len += (size_t)snprintf(s->text + s->len, sizeof(s->text) - s->len,
				   "%.1f+%.1f %d:", (double)s->snap.begin / S,
				   (double)s->snap.elapsed / S, (int)s->snap.events);
	for (size_t i = 0; i < s->snap.n; i++) {
		const struct tfs_top_line *l = &s->snap.line[i];
		const struct tfs_top_values *v = &l->values;

		s->len += (size_t)snprintf(s->text + s->len, sizeof(s->text) - s->len,
					   " %s %.1f %.1f %d", tfs_top_snapshot_name(&s->snap, l),
					   v->rate, v->rate_10s, (int)v->total);
		if (v->timed)
			s->len += (size_t)snprintf(s->text + s->len, sizeof(s->text) - s->len,
						   " %d/%d/%d/%d e%d %.2f", (int)v->time,
						   (int)v->mean, (int)v->p99, (int)v->max,
						   (int)v->errors, v->share);
		s->len += (size_t)snprintf(s->text + s->len, sizeof(s->text) - s->len, ",");
	}
	s->len += (size_t)snprintf(s->text + s->len, sizeof(s->text) - s->len, "\n");
	return 0;
}

static int run_failing(const struct span_event *events, size_t n, struct tfs_top_opts opts,
		       struct seen *s, size_t fail, bool *failed)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	struct tfs_run_input input = { 0 };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };
	int fd = span_build(events, n), out_fd = memfd_create("out", MFD_CLOEXEC), rc;
	struct tfs_view *view = NULL;
	struct tfs_trace *trace;
	struct tfs_out *out = NULL;
	char path[64];

	*s = (struct seen){ .left_out = s->left_out };
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, &plain, &trace, NULL), 0);
	assert_int_equal(tfs_out_new(out_fd, &out), 0);
	input.trace = opts.trace = trace;
	opts.flags |= TFS_TOP_CLOCK;
	opts.interval = opts.interval ? opts.interval : S;
	opts.syscall = name_of;
	opts.ended = note;
	opts.context = s;
	alloc_fail_at(fail);
	rc = tfs_top_new(&opts, &s->top, &view, NULL);
	if (!rc && s->left_out)
		rc = tfs_top_leave_out(s->top, s->left_out);
	if (!rc)
		rc = tfs_run(view, out, &run, NULL);
	*failed = alloc_fail_off();
	tfs_view_free(view);
	tfs_out_free(out);
	tfs_trace_free(trace);
	tfs_top_snapshot_release(&s->snap);
	close(fd);
	close(out_fd);
	return rc;
}

static void shows(const struct span_event *events, size_t n, struct tfs_top_opts opts,
		  const char *want)
{
	struct seen s = { 0 };
	bool failed;

	assert_int_equal(run_failing(events, n, opts, &s, SIZE_MAX, &failed), 0);
	assert_string_equal(s.text, want);
}

/* From second 1 on: two wakings and a switch, nothing, nothing, one waking */
static const struct span_event some[] = {
	EV(WAKING, 100, 0, S, .a = 7),
	EV(WAKING, 100, 0, S + S / 4, .a = 7),
	EV(SWITCH, 200, 1, S + S / 2, .a = 0),
	EV(WAKING, 100, 0, 4 * S + S / 2, .a = 7),
};

static void rows_have_rates_of_the_interval_and_of_ten_seconds(void **state)
{
	(void)state;
	shows(some, N_SPAN_EVENTS(some), (struct tfs_top_opts){ .by = TFS_TOP_EVENT, .task = -1 },
	      "0.0+1.0 3: sched:sched_waking 200.0 200.0 2, sched:sched_switch 100.0 100.0 1,\n"
	      "1.0+1.0 0: sched:sched_waking 0.0 100.0 2, sched:sched_switch 0.0 50.0 1,\n"
	      "2.0+1.0 0: sched:sched_waking 0.0 66.7 2, sched:sched_switch 0.0 33.3 1,\n"
	      "3.0+0.5 1: sched:sched_waking 200.0 85.7 3, sched:sched_switch 0.0 28.6 1,\n");
}

static void only_events_of_the_task_are_counted(void **state)
{
	(void)state;
	shows(some, N_SPAN_EVENTS(some), (struct tfs_top_opts){ .by = TFS_TOP_EVENT, .task = 200 },
	      "0.0+1.0 1: sched:sched_switch 100.0 100.0 1,\n"
	      "1.0+1.0 0: sched:sched_switch 0.0 50.0 1,\n"
	      "2.0+1.0 0: sched:sched_switch 0.0 33.3 1,\n"
	      "3.0+0.5 0: sched:sched_switch 0.0 28.6 1,\n");
}

static void a_row_stays_for_three_intervals_without_an_event(void **state)
{
	const struct span_event events[] = {
		EV(WAKING, 100, 0, S, .a = 7),
		EV(SWITCH, 200, 1, 6 * S + 1, .a = 0),
	};

	(void)state;
	shows(events, N_SPAN_EVENTS(events),
	      (struct tfs_top_opts){ .by = TFS_TOP_EVENT, .task = -1 },
	      "0.0+1.0 1: sched:sched_waking 100.0 100.0 1,\n"
	      "1.0+1.0 0: sched:sched_waking 0.0 50.0 1,\n"
	      "2.0+1.0 0: sched:sched_waking 0.0 33.3 1,\n"
	      "3.0+1.0 0: sched:sched_waking 0.0 25.0 1,\n"
	      "4.0+1.0 0:\n"
	      "5.0+0.0 1: sched:sched_switch 1000000000.0 20.0 1,\n");
}

/* 100,000 intervals */
static void a_long_pause_is_left_out(void **state)
{
	const struct span_event events[] = {
		EV(WAKING, 100, 0, S, .a = 7),
		EV(WAKING, 100, 0, 11 * S, .a = 7),
	};

	(void)state;
	shows(events, N_SPAN_EVENTS(events),
	      (struct tfs_top_opts){ .by = TFS_TOP_EVENT, .task = -1, .interval = S / 10000 },
	      "0.0+0.0 1: sched:sched_waking 1000000.0 1000000.0 1,\n"
	      "0.0+0.0 0: sched:sched_waking 0.0 500000.0 1,\n"
	      "0.0+0.0 0: sched:sched_waking 0.0 333333.3 1,\n"
	      "0.0+0.0 0: sched:sched_waking 0.0 250000.0 1,\n"
	      "0.0+0.0 0:\n"
	      "10.0+0.0 1: sched:sched_waking 1000000000.0 199960.0 1,\n");
}

static const struct span_event calls[] = {
	EV(RAW_ENTER, 100, 0, 1000, .a = 7),
	EV(RAW_EXIT, 100, 0, 3000, .a = 7, .b = 1),
	EV(RAW_ENTER, 100, 0, 4000, .a = 7),
	EV(RAW_ENTER, 200, 1, 4000, .a = 8),
	EV(RAW_EXIT, 100, 0, 8000, .a = 7, .b = ERROR(2)),
	EV(RAW_EXIT, 200, 1, 6000, .a = 8, .b = ERROR(4096)),
	EV(RAW_ENTER, 200, 1, 9000, .a = 8),
};

/* poll took 2000 and 4000 ns; read 2000, and a second one that does not return */
static void system_calls_have_times_and_errors(void **state)
{
	(void)state;
	shows(calls, N_SPAN_EVENTS(calls),
	      (struct tfs_top_opts){ .by = TFS_TOP_SYSCALL, .task = -1 },
	      "0.0+0.0 7: poll 250000.0 250000.0 2 6000/3000/4000/4000 e1 0.75,"
	      " read 125000.0 125000.0 1 2000/2000/2000/2000 e0 0.25,\n");
	shows(calls, N_SPAN_EVENTS(calls),
	      (struct tfs_top_opts){ .by = TFS_TOP_SYSCALL, .task = 200 },
	      "0.0+0.0 3: read 125000.0 125000.0 1 2000/2000/2000/2000 e0 1.00,\n");
}

static void times_are_those_of_the_interval_or_of_all(void **state)
{
	(void)state;
	shows(calls, N_SPAN_EVENTS(calls),
	      (struct tfs_top_opts){ .by = TFS_TOP_SYSCALL, .task = 100, .interval = 5000 },
	      "0.0+0.0 3: poll 200000.0 200000.0 1 2000/2000/2000/2000 e0 1.00,\n"
	      "0.0+0.0 1: poll 333333.3 250000.0 2 4000/4000/4000/4000 e1 1.00,\n");
	shows(calls, N_SPAN_EVENTS(calls),
	      (struct tfs_top_opts){ .by = TFS_TOP_SYSCALL,
				     .task = 100,
				     .interval = 5000,
				     .flags = TFS_TOP_CUMULATIVE },
	      "0.0+0.0 3: poll 200000.0 200000.0 1 2000/2000/2000/2000 e0 1.00,\n"
	      "0.0+0.0 1: poll 333333.3 250000.0 2 6000/3000/4000/4000 e1 1.00,\n");
}

/* Each call is two events; of the rows it is one. The tracer's own are neither. */
static void calls_are_counted_as_the_rows_do(void **state)
{
	struct seen s = { 0 };
	bool failed;

	(void)state;
	assert_int_equal(run_failing(calls, N_SPAN_EVENTS(calls),
				     (struct tfs_top_opts){ .by = TFS_TOP_SYSCALL, .task = -1 }, &s,
				     SIZE_MAX, &failed),
			 0);
	assert_int_equal(s.calls, 3);
	s.left_out = 100;
	assert_int_equal(run_failing(calls, N_SPAN_EVENTS(calls),
				     (struct tfs_top_opts){ .by = TFS_TOP_SYSCALL, .task = -1 }, &s,
				     SIZE_MAX, &failed),
			 0);
	assert_int_equal(s.calls, 1);
	assert_null(strstr(s.text, "poll"));
}

/* 300 tasks in turn, twice: rows of the latest stay */
static void rows_are_bounded(void **state)
{
	struct span_event events[600];
	struct seen s = { 0 };
	bool failed;

	(void)state;
	for (unsigned int i = 0; i < 600; i++)
		events[i] = (struct span_event)EV(WAKING, 1000 + i % 300, 0, S + i, .a = 7);
	assert_int_equal(
		run_failing(events, 600,
			    (struct tfs_top_opts){ .by = TFS_TOP_TASK, .task = -1, .max_rows = 20 },
			    &s, SIZE_MAX, &failed),
		0);
	assert_non_null(strstr(s.text, "<...>-1299"));
	assert_null(strstr(s.text, "-1200 "));
}

static void a_failed_allocation_is_reported(void **state)
{
	static const enum tfs_top_by by[] = { TFS_TOP_EVENT, TFS_TOP_TASK, TFS_TOP_SYSCALL,
					      TFS_TOP_SYMBOL, TFS_TOP_STACK };

	(void)state;
	for (size_t i = 0; i < sizeof(by) / sizeof(*by); i++) {
		const struct tfs_top_opts opts = { .by = by[i], .task = -1 };
		bool failed = true;
		struct seen s = { 0 };

		for (size_t fail = 0; failed; fail++) {
			int rc = run_failing(calls, N_SPAN_EVENTS(calls), opts, &s, fail, &failed);

			/* Looking symbols up goes on without them. */
			assert_true(rc == (failed ? -ENOMEM : 0) ||
				    (by[i] >= TFS_TOP_SYMBOL && !rc));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_have_rates_of_the_interval_and_of_ten_seconds),
		cmocka_unit_test(only_events_of_the_task_are_counted),
		cmocka_unit_test(a_row_stays_for_three_intervals_without_an_event),
		cmocka_unit_test(a_long_pause_is_left_out),
		cmocka_unit_test(system_calls_have_times_and_errors),
		cmocka_unit_test(times_are_those_of_the_interval_or_of_all),
		cmocka_unit_test(calls_are_counted_as_the_rows_do),
		cmocka_unit_test(rows_are_bounded),
		cmocka_unit_test(a_failed_allocation_is_reported),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
