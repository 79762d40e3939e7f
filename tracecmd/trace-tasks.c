/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-tasks.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strvec.h"
#include "record/threads.h"
#include "trace-opts.h"

/* Without it no other thread of a process is found. */
static int check_proc(const struct trace_request *req, pid_t pid, struct tfs_err *err)
{
	if (!access("/proc/self/task", F_OK))
		return 0;
	tfs_err_say(err, -ENOENT,
		    "option %s: the threads of process %d cannot be found: /proc is not mounted",
		    trace_pid_option(req), (int)pid);
	tfs_err_hint(err, "mount -t proc proc /proc");
	return -ENOENT;
}

/* Those of --pid */
static int add_pids(const struct trace_request *req, struct trace_buffer *buf, struct tfs_err *err)
{
	char word[24];
	int rc = 0;

	for (size_t i = 0; i < buf->n_pids && !rc; i++) {
		pid_t pid = buf->pids[i];

		if (kill(pid, 0) && errno == ESRCH)
			return tfs_err_say(err, -ESRCH, "option %s: there is no process %d",
					   trace_pid_option(req), (int)pid);
		snprintf(word, sizeof(word), "%d", (int)pid);
		/* with -c the existing threads of a process are recorded like those it creates */
		if (req->children || (buf->flags & TRACE_BUFFER_PROCESSES)) {
			rc = check_proc(req, pid, err);
			if (rc)
				return rc;
			rc = tfs_threads_add(word, &buf->threads);
		}
		/* a thread that is not a process, or one that has just ended */
		if (!rc && !tfs_strvec_has(&buf->threads, word))
			rc = tfs_strvec_push(&buf->threads, word);
	}
	return rc;
}

/* Those of an option; -ENOMEM is described by the caller */
static int of_option(int rc, const char *option, struct tfs_err *err)
{
	if (rc && rc != -ENOMEM)
		tfs_err_prefix(err, "option %s", option);
	return rc;
}

static int find_tasks(const struct trace_request *req, struct trace_buffer *buf,
		      struct tfs_err *err)
{
	int rc = add_pids(req, buf, err);

	for (size_t i = 0; i < buf->cgroups.n && !rc; i++)
		rc = of_option(tfs_threads_add_cgroup(buf->cgroups.v[i], &buf->threads, err),
			       "--cgroup", err);
	if (!rc && buf->container)
		rc = of_option(tfs_threads_add_container(buf->container_pid, &buf->threads, err),
			       "--container", err);
	return rc;
}

int trace_find_tasks(struct trace_request *req, pid_t command, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		struct trace_buffer *buf = &req->buffers[i];

		tfs_strvec_release(&buf->threads);
		rc = find_tasks(req, buf, err);
		if (!rc && command > 0 && trace_wants_command(req, buf))
			rc = tfs_strvec_pushf(&buf->threads, "%d", (int)command);
	}
	return rc == -ENOMEM ? tfs_err_set(err, rc, "cannot list the tasks to record") : rc;
}
