/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/graph-internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/strvec.h"
#include "decode/event.h"
#include "filter/select.h"

/* common_flags, see the kernel's enum trace_flag_type: in a hardware interrupt, in an NMI */
#define HARDIRQ 0x48
#define SOFTIRQ 0x10
/* So many calls are open at once only where ends are missing. */
#define OPEN_MAX 4096

/* Who makes calls now; NULL: nobody that we know of */
static struct graph_call *innermost(const struct graph_stack *st)
{
	for (size_t i = st->n; i-- > 0;)
		if (!st->v[i].late)
			return &st->v[i];
	return NULL;
}

/* Is the new call one of those asked for, or made by one? And where does its line begin? */
static void place(const struct tfs_graph *g, const struct graph_stack *st, struct graph_call *call)
{
	const struct graph_call *by = innermost(st);
	bool named = !g->opts.funcs->n || call->func->named;

	if (g->opts.callers->n)
		named &= by && by->func->caller;
	call->inside = named || (by && by->inside);
	if (by && by->inside == call->inside) {
		call->column = by->column + !by->other;
		if (!call->pair && !by->pair && call->depth > by->depth)
			call->column = by->column + call->depth - by->depth;
	} else if (!g->cut && !call->pair) {
		call->column = call->depth;
	}
	if (call->pair)
		call->depth = by ? by->depth : -1;
}

static void set_context(const struct tfs_graph *g, const struct graph_stack *st,
			struct graph_call *call, const struct tfs_event *event)
{
	const struct graph_call *by = innermost(st);

	call->hardirq = (by && by->hardirq) || call->func->hardirq || event->flags & HARDIRQ;
	call->softirq = (by && by->softirq) || call->func->softirq || event->flags & SOFTIRQ;
	call->other = !event->selected;
	call->interrupts = by && by->inside && call->hardirq && (by->interrupts || !by->hardirq);
	call->hidden = (by && by->inside && by->hidden) ||
		       (g->opts.depth && (uint64_t)call->column >= g->opts.depth) ||
		       (g->opts.no_hardirq && call->hardirq) ||
		       (g->opts.no_softirq && call->softirq);
}

static bool is_inside(const struct graph_stack *st)
{
	return st->n && tfs_graph_last(st)->inside;
}

/* Does the function call itself, directly or not? */
static bool is_open_further_out(const struct graph_stack *st)
{
	const struct graph_call *c = tfs_graph_last(st);

	for (size_t i = st->n - 1; i-- > 0;)
		if (st->v[i].func == c->func && tfs_graph_is_visible(&st->v[i]))
			return true;
	return false;
}

static void sum_up(struct tfs_graph *g, const struct graph_stack *st, const struct graph_end *end)
{
	const struct graph_call *c = tfs_graph_last(st);
	uint64_t self;

	if (!end->known) {
		g->unfinished++;
		return;
	}
	self = end->duration > c->inner ? end->duration - c->inner : 0;
	tfs_graph_sum_add(c->func, end, c->mixed ? NULL : &self, is_open_further_out(st));
}

/*
 * An interrupt may come after the time of a call's beginning was taken and before the call is
 * recorded, or the same at its end. Where it is recorded is then not where its time belongs.
 */
static void assign_interrupts(struct graph_stack *st, struct graph_call *c, struct graph_call *by,
			      const struct graph_end *end)
{
	struct graph_run *around = by ? &by->run : &st->run;
	uint64_t in = 0, out = 0;

	if (!end->to)
		return;
	if (c->run.sum && c->run.from >= end->to && c->inner >= c->run.sum)
		out = c->run.sum;
	if (c->before.from >= end->from)
		in += c->before.sum;
	if (c->late && around->from >= end->from && around->from < end->to)
		in += around->sum;
	c->inner += in - out;
	if (by)
		by->inner += out - in;
	if (!c->hardirq || (by && by->hardirq)) {
		*around = (struct graph_run){ 0 };
		return;
	}
	if (!around->sum)
		around->from = end->from;
	around->sum += end->duration;
}

/* A call that @by made is over. Times of function_graph are ns, those of pairs perhaps not. */
static void add_inner(const struct tfs_graph *g, struct graph_call *by, const struct graph_end *end)
{
	if (!by || !end->known)
		return;
	by->inner += end->duration;
	if (g->opts.counts && end->counts != (by->pair != NULL))
		by->mixed = true;
}

