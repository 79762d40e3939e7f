/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "tracefs/restore.h"

static void restores(const char *path, const char *held, const char *want)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(tfs_restore_text(path, held, &sb), 0);
	assert_string_equal(sb.s, want);
	tfs_strbuf_release(&sb);
}

static void refuses(const char *path, const char *held)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(tfs_restore_text(path, held, &sb), -ENOTSUP);
	assert_string_equal(sb.s, "");
	tfs_strbuf_release(&sb);
}

/* The texts held are what files of 6.18 and 6.1 read. */
static void the_clock_in_brackets_is_the_present_one(void **state)
{
	(void)state;
	restores("trace_clock", "[local] global counter uptime\n", "local");
	restores("instances/a/trace_clock", "local global x86-tsc [tai]\n", "tai");
	refuses("trace_clock", "local global\n");
	refuses("trace_clock", "[local");
}

static void an_unused_ring_buffer_gets_the_size_of_its_first_use(void **state)
{
	(void)state;
	restores("buffer_size_kb", "7 (expanded: 1408)\n", "1408");
	restores("buffer_size_kb", "4096\n", "4096");
	/* CPUs of different sizes */
	refuses("buffer_size_kb", "X\n");
}

static void function_filters_read_otherwise_than_they_are_written(void **state)
{
	(void)state;
	restores("set_ftrace_filter", "#### all functions enabled ####\n", "");
	restores("set_ftrace_filter", "vfs_read\nvfs_write\n", "vfs_read\nvfs_write");
	restores("set_ftrace_filter",
		 "#### all functions enabled ####\ndo_exit:traceoff:unlimited\n"
		 "fork:snapshot:count=3\n",
		 "do_exit:traceoff\nfork:snapshot:count=3");
	restores("instances/a/set_ftrace_pid", "no pid\n", "");
	restores("set_ftrace_notrace_pid", "12\n", "12");
}

static void an_enable_file_is_on_or_off(void **state)
{
	(void)state;
	restores("events/sched/enable", "0\n", "0");
	restores("events/sched/sched_switch/enable", "1\n", "1");
	restores("events/sched/sched_switch/enable", "0*\n", "0");
	restores("events/sched/sched_switch/enable", "1*\n", "1");
	refuses("events/sched/enable", "X\n");
	refuses("events/sched/enable", "");
}

static void a_filter_that_is_not_in_force_is_none(void **state)
{
	static const char path[] = "events/sched/sched_switch/filter";

	(void)state;
	restores(path, "none\n", "0");
	restores(path, "prev_pid == 1\n", "prev_pid == 1");
	restores(path, "prev_pid ==\n^\nparse_error: Field not found\n", "0");
	restores(path, "\nError: (0)\n", "0");
	restores("events/sched/filter", "### global filter ###\n# Use this\n", "0");
}

static void everything_else_is_as_it_was_without_comments(void **state)
{
	(void)state;
	restores("current_tracer", "nop\n", "nop");
	restores("set_event", "", "");
	restores("set_event", "a:b\nc:d\n", "a:b\nc:d");
	restores("set_ftrace_filter", "#### all functions enabled ####\n", "");
	restores("events/a/b/trigger", "# Available triggers:\n# traceon\nstacktrace\n# x",
		 "stacktrace");
	restores("/proc/sys/kernel/kptr_restrict", "0\n", "0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_in_brackets_is_the_present_one),
		cmocka_unit_test(an_unused_ring_buffer_gets_the_size_of_its_first_use),
		cmocka_unit_test(function_filters_read_otherwise_than_they_are_written),
		cmocka_unit_test(an_enable_file_is_on_or_off),
		cmocka_unit_test(a_filter_that_is_not_in_force_is_none),
		cmocka_unit_test(everything_else_is_as_it_was_without_comments),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("restore", tests, NULL, NULL);
}
