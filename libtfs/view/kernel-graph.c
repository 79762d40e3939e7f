/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/kernel-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/macros.h"
#include "base/strbuf.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/fgraph.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "printfmt/env.h"
#include "view/duration.h"

/* Columns for each level */
#define INDENT 2
/* A depth beyond this is damage: blanks without end. */
#define DEPTH_MAX 4096
/* The column of a task in the lines between two tasks, and how much of its name is there */
#define TASK_WIDTH 14
#define TASK_COMM 7

static const char rule[] = " ------------------------------------------\n";

static int put_blanks(struct tfs_strbuf *out, int levels)
{
	size_t n = levels < 0 ? 0 : levels > DEPTH_MAX ? DEPTH_MAX : (size_t)levels;

	if (tfs_strbuf_grow(out, INDENT * n))
		return -ENOMEM;
	memset(out->s + out->len, ' ', INDENT * n);
	out->len += INDENT * n;
	out->s[out->len] = '\0';
	return 0;
}

static struct tfs_kernel_cpu *cpu_of(struct tfs_kernel_view *v, uint32_t cpu)
{
	struct tfs_kernel_cpu *cpus;
	size_t n = (size_t)cpu + 1;

	if (cpu >= TFS_CPUS_MAX)
		return NULL;
	if (n > v->n_cpus) {
		cpus = reallocarray(v->cpus, n, sizeof(*cpus));
		if (!cpus)
			return NULL;
		memset(cpus + v->n_cpus, 0, (n - v->n_cpus) * sizeof(*cpus));
		v->cpus = cpus;
		v->n_cpus = n;
	}
	return &v->cpus[cpu];
}

/* "%ps": a function's name, and its module's */
static int put_function(struct tfs_kernel_view *v, uint64_t addr)
{
	const struct tfs_format_env *env = tfs_trace_env(v->context.trace);
	struct tfs_strbuf *out = &v->line;
	const struct tfs_symbol_info *at = env->symbol_info ? env->symbol_info(env->symbols, addr) :
							      NULL;

	if (!at)
		return tfs_strbuf_addf(out, "0x%" PRIx64, addr);
	if (!at->module)
		return tfs_strbuf_adds(out, at->name);
	return tfs_strbuf_addf(out, "%s %.*s", at->name, (int)at->module_len, at->module);
}

static int put_cpu(struct tfs_kernel_view *v, uint32_t cpu)
{
	return tfs_strbuf_addf(&v->line, " %*" PRIu32 ") ", v->cpu_width, cpu);
}

/* "comm-pid" in the middle of its column */
static int put_task(struct tfs_kernel_view *v, int pid)
{
	char text[TASK_COMM + 16];
	int len = snprintf(text, sizeof(text), "%.*s-%d", TASK_COMM,
			   tfs_trace_comm(v->context.trace, pid), pid);
	int blanks = len < TASK_WIDTH ? TASK_WIDTH - len : 0;

	return tfs_strbuf_addf(&v->line, "%*s%s%*s", blanks / 2, "", text, blanks - blanks / 2, "");
}

/* Another task runs on this CPU than the one that was drawn last. */
static int put_switch(struct tfs_kernel_view *v, struct tfs_kernel_cpu *c,
		      const struct tfs_event *event)
{
	bool met = c->met && c->pid != event->pid;
	int before = c->pid, rc;

	c->pid = event->pid;
	c->met = true;
	if (!met)
		return 0;
	rc = tfs_strbuf_adds(&v->line, rule);
	if (!rc)
		rc = put_cpu(v, event->rec.cpu);
	if (!rc)
		rc = put_task(v, before);
	if (!rc)
		rc = tfs_strbuf_adds(&v->line, " => ");
	if (!rc)
		rc = put_task(v, event->pid);
	return rc ? rc : tfs_strbuf_addf(&v->line, "\n%s\n", rule);
}