static int draw_end(struct tfs_graph *g, struct graph_stack *st, const struct graph_end *end)
{
	if (g->opts.style)
		return tfs_graph_export_call(g, st, tfs_graph_last(st), end, false);
	return tfs_graph_draw_end(g, st, end);
}

/* The innermost call is over, or given up. */
static int end_top(struct tfs_graph *g, struct graph_stack *st, const struct graph_end *end)
{
	struct graph_call *c = tfs_graph_last(st), *by;
	bool short_one = !end->known ? g->opts.min_duration > 0 :
				       end->duration < g->opts.min_duration;
	int rc = 0;

	st->n--;
	by = innermost(st);
	st->n++;
	assign_interrupts(st, c, by, end);
	add_inner(g, by, end);
	if (tfs_graph_is_visible(c)) {
		if (g->opts.summary && (!short_one || !end->known))
			sum_up(g, st, end);
		else if (!g->opts.summary && (c->drawn || !short_one))
			rc = draw_end(g, st, end);
	}
	free(c->args);
	st->n--;
	if (st->drawn > st->n)
		st->drawn = st->n;
	if (!rc && !is_inside(st))
		rc = tfs_graph_write_held(g, st);
	return rc;
}

int tfs_graph_abandon(struct tfs_graph *g, struct graph_stack *st, const struct graph_end *end)
{
	int rc = 0;

	while (st->n && !rc)
		rc = end_top(g, st, end);
	return rc;
}

/* Calls from @keep on did not end, or it was not recorded. */
static int give_up(struct tfs_graph *g, struct graph_stack *st, size_t keep,
		   const struct graph_end *at)
{
	const struct graph_end end = { .ts = at->ts, .cpu = at->cpu };
	int rc = 0;

	while (st->n > keep && !rc)
		rc = end_top(g, st, &end);
	return rc;
}

int tfs_graph_end_syscalls(struct tfs_graph *g, struct graph_stack *st, enum tfs_pair_syscall kind,
			   const struct tfs_event *event)
{
	const struct graph_end at = { .ts = event->rec.ts, .cpu = event->rec.cpu };
	size_t i;

	for (i = 0; i < st->n; i++)
		if (st->v[i].pair && st->v[i].pair->as->syscall == kind)
			break;
	return kind == TFS_PAIR_NO_SYSCALL ? 0 : give_up(g, st, i, &at);
}

/* How many calls stay when one of function_graph at @depth begins, or ends unexpectedly. */
static size_t below(const struct graph_stack *st, int depth)
{
	for (size_t i = 0; i < st->n; i++)
		if (!st->v[i].pair && st->v[i].depth >= depth)
			return i;
	return st->n;
}

/*
 * The same for one that an interrupt makes. It may come when a function has returned and the kernel
 * has not recorded that yet: its calls are then as deep, and the function's end comes after them
 * (tests/golden/tc-report/graph-late).
 */
static size_t below_interrupt(struct graph_stack *st, int depth)
{
	for (size_t i = 0; i < st->n; i++) {
		if (st->v[i].pair || st->v[i].depth < depth)
			continue;
		if (st->v[i].hardirq)
			return i;
		st->v[i].late = true;
	}
	return st->n;
}

static int push(struct graph_stack *st, const struct graph_call *call)
{
	struct graph_call *v;
	size_t room;

	if (st->n == st->room) {
		room = st->room ? 2 * st->room : 8;
		v = reallocarray(st->v, room, sizeof(*v));
		if (!v)
			return -ENOMEM;
		st->v = v;
		st->room = room;
	}
	st->v[st->n++] = *call;
	return 0;
}

/* A call other than an interrupt ends its caller's run of interrupts. */
static void note_interrupts(struct graph_stack *st, struct graph_call *call)
{
	struct graph_call *by = innermost(st);
	struct graph_run *around = by ? &by->run : &st->run;

	if (call->hardirq && !(by && by->hardirq))
		return;
	call->before = *around;
	*around = (struct graph_run){ 0 };
}

