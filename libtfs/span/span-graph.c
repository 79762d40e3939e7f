/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/span-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "decode/trace.h"
#include "printfmt/env.h"

/* Fields of roles, see span/span-types.c */
enum { FUNC, DEPTH, CALLTIME, RETTIME };

/* common_flags, see the kernel's enum trace_flag_type: in a hardware interrupt, in an NMI */
#define HARDIRQ 0x48
/* The kernel's return stack has 50 entries; a larger depth is damage. */
#define DEPTH_MAX 4096

/* The innermost call is over. @how->flag: its end was not recorded */
static int end_top(struct tfs_spans *s, const struct span_at *at, const struct span_task *task,
		   unsigned int flag)
{
	const struct span_close how = { .flag = flag, .ts = at->ts, .cpu = at->cpu->nr };
	struct span_stack *st = &task->calls->graph;

	return tfs_span_end_call(s, at->scope, task, &st->v[--st->n], &how, NULL);
}

static int give_up(struct tfs_spans *s, const struct span_at *at, const struct span_task *task,
		   size_t keep)
{
	int rc = 0;

	while (task->calls->graph.n > keep && !rc)
		rc = end_top(s, at, task, TFS_SPAN_NO_END);
	return rc;
}

/* A function that the recording has no symbol for is called by its address. */
static int name_function(struct tfs_spans *s, const struct span_at *at, uint64_t addr,
			 uint32_t *name)
{
	const struct tfs_format_env *env = tfs_trace_env(at->input->trace);
	const uint32_t input = at->scope->input;
	uint64_t key = tfs_hash64(TFS_HASH64_INIT, "func", sizeof("func")), start;
	const char *symbol;
	char hex[24];
	int rc;

	key = tfs_hash64(key, &input, sizeof(input));
	key = tfs_hash64(key, &addr, sizeof(addr));
	*name = tfs_span_memo(s, key);
	if (*name != SPAN_NO_NAME)
		return 0;
	symbol = env->symbol ? env->symbol(env->symbols, addr, &start) : NULL;
	snprintf(hex, sizeof(hex), "%" PRIx64, addr);
	rc = tfs_span_name(s, symbol ? symbol : hex, symbol ? strlen(symbol) : sizeof(hex), name);
	return rc ? rc : tfs_span_note(s, key, *name);
}

static bool is_hardirq(struct tfs_spans *s, const struct span_at *at, uint64_t addr, uint32_t name)
{
	struct span_input *in = at->input;

	/* Symbols are there once a type that looks some up was prepared. */
	if (!in->has_irq_text)
		tfs_irq_text_find(tfs_trace_env(in->trace), &in->irq_text);
	in->has_irq_text = true;
	return at->event->flags & HARDIRQ ||
	       tfs_irq_text_is_hard(&in->irq_text, addr, s->names[name]);
}

/* How many calls stay when one at @level begins, or ends unexpectedly. */
static size_t below(const struct span_stack *st, int level)
{
	size_t i;

	for (i = st->n; i && st->v[i - 1].level >= level; i--)
		;
	/* Calls that are over have the levels of those that interrupted them. */
	for (size_t j = 0; j < i; j++)
		if (st->v[j].level >= level)
			return j;
	return i;
}

/*
 * The same for one that an interrupt makes. It may come when a function has returned and the kernel
 * has not recorded that yet: its calls are then as deep, and the function's end comes after them.
 */
static size_t below_interrupt(struct span_stack *st, int level)
{
	for (size_t i = 0; i < st->n; i++) {
		if (st->v[i].level < level)
			continue;
		if (st->v[i].hardirq)
			return i;
		st->v[i].late = true;
	}
	return st->n;
}

/* Who makes calls now; NULL: nobody that we know of */
static struct span_open *innermost(const struct span_stack *st)
{
	for (size_t i = st->n; i-- > 0;)
		if (!st->v[i].late)
			return &st->v[i];
	return NULL;
}

size_t tfs_spans_callers(const struct tfs_spans *s, uint32_t *names, size_t max)
{
	const struct span_stack *st = s->around;
	size_t n = 0;

	for (size_t i = 0; st && i < st->n; i++) {
		if (st->v[i].late)
			continue;
		if (n < max)
			names[n] = st->v[i].name;
		n++;
	}
	return n;
}

void tfs_span_end_graph(const struct span_calls *calls, const struct span_open *open,
			struct tfs_span *span)
{
	struct span_open *by = innermost(&calls->graph);

	span->duration = span->end > span->begin ? span->end - span->begin : 0;
	span->self = span->duration > open->children ? span->duration - open->children : 0;
	if (by && span->flags & TFS_SPAN_CUT)
		by->children += span->duration;
}

