/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For what calls waited: tc-trace --why */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/call_view.h"

/* Numbers of x86_64 */
enum { READ = 0, CLOSE = 3, EXECVE = 59 };

#define show(events, opts) call_show(events, N_CALLS(events), opts, SIZE_MAX, NULL, NULL)

static struct tfs_strace_opts why_opts(void)
{
	struct tfs_strace_opts opts = call_opts();

	opts.flags = TFS_STRACE_WHY;
	opts.line.duration_digits = 9;
	opts.line.column = 0;
	return opts;
}

/* Bits of prev_state, and common_flags in a hard interrupt */
enum { SLEEPS = 1, BLOCKS = 2, RUNS = 0, HARDIRQ = 8 };

/* ns; the CPU is switched to other tasks, of which 50 and 60 wake 100 */
static const struct call_event waits[] = {
	CALL(SWITCH, 60, 100, 100, SLEEPS),   CALL(ENTER, 100, 1000, READ, 3, 0x1000, 1),
	CALL(FAULT, 100, 1100, 0x1000),       CALL(ISSUE, 100, 1200, 2048, 254 << 20 | 3, 4096),
	CALL(SWITCH, 100, 2000, 50, BLOCKS),  CALL(COMPLETE, 50, 5000, 2048, 254 << 20 | 3),
	CALL(WAKING, 50, 5500, 100, HARDIRQ), CALL(SWITCH, 50, 6000, 100, RUNS),
	CALL(SWITCH, 100, 7000, 60, SLEEPS),  CALL(WAKING, 60, 17000, 100, 0),
	CALL(WAKING, 60, 17100, 100, 0),      CALL(SWITCH, 60, 18000, 100, SLEEPS),
	CALL(SWITCH, 100, 20000, 60, RUNS),   CALL(SWITCH, 60, 20300, 100, SLEEPS),
	CALL(LEAVE, 100, 21000, READ, 1),     CALL(ENTER, 100, 22000, CLOSE, 3),
	CALL(LEAVE, 100, 23000, CLOSE, 0),    CALL(SWITCH, 100, 24000, 60, SLEEPS),
	CALL(SWITCH, 60, 25000, 100, SLEEPS), CALL(ENTER, 100, 26000, CLOSE, 4),
	CALL(LEAVE, 100, 27000, CLOSE, 0),
};

static void a_call_that_waited_says_for_what(void **state)
{
	struct tfs_strace_opts opts = why_opts();

	(void)state;
	assert_string_equal(
		show(waits, opts),
		"read(3, 0x1000, 1) = 1 <0.000020000>\n"
		"    off CPU 0.000015300: preempted 0.000000300 (1), sleeping 0.000010000 (1), "
		"blocked 0.000003500 (1), runnable 0.000001500 (2); woken by an interrupt in "
		"<...>-50, <...>-60; block 254:3 WS 2048 + 8 <0.000003800>; 1 page fault\n"
		"close(3) = 0 <0.000001000>\n"
		"close(4) = 0 <0.000001000>\n");
}

static void an_object_has_the_same_as_members(void **state)
{
	struct tfs_strace_opts opts = why_opts();
	const char *text;

	(void)state;
	opts.flags |= TFS_STRACE_JSON;
	text = show(waits, opts);
	assert_non_null(strstr(
		text,
		",\"why\":{\"off_cpu\":0.000015300,\"complete\":true,\"states\":{"
		"\"preempted\":{\"count\":1,\"seconds\":0.000000300},"
		"\"sleeping\":{\"count\":1,\"seconds\":0.000010000},"
		"\"blocked\":{\"count\":1,\"seconds\":0.000003500},"
		"\"runnable\":{\"count\":2,\"seconds\":0.000001500}},\"wakeups\":2,\"wakers\":["
		"{\"pid\":50,\"comm\":null,\"interrupt\":true,\"count\":1},"
		"{\"pid\":60,\"comm\":null,\"interrupt\":false,\"count\":1}],"
		"\"requests\":1,\"bytes\":4096,\"block\":[{\"dev\":\"254:3\",\"rwbs\":\"WS\","
		"\"sector\":2048,\"bytes\":4096,\"duration\":0.000003800}],\"faults\":1}}\n"));
	assert_non_null(strstr(text, "\"why\":{\"off_cpu\":0.000000000,\"complete\":true,"
				     "\"states\":{},\"wakeups\":0,"));
}

