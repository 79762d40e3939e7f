/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/span-internal.h"

#include <stdlib.h>

struct span_calls *tfs_span_calls(struct tfs_spans *s, struct span_task *task)
{
	struct span_calls *calls = task->calls;

	if (calls)
		return calls;
	calls = s->spare;
	if (calls)
		s->spare = calls->next;
	else
		calls = calloc(1, sizeof(*calls));
	if (!calls)
		return NULL;
	calls->next = NULL;
	calls->ended = task->ended == SPAN_NO_NR ? SPAN_NO_CALL : task->ended;
	calls->ended_raw = task->ended_raw;
	calls->idle_since = task->idle_since;
	task->calls = calls;
	return calls;
}

void tfs_span_calls_done(struct tfs_spans *s, struct span_task *task)
{
	struct span_calls *calls = task->calls;

	if (!calls || calls->in_call || calls->graph.n || calls->pairs.n)
		return;
	task->ended = calls->ended == (int32_t)calls->ended ? (int32_t)calls->ended : SPAN_NO_NR;
	task->ended_raw = calls->ended_raw;
	task->idle_since = calls->idle_since;
	task->calls = NULL;
	calls->next = s->spare;
	s->spare = calls;
}

static void release(struct span_stack *st)
{
	for (size_t i = 0; i < st->n; i++)
		free(st->v[i].kept);
	free(st->v);
}

void tfs_span_calls_free(struct span_calls *calls)
{
	struct span_calls *next;

	for (; calls; calls = next) {
		next = calls->next;
		if (calls->in_call)
			free(calls->call.kept);
		release(&calls->graph);
		release(&calls->pairs);
		free(calls);
	}
}

static unsigned int below_top(const struct span_stack *st, unsigned int depth)
{
	unsigned int top = st->n ? st->v[st->n - 1].depth + 1u : 0;

	return top > depth ? top : depth;
}

/* Below everything that is open: what crosses is not drawn over each other. */
uint16_t tfs_span_depth(const struct span_calls *calls)
{
	unsigned int depth = calls->in_call ? calls->call.depth + 1u : 0;

	depth = below_top(&calls->graph, depth);
	depth = below_top(&calls->pairs, depth);
	return (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX);
}

static uint64_t later_top(const struct span_stack *st, uint64_t begin)
{
	return st->n && st->v[st->n - 1].begin > begin ? st->v[st->n - 1].begin : begin;
}

uint64_t tfs_span_unbegun(const struct span_task *task, uint64_t end)
{
	const struct span_calls *calls = task->calls;
	uint64_t begin = task->seen > calls->idle_since ? task->seen : calls->idle_since;

	if (calls->in_call && calls->call.begin > begin)
		begin = calls->call.begin;
	begin = later_top(&calls->graph, begin);
	begin = later_top(&calls->pairs, begin);
	return begin < end ? begin : end;
}

int tfs_span_end_call(struct tfs_spans *s, const struct span_scope *scope,
		      const struct span_task *task, struct span_open *open,
		      const struct span_close *how, const struct tfs_event *event)
{
	struct tfs_span_record end;
	struct tfs_span span = {
		.kind = (enum tfs_span_kind)open->kind,
		.flags = open->flags | how->flag,
		.cpu = open->cpu,
		.end_cpu = how->cpu,
		.tid = open->tid,
		.end_tid = open->tid,
		.name_id = open->name,
		.comm_id = task->name,
		.pair = open->kind == TFS_SPAN_PAIR ? (uint32_t)open->key : 0,
		.depth = open->depth,
		.begin = open->begin,
		.end = how->ts,
		.first = open->kept ? &open->kept->rec : NULL,
	};
	int rc;

	if (event) {
		end = tfs_span_record(event);
		span.last = &end;
	}
	if (span.kind == TFS_SPAN_GRAPH) {
		tfs_span_end_graph(task->calls, open, &span);
		s->around = &task->calls->graph;
	}
	rc = tfs_span_emit(s, scope, &span);
	s->around = NULL;
	tfs_span_ended(task->calls, how->ts);
	free(open->kept);
	open->kept = NULL;
	return rc;
}

static int close_stack(struct tfs_spans *s, const struct span_scope *scope,
		       const struct span_task *task, struct span_stack *st,
		       const struct span_close *how)
{
	int rc = 0;

	while (st->n && !rc)
		rc = tfs_span_end_call(s, scope, task, &st->v[--st->n], how, NULL);
	return rc;
}

int tfs_span_close_calls(struct tfs_spans *s, const struct span_scope *scope,
			 struct span_task *task, const struct span_close *how)
{
	struct span_calls *calls = task->calls;
	int rc;

	if (!calls)
		return 0;
	rc = close_stack(s, scope, task, &calls->graph, how);
	if (!rc)
		rc = close_stack(s, scope, task, &calls->pairs, how);
	if (!rc && calls->in_call) {
		calls->in_call = false;
		rc = tfs_span_end_call(s, scope, task, &calls->call, how, NULL);
	}
	if (!rc)
		tfs_span_calls_done(s, task);
	return rc;
}
