/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/span-internal.h"

#include <errno.h>
#include <stdlib.h>

#include "decode/task.h"

void tfs_span_task_unseen(struct span_task *task)
{
	if (!task->cpu)
		return;
	task->link.prev->next = task->link.next;
	task->link.next->prev = task->link.prev;
	task->cpu = NULL;
}

void tfs_span_task_seen(struct span_task *task, struct span_cpu *cpu)
{
	if (task->cpu == cpu)
		return;
	tfs_span_task_unseen(task);
	task->cpu = cpu;
	task->link.prev = &cpu->tasks;
	task->link.next = cpu->tasks.next;
	cpu->tasks.next->prev = &task->link;
	cpu->tasks.next = &task->link;
}

static uint64_t hash_pid(int pid)
{
	return tfs_hash_int((uint32_t)pid);
}

static bool has_pid(const void *owner, uint32_t id, const void *key)
{
	const struct span_scope *scope = owner;
	const struct span_task *task = tfs_pool_at(&scope->tasks, id);

	return task->pid == *(const int *)key;
}

static uint64_t hash_task(const void *owner, uint32_t id)
{
	const struct span_scope *scope = owner;
	const struct span_task *task = tfs_pool_at(&scope->tasks, id);

	return hash_pid(task->pid);
}

struct span_task *tfs_span_find_task(const struct span_scope *scope, int pid)
{
	uint32_t id = tfs_idmap_find(&scope->by_pid, hash_pid(pid), has_pid, scope, &pid);

	return id == TFS_IDMAP_NONE ? NULL : tfs_pool_at(&scope->tasks, id);
}

/* The number of a free one, or TFS_IDMAP_NONE. Dead ones have the number of the next as pid. */
static uint32_t new_task(struct span_scope *scope)
{
	const struct span_task *dead;
	uint32_t id = scope->spare;

	if (id == TFS_IDMAP_NONE)
		return tfs_pool_add(&scope->tasks) ? (uint32_t)(scope->tasks.n - 1) : id;
	dead = tfs_pool_at(&scope->tasks, id);
	scope->spare = (uint32_t)dead->pid;
	return id;
}

static void put_aside(struct span_scope *scope, uint32_t id)
{
	struct span_task *task = tfs_pool_at(&scope->tasks, id);

	task->pid = (int)scope->spare;
	scope->spare = id;
}

struct span_task *tfs_span_task(struct tfs_spans *s, const struct span_at *at, int pid)
{
	struct span_task *task;
	uint32_t id;

	if (!pid)
		return &at->cpu->idle;
	task = tfs_span_find_task(at->scope, pid);
	if (task && task->seen == SPAN_UNSEEN)
		task->seen = at->ts;
	if (task)
		return task;
	id = new_task(at->scope);
	if (id == TFS_IDMAP_NONE)
		return NULL;
	task = tfs_pool_at(&at->scope->tasks, id);
	*task = (struct span_task){
		.pid = pid, .name = s->none, .seen = at->ts, .ended = SPAN_NO_NR
	};
	if (!tfs_idmap_add(&at->scope->by_pid, id, hash_task, at->scope))
		return task;
	put_aside(at->scope, id);
	return NULL;
}

int tfs_span_task_comm(struct tfs_spans *s, struct span_task *task, const char *comm, size_t size)
{
	size_t len = strnlen(comm, size < SPAN_COMM ? size : SPAN_COMM);
	const char *name = s->names[task->name];

	if (task->has_comm ? !strncmp(name, comm, len) && !name[len] : !len)
		return 0;
	task->has_comm = len > 0;
	return tfs_span_name(s, comm, len, &task->name);
}

int tfs_span_task_known(struct tfs_spans *s, struct span_task *task, const struct tfs_event *event)
{
	if (task->has_comm || !event->task || !strcmp(s->names[task->name], event->task->comm))
		return 0;
	return tfs_span_name(s, event->task->comm, strlen(event->task->comm), &task->name);
}

/* Frees all that the task holds */
static void clear(struct span_task *task)
{
	tfs_span_calls_free(task->calls);
	free(task->kept);
	task->calls = NULL;
	task->kept = NULL;
}

void tfs_span_task_drop(struct tfs_spans *s, struct span_scope *scope, struct span_task *task)
{
	uint32_t id;

	for (size_t i = 0; i < scope->n_cpus; i++)
		if (scope->cpus[i] && scope->cpus[i]->cur == task)
			return;
	tfs_span_task_unseen(task);
	id = tfs_idmap_find(&scope->by_pid, hash_pid(task->pid), has_pid, scope, &task->pid);
	tfs_idmap_remove(&scope->by_pid, id, hash_task, scope);
	tfs_span_calls_done(s, task);
	clear(task);
	put_aside(scope, id);
}

void tfs_span_tasks_release(struct tfs_spans *s, struct span_scope *scope)
{
	struct span_task *task;
	size_t i;

	tfs_pool_for_each(&scope->tasks, i, task) clear(task);
	tfs_pool_release(&scope->tasks);
	tfs_idmap_release(&scope->by_pid);
	scope->spare = TFS_IDMAP_NONE;
	for (i = 0; i < scope->n_cpus; i++) {
		if (!scope->cpus[i])
			continue;
		clear(&scope->cpus[i]->idle);
		scope->cpus[i]->cur = NULL;
		scope->cpus[i]->tasks.prev = scope->cpus[i]->tasks.next = &scope->cpus[i]->tasks;
	}
	tfs_span_calls_free(s->spare);
	s->spare = NULL;
}
