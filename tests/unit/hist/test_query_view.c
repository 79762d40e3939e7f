/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
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

#include "base/err.h"
#include "base/out.h"
#include "decode/trace.h"
#include "hist/query-view.h"
#include "hist/query.h"
#include "hist/rows.h"
#include "lib/alloc_fail.h"
#include "lib/fake.h"
#include "lib/span_view.h"
#include "pipeline/run.h"
#include "pipeline/view.h"

#define PAIR " FROM sched_waking AS w JOIN sched_switch AS s ON w.pid = s.next_pid"

struct fixture {
	struct fake fake;
	struct tfs_query query;
	struct tfs_hist_rows rows;
	uint64_t lost;
	bool uncounted;
	char text[512];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	fake_new(&f->fake, "x86_64-6.1");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_query_release(&f->query);
	tfs_hist_rows_release(&f->rows);
	fake_free(&f->fake);
	free(f);
	return 0;
}

static int read_failing(struct fixture *f, const struct span_event *events, size_t n, size_t fail,
			bool *failed)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	struct tfs_run_input input = { 0 };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };
	struct tfs_query_view_opts opts = { .query = &f->query, .rows = &f->rows };
	int fd = span_build(events, n), out_fd = memfd_create("out", MFD_CLOEXEC), rc;
	struct tfs_view *view = NULL;
	struct tfs_out *out;
	struct tfs_trace *trace;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, &plain, &trace, NULL), 0);
	assert_int_equal(tfs_out_new(out_fd, &out), 0);
	input.trace = opts.trace = trace;
	alloc_fail_at(fail);
	rc = tfs_query_view_new(&opts, &view, NULL);
	if (!rc)
		rc = tfs_run(view, out, &run, NULL);
	*failed = alloc_fail_off();
	if (!rc)
		f->lost = tfs_query_view_lost(view, &f->uncounted);
	tfs_view_free(view);
	tfs_out_free(out);
	tfs_trace_free(trace);
	close(fd);
	close(out_fd);
	return rc;
}

/* "KEY COUNT SUM SUM|" of each row; tabs of the key are commas */
static const char *rows_of(struct fixture *f)
{
	struct tfs_hist_row **list;
	size_t n, len = 0;

	assert_int_equal(tfs_hist_rows_list(&f->rows, 0, &list, &n), 0);
	f->text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(f->text + len, sizeof(f->text) - len, "%s %d %d %d|",
					list[i]->text, (int)list[i]->count, (int)list[i]->sum[0],
					(int)list[i]->sum[1]);
	free(list);
	for (char *p = f->text; *p; p++)
		if (*p == '\t')
			*p = ',';
	return f->text;
}

static void gives(struct fixture *f, const char *query, const struct span_event *events, size_t n,
		  const char *want)
{
	bool failed;

	assert_int_equal(tfs_query_open(query, f->fake.root, &f->query, NULL), 0);
	assert_int_equal(read_failing(f, events, n, SIZE_MAX, &failed), 0);
	assert_string_equal(rows_of(f), want);
}

static const struct span_event some[] = {
	EV(WAKING, 100, 0, 1000500, .a = 7, .b = 1), /* replaced by the next */
	EV(WAKING, 100, 0, 2000500, .a = 7, .b = 0),
	EV(WAKING, 100, 0, 2000600, .a = 8, .b = 1),
	EV(SWITCH, 200, 1, 2003400, .a = 1, .b = 7),
	EV(SWITCH, 200, 1, 2004400, .a = 1, .b = 7), /* used up */
	EV(SWITCH, 200, 1, 2005400, .a = 0, .b = 9), /* nobody woke it */
	EV(SWITCH, 200, 1, 2005600, .a = 0, .b = 8),
	EV(WAKING, 100, 0, 3000000, .a = 7, .b = 0),
	EV(SWITCH, 200, 1, 3000999, .a = 2, .b = 7),
};

static void one_event_is_counted_by_its_fields(void **state)
{
	gives(*state, "SELECT next_pid, prev_state, COUNT(*), SUM(next_pid) AS n FROM sched_switch",
	      some, N_SPAN_EVENTS(some), "7,1 2 14 0|7,2 1 7 0|8,0 1 8 0|9,0 1 9 0|");
}

static void the_last_event_of_the_same_value_makes_a_pair(void **state)
{
	gives(*state,
	      "SELECT w.target_cpu, s.next_pid, TIMESTAMP_DELTA AS ns, SUM(s.prev_state)" PAIR,
	      some, N_SPAN_EVENTS(some), "0,7 2 3899 3|1,8 1 5000 0|");
}

/* 2003 - 2000, 2005 - 2000, 3000 - 3000 */
static void microseconds_are_differences_of_whole_ones(void **state)
{
	gives(*state, "SELECT s.next_pid, TIMESTAMP_DELTA_USECS AS us" PAIR, some,
	      N_SPAN_EVENTS(some), "7 2 3 0|8 1 5 0|");
}

static void an_event_may_be_joined_with_itself(void **state)
{
	const struct span_event events[] = {
		EV(SWITCH, 200, 0, 1000, .a = 1, .b = 7),
		EV(SWITCH, 200, 0, 1010, .a = 2, .b = 7),
		EV(SWITCH, 200, 0, 1030, .a = 3, .b = 7),
		EV(SWITCH, 200, 0, 1040, .a = 3, .b = 8),
	};

	gives(*state,
	      "SELECT a.next_pid, TIMESTAMP_DELTA AS ns FROM sched_switch AS a "
	      "JOIN sched_switch AS b ON a.next_pid = b.next_pid",
	      events, N_SPAN_EVENTS(events), "7 2 30 0|");
}

static void after_a_loss_no_pair_is_made_of_events_before_it(void **state)
{
	const struct span_event events[] = {
		EV(WAKING, 100, 0, 1000, .a = 7, .b = 1),
		EV(SWITCH, 200, 0, 1010, .a = 1, .b = 7, .lost = 3),
		EV(WAKING, 100, 0, 1020, .a = 7, .b = 1),
		EV(SWITCH, 200, 0, 1030, .a = 1, .b = 7),
	};
	struct fixture *f = *state;

	gives(f, "SELECT s.next_pid, TIMESTAMP_DELTA AS ns" PAIR, events, N_SPAN_EVENTS(events),
	      "7 1 10 0|");
	assert_int_equal(f->lost, 3);
	assert_false(f->uncounted);
}

static void without_memory_it_fails(void **state)
{
	struct fixture *f = *state;
	bool failed = true;

	assert_int_equal(tfs_query_open("SELECT s.next_pid, TIMESTAMP_DELTA AS ns" PAIR,
					f->fake.root, &f->query, NULL),
			 0);
	for (size_t i = 0; failed; i++) {
		tfs_hist_rows_release(&f->rows);
		f->rows = (struct tfs_hist_rows){ 0 };
		if (!read_failing(f, some, N_SPAN_EVENTS(some), i, &failed))
			assert_string_equal(rows_of(f), "7 2 3899 0|8 1 5000 0|");
		else
			assert_true(failed);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_event_is_counted_by_its_fields),
		TEST(the_last_event_of_the_same_value_makes_a_pair),
		TEST(microseconds_are_differences_of_whole_ones),
		TEST(an_event_may_be_joined_with_itself),
		TEST(after_a_loss_no_pair_is_made_of_events_before_it),
		TEST(without_memory_it_fails),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
