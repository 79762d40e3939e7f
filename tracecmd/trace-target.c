/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-target.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "trace-opts.h"

/* TASK_COMM_LEN of the kernel, with the NUL */
#define COMM_SIZE 16

void trace_target_release(struct trace_target *target)
{
	tfs_strvec_release(&target->pids);
	tfs_strvec_release(&target->tids);
	tfs_strvec_release(&target->comms);
	tfs_strvec_release(&target->cgroups);
}

bool trace_target_has_tasks(const struct trace_target *target)
{
	return target->pids.n || target->tids.n || target->comms.n || target->cgroups.n ||
	       target->container;
}

static int check(const struct trace_target *target, struct tfs_err *err)
{
	if (target->pids.n && target->tids.n)
		return tfs_err_say(err, -EINVAL, "processes and threads exclude each other");
	if (target->all && trace_target_has_tasks(target))
		return tfs_err_say(err, -EINVAL, "all tasks and single tasks exclude each other");
	if (target->all && target->no_children)
		return tfs_err_say(err, -EINVAL,
				   "all tasks include the children that others create");
	for (size_t i = 0; i < target->comms.n; i++) {
		const char *name = target->comms.v[i];

		if (!*name || strpbrk(name, "\"\\\n"))
			return tfs_err_say(err, -EINVAL, "'%s' is not the name of a task", name);
		if (strlen(name) >= COMM_SIZE)
			return tfs_err_say(err, -EINVAL,
					   "'%s' is longer than the %d bytes that the kernel keeps "
					   "of a task's name",
					   name, COMM_SIZE - 1);
	}
	return 0;
}

/*
 * By the kernel's filter: names change, and tasks come and go. In capitals it is the name of the
 * task that causes the event; "comm" is a field of its own for some.
 */
static int filter_by_name(const struct tfs_strvec *comms, struct trace_request *req,
			  struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < comms->n && !rc; i++)
		rc = tfs_strbuf_addf(&text, "%sCOMM ~ \"%s\"", i ? "||" : "", comms->v[i]);
	if (rc)
		tfs_err_set(err, rc, "cannot keep the names of tasks");
	else if (comms->n)
		rc = tc_clauses_filter_all(&req->clauses, text.s, err);
	tfs_strbuf_release(&text);
	return rc;
}

static int copy(struct tfs_strvec *to, const struct tfs_strvec *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->n && !rc; i++)
		rc = tfs_strvec_push(to, from->v[i]);
	return rc;
}

static int set_buffer(const struct trace_target *target, struct trace_buffer *buf)
{
	int rc = copy(&buf->pid_words, &target->pids);

	if (!rc)
		rc = copy(&buf->pid_words, &target->tids);
	if (!rc)
		rc = copy(&buf->cgroups, &target->cgroups);
	buf->container = target->container;
	buf->cpus = target->cpus;
	if (target->pids.n)
		buf->flags |= TRACE_BUFFER_PROCESSES;
	return rc;
}

int trace_target_set(const struct trace_target *target, struct trace_request *req,
		     struct tfs_err *err)
{
	const bool tasks = trace_target_has_tasks(target);
	int rc = check(target, err);

	if (rc)
		return rc;
	req->pid_option = target->tids.n ? "-t" : "-p";
	req->only_command = req->command && !tasks && !target->all && !target->cpus;
	req->children = !target->no_children &&
			(req->only_command || target->pids.n || target->tids.n);
	for (size_t i = 0; i < req->n_buffers && !rc; i++)
		rc = set_buffer(target, &req->buffers[i]);
	if (rc)
		return tfs_err_set(err, rc, "cannot keep the tasks to trace");
	return filter_by_name(&target->comms, req, err);
}
