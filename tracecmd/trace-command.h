/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_COMMAND_H
#define TC_TRACE_COMMAND_H

#include <stdbool.h>
#include <sys/resource.h>

#include "cli/child.h"

/**
 * struct trace_command - the traced COMMAND, and the signals of the program that traces it
 * @child: COMMAND; its pid is -1 before it is forked and after it has ended
 * @signals: tc_signals_fd(); -1 before
 * @has_status: COMMAND has ended
 * @wstatus: wait(2) status of COMMAND, with @has_status
 * @usage: resources that COMMAND and its waited-for children used, with @has_status
 * @ended_by: signal that ended tracing, 0 if none did; the caller sets it
 */
struct trace_command {
	struct tc_child child;
	int signals;
	bool has_status;
	int wstatus;
	struct rusage usage;
	int ended_by;
};

#define TRACE_COMMAND_INIT                             \
	{                                              \
		.child = TC_CHILD_INIT, .signals = -1, \
	}

/** trace_command_reap() - note the status of COMMAND if it has ended; @flags as of wait4(2) */
void trace_command_reap(struct trace_command *c, int flags);

/**
 * trace_command_signal() - the next pending signal; SIGCHLD is handled here, and not returned
 *
 * Return: a signal's number, 0 if none is left.
 */
int trace_command_signal(struct trace_command *c);

/**
 * trace_command_wait() - wait for a COMMAND that outlives tracing, because its exit status is ours
 *
 * A signal that ended tracing ends COMMAND, too; a second signal ends the waiting.
 */
void trace_command_wait(struct trace_command *c);

/**
 * trace_command_status() - exit status after tracing: COMMAND's, or 128 and the signal
 * @wanted: there was a COMMAND
 *
 * Without COMMAND it is 0: to be ended by a signal is what such a program is there for.
 */
int trace_command_status(const struct trace_command *c, bool wanted);

/** trace_command_refused() - exit status of sh for a COMMAND that cannot be run, @rc of tc_child */
int trace_command_refused(int rc);

#endif
