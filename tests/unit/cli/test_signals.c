/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "cli/signals.h"
#include "lib/capture.h"

/*
 * Signal state is the process's: each case runs in a child, and says on stdout what is wrong.
 * Nothing said and status 0 is success.
 */
static void in_child(void (*fn)(void *arg))
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int status = capture_run(fn, NULL, STDOUT_FILENO, -1, &sb);

	if (status || sb.len)
		fail_msg("status %#x: %s", status, sb.s);
	tfs_strbuf_release(&sb);
}

#define CHECK(cond)                                               \
	do {                                                      \
		if (!(cond))                                      \
			printf("line %d: %s\n", __LINE__, #cond); \
	} while (0)

static void (*disposition(int sig))(int)
{
	struct sigaction sa;

	return sigaction(sig, NULL, &sa) ? SIG_ERR : sa.sa_handler;
}

static int is_blocked(int sig)
{
	sigset_t set;

	sigprocmask(SIG_SETMASK, NULL, &set);
	return sigismember(&set, sig);
}

static int readable(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	/* an upper bound for a machine under load, not a delay */
	return poll(&pfd, 1, 100000);
}

static void take_each(void *arg)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };
	int fd = tc_signals_fd(NULL);
	size_t i;

	(void)arg;
	CHECK(fd >= 0);
	CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	CHECK(tc_signals_take(fd) == 0);
	for (i = 0; i < 3; i++) {
		kill(getpid(), sigs[i]);
		CHECK(readable(fd) == 1);
		CHECK(tc_signals_take(fd) == sigs[i]);
		CHECK(tc_signals_take(fd) == 0);
	}
}

static void signals_are_read_from_the_descriptor(void **state)
{
	(void)state;
	in_child(take_each);
}

static void take_child(void *arg)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	int fd, status = 0;
	pid_t pid;

	(void)arg;
	/* as a careless parent leaves it */
	sigaction(SIGCHLD, &ignore, NULL);
	fd = tc_signals_fd(NULL);
	pid = fork();
	if (!pid)
		_exit(7);
	CHECK(readable(fd) == 1);
	CHECK(tc_signals_take(fd) == SIGCHLD);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WEXITSTATUS(status) == 7);
}

static void a_childs_end_is_seen_even_if_sigchld_was_ignored(void **state)
{
	(void)state;
	in_child(take_child);
}

static void ignore_int(void *arg)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	int fd;

	(void)arg;
	sigaction(SIGINT, &ignore, NULL);
	sigaction(SIGHUP, &ignore, NULL);
	fd = tc_signals_fd(NULL);
	kill(getpid(), SIGINT);
	kill(getpid(), SIGHUP);
	CHECK(tc_signals_take(fd) == 0);
	kill(getpid(), SIGTERM);
	CHECK(readable(fd) == 1);
	CHECK(tc_signals_take(fd) == SIGTERM);
	CHECK(tc_signals_take(fd) == 0);
}

static void signals_ignored_at_the_start_stay_ignored(void **state)
{
	(void)state;
	in_child(ignore_int);
}

static void ignore_all(void *arg)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	int fd;

	(void)arg;
	sigaction(SIGINT, &ignore, NULL);
	sigaction(SIGTERM, &ignore, NULL);
	sigaction(SIGHUP, &ignore, NULL);
	tc_signals_start();
	tc_signals_accept();
	/* before there is a descriptor, they end the program */
	CHECK(disposition(SIGINT) == SIG_DFL && disposition(SIGTERM) == SIG_DFL);
	CHECK(disposition(SIGHUP) == SIG_IGN);
	fd = tc_signals_fd(NULL);
	kill(getpid(), SIGHUP);
	CHECK(tc_signals_take(fd) == 0);
	kill(getpid(), SIGINT);
	CHECK(readable(fd) == 1);
	CHECK(tc_signals_take(fd) == SIGINT);
	kill(getpid(), SIGTERM);
	CHECK(readable(fd) == 1);
	CHECK(tc_signals_take(fd) == SIGTERM);
	/* COMMAND ignores what it would have ignored without the recorder */
	tc_signals_restore();
	CHECK(disposition(SIGINT) == SIG_IGN && disposition(SIGTERM) == SIG_IGN);
}

static void sigint_and_sigterm_can_be_accepted_though_ignored(void **state)
{
	(void)state;
	in_child(ignore_all);
}

static void write_to_nobody(void *arg)
{
	int ends[2];

	(void)arg;
	tc_signals_start();
	CHECK(!pipe(ends));
	close(ends[0]);
	CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE);
}

static void a_lost_reader_is_an_error_not_the_end(void **state)
{
	(void)state;
	in_child(write_to_nobody);
}

static void write_beyond_the_limit(void *arg)
{
	const struct rlimit limit = { .rlim_cur = 4, .rlim_max = RLIM_INFINITY };
	FILE *file = tmpfile();

	(void)arg;
	tc_signals_start();
	CHECK(file && !setrlimit(RLIMIT_FSIZE, &limit));
	CHECK(file && write(fileno(file), "12345678", 8) == 4);
	CHECK(file && write(fileno(file), "5678", 4) == -1 && errno == EFBIG);
	tc_signals_restore();
	CHECK(disposition(SIGXFSZ) == SIG_DFL);
}

