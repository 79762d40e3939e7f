/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/graph-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "decode/clock.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "printfmt/env.h"
#include "tracedat/dat-read.h"
#include "view/duration.h"

/* Columns for each level, as the kernel's. A stack of the kernel has 50 entries at most. */
#define COUNT_WIDTH 11 /* as wide as a duration */
#define INDENT 2
#define COLUMN_MAX 128
/* Limit for all stacks together before the calls of one are written in parts. */
#define HELD_MAX (8U << 20)
/* A function that returns -1 to -4095 returns an error. */
#define ERRNO_MAX 4095

static const char rule[] = " ------------------------------------------\n";

static int begin_text(struct tfs_graph *g)
{
	int rc;

	if (g->begun)
		return 0;
	g->begun = true;
	rc = tfs_strbuf_adds(g->out,
			     "#     TIME         CPU  DURATION                  FUNCTION CALLS\n"
			     "#      |           |     |   |                     |   |   |   |\n");
	return rc ? rc : tfs_graph_draw_lost(g);
}

static const char *buffer_name(const struct tfs_graph *g, uint32_t buffer)
{
	return tfs_dat_buffer(tfs_trace_dat(g->trace), buffer)->name;
}

static int put_task(const struct tfs_graph *g, const struct graph_stack *st, struct tfs_strbuf *to)
{
	const char *name = buffer_name(g, st->buffer);

	return tfs_strbuf_addf(to, "%s%s%s-%d\n%s", name, *name ? ": " : "", st->comm, st->pid,
			       rule);
}

/* The CPU goes to another task: say so, as the kernel does. */
static int put_switch(struct tfs_graph *g, const struct graph_stack *st, uint32_t cpu,
		      struct tfs_strbuf *to)
{
	struct graph_cpu *c = tfs_graph_cpu(g, st->buffer, cpu);
	int rc;

	if (!c)
		return -ENOMEM;
	if (c->shown && c->pid == st->pid)
		return 0;
	rc = tfs_strbuf_addf(to, "%s %3" PRIu32 ")  ", rule, cpu);
	c->shown = true;
	c->pid = st->pid;
	return rc ? rc : put_task(g, st, to);
}

int tfs_graph_write_held(struct tfs_graph *g, struct graph_stack *st)
{
	int rc;

	if (!st->held.len)
		return 0;
	rc = begin_text(g);
	if (!rc && (!g->written || g->pid != st->pid)) {
		tfs_strbuf_reset(&g->line);
		rc = tfs_strbuf_addf(&g->line, "%s ", rule);
		if (!rc)
			rc = put_task(g, st, &g->line);
		if (!rc)
			rc = tfs_strbuf_add(g->out, g->line.s, g->line.len);
	}
	g->written = true;
	g->pid = st->pid;
	if (!rc)
		rc = tfs_strbuf_add(g->out, st->held.s, st->held.len);
	g->held -= st->held.len;
	tfs_strbuf_release(&st->held);
	return rc;
}

/* @g->line is complete. */
static int put_line(struct tfs_graph *g, struct graph_stack *st)
{
	int rc;

	if (!g->opts.by_task) {
		rc = begin_text(g);
		return rc ? rc : tfs_strbuf_add(g->out, g->line.s, g->line.len);
	}
	rc = tfs_strbuf_add(&st->held, g->line.s, g->line.len);
	if (rc)
		return rc;
	g->held += g->line.len;
	return g->held > HELD_MAX ? tfs_graph_write_held(g, st) : 0;
}

static int put_place(struct tfs_graph *g, uint64_t ts, uint32_t cpu)
{
	char buf[TFS_PREFIX_TIME_MAX];
	char *end = tfs_prefix_time(
		buf, ts,
		tfs_trace_time_format(g->trace, g->opts.nsecs ? TFS_TIME_NSECS : TFS_TIME_USECS));

	end[-1] = '\0'; /* the colon */
	return tfs_strbuf_addf(&g->line, "%s | %3" PRIu32 ") ", buf, cpu);
}

/* A duration, or a count of the clock's units (struct graph_end) */
static int put_duration(struct tfs_strbuf *to, const struct graph_end *end)
{
	if (!end->counts)
		return tfs_duration_put(to, end->duration);
	return tfs_strbuf_addf(to, "  %-*" PRIu64 " ", COUNT_WIDTH, end->duration);
}

