/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/pid-ns.h"
#include "lib/skip.h"

/* "pid:[NUMBER]": the text of the link, which nobody needs a number for */
static unsigned long long number_of_link(void)
{
	unsigned long long n = 0;
	char text[64];
	ssize_t len = readlink("/proc/self/ns/pid", text, sizeof(text) - 1);

	if (len <= 0)
		return 0;
	text[len] = '\0';
	return sscanf(text, "pid:[%llu]", &n) == 1 ? n : 0;
}

static void the_first_has_no_number(void **state)
{
	const unsigned long long n = number_of_link();

	(void)state;
	assert_int_equal(tfs_pid_ns(), n == 0xeffffffcull ? 0 : n);
}

static void a_tag_is_the_pid_and_the_number(void **state)
{
	char tag[TFS_PID_TAG_SIZE], want[64];

	(void)state;
	if (tfs_pid_ns())
		snprintf(want, sizeof(want), "%ld_%llu", (long)getpid(), number_of_link());
	else
		snprintf(want, sizeof(want), "%ld", (long)getpid());
	tfs_pid_tag(tag, '_');
	assert_string_equal(tag, want);
}

static void the_last_number_of_a_line_counts(void **state)
{
	static const char status[] = "Name:\ttgid: 3\nTgid:\t512\nNSpid:\t512\t40\t7\nNSsid:\t9\n";

	(void)state;
	assert_int_equal(tfs_pid_in_status(status, "\nTgid:"), 512);
	assert_int_equal(tfs_pid_in_status(status, "\nNSpid:"), 7);
	assert_int_equal(tfs_pid_in_status(status, "\nPid:"), 0);
	assert_int_equal(tfs_pid_in_status("pos:\t0\nPid:\t-1\n", "\nPid:"), -1);
	assert_int_equal(tfs_pid_in_status("a:\t1\nPid:\t", "\nPid:"), 0);
}

/* Two that have pid 1 in their namespaces, which are there at the same time */
static void processes_of_two_namespaces_differ(void **state)
{
	char tags[2][TFS_PID_TAG_SIZE];
	int go[2], out[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(out), 0);
	for (int i = 0; i < 2; i++) {
		const pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			char tag[TFS_PID_TAG_SIZE] = "";
			pid_t inner;

			close(go[1]);
			inner = unshare(CLONE_NEWUSER | CLONE_NEWPID) ? -1 : fork();
			if (!inner)
				tfs_pid_tag(tag, '.');
			if (inner <= 0 && write(out[1], tag, sizeof(tag)) == sizeof(tag) && !inner)
				_exit(read(go[0], &byte, 1) < 0);
			_exit(inner < 0 || waitpid(inner, NULL, 0) < 0);
		}
		assert_int_equal(read(out[0], tags[i], sizeof(tags[i])), sizeof(tags[i]));
	}
	close(go[1]);
	for (int i = 0; i < 2; i++)
		wait(NULL);
	for (int i = 0; i < 2; i++) {
		close(out[i]);
	}
	close(go[0]);
	if (!*tags[0] || !*tags[1])
		skip_because("no namespaces can be made here");
	assert_memory_equal(tags[0], "1.", 2);
	assert_memory_equal(tags[1], "1.", 2);
	assert_string_not_equal(tags[0], tags[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_has_no_number),
		cmocka_unit_test(the_last_number_of_a_line_counts),
		cmocka_unit_test(a_tag_is_the_pid_and_the_number),
		cmocka_unit_test(processes_of_two_namespaces_differ),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
