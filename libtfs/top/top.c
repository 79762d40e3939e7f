/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "top/top.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/macros.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "pipeline/view.h"
#include "printfmt/env.h"
#include "span/span.h"
#include "span/syscall-result.h"
#include "stack/frames.h"
#include "stack/stack.h"
#include "symbolize/symbolize.h"
#include "top/rows.h"
#include "top/snapshot.h"

/* After so many intervals without events no row is left: the rest of a pause is left out. */
#define PAUSE_MAX (TFS_TOP_SILENT + 1)

struct tfs_top {
	struct tfs_view view;
	struct tfs_top_opts opts;
	struct tfs_top_rows rows;
	struct tfs_top_keys *keys;
	struct tfs_spans *spans; /* NULL: rows of this kind have no times */
	struct tfs_syscall_results *results;
	struct tfs_stacks *stacks; /* of TFS_TOP_STACK, with the two below */
	struct tfs_symbolize *symbolize;
	struct tfs_frames *frames;
	bool begun;
	uint64_t first, begin, last; /* time stamps: of all, of the interval, of the last event */
	uint64_t next_interval;
	const struct tfs_event *now; /* that ends a call; NULL: the recording is over */
	int *own;                    /* pids of the tracer */
	size_t n_own, own_alloc;
	uint64_t events, calls, other, lost; /* in the interval */
	uint64_t lost_total;
	bool uncounted;
	struct tfs_top_snapshot closed; /* of the last interval, without lines */
};

static struct tfs_top *to_top(struct tfs_view *view)
{
	return container_of(view, struct tfs_top, view);
}

/* Is it to be counted what this task did? */
static bool counts_task(const struct tfs_top *top, int pid)
{
	for (size_t i = 0; i < top->n_own; i++)
		if (top->own[i] == pid)
			return false;
	return top->opts.task < 0 || pid == top->opts.task;
}

/* Rows of some kinds say who. */
static int add_who(const struct tfs_top *top, struct tfs_top_row *row, const char *comm,
		   uint64_t count, uint64_t time)
{
	if (!(tfs_top_columns(top->opts.by) & 1u << TFS_TOP_COMM))
		return 0;
	return tfs_top_row_who(row, comm, count, time);
}

static int count_in(struct tfs_top *top, struct tfs_top_row *row, const struct tfs_event *event)
{
	if (!row) {
		top->other++;
		return 0;
	}
	tfs_top_row_count(row);
	return add_who(top, row, event->task ? event->task->comm : NULL, 1, 0);
}

static int add_time(struct tfs_top_row *row, const struct tfs_span *span)
{
	return span->flags & TFS_SPAN_OPEN ? 0 : tfs_histogram_add(&row->times, span->duration);
}

/* A call that has ended: one is counted, and how long it took */
static int count_call(struct tfs_top *top, struct tfs_top_row *row, const struct tfs_span *span)
{
	bool open = span->flags & TFS_SPAN_OPEN;
	const struct tfs_event *now = top->now;
	const char *comm = now && now->task && now->pid == span->tid ? now->task->comm : span->comm;
	int rc = add_who(top, row, comm, 1, open ? 0 : span->duration);

	top->calls++;
	tfs_top_row_count(row);
	return rc ? rc : add_time(row, span);
}

static int on_syscall(struct tfs_top *top, const struct tfs_span *span)
{
	struct tfs_top_row *row;
	int64_t result = 1;
	int rc;

	/* Calls that never returned are not counted: as tc-report --syscalls. */
	if (span->flags & (TFS_SPAN_NO_END | TFS_SPAN_CUT) || !span->last)
		return 0;
	tfs_syscall_result(top->results, span, &result);
	rc = tfs_top_text_row(&top->rows, span->name, strlen(span->name), &row);
	if (rc)
		return rc;
	row->errors += tfs_syscall_failed(result);
	return count_call(top, row, span);
}

static int on_span(void *ctx, const struct tfs_span *span)
{
	struct tfs_top *top = ctx;
	struct tfs_top_row *row;
	int rc;

	if (span->flags & TFS_SPAN_UNSELECTED || !counts_task(top, span->tid))
		return 0;
	switch (top->opts.by) {
	case TFS_TOP_SYSCALL:
		return on_syscall(top, span);
	case TFS_TOP_TASK:
		/* The idle task runs where no other does. */
		if (!span->tid)
			return 0;
		rc = tfs_top_task_row(&top->rows, span->tid, *span->comm ? span->comm : NULL, &row);
		return rc ? rc : add_time(row, span);
	default:
		if (span->flags & (TFS_SPAN_NO_END | TFS_SPAN_CUT))
			return 0;
		rc = tfs_top_text_row(&top->rows, span->name, strlen(span->name), &row);
		return rc ? rc : count_call(top, row, span);
	}
}

