/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-tasks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-records.h"

#define RECORD_TASK 1
#define RECORD_CLOCK 2

struct tfs_dat_tasks {
	struct tfs_dat_records records;
	struct tfs_dat_task *tasks;
	size_t n_tasks, cap_tasks;
	struct tfs_dat_clock *clocks;
	size_t n_clocks, cap_clocks;
};

int tfs_dat_tasks_add(struct tfs_strbuf *payload, const struct tfs_dat_task *task)
{
	const uint32_t numbers[] = { task->tid, task->tgid, task->ppid, task->nspid, task->flags };
	const char *const strings[] = { task->comm, task->exe, task->cgroup };
	size_t at;
	int rc = tfs_dat_record_begin(payload, RECORD_TASK, &at);

	for (size_t i = 0; i < ARRAY_SIZE(numbers) && !rc; i++)
		rc = tfs_dat_put_u32(payload, numbers[i]);
	if (!rc)
		rc = tfs_dat_put_u64(payload, task->from);
	for (size_t i = 0; i < ARRAY_SIZE(strings) && !rc; i++)
		rc = tfs_dat_put_strz(payload, strings[i]);
	return rc ? rc : tfs_dat_record_end(payload, at);
}

int tfs_dat_tasks_add_clock(struct tfs_strbuf *payload, const struct tfs_dat_clock *clock)
{
	const uint64_t numbers[] = { clock->trace, clock->realtime, clock->boottime,
				     clock->monotonic, clock->width };
	size_t at;
	int rc = tfs_dat_record_begin(payload, RECORD_CLOCK, &at);

	if (!rc)
		rc = tfs_dat_put_u32(payload, clock->when);
	for (size_t i = 0; i < ARRAY_SIZE(numbers) && !rc; i++)
		rc = tfs_dat_put_u64(payload, numbers[i]);
	return rc ? rc : tfs_dat_record_end(payload, at);
}

static int read_task(struct tfs_dat_tasks *t, struct tfs_cursor *c)
{
	struct tfs_dat_task task = { 0 };
	uint32_t *const numbers[] = { &task.tid, &task.tgid, &task.ppid, &task.nspid, &task.flags };
	const char **const strings[] = { &task.comm, &task.exe, &task.cgroup };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(numbers) && !rc; i++)
		rc = tfs_cursor_u32(c, numbers[i]);
	if (!rc)
		rc = tfs_cursor_u64(c, &task.from);
	for (size_t i = 0; i < ARRAY_SIZE(strings) && !rc; i++)
		rc = tfs_cursor_strz(c, strings[i]);
	if (!rc)
		rc = tfs_dat_records_take(&t->records, sizeof(task));
	if (!rc)
		rc = tfs_grow(&t->tasks, &t->cap_tasks, t->n_tasks + 1);
	if (!rc)
		t->tasks[t->n_tasks++] = task;
	return rc;
}

static int read_clock(struct tfs_dat_tasks *t, struct tfs_cursor *c)
{
	struct tfs_dat_clock clock = { 0 };
	uint64_t *const numbers[] = { &clock.trace, &clock.realtime, &clock.boottime,
				      &clock.monotonic, &clock.width };
	int rc = tfs_cursor_u32(c, &clock.when);

	for (size_t i = 0; i < ARRAY_SIZE(numbers) && !rc; i++)
		rc = tfs_cursor_u64(c, numbers[i]);
	if (!rc)
		rc = tfs_dat_records_take(&t->records, sizeof(clock));
	if (!rc)
		rc = tfs_grow(&t->clocks, &t->cap_clocks, t->n_clocks + 1);
	if (!rc)
		t->clocks[t->n_clocks++] = clock;
	return rc;
}

static int read_all(struct tfs_dat_tasks *t)
{
	struct tfs_cursor c;
	uint16_t type;
	int rc;

	while ((rc = tfs_dat_records_next(&t->records, &type, &c)) > 0) {
		if (type == RECORD_TASK)
			rc = read_task(t, &c);
		else if (type == RECORD_CLOCK)
			rc = read_clock(t, &c);
		if (rc == -ENOMEM)
			break;
	}
	return rc == -ENOMEM ? rc : 0;
}

static int compare(const void *a, const void *b)
{
	const struct tfs_dat_task *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

int tfs_dat_tasks_new(const struct tfs_dat *dat, struct tfs_dat_tasks **out)
{
	struct tfs_dat_tasks *t = calloc(1, sizeof(*t));
	int rc;

	*out = NULL;
	if (!t)
		return -ENOMEM;
	tfs_dat_records_init(&t->records, dat, TFS_DAT_PRIVATE_TASKS);
	rc = read_all(t);
	if (!rc && t->n_tasks)
		qsort(t->tasks, t->n_tasks, sizeof(*t->tasks), compare);
	if (rc || (!t->n_tasks && !t->n_clocks))
		tfs_dat_tasks_free(t);
	else
		*out = t;
	return rc;
}

void tfs_dat_tasks_free(struct tfs_dat_tasks *tasks)
{
	if (!tasks)
		return;
	free(tasks->tasks);
	free(tasks->clocks);
	tfs_dat_records_release(&tasks->records);
	free(tasks);
}

const struct tfs_dat_task *tfs_dat_tasks_all(const struct tfs_dat_tasks *tasks, size_t *n)
{
	*n = tasks ? tasks->n_tasks : 0;
	return tasks ? tasks->tasks : NULL;
}

const struct tfs_dat_clock *tfs_dat_tasks_clocks(const struct tfs_dat_tasks *tasks, size_t *n)
{
	*n = tasks ? tasks->n_clocks : 0;
	return tasks ? tasks->clocks : NULL;
}

const struct tfs_dat_task *tfs_dat_tasks_find(const struct tfs_dat_tasks *tasks, uint32_t tid)
{
	size_t i;

	if (!tasks)
		return NULL;
	i = tfs_bisect(k, tasks->n_tasks, tasks->tasks[k].tid <= tid);
	return i && tasks->tasks[i - 1].tid == tid ? &tasks->tasks[i - 1] : NULL;
}