static void it_waits_from_its_entry_on_though_its_text_comes_later(void **state)
{
	static const struct call_event events[] = {
		CALL(SWITCH, 60, 100, 100, SLEEPS),
		CALL(ENTER, 100, 1000, EXECVE, 0x1000, 0x2000, 0x3000),
		CALL(FAULT, 100, 1100, 0x1000),
		CALL(SWITCH, 100, 2000, 60, RUNS),
		CALL(SWITCH, 60, 2500, 100, SLEEPS),
		CALL(EXEC, 100, 3000, 100),
		CALL(FAULT, 100, 3500, 0x1000),
		CALL(LEAVE, 100, 4000, EXECVE, 0),
		/* by thread 101, which becomes 100, which was in another call */
		CALL(ENTER, 100, 4500, READ, 3, 0x1000, 1),
		CALL(FAULT, 100, 4600, 0x1000),
		CALL(ENTER, 101, 5000, EXECVE, 0x1000, 0x2000, 0x3000),
		CALL(EXEC, 100, 5500, 101),
		CALL(LEAVE, 100, 6000, EXECVE, 0),
	};
	struct tfs_strace_opts opts = why_opts();

	(void)state;
	opts.command = 100;
	assert_string_equal(show(events, opts),
			    "execve(\"/bin/prog\", 0x2000, 0x3000) = 0 <0.000003000>\n"
			    "    off CPU 0.000000500: preempted 0.000000500 (1); 2 page faults\n"
			    "read(3,  <unfinished ...>\n"
			    "execve(\"/bin/prog\", 0x2000, 0x3000) = 0 <0.000001000>\n");
}

static void after_a_loss_times_are_the_least(void **state)
{
	static const struct call_event events[] = {
		CALL(SWITCH, 60, 100, 100, SLEEPS),
		CALL(ENTER, 100, 1000, READ, 3, 0x1000, 1),
		CALL(SWITCH, 100, 2000, 60, SLEEPS),
		{ .kind = CALL_WAKING, .pid = 60, .ts = 5000, .nr = 100, .lost = 7 },
		CALL(SWITCH, 60, 6000, 100, SLEEPS),
		CALL(LEAVE, 100, 7000, READ, 1),
	};
	struct tfs_strace_opts opts = why_opts();

	(void)state;
	assert_non_null(strstr(show(events, opts), "off CPU at least 0.000001000: "));
}

/* Some kernels leave out a switch: 100 ran again when it made a call. */
static void a_state_before_the_call_is_not_of_it(void **state)
{
	static const struct call_event events[] = {
		CALL(SWITCH, 60, 100, 100, SLEEPS),
		CALL(SWITCH, 100, 200, 60, RUNS),
		CALL(ENTER, 100, 1000, READ, 3, 0x1000, 1),
		CALL(SWITCH, 100, 2000, 60, SLEEPS),
		CALL(WAKING, 60, 5000, 100, 0),
		CALL(SWITCH, 60, 6000, 100, SLEEPS),
		CALL(LEAVE, 100, 7000, READ, 1),
		CALL(SWITCH, 100, 8000, 60, SLEEPS),
		CALL(ENTER, 100, 9000, CLOSE, 3),
		CALL(WAKING, 60, 9500, 100, 0),
		CALL(LEAVE, 100, 9900, CLOSE, 0),
	};
	struct tfs_strace_opts opts = why_opts();

	(void)state;
	assert_string_equal(show(events, opts),
			    "read(3, 0x1000, 1) = 1 <0.000006000>\n"
			    "    off CPU 0.000004000: sleeping 0.000003000 (1), "
			    "runnable 0.000001000 (1); woken by <...>-60\n"
			    "close(3) = 0 <0.000000900>\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_that_waited_says_for_what),
		cmocka_unit_test(an_object_has_the_same_as_members),
		cmocka_unit_test(it_waits_from_its_entry_on_though_its_text_comes_later),
		cmocka_unit_test(after_a_loss_times_are_the_least),
		cmocka_unit_test(a_state_before_the_call_is_not_of_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
