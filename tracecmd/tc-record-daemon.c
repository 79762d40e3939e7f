/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
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

static int write_pidfile(struct tfs_err *err)
{
	char text[24];
	int fd, rc;

	/* one that a killed recorder left is replaced, a link of somebody's is not followed */
	unlink(RECORD_PIDFILE);
	fd = open(RECORD_PIDFILE, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return tfs_err_set(err, -errno, "cannot write '%s'", RECORD_PIDFILE);
	snprintf(text, sizeof(text), "%d\n", (int)getpid());
	rc = tfs_write_all(fd, text, strlen(text));
	tfs_close(&fd);
	return rc ? tfs_err_set(err, rc, "cannot write '%s'", RECORD_PIDFILE) : 0;
}

int record_daemon_begun(struct record_daemon *d, struct tfs_err *err)
{
	int null, rc;

	if (d->gate < 0)
		return 0;
	rc = write_pidfile(err);
	if (rc)
		return rc;
	d->begun = true;
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
	if (d->begun)
		unlink(RECORD_PIDFILE);
	tfs_close(&d->gate);
}
