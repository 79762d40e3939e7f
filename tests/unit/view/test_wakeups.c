/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/out.h"
#include "decode/trace.h"
#include "lib/span_view.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "view/wakeups.h"

/* The kernel's TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ */
#define HARDIRQ 0x08
#define SOFTIRQ 0x10

/* The table of a recording of these events, in static memory */
static const char *show(const struct span_event *events, size_t n, struct tfs_wakeups_opts opts)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	static const char *const files[] = { "a" };
	static char text[8192];
	struct tfs_trace *trace = NULL;
	struct tfs_run_input input = { 0 };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };
	int out_fd = memfd_create("text", MFD_CLOEXEC), fd = span_build(events, n);
	struct tfs_view *view = NULL;
	struct tfs_out *out = NULL;
	char path[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, &plain, &trace, NULL), 0);
	close(fd);
	input.trace = trace;
	opts.traces = &trace;
	opts.n_traces = 1;
	opts.files = files;
	assert_int_equal(tfs_wakeups_new(&opts, &view, NULL), 0);
	assert_int_equal(tfs_out_new(out_fd, &out), 0);
	assert_int_equal(tfs_run(view, out, &run, NULL), 0);
	len = pread(out_fd, text, sizeof(text) - 1, 0);
	text[len] = '\0';
	tfs_view_free(view);
	tfs_out_free(out);
	tfs_trace_free(trace);
	close(out_fd);
	return text;
}

static const struct span_event events[] = {
	EV(SWITCH, 100, 0, 1000, .a = 1, .b = 200),
	/* 200 wakes 100, which runs 2 us later */
	EV(WAKING, 200, 0, 2000, .a = 100),
	/* A second wakeup of a task that waits already is not one */
	EV(WAKING, 200, 0, 2100, .a = 100),
	EV(SWITCH, 200, 0, 4000, .a = 1, .b = 100),
	EV(SWITCH, 100, 0, 5000, .a = 1, .b = 200),
	/* and 4 us later */
	EV(WAKING, 200, 0, 6000, .a = 100),
	EV(SWITCH, 200, 0, 10000, .a = 1, .b = 100),
	/* An interrupt of 100 wakes 200, which does not run any more */
	EV(WAKING, 100, 0, 11000, .a = 200, .flags = HARDIRQ),
	EV(WAKING, 100, 0, 12000, .a = 300, .flags = SOFTIRQ),
	EV(SWITCH, 100, 0, 13000, .a = 0x100, .b = 300),
	EV(WAKEUP_NEW, 300, 0, 14000, .a = 301),
};

/* Task 100 has the name of saved_cmdlines, "task"; the others have none there. */
static void pairs_of_tasks_have_counts_and_latencies(void **state)
{
	(void)state;
	assert_string_equal(
		show(events, N_SPAN_EVENTS(events),
		     (struct tfs_wakeups_opts){ .style = TFS_EXPORT_TAB,
						.sort = "count,waker_pid,pid" }),
		"#    COUNT   SHARE    MEAN(us)     MAX(us)  WAKER       PID  TASK        PID  "
		"CONTEXT\n"
		"         2  40.00%       3.000       4.000  task200     200  task        100  "
		"task\n"
		"         1  20.00%           -           -  task300     300  task301     301  "
		"task\n"
		"         1  20.00%           -           -                -  task200     200  "
		"hardirq\n"
		"         1  20.00%       1.000       1.000                -  task300     300  "
		"softirq\n"
		"# 2 of these wakeups: the task was not seen to run after it\n");
}

static void json_has_all_columns(void **state)
{
	(void)state;
	assert_string_equal(
		show(events, N_SPAN_EVENTS(events),
		     (struct tfs_wakeups_opts){ .style = TFS_EXPORT_JSON, .top = 1 }),
		"{\"waker_comm\":\"task200\",\"waker_pid\":200,\"comm\":\"task\",\"pid\":100,"
		"\"context\":\"task\",\"count\":2,\"share\":40.00,\"mean\":0.000003000,"
		"\"max\":0.000004000,\"max_at\":0.000006000,\"min\":0.000002000,"
		"\"total\":0.000006000,\"unknown\":0}\n");
}

static void a_wakeup_in_a_loss_has_no_latency(void **state)
{
	static const struct span_event lossy[] = {
		EV(SWITCH, 100, 0, 1000, .a = 1, .b = 200),
		EV(WAKING, 200, 0, 2000, .a = 100),
		EV(SWITCH, 200, 0, 4000, .a = 1, .b = 100, .lost = 5),
	};

	(void)state;
	assert_string_equal(show(lossy, N_SPAN_EVENTS(lossy),
				 (struct tfs_wakeups_opts){ .style = TFS_EXPORT_CSV }),
			    "waker_comm,waker_pid,comm,pid,context,count,share,mean,max,max_at,min,"
			    "total,unknown\n"
			    "task200,200,task,100,task,1,100.00,,,,,,1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_of_tasks_have_counts_and_latencies),
		cmocka_unit_test(json_has_all_columns),
		cmocka_unit_test(a_wakeup_in_a_loss_has_no_latency),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
