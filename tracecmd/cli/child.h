/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_CHILD_H
#define TC_CLI_CHILD_H

#include <stddef.h>
#include <sys/types.h>

struct tfs_err;

/**
 * struct tc_child - the traced COMMAND
 * @pid: its process, stopped before exec until tc_child_go()
 * @gate: write end of the pipe it waits on
 * @status: read end of the pipe that carries the errno of a failed exec
 * @command: argv[0], for messages; borrowed
 */
struct tc_child {
	pid_t pid;
	int gate;
	int status;
	const char *command;
};

#define TC_CHILD_INIT            \
	{                        \
		-1, -1, -1, NULL \
	}

/**
 * tc_child_find() - would exec find @command? Searches PATH as execvp() does
 * Return: 0, -ENOENT, -EACCES (found but not executable).
 */
int tc_child_find(const char *command, struct tfs_err *err);
/**
 * tc_child_fork() - fork; the child waits before exec so that its pid can be traced from its start
 * @argv: borrowed until tc_child_go()
 * @user: run as this user, a name or a number (setgroups, setgid, setuid, HOME, USER, LOGNAME);
 *        NULL: unchanged
 *
 * Return: 0; -ENOENT without such a user; -EPERM if it may not be taken on; what fork() says. When
 * the parent dies before tc_child_go(), the child leaves without exec.
 */
int tc_child_fork(struct tc_child *c, char **argv, const char *user, struct tfs_err *err);
/**
 * tc_child_go() - let it exec; -errno of the failed exec (the child is reaped then)
 *
 * Call tc_signals_start() before: SIGPIPE has to be ignored in case the child is dead already.
 */
int tc_child_go(struct tc_child *c, struct tfs_err *err);
/** tc_child_kill() - kill and reap a child that has not executed COMMAND yet */
void tc_child_kill(struct tc_child *c);
/** tc_child_exit_status() - wait(2) status as a shell's: exit code, or 128 + signal */
int tc_child_exit_status(int wstatus);

#endif
