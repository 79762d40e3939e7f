/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "hist/fields.h"
#include "tc-stat-names.h"
#include "tc-stat-opts.h"
#include "tc-stat-plan.h"
#include "trace-opts.h"
#include "tracefs/event.h"

#define EVENTS 80

struct fixture {
	struct stat_request req;
	struct tfs_hist_field field;
	struct tfs_hist_fields by;
	struct stat_event v[EVENTS];
	char names[EVENTS][16];
	struct stat_events events;
	enum stat_way way;
	struct trace_request trace;
	struct tfs_err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->err = TFS_ERR_INIT;
	f->events.v = f->v;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	trace_release(&f->trace);
	tc_clauses_release(&f->req.clauses);
	trace_target_release(&f->req.target);
	tfs_strvec_release(&f->req.by);
	free(f);
	return 0;
}

static void add(struct fixture *f, const char *name, const char *filter)
{
	const size_t i = f->events.n++;

	snprintf(f->names[i], sizeof(f->names[i]), "%s", name);
	f->v[i].name = f->names[i];
	f->v[i].text = f->names[i];
	f->v[i].filter = filter;
}

/* a:0, a:1, ... */
static void add_numbered(struct fixture *f, size_t n)
{
	char name[24];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "a:%zu", i);
		add(f, name, NULL);
	}
}

static int plan(struct fixture *f)
{
	int rc = stat_choose(&f->req, &f->by, &f->events, &f->way, &f->err);

	return rc ? rc : stat_plan(&f->req, &f->by, &f->events, f->way, &f->trace, &f->err);
}

static void four_events_have_an_instance_each(void **state)
{
	struct fixture *f = *state;

	add_numbered(f, 3);
	add(f, "a:0", "x > 1");
	assert_int_equal(plan(f), 0);
	assert_int_equal(f->way, STAT_WAY_STATS);
	assert_int_equal(f->trace.n_buffers, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(f->v[i].buffer, i);
		assert_int_equal(f->trace.buffers[i].buffer_bytes, 8192);
		assert_int_equal(f->trace.buffers[i].n, 1);
	}
	assert_string_equal(f->trace.clauses.events[3].text, "a:0");
	assert_string_equal(f->trace.clauses.events[3].filter, "x > 1");
}

static void more_are_read_from_one_instance_as_they_were_typed(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tc_clauses_event(&f->req.clauses, "a:*", NULL), 0);
	assert_int_equal(tc_clauses_filter(&f->req.clauses, "y == 2", NULL), 0);
	add_numbered(f, EVENTS);
	assert_int_equal(plan(f), 0);
	assert_int_equal(f->way, STAT_WAY_READ);
	assert_int_equal(f->trace.n_buffers, 1);
	assert_int_equal(f->trace.buffers[0].buffer_bytes, 8 << 20);
	for (size_t i = 0; i < EVENTS; i++)
		assert_true(f->v[i].buffer == STAT_READ);
	assert_int_equal(f->trace.clauses.n, 1);
	assert_string_equal(f->trace.clauses.events[0].text, "a:*");
	assert_string_equal(f->trace.clauses.events[0].filter, "y == 2");
}

static void an_event_named_again_has_an_instance_of_its_own(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tc_clauses_event(&f->req.clauses, "a:*", NULL), 0);
	assert_int_equal(tc_clauses_event(&f->req.clauses, "a:1", NULL), 0);
	add_numbered(f, 4);
	add(f, "a:1", "x > 1");
	assert_int_equal(plan(f), 0);
	assert_int_equal(f->way, STAT_WAY_READ);
	assert_int_equal(f->trace.n_buffers, 2);
	assert_true(f->v[1].buffer == STAT_READ);
	assert_int_equal(f->v[4].buffer, 1);
	assert_int_equal(f->trace.buffers[0].n, 4);
	assert_int_equal(f->trace.buffers[1].first, 4);
	assert_int_equal(f->trace.buffers[1].buffer_bytes, 8192);
	assert_string_equal(f->trace.clauses.events[4].text, "a:1");
	assert_string_equal(f->trace.clauses.events[4].filter, "x > 1");
}

static void by_thread_even_one_event_is_read(void **state)
{
	struct fixture *f = *state;

	f->req.per_thread = true;
	assert_int_equal(tc_clauses_event(&f->req.clauses, "a:b", NULL), 0);
	add(f, "a:b", NULL);
	assert_int_equal(plan(f), 0);
	assert_int_equal(f->way, STAT_WAY_READ);
	add(f, "a:b", "x > 1");
	assert_int_equal(stat_choose(&f->req, &f->by, &f->events, &f->way, &f->err), -EINVAL);
	assert_string_equal(f->err.msg, "'a:b' is named more than once, with other filters, which "
					"excludes --per-thread");
}

static void by_value(struct fixture *f)
{
	f->field.name = "x";
	f->by = (struct tfs_hist_fields){ .n = 1, .v = &f->field, .kernel = true };
	assert_int_equal(tfs_strvec_push(&f->req.by, "x"), 0);
	assert_int_equal(tc_clauses_event(&f->req.clauses, "a:b", NULL), 0);
	add(f, "a:b", "x > 1");
}

static void by_value_an_event_sets_off_a_histogram_and_is_not_recorded(void **state)
{
	struct fixture *f = *state;

	by_value(f);
	assert_int_equal(plan(f), 0);
	assert_int_equal(f->way, STAT_WAY_HIST);
	assert_int_equal(f->trace.n_buffers, 1);
	assert_int_equal(f->trace.clauses.n, 1);
	assert_true(f->trace.clauses.events[0].exclude);
	assert_null(f->trace.clauses.events[0].filter);
	assert_string_equal(f->trace.clauses.events[0].triggers.v[0],
			    "hist:keys=x:size=16384 if x > 1");
}

static void it_is_read_without_histograms_or_for_single_cpus(void **state)
{
	struct fixture *f = *state;

	by_value(f);
	f->by.kernel = false;
	assert_int_equal(stat_choose(&f->req, &f->by, &f->events, &f->way, &f->err), 0);
	assert_int_equal(f->way, STAT_WAY_READ);
	f->by.kernel = true;
	f->req.target.cpus = "0";
	assert_int_equal(stat_choose(&f->req, &f->by, &f->events, &f->way, &f->err), 0);
	assert_int_equal(f->way, STAT_WAY_READ);
	f->req.target.cpus = NULL;
	assert_int_equal(tfs_strvec_push(&f->req.target.comms, "sh"), 0);
	assert_int_equal(stat_choose(&f->req, &f->by, &f->events, &f->way, &f->err), 0);
	assert_int_equal(f->way, STAT_WAY_READ);
}

static void too_many_instances_are_refused(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < 65; i++)
		add(f, "a:b", "x > 1");
	assert_int_equal(plan(f), -E2BIG);
	assert_string_equal(f->err.msg, "64 events are named more than once, with other filters: "
					"the limit is 63");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(four_events_have_an_instance_each),
		TEST(more_are_read_from_one_instance_as_they_were_typed),
		TEST(an_event_named_again_has_an_instance_of_its_own),
		TEST(by_thread_even_one_event_is_read),
		TEST(by_value_an_event_sets_off_a_histogram_and_is_not_recorded),
		TEST(it_is_read_without_histograms_or_for_single_cpus),
		TEST(too_many_instances_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