/* Time, CPU, duration (of @end, NULL: none), and blanks up to the text. */
static int put_head(struct tfs_graph *g, const struct graph_end *at, const struct graph_end *end,
		    int column)
{
	size_t blanks = (size_t)(column < 0 ? 0 : column > COLUMN_MAX ? COLUMN_MAX : column);
	int rc = put_place(g, at->ts, at->cpu);

	if (!rc)
		rc = end ? put_duration(&g->line, end) :
			   tfs_strbuf_adds(&g->line, "              ");
	return rc ? rc : tfs_strbuf_addf(&g->line, "|  %*s", (int)(blanks * INDENT), "");
}

static int put_mark_line(struct tfs_graph *g, const struct graph_end *at, const char *mark)
{
	int rc = put_place(g, at->ts, at->cpu);

	return rc ? rc : tfs_strbuf_addf(&g->line, "  %s |\n", mark);
}

/* Where lines of interrupts begin and end; of such as interrupt something that is shown. */
static int put_irq_marks(struct tfs_graph *g, struct graph_stack *st, const struct graph_call *call,
			 const struct graph_end *at)
{
	if (call->interrupts == st->in_irq)
		return 0;
	st->in_irq = call->interrupts;
	return put_mark_line(g, at, st->in_irq ? "==========>" : "<==========");
}

/* Begin a line: who runs, interrupts, and the columns before the text. */
static int begin_line(struct tfs_graph *g, struct graph_stack *st, const struct graph_call *call,
		      const struct graph_end *at, const struct graph_end *end)
{
	int rc;

	tfs_strbuf_reset(&g->line);
	rc = g->opts.by_task ? 0 : put_switch(g, st, at->cpu, &g->line);
	if (!rc)
		rc = put_irq_marks(g, st, call, at);
	return rc ? rc : put_head(g, at, end, call->column);
}

static int put_call(struct tfs_graph *g, const struct graph_call *c)
{
	return tfs_strbuf_addf(&g->line, "%s(%s)", c->func->name, c->args ? c->args : "");
}

/* Remarks after a line, in one comment: the first begins it. */
static int put_remark(struct tfs_graph *g, bool *any, const char *before, const char *text)
{
	int rc = tfs_strbuf_addf(&g->line, "%s%s%s", *any ? ", " : " /* ", before, text);

	*any = true;
	return rc;
}

static int put_from(struct tfs_graph *g, const struct graph_call *c, bool *any)
{
	const struct tfs_format_env *env = tfs_trace_env(g->trace);
	const char *name;
	uint64_t start;
	char hex[24];

	if (!c->from)
		return 0;
	name = env->symbol ? env->symbol(env->symbols, c->from, &start) : NULL;
	snprintf(hex, sizeof(hex), "0x%" PRIx64, c->from);
	return put_remark(g, any, "<-", name ? name : hex);
}

void tfs_graph_value(uint64_t value, char text[TFS_GRAPH_VALUE])
{
	if (value > UINT64_MAX - ERRNO_MAX)
		snprintf(text, TFS_GRAPH_VALUE, "%" PRId64, (int64_t)value);
	else
		snprintf(text, TFS_GRAPH_VALUE, "0x%" PRIx64, value);
}

static int put_value(struct tfs_graph *g, const struct graph_end *end, bool *any)
{
	char text[TFS_GRAPH_VALUE];

	if (end->text && *end->text)
		return put_remark(g, any, "", end->text);
	if (!end->has_value)
		return 0;
	tfs_graph_value(end->value, text);
	return put_remark(g, any, "ret=", text);
}

static int end_line(struct tfs_graph *g, struct graph_stack *st, bool remarks)
{
	int rc = tfs_strbuf_adds(&g->line, remarks ? " */\n" : "\n");

	return rc ? rc : put_line(g, st);
}

static int draw_first(struct tfs_graph *g, struct graph_stack *st, struct graph_call *c)
{
	const struct graph_end at = { .ts = c->begin, .cpu = c->cpu };
	bool any = false;
	int rc = begin_line(g, st, c, &at, NULL);

	c->drawn = true;
	if (!rc)
		rc = put_call(g, c);
	if (!rc)
		rc = tfs_strbuf_adds(&g->line, " {");
	if (!rc)
		rc = put_from(g, c, &any);
	return rc ? rc : end_line(g, st, any);
}

int tfs_graph_draw_open(struct tfs_graph *g, struct graph_stack *st)
{
	struct graph_call *c;
	int rc = 0;

	for (; st->drawn < st->n && !rc; st->drawn++) {
		c = &st->v[st->drawn];
		if (tfs_graph_is_visible(c) && !c->drawn)
			rc = draw_first(g, st, c);
	}
	return rc;
}

