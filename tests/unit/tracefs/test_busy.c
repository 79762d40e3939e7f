/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "lib/fake.h"
#include "lib/skip.h"
#include "tracefs/busy.h"

static unsigned int slept_ms;

int __wrap_nanosleep(const struct timespec *ts, struct timespec *left);

int __wrap_nanosleep(const struct timespec *ts, struct timespec *left)
{
	(void)left;
	slept_ms += (unsigned int)(ts->tv_sec * 1000 + ts->tv_nsec / 1000000);
	return 0;
}

#define MAX_CHILDREN 5

/* @fd: of what this process itself holds, -1 */
struct state {
	struct fake fake;
	struct tfs_strbuf sb;
	pid_t children[MAX_CHILDREN];
	size_t n;
	int fd;
};

static int setup(void **state)
{
	struct state *s = calloc(1, sizeof(*s));

	fake_new(&s->fake, NULL);
	fake_put(&s->fake, "trace_pipe", "");
	fake_put(&s->fake, "tracing_on", "1\n");
	fake_put(&s->fake, "instances/a/tracing_on", "1\n");
	fake_put(&s->fake, "instances/a/per_cpu/cpu0/trace_pipe_raw", "");
	fake_put(&s->fake, "instances/ab/tracing_on", "1\n");
	tfs_strbuf_init(&s->sb);
	s->fd = -1;
	slept_ms = 0;
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct state *s = *state;

	for (size_t i = 0; i < s->n; i++) {
		kill(s->children[i], SIGKILL);
		waitpid(s->children[i], NULL, 0);
	}
	if (s->fd >= 0)
		close(s->fd);
	tfs_strbuf_release(&s->sb);
	fake_free(&s->fake);
	free(s);
	return 0;
}

/* A process called @name that has @file open; returns once it has. */
static pid_t hold(struct state *s, const char *file, const char *name)
{
	int ready[2];
	pid_t pid;
	char c;

	assert_true(s->n < MAX_CHILDREN);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (prctl(PR_SET_NAME, name) || open(fake_path(&s->fake, file), O_RDONLY) < 0 ||
		    write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	s->children[s->n++] = pid;
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static const char *holders(struct state *s, const char *path)
{
	tfs_strbuf_reset(&s->sb);
	assert_int_equal(tfs_busy_holders(s->fake.root, path, &s->sb), 0);
	return s->sb.s;
}

static void holders_are_named_by_pid_and_name(void **state)
{
	struct state *s = *state;
	char want[64];
	pid_t pid;

	assert_string_equal(holders(s, "instances/a"), "");
	pid = hold(s, "instances/a/per_cpu/cpu0/trace_pipe_raw", "a (reader)");
	snprintf(want, sizeof(want), "%ld (a (reader))", (long)pid);
	assert_string_equal(holders(s, "instances/a"), want);
	assert_string_equal(holders(s, "instances/a/current_tracer"), want);
}

static void those_of_another_instance_are_not(void **state)
{
	struct state *s = *state;

	hold(s, "instances/ab/tracing_on", "x");
	assert_string_equal(holders(s, "instances/a"), "");
	assert_string_not_equal(holders(s, "instances/ab"), "");
	assert_string_equal(holders(s, "/proc/sys/kernel/kptr_restrict"), "");
}

static void a_file_of_that_name_in_another_file_system_is_not(void **state)
{
	struct state *s = *state;
	/* the fake is in the one or the other */
	const char *elsewhere = strncmp(s->fake.dir, "/dev/shm", 8) ? "/dev/shm" : "/tmp";
	char dir[64], path[128];
	struct stat here, there;

	snprintf(dir, sizeof(dir), "%s/tc-test-XXXXXX", elsewhere);
	if (stat(s->fake.dir, &here) || stat(elsewhere, &there) || here.st_dev == there.st_dev ||
	    !mkdtemp(dir))
		skip_because("/tmp and /dev/shm are not two file systems");
	snprintf(path, sizeof(path), "%s/instances", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/instances/a", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/instances/a/tracing_on", dir);
	s->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	fake_run((const char *const[]){ "rm", "-r", dir, NULL });
	assert_true(s->fd >= 0);
	assert_string_equal(holders(s, "instances/a"), "");
}

static void readers_of_its_ring_buffer_keep_the_top_level_busy(void **state)
{
	struct state *s = *state;
	char want[64];
	pid_t pid;

	hold(s, "tracing_on", "no");
	hold(s, "instances/a/per_cpu/cpu0/trace_pipe_raw", "other");
	assert_string_equal(holders(s, "current_tracer"), "");
	pid = hold(s, "trace_pipe", "cat");
	snprintf(want, sizeof(want), "%ld (cat)", (long)pid);
	assert_string_equal(holders(s, "current_tracer"), want);
}

static void three_are_named_and_the_others_counted(void **state)
{
	struct state *s = *state;
	const char *text;
	size_t n = 0;

	for (int i = 0; i < 5; i++)
		hold(s, "instances/a/tracing_on", "holder");
	text = holders(s, "instances/a");
	for (const char *p = text; (p = strstr(p, "(holder)")); p++)
		n++;
	assert_int_equal(n, 3);
	assert_string_equal(strrchr(text, ')'), ") and 2 more");
}

static void waiting_ends_with_the_time(void **state)
{
	struct tfs_busy busy = { .left_ms = 50 };
	unsigned int n = 0;

	(void)state;
	assert_false(tfs_busy_again(&busy, 0));
	assert_false(tfs_busy_again(&busy, -ENOENT));
	assert_int_equal(slept_ms, 0);
	while (tfs_busy_again(&busy, -EBUSY))
		n++;
	assert_in_range(n, 1, 50);
	assert_int_equal(slept_ms, 50);
	assert_int_equal(busy.left_ms, 0);
}

static void a_missing_instance_is_not_waited_for(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct state *s = *state;

	assert_int_equal(tfs_busy_rmdir(s->fake.root, "instances/none", &err), -ENOENT);
	assert_int_equal(slept_ms, 0);
	fake_empty_dir(fake_path(&s->fake, "instances/ab"));
	tfs_err_clear(&err);
	assert_int_equal(tfs_busy_rmdir(s->fake.root, "instances/ab", &err), 0);
	assert_int_equal(err.code, 0);
	assert_false(fake_has(&s->fake, "instances/ab"));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(holders_are_named_by_pid_and_name),
		T(those_of_another_instance_are_not),
		T(a_file_of_that_name_in_another_file_system_is_not),
		T(readers_of_its_ring_buffer_keep_the_top_level_busy),
		T(three_are_named_and_the_others_counted),
		T(waiting_ends_with_the_time),
		T(a_missing_instance_is_not_waited_for),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
