/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/timeline-rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "span/span.h"

void tfs_timeline_rows_release(struct tfs_timeline_rows *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		free(r->v[i]);
	free(r->v);
	tfs_hashmap_release(&r->by_key);
	tfs_pool_release(&r->tasks);
	tfs_idmap_release(&r->by_tid);
	*r = TFS_TIMELINE_ROWS_INIT;
}

/* A task of a recording */
struct who {
	uint32_t input;
	int tid;
};

static uint64_t hash_who(const struct who *who)
{
	return tfs_hash_int((uint64_t)who->input << 32 | (uint32_t)who->tid);
}

static uint64_t hash_task(const void *owner, uint32_t id)
{
	const struct tfs_timeline_task *t = tfs_timeline_task_at(owner, id);
	const struct who who = { t->input, t->tid };

	return hash_who(&who);
}

static bool is_task(const void *owner, uint32_t id, const void *key)
{
	const struct tfs_timeline_task *t = tfs_timeline_task_at(owner, id);
	const struct who *who = key;

	return t->tid == who->tid && t->input == who->input;
}

static uint32_t find_task(const struct tfs_timeline_rows *r, uint32_t input, int tid)
{
	const struct who who = { input, tid };

	return tfs_idmap_find(&r->by_tid, hash_who(&who), is_task, r, &who);
}

uint32_t tfs_timeline_task(struct tfs_timeline_rows *r, uint32_t input, int tid)
{
	struct tfs_timeline_task *t;
	uint32_t id = r->last;

	if (r->tasks.n) {
		t = tfs_timeline_task_at(r, id);
		if (t->tid == tid && t->input == input)
			return id;
	}
	id = find_task(r, input, tid);
	if (id != TFS_IDMAP_NONE)
		return r->last = id;
	t = r->tasks.n < TFS_IDMAP_NONE ? tfs_pool_add(&r->tasks) : NULL;
	if (!t)
		return TFS_IDMAP_NONE;
	t->input = input;
	t->tid = tid;
	id = (uint32_t)(r->tasks.n - 1);
	if (tfs_idmap_add(&r->by_tid, id, hash_task, r))
		return TFS_IDMAP_NONE;
	return r->last = id;
}

void tfs_timeline_task_ran(struct tfs_timeline_task *task, uint64_t ns)
{
	if (!ns)
		return;
	task->busy = (task->ran ? task->busy : 0) + ns;
	task->ran = true;
}

void tfs_timeline_task_called(struct tfs_timeline_task *task, uint64_t ns)
{
	if (!task->ran)
		task->busy += ns;
}

static struct tfs_timeline_row *find_row(struct tfs_timeline_rows *r, uint64_t key)
{
	return tfs_hashmap_int(&r->by_key, key);
}

static int add_row(struct tfs_timeline_rows *r, const struct tfs_timeline_row *like, uint64_t key,
		   struct tfs_timeline_row **out)
{
	struct tfs_timeline_row *row = malloc(sizeof(*row));

	if (!row)
		return -ENOMEM;
	*row = *like;
	row->index = (uint32_t)r->n;
	if (tfs_grow(&r->v, &r->alloc, r->n + 1) ||
	    tfs_hashmap_add(&r->by_key, tfs_hash_int(key), row)) {
		free(row);
		return -ENOMEM;
	}
	r->v[r->n++] = row;
	*out = row;
	return 0;
}

static struct tfs_timeline_row want(const struct tfs_span *span)
{
	struct tfs_timeline_row row = { .input = span->input, .depth = span->depth };

