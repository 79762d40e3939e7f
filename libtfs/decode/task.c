/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/task.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/copy.h"
#include "base/hash.h"
#include "base/inert.h"
#include "base/strbuf-core.h"
#include "decode/comms.h"
#include "decode/prefix.h"
#include "decode/trace-internal.h"
#include "decode/trace.h"

/* Powers of two. */
#define SLOTS_MIN 1024
#define UNKNOWN_SLOTS 1024

/* A pid that had no name when @asked was the table's; the table starts with 1. */
struct unknown {
	int pid;
	uint32_t asked;
};

struct tfs_tasks {
	struct tfs_trace *trace;
	struct tfs_task **slots; /* open addressing; known tasks only */
	size_t n, n_slots;
	struct unknown unknown[UNKNOWN_SLOTS];
	uint32_t asked;
	struct tfs_task **old; /* that have another name since tfs_tasks_update() */
	size_t n_old, cap_old;
};

int tfs_tasks_new(struct tfs_trace *trace, struct tfs_tasks **out)
{
	struct tfs_tasks *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->trace = trace;
	t->asked = 1;
	t->n_slots = SLOTS_MIN;
	t->slots = calloc(t->n_slots, sizeof(struct tfs_task *));
	if (!t->slots) {
		free(t);
		return -ENOMEM;
	}
	*out = t;
	return 0;
}

static void free_old(struct tfs_tasks *t)
{
	while (t->n_old)
		free(t->old[--t->n_old]);
}

void tfs_tasks_free(struct tfs_tasks *t)
{
	size_t i;

	if (!t)
		return;
	free_old(t);
	free(t->old);
	for (i = 0; i < t->n_slots; i++)
		free(t->slots[i]);
	free(t->slots);
	free(t);
}

/* Where @pid is, or the empty slot where it would be. */
static size_t find(const struct tfs_tasks *t, int pid)
{
	size_t i = tfs_hash32(&pid, sizeof(pid)) & (t->n_slots - 1);

	while (t->slots[i] && t->slots[i]->pid != pid)
		i = (i + 1) & (t->n_slots - 1);
	return i;
}

static int grow(struct tfs_tasks *t)
{
	struct tfs_task **old = t->slots;
	size_t n = t->n_slots, i;

	t->slots = calloc(2 * n, sizeof(struct tfs_task *));
	if (!t->slots) {
		t->slots = old;
		return -ENOMEM;
	}
	t->n_slots = 2 * n;
	for (i = 0; i < n; i++)
		if (old[i])
			t->slots[find(t, old[i]->pid)] = old[i];
	free(old);
	return 0;
}

/* In one piece: the task, its column and its name. Copies may read more than the texts have. */
static struct tfs_task *new_task(int pid, const char *comm)
{
	char end[TFS_PREFIX_TASK_MAX];
	size_t len = strlen(comm), width = len > TFS_PREFIX_COMM ? len : TFS_PREFIX_COMM;
	size_t pid_len =
		(size_t)(tfs_prefix_task(end, "", pid, TFS_TASK_NORMAL) - end) - TFS_PREFIX_COMM;
	size_t column = width + pid_len, text = column + len + 1;
	struct tfs_task *task;

	if (len > UINT32_MAX - TFS_PREFIX_TASK_MAX)
		return NULL;
	if (text < TFS_COPY_SLACK)
		text = TFS_COPY_SLACK;
	task = calloc(1, sizeof(*task) + text);
	if (!task)
		return NULL;
	task->pid = pid;
	task->column_len = (uint32_t)column;
	task->pid_at = (uint32_t)width;
	task->latency_at = len <= TFS_PREFIX_COMM_LATENCY ?
				   TFS_PREFIX_COMM - TFS_PREFIX_COMM_LATENCY :
				   (uint32_t)(width - len);
	tfs_prefix_task(task->column, comm, pid, TFS_TASK_NORMAL);
	task->comm = memcpy(task->column + column, comm, len + 1);
	return task;
}

/* The same as @t's recording is shown. */
static struct tfs_task *new_task_of(const struct tfs_tasks *t, int pid, const char *comm)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_task *task = NULL;

	if (!t->trace->inert)
		return new_task(pid, comm);
	if (!tfs_strbuf_adds(&sb, comm) && !tfs_inert_rest(&sb, 0, TFS_INERT_NONE))
		task = new_task(pid, sb.s);
	tfs_strbuf_release(&sb);
	return task;
}

