/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_DAEMON_H
#define TC_RECORD_DAEMON_H

#include <stdbool.h>

struct tfs_err;

/** RECORD_PIDFILE - has the process id of a recorder that --daemonize started, while it records */
#define RECORD_PIDFILE "/run/tc-record.pid"

/**
 * struct record_daemon - a process in the background, and its parent that waits for it to start
 * recording
 * @gate: write end of the pipe that the parent waits on; -1: no parent waits
 * @pidfile: locked as long as this process lives; -1 for none
 */
struct record_daemon {
	int gate;
	int pidfile;
};

#define RECORD_DAEMON_INIT \
	{                  \
		-1, -1     \
	}

/**
 * record_daemon_fork() - continue in a child with a session of its own
 *
 * The parent waits for record_daemon_begun() and then exits with 0, or with the exit status of the
 * child if that ends before. Call it before any thread is created.
 * Return: 0 in the child; -errno in the parent, with @err set.
 */
int record_daemon_fork(struct record_daemon *d, struct tfs_err *err);
/** record_daemon_begun() - let the parent exit; stdin, stdout and stderr become /dev/null */
int record_daemon_begun(struct record_daemon *d, struct tfs_err *err);
/** record_daemon_end() - remove the pidfile */
void record_daemon_end(struct record_daemon *d);

#endif
