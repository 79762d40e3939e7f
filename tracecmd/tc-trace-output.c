/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/out.h"
#include "base/output-file.h"
#include "cli/child.h"
#include "cli/signals.h"
#include "tc-trace-opts.h"

static void run_command(const char *command, int in)
{
	tc_signals_restore();
	signal(SIGINT, SIG_IGN);
	if (dup2(in, STDIN_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static int start_command(const char *command, struct strace_output *output, struct tfs_err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return tfs_err_set(err, -errno, "cannot start '%s'", command);
	output->pid = fork();
	if (!output->pid)
		run_command(command, ends[0]);
	tfs_close(&ends[0]);
	output->fd = ends[1];
	output->owned = true;
	if (output->pid > 0)
		return 0;
	output->pid = 0;
	return tfs_err_set(err, -errno, "cannot start '%s'", command);
}

static int open_fd(const struct trace_strace *req, int fd, struct strace_output *output,
		   struct tfs_err *err)
{
	output->fd = fd;
	/* With -ff each thread has a file; nothing is left for this one. */
	if (!req->output || req->separate)
		return 0;
	if (*req->output == '|')
		return start_command(req->output + 1, output, err);
	output->fd = -1;
	output->owned = true;
	return tfs_output_file_open(req->output, req->append ? O_APPEND : O_TRUNC, 0666,
				    &output->fd, err);
}

int strace_output_open(const struct trace_strace *req, int fd, struct strace_output *output,
		       struct tfs_err *err)
{
	int rc = open_fd(req, fd, output, err);

	if (rc)
		return rc;
	output->terminal = isatty(output->fd);
	rc = tfs_out_new(output->fd, &output->out);
	if (rc)
		return tfs_err_set(err, rc, "cannot write");
	/* A JSON string has its own escapes. */
	tfs_out_set_inert(output->out, false);
	return 0;
}

static int wait_for_command(const char *command, pid_t pid, struct tfs_err *err)
{
	int status, code;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return tfs_err_set(err, -errno, "cannot wait for '%s'", command);
	code = tc_child_exit_status(status);
	if (!code)
		return 0;
	return tfs_err_say(err, -EIO, "'%s' ended with exit status %d", command, code);
}

static bool is_output_error(int rc)
{
	return rc == -ENOSPC || rc == -EDQUOT || rc == -EFBIG;
}

int strace_output_close(const struct trace_strace *req, struct strace_output *output, int rc,
			struct tfs_err *err)
{
	int wrote = output->out ? tfs_out_flush(output->out) : 0, ended = 0;

	tfs_out_free(output->out);
	output->out = NULL;
	if (output->owned)
		tfs_close(&output->fd);
	if (output->pid) {
		struct tfs_err cmd = TFS_ERR_INIT;

		ended = wait_for_command(req->output + 1, output->pid, &cmd);
		output->pid = 0;
		/* That it went away is the reason why writing failed. */
		if (ended && (!rc || rc == -EPIPE)) {
			*err = cmd;
			return ended;
		}
	}
	/* Who wrote does not know the file. */
	if (is_output_error(rc) && req->output)
		return tfs_err_set(err, rc, "cannot write to %s", req->output);
	if (!rc && wrote)
		rc = wrote == -EPIPE ? tfs_err_set(err, wrote, "cannot write") :
				       tfs_err_set(err, wrote, "cannot write to %s",
						   req->output ? req->output : "standard error");
	return rc;
}