int tfs_graph_enter(struct tfs_graph *g, struct graph_stack *st, struct graph_call *call,
		    const struct tfs_event *event)
{
	const struct graph_end at = { .ts = event->rec.ts, .cpu = event->rec.cpu };
	int rc = 0;

	if (!call->pair && (call->func->hardirq || event->flags & HARDIRQ))
		rc = give_up(g, st, below_interrupt(st, call->depth), &at);
	else if (!call->pair)
		rc = give_up(g, st, below(st, call->depth), &at);
	if (!rc && st->n >= OPEN_MAX)
		rc = tfs_graph_abandon(g, st, &at);
	call->begin = event->rec.ts;
	call->cpu = event->rec.cpu;
	place(g, st, call);
	set_context(g, st, call, event);
	note_interrupts(st, call);
	call->func->met |= event->selected;
	if (!rc)
		rc = push(st, call);
	if (rc)
		free(call->args);
	return rc;
}

/* The call that ends: calls it made come after it. SIZE_MAX: its beginning was not seen. */
static size_t find_open(const struct graph_stack *st, const struct graph_call *like)
{
	const struct graph_call *c;

	for (size_t i = st->n; i-- > 0;) {
		c = &st->v[i];
		if (c->pair == like->pair &&
		    (like->pair || (c->func == like->func && c->depth == like->depth)))
			return i;
	}
	return SIZE_MAX;
}

static int leave_unbegun(struct tfs_graph *g, struct graph_stack *st, const struct graph_call *like,
			 const struct graph_end *end, const struct tfs_event *event)
{
	struct graph_call call = *like, *by;
	int rc = call.pair ? tfs_graph_end_syscalls(g, st, call.pair->as->syscall, event) :
			     give_up(g, st, below(st, call.depth), end);

	if (rc)
		return rc;
	by = innermost(st);
	add_inner(g, by, end);
	call.func->met |= event->selected;
	place(g, st, &call);
	set_context(g, st, &call, event);
	if (!tfs_graph_is_visible(&call) ||
	    (end->known ? end->duration < g->opts.min_duration : g->opts.min_duration > 0))
		return 0;
	if (g->opts.style)
		return tfs_graph_export_call(g, st, &call, end, true);
	if (!g->opts.summary) {
		rc = tfs_graph_draw_unbegun(g, st, &call, end);
		return rc || is_inside(st) ? rc : tfs_graph_write_held(g, st);
	}
	g->unbegun++;
	if (end->known)
		tfs_graph_sum_add(call.func, end, NULL, false);
	return 0;
}

/* -F 'sys_exit_read: ret < 0': what is asked of the end, on the CPUs that are asked for */
static bool asked_by_end(const struct tfs_graph *g, const struct graph_call *call,
			 const struct tfs_event *event)
{
	const struct tfs_record begin = { .cpu = call->cpu, .buffer = event->rec.buffer };

	return g->opts.select && tfs_select_wants_cpu(g->opts.select, &begin) &&
	       tfs_select_filtered(g->opts.select, &event->rec);
}

int tfs_graph_leave(struct tfs_graph *g, struct graph_stack *st, const struct graph_call *like,
		    struct graph_end *end, const struct tfs_event *event)
{
	size_t i = find_open(st, like);
	int rc;

	if (i == SIZE_MAX)
		return leave_unbegun(g, st, like, end, event);
	rc = give_up(g, st, i + 1, end);
	if (st->v[i].other && asked_by_end(g, &st->v[i], event)) {
		st->v[i].other = false;
		st->v[i].func->met = true;
	}
	if (!end->known) {
		end->known = true;
		end->counts = g->opts.counts;
		end->duration = end->ts > st->v[i].begin ? end->ts - st->v[i].begin : 0;
	}
	return rc ? rc : end_top(g, st, end);
}

int tfs_graph_comment(struct tfs_graph *g, struct graph_stack *st, const struct tfs_event *event)
{
	const struct graph_call *top = innermost(st);
	int column = top ? top->column + 1 : 0, rc;

	if (!event->selected || g->opts.style)
		return 0;
	if (top ? !tfs_graph_is_visible(top) : !g->lone_events)
		return 0;
	if ((g->opts.depth && (uint64_t)column >= g->opts.depth) || g->opts.min_duration)
		return 0;
	rc = tfs_graph_draw_open(g, st);
	if (!rc)
		rc = tfs_graph_draw_comment(g, st, top, event);
	return rc || is_inside(st) ? rc : tfs_graph_write_held(g, st);
}
