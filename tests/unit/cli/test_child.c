/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wants: root */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "cli/child.h"
#include "cli/signals.h"
#include "lib/skip.h"

/*
 * @dir: with "tool" (executable), "plain" (not) and "sub" (a directory) in it
 * @path: PATH as it was
 * @out: read end of the pipe that children have as stdout
 * @saved_stdout: to be put back
 */
struct fixture {
	char dir[64];
	char *path;
	int out;
	int saved_stdout;
	struct tc_child child;
	struct tfs_err err;
	struct tfs_strbuf sb;
};

static int write_file(const char *dir, const char *name, const char *text, mode_t mode)
{
	char path[128];
	int fd, rc;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	rc = tfs_write_all(fd, text, strlen(text)) || fchmod(fd, mode);
	tfs_close(&fd);
	return rc;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char sub[128];
	int ends[2];

	if (!f)
		return -1;
	*state = f;
	f->child = (struct tc_child)TC_CHILD_INIT;
	tfs_strbuf_init(&f->sb);
	tfs_err_clear(&f->err);
	f->path = strdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	snprintf(f->dir, sizeof(f->dir), "%s/tc-child.XXXXXX",
		 getenv("TMPDIR") && strlen(getenv("TMPDIR")) < 40 ? getenv("TMPDIR") : "/tmp");
	if (!f->path || !mkdtemp(f->dir) || chmod(f->dir, 0755))
		return -1;
	snprintf(sub, sizeof(sub), "%s/sub", f->dir);
	if (mkdir(sub, 0755) || write_file(f->dir, "tool", "#!/bin/sh\necho tool \"$@\"\n", 0755) ||
	    write_file(f->dir, "plain", "x", 0644) ||
	    write_file(f->dir, "odd", "#!/nonexistent/interpreter\n", 0755))
		return -1;
	fflush(stdout);
	f->saved_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (pipe2(ends, O_CLOEXEC) || dup2(ends[1], STDOUT_FILENO) < 0)
		return -1;
	close(ends[1]);
	f->out = ends[0];
	return 0;
}

static int teardown(void **state)
{
	static const char *const names[] = { "tool", "plain", "odd" };
	struct fixture *f = *state;
	char path[128];
	size_t i;

	tc_child_kill(&f->child);
	dup2(f->saved_stdout, STDOUT_FILENO);
	close(f->saved_stdout);
	close(f->out);
	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", f->dir, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/sub", f->dir);
	rmdir(path);
	rmdir(f->dir);
	setenv("PATH", f->path, 1);
	free(f->path);
	tfs_strbuf_release(&f->sb);
	free(f);
	return 0;
}

/* Runs to the end; the status, and what was printed in f->sb */
static int finish(struct fixture *f)
{
	int wstatus = -1;

	assert_int_equal(waitpid(f->child.pid, &wstatus, 0), f->child.pid);
	f->child.pid = -1;
	/* our own stdout holds the pipe open: put it aside to see the end of file */
	dup2(f->saved_stdout, STDOUT_FILENO);
	assert_int_equal(tfs_read_fd(f->out, &f->sb), 0);
	return tc_child_exit_status(wstatus);
}

static int sh(struct fixture *f, const char *script, const char *user)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	int rc = tc_child_fork(&f->child, argv, user, &f->err);

	return rc ? rc : tc_child_go(&f->child, &f->err);
}

static void find_looks_where_exec_does(void **state)
{
	struct fixture *f = *state;
	char path[256];

	snprintf(path, sizeof(path), "/nonexistent:%s", f->dir);
	setenv("PATH", path, 1);
	assert_int_equal(tc_child_find("tool", &f->err), 0);
	assert_int_equal(tc_child_find("none", &f->err), -ENOENT);
	assert_string_equal(f->err.msg, "cannot run 'none': no such command in PATH");
	assert_int_equal(tc_child_find("plain", &f->err), -EACCES);
	assert_string_equal(f->err.msg, "cannot run 'plain': not an executable file");
	assert_int_equal(tc_child_find("sub", &f->err), -EACCES);
	assert_int_equal(tc_child_find("", &f->err), -ENOENT);

	snprintf(path, sizeof(path), "%s/tool", f->dir);
	assert_int_equal(tc_child_find(path, &f->err), 0);
	snprintf(path, sizeof(path), "%s/none", f->dir);
	assert_int_equal(tc_child_find(path, &f->err), -ENOENT);
	assert_non_null(strstr(f->err.msg, "/none': No such file or directory"));
	snprintf(path, sizeof(path), "%s/plain", f->dir);
	assert_int_equal(tc_child_find(path, NULL), -EACCES);

	unsetenv("PATH");
	assert_int_equal(tc_child_find("sh", &f->err), 0);
}