/* The kernel's function if its stack was recorded, else the program's */
static int on_stack(void *ctx, const struct tfs_event *event, const struct tfs_stack *stack)
{
	struct tfs_top *top = ctx;
	const struct tfs_frame *frame = NULL;
	struct tfs_top_row *row = NULL;
	const char *name;
	int rc = 0;

	if (!counts_task(top, event->pid))
		return 0;
	for (size_t i = 0; i < stack->n_kernel && !rc; i++) {
		rc = tfs_frames_kernel(top->frames, stack->kernel[i], &frame);
		/* The tracer's own functions stand before the one that the event is in. */
		if (rc || !frame || !frame->name ||
		    (strncmp(frame->name, "trace_event_raw_event_", 22) != 0 &&
		     strncmp(frame->name, "__traceiter_", 12) != 0))
			break;
	}
	if (!rc && !stack->n_kernel && stack->n_user)
		rc = tfs_frames_user(top->frames, stack->tgid, event->rec.ts, stack->user[0],
				     &frame);
	if (rc)
		return rc;
	if (frame) {
		name = frame->name ? frame->name : frame->dso ? frame->dso : "unknown";
		rc = tfs_top_text_row(&top->rows, name, strlen(name), &row);
	}
	return rc ? rc : count_in(top, row, event);
}

/* Calls of function_graph are counted as spans, not at both of their ends. */
static bool is_graph(const struct tfs_top *top, const struct tfs_event *event)
{
	return top->opts.by == TFS_TOP_SYMBOL && event->type &&
	       (tfs_type_is_ftrace(event->type, "funcgraph_entry") ||
		tfs_type_is_ftrace(event->type, "funcgraph_exit"));
}

static int count_event(struct tfs_top *top, const struct tfs_event *event)
{
	struct tfs_top_row *row;
	int rc;

	/* A stack is part of the event before it. */
	if (!event->selected || (event->type && tfs_type_is_stack(event->type)))
		return 0;
	if (!counts_task(top, event->pid))
		return 0;
	if (is_graph(top, event))
		return 0;
	top->events++;
	if (top->opts.by == TFS_TOP_SYSCALL || top->opts.by == TFS_TOP_STACK)
		return 0;
	rc = tfs_top_keys_row(top->keys, &top->rows, top->opts.by, event, &row);
	return rc ? rc : count_in(top, row, event);
}

static void close_interval(struct tfs_top *top, uint64_t elapsed)
{
	elapsed += !elapsed;
	tfs_top_rows_close(&top->rows, elapsed, top->opts.flags & TFS_TOP_CUMULATIVE);
	top->closed.by = top->opts.by;
	top->closed.task = top->opts.task;
	top->closed.begin = top->begin - top->first;
	top->closed.elapsed = elapsed;
	top->closed.events = top->events;
	top->closed.calls = top->calls;
	top->closed.other = top->other;
	top->closed.lost = top->lost;
	top->closed.lost_total = top->lost_total;
	top->closed.uncounted = top->uncounted;
	top->closed.dropped = top->rows.dropped;
	top->begin += elapsed;
	top->events = top->calls = top->other = top->lost = 0;
	top->opts.interval = top->next_interval;
}

/* Intervals that are over at @ts */
static int advance(struct tfs_top *top, uint64_t ts, struct tfs_strbuf *out)
{
	unsigned int empty = 0;
	int rc = 0;

	while (!rc && ts - top->begin >= top->opts.interval) {
		empty = top->events || top->calls ? 0 : empty + 1;
		if (empty > PAUSE_MAX) {
			top->begin += (ts - top->begin) / top->opts.interval * top->opts.interval;
			break;
		}
		close_interval(top, top->opts.interval);
		rc = top->opts.ended(top->opts.context, out);
	}
	return rc;
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct tfs_top *top = to_top(view);
	uint64_t ts = event->rec.ts;
	int rc = 0;

	(void)state;
	if (!top->begun) {
		top->begun = true;
		top->first = top->begin = top->last = ts;
	}
	if (top->opts.flags & TFS_TOP_CLOCK && ts > top->begin &&
	    ts - top->begin >= top->opts.interval)
		rc = advance(top, ts, out);
	if (ts > top->last)
		top->last = ts;
	if (!rc)
		rc = count_event(top, event);
	top->now = event;
	if (!rc && top->spans)
		rc = tfs_spans_event(top->spans, event);
	top->now = NULL;
	if (!rc && top->stacks)
		rc = tfs_stacks_event(top->stacks, event);
	return rc;
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct tfs_top *top = to_top(view);

	(void)state;
	(void)out;
	if (event->lost && event->rec.lost > 0) {
		top->lost += (uint64_t)event->rec.lost;
		top->lost_total += (uint64_t)event->rec.lost;
	} else if (event->lost) {
		top->uncounted = true;
	}
	return top->spans ? tfs_spans_lost(top->spans, event) : 0;
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tfs_top *top = to_top(view);
	int rc = top->stacks ? tfs_stacks_end(top->stacks) : 0;

	(void)err;
	if (!rc && top->spans)
		rc = tfs_spans_end(top->spans);
	if (rc || !(top->opts.flags & TFS_TOP_CLOCK))
		return rc;
	close_interval(top, top->last - top->begin);
	return top->opts.ended(top->opts.context, out);
}