/* The columns before the duration */
static int put_place(struct tfs_kernel_view *v, const struct tfs_event *event)
{
	char flags[16];
	int rc = put_cpu(v, event->rec.cpu);

	if (rc || !v->latency)
		return rc;
	*tfs_kernel_flags(&v->style, event->flags, flags) = '\0';
	return tfs_strbuf_addf(&v->line, " %s | ", flags);
}

/* Where an interrupt began or ended: its function is one of those that interrupts enter. */
static int put_interrupt(struct tfs_kernel_view *v, const struct tfs_event *event, uint64_t func,
			 const char *arrow)
{
	const struct tfs_format_env *env = tfs_trace_env(v->context.trace);
	int rc;

	if (!v->sections) {
		v->sections = true;
		if (!env->address ||
		    !env->address(env->symbols, "__irqentry_text_start", &v->irq_start) ||
		    !env->address(env->symbols, "__irqentry_text_end", &v->irq_end))
			v->irq_end = 0;
	}
	if (func < v->irq_start || func >= v->irq_end)
		return 0;
	rc = put_place(v, event);
	return rc ? rc : tfs_strbuf_addf(&v->line, "  %s |\n", arrow);
}

static int put_no_duration(struct tfs_kernel_view *v)
{
	return tfs_strbuf_adds(&v->line, "              |  ");
}

/* How long it took, as the exit at @data says */
static int put_duration(struct tfs_kernel_view *v, const struct tfs_event_type *type,
			const void *data, size_t size)
{
	uint64_t ns = tfs_kernel_number(type, "rettime", data, size) -
		      tfs_kernel_number(type, "calltime", data, size);
	int rc = tfs_duration_put(&v->line, ns);

	return rc ? rc : tfs_strbuf_adds(&v->line, "|  ");
}

static int depth_of(const struct tfs_event *event)
{
	const struct tfs_record *rec = &event->rec;
	int32_t depth = (int32_t)tfs_kernel_number(event->type, "depth", rec->data, rec->size);

	return depth < -1 ? -1 : depth > DEPTH_MAX ? DEPTH_MAX : depth;
}

static int draw_entry(struct tfs_kernel_view *v, struct tfs_kernel_cpu *c,
		      const struct tfs_event *event)
{
	const struct tfs_record *rec = &event->rec;
	uint64_t func = tfs_kernel_number(event->type, "func", rec->data, rec->size);
	int depth = depth_of(event);
	bool leaf = event->leaf.type;
	int rc = put_switch(v, c, event);

	if (!rc)
		rc = put_interrupt(v, event, func, "==========>");
	/* comments are one level deeper than the call that they are in; a leaf has none */
	c->depth = leaf ? depth - 1 : depth;
	c->joined = leaf ? event->leaf.data : NULL;
	if (depth >= 0 && depth < TFS_KERNEL_DEPTH)
		c->calls[depth] = leaf ? 0 : func;
	if (!rc)
		rc = put_place(v, event);
	if (!rc && leaf)
		rc = put_duration(v, event->leaf.type, event->leaf.data, event->leaf.size);
	else if (!rc)
		rc = put_no_duration(v);
	if (!rc)
		rc = put_blanks(&v->line, depth);
	if (!rc)
		rc = put_function(v, func);
	if (!rc)
		rc = tfs_strbuf_adds(&v->line, leaf ? "();\n" : "() {\n");
	return rc || !leaf ? rc : put_interrupt(v, event, func, "<==========");
}