static void a_child_that_waits_holds_no_lock_of_its_parent(void **state)
{
	struct fixture *f = *state;
	char *argv[] = { (char *)"true", NULL };
	char path[128];
	int held, other;

	snprintf(path, sizeof(path), "%s/plain", f->dir);
	held = open(path, O_RDONLY | O_CLOEXEC);
	other = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(held >= 0 && other >= 0);
	assert_int_equal(flock(held, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(tc_child_fork(&f->child, argv, NULL, &f->err), 0);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	close(held);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	close(other);
	tc_child_kill(&f->child);
}

static void an_empty_piece_of_path_is_the_current_directory(void **state)
{
	struct fixture *f = *state;
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(here >= 0);
	assert_int_equal(chdir(f->dir), 0);
	setenv("PATH", "/nonexistent::/nowhere", 1);
	assert_int_equal(tc_child_find("tool", &f->err), 0);
	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(tc_child_find("tool", &f->err), -ENOENT);
	assert_int_equal(fchdir(here), 0);
	close(here);
}

static void it_waits_until_it_may_go(void **state)
{
	struct fixture *f = *state;
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)"echo $$; exit 3", NULL };
	char link[64], exe[256], self[256];
	pid_t pid;

	assert_int_equal(tc_child_fork(&f->child, argv, NULL, &f->err), 0);
	pid = f->child.pid;
	assert_true(pid > 0);
	/* it is there, and is still this program */
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	memset(exe, 0, sizeof(exe));
	memset(self, 0, sizeof(self));
	assert_true(readlink(link, exe, sizeof(exe) - 1) > 0);
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	assert_string_equal(exe, self);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);

	assert_int_equal(tc_child_go(&f->child, &f->err), 0);
	assert_int_equal(f->child.gate, -1);
	assert_int_equal(f->child.status, -1);
	assert_int_equal(finish(f), 3);
	assert_int_equal(strtol(f->sb.s, NULL, 10), pid);
}

static void reports_a_failed_exec_with_its_errno(void **state)
{
	struct fixture *f = *state;
	char path[128];
	char *argv[] = { path, NULL };

	snprintf(path, sizeof(path), "%s/none", f->dir);
	assert_int_equal(tc_child_fork(&f->child, argv, NULL, &f->err), 0);
	assert_int_equal(tc_child_go(&f->child, &f->err), -ENOENT);
	assert_non_null(strstr(f->err.msg, "/none': No such file or directory"));
	assert_int_equal(f->child.pid, -1);
	/* reaped */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);

	snprintf(path, sizeof(path), "%s/plain", f->dir);
	assert_int_equal(tc_child_fork(&f->child, argv, NULL, &f->err), 0);
	assert_int_equal(tc_child_go(&f->child, &f->err), -EACCES);

	/* what tc_child_find() cannot see */
	snprintf(path, sizeof(path), "%s/odd", f->dir);
	assert_int_equal(tc_child_find(path, NULL), 0);
	assert_int_equal(tc_child_fork(&f->child, argv, NULL, &f->err), 0);
	assert_int_equal(tc_child_go(&f->child, &f->err), -ENOENT);
}

static void kill_ends_it_before_exec(void **state)
{
	struct fixture *f = *state;
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)"echo ran", NULL };
	pid_t pid;

	assert_int_equal(tc_child_fork(&f->child, argv, NULL, &f->err), 0);
	pid = f->child.pid;
	tc_child_kill(&f->child);
	assert_int_equal(f->child.pid, -1);
	assert_int_equal(kill(pid, 0), -1);
	dup2(f->saved_stdout, STDOUT_FILENO);
	assert_int_equal(tfs_read_fd(f->out, &f->sb), 0);
	assert_string_equal(f->sb.s, "");
	tc_child_kill(&f->child);
}

static void reports_a_child_killed_by_others(void **state)
{
	struct fixture *f = *state;
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)"echo ran", NULL };
	siginfo_t info;

	assert_int_equal(tc_child_fork(&f->child, argv, NULL, &f->err), 0);
	kill(f->child.pid, SIGKILL);
	/* dead for certain, but not reaped */
	assert_int_equal(waitid(P_PID, (id_t)f->child.pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(tc_child_go(&f->child, &f->err), -ECHILD);
	assert_string_equal(f->err.msg, "cannot run 'sh': its process was killed");
	assert_int_equal(f->child.pid, -1);
}

static void it_exits_when_its_parent_has_exited(void **state)
{
	struct fixture *f = *state;
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)"echo ran", NULL };
	int wstatus = -1;

	assert_int_equal(tc_child_fork(&f->child, argv, NULL, &f->err), 0);
	/* the kernel closes what a dead parent held */
	tfs_close(&f->child.gate);
	assert_int_equal(waitpid(f->child.pid, &wstatus, 0), f->child.pid);
	f->child.pid = -1;
	assert_true(WIFEXITED(wstatus));
	assert_int_equal(WEXITSTATUS(wstatus), 127);
}

