/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/latency.h"

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

/* The options, the recording, and what was printed in so many passes */
struct table {
	struct tfs_latency_opts opts;
	struct tfs_strvec pairs;
	struct tfs_err err;
	struct tfs_trace *trace;
	unsigned int passes;
	char text[8192];
};

static int set_up(void **state)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return -1;
	t->err = TFS_ERR_INIT;
	t->opts.spans.pairs = &t->pairs;
	t->opts.style = TFS_EXPORT_JSON;
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct table *t = *state;

	tfs_trace_free(t->trace);
	tfs_strvec_release(&t->pairs);
	free(t);
	return 0;
}

static int run(struct table *t, struct tfs_view *view, int fd)
{
	const struct tfs_run_input input = { .trace = t->trace };
	const struct tfs_run_opts opts = { .inputs = &input, .n = 1 };
	struct tfs_out *out = NULL;
	int rc = tfs_out_new(fd, &out);

	do {
		rc = rc ? rc : tfs_run(view, out, &opts, &t->err);
		t->passes++;
	} while (!rc && view->again);
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
	rc = tfs_latency_new(&t->opts, &view, &t->err);
	if (!rc)
		rc = run(t, view, fd);
	tfs_view_free(view);
	got = pread(fd, t->text, sizeof(t->text) - 1, 0);
	close(fd);
	assert_true(got >= 0);
	return rc;
}

/* Wakeups that take 1, 2, ... @n ns until the task runs, the longest first */
static struct span_event *wakeups(uint32_t n)
{
	struct span_event *events = calloc(3 * n, sizeof(*events));
	uint64_t ts = 1000;

	assert_non_null(events);
	for (uint32_t i = 0; i < n; i++, ts += 2 * n) {
		events[3 * i] = (struct span_event)EV(SWITCH, 100, 0, ts, .a = 1);
		events[3 * i + 1] = (struct span_event)EV(WAKING, 0, 0, ts + 10, .a = 100);
		events[3 * i + 2] = (struct span_event)EV(SWITCH, 0, 0, ts + 10 + n - i, .b = 100);
	}
	return events;
}

/* Of 1 to n the percentile p has the value ceil(p n / 100). */
static void check_wakeups(struct table *t, uint32_t n, unsigned int passes)
{
	struct span_event *events = wakeups(n);
	char want[256];
	int rc = print(t, events, 3 * (size_t)n);

	free(events);
	assert_int_equal(rc, 0);
	assert_int_equal(t->passes, passes);
	snprintf(want, sizeof(want),
		 "\"p50\":0.%09u,\"p90\":0.%09u,\"p95\":0.%09u,\"p99\":0.%09u,\"p99.9\":0.%09u,"
		 "\"max\":0.%09u,\"max_at\":0.%09u,",
		 (50 * n + 99) / 100, (90 * n + 99) / 100, (95 * n + 99) / 100, (99 * n + 99) / 100,
		 (999 * n + 999) / 1000, n, 1010);
	assert_non_null(strstr(t->text, want));
}

static void percentiles_are_nearest_ranks(void **state)
{
	check_wakeups(*state, 10, 1);
}

static void many_values_are_looked_at_twice(void **state)
{
	check_wakeups(*state, 5003, 1);
}

static void too_many_values_are_read_twice(void **state)
{
	struct table *t = *state;

	t->opts.values_max = 1000;
	check_wakeups(t, 5003, 2);
}

static const struct span_event some[] = {
	EV(IRQ_ENTRY, 100, 0, 1000, .a = 24),     EV(IRQ_EXIT, 100, 0, 1400, .a = 24),
	EV(ISSUE, 200, 0, 1500, .a = 8, .b = 64), EV(COMPLETE, 0, 1, 9692, .a = 8, .b = 64),
	EV(ISSUE, 200, 1, 9700, .a = 8, .b = 64), EV(COMPLETE, 0, 1, 13800, .a = 8, .b = 64),
	EV(IRQ_ENTRY, 100, 0, 14000, .a = 24),
};

static void a_row_has_everything_of_one_name(void **state)
{
	struct table *t = *state;

	t->opts.style = TFS_EXPORT_CSV;
	assert_int_equal(print(t, some, N_SPAN_EVENTS(some)), 0);
	assert_string_equal(t->text,
			    "kind,name,count,total,min,mean,p50,p90,p95,p99,p99.9,max,max_at,"
			    "stddev,open,unknown,cut\n"
			    "pair,block_rq_issue:block_rq_complete,2,0.000012292,0.000004100,"
			    "0.000006146,0.000004100,0.000008192,0.000008192,0.000008192,"
			    "0.000008192,0.000008192,0.000001500,0.000002893,0,0,0\n"
			    "irq,disk (24),1,0.000000400,0.000000400,0.000000400,0.000000400,"
			    "0.000000400,0.000000400,0.000000400,0.000000400,0.000000400,"
			    "0.000001000,0.000000000,1,0,0\n");
}

static void only_the_pairs_that_were_named_are_shown(void **state)
{
	struct table *t = *state;

	assert_int_equal(tfs_strvec_push(&t->pairs, "irq_handler_entry:irq_handler_exit"), 0);
	t->opts.flags = TFS_LATENCY_BY_TASK | TFS_LATENCY_HISTOGRAM;
	assert_int_equal(print(t, some, N_SPAN_EVENTS(some)), 0);
	assert_non_null(strstr(t->text, "{\"kind\":\"pair\",\"name\":\"irq_handler_entry:"
					"irq_handler_exit\",\"task\":"));
	assert_non_null(strstr(t->text, "\"pid\":100,\"count\":1,"));
	assert_non_null(strstr(t->text, "\"histogram\":[[256,512,1]]}\n{\"open\":1}\n"));
	assert_null(strstr(t->text, "block"));
}

static void wrong_options_are_refused(void **state)
{
	struct table *t = *state;

	t->opts.sort = "mena";
	assert_int_equal(print(t, some, N_SPAN_EVENTS(some)), -EINVAL);
	assert_non_null(strstr(t->err.hint, "mean"));
	tfs_trace_free(t->trace);
	t->trace = NULL;
	tfs_err_clear(&t->err);
	t->opts.sort = NULL;
	assert_int_equal(tfs_strvec_push(&t->pairs, "block_rq_isue:block_rq_complete"), 0);
	assert_int_equal(print(t, some, N_SPAN_EVENTS(some)), -ENOENT);
	assert_non_null(strstr(t->err.hint, "block_rq_issue"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(percentiles_are_nearest_ranks),
		TEST(many_values_are_looked_at_twice),
		TEST(too_many_values_are_read_twice),
		TEST(a_row_has_everything_of_one_name),
		TEST(only_the_pairs_that_were_named_are_shown),
		TEST(wrong_options_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
