/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/off-cpu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hashmap.h"
#include "base/strbuf-core.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "span/span.h"
#include "stack/fold-name.h"
#include "stack/fold-stack.h"
#include "stack/fold.h"
#include "stack/stack.h"
#include "tracedat/dat-read.h"

/* Tasks that are remembered at most; the time of others is not counted. */
#define TASKS_MAX ((size_t)1 << 21)

/* The stack with which a task left its CPU; TFS_FOLD_ROOT: it is not known, or was not selected */
struct task {
	uint64_t left;
	uint32_t node, buffer, cpu;
};

struct tfs_off_cpu_fold {
	const struct tfs_collect_opts *opts;
	struct tfs_fold *fold;
	struct tfs_fold_stacks *fs;
	struct tfs_stacks *stacks;
	struct tfs_spans *spans;
	struct tfs_hashmap tasks;
	bool selected; /* the event that is handled */
	uint64_t switches, bare, unknown, too_many, first;
};

static uint64_t key_of(uint32_t input, int tid)
{
	return (uint64_t)input << 32 | (uint32_t)tid;
}

static bool is_switch(const struct tfs_event_type *type)
{
	return type && type->name_len == strlen("sched_switch") &&
	       !memcmp(type->name, "sched_switch", type->name_len) &&
	       !strcmp(type->system, "sched");
}

static int find_task(struct tfs_off_cpu_fold *o, uint64_t key, struct task **out)
{
	struct task *t = tfs_hashmap_int(&o->tasks, key);

	*out = t;
	if (t)
		return 0;
	if (o->tasks.n == TASKS_MAX) {
		o->too_many++;
		return 0;
	}
	t = calloc(1, sizeof(*t));
	if (!t || tfs_hashmap_add(&o->tasks, tfs_hash_int(key), t)) {
		free(t);
		return -ENOMEM;
	}
	*out = t;
	return 0;
}

/* A task that is switched out records the event itself. */
static int on_stack(void *ctx, const struct tfs_event *event, const struct tfs_stack *stack)
{
	const unsigned int trim = TFS_TRIM_TRACING | TFS_TRIM_SCHEDULE | TFS_TRIM_IRQ;
	struct tfs_off_cpu_fold *o = ctx;
	struct task *t;

	if (!is_switch(event->type))
		return 0;
	t = tfs_hashmap_int(&o->tasks, key_of(event->input, event->pid));
	/* Or it ran again meanwhile, and left another CPU. */
	if (!t || t->left != event->rec.ts || t->cpu != event->rec.cpu ||
	    t->buffer != event->rec.buffer)
		return 0;
	o->switches++;
	o->bare += stack->flags & (TFS_STACK_KERNEL | TFS_STACK_USER) ? 0 : 1;
	return tfs_fold_stacks_node(o->fs, event, stack, trim, &t->node);
}

static bool is_blocked(enum tfs_task_state state)
{
	return state == TFS_TASK_SLEEPING || state == TFS_TASK_BLOCKED ||
	       state == TFS_TASK_STOPPED || state == TFS_TASK_PARKED || state == TFS_TASK_IDLE;
}

static bool is_runnable(enum tfs_task_state state)
{
	return state == TFS_TASK_RUNNABLE || state == TFS_TASK_PREEMPTED;
}

static bool is_wanted(const struct tfs_off_cpu_fold *o, enum tfs_task_state state)
{
	if (is_blocked(state))
		return o->opts->off_cpu != TFS_OFF_CPU_RUNNABLE;
	return is_runnable(state) && o->opts->off_cpu != TFS_OFF_CPU_BLOCKED;
}

/* A task that was not switched out before, as a new one, waits without a stack. */
static int first_wait(struct tfs_off_cpu_fold *o, const struct tfs_span *span)
{
	const struct tfs_fold_name runqueue = tfs_fold_plain_name(TFS_FOLD_RUNQUEUE_NAME);
	const char *comm = tfs_trace_task_name(o->opts->traces[span->input], span->tid, span->comm);
	uint32_t node;
	int rc;

	if (!o->selected)
		return 0;
	if (span->flags & TFS_SPAN_OPEN) {
		o->unknown++;
		return 0;
	}
	o->first++;
	rc = tfs_fold_stacks_task(o->fs, span->input, span->tid, *comm ? comm : TFS_TASK_UNKNOWN,
				  &node);
	if (!rc)
		rc = tfs_fold_child(o->fold, node, &runqueue, &node);
	if (!rc)
		tfs_fold_add(o->fold, node, span->end - span->begin);
	return rc;
}