static int enter(struct tfs_spans *s, const struct span_at *at, struct span_task *task,
		 uint64_t func, int level)
{
	struct span_stack *st = &task->calls->graph;
	const struct span_open *by = innermost(st);
	struct span_open open = {
		.begin = at->ts,
		.key = func,
		.cpu = at->cpu->nr,
		.tid = task->pid,
		.level = level,
		.kind = TFS_SPAN_GRAPH,
		.flags = at->event->selected ? 0 : TFS_SPAN_UNSELECTED,
	};
	bool irq;
	int rc = name_function(s, at, func, &open.name);

	if (rc)
		return rc;
	irq = is_hardirq(s, at, func, open.name);
	open.hardirq = irq || (by && by->hardirq);
	rc = give_up(s, at, task, irq ? below_interrupt(st, level) : below(st, level));
	if (!rc && st->n >= SPAN_OPEN_MAX)
		rc = give_up(s, at, task, 0);
	open.depth = tfs_span_depth(task->calls);
	if (!rc)
		rc = tfs_span_keep(s, TFS_SPAN_GRAPH, at->event, &open.kept);
	if (!rc)
		rc = tfs_span_push(st, &open);
	if (rc)
		free(open.kept);
	return rc;
}

/* The time that the kernel measured, in ns, whatever the clock; false: it did not say */
static bool measured(const struct span_at *at, uint64_t *duration)
{
	uint64_t from, to;

	if (!tfs_span_number(at->event, at->type->field[CALLTIME], &from) ||
	    !tfs_span_number(at->event, at->type->field[RETTIME], &to))
		return false;
	*duration = to > from ? to - from : 0;
	return true;
}

/* @open is not on the stack any more. */
static int end_measured(struct tfs_spans *s, const struct span_at *at, const struct span_task *task,
			struct span_open *open)
{
	const struct tfs_span_record last = tfs_span_record(at->event);
	struct span_open *by = innermost(&task->calls->graph);
	struct tfs_span span = {
		.kind = TFS_SPAN_GRAPH,
		.flags = open->flags,
		.cpu = open->cpu,
		.end_cpu = at->cpu->nr,
		.tid = open->tid,
		.end_tid = open->tid,
		.name_id = open->name,
		.comm_id = task->name,
		.depth = open->depth,
		.begin = open->begin,
		.end = at->ts,
		.duration = at->ts > open->begin ? at->ts - open->begin : 0,
		.first = open->kept ? &open->kept->rec : NULL,
		.last = &last,
	};
	int rc;

	measured(at, &span.duration);
	span.self = span.duration > open->children ? span.duration - open->children : 0;
	if (by)
		by->children += span.duration;
	s->around = &task->calls->graph;
	rc = tfs_span_emit(s, at->scope, &span);
	s->around = NULL;
	tfs_span_ended(task->calls, at->ts);
	free(open->kept);
	return rc;
}

/* The entry was not recorded. The kernel knows when it was, by its own clock. */
static int leave_unbegun(struct tfs_spans *s, const struct span_at *at, struct span_task *task,
			 uint64_t func, int level)
{
	struct span_open open = {
		.begin = tfs_span_unbegun(task, at->ts),
		.key = func,
		.cpu = at->cpu->nr,
		.tid = task->pid,
		.kind = TFS_SPAN_GRAPH,
		.flags = TFS_SPAN_NO_BEGIN | (at->event->selected ? 0 : TFS_SPAN_UNSELECTED),
	};
	uint64_t duration;
	int rc = give_up(s, at, task, below(&task->calls->graph, level));

	if (!rc)
		rc = name_function(s, at, func, &open.name);
	if (rc)
		return rc;
	if (measured(at, &duration) && duration <= at->ts)
		open.begin = at->ts - duration;
	open.depth = tfs_span_depth(task->calls);
	return end_measured(s, at, task, &open);
}

static int leave(struct tfs_spans *s, const struct span_at *at, struct span_task *task,
		 uint64_t func, int level)
{
	struct span_stack *st = &task->calls->graph;
	struct span_open open;
	size_t i = st->n;
	int rc;

	while (i && (st->v[i - 1].key != func || st->v[i - 1].level != level))
		i--;
	if (!i)
		return leave_unbegun(s, at, task, func, level);
	rc = give_up(s, at, task, i);
	if (rc)
		return rc;
	open = st->v[--st->n];
	return end_measured(s, at, task, &open);
}

int tfs_span_call(struct tfs_spans *s, const struct span_at *at)
{
	struct span_task *task;
	uint64_t func, level;
	int rc;

	if (!tfs_span_wants(s, TFS_SPAN_GRAPH) ||
	    !tfs_span_number(at->event, at->type->field[FUNC], &func) ||
	    !tfs_span_number(at->event, at->type->field[DEPTH], &level))
		return 0;
	if (level > DEPTH_MAX)
		level = DEPTH_MAX;
	task = tfs_span_task(s, at, at->event->pid);
	if (!task || !tfs_span_calls(s, task))
		return -ENOMEM;
	tfs_span_task_seen(task, at->cpu);
	rc = tfs_span_task_known(s, task, at->event);
	if (rc)
		return rc;
	if (at->type->role == SPAN_CALL_ENTRY)
		rc = enter(s, at, task, func, (int)level);
	else
		rc = leave(s, at, task, func, (int)level);
	tfs_span_calls_done(s, task);
	return rc;
}
