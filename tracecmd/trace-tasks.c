/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-tasks.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/pid-ns.h"
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
			rc = tfs_threads_add(word, &buf->tasks);
		}
		/* a thread that is not a process, or one that has just ended */
		if (!rc && !tfs_strvec_has(&buf->tasks, word))
			rc = tfs_strvec_push(&buf->tasks, word);
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
		rc = of_option(tfs_threads_add_cgroup(buf->cgroups.v[i], &buf->tasks, err),
			       "--cgroup", err);
	if (!rc && buf->container)
		rc = of_option(tfs_threads_add_container(buf->container_pid, &buf->tasks, err),
			       "--container", err);
	return rc;
}

static int say_unknown(const struct trace_request *req, const char *tid, struct tfs_err *err)
{
	tfs_err_say(
		err, -ENXIO,
		"option %s: events have the pids of the host, and this program, in a container, "
		"does not see that of %s",
		trace_pid_option(req), tid);
	tfs_err_hint(err,
		     "record on the host, mount the host's /proc anywhere in the container, or "
		     "trace a COMMAND");
	return -ENXIO;
}

/* The numbers that the kernel has, of tasks that this process sees in a namespace of its own */
static int translate(const struct trace_request *req, struct trace_buffer *buf, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < buf->tasks.n && !rc; i++) {
		const pid_t tid = (pid_t)strtol(buf->tasks.v[i], NULL, 10);
		const pid_t outer = tfs_outer_pid(tid, "/proc/self/mountinfo");

		rc = outer > 0 ? tfs_strvec_pushf(&buf->threads, "%d", (int)outer) :
				 say_unknown(req, buf->tasks.v[i], err);
	}
	return rc;
}

static int copy(struct trace_buffer *buf)
{
	int rc = 0;

	for (size_t i = 0; i < buf->tasks.n && !rc; i++)
		rc = tfs_strvec_push(&buf->threads, buf->tasks.v[i]);
	return rc;
}

/* The first process that was started is COMMAND. */
static int add_command(struct trace_buffer *buf, pid_t command, const struct trace_pids *pids,
		       struct tfs_err *err)
{
	struct tfs_strvec children = TFS_STRVEC_INIT;
	int rc = tfs_strvec_pushf(&buf->tasks, "%d", (int)command);

	if (!rc && !tfs_pid_ns())
		return tfs_strvec_pushf(&buf->threads, "%d", (int)command);
	if (!rc && (!pids || !pids->is_on)) {
		if (pids)
			*err = pids->why;
		tfs_err_prefix(
			err,
			"in a container, the pid that the kernel has for COMMAND is not known");
		return -ENXIO;
	}
	if (!rc)
		rc = tfs_pid_look_children(&pids->look, &children, err);
	if (!rc && !children.n)
		rc = tfs_err_say(err, -ENXIO, "the kernel does not show the pid of COMMAND");
	if (!rc)
		rc = tfs_strvec_push(&buf->threads, children.v[0]);
	tfs_strvec_release(&children);
	return rc;
}

int trace_find_tasks(struct trace_request *req, pid_t command, const struct trace_pids *pids,
		     struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		struct trace_buffer *buf = &req->buffers[i];

		tfs_strvec_release(&buf->tasks);
		tfs_strvec_release(&buf->threads);
		rc = find_tasks(req, buf, err);
		if (!rc)
			rc = tfs_pid_ns() ? translate(req, buf, err) : copy(buf);
		if (!rc && command > 0 && trace_wants_command(req, buf))
			rc = add_command(buf, command, pids, err);
	}
	return rc == -ENOMEM ? tfs_err_set(err, rc, "cannot list the tasks to record") : rc;
}

void trace_pids_begin(struct trace_pids *pids, const struct tfs_root *root,
		      struct tfs_journal *journal)
{
	*pids = (struct trace_pids){ .why = TFS_ERR_INIT };
	if (tfs_pid_ns())
		pids->is_on = !tfs_pid_look_begin(&pids->look, root, journal, &pids->why);
}

int trace_pids_own(const struct trace_pids *pids, bool command, struct tfs_strvec *own,
		   const char **notice)
{
	struct tfs_strvec children = TFS_STRVEC_INIT;
	int rc = 0;

	*notice = NULL;
	if (!tfs_pid_ns())
		return 0;
	tfs_strvec_release(own);
	if (pids->is_on)
		rc = tfs_pid_look_children(&pids->look, &children, NULL);
	if (!pids->is_on || (rc && rc != -ENOMEM)) {
		*notice = "in a container this program does not know its own threads as the kernel "
			  "does: their events are recorded, too";
		rc = 0;
	} else if (!rc) {
		rc = tfs_strvec_pushf(own, "%d", (int)pids->look.self);
	}
	if (!*notice && !tfs_proc_shows_events())
		*notice = "in a container pids are those of the host, and /proc does not "
			  "show its tasks: their programs, files and functions get no names";
	for (size_t i = command ? 1 : 0; i < children.n && !rc; i++)
		rc = tfs_strvec_push(own, children.v[i]);
	tfs_strvec_release(&children);
	return rc;
}

void trace_pids_end(struct trace_pids *pids)
{
	if (pids->is_on)
		tfs_pid_look_end(&pids->look);
	pids->is_on = false;
}
