/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "cli/signals.h"
#include "trace-command.h"

static int setup(void **state)
{
	struct trace_command *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	*c = (struct trace_command)TRACE_COMMAND_INIT;
	c->signals = tc_signals_fd(NULL);
	assert_true(c->signals >= 0);
	*state = c;
	return 0;
}

static int teardown(void **state)
{
	struct trace_command *c = *state;

	tc_child_kill(&c->child);
	tfs_close(&c->signals);
	free(c);
	return 0;
}

static void runs(struct trace_command *c, const char *script)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };

	assert_int_equal(tc_child_fork(&c->child, argv, NULL, NULL), 0);
	assert_int_equal(tc_child_go(&c->child, NULL), 0);
}

static void the_status_is_that_of_the_command(void **state)
{
	struct trace_command *c = *state;

	runs(c, "exit 3");
	trace_command_wait(c);
	assert_true(c->has_status);
	assert_int_equal(c->child.pid, -1);
	assert_int_equal(trace_command_status(c, true), 3);
}

static void the_status_is_128_and_the_signal_that_killed_the_command(void **state)
{
	struct trace_command *c = *state;

	runs(c, "kill -USR1 $$");
	trace_command_wait(c);
	assert_int_equal(trace_command_status(c, true), 128 + SIGUSR1);
}

static void a_signal_that_ended_tracing_ends_the_command(void **state)
{
	struct trace_command *c = *state;

	runs(c, "exec sleep 1000");
	c->ended_by = SIGINT;
	trace_command_wait(c);
	assert_int_equal(trace_command_status(c, true), 128 + SIGTERM);
}

static void a_signal_while_waiting_ends_the_command(void **state)
{
	struct trace_command *c = *state;

	runs(c, "exec sleep 1000");
	kill(getpid(), SIGHUP);
	trace_command_wait(c);
	assert_int_equal(c->ended_by, SIGHUP);
	assert_int_equal(trace_command_status(c, true), 128 + SIGTERM);
}

static void without_a_command_a_signal_is_a_normal_end(void **state)
{
	struct trace_command *c = *state;

	kill(getpid(), SIGINT);
	assert_int_equal(trace_command_signal(c), SIGINT);
	assert_int_equal(trace_command_signal(c), 0);
	c->ended_by = SIGINT;
	assert_int_equal(trace_command_status(c, false), 0);
}

static void the_end_of_the_command_is_not_a_signal_to_the_caller(void **state)
{
	struct trace_command *c = *state;

	runs(c, "i=0; while [ $i -lt 1000 ]; do i=$((i + 1)); done; exit 5");
	while (!c->has_status)
		assert_int_equal(trace_command_signal(c), 0);
	assert_int_equal(trace_command_status(c, true), 5);
	assert_true(c->usage.ru_utime.tv_sec || c->usage.ru_utime.tv_usec ||
		    c->usage.ru_stime.tv_usec || c->usage.ru_stime.tv_sec);
}

static void commands_that_cannot_run_have_the_statuses_of_a_shell(void **state)
{
	(void)state;
	assert_int_equal(trace_command_refused(-ENOENT), 127);
	assert_int_equal(trace_command_refused(-EACCES), 126);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_status_is_that_of_the_command),
		TEST(the_status_is_128_and_the_signal_that_killed_the_command),
		TEST(a_signal_that_ended_tracing_ends_the_command),
		TEST(a_signal_while_waiting_ends_the_command),
		TEST(without_a_command_a_signal_is_a_normal_end),
		TEST(the_end_of_the_command_is_not_a_signal_to_the_caller),
		TEST(commands_that_cannot_run_have_the_statuses_of_a_shell),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
