/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/fgraph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "data/page.h"
#include "report/item.h"
#include "report/trace-internal.h"
#include "report/types.h"

#define INDENT 2
/* The kernel's return stack has 50 entries; a larger depth is damage: up to 2 GB of blanks. */
#define DEPTH_MAX 4096
/* Digits of a duration, its point included, up to which the column keeps its width. */
#define DURATION_WIDTH 7

/* Exits that were printed with their entries and are still to come from the merge. */
struct joined {
	const void *data; /* of the record; NULL: none is pending */
	uint32_t buffer;
};

struct tfs_fgraph {
	struct tfs_trace *trace;
	struct tep_plugin_option options[3];
	const struct tfs_item *item; /* being printed */
	struct joined *joined;       /* by CPU */
	size_t n_joined;
};

enum { OPT_TAIL, OPT_DEPTH };

static int field(struct trace_seq *s, struct tep_event *event, const char *name,
		 struct tep_record *rec, unsigned long long *out)
{
	return tep_get_field_val(s, event, name, rec, out, 1);
}

static void print_overhead(struct trace_seq *s, unsigned long long ns)
{
	static const struct {
		unsigned long long above;
		const char *mark;
	} marks[] = {
		{ 1000000000, "$ " },
		{ 1000000, "# " },
		{ 100000, "! " },
		{ 10000, "+ " },
	};
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		if (ns > marks[i].above) {
			trace_seq_puts(s, marks[i].mark);
			return;
		}
	}
	trace_seq_puts(s, "  ");
}

static void print_duration(struct tfs_fgraph *g, struct trace_seq *s, unsigned long long ns)
{
	unsigned long long us = ns / 1000;
	unsigned int start = s->len, width;

	/* The machine that made the recording computes microseconds in its long. */
	if (tep_get_long_size(g->trace->tep) == 4)
		us &= 0xffffffff;
	trace_seq_printf(s, "%llu", us);
	if (s->len - start < DURATION_WIDTH)
		trace_seq_printf(s, ".%03llu", ns % 1000);
	width = s->len - start;
	trace_seq_puts(s, " us ");
	for (; width < DURATION_WIDTH; width++)
		trace_seq_putc(s, ' ');
	trace_seq_puts(s, "|  ");
}

static void print_indent(struct trace_seq *s, unsigned long long depth)
{
	int n = (int)(depth * INDENT);

	if (n > DEPTH_MAX * INDENT)
		n = DEPTH_MAX * INDENT;
	if (n > 0)
		trace_seq_printf(s, "%*s", n, "");
}

/* "name" or the address, then @tail; and the depth when asked for. */
static int print_call(struct tfs_fgraph *g, struct trace_seq *s, struct tep_event *event,
		      struct tep_record *rec, const char *tail)
{
	unsigned long long depth, func;
	const char *name;

	if (field(s, event, "depth", rec, &depth))
		return trace_seq_putc(s, '!');
	print_indent(s, depth);
	if (field(s, event, "func", rec, &func))
		return trace_seq_putc(s, '!');
	name = tep_find_function(event->tep, func);
	if (name)
		trace_seq_printf(s, "%s%s", name, tail);
	else
		trace_seq_printf(s, "%llx%s", func, tail);
	if (g->options[OPT_DEPTH].set)
		trace_seq_printf(s, " (%lld)", (long long)depth);
	return 0;
}

static void remember(struct tfs_fgraph *g, const struct tfs_record *rec)
{
	struct joined *j;
	size_t n;

	if (rec->cpu >= TFS_CPUS_MAX)
		return;
	if (rec->cpu >= g->n_joined) {
		n = rec->cpu + 16;
		j = realloc(g->joined, n * sizeof(*j));
		if (!j)
			return;
		memset(j + g->n_joined, 0, (n - g->n_joined) * sizeof(*j));
		g->joined = j;
		g->n_joined = n;
	}
	g->joined[rec->cpu] = (struct joined){ rec->data, rec->buffer };
}

/* The value of "func", by which entry and exit belong together. */
static bool function_of(const struct tfs_event_type *type, const struct tfs_record *rec,
			unsigned long long *out)
{
	struct tep_record tep = { .cpu = -1, .data = (void *)rec->data, .size = (int)rec->size };

	return rec->room >= type->span && !tep_get_field_val(NULL, type->tep, "func", &tep, out, 0);
}

