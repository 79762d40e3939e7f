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

static uint64_t key_of(int pid)
{
	return (uint32_t)pid;
}

struct span_task *tfs_span_task(struct tfs_spans *s, const struct span_at *at, int pid)
{
	struct span_task *task;

	if (!pid)
		return &at->cpu->idle;
	task = tfs_hashmap_int(&at->scope->tasks, key_of(pid));
	if (task && task->seen == SPAN_UNSEEN)
		task->seen = at->ts;
	if (task)
		return task;
	task = s->spare;
	if (task)
		s->spare = (struct span_task *)task->link.next;
	else
		task = malloc(sizeof(*task));
	if (!task || tfs_hashmap_add(&at->scope->tasks, tfs_hash_int(key_of(pid)), task)) {
		free(task);
		return NULL;
	}
	*task = (struct span_task){ .pid = pid, .name = s->none, .seen = at->ts };
	return task;
}

int tfs_span_task_comm(struct tfs_spans *s, struct span_task *task, const char *comm, size_t size)
{
	size_t len = size < SPAN_COMM ? size : SPAN_COMM;

	if (!memcmp(task->comm, comm, len))
		return 0;
	memset(task->comm, 0, SPAN_COMM);
	memcpy(task->comm, comm, len);
	return tfs_span_name(s, comm, len, &task->name);
}

int tfs_span_task_known(struct tfs_spans *s, struct span_task *task, const struct tfs_event *event)
{
	if (*task->comm || !event->task || task->known == event->task)
		return 0;
	task->known = event->task;
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
	for (size_t i = 0; i < scope->n_cpus; i++)
		if (scope->cpus[i] && scope->cpus[i]->cur == task)
			return;
	tfs_span_task_unseen(task);
	tfs_hashmap_remove(&scope->tasks, tfs_hash_int(key_of(task->pid)), task);
	clear(task);
	task->link.next = (struct span_link *)s->spare;
	s->spare = task;
}

void tfs_span_tasks_release(struct tfs_spans *s, struct span_scope *scope)
{
	struct span_task *task;
	size_t i;

	tfs_hashmap_for_each(&scope->tasks, i, task)
	{
		clear(task);
		free(task);
	}
	tfs_hashmap_release(&scope->tasks);
	for (i = 0; i < scope->n_cpus; i++)
		if (scope->cpus[i])
			clear(&scope->cpus[i]->idle);
	for (; s->spare; s->spare = task) {
		task = (struct span_task *)s->spare->link.next;
		free(s->spare);
	}
}