/* "f();" */
static int draw_only(struct tfs_graph *g, struct graph_stack *st, struct graph_call *c,
		     const struct graph_end *end)
{
	const struct graph_end at = { .ts = c->begin, .cpu = c->cpu };
	bool any = false;
	int rc = begin_line(g, st, c, &at, end->known ? end : NULL);

	if (!rc)
		rc = put_call(g, c);
	if (!rc)
		rc = tfs_strbuf_addc(&g->line, ';');
	if (!rc)
		rc = put_from(g, c, &any);
	if (!rc)
		rc = end->known ? put_value(g, end, &any) : put_remark(g, &any, "", "unfinished");
	return rc ? rc : end_line(g, st, any);
}

int tfs_graph_draw_end(struct tfs_graph *g, struct graph_stack *st, const struct graph_end *end)
{
	struct graph_call *c = tfs_graph_last(st);
	bool any = false;
	size_t n = st->n;
	int rc;

	if (!c->drawn) {
		st->n--;
		rc = tfs_graph_draw_open(g, st);
		st->n = n;
		return rc ? rc : draw_only(g, st, c, end);
	}
	rc = begin_line(g, st, c, end, end->known ? end : NULL);
	if (!rc)
		rc = tfs_strbuf_addc(&g->line, '}');
	if (!rc && !end->known) {
		rc = put_remark(g, &any, "", c->func->name);
		if (!rc)
			rc = put_remark(g, &any, "", "unfinished");
	} else if (!rc) {
		rc = c->late ? put_remark(g, &any, "", c->func->name) : 0;
		if (!rc)
			rc = put_value(g, end, &any);
	}
	return rc ? rc : end_line(g, st, any);
}

int tfs_graph_draw_unbegun(struct tfs_graph *g, struct graph_stack *st,
			   const struct graph_call *call, const struct graph_end *end)
{
	bool any = false;
	int rc = tfs_graph_draw_open(g, st);

	if (!rc)
		rc = begin_line(g, st, call, end, end->known ? end : NULL);
	if (!rc)
		rc = tfs_strbuf_addc(&g->line, '}');
	if (!rc)
		rc = put_remark(g, &any, "", call->func->name);
	if (!rc)
		rc = put_remark(g, &any, "", "its beginning was not recorded");
	if (!rc)
		rc = put_value(g, end, &any);
	return rc ? rc : end_line(g, st, any);
}

int tfs_graph_draw_comment(struct tfs_graph *g, struct graph_stack *st, const struct graph_call *at,
			   const struct tfs_event *event)
{
	const struct graph_end now = { .ts = event->rec.ts, .cpu = event->rec.cpu };
	struct graph_call call = at ? *at : (struct graph_call){ 0 };
	char *p;
	int rc;

	if (at)
		call.column++;
	for (p = g->text.s; (p = strchr(p, '\n'));)
		*p = ' ';
	tfs_strbuf_rtrim(&g->text);
	rc = begin_line(g, st, &call, &now, NULL);
	if (!rc)
		rc = tfs_strbuf_addf(&g->line, "/* %.*s: %s", (int)event->type->name_len,
				     event->type->name, g->text.s);
	return rc ? rc : end_line(g, st, true);
}

static int draw_lost(struct tfs_graph *g, uint32_t cpu, struct graph_cpu *c)
{
	int rc = 0;

	if (c->lost)
		rc = tfs_strbuf_addf(g->out, "CPU:%" PRIu32 " [%" PRIu64 " EVENTS DROPPED]\n", cpu,
				     c->lost);
	if (!rc && c->lost_some)
		rc = tfs_strbuf_addf(g->out, "CPU:%" PRIu32 " [EVENTS DROPPED]\n", cpu);
	if (!rc && c->missing)
		rc = tfs_strbuf_addf(g->out, "CPU:%" PRIu32 " [LAST EVENTS MISSING]\n", cpu);
	c->lost = 0;
	c->lost_some = c->missing = false;
	return rc;
}

int tfs_graph_draw_lost(struct tfs_graph *g)
{
	int rc = 0;

	for (size_t b = 0; b < g->n_buffers; b++)
		for (size_t i = 0; i < g->cpus[b].n && !rc; i++)
			rc = draw_lost(g, (uint32_t)i, &g->cpus[b].v[i]);
	return rc;
}
