/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-scope.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "base/err.h"
#include "trace-opts.h"

/* Threads that a process has already: with -c they are recorded as those that it makes. */
static int add_threads(pid_t pid, struct tfs_strvec *pids)
{
	char path[64];
	struct dirent *e;
	DIR *dir;
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return tfs_strvec_pushf(pids, "%d", (int)pid);
	while (!rc && (e = readdir(dir))) {
		if (e->d_name[0] != '.' && !tfs_strvec_has(pids, e->d_name))
			rc = tfs_strvec_push(pids, e->d_name);
	}
	closedir(dir);
	return rc;
}

static int scope_of(const struct trace_request *req, struct trace_buffer *buf, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < buf->n_pids && !rc; i++) {
		pid_t pid = buf->pids[i];

		if (kill(pid, 0) && errno == ESRCH)
			return tfs_err_say(err, -ESRCH, "option -P: there is no process %d",
					   (int)pid);
		rc = req->children ? add_threads(pid, &buf->threads) :
				     tfs_strvec_pushf(&buf->threads, "%d", (int)pid);
	}
	return rc;
}

int trace_scope(struct trace_request *req, pid_t command, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		struct trace_buffer *buf = &req->buffers[i];

		tfs_strvec_release(&buf->threads);
		rc = scope_of(req, buf, err);
		if (rc == -ESRCH)
			return rc;
		if (!rc && req->only_command && command > 0)
			rc = tfs_strvec_pushf(&buf->threads, "%d", (int)command);
	}
	return rc ? tfs_err_set(err, rc, "cannot list what to record") : 0;
}
