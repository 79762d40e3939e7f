/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/task-profile.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/out.h"
#include "decode/trace.h"
#include "lib/span_view.h"
#include "pipeline/run.h"
#include "pipeline/view.h"

/* The options, the recording, and what was printed */
struct table {
	struct tfs_task_profile_opts opts;
	struct tfs_err err;
	struct tfs_trace *trace;
	char text[8192];
};

static int set_up(void **state)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return -1;
	t->err = TFS_ERR_INIT;
	t->opts.style = TFS_EXPORT_JSON;
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct table *t = *state;

	tfs_trace_free(t->trace);
	free(t);
	return 0;
}

static int run(struct table *t, struct tfs_view *view, int fd)
{
	const struct tfs_run_input input = { .trace = t->trace };
	const struct tfs_run_opts opts = { .inputs = &input, .n = 1 };
	struct tfs_out *out = NULL;
	int rc = tfs_out_new(fd, &out);

	if (!rc)
		rc = tfs_run(view, out, &opts, &t->err);
	tfs_out_free(out);
	return rc;
}

static int print(struct table *t, const struct span_event *events, size_t n)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	int dat = span_build(events, n), fd = memfd_create("out", MFD_CLOEXEC), rc;
	struct tfs_view *view = NULL;
	char path[64];
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", dat);
	assert_int_equal(tfs_trace_open(path, &plain, &t->trace, NULL), 0);
	close(dat);
	t->opts.spans.traces = &t->trace;
	t->opts.spans.n = 1;
	rc = tfs_task_profile_new(&t->opts, &view, &t->err);
	if (!rc)
		rc = run(t, view, fd);
	tfs_view_free(view);
	got = pread(fd, t->text, sizeof(t->text) - 1, 0);
	close(fd);
	assert_true(got >= 0);
	return rc;
}

static const struct span_event some[] = {
	EV(SWITCH, 0, 0, 1000, .b = 100),           EV(SWITCH, 100, 0, 3000, .a = 1, .b = 200),
	EV(WAKING, 200, 0, 5000, .a = 100, .b = 1), EV(SWITCH, 0, 1, 5400, .b = 100),
	EV(SWITCH, 200, 0, 6000, .a = 0x100),       EV(SWITCH, 0, 0, 6900, .b = 200),
	EV(SWITCH, 200, 0, 7000, .a = 2),           EV(SWITCH, 100, 1, 8400, .a = 1),
};

static void a_row_has_what_a_task_did(void **state)
{
	struct table *t = *state;

	t->opts.style = TFS_EXPORT_CSV;
	assert_int_equal(print(t, some, N_SPAN_EVENTS(some)), 0);
	assert_string_equal(t->text,
			    "task,pid,runs,run,run_mean,run_max,run_min,run_stddev,sleep,blocked,"
			    "preempted,runnable,stopped,wakeups,delays,delay_mean,delay_max,"
			    "delay_max_at,migrations,events,unknown,cut\n"
			    "task,100,2,0.000005000,0.000002500,0.000003000,0.000002000,"
			    "0.000000707,0.000002000,0.000000000,0.000000000,0.000000400,"
			    "0.000000000,1,1,0.000000400,0.000000400,0.000005000,1,2,0,0\n"
			    "task200,200,2,0.000003100,0.000001550,0.000003000,0.000000100,"
			    "0.000002050,0.000000000,0.000000000,0.000000900,0.000000000,"
			    "0.000000000,0,1,0.000000900,0.000000900,0.000006000,0,3,0,0\n");
}

static void events_are_counted_by_name(void **state)
{
	struct table *t = *state;

	assert_int_equal(print(t, some, N_SPAN_EVENTS(some)), 0);
	assert_non_null(strstr(t->text, "\"events\":3,\"by_event\":{\"sched:sched_switch\":2,"
					"\"sched:sched_waking\":1},"));
}

static void a_loss_leaves_times_unknown(void **state)
{
	static const struct span_event lossy[] = {
		EV(SWITCH, 0, 0, 1000, .b = 100),
		EV(SWITCH, 100, 0, 3000, .a = 1, .b = 200),
		EV(SWITCH, 200, 0, 9000, .a = 1, .b = 100, .lost = 4),
		EV(SWITCH, 100, 0, 9500, .a = 1),
	};
	struct table *t = *state;

	assert_int_equal(print(t, lossy, N_SPAN_EVENTS(lossy)), 0);
	assert_non_null(strstr(t->text, "\"pid\":100,\"runs\":2,\"run\":0.000002500,"));
	assert_non_null(strstr(t->text, "\"sleep\":0.000000000,"));
	assert_non_null(strstr(t->text, "\"pid\":200,\"runs\":1,\"run\":0.000000000,"));
	assert_non_null(strstr(t->text, "{\"unknown\":1}\n{\"cut\":2}\n{\"lost\":4}\n"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_row_has_what_a_task_did),
		TEST(events_are_counted_by_name),
		TEST(a_loss_leaves_times_unknown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
