/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "span/pairs.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpus.h"
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

/* r_open_0 may be the return of a function of that name: open_0 has nothing to do with it */
static void a_return_of_a_function_called_r_is_not_that_of_another(void **state)
{
	static const struct event events[] = {
		EV(OPEN, 100, 0, 0, 1000000),
		EV(RETURN, 100, 0, 0, 1004000),
	};
	struct view *v = *state;

	graph_draw(events, N_EVENTS(events), v);
	assert_null(strchr(v->text.s ? v->text.s : "", '{'));
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

static void a_key_may_be_several_fields(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		AT("1000", 0, "  5.000 us", "work_begin(nr=7); /* nr=7 */"),
		AT("1001", 0, "  2.000 us", "work_begin(nr=7); /* nr=7 */"),
		NULL,
	};
	static const struct event events[] = {
		EV(WORK, 100, 0, 0, 1000000, .took = 7, .value = 1),
		EV(WORK, 100, 0, 0, 1001000, .took = 7, .value = 2),
		EV(DONE, 101, 0, 0, 1003000, .took = 7, .value = 2, .cpu = 1),
		EV(DONE, 101, 0, 0, 1005000, .took = 7, .value = 1, .cpu = 1),
	};
	struct view *v = *state;

	/* So that lines come in the order of their ends, sorted below. */
	v->opts.min_duration = 3000;
	assert_int_equal(tfs_strvec_push(&v->pairs, "work_begin:work_end,key=dev+nr"), 0);
	graph_draw(events, N_EVENTS(events), v);
	graph_expect(v, (const char *const[]){ want[0], want[1], NULL });
	v->opts.min_duration = 0;
	tfs_strbuf_reset(&v->text);
	tfs_strvec_release(&v->pairs);
	assert_int_equal(tfs_strvec_push(&v->pairs, "work_begin:work_end,key=nr+dev/nr+dev"), 0);
	graph_draw(events, N_EVENTS(events), v);
	graph_expect(v, (const char *const[]){ want[0], want[2], want[1], NULL });
}

static void a_key_that_an_event_does_not_have_is_an_error(void **state)
{
	static const char *const wrong[][2] = {
		{ "work_begin:work_end,key=nrr", "event 'sched:work_begin'" },
		{ "work_begin:work_end,key=nr/nrr", "event 'sched:work_end'" },
		{ "work_begin:work_end,key=dev+nrr/dev+nr", "event 'sched:work_begin'" },
		{ "sys_enter_*:sys_exit_*,key=nrr", "event 'syscalls:sys_enter_read'" },
	};
	static const struct event events[] = { EV(WORK, 100, 0, 0, 1000000, .took = 7) };
	struct view *v = *state;

	for (size_t i = 0; i < N_EVENTS(wrong); i++) {
		tfs_strvec_release(&v->pairs);
		assert_int_equal(tfs_strvec_push(&v->pairs, wrong[i][0]), 0);
		assert_int_equal(graph_try(events, N_EVENTS(events), -1, v), -ENOENT);
		assert_non_null(strstr(v->err.msg, "'nrr'"));
		assert_non_null(strstr(v->err.msg, wrong[i][1]));
		assert_non_null(strstr(v->err.hint, "'nr'"));
	}
}

/* Two requests of two tasks, each ended by whoever runs then: 5 and 3 us */
static const struct event crossed[] = {
	EV(WORK, 100, 0, 0, 1000000, .took = 7),
	EV(WORK, 101, 0, 0, 1001000, .took = 8, .cpu = 1),
	EV(DONE, 100, 0, 0, 1004000, .took = 8),
	EV(DONE, 101, 0, 0, 1005000, .took = 7, .cpu = 1),
};

static void choose(struct view *v, const struct tfs_select_opts *select, const char *const *want)
{
	v->select = *select;
	tfs_strbuf_reset(&v->text);
	graph_draw(crossed, N_EVENTS(crossed), v);
	graph_expect(v, want);
}

static void calls_are_paired_before_they_are_chosen(void **state)
{
	static const char *const first[] = {
		RUNS(0, "task-100"),
		AT("1000", 0, "  5.000 us", "work_begin(nr=7); /* nr=7 */"),
		NULL,
	};
	static const char *const second[] = {
		RUNS(1, "<...>-101"),
		AT("1001", 1, "  3.000 us", "work_begin(nr=8); /* nr=8 */"),
		NULL,
	};
	struct tfs_strvec pid = TFS_STRVEC_INIT, begin = TFS_STRVEC_INIT, end = TFS_STRVEC_INIT;
	struct tfs_cpus one = { 0 };
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->pairs, "work_begin:work_end,key=nr"), 0);
	assert_int_equal(tfs_strvec_push(&pid, "100"), 0);
	assert_int_equal(tfs_strvec_push(&begin, "work_begin:nr==8"), 0);
	assert_int_equal(tfs_strvec_push(&end, "work_end:nr==7"), 0);
	tfs_cpus_add(&one, 1);
	choose(v, &(struct tfs_select_opts){ .pids = &pid }, first);
	choose(v, &(struct tfs_select_opts){ .cpus = &one }, second);
	choose(v, &(struct tfs_select_opts){ .filters = &begin, .n_filters = 1 }, second);
	choose(v, &(struct tfs_select_opts){ .filters = &end, .n_filters = 1 }, first);
	tfs_strvec_release(&pid);
	tfs_strvec_release(&begin);
	tfs_strvec_release(&end);
}

