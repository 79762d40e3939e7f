/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strvec.h"
#include "trace-opts.h"
#include "trace-target.h"
#include "tracefs/event.h"

/* Two buffers with an event each, as a program with an instance for each event has them */
struct fixture {
	struct trace_request req;
	struct trace_target target;
	struct tfs_err err;
};

static char *command[] = { (char *)"true", NULL };

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	*state = f;
	f->err = TFS_ERR_INIT;
	trace_init(&f->req);
	assert_int_equal(tc_clauses_event(&f->req.clauses, "sched_switch", NULL), 0);
	trace_add_buffer(&f->req, "second");
	assert_int_equal(tc_clauses_event(&f->req.clauses, "sched_wakeup", NULL), 0);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	trace_release(&f->req);
	trace_target_release(&f->target);
	free(f);
	return 0;
}

static void add(struct tfs_strvec *list, const char *text)
{
	assert_int_equal(tfs_strvec_push(list, text), 0);
}

static void set(struct fixture *f)
{
	assert_int_equal(trace_target_set(&f->target, &f->req, &f->err), 0);
	assert_int_equal(trace_check(&f->req, &f->err), 0);
}

static void refuses(struct fixture *f, const char *message)
{
	assert_int_equal(trace_target_set(&f->target, &f->req, &f->err), -EINVAL);
	assert_string_equal(f->err.msg, message);
}

static void a_command_is_traced_with_what_it_starts(void **state)
{
	struct fixture *f = *state;

	f->req.command = command;
	set(f);
	assert_true(trace_wants_command(&f->req, &f->req.buffers[1]));
	assert_true(trace_follows(&f->req, &f->req.buffers[1]));
}

static void without_children_a_command_is_traced_alone(void **state)
{
	struct fixture *f = *state;

	f->req.command = command;
	f->target.no_children = true;
	set(f);
	assert_true(trace_wants_command(&f->req, &f->req.buffers[0]));
	assert_false(trace_follows(&f->req, &f->req.buffers[0]));
}

static void nothing_named_means_all_tasks(void **state)
{
	struct fixture *f = *state;

	set(f);
	assert_false(trace_follows(&f->req, &f->req.buffers[0]));
	assert_int_equal(f->req.buffers[0].n_pids, 0);
}

static void all_tasks_and_cpus_are_traced_while_a_command_runs(void **state)
{
	struct fixture *f = *state;

	f->req.command = command;
	f->target.cpus = "0-1";
	set(f);
	assert_false(trace_wants_command(&f->req, &f->req.buffers[0]));
	assert_string_equal(f->req.buffers[0].mask, "3");
	assert_string_equal(f->req.buffers[1].mask, "3");
}

static void processes_are_traced_in_every_buffer(void **state)
{
	struct fixture *f = *state;

	add(&f->target.pids, "7,8");
	add(&f->target.pids, "9");
	f->target.no_children = true;
	set(f);
	for (size_t i = 0; i < 2; i++) {
		const struct trace_buffer *buf = &f->req.buffers[i];

		assert_int_equal(buf->n_pids, 3);
		assert_int_equal(buf->pids[1], 8);
		assert_true(buf->flags & TRACE_BUFFER_PROCESSES);
		assert_false(trace_follows(&f->req, buf));
	}
}

static void threads_are_traced_without_the_others_of_their_process(void **state)
{
	struct fixture *f = *state;

	add(&f->target.tids, "7");
	f->target.no_children = true;
	set(f);
	assert_int_equal(f->req.buffers[0].pids[0], 7);
	assert_false(f->req.buffers[0].flags & TRACE_BUFFER_PROCESSES);
}

static void a_bad_number_is_reported_with_the_option_of_the_tool(void **state)
{
	struct fixture *f = *state;

	add(&f->target.tids, "x");
	assert_int_equal(trace_target_set(&f->target, &f->req, &f->err), 0);
	assert_true(trace_check(&f->req, &f->err) < 0);
	assert_memory_equal(f->err.msg, "option -t: ", strlen("option -t: "));
}

static void names_of_tasks_are_filtered_by_the_kernel_with_other_filters(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tc_clauses_filter(&f->req.clauses, "prio < 10", NULL), 0);
	add(&f->target.comms, "dd");
	add(&f->target.comms, "make*");
	set(f);
	assert_string_equal(f->req.clauses.events[0].filter, "COMM ~ \"dd\"||COMM ~ \"make*\"");
	assert_string_equal(f->req.clauses.events[1].filter,
			    "(prio < 10)&&(COMM ~ \"dd\"||COMM ~ \"make*\")");
}

static void contradictions_are_refused(void **state)
{
	struct fixture *f = *state;

	add(&f->target.pids, "7");
	add(&f->target.tids, "8");
	refuses(f, "processes and threads exclude each other");
	tfs_strvec_release(&f->target.tids);
	f->target.all = true;
	refuses(f, "all tasks and single tasks exclude each other");
	tfs_strvec_release(&f->target.pids);
	f->target.no_children = true;
	refuses(f, "all tasks include the children that others create");
}

static void a_name_that_no_task_can_have_is_refused(void **state)
{
	struct fixture *f = *state;

	add(&f->target.comms, "sixteen-bytes-xx");
	refuses(f, "'sixteen-bytes-xx' is longer than the 15 bytes that the kernel keeps of a "
		   "task's name");
	tfs_strvec_release(&f->target.comms);
	add(&f->target.comms, "a\"b");
	refuses(f, "'a\"b' is not the name of a task");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_command_is_traced_with_what_it_starts),
		TEST(without_children_a_command_is_traced_alone),
		TEST(nothing_named_means_all_tasks),
		TEST(all_tasks_and_cpus_are_traced_while_a_command_runs),
		TEST(processes_are_traced_in_every_buffer),
		TEST(threads_are_traced_without_the_others_of_their_process),
		TEST(a_bad_number_is_reported_with_the_option_of_the_tool),
		TEST(names_of_tasks_are_filtered_by_the_kernel_with_other_filters),
		TEST(contradictions_are_refused),
		TEST(a_name_that_no_task_can_have_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
