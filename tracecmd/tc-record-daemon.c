/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "cli/child.h"

/* The starter: until recording has begun, or failed to. */
static void wait_for_begin(int fd, pid_t pid)
{
	int wstatus = 0;
	char byte;
	ssize_t n;

	do {
		n = read(fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 1)
		_exit(0);
	while (waitpid(pid, &wstatus, 0) < 0 && errno == EINTR)
		;
	_exit(tc_child_exit_status(wstatus));
}

int record_daemon_fork(struct record_daemon *d, struct tfs_err *err)
{
	int fds[2];
	pid_t pid;
	int rc;

	if (pipe2(fds, O_CLOEXEC))
		return tfs_err_set(err, -errno, "cannot go into the background");
	pid = fork();
	if (pid < 0) {
		rc = tfs_err_set(err, -errno, "cannot go into the background");
		tfs_close(&fds[0]);
		tfs_close(&fds[1]);
		return rc;
	}
	if (pid > 0) {
		tfs_close(&fds[1]);
		wait_for_begin(fds[0], pid);
	}
	tfs_close(&fds[0]);
	setsid();
	d->gate = fds[1];
	return 0;
}

/* A link of somebody's is not followed. */
static int open_pidfile(void)
{
	const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = open(RECORD_PIDFILE, flags, 0644);

	if (fd < 0 && errno == ELOOP && !unlink(RECORD_PIDFILE))
		fd = open(RECORD_PIDFILE, flags | O_EXCL, 0644);
	return fd < 0 ? -errno : fd;
}

static int already_running(int fd, struct tfs_err *err)
{
	struct tfs_strbuf pid = TFS_STRBUF_INIT;

	if (tfs_read_fd(fd, &pid))
		tfs_strbuf_reset(&pid);
	tfs_strbuf_rtrim(&pid);
	tfs_err_say(err, -EBUSY, "a recorder already runs in the background: process %s",
		    pid.len ? pid.s : "?");
	tfs_err_hint(err, "'kill -INT %s' ends it; without --daemonize several can run",
		     pid.len ? pid.s : "PID");
	tfs_strbuf_release(&pid);
	return -EBUSY;
}

/* One that a killed recorder left is not locked, and is written anew. */
static int write_pidfile(int *out, struct tfs_err *err)
{
	char text[24];
	int fd = open_pidfile(), rc;

	if (fd < 0) {
		tfs_err_set(err, fd, "cannot write '%s'", RECORD_PIDFILE);
		tfs_err_hint(err,
			     "--daemonize keeps its process id there; tc-record ... & needs no "
			     "such file");
		return fd;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		rc = already_running(fd, err);
		tfs_close(&fd);
		return rc;
	}
	snprintf(text, sizeof(text), "%d\n", (int)getpid());
	rc = ftruncate(fd, 0) ? -errno : tfs_write_all(fd, text, strlen(text));
	if (rc)
		tfs_close(&fd);
	else
		*out = fd;
	return rc ? tfs_err_set(err, rc, "cannot write '%s'", RECORD_PIDFILE) : 0;
}

int record_daemon_begun(struct record_daemon *d, struct tfs_err *err)
{
	int null, rc;

	if (d->gate < 0)
		return 0;
	rc = write_pidfile(&d->pidfile, err);
	if (rc)
		return rc;
	if (write(d->gate, "", 1) != 1)
		return tfs_err_set(err, -errno, "cannot go into the background");
	tfs_close(&d->gate);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
	if (null > 2)
		tfs_close(&null);
	return 0;
}

void record_daemon_end(struct record_daemon *d)
{
	if (d->pidfile >= 0)
		unlink(RECORD_PIDFILE);
	tfs_close(&d->pidfile);
	tfs_close(&d->gate);
}
