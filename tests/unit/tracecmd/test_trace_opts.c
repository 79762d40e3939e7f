/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace_ask.h"
#include "tracefs/event.h"

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

static void options_of_probes_need_such_a_probe(void **state)
{
	struct trace_ask *f = *state;

	assert_int_equal(ASK(f, "-e", "sched", "--target-ns", "1"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "-p uprobe:"));
	assert_int_equal(ASK(f, "-p", "kprobe:vfs_read", "--target-ns", "1"), -EINVAL);
	assert_int_equal(ASK(f, "-p", "uprobe:/bin/true:main", "--target-ns", "1"), 0);
	assert_int_equal(ASK(f, "-p", "kprobe:vfs_read", "--maxactive", "8"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "-p kretprobe:"));
	assert_int_equal(ASK(f, "-p", "kretprobe:vfs_read", "--maxactive", "8"), 0);
	assert_int_equal(f->req.maxactive, 8);
}

static void a_p_without_a_colon_is_a_tracer(void **state)
{
	struct trace_ask *f = *state;

	assert_int_equal(ASK(f, "-p", "function"), 0);
	assert_string_equal(f->req.buffers[0].tracer, "function");
	assert_int_equal(f->req.clauses.n, 0);
	assert_int_equal(ASK(f, "-p", "function", "-p", "kprobe:vfs_read"), 0);
	assert_string_equal(f->req.buffers[0].tracer, "function");
	assert_true(f->req.clauses.events[0].probe);
	assert_int_equal(ASK(f, "-p", "function", "-p", "function_graph"), -EINVAL);
	assert_non_null(strstr(f->err.hint, "-B"));
	assert_int_equal(ASK(f, "-p", "function", "-B", "b", "-p", "function_graph"), 0);
	assert_int_equal(ASK(f, "-p", "kp:vfs_read"), -EINVAL);
	assert_int_equal(ASK(f, "-p", ""), -EINVAL);
}

static void options_belong_to_the_buffer_before_them(void **state)
{
	struct trace_ask *f = *state;
	const struct trace_buffer *b;

	assert_int_equal(ASK(f, "-e", "sched_switch", "-b", "64", "-C", "mono", "-P", "1", "-B",
			     "one", "-e", "irq", "-f", "irq > 1", "-e", "sched_wakeup", "-B", "two",
			     "-p", "function", "-l", "vfs_*", "-b", "128", "-O", "sym-addr"),
			 0);
	assert_int_equal(f->req.n_buffers, 3);
	b = f->req.buffers;
	assert_null(b[0].name);
	assert_int_equal(b[0].first + 10 * b[0].n, 10);
	assert_int_equal(b[0].n_pids, 1);
	assert_string_equal(b[1].name, "one");
	assert_int_equal(b[1].first + 10 * b[1].n, 21);
	assert_int_equal(b[1].n_pids, 0);
	assert_int_equal(b[1].buffer_bytes, 0);
	assert_string_equal(b[2].name, "two");
	assert_int_equal(b[2].n, 0);
	assert_true(trace_is_used(&f->req, &b[2]));
	assert_int_equal(b[2].buffer_bytes, 128 * 1024);
	assert_int_equal(b[2].functions.only.n, 1);
	assert_int_equal(b[2].options.n, 1);
	assert_int_equal(ASK(f, "-B", "a", "-e", "irq"), 0);
	assert_false(trace_is_used(&f->req, &f->req.buffers[0]));
}

static void buffers_that_make_no_sense_are_refused(void **state)
{
	struct trace_ask *f = *state;

	assert_int_equal(ASK(f, "-B", "a", "-e", "irq", "-B", "a", "-e", "irq"), -EINVAL);
	assert_int_equal(ASK(f, "-B", "a/b", "-e", "irq"), -EINVAL);
	assert_int_equal(ASK(f, "-e", "irq", "-B", "a"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "nothing is recorded in 'a'"));
	assert_int_equal(ASK(f, "-e", "irq", "-v", "-B", "a"), -EINVAL);
}