static int draw_exit(struct tfs_kernel_view *v, struct tfs_kernel_cpu *c,
		     const struct tfs_event *event)
{
	const struct tfs_record *rec = &event->rec;
	uint64_t func = tfs_kernel_number(event->type, "func", rec->data, rec->size);
	int depth = depth_of(event);
	bool known = true;
	int rc;

	c->depth = depth - 1;
	if (depth >= 0 && depth < TFS_KERNEL_DEPTH) {
		known = c->calls[depth] == func;
		c->calls[depth] = 0;
	}
	rc = put_switch(v, c, event);
	if (!rc)
		rc = put_place(v, event);
	if (!rc)
		rc = put_duration(v, event->type, rec->data, rec->size);
	if (!rc)
		rc = put_blanks(&v->line, depth);
	if (!rc)
		rc = tfs_strbuf_adds(&v->line, known ? "}" : "} /* ");
	if (!rc && !known)
		rc = put_function(v, func);
	if (!rc)
		rc = tfs_strbuf_adds(&v->line, known ? "\n" : " */\n");
	return rc ? rc : put_interrupt(v, event, func, "<==========");
}

/* Any other event: a comment within the call that is open */
static int draw_comment(struct tfs_kernel_view *v, struct tfs_kernel_cpu *c,
			const struct tfs_event *event)
{
	static const char *const messages[] = { "print", "bprint", "bputs" };
	struct tfs_strbuf *out = &v->line;
	const char *text;
	size_t start, skip;
	int rc = put_switch(v, c, event);

	if (!rc)
		rc = put_place(v, event);
	if (!rc)
		rc = put_no_duration(v);
	if (!rc && c->depth > 0)
		rc = put_blanks(out, c->depth + 1);
	if (!rc)
		rc = tfs_strbuf_adds(out, "/* ");
	start = out->len;
	if (!rc)
		rc = tfs_kernel_text(&v->context, event, out);
	if (rc)
		return rc;
	/* of a message not who wrote it */
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		text = tfs_type_is_ftrace(event->type, messages[i]) ? strstr(out->s + start, ": ") :
								      NULL;
		if (!text)
			continue;
		skip = (size_t)(text + 2 - out->s) - start;
		memmove(out->s + start, text + 2, out->len - start - skip + 1);
		out->len -= skip;
	}
	if (out->len > start && out->s[out->len - 1] == '\n')
		out->s[--out->len] = '\0';
	return tfs_strbuf_adds(out, " */\n");
}

bool tfs_kernel_joined(struct tfs_kernel_view *v, const struct tfs_event *event)
{
	struct tfs_kernel_cpu *c = event->rec.cpu < v->n_cpus ? &v->cpus[event->rec.cpu] : NULL;
	bool joined = c && c->joined && c->joined == event->rec.data;

	if (c)
		c->joined = NULL;
	return joined;
}

int tfs_kernel_draw(struct tfs_kernel_view *v, const struct tfs_event *event)
{
	struct tfs_kernel_cpu *c;
	int rc;

	/* the kernel has lines of their own for stacks and functions */
	if (!event->type || tfs_type_is_ftrace(event->type, "kernel_stack") ||
	    tfs_type_is_ftrace(event->type, "function"))
		return 0;
	c = cpu_of(v, event->rec.cpu);
	if (!c)
		return event->rec.cpu < TFS_CPUS_MAX ? -ENOMEM : 0;
	if (tfs_fgraph_is_call(event->type))
		rc = draw_entry(v, c, event);
	else if (tfs_type_is_ftrace(event->type, "funcgraph_exit"))
		rc = draw_exit(v, c, event);
	else
		rc = draw_comment(v, c, event);
	return rc ? rc : 1;
}

int tfs_kernel_graph_head(const struct tfs_kernel_view *v, struct tfs_strbuf *out)
{
	int rc = 0;

	if (v->latency)
		rc = tfs_strbuf_adds(out, "#      _-----=> irqs-off        \n"
					  "#     / _----=> need-resched    \n"
					  "#    | / _---=> hardirq/softirq \n"
					  "#    || / _--=> preempt-depth   \n"
					  "#    ||| /                      \n");
	if (!rc)
		rc = tfs_strbuf_addf(out,
				     "# CPU%s  DURATION                  FUNCTION CALLS\n"
				     "# |  %s   |   |                     |   |   |   |\n",
				     v->latency ? "||||   " : "", v->latency ? "||||   " : "");
	return rc;
}
