/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's lines that depend on other lines. The layouts are those of the kernel's
 * Documentation/trace/ftrace.rst; times, marks and depths are arithmetic. tests/vm/t-truth.sh
 * compares with what kernels print.
 */
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
#include "base/out.h"
#include "base/strbuf.h"
#include "decode/trace.h"
#include "lib/graph_view.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "view/kernel-view.h"

#define GRAPH_HEAD                                          \
	"# tracer: function_graph\n"                        \
	"#\n"                                               \
	"# CPU  DURATION                  FUNCTION CALLS\n" \
	"# |     |   |                     |   |   |   |\n"

static void draw(const struct tfs_kernel_view_opts *opts, const struct event *events, size_t n,
		 struct tfs_strbuf *text)
{
	static const struct tfs_trace_opts kernel = { .kernel = true };
	struct tfs_run_input input = { 0 };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1 };
	int dat = graph_build(events, n), fd = memfd_create("out", MFD_CLOEXEC);
	struct tfs_trace *trace = NULL;
	struct tfs_view *view = NULL;
	struct tfs_out *out = NULL;
	char path[64];
	off_t size;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", dat);
	assert_int_equal(tfs_trace_open(path, &kernel, &trace, NULL), 0);
	input.trace = trace;
	assert_int_equal(tfs_kernel_view_has_graph(&input, NULL), opts->graph);
	assert_int_equal(tfs_out_new(fd, &out), 0);
	assert_int_equal(tfs_kernel_view_new(trace, opts, &view), 0);
	assert_int_equal(tfs_run(view, out, &run, NULL), 0);
	tfs_view_free(view);
	tfs_out_free(out);
	tfs_trace_free(trace);
	size = lseek(fd, 0, SEEK_END);
	assert_int_equal(tfs_strbuf_grow(text, (size_t)size), 0);
	assert_int_equal(pread(fd, text->s, (size_t)size, 0), size);
	text->s[size] = '\0';
	close(fd);
	close(dat);
}

static void expect(const struct tfs_kernel_view_opts *opts, const struct event *events, size_t n,
		   const char *want)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	draw(opts, events, n, &text);
	assert_string_equal(text.s, want);
	tfs_strbuf_release(&text);
}

static const struct tfs_kernel_view_opts graph = { .graph = true };

static void calls_are_drawn_with_leaves_comments_and_durations(void **state)
{
	static const struct event events[] = {
		EV(ENTRY, 100, A, 0, 1000000),
		EV(NOTE, 100, 0, 0, 1000500),
		EV(ENTRY, 100, B, 1, 1001000),
		EV(EXIT, 100, B, 1, 1003000, .took = 2000),
		EV(ENTRY, 100, C, 1, 1004000),
		/* between entry and exit, but on another CPU: a leaf all the same */
		EV(ENTRY, 101, D, 0, 1004500, .cpu = 1),
		EV(EXIT, 100, C, 1, 1005000, .took = 1000),
		EV(NOTE, 101, 0, 0, 1006000, .cpu = 1),
		EV(ENTRY, 101, C, 1, 1007000, .cpu = 1),
		EV(NOTE, 101, 0, 0, 1008000, .cpu = 1),
		EV(EXIT, 101, C, 1, 1009000, .cpu = 1, .took = 123456),
		EV(EXIT, 100, A, 0, 1020000, .took = 20000),
	};

	(void)state;
	expect(&graph, events, N_EVENTS(events),
	       GRAPH_HEAD " 0)               |  alpha() {\n"
			  " 0)               |  /* note: nr=0 */\n"
			  " 0)   2.000 us    |    __beta.constprop.0();\n"
			  " 0)   1.000 us    |    gamma();\n"
			  " 1)               |  delta() {\n"
			  " 1)               |  /* note: nr=0 */\n"
			  " 1)               |    gamma() {\n"
			  " 1)               |      /* note: nr=0 */\n"
			  " 1) ! 123.456 us  |    }\n"
			  " 0) + 20.000 us   |  }\n");
}

static void another_task_a_loss_and_an_end_without_a_beginning_are_shown(void **state)
{
	static const struct event events[] = {
		EV(ENTRY, 100, D, 0, 1000000),
		EV(ENTRY, 101, C, 0, 1040000),
		EV(EXIT, 101, A, 0, 1050000, .took = 11000000, .lost = 42),
		EV(EXIT, 100, B, 3, 1060000, .took = 1500000000),
	};

	(void)state;
	expect(&graph, events, N_EVENTS(events),
	       GRAPH_HEAD " 0)               |  delta() {\n"
			  " ------------------------------------------\n"
			  " 0)    task-100    =>   <...>-101   \n"
			  " ------------------------------------------\n"
			  "\n"
			  " 0)               |  gamma() {\n"
			  "CPU:0 [LOST 42 EVENTS]\n"
			  " 0) * 11000.00 us |  } /* alpha */\n"
			  " ------------------------------------------\n"
			  " 0)   <...>-101    =>    task-100   \n"
			  " ------------------------------------------\n"
			  "\n"
			  " 0) $ 1500000 us  |        } /* __beta.constprop.0 */\n");
}

