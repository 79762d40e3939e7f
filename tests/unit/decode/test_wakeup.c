/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/out.h"
#include "base/strbuf-core.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "decode/wakeup.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "pipeline/view.h"
#include "pipeline/run.h"

/* A recording of records that are known one by one, on whose latencies others can do sums. */
#define CPUS 2
#define EVENTS_MAX 1000
#define EVENTS_A_PAGE 50

enum kind { WAKEUP = 50, WAKEUP_NEW, SWITCH };

/* @more: success of a wakeup, priority of who runs next */
struct event {
	enum kind kind;
	unsigned int cpu;
	uint64_t ts;
	uint32_t pid, more;
};

static const char *const formats[] = {
	"name: sched_wakeup\nID: 50\n" DAT_COMMON_FIELDS
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int success;\toffset:12;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%d\", REC->pid\n",
	"name: sched_wakeup_new\nID: 51\n" DAT_COMMON_FIELDS
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int success;\toffset:12;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%d\", REC->pid\n",
	"name: sched_switch\nID: 52\n" DAT_COMMON_FIELDS
	"\tfield:pid_t next_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:12;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%d\", REC->next_pid\n",
	NULL,
};

/* The results: for each record in order, did it wake a task, and how long had the task waited? */
struct notes {
	struct tfs_view view; /* first */
	struct {
		bool woken;
		uint64_t waited;
	} * v;
	size_t *n;
};

static int note(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	const struct notes *notes = (const struct notes *)view;
	size_t i = (*notes->n)++;

	(void)state;
	(void)out;
	assert_true(i < EVENTS_MAX);
	notes->v[i].woken = event->woken;
	notes->v[i].waited = event->woken ? event->waited : 0;
	return 0;
}

static void fill_pages(const struct event *events, size_t n, unsigned int cpu, struct bytes *out)
{
	struct page_builder p;
	unsigned int on_page = 0;
	uint64_t before = 0;
	struct bytes e;
	size_t i;

	for (i = 0; i < n; i++) {
		if (events[i].cpu != cpu)
			continue;
		if (!on_page) {
			page_begin(&p, out, 8, 4096, events[i].ts);
			before = events[i].ts;
		}
		bytes_init(&e, false);
		bytes_u16(&e, (uint16_t)events[i].kind);
		bytes_u16(&e, 1);
		bytes_u32(&e, 1);
		bytes_u32(&e, events[i].pid);
		bytes_u32(&e, events[i].more);
		page_data(&p, (uint32_t)(events[i].ts - before), e.sb.s, e.sb.len);
		bytes_release(&e);
		before = events[i].ts;
		if (++on_page == EVENTS_A_PAGE) {
			page_end(&p, 0);
			on_page = 0;
		}
	}
	if (on_page)
		page_end(&p, 0);
}

static int build(const struct event *events, size_t n)
{
	const struct dat_spec spec = { .cpus = CPUS, .page_size = 4096, .sched = formats };
	struct bytes pages[CPUS];
	unsigned int i;

	for (i = 0; i < CPUS; i++) {
		bytes_init(&pages[i], false);
		fill_pages(events, n, i, &pages[i]);
	}
	return dat_file(&spec, pages);
}

/* Run the events through a report: @notes of each, and the sums after them. */
static void report(const struct event *events, size_t n, struct notes *notes,
		   struct tfs_strbuf *sums)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	struct tfs_run_input input = { 0 };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };
	struct tfs_trace *trace = NULL;
	struct tfs_out *out = NULL;
	int dat = build(events, n), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", dat);
	assert_int_equal(tfs_trace_open(path, &plain, &trace, NULL), 0);
	input.trace = trace;
	assert_int_equal(tfs_wakeup_new(trace, TFS_WAKEUP_TIMES, &input.wakeup), 0);
	assert_int_equal(tfs_out_new(null, &out), 0);
	assert_int_equal(tfs_run(&notes->view, out, &run, NULL), 0);
	assert_int_equal(*notes->n, n);
	assert_int_equal(tfs_wakeup_sum(input.wakeup, sums), 0);
	tfs_out_free(out);
	tfs_wakeup_free(input.wakeup);
	tfs_trace_free(trace);
	close(null);
	close(dat);
}

static const struct tfs_view_ops ops = { .event = note };

static int set_up(void **state)
{
	struct notes *notes = calloc(1, sizeof(*notes));

	if (!notes)
		return -1;
	*state = notes;
	notes->view.ops = &ops;
	notes->view.flags = TFS_VIEW_WORKERS;
	notes->v = calloc(EVENTS_MAX, sizeof(*notes->v));
	notes->n = calloc(1, sizeof(*notes->n));
	return notes->v && notes->n ? 0 : -1;
}

static int tear_down(void **state)
{
	struct notes *notes = *state;

	free(notes->v);
	free(notes->n);
	free(notes);
	return 0;
}