static void it_starts_with_the_signals_of_the_start(void **state)
{
	struct fixture *f = *state;
	int fd = tc_signals_fd(&f->err);

	assert_true(fd >= 0);
	assert_int_equal(sh(f, "grep -E '^Sig(Blk|Ign)' /proc/self/status", NULL), 0);
	assert_int_equal(finish(f), 0);
	tc_signals_restore();
	tc_signals_start();
	/* no bit of SIGHUP 1, SIGINT 2, SIGPIPE 13, SIGTERM 15, SIGCHLD 17 (their number less 1) */
	assert_int_equal(strtoull(strstr(f->sb.s, "SigBlk:") + 7, NULL, 16) & 0x15003, 0);
	assert_int_equal(strtoull(strstr(f->sb.s, "SigIgn:") + 7, NULL, 16) & 0x11000, 0);
	close(fd);
}

static void no_descriptor_leaks_into_it(void **state)
{
	struct fixture *f = *state;
	long pipes = 0;
	struct stat st;
	int fd;

	/* whoever runs the test may have left pipes that are to be inherited */
	for (fd = 0; fd < 1024; fd++)
		if (!fstat(fd, &st) && S_ISFIFO(st.st_mode) && !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
			pipes++;
	assert_int_equal(sh(f,
			    "for d in /proc/$$/fd/*; do readlink $d; done |"
			    " grep -c '^pipe:'",
			    NULL),
			 0);
	finish(f);
	assert_int_equal(strtol(f->sb.s, NULL, 10), pipes);
}

static void an_unknown_user_is_an_error_before_the_fork(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(sh(f, "echo ran", "no-such-user-here"), -ENOENT);
	assert_string_equal(f->err.msg, "there is no user 'no-such-user-here'");
	assert_int_equal(f->child.pid, -1);
	assert_int_equal(sh(f, "echo ran", "4294967294"), -ENOENT);
	assert_int_equal(sh(f, "echo ran", ""), -ENOENT);
}

static void it_becomes_the_user(void **state)
{
	struct fixture *f = *state;
	struct passwd *pw = getpwuid(getuid());
	char want[256], number[32];

	/* anybody may become who he is, but only root may set groups */
	if (!pw || geteuid())
		skip_because("not root");
	snprintf(want, sizeof(want), "%d %d %s %s %s kept\n", (int)pw->pw_uid, (int)pw->pw_gid,
		 pw->pw_dir, pw->pw_name, pw->pw_name);
	snprintf(number, sizeof(number), "%d", (int)pw->pw_uid);
	setenv("HOME", "/wrong", 1);
	setenv("TC_TEST_VALUE", "kept", 1);
	assert_int_equal(
		sh(f, "echo $(id -u) $(id -g) $HOME $USER $LOGNAME $TC_TEST_VALUE", number), 0);
	assert_int_equal(finish(f), 0);
	assert_string_equal(f->sb.s, want);
}

static void root_becomes_another(void **state)
{
	struct fixture *f = *state;
	struct passwd *pw;
	char want[256];

	pw = getpwnam("nobody");
	if (geteuid() || !pw)
		skip_because("not root");
	snprintf(want, sizeof(want), "%d %d %d nobody\n", (int)pw->pw_uid, (int)pw->pw_gid,
		 (int)pw->pw_gid);
	assert_int_equal(sh(f, "echo $(id -u) $(id -g) $(id -G) $USER", "nobody"), 0);
	assert_int_equal(finish(f), 0);
	assert_string_equal(f->sb.s, want);
}

static void who_is_not_root_cannot_become_root(void **state)
{
	struct fixture *f = *state;
	int wstatus = -1;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		if (!geteuid() && setuid(65534))
			_exit(9);
		if (sh(f, "echo ran", "root") != -EPERM)
			_exit(1);
		if (strcmp(f->err.msg, "cannot become user 'root': Operation not permitted"))
			_exit(2);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_int_equal(wstatus, 0);
}

static void a_status_reads_as_a_shells(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tc_child_exit_status(0), 0);
	assert_int_equal(tc_child_exit_status(42 << 8), 42);
	assert_int_equal(sh(f, "kill -TERM $$", NULL), 0);
	assert_int_equal(finish(f), 128 + SIGTERM);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(find_looks_where_exec_does),
		TEST(a_child_that_waits_holds_no_lock_of_its_parent),
		TEST(an_empty_piece_of_path_is_the_current_directory),
		TEST(it_waits_until_it_may_go),
		TEST(reports_a_failed_exec_with_its_errno),
		TEST(kill_ends_it_before_exec),
		TEST(reports_a_child_killed_by_others),
		TEST(it_exits_when_its_parent_has_exited),
		TEST(it_starts_with_the_signals_of_the_start),
		TEST(no_descriptor_leaks_into_it),
		TEST(an_unknown_user_is_an_error_before_the_fork),
		TEST(it_becomes_the_user),
		TEST(root_becomes_another),
		TEST(who_is_not_root_cannot_become_root),
		TEST(a_status_reads_as_a_shells),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	tc_signals_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