static void interrupts_are_marked(void **state)
{
	static const struct event events[] = {
		EV(ENTRY, 100, SYSVEC, 0, 1000000),
		EV(NOTE, 100, 0, 0, 1000500),
		EV(EXIT, 100, SYSVEC, 0, 1003000, .took = 3000),
		EV(ENTRY, 100, SYSVEC, 0, 1004000),
		EV(EXIT, 100, SYSVEC, 0, 1005000, .took = 1000),
	};

	(void)state;
	expect(&graph, events, N_EVENTS(events),
	       GRAPH_HEAD " 0)   ==========> |\n"
			  " 0)               |  sysvec() {\n"
			  " 0)               |  /* note: nr=0 */\n"
			  " 0)   3.000 us    |  }\n"
			  " 0)   <========== |\n"
			  " 0)   ==========> |\n"
			  " 0)   1.000 us    |  sysvec();\n"
			  " 0)   <========== |\n");
}

static void a_damaged_depth_makes_no_endless_line(void **state)
{
	static const struct event events[] = {
		EV(ENTRY, 100, A, 0x7fffffff, 1000000),
		EV(NOTE, 100, 0, 0, 1000500),
		EV(EXIT, 100, B, 0x80000000, 1003000, .took = 3000),
		EV(NOTE, 100, 0, 0, 1004500),
	};
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	(void)state;
	draw(&graph, events, N_EVENTS(events), &text);
	assert_true(strlen(text.s) < 20000);
	assert_non_null(strstr(text.s, "alpha() {\n"));
	assert_non_null(strstr(text.s, " 0)   3.000 us    |  }\n"));
	tfs_strbuf_release(&text);
}

static void the_latency_format_has_flags_beside_the_graph(void **state)
{
	static const struct tfs_kernel_view_opts both = { .graph = true, .latency = true };
	static const struct event events[] = {
		EV(ENTRY, 100, A, 0, 1000000),
		EV(EXIT, 100, A, 0, 1020000, .took = 20000, .flags = FLAG_HARDIRQ),
		EV(NOTE, 100, 0, 0, 1030000, .flags = FLAG_HARDIRQ),
	};

	(void)state;
	expect(&both, events, N_EVENTS(events),
	       "# tracer: function_graph\n"
	       "#\n"
	       "# function_graph latency trace v1.1.5 on \n"
	       "# --------------------------------------------------------------------\n"
	       "#\n"
	       "#      _-----=> irqs-off        \n"
	       "#     / _----=> need-resched    \n"
	       "#    | / _---=> hardirq/softirq \n"
	       "#    || / _--=> preempt-depth   \n"
	       "#    ||| /                      \n"
	       "# CPU||||     DURATION                  FUNCTION CALLS\n"
	       "# |  ||||      |   |                     |   |   |   |\n"
	       " 0)  ..... | + 20.000 us   |  alpha();\n"
	       " 0)  ..h.. |               |  /* note: nr=0 */\n");
}

static void an_exit_drawn_with_its_entry_does_not_follow_a_line(void **state)
{
	static const struct tfs_kernel_view_opts both = { .graph = true, .latency = true };
	static const struct event events[] = {
		EV(ENTRY, 100, A, 0, 1000000),
		EV((enum kind)99, 101, 0, 0, 1050000, .cpu = 1),
		EV(EXIT, 100, A, 0, 1065000, .took = 65000),
		EV(NOTE, 100, 0, 0, 1250000),
	};
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	(void)state;
	draw(&both, events, N_EVENTS(events), &text);
	/* 200 us up to the note; the exit in between is in the line above */
	assert_non_null(strstr(text.s, "+ 65.000 us   |  alpha();\n"
				       "   <...>-101       1.....   50us!: Unknown type 99\n"));
	tfs_strbuf_release(&text);
}

static void the_latency_format_counts_microseconds_and_marks_long_delays(void **state)
{
	static const struct tfs_kernel_view_opts latency = { .latency = true };
	static const struct event events[] = {
		EV(NOTE, 100, 0, 0, 1000000, .took = 7),
		EV(NOTE, 101, 0, 0, 1015000, .cpu = 1, .flags = FLAG_HARDIRQ),
		EV(NOTE, 100, 0, 0, 1015600),
		EV(NOTE, 100, 0, 0, 1215600),
	};

	(void)state;
	expect(&latency, events, N_EVENTS(events),
	       "# tracer: nop\n"
	       "#\n"
	       "# nop latency trace v1.1.5 on \n"
	       "# --------------------------------------------------------------------\n"
	       "#\n"
	       "#                    _------=> CPU#            \n"
	       "#                   / _-----=> irqs-off/BH-disabled\n"
	       "#                  | / _----=> need-resched    \n"
	       "#                  || / _---=> hardirq/softirq \n"
	       "#                  ||| / _--=> preempt-depth   \n"
	       "#                  |||| / _-=> migrate-disable \n"
	       "#                  ||||| /     delay           \n"
	       "#  cmd     pid     |||||| time  |   caller     \n"
	       "#     \\   /        ||||||  \\    |    /       \n"
	       "    task-100       0.....    0us+: note: nr=7\n"
	       "   <...>-101       1..h..   15us : note: nr=0\n"
	       "    task-100       0.....   16us!: note: nr=0\n"
	       "    task-100       0.....  216us : note: nr=0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_drawn_with_leaves_comments_and_durations),
		cmocka_unit_test(another_task_a_loss_and_an_end_without_a_beginning_are_shown),
		cmocka_unit_test(interrupts_are_marked),
		cmocka_unit_test(a_damaged_depth_makes_no_endless_line),
		cmocka_unit_test(the_latency_format_has_flags_beside_the_graph),
		cmocka_unit_test(an_exit_drawn_with_its_entry_does_not_follow_a_line),
		cmocka_unit_test(the_latency_format_counts_microseconds_and_marks_long_delays),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
