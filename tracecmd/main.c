/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/err.h"
#include "cli/msg.h"
#include "cli/opt.h"
#include "cli/signals.h"
#include "cli/verb.h"
#include "cli/xalloc.h"
#include "main.h"

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

/* stdio forgets the errno of a failed write: @error keeps the first one. */
struct output {
	int error;
};

static ssize_t write_output(void *cookie, const char *s, size_t len)
{
	struct output *out = cookie;
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write(STDOUT_FILENO, s + done, len - done);
		if (n < 0) {
			if (!out->error)
				out->error = errno;
			break;
		}
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static int close_output(void *cookie)
{
	struct output *out = cookie;

	if (!close(STDOUT_FILENO))
		return 0;
	if (!out->error)
		out->error = errno;
	return -1;
}

/*
 * From here on stdout is written by the above. Not on a terminal: that fails with EIO anyway, and
 * curses needs its descriptor. Without memory stdout stays as it is.
 */
static void open_stdout(struct output *out)
{
	const cookie_io_functions_t calls = { .write = write_output, .close = close_output };
	FILE *file = isatty(STDOUT_FILENO) ? NULL : fopencookie(out, "w", calls);

	if (file)
		stdout = file;
}

/* Whether all of stdout was really written is known only here. */
static int close_stdout(struct output *out, struct tfs_err *err)
{
	bool failed = ferror(stdout);

	if (fclose(stdout))
		failed = true;
	if (!failed)
		return 0;
	return tfs_err_set(err, out->error ? -out->error : -EIO,
			   "cannot write to the standard output");
}

/* If the reader has seen enough ("| head"), the exit status says so and nothing is printed. */
static void print_error(const struct tfs_err *err)
{
	if (err->code && err->code != -EPIPE)
		tc_msg_error(tc_command.name, err);
}

void tc_command_print_version(void)
{
	printf("%s (tracecraft) %s\n", tc_command.name, PACKAGE_VERSION);
}

/* The actions common to all programs, or to all verbs of a program */
static int act(const struct tc_command *cmd, const struct tc_opt_result *res, void *request,
	       int argc, char **argv, struct tfs_err *err)
{
	switch (res->action) {
	case TC_OPT_HELP:
		if (cmd->verbs)
			tc_verb_help(cmd, stdout);
		else
			tc_opt_help(cmd, stdout);
		return TC_EXIT_OK;
	case TC_OPT_VERSION:
		tc_command_print_version();
		return TC_EXIT_OK;
	case TC_OPT_DUMP:
		if (cmd->verbs)
			tc_verb_dump(cmd, stdout);
		else
			tc_opt_dump(cmd, stdout);
		return TC_EXIT_OK;
	case TC_OPT_RUN:
		break;
	}
	return cmd->run(request, argc - res->first, argv + res->first, err);
}

static int run_command(const struct tc_command *cmd, int argc, char **argv, struct tfs_err *err)
{
	void *request = xcalloc(1, cmd->request_size);
	struct tc_opt_result res;
	int status;

	if (cmd->init)
		cmd->init(request);
	if (tc_opt_parse(cmd->options, argc, argv, request, &res, err))
		status = TC_EXIT_USAGE;
	else
		status = act(cmd, &res, request, argc, argv, err);
	print_error(err);
	if (cmd->release)
		cmd->release(request);
	free(request);
	return status;
}

/* A program with verbs: the words from the verb on are a separate command line. */
static int run_verb(const struct tc_command *cmd, int argc, char **argv, struct tfs_err *err)
{
	const struct tc_command *verb;
	struct tc_opt_result res;

	if (!tc_opt_parse(cmd->options, argc, argv, NULL, &res, err)) {
		if (res.action != TC_OPT_RUN)
			return act(cmd, &res, NULL, argc, argv, err);
		if (!tc_verb_find(cmd, res.first < argc ? argv[res.first] : NULL, &verb, err))
			return run_command(verb, argc - res.first, argv + res.first, err);
	}
	print_error(err);
	return TC_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct output out = { 0 };
	int status;

	open_standard_fds();
	open_stdout(&out);
	tc_signals_start();
	if (tc_command.verbs)
		status = run_verb(&tc_command, argc, argv, &err);
	else
		status = run_command(&tc_command, argc, argv, &err);

	tfs_err_clear(&err);
	if (close_stdout(&out, &err)) {
		print_error(&err);
		if (status == TC_EXIT_OK)
			status = TC_EXIT_FAILED;
	}
	return status;
}