/* The state that begins when a task leaves its CPU has its stack, and so has the wait after it. */
static int on_span(void *ctx, const struct tfs_span *span)
{
	const struct tfs_fold_name runqueue = tfs_fold_plain_name(TFS_FOLD_RUNQUEUE_NAME);
	struct tfs_off_cpu_fold *o = ctx;
	const struct task *t = tfs_hashmap_int(&o->tasks, key_of(span->input, span->tid));
	uint32_t node;
	int rc;

	if (!is_wanted(o, span->state))
		return 0;
	if (!t)
		return is_runnable(span->state) ? first_wait(o, span) : 0;
	if (t->buffer != span->buffer || t->left > span->begin)
		return 0;
	/* No other event may have come on that CPU. */
	rc = t->node ? 0 : tfs_stacks_flush(o->stacks, span->input, t->buffer, t->cpu);
	if (rc || !t->node)
		return rc;
	if (span->flags & TFS_SPAN_OPEN) {
		o->unknown++;
		return 0;
	}
	node = t->node;
	if (is_runnable(span->state))
		rc = tfs_fold_child(o->fold, node, &runqueue, &node);
	if (!rc)
		tfs_fold_add(o->fold, node, span->end - span->begin);
	return rc;
}

static const struct tfs_span_ops ops = { .span = on_span };

int tfs_off_cpu_fold_new(const struct tfs_collect_opts *opts, struct tfs_fold *fold,
			 struct tfs_fold_stacks *fs, struct tfs_off_cpu_fold **out,
			 struct tfs_err *err)
{
	struct tfs_off_cpu_fold *o = calloc(1, sizeof(*o));
	const struct tfs_spans_opts spans = {
		.traces = opts->traces,
		.n = opts->n,
		.kinds = 1u << TFS_SPAN_STATE,
		.ops = &ops,
		.ctx = o,
	};
	int rc = o ? 0 : -ENOMEM;

	if (!rc) {
		o->opts = opts;
		o->fold = fold;
		o->fs = fs;
		rc = tfs_stacks_new(opts->traces, opts->n, on_stack, o, &o->stacks);
	}
	if (!rc)
		rc = tfs_spans_new(&spans, &o->spans, err);
	if (rc)
		tfs_off_cpu_fold_free(o);
	else
		*out = o;
	return rc;
}

void tfs_off_cpu_fold_free(struct tfs_off_cpu_fold *o)
{
	struct task *t;
	size_t i;

	if (!o)
		return;
	tfs_hashmap_for_each(&o->tasks, i, t) free(t);
	tfs_hashmap_release(&o->tasks);
	tfs_spans_free(o->spans);
	tfs_stacks_free(o->stacks);
	free(o);
}

/* Idle tasks are not off the CPU. */
static int leave(struct tfs_off_cpu_fold *o, const struct tfs_event *event)
{
	struct task *t;
	int rc = event->pid ? find_task(o, key_of(event->input, event->pid), &t) : 0;

	if (rc || !event->pid || !t)
		return rc;
	*t = (struct task){ .left = event->rec.ts,
			    .buffer = event->rec.buffer,
			    .cpu = event->rec.cpu };
	return 0;
}

int tfs_off_cpu_fold_event(struct tfs_off_cpu_fold *o, const struct tfs_event *event)
{
	int rc;

	o->selected = event->selected;
	rc = tfs_spans_event(o->spans, event);
	if (!rc && is_switch(event->type))
		rc = leave(o, event);
	return rc ? rc : tfs_stacks_event(o->stacks, event);
}

int tfs_off_cpu_fold_lost(struct tfs_off_cpu_fold *o, const struct tfs_event *event)
{
	return tfs_spans_lost(o->spans, event);
}

int tfs_off_cpu_fold_end(struct tfs_off_cpu_fold *o)
{
	int rc = tfs_stacks_end(o->stacks);

	return rc ? rc : tfs_spans_end(o->spans);
}

/* Switches may have been recorded, and not be in the file any more. */
static int note_none(const struct tfs_off_cpu_fold *o, struct tfs_strbuf *out)
{
	bool damaged = false;

	for (size_t i = 0; i < o->opts->n; i++)
		damaged |= tfs_dat_damage(tfs_trace_dat(o->opts->traces[i])) != NULL;
	return tfs_strbuf_addf(out, "no task was switched out%s\n",
			       damaged ? " in what could be read" :
					 ": record sched:sched_switch and sched:sched_waking");
}

int tfs_off_cpu_fold_notes(const struct tfs_off_cpu_fold *o, struct tfs_strbuf *out)
{
	const struct {
		uint64_t n;
		const char *what;
	} notes[] = {
		{ o->bare, "switches have no stack: their time is that of the task alone" },
		{ o->first,
		  "waits for a CPU have no stack: their tasks were not switched out before" },
		{ o->unknown, "times off the CPU are not known: a loss, or the end, came first" },
		{ o->too_many, "switches of further tasks were left out" },
		{ tfs_stacks_orphans(o->stacks), "stacks belong to events that are not known" },
	};
	int rc = o->switches ? 0 : note_none(o, out);

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes) && !rc; i++)
		if (notes[i].n)
			rc = tfs_strbuf_addf(out, "%" PRIu64 " %s\n", notes[i].n, notes[i].what);
	return rc;
}
