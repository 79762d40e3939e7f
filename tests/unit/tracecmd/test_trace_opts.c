/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace_ask.h"

#define MIB (1024 * 1024ULL)

static void pids_come_singly_and_in_lists(void **state)
{
	struct trace_ask *f = *state;

	assert_int_equal(ASK(f, "-e", "sched", "-P", "1,22", "-P", "333"), 0);
	assert_int_equal(f->req.buffers[0].n_pids, 3);
	assert_int_equal(f->req.buffers[0].pids[0], 1);
	assert_int_equal(f->req.buffers[0].pids[1], 22);
	assert_int_equal(f->req.buffers[0].pids[2], 333);
	assert_int_equal(ASK(f, "-e", "sched", "-P", "1,x"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "-P"));
	assert_int_equal(ASK(f, "-e", "sched", "-P", "0"), -ERANGE);
	assert_int_equal(ASK(f, "-e", "sched", "-P", "-1"), -EINVAL);
	assert_int_equal(ASK(f, "-e", "sched", "-P", ","), -EINVAL);
}

static void a_bare_buffer_size_counts_kib_as_in_trace_cmd(void **state)
{
	struct trace_ask *f = *state;

	assert_int_equal(ASK(f, "-e", "sched", "-b", "64"), 0);
	assert_int_equal(f->req.buffers[0].buffer_bytes, 64 * 1024);
	assert_int_equal(ASK(f, "-e", "sched", "-b", "2M"), 0);
	assert_int_equal(f->req.buffers[0].buffer_bytes, 2 * MIB);
	assert_int_equal(ASK(f, "-e", "sched", "-b", "1G"), 0);
	assert_int_equal(f->req.buffers[0].buffer_bytes, 1024 * MIB);
	assert_int_equal(ASK(f, "-e", "sched", "-b", "1"), -ERANGE);
	assert_int_equal(ASK(f, "-e", "sched", "-b", "64Q"), -EINVAL);
}

static void options_that_need_each_other_are_checked(void **state)
{
	struct trace_ask *f = *state;

	assert_int_equal(ASK(f, "-e", "sched", "-F"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "COMMAND"));
	assert_int_equal(ASK(f, "-e", "sched", "-c", "true"), -EINVAL);
	assert_int_equal(ASK(f, "-e", "sched", "-c", "-F", "true"), 0);
	assert_int_equal(ASK(f, "-e", "sched", "-c", "-P", "1"), 0);
	assert_int_equal(ASK(f, "-e", "sched", "-C", "a b"), -EINVAL);
	assert_int_equal(ASK(f, "-i"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "nothing to record"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, trace_ask_setup, trace_ask_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pids_come_singly_and_in_lists),
		TEST(a_bare_buffer_size_counts_kib_as_in_trace_cmd),
		TEST(options_that_need_each_other_are_checked),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