static void a_latency_is_from_the_last_wakeup_to_the_first_switch(void **state)
{
	static const struct event events[] = {
		{ WAKEUP, 0, 1000000, 7, 1 },
		{ WAKEUP, 1, 1002000, 7, 1 },   /* again: this one counts */
		{ WAKEUP, 1, 1003000, 8, 0 },   /* was none */
		{ SWITCH, 0, 1005500, 7, 120 }, /* 3.500 */
		{ SWITCH, 0, 1006000, 7, 120 }, /* not woken since */
		{ SWITCH, 0, 1007000, 8, 120 },
		{ WAKEUP_NEW, 0, 1010000, 9, 1 },
		{ SWITCH, 1, 1010999, 9, 99 }, /* 0.999, real-time */
		{ WAKEUP, 0, 1020000, 7, 1 },
		{ SWITCH, 1, 1030501, 7, 100 }, /* 10.501: 100 is not a real-time priority */
	};
	static const uint64_t want[] = { 0, 0, 0, 3500, 0, 0, 0, 999, 0, 10501 };
	struct tfs_strbuf sums = TFS_STRBUF_INIT;
	struct notes *notes = *state;
	size_t i;

	report(events, sizeof(events) / sizeof(*events), notes, &sums);
	for (i = 0; i < sizeof(want) / sizeof(*want); i++) {
		assert_int_equal(notes->v[i].woken, want[i] != 0);
		assert_int_equal(notes->v[i].waited, want[i]);
	}
	/* 15000 ns / 3; the times are rounded to microseconds */
	assert_string_equal(sums.s, "\nAverage wakeup latency: 5.000 usecs\n"
				    "Maximum Latency: 10.501 usecs at timestamp: 0.001031\n"
				    "Minimum Latency: 0.999 usecs at timestamp: 0.001011\n\n"
				    "RT task timings:\n"
				    "\nAverage wakeup latency: 0.999 usecs\n"
				    "Maximum Latency: 0.999 usecs at timestamp: 0.001011\n"
				    "Minimum Latency: 0.999 usecs at timestamp: 0.001011\n\n");
	tfs_strbuf_release(&sums);
}

static void without_a_wakeup_there_is_nothing_to_sum_up(void **state)
{
	static const struct event events[] = { { SWITCH, 0, 1000000, 7, 120 },
					       { WAKEUP, 0, 1000100, 7, 1 } };
	struct tfs_strbuf sums = TFS_STRBUF_INIT;

	report(events, 2, *state, &sums);
	assert_int_equal(sums.len, 0);
	tfs_strbuf_release(&sums);
}

static unsigned int draw(uint32_t *seed, unsigned int n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 16) % n;
}

/* By looking back from a switch, event by event; 0: not woken since it last ran */
static uint64_t looking_back(const struct event *events, size_t at)
{
	size_t i = at;

	while (i--) {
		if (events[i].pid != events[at].pid)
			continue;
		if (events[i].kind == SWITCH)
			return 0;
		if (events[i].more)
			return events[at].ts - events[i].ts;
	}
	return 0;
}

/* More tasks than the table has room for at first, and pids that are far apart. */
static void latencies_of_many_tasks_are_those_found_by_looking_back(void **state)
{
	struct event *events = calloc(EVENTS_MAX, sizeof(*events));
	struct tfs_strbuf sums = TFS_STRBUF_INIT;
	struct notes *notes = *state;
	uint64_t ts = 5000000000, want, total = 0, count = 0;
	uint32_t seed = 4711;
	char mean[80];
	size_t i;

	assert_non_null(events);
	for (i = 0; i < EVENTS_MAX; i++) {
		ts += 1 + draw(&seed, 3000);
		events[i] = (struct event){ WAKEUP + draw(&seed, 3), draw(&seed, CPUS), ts,
					    draw(&seed, 300) * 65537, draw(&seed, 140) };
		if (events[i].kind != SWITCH)
			events[i].more %= 4;
	}
	report(events, EVENTS_MAX, notes, &sums);
	for (i = 0; i < EVENTS_MAX; i++) {
		want = events[i].kind == SWITCH ? looking_back(events, i) : 0;
		assert_int_equal(notes->v[i].woken, want != 0);
		assert_int_equal(notes->v[i].waited, want);
		total += want;
		count += want != 0;
	}
	assert_true(count > 100);
	snprintf(mean, sizeof(mean), "\nAverage wakeup latency: %.3f usecs\n",
		 (double)(total / count) / 1000);
	assert_memory_equal(sums.s, mean, strlen(mean));
	tfs_strbuf_release(&sums);
	free(events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_latency_is_from_the_last_wakeup_to_the_first_switch, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_a_wakeup_there_is_nothing_to_sum_up, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			latencies_of_many_tasks_are_those_found_by_looking_back, set_up, tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
