/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/span-internal.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Nobody knows what became of that which was open on a CPU that lost events: it ends with the last
 * event before. A task may have moved: those last seen there are not known until met again.
 */

static struct span_task *first_task(struct span_cpu *cpu)
{
	return cpu->tasks.next == &cpu->tasks ? NULL : (struct span_task *)cpu->tasks.next;
}

static int cut_tasks(struct tfs_spans *s, struct span_scope *scope, struct span_cpu *cpu,
		     const struct span_close *how, uint64_t known)
{
	struct span_task *task;
	int rc = 0;

	while ((task = first_task(cpu)) && !rc)
		rc = tfs_span_cut_task(s, scope, task, how, known);
	return rc;
}

int tfs_span_cut_task(struct tfs_spans *s, struct span_scope *scope, struct span_task *task,
		      const struct span_close *how, uint64_t known)
{
	int rc = tfs_span_close_calls(s, scope, task, how);

	if (!rc && task->pid)
		rc = tfs_span_close_state(s, scope, task, how);
	tfs_span_task_unseen(task);
	task->seen = known;
	task->was_cut = true;
	return rc;
}

static int cut_cpu(struct tfs_spans *s, struct span_scope *scope, struct span_cpu *cpu,
		   uint64_t begin, uint64_t known)
{
	const struct span_close how = { .flag = TFS_SPAN_CUT, .ts = begin, .cpu = cpu->nr };
	int rc = tfs_span_close_irqs(s, scope, cpu, &how);

	if (!rc)
		rc = tfs_span_close_run(s, scope, cpu, &how);
	if (!rc)
		rc = cut_tasks(s, scope, cpu, &how, known);
	return rc ? rc : tfs_span_close_async(s, scope, cpu, &how);
}

int tfs_span_missing(struct tfs_spans *s, struct span_scope *scope, struct span_cpu *cpu)
{
	if (cpu->missing)
		return 0;
	cpu->missing = true;
	s->counts.missing++;
	/* A CPU without events has 0 as its last time. */
	if (cpu->last < scope->missing)
		scope->missing = cpu->last;
	return cut_cpu(s, scope, cpu, cpu->last, SPAN_UNSEEN);
}

int tfs_span_missing_gaps(const struct tfs_spans *s, const struct span_scope *scope, uint64_t first,
			  uint64_t last)
{
	struct tfs_span_gap gap = {
		.input = scope->input,
		.buffer = scope->buffer,
		.end = last,
		.missing = true,
	};
	int rc = 0;

	for (size_t i = 0; i < scope->n_cpus && s->opts.ops->gap && !rc; i++) {
		const struct span_cpu *cpu = scope->cpus[i];

		if (!cpu || !cpu->missing)
			continue;
		gap.cpu = cpu->nr;
		gap.begin = cpu->seen ? cpu->last : first;
		rc = s->opts.ops->gap(s->opts.ctx, &gap);
	}
	return rc;
}

int tfs_span_gap(struct tfs_spans *s, struct span_scope *scope, struct span_cpu *cpu,
		 const struct tfs_span_gap *gap)
{
	int rc = cut_cpu(s, scope, cpu, gap->begin, gap->end);

	cpu->known = gap->end;
	s->counts.gaps++;
	s->counts.lost += gap->count;
	s->counts.uncounted += !gap->count;
	return rc || !s->opts.ops->gap ? rc : s->opts.ops->gap(s->opts.ctx, gap);
}

struct pid {
	int pid;
	uint32_t id;
};

static int by_pid(const void *a, const void *b)
{
	const struct pid *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int close_tasks(struct tfs_spans *s, struct span_scope *scope, const struct span_close *how)
{
	const struct tfs_idmap *live = &scope->by_pid;
	struct pid *v = calloc(live->n + 1, sizeof(*v));
	struct span_task *task;
	size_t n = 0, i;
	int rc = 0;

	if (!v)
		return -ENOMEM;
	for (i = 0; i < live->n_slots; i++) {
		if (!live->slot[i])
			continue;
		task = tfs_pool_at(&scope->tasks, live->slot[i] - 1);
		v[n++] = (struct pid){ task->pid, live->slot[i] - 1 };
	}
	/* Nobody looks for them any more. */
	tfs_idmap_release(&scope->by_pid);
	qsort(v, n, sizeof(*v), by_pid);
	for (i = 0; i < n && !rc; i++) {
		task = tfs_pool_at(&scope->tasks, v[i].id);
		rc = tfs_span_close_calls(s, scope, task, how);
		if (!rc)
			rc = tfs_span_close_state(s, scope, task, how);
	}
	free(v);
	return rc;
}

int tfs_span_close_scope(struct tfs_spans *s, struct span_scope *scope)
{
	struct span_close how = { .flag = TFS_SPAN_NO_END, .ts = scope->last };
	struct span_cpu *cpu;
	int rc = 0;

	for (size_t i = 0; i < scope->n_cpus && !rc; i++) {
		cpu = scope->cpus[i];
		if (!cpu)
			continue;
		how.cpu = cpu->nr;
		rc = tfs_span_close_irqs(s, scope, cpu, &how);
		if (!rc)
			rc = tfs_span_close_run(s, scope, cpu, &how);
		if (!rc)
			rc = tfs_span_close_calls(s, scope, &cpu->idle, &how);
		if (!rc)
			rc = tfs_span_close_async(s, scope, cpu, &how);
	}
	how.cpu = -1;
	return rc ? rc : close_tasks(s, scope, &how);
}
