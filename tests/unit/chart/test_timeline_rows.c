/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "chart/timeline-rows.h"
#include "span/span.h"

/* The row of a span of a kind, which then ends at @end */
static struct tfs_timeline_row *place(struct tfs_timeline_rows *r, enum tfs_span_kind kind, int cpu,
				      int tid, uint64_t begin, uint64_t end)
{
	const struct tfs_span span = { .kind = kind, .cpu = cpu, .tid = tid };
	struct tfs_timeline_row *row = NULL;

	assert_int_equal(tfs_timeline_place(r, &span, begin, &row), 0);
	if (!row)
		return NULL;
	row->n++;
	row->end = end;
	return row;
}

static struct tfs_timeline_task *task(struct tfs_timeline_rows *r, uint32_t input, int tid)
{
	return tfs_timeline_task_at(r, tfs_timeline_task(r, input, tid));
}

static void spans_of_one_row_follow_each_other(void **state)
{
	struct tfs_timeline_rows r = TFS_TIMELINE_ROWS_INIT;
	struct tfs_timeline_row *a, *b;

	(void)state;
	a = place(&r, TFS_SPAN_SYSCALL, 0, 5, 10, 20);
	assert_ptr_equal(place(&r, TFS_SPAN_SYSCALL, 1, 5, 20, 30), a);
	assert_int_equal(a->kind, TFS_TIMELINE_CALLS);
	/* it began before that: its own beginning was not recorded */
	b = place(&r, TFS_SPAN_SYSCALL, 1, 5, 15, 40);
	assert_ptr_not_equal(b, a);
	assert_int_equal(b->depth, 1);
	assert_int_equal(b->id, 5);
	/* but a CPU has one row for what runs */
	a = place(&r, TFS_SPAN_RUN, 3, 5, 10, 20);
	assert_ptr_equal(place(&r, TFS_SPAN_RUN, 3, 6, 15, 40), a);
	tfs_timeline_rows_release(&r);
}

static void endless_nesting_is_left_out_and_counted(void **state)
{
	struct tfs_timeline_rows r = TFS_TIMELINE_ROWS_INIT;
	unsigned int i;

	(void)state;
	for (i = 0; i < TFS_TIMELINE_DEPTH; i++)
		assert_non_null(place(&r, TFS_SPAN_GRAPH, 0, 1, 0, 100));
	assert_null(place(&r, TFS_SPAN_GRAPH, 0, 1, 0, 100));
	assert_int_equal(r.left_out, 1);
	tfs_timeline_rows_release(&r);
}

static void a_million_tasks_have_some_rows(void **state)
{
	struct tfs_timeline_rows r = TFS_TIMELINE_ROWS_INIT;
	int tid;

	(void)state;
	for (tid = 1; tid <= 1000000; tid++)
		place(&r, TFS_SPAN_STATE, 0, tid, 0, 1);
	assert_int_equal(r.n, TFS_TIMELINE_ROWS);
	assert_int_equal(r.left_out, 1000000 - TFS_TIMELINE_ROWS);
	tfs_timeline_rows_release(&r);
}

static void cpus_come_first_then_the_busiest_tasks(void **state)
{
	static const struct {
		enum tfs_timeline_kind kind;
		uint32_t id;
	} want[] = {
		{ TFS_TIMELINE_IRQ, 0 },   { TFS_TIMELINE_RUN, 0 },   { TFS_TIMELINE_RUN, 1 },
		{ TFS_TIMELINE_STATE, 9 }, { TFS_TIMELINE_CALLS, 9 }, { TFS_TIMELINE_STATE, 4 },
	};
	struct tfs_timeline_rows r = TFS_TIMELINE_ROWS_INIT;
	size_t i;

	(void)state;
	place(&r, TFS_SPAN_STATE, 0, 4, 0, 10);
	place(&r, TFS_SPAN_SYSCALL, 0, 9, 0, 10);
	place(&r, TFS_SPAN_STATE, 0, 9, 0, 10);
	place(&r, TFS_SPAN_RUN, 1, 4, 0, 10);
	place(&r, TFS_SPAN_RUN, 0, 9, 0, 10);
	place(&r, TFS_SPAN_IRQ, 0, 9, 0, 10);
	tfs_timeline_task_ran(task(&r, 0, 9), 100);
	tfs_timeline_task_ran(task(&r, 0, 4), 50);
	assert_int_equal(tfs_timeline_sort(&r), 0);
	assert_int_equal(r.n, sizeof(want) / sizeof(want[0]));
	for (i = 0; i < r.n; i++) {
		assert_int_equal(r.v[i]->kind, want[i].kind);
		assert_int_equal(r.v[i]->id, want[i].id);
	}
	assert_int_equal(tfs_timeline_task(&r, 0, 9), 0);
	assert_int_equal(r.tasks.n, 2);
	/* the same number in another recording is another task */
	assert_int_equal(tfs_timeline_task(&r, 1, 9), 2);
	tfs_timeline_rows_release(&r);
}

static void tasks_are_as_busy_as_they_ran_or_else_called(void **state)
{
	struct tfs_timeline_rows r = TFS_TIMELINE_ROWS_INIT;
	struct tfs_timeline_task *t;

	(void)state;
	t = task(&r, 0, 7);
	tfs_timeline_task_called(t, 30);
	tfs_timeline_task_called(t, 40);
	tfs_timeline_task_ran(t, 0);
	assert_int_equal(t->busy, 70);
	tfs_timeline_task_ran(t, 5);
	tfs_timeline_task_called(t, 1000);
	tfs_timeline_task_ran(t, 6);
	assert_int_equal(t->busy, 11);
	tfs_timeline_rows_release(&r);
}

/* The table that finds them grows many times. */
static void many_tasks_are_found_again(void **state)
{
	struct tfs_timeline_rows r = TFS_TIMELINE_ROWS_INIT;
	uint32_t i;

	(void)state;
	assert_true(sizeof(struct tfs_timeline_task) <= 24);
	for (i = 0; i < 100000; i++)
		assert_int_equal(tfs_timeline_task(&r, i % 3, (int)(i / 3 * 7)), i);
	for (i = 100000; i-- > 0;) {
		assert_int_equal(tfs_timeline_task(&r, i % 3, (int)(i / 3 * 7)), i);
		assert_int_equal(tfs_timeline_task_at(&r, i)->input, i % 3);
		assert_int_equal(tfs_timeline_task_at(&r, i)->tid, i / 3 * 7);
	}
	tfs_timeline_rows_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_of_one_row_follow_each_other),
		cmocka_unit_test(endless_nesting_is_left_out_and_counted),
		cmocka_unit_test(a_million_tasks_have_some_rows),
		cmocka_unit_test(cpus_come_first_then_the_busiest_tasks),
		cmocka_unit_test(tasks_are_as_busy_as_they_ran_or_else_called),
		cmocka_unit_test(many_tasks_are_found_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
