/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "cli/child.h"
#include "cli/print.h"
#include "cli/signals.h"
#include "fleet/hosts.h"
#include "fleet/opts.h"
#include "fleet/fleet.h"

/*
 * The verbs that ask each host of a run in turn: status and stop.
 */

/* Enough for a host with thousands of spools */
#define ANSWER_MAX (1u << 20)

/* The child: @out is its standard output; it has no input. */
static void run_program(char *const *argv, int out)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	tc_signals_restore();
	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	_exit(127);
}

/* A host may go on for ever. Return: 0, -EFBIG, -errno */
static int read_answer(int fd, struct tfs_strbuf *out)
{
	char buf[4096];
	ssize_t n;
	int rc = 0;

	do {
		n = read(fd, buf, sizeof(buf));
		if (n < 0 && errno != EINTR)
			rc = -errno;
		if (n > 0)
			rc = out->len + (size_t)n > ANSWER_MAX ?
				     -EFBIG :
				     tfs_strbuf_add(out, buf, (size_t)n);
	} while (!rc && n);
	return rc;
}

/* Runs a command on a host. Return: its exit status, with its output, or -errno */
static int ask(const struct fleet_run *run, const struct fleet_host *h, enum fleet_ask what,
	       struct tfs_strbuf *out)
{
	char *command = fleet_command(run, h, what), **argv;
	int fds[2] = { -1, -1 }, wstatus = 0, rc = command ? 0 : -ENOMEM;
	pid_t pid = -1;

	if (!rc && pipe2(fds, O_CLOEXEC))
		rc = -errno;
	argv = fleet_argv(run, h, command);
	if (!rc) {
		pid = fork();
		if (!pid)
			run_program(argv, fds[1]);
		rc = pid < 0 ? -errno : 0;
	}
	tfs_close(&fds[1]);
	if (!rc)
		rc = read_answer(fds[0], out);
	tfs_close(&fds[0]);
	if (rc && pid > 0)
		kill(pid, SIGTERM);
	while (pid > 0 && waitpid(pid, &wstatus, 0) < 0 && errno == EINTR)
		;
	free(argv[2]);
	free(argv);
	free(command);
	return rc ? rc : tc_child_exit_status(wstatus);
}

/* The rest of the line about the spool of this run; NULL: there is none. @text is changed */
static const char *find_line(const struct fleet_host *h, char *text)
{
	const size_t len = strlen(h->id);
	char *line;

	while ((line = strsep(&text, "\n")))
		if (!strncmp(line, h->id, len) && line[len] == ' ')
			return line + len + 1;
	return NULL;
}

/* Asks for the spools, and to stop where there is one. Return: as ask(), with what to say of it */
static int ask_about(const struct fleet_run *run, const struct fleet_host *h, enum fleet_ask what,
		     struct tfs_strbuf *say)
{
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	const char *line = NULL;
	int status = ask(run, h, FLEET_LIST, &out);

	if (!status && out.len)
		line = find_line(h, out.s);
	if (!status && line && what == FLEET_STOP)
		status = ask(run, h, what, &out);
	if (!status)
		(void)!tfs_strbuf_adds(say, !line              ? "nothing is left there" :
					    what == FLEET_STOP ? "stopped" :
								 line);
	tfs_strbuf_release(&out);
	return status;
}

static int each(void *request, enum fleet_ask what, struct tfs_err *err)
{
	struct fleet_run run = { .n = 0 };
	size_t failed = 0;
	int rc = fleet_run_load(&run, request, err);

	for (size_t i = 0; i < run.n && !rc; i++) {
		const struct fleet_host *h = &run.hosts[i];
		struct tfs_strbuf say = TFS_STRBUF_INIT;
		struct tfs_strbuf line = TFS_STRBUF_INIT;
		int status = ask_about(&run, h, what, &say);

		failed += status != 0;
		if (status < 0)
			(void)!tfs_strbuf_addf(&line, "%s no answer: %s", h->name,
					       strerror(-status));
		else if (status)
			(void)!tfs_strbuf_addf(&line, "%s no answer (exit status %d)", h->name,
					       status);
		else
			(void)!tfs_strbuf_addf(&line, "%s %s", h->name, say.s ? say.s : "");
		/* A host may say anything. */
		tc_print_line(line.s);
		tfs_strbuf_release(&line);
		tfs_strbuf_release(&say);
	}
	if (rc)
		rc = TC_EXIT_FAILED;
	else
		rc = !failed ? TC_EXIT_OK : failed < run.n ? FLEET_EXIT_SOME : TC_EXIT_FAILED;
	fleet_run_release(&run);
	return rc;
}

static int no_operands(int argc, struct tfs_err *err)
{
	return argc ? tfs_err_say(err, -EINVAL,
				  "operands are not expected: name the folder with -o") :
		      0;
}

static int run_status(void *request, int argc, char **argv, struct tfs_err *err)
{
	(void)argv;
	return no_operands(argc, err) ? TC_EXIT_USAGE : each(request, FLEET_LIST, err);
}

static int run_stop(void *request, int argc, char **argv, struct tfs_err *err)
{
	(void)argv;
	return no_operands(argc, err) ? TC_EXIT_USAGE : each(request, FLEET_STOP, err);
}

const struct tc_command fleet_status = {
	.name = FLEET_PROGRAM,
	.verb = "status",
	.summary = "print what the hosts still have of a run",
	.options = fleet_folder_options,
	.request_size = sizeof(struct fleet_request),
	.init = fleet_init,
	.run = run_status,
	.release = fleet_release,
};

const struct tc_command fleet_stop = {
	.name = FLEET_PROGRAM,
	.verb = "stop",
	.summary = "end the recordings of a run; fetch brings them",
	.options = fleet_folder_options,
	.request_size = sizeof(struct fleet_request),
	.init = fleet_init,
	.run = run_stop,
	.release = fleet_release,
};