void tfs_fgraph_join(struct tfs_trace *trace, struct tfs_item *item, const struct tfs_record *next)
{
	const struct tfs_event_type *type;
	unsigned long long entry, exit;

	type = tfs_trace_event(trace, tfs_trace_record_id(trace, next));
	if (!type || strcmp(type->system, "ftrace") || strcmp(type->tep->name, "funcgraph_exit") ||
	    next->size < type->span || tfs_trace_record_pid(trace, next) != item->pid)
		return;
	if (!function_of(item->type, &item->rec, &entry) || !function_of(type, next, &exit) ||
	    entry != exit)
		return;
	item->leaf.type = type;
	item->leaf.data = next->data;
	item->leaf.size = next->size;
	item->leaf.room = next->room;
	remember(trace->fgraph, next);
}

bool tfs_fgraph_joined(struct tfs_trace *trace, const struct tfs_record *rec)
{
	struct tfs_fgraph *g = trace->fgraph;
	struct joined *j;
	bool same;

	if (!g || rec->cpu >= g->n_joined)
		return false;
	j = &g->joined[rec->cpu];
	if (!j->data || j->buffer != rec->buffer)
		return false;
	same = j->data == rec->data;
	j->data = NULL;
	return same;
}

static int print_entry(struct trace_seq *s, struct tep_record *rec, struct tep_event *event,
		       void *context)
{
	struct tfs_fgraph *g = context;
	unsigned long long func, calltime, rettime;
	struct tep_record exit = { .cpu = -1 };

	if (field(s, event, "func", rec, &func))
		return trace_seq_putc(s, '!');
	if (!g->item->leaf.type) {
		trace_seq_puts(s, "             |  ");
		print_call(g, s, event, rec, "() {");
		return 0;
	}
	exit.data = (void *)g->item->leaf.data;
	exit.size = (int)g->item->leaf.size;
	if (field(s, g->item->leaf.type->tep, "rettime", &exit, &rettime) ||
	    field(s, g->item->leaf.type->tep, "calltime", &exit, &calltime)) {
		trace_seq_putc(s, '!');
		return 0;
	}
	print_overhead(s, rettime - calltime);
	print_duration(g, s, rettime - calltime);
	print_call(g, s, event, rec, "();");
	return 0;
}

static int print_exit(struct trace_seq *s, struct tep_record *rec, struct tep_event *event,
		      void *context)
{
	struct tfs_fgraph *g = context;
	unsigned long long rettime, calltime, depth, func;
	const char *name;

	if (field(s, event, "rettime", rec, &rettime) ||
	    field(s, event, "calltime", rec, &calltime))
		return trace_seq_putc(s, '!');
	print_overhead(s, rettime - calltime);
	print_duration(g, s, rettime - calltime);
	if (field(s, event, "depth", rec, &depth))
		return trace_seq_putc(s, '!');
	print_indent(s, depth);
	trace_seq_putc(s, '}');
	if (g->options[OPT_TAIL].set) {
		if (tep_get_field_val(s, event, "func", rec, &func, 0))
			return 0;
		name = tep_find_function(event->tep, func);
		if (!name)
			return 0;
		trace_seq_printf(s, " /* %s */", name);
	}
	if (g->options[OPT_DEPTH].set)
		trace_seq_printf(s, " (%lld)", (long long)depth);
	return 0;
}

bool tfs_fgraph_is_entry(const struct tfs_event_type *type)
{
	return type->tep->handler == print_entry &&
	       !(type->tep->flags & (TEP_EVENT_FL_NOHANDLE | TEP_EVENT_FL_PRINTRAW));
}

int tfs_fgraph_new(struct tfs_trace *trace)
{
	struct tfs_fgraph *g = calloc(1, sizeof(*g));

	if (!g)
		return -ENOMEM;
	g->trace = trace;
	trace->fgraph = g;
	g->options[OPT_TAIL] = (struct tep_plugin_option){
		.name = (char *)"tailprint",
		.plugin_alias = (char *)"fgraph",
		.description = (char *)"print the function's name at its exit",
	};
	g->options[OPT_DEPTH] = (struct tep_plugin_option){
		.name = (char *)"depth",
		.plugin_alias = (char *)"fgraph",
		.description = (char *)"show the depth of each entry",
	};
	tep_plugin_add_options("ftrace", g->options);
	tep_register_event_handler(trace->tep, -1, "ftrace", "funcgraph_entry", print_entry, g);
	tep_register_event_handler(trace->tep, -1, "ftrace", "funcgraph_exit", print_exit, g);
	return 0;
}

void tfs_fgraph_free(struct tfs_trace *trace)
{
	struct tfs_fgraph *g = trace->fgraph;

	if (!g)
		return;
	tep_plugin_remove_options(g->options);
	free(g->joined);
	free(g);
	trace->fgraph = NULL;
}

void tfs_fgraph_begin(struct tfs_trace *trace, const struct tfs_item *item)
{
	if (trace->fgraph)
		trace->fgraph->item = item;
}
