/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_DAEMON_H
#define TC_RECORD_DAEMON_H

#include <stdbool.h>

struct tfs_err;

/** RECORD_PIDFILE - holds the process id of a --daemonize while it records */
#define RECORD_PIDFILE "/run/tc-record.pid"

/**
 * struct record_daemon - a process in the background, and whoever waits for it to begin
 * @gate: write end of the pipe that the starter waits on; -1: nobody does
 * @pidfile: locked as long as this process lives; -1: there is none
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
 * record_daemon_fork() - go on in a process of its own session
 *
 * The starter waits until record_daemon_begun(), and ends the process with 0 then; or, where the
 * other one ends before, with that one's exit status. Before any thread is made.
 * Return: 0 in the new process; -errno in the old one, with @err set.
 */
int record_daemon_fork(struct record_daemon *d, struct tfs_err *err);
/** record_daemon_begun() - the starter may go; stdin and stdout are let go of, and stderr */
int record_daemon_begun(struct record_daemon *d, struct tfs_err *err);
/** record_daemon_end() - take the pidfile away */
void record_daemon_end(struct record_daemon *d);

#endif