	row.id = (uint32_t)span->tid;
	switch (span->kind) {
	case TFS_SPAN_RUN:
		row.kind = TFS_TIMELINE_RUN;
		row.id = (uint32_t)span->cpu;
		row.depth = 0;
		break;
	case TFS_SPAN_IRQ:
	case TFS_SPAN_SOFTIRQ:
		row.kind = TFS_TIMELINE_IRQ;
		row.id = (uint32_t)span->cpu;
		break;
	case TFS_SPAN_STATE:
		row.kind = TFS_TIMELINE_STATE;
		row.depth = 0;
		break;
	default:
		row.kind = TFS_TIMELINE_CALLS;
		if (span->flags & TFS_SPAN_KEYED) {
			row.kind = TFS_TIMELINE_PAIRS;
			row.id = span->pair;
		}
	}
	return row;
}

int tfs_timeline_place(struct tfs_timeline_rows *r, const struct tfs_span *span, uint64_t begin,
		       struct tfs_timeline_row **out)
{
	struct tfs_timeline_row like = want(span), *row;
	uint64_t key;
	int rc;

	*out = NULL;
	for (; like.depth < TFS_TIMELINE_DEPTH; like.depth++) {
		key = (uint64_t)like.kind << 61 | (uint64_t)(like.input & 0x7fff) << 46 |
		      (uint64_t)like.depth << 32 | like.id;
		row = find_row(r, key);
		if (!row && r->n >= TFS_TIMELINE_ROWS)
			break;
		rc = row ? 0 : add_row(r, &like, key, &row);
		if (rc)
			return rc;
		/* a CPU runs one task, a task is in one state: the caller cuts what overlaps */
		if (row->n && begin < row->end && row->kind != TFS_TIMELINE_RUN &&
		    row->kind != TFS_TIMELINE_STATE)
			continue;
		*out = row;
		return 0;
	}
	r->left_out++;
	return 0;
}

/* Rows of one CPU, pair or task are neighbours; tasks are in the order of the second key. */
struct place {
	uint32_t input;
	int class;
	uint64_t busy, events;
	uint32_t id;
	int within;
	struct tfs_timeline_row *row;
};

#define ORDER(a, b) ((a) < (b) ? -1 : 1)

static int compare(const void *one, const void *other)
{
	const struct place *a = one, *b = other;

	if (a->input != b->input)
		return ORDER(a->input, b->input);
	if (a->class != b->class)
		return ORDER(a->class, b->class);
	if (a->busy != b->busy)
		return ORDER(b->busy, a->busy);
	if (a->events != b->events)
		return ORDER(b->events, a->events);
	if (a->id != b->id)
		return ORDER(a->id, b->id);
	return ORDER(a->within, b->within);
}

/* On a CPU the interrupts are above the task, the innermost on top. */
static struct place place_of(const struct tfs_timeline_rows *r, struct tfs_timeline_row *row)
{
	static const int classes[] = {
		[TFS_TIMELINE_IRQ] = 0,   [TFS_TIMELINE_RUN] = 0,   [TFS_TIMELINE_STATE] = 2,
		[TFS_TIMELINE_CALLS] = 2, [TFS_TIMELINE_PAIRS] = 1,
	};
	struct place p = { .input = row->input, .id = row->id, .row = row };
	const struct tfs_timeline_task *task;
	uint32_t id = TFS_IDMAP_NONE;

	p.class = classes[row->kind];
	p.within = row->kind == TFS_TIMELINE_IRQ ? -1 - (int)row->depth : (int)row->depth;
	if (row->kind == TFS_TIMELINE_CALLS)
		p.within++;
	if (p.class == 2)
		id = find_task(r, row->input, (int)row->id);
	if (id != TFS_IDMAP_NONE) {
		task = tfs_timeline_task_at(r, id);
		p.busy = task->busy;
		p.events = task->events;
	}
	return p;
}

int tfs_timeline_sort(struct tfs_timeline_rows *r)
{
	struct place *v = malloc((r->n + !r->n) * sizeof(*v));
	size_t i;

	if (!v)
		return -ENOMEM;
	for (i = 0; i < r->n; i++)
		v[i] = place_of(r, r->v[i]);
	qsort(v, r->n, sizeof(*v), compare);
	for (i = 0; i < r->n; i++)
		r->v[i] = v[i].row;
	free(v);
	return 0;
}
