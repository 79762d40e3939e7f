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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/strbuf-core.h"
#include "cli/pager.h"
#include "cli/signals.h"
#include "lib/skip.h"

/*
 * Each case runs in a child whose stdout is a terminal (@tty) of our own; pagers write to @file.
 */
struct fixture {
	int master;
	int tty;
	char file[64];
	struct tfs_strbuf sb;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const char *tmp = getenv("TMPDIR");
	int fd;

	if (!f)
		return -1;
	*state = f;
	tfs_strbuf_init(&f->sb);
	snprintf(f->file, sizeof(f->file), "%s/tc-pager.XXXXXX",
		 tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	fd = mkstemp(f->file);
	if (fd < 0)
		return -1;
	close(fd);
	f->tty = -1;
	f->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (f->master >= 0 && !grantpt(f->master) && !unlockpt(f->master))
		f->tty = open(ptsname(f->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	unsetenv("TC_PAGER");
	unsetenv("PAGER");
	setenv("OUT", f->file, 1);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_close(&f->tty);
	tfs_close(&f->master);
	unlink(f->file);
	tfs_strbuf_release(&f->sb);
	free(f);
	return 0;
}

/* Pages "hello"; 0: no pager was started, 1: one was, more: something was wrong */
static int page(int out)
{
	pid_t pager;

	if (dup2(out, STDOUT_FILENO) < 0)
		return 9;
	tc_signals_start();
	pager = tc_pager_start();
	printf("hello\n");
	tc_pager_wait(pager);
	/* later output is discarded without an error */
	if (pager && (printf("late\n") < 0 || fflush(stdout) || ferror(stdout)))
		return 8;
	if (pager && waitpid(pager, NULL, WNOHANG) != -1)
		return 7;
	fflush(stdout);
	return pager ? 1 : 0;
}

static int page_in_child(int out)
{
	int status = -1;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(page(out));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static const char *paged(struct fixture *f)
{
	tfs_strbuf_reset(&f->sb);
	assert_int_equal(tfs_read_path(f->file, &f->sb), 0);
	return f->sb.s;
}

static void a_terminal_gets_the_pager_of_the_environment(void **state)
{
	struct fixture *f = *state;

	if (f->tty < 0)
		skip_because("no pseudo-terminal");
	setenv("PAGER", "tr a-z A-Z > \"$OUT\"", 1);
	assert_int_equal(page_in_child(f->tty), 1);
	assert_string_equal(paged(f), "HELLO\n");

	setenv("TC_PAGER", "tr l L > \"$OUT\"", 1);
	assert_int_equal(page_in_child(f->tty), 1);
	assert_string_equal(paged(f), "heLLo\n");
}

static void a_file_gets_no_pager(void **state)
{
	struct fixture *f = *state;
	int fd = open(f->file, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	setenv("TC_PAGER", "false", 1);
	assert_int_equal(page_in_child(fd), 0);
	close(fd);
	assert_string_equal(paged(f), "hello\n");
}

static void cat_and_missing_programs_are_not_pagers(void **state)
{
	static const char *const pagers[] = { "", "  ", "cat", "no-such-pager-here -x" };
	struct fixture *f = *state;
	size_t i;

	if (f->tty < 0)
		skip_because("no pseudo-terminal");
	for (i = 0; i < sizeof(pagers) / sizeof(pagers[0]); i++) {
		setenv("TC_PAGER", pagers[i], 1);
		assert_int_equal(page_in_child(f->tty), 0);
	}
	setenv("PATH", "/nonexistent", 1);
	unsetenv("TC_PAGER");
	assert_int_equal(page_in_child(f->tty), 0);
	setenv("PATH", "/usr/bin:/bin", 1);
}

static void a_pager_that_quits_early_is_not_an_error(void **state)
{
	struct fixture *f = *state;

	if (f->tty < 0)
		skip_because("no pseudo-terminal");
	setenv("TC_PAGER", "exec 0<&-; exit 3", 1);
	assert_int_equal(page_in_child(f->tty), 1);
}

static void the_pager_can_be_interrupted_and_we_cannot(void **state)
{
	struct fixture *f = *state;

	if (f->tty < 0)
		skip_because("no pseudo-terminal");
	/* SigIgn of both: SIGINT is bit 1, SIGPIPE bit 12 */
	setenv("TC_PAGER", "cat /proc/$PPID/status /proc/self/status | grep SigIgn > \"$OUT\"", 1);
	assert_int_equal(page_in_child(f->tty), 1);
	paged(f);
	assert_int_equal(strtoull(strstr(f->sb.s, "SigIgn:") + 7, NULL, 16) & 0x1002, 0x1002);
	assert_int_equal(strtoull(strrchr(f->sb.s, ':') + 1, NULL, 16) & 0x1002, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_terminal_gets_the_pager_of_the_environment),
		TEST(a_file_gets_no_pager),
		TEST(cat_and_missing_programs_are_not_pagers),
		TEST(a_pager_that_quits_early_is_not_an_error),
		TEST(the_pager_can_be_interrupted_and_we_cannot),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
