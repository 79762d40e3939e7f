/* SPDX-License-Identifier: GPL-2.0-or-later */
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

#include "base/err.h"
#include "base/macros.h"
#include "base/out.h"
#include "decode/trace.h"
#include "hist/fields.h"
#include "hist/rows.h"
#include "lib/alloc_fail.h"
#include "lib/span_view.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "probe/define.h"
#include "tc-stat-count.h"
#include "tc-stat-names.h"
#include "tc-stat-read.h"

/*
 * A probe whose events are those that the recordings of lib/span_view.h have of a
 * waking and of a new task, and a switch. Migrations have an instance of their own.
 */
static struct stat_event rows[] = {
	{ .name = (char *)"sched:sched_switch", .buffer = STAT_READ },
	{ .name = (char *)"kprobe:f", .buffer = STAT_READ, .probe = true },
	{ .name = (char *)"sched:sched_migrate_task", .buffer = 1 },
};

static struct tfs_probe_def places[] = {
	{ .group = (char *)"sched", .event = (char *)"sched_waking" },
	{ .group = (char *)"sched", .event = (char *)"sched_wakeup_new" },
	{ .group = (char *)"sched", .event = (char *)"sched_wakeup", .request = 1 },
};

struct fixture {
	struct stat_events events;
	struct tfs_probe_defs defs;
	unsigned int cpus[SPAN_CPUS];
	struct stat_counter v[(ARRAY_SIZE(rows) + 1) * SPAN_CPUS];
	struct stat_counters counters;
	struct stat_read read;
	struct tfs_hist_rows rows;
	enum stat_key key;
	struct tfs_hist_field fields[2 * ARRAY_SIZE(rows)];
	struct tfs_hist_fields by;
	struct tfs_err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->events = (struct stat_events){ rows, ARRAY_SIZE(rows) };
	f->defs = (struct tfs_probe_defs){ places, ARRAY_SIZE(places) };
	f->cpus[1] = 1;
	f->counters = (struct stat_counters){
		.events = &f->events, .cpus = f->cpus, .n_cpus = SPAN_CPUS, .v = f->v
	};
	f->err = TFS_ERR_INIT;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	tfs_hist_rows_release(&((struct fixture *)*state)->rows);
	free(*state);
	return 0;
}

/* @max_events: fewer than all, so that each is given on its own */
static int read_failing(struct fixture *f, const struct span_event *events, size_t n,
			uint64_t max_events, size_t fail, bool *failed)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	struct tfs_run_input input = { 0 };
	const struct tfs_run_opts run = {
		.inputs = &input, .n = 1, .jobs = 1, .max_events = max_events
	};
	struct stat_read_opts opts = {
		.events = &f->events,
		.defs = &f->defs,
		.counters = &f->counters,
		.key = f->key,
		.by = &f->by,
		.rows = &f->rows,
	};
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
	rc = stat_read_new(&opts, &view, &f->err);
	if (!rc)
		rc = tfs_run(view, out, &run, NULL);
	*failed = alloc_fail_off();
	if (!rc)
		f->read = stat_read_get(view);
	tfs_view_free(view);
	tfs_out_free(out);
	tfs_trace_free(trace);
	close(fd);
	close(out_fd);
	return rc;
}

static const struct span_event some[] = {
	EV(SWITCH, 200, 0, 1000),     EV(SWITCH, 200, 1, 1001),
	EV(WAKING, 200, 1, 1002),     EV(SWITCH, 300, 1, 1003, .lost = 7),
	EV(WAKEUP_NEW, 300, 0, 1004), EV(WAKEUP, 300, 0, 1005),
	EV(MIGRATE, 300, 0, 1006),    EV(SWITCH, 200, 1, 1007),
};

static void counts_are_right(const struct fixture *f)
{
	assert_int_equal(stat_counters_get(&f->counters, 0, 0), 1);
	assert_int_equal(stat_counters_get(&f->counters, 0, 1), 3);
	assert_int_equal(stat_counters_get(&f->counters, 1, 0), 1);
	assert_int_equal(stat_counters_get(&f->counters, 1, 1), 1);
	assert_int_equal(stat_counters_get(&f->counters, 2, SIZE_MAX), 0);
	assert_int_equal(f->read.events, N_SPAN_EVENTS(some));
	assert_int_equal(f->read.lost, 7);
	assert_false(f->read.uncounted);
}

