/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-command.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

#include "cli/command.h"
#include "cli/signals.h"

/* Exit statuses of sh for a COMMAND that cannot be run */
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127
#define EXIT_SIGNALLED 128

void trace_command_reap(struct trace_command *c, int flags)
{
	pid_t pid;

	if (c->child.pid <= 0)
		return;
	do {
		pid = wait4(c->child.pid, &c->wstatus, flags, &c->usage);
	} while (pid < 0 && errno == EINTR);
	if (pid != c->child.pid)
		return;
	c->has_status = true;
	c->child.pid = -1;
}

int trace_command_signal(struct trace_command *c)
{
	int sig;

	while ((sig = tc_signals_take(c->signals)) == SIGCHLD)
		trace_command_reap(c, WNOHANG);
	return sig > 0 ? sig : 0;
}

/* Return: the last pending one of those that end a program, 0 if there is none */
static int ending_signal(struct trace_command *c)
{
	int sig, last = 0;

	while ((sig = trace_command_signal(c)))
		if (sig == SIGINT || sig == SIGTERM || sig == SIGHUP)
			last = sig;
	return last;
}

void trace_command_wait(struct trace_command *c)
{
	struct pollfd fd = { .fd = c->signals, .events = POLLIN };
	bool terminated = c->ended_by != 0;
	int sig;

	trace_command_reap(c, WNOHANG);
	if (c->child.pid > 0 && terminated)
		kill(c->child.pid, SIGTERM);
	while (c->child.pid > 0) {
		poll(&fd, 1, -1);
		sig = ending_signal(c);
		if (!sig || c->child.pid <= 0)
			continue;
		c->ended_by = sig;
		if (terminated)
			return;
		terminated = true;
		kill(c->child.pid, SIGTERM);
	}
}

int trace_command_status(const struct trace_command *c, bool wanted)
{
	if (c->has_status)
		return tc_child_exit_status(c->wstatus);
	return wanted ? EXIT_SIGNALLED + c->ended_by : TC_EXIT_OK;
}

int trace_command_refused(int rc)
{
	return rc == -ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