static void a_file_at_its_limit_is_an_error_not_the_end(void **state)
{
	(void)state;
	in_child(write_beyond_the_limit);
}

static void restore(void *arg)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t set;

	(void)arg;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGCHLD, &ignore, NULL);
	/* without a start there is nothing to go back to */
	tc_signals_restore();
	CHECK(disposition(SIGPIPE) == SIG_DFL);

	tc_signals_start();
	tc_signals_start();
	CHECK(tc_signals_fd(NULL) >= 0);
	CHECK(disposition(SIGPIPE) == SIG_IGN);
	CHECK(disposition(SIGCHLD) == SIG_DFL);
	CHECK(is_blocked(SIGINT) == 1 && is_blocked(SIGCHLD) == 1 && is_blocked(SIGUSR1) == 1);
	tc_signals_restore();
	CHECK(disposition(SIGPIPE) == SIG_DFL);
	CHECK(disposition(SIGCHLD) == SIG_IGN);
	CHECK(is_blocked(SIGINT) == 0 && is_blocked(SIGTERM) == 0 && is_blocked(SIGHUP) == 0);
	CHECK(is_blocked(SIGCHLD) == 0 && is_blocked(SIGUSR1) == 1);
}

static void restore_gives_back_the_state_at_the_start(void **state)
{
	(void)state;
	in_child(restore);
}

static void hold(void *arg)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t before;

	(void)arg;
	sigaction(SIGHUP, &ignore, NULL);
	tc_signals_block(&before);
	CHECK(is_blocked(SIGINT) == 1 && is_blocked(SIGTERM) == 1 && is_blocked(SIGHUP) == 0);
	kill(getpid(), SIGHUP);
	CHECK(!tc_signals_pending(&before));
	tc_signals_unblock(&before);
	CHECK(is_blocked(SIGINT) == 0 && is_blocked(SIGTERM) == 0);
}

static void hold_and_end(void *arg)
{
	sigset_t before;

	(void)arg;
	tc_signals_block(&before);
	kill(getpid(), SIGTERM);
	if (tc_signals_pending(&before))
		puts("held");
	fflush(stdout);
	tc_signals_unblock(&before);
	puts("still there");
}

static void hold_what_was_held(void *arg)
{
	sigset_t set, before;

	(void)arg;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGTERM);
	tc_signals_block(&before);
	/* it would not have been delivered anyway */
	CHECK(!tc_signals_pending(&before));
	tc_signals_unblock(&before);
	CHECK(is_blocked(SIGTERM) == 1 && is_blocked(SIGINT) == 0);
}

static void held_signals_are_delivered_on_release(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int status;

	(void)state;
	in_child(hold);
	in_child(hold_what_was_held);
	status = capture_run(hold_and_end, NULL, STDOUT_FILENO, -1, &sb);
	assert_string_equal(sb.s, "held\n");
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	tfs_strbuf_release(&sb);
}

/* Memory after the new end of the file cannot be reached. */
static void touch_truncated(void *arg)
{
	int fd = memfd_create("short", MFD_CLOEXEC);
	volatile char *p;

	(void)arg;
	tc_signals_start();
	if (fd < 0 || ftruncate(fd, 1 << 20))
		_exit(7);
	p = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || p[1 << 19] || ftruncate(fd, 0))
		_exit(8);
	_exit(p[1 << 19] ? 9 : 10);
}

static void raise_bus(void *arg)
{
	(void)arg;
	tc_signals_start();
	raise(SIGBUS);
	/* the handler was for once */
	raise(SIGBUS);
	_exit(7);
}

static void a_mapped_file_that_becomes_shorter_is_an_error(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int status = capture_run(touch_truncated, NULL, STDERR_FILENO, -1, &sb);

	(void)state;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_non_null(strstr(sb.s, ": a file was truncated while it was read\n"));
	tfs_strbuf_reset(&sb);
	status = capture_run(raise_bus, NULL, STDERR_FILENO, -1, &sb);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGBUS);
	tfs_strbuf_release(&sb);
}

static void a_bad_descriptor_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(tc_signals_take(-1), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_are_read_from_the_descriptor),
		cmocka_unit_test(a_childs_end_is_seen_even_if_sigchld_was_ignored),
		cmocka_unit_test(signals_ignored_at_the_start_stay_ignored),
		cmocka_unit_test(sigint_and_sigterm_can_be_accepted_though_ignored),
		cmocka_unit_test(a_lost_reader_is_an_error_not_the_end),
		cmocka_unit_test(a_file_at_its_limit_is_an_error_not_the_end),
		cmocka_unit_test(restore_gives_back_the_state_at_the_start),
		cmocka_unit_test(held_signals_are_delivered_on_release),
		cmocka_unit_test(a_mapped_file_that_becomes_shorter_is_an_error),
		cmocka_unit_test(a_bad_descriptor_is_an_error),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
