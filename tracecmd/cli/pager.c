/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "cli/child.h"
#include "cli/signals.h"

static bool can_run(const char *command)
{
	char word[256];
	size_t len = strcspn(command, " \t");

	/* what the shell has to take apart is the shell's to find */
	if (strpbrk(command, "|&;<>()$`\\\"'*?[#~=%") || len >= sizeof(word))
		return true;
	memcpy(word, command, len);
	word[len] = '\0';
	return !tc_child_find(word, NULL);
}

static const char *choose(void)
{
	const char *pager = getenv("TC_PAGER");

	if (!pager)
		pager = getenv("PAGER");
	if (!pager)
		pager = "less -FRX";
	pager += strspn(pager, " \t");
	if (!*pager || !strcmp(pager, "cat") || !can_run(pager))
		return NULL;
	return pager;
}

static __attribute__((noreturn)) void pager_main(const char *pager, int input)
{
	tc_signals_restore();
	/* What "less" without options needs for colours, and to leave short texts alone. */
	setenv("LESS", "FRX", 0);
	/* Root's shows text of strangers: it is not to start programs, or to write files. */
	if (!geteuid())
		setenv("LESSSECURE", "1", 1);
	if (dup2(input, STDIN_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
	_exit(127);
}

pid_t tc_pager_start(void)
{
	int ends[2] = { -1, -1 };
	const char *pager;
	pid_t pid = 0;

	pager = isatty(STDOUT_FILENO) ? choose() : NULL;
	if (!pager || pipe2(ends, O_CLOEXEC))
		return 0;
	fflush(stdout);
	pid = fork();
	if (!pid)
		pager_main(pager, ends[0]);
	if (pid > 0 && dup2(ends[1], STDOUT_FILENO) >= 0) {
		/* Ctrl-C is for the pager, which outlives it; its end reaches us as -EPIPE */
		signal(SIGINT, SIG_IGN);
	}
	tfs_close(&ends[0]);
	tfs_close(&ends[1]);
	return pid > 0 ? pid : 0;
}

void tc_pager_wait(pid_t pid)
{
	int null;

	if (pid <= 0)
		return;
	/* It is not an error if the reader has seen enough: discard what could not be written. */
	fflush(stdout);
	__fpurge(stdout);
	clearerr(stdout);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
		close(STDOUT_FILENO);
	tfs_close(&null);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
