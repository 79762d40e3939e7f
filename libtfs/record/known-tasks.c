/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/known-tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/map-events.h"
#include "record/tasks.h"
#include "tracedat/dat-tasks.h"

void tfs_known_tasks_release(struct tfs_known_tasks *t)
{
	struct tfs_known_task *task;
	size_t i;

	tfs_hashmap_for_each(&t->map, i, task) free(task);
	tfs_hashmap_release(&t->map);
}

static struct tfs_known_task *find(const struct tfs_known_tasks *t, uint32_t tid)
{
	return tfs_hashmap_int(&t->map, tid);
}

/* NULL: there are too many, or no memory: it is not known then. */
static struct tfs_known_task *add(struct tfs_known_tasks *t, uint32_t tid, uint32_t tgid)
{
	struct tfs_known_task *task = find(t, tid);

	if (!task && t->map.n < TFS_KNOWN_TASKS_MAX) {
		task = calloc(1, sizeof(*task));
		if (task && tfs_hashmap_add(&t->map, tfs_hash_int(tid), task)) {
			free(task);
			task = NULL;
		}
	}
	if (task)
		*task = (struct tfs_known_task){ .tid = tid, .tgid = tgid };
	return task;
}

void tfs_known_tasks_event(struct tfs_known_tasks *t, const struct tfs_map_event *event)
{
	struct tfs_known_task *task;

	if (event->kind == TFS_MAP_FORK || event->kind == TFS_MAP_THREAD) {
		task = add(t, event->tid, event->tgid);
		if (task) {
			task->from = event->ts;
			task->ppid = event->kind == TFS_MAP_FORK ? event->parent : 0;
		}
	} else if (event->kind != TFS_MAP_EXIT) {
		/* COMMAND, and what else was there before */
		task = find(t, event->tid);
		if (!task)
			task = add(t, event->tid, event->tgid);
		if (task && event->kind == TFS_MAP_EXEC)
			snprintf(task->comm, sizeof(task->comm), "%s", event->comm);
	}
}

uint32_t tfs_known_tasks_tgid(struct tfs_known_tasks *t, uint32_t tid)
{
	const struct tfs_known_task *task = find(t, tid);
	uint32_t tgid;

	if (task)
		return task->tgid;
	tgid = tfs_tasks_tgid(tid);
	if (tgid)
		add(t, tid, tgid);
	return tgid;
}

/* Those that live are described better by /proc. */
int tfs_known_tasks_list(const struct tfs_known_tasks *t, const struct tfs_dat_clock *now,
			 struct tfs_strbuf *payload)
{
	const struct tfs_known_task *task;
	int rc = 0;
	size_t i;

	tfs_hashmap_for_each(&t->map, i, task)
	{
		if (rc || tfs_tasks_tgid(task->tid) == task->tgid)
			continue;
		rc = tfs_dat_tasks_add(payload, &(struct tfs_dat_task){
							.tid = task->tid,
							.tgid = task->tgid,
							.ppid = task->ppid,
							.from = task->from,
							.comm = task->comm,
							.exe = "",
							.cgroup = "",
						});
	}
	return rc ? rc : tfs_tasks_list(now, payload);
}
