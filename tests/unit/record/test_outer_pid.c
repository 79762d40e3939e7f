/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
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
#include "lib/fake.h"
#include "lib/skip.h"
#include "record/outer-pid.h"

static void assert_outer(pid_t tid, const char *mounts, pid_t want)
{
	assert_int_equal(tfs_outer_pid(tid, mounts), want);
}

/* A list of mounts, of which one is the fake; @type: of its file system */
static const char *mounted(const struct fake *f, const char *type)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "21 1 0:20 / /sys rw - sysfs sysfs rw\n"
		 "30 1 0:5 /sub /x rw - proc proc rw\n"
		 "31 1 0:6 / %s rw,nosuid shared:9 - %s none rw\n",
		 f->dir, type);
	fake_put(f, "mounts", text);
	return fake_path(f, "mounts");
}

/* A /proc of another namespace, which has a thread of the kernel as 2, and this process as 4711 */
static void put_proc(const struct fake *f, const char *flags)
{
	char name[64], text[64];

	snprintf(text, sizeof(text), "2 (a) b) S 0 0 0 0 -1 %s 0 0\n", flags);
	fake_put(f, "2/stat", text);
	for (int fd = 0; fd < 64; fd++) {
		snprintf(name, sizeof(name), "self/fdinfo/%d", fd);
		fake_put(f, name, "pos:\t0\nflags:\t02\nPid:\t4711\nNSpid:\t4711\t5\n");
	}
}

static void a_proc_of_the_first_namespace_is_asked(void **state)
{
	struct fake f;

	(void)state;
	fake_new(&f, NULL);
	put_proc(&f, "2129984");
	assert_outer(getpid(), mounted(&f, "proc"), 4711);
	assert_outer(getpid(), mounted(&f, "tmpfs"), -ENXIO);
	assert_outer(getpid(), "/nonexistent", -ENXIO);
	put_proc(&f, "4194560");
	assert_outer(getpid(), mounted(&f, "proc"), -ENXIO);
	fake_free(&f);
}

/* A process that has pid 1 for itself; /proc is still that of its parent. */
static void a_process_in_a_namespace_finds_itself(void **state)
{
	static const char mounts[] = "/proc/self/mountinfo";
	pid_t outer = 0, found = 0;
	int ends[2];

	(void)state;
	if (tfs_pid_ns())
		skip_because("/proc is not that of the first namespace");
	assert_outer(getpid(), mounts, getpid());
	assert_int_equal(pipe(ends), 0);
	if (!fork()) {
		pid_t inner = unshare(CLONE_NEWUSER | CLONE_NEWPID) ? -1 : fork();

		if (!inner) {
			found = tfs_outer_pid(getpid(), mounts);
			_exit(write(ends[1], &found, sizeof(found)) != sizeof(found));
		}
		if (inner > 0)
			waitpid(inner, NULL, 0);
		_exit(write(ends[1], &inner, sizeof(inner)) != sizeof(inner));
	}
	wait(NULL);
	assert_int_equal(read(ends[0], &found, sizeof(found)), sizeof(found));
	if (found < 0 && found != -ENXIO)
		skip_because("no namespaces can be made here");
	assert_int_equal(read(ends[0], &outer, sizeof(outer)), sizeof(outer));
	assert_int_equal(found, outer);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_proc_of_the_first_namespace_is_asked),
		cmocka_unit_test(a_process_in_a_namespace_finds_itself),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