/* The name by libtraceevent's table, if it has one: a task of ours is made of it. */
static int ask(struct tfs_tasks *t, int pid, const struct tfs_task **out)
{
	struct tfs_task *task = NULL;
	const char *comm;
	bool known;

	tfs_trace_lock(t->trace);
	tfs_trace_begin_library();
	comm = tfs_trace_comm(t->trace, pid);
	if (!tfs_trace_end_library(t->trace)) {
		tfs_trace_unlock(t->trace);
		return -ENOMEM;
	}
	known = strcmp(comm, TFS_TASK_UNKNOWN) != 0;
	if (known)
		task = new_task_of(t, pid, comm);
	tfs_trace_unlock(t->trace);
	if (!known) {
		t->unknown[(unsigned int)pid % UNKNOWN_SLOTS] = (struct unknown){ pid, t->asked };
		*out = NULL;
		return 0;
	}
	if (!task || (2 * t->n >= t->n_slots && grow(t))) {
		free(task);
		return -ENOMEM;
	}
	t->slots[find(t, pid)] = task;
	t->n++;
	*out = task;
	return 0;
}

int tfs_tasks_find(struct tfs_tasks *t, int pid, const struct tfs_task **out)
{
	const struct unknown *u = &t->unknown[(unsigned int)pid % UNKNOWN_SLOTS];

	*out = t->slots[find(t, pid)];
	if (*out || (u->asked == t->asked && u->pid == pid))
		return 0;
	return ask(t, pid, out);
}

int tfs_tasks_learn(struct tfs_tasks *t, int pid, const char *comm, size_t len)
{
	const struct tfs_task *known;
	int rc = tfs_tasks_find(t, pid, &known);
	char *name;

	if (rc || known)
		return rc;
	name = strndup(comm, len);
	if (!name)
		return -ENOMEM;
	tfs_trace_lock(t->trace);
	tfs_trace_begin_library();
	tep_register_comm(t->trace->tep, name, pid);
	rc = tfs_trace_end_library(t->trace) ? 0 : -ENOMEM;
	tfs_trace_unlock(t->trace);
	free(name);
	tfs_tasks_changed(t);
	return rc;
}

/* @known has another name by now. */
static int rename_task(struct tfs_tasks *t, struct tfs_task **known, const char *comm)
{
	struct tfs_task *task = new_task_of(t, (*known)->pid, comm);

	if (!task)
		return -ENOMEM;
	if (!strcmp(task->comm, (*known)->comm)) {
		free(task);
		return 0;
	}
	if (tfs_grow(&t->old, &t->cap_old, t->n_old + 1)) {
		free(task);
		return -ENOMEM;
	}
	t->old[t->n_old++] = *known;
	*known = task;
	return 0;
}

static int update_task(struct tfs_tasks *t, int pid, const char *comm)
{
	struct tfs_task **known = &t->slots[find(t, pid)];
	bool memory;

	if (*known && !strcmp((*known)->comm, comm))
		return 0;
	tfs_trace_lock(t->trace);
	tfs_trace_begin_library();
	tep_override_comm(t->trace->tep, comm, pid);
	memory = tfs_trace_end_library(t->trace);
	tfs_trace_unlock(t->trace);
	if (!memory)
		return -ENOMEM;
	return *known ? rename_task(t, known, comm) : 0;
}

int tfs_tasks_update(struct tfs_tasks *t, const char *names)
{
	struct tfs_strbuf comm = TFS_STRBUF_INIT;
	const char *name;
	size_t len;
	int pid, rc = 0;

	free_old(t);
	while (!rc && tfs_comms_next(&names, &pid, &name, &len)) {
		tfs_strbuf_reset(&comm);
		rc = tfs_strbuf_add(&comm, name, len);
		if (!rc)
			rc = update_task(t, pid, comm.s);
	}
	tfs_strbuf_release(&comm);
	tfs_tasks_changed(t);
	return rc;
}

void tfs_tasks_changed(struct tfs_tasks *t)
{
	t->asked++;
}