static void events_are_counted_by_id_and_cpu_with_the_lost_ones(void **state)
{
	struct fixture *f = *state;
	bool failed;

	assert_int_equal(read_failing(f, some, N_SPAN_EVENTS(some), 0, SIZE_MAX, &failed), 0);
	counts_are_right(f);
}

static void events_given_one_by_one_have_the_same_counts(void **state)
{
	struct fixture *f = *state;
	bool failed;

	assert_int_equal(read_failing(f, some, N_SPAN_EVENTS(some), 1000, SIZE_MAX, &failed), 0);
	counts_are_right(f);
}

static void events_are_counted_by_thread(void **state)
{
	struct fixture *f = *state;
	bool failed;

	f->key = STAT_KEY_THREAD;
	assert_int_equal(read_failing(f, some, N_SPAN_EVENTS(some), 0, SIZE_MAX, &failed), 0);
	assert_int_equal(tfs_hist_rows_number(&f->rows, 0, 200)->count, 3);
	assert_int_equal(tfs_hist_rows_number(&f->rows, 0, 300)->count, 1);
	assert_int_equal(tfs_hist_rows_number(&f->rows, 1, 200)->count, 1);
	assert_int_equal(tfs_hist_rows_number(&f->rows, 1, 300)->count, 1);
	assert_int_equal(f->rows.map.n, 4);
	assert_int_equal(f->read.events, N_SPAN_EVENTS(some));
	assert_int_equal(f->read.lost, 7);
}

static void set_by(struct fixture *f, const char *first, const char *second)
{
	f->key = STAT_KEY_VALUE;
	f->by = (struct tfs_hist_fields){ .n = 2, .v = f->fields };
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		f->fields[2 * i].name = first;
		f->fields[2 * i + 1].name = second;
	}
}

static uint64_t of_key(struct fixture *f, size_t event, const char *key)
{
	return tfs_hist_rows_text(&f->rows, event, key, strlen(key))->count;
}

static const struct span_event valued[] = {
	EV(WAKING, 200, 0, 1000, .a = 7, .b = 1),
	EV(WAKING, 200, 1, 1001, .a = 7, .b = 0),
	EV(WAKEUP_NEW, 300, 1, 1002, .a = 7, .b = 1),
};

static void events_are_counted_by_values(void **state)
{
	struct fixture *f = *state;
	bool failed;

	f->events.n = 2;
	f->events.v = rows + 1;
	set_by(f, "pid", "target_cpu");
	assert_int_equal(read_failing(f, valued, N_SPAN_EVENTS(valued), 0, SIZE_MAX, &failed), 0);
	assert_int_equal(of_key(f, 0, "7,1"), 2);
	assert_int_equal(of_key(f, 0, "7,0"), 1);
	assert_int_equal(f->rows.map.n, 2);
}

static void a_field_that_an_event_has_not_is_refused(void **state)
{
	struct fixture *f = *state;
	bool failed;

	set_by(f, "pid", "target_cpu");
	assert_int_equal(read_failing(f, valued, N_SPAN_EVENTS(valued), 0, SIZE_MAX, &failed),
			 -ENOENT);
	assert_string_equal(f->err.msg, "event 'sched:sched_switch' has no field 'pid'");
}

static void nothing_is_counted_wrongly_without_memory(void **state)
{
	struct fixture *f = *state;
	bool failed = true;

	for (size_t i = 0; failed; i++) {
		memset(f->v, 0, sizeof(f->v));
		if (!read_failing(f, some, N_SPAN_EVENTS(some), 0, i, &failed))
			counts_are_right(f);
		else
			assert_true(failed);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_are_counted_by_id_and_cpu_with_the_lost_ones),
		TEST(events_given_one_by_one_have_the_same_counts),
		TEST(events_are_counted_by_thread),
		TEST(events_are_counted_by_values),
		TEST(a_field_that_an_event_has_not_is_refused),
		TEST(nothing_is_counted_wrongly_without_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