static int text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)text;
	(void)len;
	(void)out;
	return tfs_err_say(
		err, -EOPNOTSUPP,
		"the recording is a latency tracer's text, which has no events to count");
}

static void drop_models(struct tfs_top *top)
{
	tfs_spans_free(top->spans);
	tfs_stacks_free(top->stacks);
	tfs_frames_free(top->frames);
	tfs_symbolize_free(top->symbolize);
	top->spans = NULL;
	top->stacks = NULL;
	top->frames = NULL;
	top->symbolize = NULL;
}

static void free_view(struct tfs_view *view)
{
	struct tfs_top *top = view ? to_top(view) : NULL;

	if (!top)
		return;
	drop_models(top);
	tfs_syscall_results_free(top->results);
	tfs_top_keys_free(top->keys);
	tfs_top_rows_release(&top->rows);
	free(top->own);
	free(top);
}

static const struct tfs_view_ops ops = {
	.event = event,
	.lost = lost,
	.text = text,
	.end = end,
	.free = free_view,
};

/* The model that times of this kind of rows are taken from */
static int make_spans(struct tfs_top *top, unsigned int kinds, struct tfs_err *err)
{
	static const struct tfs_span_ops span_ops = { .span = on_span };
	const struct tfs_spans_opts spans = {
		.traces = &top->opts.trace,
		.n = 1,
		.kinds = kinds,
		.syscall = top->opts.syscall,
		.syscalls = &top->opts.syscalls,
		.ops = &span_ops,
		.ctx = top,
	};

	return tfs_spans_new(&spans, &top->spans, err);
}

static int make_stacks(struct tfs_top *top)
{
	const struct tfs_symbolize_opts opts = { .flags = TFS_SYMBOLIZE_KERNEL };
	int rc = tfs_trace_use_symbols(top->opts.trace);

	if (!rc)
		rc = tfs_symbolize_new(top->opts.trace, &opts, &top->symbolize);
	if (!rc)
		rc = tfs_frames_new(top->opts.trace, top->symbolize, &top->frames);
	if (!rc)
		rc = tfs_stacks_new(&top->opts.trace, 1, on_stack, top, &top->stacks);
	return rc;
}

static int make_models(struct tfs_top *top, struct tfs_err *err)
{
	switch (top->opts.by) {
	case TFS_TOP_SYSCALL:
		return make_spans(top, 1 << TFS_SPAN_SYSCALL, err);
	case TFS_TOP_TASK:
		return make_spans(top, 1 << TFS_SPAN_RUN, err);
	case TFS_TOP_SYMBOL:
		if (tfs_trace_use_symbols(top->opts.trace))
			return -ENOMEM;
		return make_spans(top, 1 << TFS_SPAN_GRAPH, err);
	case TFS_TOP_STACK:
		return make_stacks(top);
	default:
		return 0;
	}
}

void tfs_top_zero(struct tfs_top *top)
{
	tfs_top_rows_clear(&top->rows);
	top->events = top->calls = top->other = top->lost = top->lost_total = 0;
	top->uncounted = false;
}

int tfs_top_show(struct tfs_top *top, enum tfs_top_by by, int task, struct tfs_err *err)
{
	drop_models(top);
	tfs_top_zero(top);
	top->opts.by = by;
	top->opts.task = task;
	return make_models(top, err);
}

int tfs_top_leave_out(struct tfs_top *top, int pid)
{
	if (tfs_grow(&top->own, &top->own_alloc, top->n_own + 1))
		return -ENOMEM;
	top->own[top->n_own++] = pid;
	return 0;
}

void tfs_top_end_interval(struct tfs_top *top, uint64_t elapsed)
{
	close_interval(top, elapsed);
}

void tfs_top_set_interval(struct tfs_top *top, uint64_t interval)
{
	top->next_interval = interval;
}

int tfs_top_snapshot(const struct tfs_top *top, struct tfs_top_snapshot *snap)
{
	struct tfs_top_line *line = snap->line;
	size_t n = snap->n, alloc = snap->alloc;
	struct tfs_strbuf names = snap->names;

	*snap = top->closed;
	snap->line = line;
	snap->n = n;
	snap->alloc = alloc;
	snap->names = names;
	return tfs_top_snapshot_rows(snap, &top->rows);
}

int tfs_top_new(const struct tfs_top_opts *opts, struct tfs_top **out, struct tfs_view **view,
		struct tfs_err *err)
{
	struct tfs_top *top = calloc(1, sizeof(*top));
	int rc;

	if (!top)
		return -ENOMEM;
	top->view.ops = &ops;
	top->view.flags = TFS_VIEW_UNSELECTED;
	top->opts = *opts;
	top->next_interval = opts->interval;
	top->rows.max = opts->max_rows ? opts->max_rows : TFS_TOP_ROWS;
	rc = tfs_syscall_results_new(&top->opts.trace, 1, &top->results);
	if (!rc)
		rc = tfs_top_keys_new(&top->opts, &top->keys);
	if (!rc)
		rc = make_models(top, err);
	if (rc) {
		tfs_view_free(&top->view);
		return rc;
	}
	*out = top;
	*view = &top->view;
	return 0;
}
