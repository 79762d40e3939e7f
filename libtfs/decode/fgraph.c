/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/fgraph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/strbuf-core.h"
#include "decode/event.h"
#include "decode/trace-internal.h"
#include "decode/types.h"
#include "printfmt/native.h"
#include "tracedat/page.h"

/* Exits that were printed with their entries and are still to come from the merge. */
struct joined {
	const void *data; /* of the record; NULL: none is pending */
	uint32_t buffer;
};

struct tfs_fgraph {
	struct tfs_trace *trace;
	struct tep_plugin_option options[3];
	const struct tfs_event *event; /* being printed */
	struct joined *joined;         /* by CPU */
	size_t n_joined;
};

enum { OPT_TAIL, OPT_DEPTH };

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

void tfs_fgraph_join(struct tfs_trace *trace, struct tfs_event *event,
		     const struct tfs_record *next)
{
	const struct tfs_event_type *type;
	unsigned long long entry, exit;

	type = tfs_trace_event(trace, tfs_trace_record_id(trace, next));
	if (!type || strcmp(type->system, "ftrace") || strcmp(type->tep->name, "funcgraph_exit") ||
	    next->size < type->span || tfs_trace_record_pid(trace, next) != event->pid)
		return;
	if (!function_of(event->type, &event->rec, &entry) || !function_of(type, next, &exit) ||
	    entry != exit)
		return;
	event->leaf.type = type;
	event->leaf.data = next->data;
	event->leaf.size = next->size;
	event->leaf.room = next->room;
	if (trace->fgraph)
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

/* For records that are shorter than their fields, which libtraceevent sees followed by zeros. */
static int print(struct trace_seq *s, struct tep_record *rec, struct tep_event *event,
		 void *context)
{
	struct tfs_fgraph *g = context;
	const struct tfs_event_type *type = g->event->type;
	struct tfs_native_rec native = { .data = rec->data, .size = (size_t)rec->size };
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = TFS_NATIVE_NOT_ME;

	(void)event;
	if (native.size < type->span)
		native.size = type->span;
	native.exit = g->event->leaf.data;
	native.exit_size = g->event->leaf.size;
	if (type->native)
		rc = tfs_native_run(type->native, &native, &text);
	if (rc == TFS_NATIVE_DONE)
		trace_seq_puts(s, text.s);
	tfs_strbuf_release(&text);
	return rc;
}

/* Is this one of the two, and not the user's to print? */
static bool is_drawn(const struct tfs_event_type *type)
{
	return type->tep->handler == print &&
	       !(type->tep->flags & (TEP_EVENT_FL_NOHANDLE | TEP_EVENT_FL_PRINTRAW));
}

int tfs_fgraph_compile(const struct tfs_trace *trace, const struct tfs_event_type *type,
		       struct tfs_native **out)
{
	const struct tfs_fgraph *g = trace->fgraph;
	struct tep_event *exit;

	if (!is_drawn(type))
		return -ENOENT;
	exit = tep_find_event_by_name(trace->tep, "ftrace", "funcgraph_exit");
	if (!exit)
		return -ENOENT;
	return tfs_native_compile_graph(type->tep, exit, &trace->env,
					&(struct tfs_native_graph){ g->options[OPT_TAIL].set,
								    g->options[OPT_DEPTH].set },
					out);
}

bool tfs_fgraph_is_entry(const struct tfs_event_type *type)
{
	return is_drawn(type) && !strcmp(type->tep->name, "funcgraph_entry");
}

bool tfs_fgraph_is_call(const struct tfs_event_type *type)
{
	return type && tfs_type_is_ftrace(type, "funcgraph_entry");
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
	tfs_trace_begin_library();
	tep_plugin_add_options("ftrace", g->options);
	tep_register_event_handler(trace->tep, -1, "ftrace", "funcgraph_entry", print, g);
	tep_register_event_handler(trace->tep, -1, "ftrace", "funcgraph_exit", print, g);
	return tfs_trace_end_library(trace) ? 0 : -ENOMEM;
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

void tfs_fgraph_begin(struct tfs_trace *trace, const struct tfs_event *event)
{
	if (trace->fgraph)
		trace->fgraph->event = event;
}
