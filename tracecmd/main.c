/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "cli/msg.h"
#include "cli/opt.h"
#include "cli/signals.h"
#include "cli/xalloc.h"
#include "command.h"

/*
 * Started with a standard descriptor closed, the next file opened would take its place, and a
 * recording get what was meant for stdout. The stand-ins fail as the closed ones would: with EBADF.
 */
static void open_standard_fds(void)
{
	int fd, flags;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", flags) != fd)
			_exit(TC_EXIT_FAILED);
	}
}

/* stdio forgets the errno of an earlier write: a pipe without a reader can still be told. */
static bool reader_left(void)
{
	struct pollfd pfd = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&pfd, 1, 0) == 1 && (pfd.revents & POLLERR);
}

/* Whether all of stdout was really written is known only here. */
static int close_stdout(struct tfs_err *err)
{
	bool failed = ferror(stdout);
	int rc = 0;

	if (fflush(stdout))
		rc = -errno;
	else if (failed)
		rc = reader_left() ? -EPIPE : -EIO;
	if (fclose(stdout) && !rc)
		rc = -errno;
	return rc ? tfs_err_set(err, rc, "cannot write to the standard output") : 0;
}

/* A reader who has seen enough ("| head") is told nothing; the exit status tells. */
static void print_error(const struct tfs_err *err)
{
	if (err->code && err->code != -EPIPE)
		tc_msg_error(tc_command.name, err);
}

void tc_command_print_version(void)
{
	printf("%s (tracecraft) %s\n", tc_command.name, PACKAGE_VERSION);
}

static int act(const struct tc_opt_result *res, void *request, int argc, char **argv,
	       struct tfs_err *err)
{
	switch (res->action) {
	case TC_OPT_HELP:
		tc_opt_help(&tc_command, stdout);
		return TC_EXIT_OK;
	case TC_OPT_VERSION:
		tc_command_print_version();
		return TC_EXIT_OK;
	case TC_OPT_DUMP:
		tc_opt_dump(&tc_command, stdout);
		return TC_EXIT_OK;
	case TC_OPT_RUN:
		break;
	}
	return tc_command.run(request, argc - res->first, argv + res->first, err);
}

int main(int argc, char **argv)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tc_opt_result res;
	void *request;
	int status;

	open_standard_fds();
	tc_signals_start();
	request = xcalloc(1, tc_command.request_size);
	if (tc_command.init)
		tc_command.init(request);
	if (tc_opt_parse(tc_command.options, argc, argv, request, &res, &err))
		status = TC_EXIT_USAGE;
	else
		status = act(&res, request, argc, argv, &err);
	print_error(&err);
	if (tc_command.release)
		tc_command.release(request);
	free(request);

	tfs_err_clear(&err);
	if (close_stdout(&err)) {
		print_error(&err);
		if (status == TC_EXIT_OK)
			status = TC_EXIT_FAILED;
	}
	return status;
}