static void the_top_level_is_the_buffer_without_a_name(void **state)
{
	struct trace_ask *f = *state;

	assert_int_equal(ASK(f, "-B", ""), 0);
	assert_int_equal(f->req.n_buffers, 2);
	assert_string_equal(f->req.buffers[1].inst.prefix, "");
	assert_true(f->req.buffers[1].inst.shared);
	assert_ptr_equal(trace_find_top(&f->req), &f->req.buffers[1]);
	assert_true(trace_is_used(&f->req, &f->req.buffers[1]));
	assert_int_equal(ASK(f, "-e", "irq", "-B", "a", "-e", "irq"), 0);
	assert_null(trace_find_top(&f->req));
	assert_int_equal(ASK(f, "-B", "", "-e", "irq", "-B", "", "-e", "irq"), -EINVAL);
}

static void function_options_need_a_function_tracer(void **state)
{
	struct trace_ask *f = *state;

	assert_int_equal(ASK(f, "-e", "irq", "-l", "vfs_read"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "-l"));
	assert_string_equal(f->err.hint, "add -p function");
	assert_int_equal(ASK(f, "-p", "function", "-g", "vfs_read"), -EINVAL);
	assert_string_equal(f->err.hint, "add -p function_graph");
	assert_int_equal(ASK(f, "-p", "function_graph", "-g", "vfs_read"), 0);
	assert_int_equal(ASK(f, "-p", "function", "--func-stack"), -EINVAL);
	assert_int_equal(ASK(f, "-p", "function", "--func-stack", "-l", "a"), 0);
	assert_int_equal(ASK(f, "-p", "function_graph", "--max-graph-depth", "2"), 0);
	assert_int_equal(f->req.buffers[0].depth, 2);
	assert_int_equal(ASK(f, "-p", "function_graph", "--max-graph-depth", "x"), -EINVAL);
}

/* cpumask_scnprintf(): words of 32 bits, a comma between, no zeros before the first */
static void cpus_are_a_mask_or_a_list(void **state)
{
	struct trace_ask *f = *state;

	assert_int_equal(ASK(f, "-e", "irq", "--cpus", "0-3,8"), 0);
	assert_string_equal(f->req.buffers[0].mask, "10f");
	assert_int_equal(ASK(f, "-e", "irq", "--cpus", "33,0"), 0);
	assert_string_equal(f->req.buffers[0].mask, "2,00000001");
	assert_int_equal(ASK(f, "-e", "irq", "-M", "5"), 0);
	assert_string_equal(f->req.buffers[0].mask, "5");
	assert_int_equal(ASK(f, "-e", "irq", "-M", "-1"), 0);
	assert_null(f->req.buffers[0].mask);
	assert_int_equal(ASK(f, "-e", "irq", "-M", "0"), -EINVAL);
	assert_int_equal(ASK(f, "-e", "irq", "-M", "g"), -EINVAL);
	assert_int_equal(ASK(f, "-e", "irq", "-M", "1", "--cpus", "1"), -EINVAL);
	assert_int_equal(ASK(f, "-e", "irq", "--cpus", "3-1"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "--cpus"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, trace_ask_setup, trace_ask_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pids_come_singly_and_in_lists),
		TEST(a_bare_buffer_size_counts_kib_as_in_trace_cmd),
		TEST(options_that_need_each_other_are_checked),
		TEST(options_of_probes_need_such_a_probe),
		TEST(a_p_without_a_colon_is_a_tracer),
		TEST(options_belong_to_the_buffer_before_them),
		TEST(buffers_that_make_no_sense_are_refused),
		TEST(the_top_level_is_the_buffer_without_a_name),
		TEST(function_options_need_a_function_tracer),
		TEST(cpus_are_a_mask_or_a_list),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
