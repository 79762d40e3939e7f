/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/graph-pairs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/graph_view.h"

static void two_events_are_a_pair(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "work_begin(nr=7) {"),
		AT("1001", 0, "  1.000 us", "  alpha(); /* ret=0x0 */"),
		AT("1005", 0, "  5.000 us", "} /* nr=8 */"),
		IN("1006", 0, "} /* work_begin, its beginning was not recorded, nr=9 */"),
		NULL,
	};
	static const struct event events[] = {
		EV(WORK, 100, 0, 0, 1000000, .took = 7),    EV(ENTRY, 100, A, 0, 1001000),
		EV(EXIT, 100, A, 0, 1002000, .took = 1000), EV(DONE, 100, 0, 0, 1005000, .took = 8),
		EV(DONE, 100, 0, 0, 1006000, .took = 9),
	};
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->pairs, "work_begin:work_end"), 0);
	graph_draw(events, N_EVENTS(events), v);
	graph_expect(v, want);
}

static void a_probe_and_one_of_its_return_are_a_pair(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "p_open_0() {"),
		IN("1001", 0, "  /* note: nr=3 */"),
		AT("1004", 0, "  4.000 us", "}"),
		NULL,
	};
	static const struct event events[] = {
		EV(PROBE, 100, 0, 0, 1000000),
		EV(NOTE, 100, 0, 0, 1001000, .took = 3),
		EV(NOTE, 101, 0, 0, 1002000, .took = 4, .cpu = 1),
		EV(RETURN, 100, 0, 0, 1004000),
	};
	struct view *v = *state;

	graph_draw(events, N_EVENTS(events), v);
	graph_expect(v, want);
}

static void beginnings_without_an_end_are_given_up_at_last(void **state)
{
	const size_t n = 9000;
	struct event *events = calloc(n, sizeof(*events));
	struct view *v = *state;
	size_t lines = 0;

	assert_non_null(events);
	for (size_t i = 0; i < n; i++)
		events[i] = (struct event)EV(WORK, 100, 0, 0, 1000000 + i);
	assert_int_equal(tfs_strvec_push(&v->pairs, "work_begin:work_end"), 0);
	graph_draw(events, n, v);
	for (const char *p = v->text.s, *end; (end = strchr(p, '\n')); p = end + 1)
		lines += memmem(p, (size_t)(end - p), "unfinished", 10) != NULL;
	assert_int_equal(lines, n);
	free(events);
}

static void a_key_pairs_events_of_different_tasks(void **state)
{
	static const char *const want[] = {
		TASK("task-100"),
		IN("0999", 0, "work_begin(nr=7); /* unfinished */"),
		AT("1000", 0, "  5.000 us", "work_begin(nr=7); /* nr=7 */"),
		AT("1001", 0, "  6.000 us", "work_begin(nr=8); /* nr=8 */"),
		NULL,
	};
	static const struct event events[] = {
		EV(WORK, 100, 0, 0, 999000, .took = 7), /* and again: that counts */
		EV(WORK, 100, 0, 0, 1000000, .took = 7),
		EV(DONE, 100, 0, 0, 1000500, .took = 9), /* of none */
		EV(WORK, 100, 0, 0, 1001000, .took = 8),
		EV(DONE, 101, 0, 0, 1005000, .took = 7, .cpu = 1),
		EV(DONE, 102, 0, 0, 1007000, .took = 8, .cpu = 1),
	};
	struct view *v = *state;

	v->opts.by_task = true;
	assert_int_equal(tfs_strvec_push(&v->pairs, "sched:work_b*gin..work_*nd,key=nr"), 0);
	graph_draw(events, N_EVENTS(events), v);
	graph_expect(v, want);
}

static void pairs_as_typed(void **state)
{
	static const struct {
		const char *text, *begin, *end, *key, *end_key;
	} good[] = {
		{ "a:b", "a", "b", NULL, NULL },
		{ "s:a:t:b", "s:a", "t:b", NULL, NULL },
		{ "s:a..t:b", "s:a", "t:b", NULL, NULL },
		{ "s/a:b", "s/a", "b", NULL, NULL },
		{ "a..s:b,key=x", "a", "s:b", "x", "x" },
		{ "a_*:b_*,key=pid/next_pid", "a_*", "b_*", "pid", "next_pid" },
	};
	static const char *const wrong[] = { "a",    "a:b:c",     "a:",        ":b",
					     "..b",  "a:b,key",   "a:b,x=y",   "a:b,key=",
					     "a*:b", "a*b*:c*d*", "a:b,key=x/" };
	struct tfs_graph_pair_spec spec;
	struct tfs_err err = TFS_ERR_INIT;
	char text[64];

	(void)state;
	for (size_t i = 0; i < N_EVENTS(good); i++) {
		snprintf(text, sizeof(text), "%s", good[i].text);
		assert_int_equal(tfs_graph_pair_parse(text, &spec, &err), 0);
		assert_string_equal(spec.begin, good[i].begin);
		assert_string_equal(spec.end, good[i].end);
		if (!good[i].key) {
			assert_null(spec.begin_key);
			continue;
		}
		assert_string_equal(spec.begin_key, good[i].key);
		assert_string_equal(spec.end_key, good[i].end_key);
	}
	for (size_t i = 0; i < N_EVENTS(wrong); i++) {
		snprintf(text, sizeof(text), "%s", wrong[i]);
		assert_int_equal(tfs_graph_pair_parse(text, &spec, &err), -EINVAL);
		assert_string_not_equal(err.hint, "");
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, graph_set_up, graph_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(two_events_are_a_pair),
		TEST(a_probe_and_one_of_its_return_are_a_pair),
		TEST(beginnings_without_an_end_are_given_up_at_last),
		TEST(a_key_pairs_events_of_different_tasks),
		TEST(pairs_as_typed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