static void the_next_system_call_ends_one_without_an_end(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "exit(nr=60) {"),
		IN("1001", 0, "} /* exit, unfinished */"),
		IN("1001", 0, "read(nr=3) {"),
		AT("1002", 0, "  1.000 us", "  alpha(); /* ret=0x0 */"),
		AT("1005", 0, "  4.000 us", "} /* nr=9 */"),
		IN("1006", 0, "exit(nr=60); /* unfinished */"),
		IN("1007", 0, "} /* read, its beginning was not recorded, nr=0 */"),
		NULL,
	};
	static const struct event events[] = {
		EV(SYS_EXIT, 100, 0, 0, 1000000, .took = 60),
		EV(NOTE, 101, 0, 0, 1000500),
		EV(SYS_READ, 100, 0, 0, 1001000, .took = 3),
		EV(ENTRY, 100, A, 0, 1002000),
		EV(EXIT, 100, A, 0, 1003000, .took = 1000),
		EV(READ_DONE, 100, 0, 0, 1005000, .took = 9),
		EV(SYS_EXIT, 100, 0, 0, 1006000, .took = 60),
		EV(READ_DONE, 100, 0, 0, 1007000),
	};
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->pairs, "sys_enter_*:sys_exit_*"), 0);
	graph_draw(events, N_EVENTS(events), v);
	graph_expect(v, want);
}

static void a_system_call_has_its_own_name_and_that_of_its_event(void **state)
{
	static const char *const typed[] = { "read", "sys_enter_read" };
	static const char *const want[] = {
		RUNS(0, "task-100"),
		AT("1000", 0, "  4.000 us", "read(nr=3); /* nr=9 */"),
		NULL,
	};
	static const struct event events[] = {
		EV(SYS_READ, 100, 0, 0, 1000000, .took = 3),
		EV(READ_DONE, 100, 0, 0, 1004000, .took = 9),
		EV(SYS_EXIT, 100, 0, 0, 1006000, .took = 60),
	};
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->pairs, "sys_enter_*:sys_exit_*"), 0);
	for (size_t i = 0; i < N_EVENTS(typed); i++) {
		tfs_strvec_release(&v->funcs);
		tfs_strbuf_reset(&v->text);
		assert_int_equal(tfs_strvec_push(&v->funcs, typed[i]), 0);
		graph_draw(events, N_EVENTS(events), v);
		assert_int_equal(v->missed, 0);
		graph_expect(v, want);
	}
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
		{ "a:b,key=x+y/z+w", "a", "b", "x", "z" },
	};
	static const char *const wrong[] = { "a",
					     "a:b:c",
					     "a:",
					     ":b",
					     "..b",
					     "a:b,key",
					     "a:b,x=y",
					     "a:b,key=",
					     "a*:b",
					     "a*b*:c*d*",
					     "a:b,key=x/",
					     "a:b,key=x+",
					     "a:b,key=x+y/z",
					     "a:b,key=+x",
					     "a:b,key=a+b+c+d+e+f+g+h+i" };
	struct tfs_pair_spec spec;
	struct tfs_err err = TFS_ERR_INIT;
	char text[64];

	(void)state;
	for (size_t i = 0; i < N_EVENTS(good); i++) {
		snprintf(text, sizeof(text), "%s", good[i].text);
		assert_int_equal(tfs_pair_parse(text, &spec, &err), 0);
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
		assert_int_equal(tfs_pair_parse(text, &spec, &err), -EINVAL);
		assert_string_not_equal(err.hint, "");
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, graph_set_up, graph_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(two_events_are_a_pair),
		TEST(a_probe_and_one_of_its_return_are_a_pair),
		TEST(a_return_of_a_function_called_r_is_not_that_of_another),
		TEST(beginnings_without_an_end_are_given_up_at_last),
		TEST(a_key_pairs_events_of_different_tasks),
		TEST(a_key_may_be_several_fields),
		TEST(a_key_that_an_event_does_not_have_is_an_error),
		TEST(calls_are_paired_before_they_are_chosen),
		TEST(the_next_system_call_ends_one_without_an_end),
		TEST(a_system_call_has_its_own_name_and_that_of_its_event),
		TEST(pairs_as_typed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
