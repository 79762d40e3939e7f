/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/task.h"
#include "decode/trace.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"

struct fixture {
	struct tfs_trace *trace;
	struct tfs_tasks *tasks;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct dat_spec spec = { .cpus = 1 };
	struct bytes pages;
	char path[64];
	int fd;

	assert_non_null(f);
	bytes_init(&pages, false);
	dat_sample_pages(&spec, 0, 0, &pages);
	fd = dat_file(&spec, &pages);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, NULL, &f->trace, NULL), 0);
	close(fd);
	assert_int_equal(tfs_tasks_new(f->trace, &f->tasks), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tfs_tasks_free(f->tasks);
	tfs_trace_free(f->trace);
	free(f);
	return 0;
}

static const struct tfs_task *learn(struct fixture *f, int pid, const char *comm)
{
	const struct tfs_task *task = NULL;

	assert_int_equal(tfs_tasks_learn(f->tasks, pid, comm, strlen(comm)), 0);
	assert_int_equal(tfs_tasks_find(f->tasks, pid, &task), 0);
	assert_non_null(task);
	return task;
}

/* Each length of a name, with pids of each width. They begin where no task of the sample is. */
static void columns_are_those_of_trace_cmd_for_names_and_pids_of_any_length(void **state)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz01234567890";
	static const int pids[] = { 100, 4000, 50000, 600000, 7000000, 80000000, 2000000000 };
	char comm[64], want[128], got[128];
	const struct tfs_task *task;
	int len;

	for (size_t i = 0; i < sizeof(pids) / sizeof(*pids); i++) {
		for (len = 1; len <= 36; len++) {
			snprintf(comm, sizeof(comm), "%.*s", len, letters);
			task = learn(*state, pids[i] + len, comm);
			assert_int_equal(task->pid, pids[i] + len);
			assert_string_equal(task->comm, comm);
			snprintf(want, sizeof(want), "%16s-%-5d ", comm, task->pid);
			snprintf(got, sizeof(got), "%.*s", (int)task->column_len, task->column);
			assert_string_equal(got, want);
			snprintf(want, sizeof(want), "%8.8s-%-5d ", comm, task->pid);
			*tfs_task_latency(task, got) = '\0';
			assert_string_equal(got, want);
		}
	}
}

static void a_task_of_a_negative_pid_has_columns_as_well(void **state)
{
	const struct tfs_task *task = learn(*state, INT_MIN, "min");
	char got[64];

	assert_memory_equal(task->column, "             min--2147483648 ", task->column_len);
	*tfs_task_latency(task, got) = '\0';
	assert_string_equal(got, "     min--2147483648 ");
}

static void the_first_name_in_records_is_kept(void **state)
{
	const struct tfs_task *first = learn(*state, 300, "first");

	assert_ptr_equal(learn(*state, 300, "second"), first);
}

static void a_name_that_changes_leaves_tasks_that_were_found(void **state)
{
	struct fixture *f = *state;
	const struct tfs_task *before = learn(f, 400, "before"), *after;

	assert_int_equal(tfs_tasks_update(f->tasks, "400 after\n"), 0);
	assert_int_equal(tfs_tasks_find(f->tasks, 400, &after), 0);
	assert_string_equal(before->comm, "before");
	assert_string_equal(after->comm, "after");
	assert_memory_equal(after->column, "           after-400   ", after->column_len);
}

/* With the memory of each, but for what malloc(3) adds */
static void a_task_is_small(void **state)
{
	(void)state;
	assert_true(sizeof(struct tfs_task) <= 24);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(columns_are_those_of_trace_cmd_for_names_and_pids_of_any_length),
		TEST(a_task_of_a_negative_pid_has_columns_as_well),
		TEST(the_first_name_in_records_is_kept),
		TEST(a_name_that_changes_leaves_tasks_that_were_found),
		TEST(a_task_is_small),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
