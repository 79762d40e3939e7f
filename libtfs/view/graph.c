/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/graph.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "decode/event-text.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/value.h"
#include "tracedat/dat-read.h"
#include "view/graph-internal.h"

/* Bytes of the text of a pair's first event that are kept until it is shown. */
#define ARGS_MAX 512
/* The kernel's return stack has 50 entries; a larger depth is damage. */
#define DEPTH_MAX 4096
/* A key's value is not a pid: see struct graph_key. */
#define KEYED (UINT64_C(1) << 63)

static struct tfs_graph *to_graph(struct tfs_view *view, struct tfs_strbuf *out)
{
	struct tfs_graph *g = (struct tfs_graph *)view;

	g->out = out;
	return g;
}

static bool get(const struct tfs_event *event, const struct tfs_field *f, struct tfs_value *value)
{
	return f && tfs_fields_get(event->type->fields, f, event->rec.data, event->rec.size, value);
}

/* 0: there is no such field */
static uint64_t number(const struct tfs_event *event, const struct tfs_field *f)
{
	struct tfs_value value;

	return get(event, f, &value) ? value.number : 0;
}

static int depth_of(const struct tfs_event *event, const struct graph_type *t)
{
	uint64_t depth = number(event, t->depth);

	return depth > DEPTH_MAX ? DEPTH_MAX : (int)depth;
}

static void learn_type(struct graph_type *t, const struct tfs_event_type *type)
{
	const struct {
		const char *name;
		const struct tfs_field **field;
	} fields[] = {
		{ "func", &t->func },       { "depth", &t->depth },   { "calltime", &t->calltime },
		{ "rettime", &t->rettime }, { "retval", &t->retval }, { "retaddr", &t->retaddr },
		{ "args", &t->args },
	};
	size_t i;

	t->kind = GRAPH_OTHER;
	if (strcmp(type->system, "ftrace"))
		return;
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		*fields[i].field =
			tfs_fields_find(type->fields, fields[i].name, strlen(fields[i].name));
	if (!t->func || !t->depth)
		return;
	if (!strcmp(type->tep->name, "funcgraph_entry") ||
	    !strcmp(type->tep->name, "fgraph_retaddr_entry"))
		t->kind = GRAPH_ENTRY;
	else if (!strcmp(type->tep->name, "funcgraph_exit"))
		t->kind = GRAPH_EXIT;
}

/* The calls of the task that recorded this; idle tasks are one for each CPU. */
static struct graph_stack *task_stack(struct tfs_graph *g, const struct tfs_event *event,
				      const struct graph_cpu *cpu)
{
	const struct graph_key key = {
		.space = event->rec.buffer,
		.id = (uint32_t)event->pid |
		      (event->pid ? 0 : ((uint64_t)event->rec.cpu + 1) << 32),
	};

	if (cpu->last && cpu->last->key.id == key.id)
		return cpu->last;
	return tfs_graph_stack(g, &key);
}

static void note_task(struct graph_stack *st, const struct tfs_event *event)
{
	st->buffer = event->rec.buffer;
	st->cpu = event->rec.cpu;
	st->pid = event->pid;
	if (*st->comm && st->task == event->task)
		return;
	st->task = event->task;
	snprintf(st->comm, sizeof(st->comm), "%s",
		 event->task ? event->task->comm : TFS_TASK_UNKNOWN);
}

/* "0x1, 0x2", as recorded: what a function does not take is whatever the registers held. */
static int put_args(const struct tfs_event *event, const struct tfs_field *f, struct tfs_strbuf *to)
{
	struct tfs_value value;
	int rc = 0;

	tfs_strbuf_reset(to);
	if (!get(event, f, &value))
		return 0;
	for (size_t i = 0; i < value.n && !rc; i++)
		rc = tfs_strbuf_addf(to, "%s0x%" PRIx64, i ? ", " : "",
				     tfs_value_element(f, &value, i));
	return rc;
}

/* The fields recorded with an event of a pair, without the location of a probe. */
static int put_text(struct tfs_graph *g, const struct tfs_event *event)
{
	const char *end;
	size_t n;
	int rc;

	tfs_strbuf_reset(&g->text);
	rc = tfs_event_text_print(g->event_text, event, &g->text);
	end = *g->text.s == '(' ? strchr(g->text.s, ')') : NULL;
	if (rc || !end)
		return rc;
	n = (size_t)(end + 1 - g->text.s);
	n += strspn(end + 1, " ");
	g->text.len -= n;
	memmove(g->text.s, g->text.s + n, g->text.len + 1);
	return 0;
}

static int keep_args(struct tfs_graph *g, struct graph_call *call)
{
	if (!g->text.len || g->opts.summary)
		return 0;
	call->args = strndup(g->text.s, ARGS_MAX);
	return call->args ? 0 : -ENOMEM;
}

static int on_entry(struct tfs_graph *g, struct graph_stack *st, const struct graph_type *t,
		    const struct tfs_event *event)
{
	struct graph_call call = {
		.func = tfs_graph_func_at(g, number(event, t->func)),
		.depth = depth_of(event, t),
		.from = number(event, t->retaddr),
	};
	int rc = call.func ? 0 : -ENOMEM;

	if (!rc && t->args)
		rc = put_args(event, t->args, &g->text);
	if (!rc && t->args)
		rc = keep_args(g, &call);
	return rc ? rc : tfs_graph_enter(g, st, &call, event);
}

static int on_exit_of(struct tfs_graph *g, struct graph_stack *st, const struct graph_type *t,
		      const struct tfs_event *event)
{
	const struct graph_call like = {
		.func = tfs_graph_func_at(g, number(event, t->func)),
		.depth = depth_of(event, t),
	};
	struct graph_end end = { .ts = event->rec.ts, .cpu = event->rec.cpu };
	struct tfs_value from, to, value;

	if (!like.func)
		return -ENOMEM;
	if (get(event, t->calltime, &from) && get(event, t->rettime, &to)) {
		end.known = true;
		end.from = from.number;
		end.to = to.number;
		end.duration = to.number > from.number ? to.number - from.number : 0;
	}
	if (get(event, t->retval, &value)) {
		end.has_value = true;
		end.value = value.number;
		/* An int's sign is not known; errors of 32 bits are. */
		if (t->retval->element == 4)
			end.value = (uint64_t)(int64_t)(int32_t)value.number;
	}
	return tfs_graph_leave(g, st, &like, &end, event);
}

static uint64_t add_value(uint64_t hash, const struct tfs_value *value)
{
	if (value->data)
		return tfs_hash64(hash, value->data, value->size);
	return tfs_hash64(hash, &value->number, sizeof(value->number));
}

/* The value of a key's fields: one number as it is, everything else hashed. false: not there */
static bool get_key(const struct tfs_event *event, const struct tfs_field *const *fields, size_t n,
		    uint64_t *key)
{
	uint64_t hash = TFS_HASH64_INIT;
	struct tfs_value value;

	for (size_t i = 0; i < n; i++) {
		value = (struct tfs_value){ 0 };
		if (!get(event, fields[i], &value))
			return false;
		hash = add_value(hash, &value);
	}
	*key = n == 1 && !value.data ? value.number : hash;
	return true;
}

/*
 * Where calls of a pair are: with their task, or with those of the same key, if the record has it.
 * Return: 0 or -ENOMEM; *@out NULL: the record has no key
 */
static int pair_stack(struct tfs_graph *g, struct graph_stack *task, const struct graph_pair *p,
		      const struct tfs_field *const *fields, const struct tfs_event *event,
		      struct graph_stack **out)
{
	struct graph_key key = { .space = KEYED | (uint64_t)p->as->begin << 40 |
					  (uint64_t)p->as->end << 20 | event->rec.buffer };

	*out = p->as->n_keys ? NULL : task;
	if (*out || !get_key(event, fields, p->as->n_keys, &key.id))
		return 0;
	*out = tfs_graph_stack(g, &key);
	return *out ? 0 : -ENOMEM;
}

/* A key has one open call at a time: the last beginning counts, as for wakeups. */
static int begin_again(struct tfs_graph *g, struct graph_stack *st, const struct tfs_event *event)
{
	const struct graph_end at = { .ts = event->rec.ts, .cpu = event->rec.cpu };
	int rc = tfs_graph_abandon(g, st, &at);

	note_task(st, event);
	return rc;
}

/* A record of raw_syscalls has the number of the call. NULL: no memory */
static struct graph_func *func_of(struct tfs_graph *g, const struct graph_pair *p,
				  const struct tfs_event *event)
{
	const struct tfs_field *id = NULL;
	struct graph_func *f;
	struct tfs_value value;
	const char *name;

	if (p->as->syscall == TFS_PAIR_SYSCALL_RAW && g->opts.syscall)
		id = tfs_fields_find(event->type->fields, "id", 2);
	if (!id || !get(event, id, &value))
		return p->func;
	name = g->opts.syscall(g->opts.syscalls, (int64_t)value.number, TFS_SYSCALL_OWN);
	if (!name)
		return p->func;
	f = tfs_graph_func_named(g, name);
	return f && !tfs_graph_func_event(g, f, &tfs_trace_index(g->trace)->types[p->as->begin]) ?
		       f :
		       NULL;
}

static int on_begin(struct tfs_graph *g, struct graph_stack *task, struct graph_pair *p,
		    const struct tfs_event *event)
{
	struct graph_call call = { .pair = p, .func = func_of(g, p, event) };
	struct graph_stack *st;
	int rc = call.func ? pair_stack(g, task, p, p->as->begin_key, event, &st) : -ENOMEM;

	if (rc || !st)
		return rc;
	if (st != task)
		rc = begin_again(g, st, event);
	else
		rc = tfs_graph_end_syscalls(g, st, p->as->syscall, event);
	if (!rc)
		rc = put_text(g, event);
	if (!rc)
		rc = keep_args(g, &call);
	return rc ? rc : tfs_graph_enter(g, st, &call, event);
}

static int on_end(struct tfs_graph *g, struct graph_stack *task, struct graph_pair *p,
		  const struct tfs_event *event)
{
	struct graph_end end = { .ts = event->rec.ts, .cpu = event->rec.cpu };
	const struct graph_call like = { .pair = p, .func = func_of(g, p, event) };
	struct graph_stack *st;
	int rc = like.func ? pair_stack(g, task, p, p->as->end_key, event, &st) : -ENOMEM;

	if (rc || !st)
		return rc;
	/* An end that nothing with this key began is an event like others. */
	if (st != task && !st->n) {
		tfs_graph_stack_drop(g, st);
		return 0;
	}
	rc = put_text(g, event);
	end.text = g->text.s;
	if (!rc)
		rc = tfs_graph_leave(g, st, &like, &end, event);
	if (st != task && !st->n)
		tfs_graph_stack_drop(g, st);
	return rc;
}

/* An event that belongs to pairs, or to none. */
static int on_event(struct tfs_graph *g, struct graph_stack *st, const struct graph_type *t,
		    const struct tfs_event *event)
{
	struct graph_pair *p;
	int rc = 0;

	for (p = t->ends; p && !rc; p = p->next_end)
		rc = on_end(g, st, p, event);
	for (p = t->begins; p && !rc; p = p->next_begin)
		rc = on_begin(g, st, p, event);
	if (t->ends || t->begins || g->opts.summary || g->opts.style || !event->selected ||
	    (!st->n && !g->lone_events))
		return rc;
	tfs_strbuf_reset(&g->text);
	rc = tfs_event_text_print(g->event_text, event, &g->text);
	return rc ? rc : tfs_graph_comment(g, st, event);
}

static int on_record(struct tfs_graph *g, const struct tfs_event *event)
{
	struct graph_cpu *cpu = tfs_graph_cpu(g, event->rec.buffer, event->rec.cpu);
	struct graph_type *t = &g->types[event->type->index];
	struct graph_stack *st = cpu ? task_stack(g, event, cpu) : NULL;
	int rc = 0;

	if (!st)
		return -ENOMEM;
	g->now = event->rec.ts;
	note_task(st, event);
	if (t->kind == GRAPH_UNKNOWN)
		learn_type(t, event->type);
	/* Lines of one CPU stay in order: what waits for its next line has that now. */
	if (event->selected && cpu->last && cpu->last != st && !g->opts.by_task &&
	    !g->opts.summary && !g->opts.style && !g->opts.min_duration)
		rc = tfs_graph_draw_open(g, cpu->last);
	if (event->selected)
		cpu->last = st;
	if (rc || t->kind == GRAPH_OTHER)
		return rc ? rc : on_event(g, st, t, event);
	g->lone_events = !g->cut && !g->opts.pairs->n;
	return t->kind == GRAPH_ENTRY ? on_entry(g, st, t, event) : on_exit_of(g, st, t, event);
}

/* Where something was open on the CPU that lost events, nobody knows what became of it. */
static int abandon(struct tfs_graph *g, struct graph_stack *st, const void *context)
{
	const struct tfs_record *rec = context;
	const struct graph_end end = { .ts = rec ? rec->ts : g->now, .cpu = st->cpu, .loss = rec };

	if (rec && (st->buffer != rec->buffer || st->cpu != rec->cpu))
		return 0;
	return tfs_graph_abandon(g, st, &end);
}

static int on_loss(struct tfs_graph *g, const struct tfs_event *event)
{
	struct graph_cpu *cpu = tfs_graph_cpu(g, event->rec.buffer, event->rec.cpu);
	int rc;

	if (!cpu)
		return -ENOMEM;
	rc = tfs_graph_stacks_each(g, abandon, &event->rec);
	if (rc || !event->lost)
		return rc;
	if (event->missing)
		cpu->missing = true;
	else if (event->rec.lost > 0)
		cpu->lost += (uint64_t)event->rec.lost;
	else
		cpu->lost_some = true;
	/* If only some functions are shown: until one of them was met, see tfs_graph_missed(). */
	cpu->lost_at = event->rec.ts;
	if (g->opts.summary || (g->cut && !g->begun))
		return 0;
	if (g->opts.style)
		return tfs_graph_export_loss(g);
	return tfs_graph_draw_lost(g);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	(void)state;
	return on_loss(to_graph(view, out), event);
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	(void)state;
	if (!event->type || !event->type->fields)
		return 0;
	return on_record(to_graph(view, out), event);
}

/* The text of a latency tracer is drawn already. */
static int text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	struct tfs_graph *g = to_graph(view, out);
	int rc;

	if (g->cut || g->opts.summary || g->opts.style || g->opts.pairs->n ||
	    g->opts.min_duration || g->opts.depth) {
		tfs_err_say(err, -EINVAL, "a latency tracer's text has no calls to choose from");
		tfs_err_hint(err, "--graph alone shows it");
		return -EINVAL;
	}
	g->is_text = true;
	rc = tfs_strbuf_add(out, text, len);
	if (!rc && len && text[len - 1] != '\n')
		rc = tfs_strbuf_addc(out, '\n');
	return rc;
}

static bool shows_something(const struct tfs_graph *g)
{
	for (size_t i = 0; i < g->funcs.n; i++) {
		const struct graph_func *f = g->funcs.v[i];

		if (f->met && (!g->opts.funcs->n || f->named))
			return true;
	}
	return false;
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tfs_graph *g = to_graph(view, out);
	int rc = tfs_graph_stacks_each(g, abandon, NULL);

	(void)err;
	if (!rc && g->opts.summary && shows_something(g))
		rc = tfs_graph_sum_put(g);
	return rc;
}

static void free_graph(struct tfs_view *view)
{
	struct tfs_graph *g = (struct tfs_graph *)view;

	tfs_graph_stacks_free(g);
	tfs_graph_funcs_release(&g->funcs);
	tfs_pairs_release(&g->pairs);
	tfs_event_text_free(g->event_text);
	tfs_strbuf_release(&g->text);
	tfs_strbuf_release(&g->line);
	free(g->pair);
	free(g->types);
	free(g);
}

static const struct tfs_view_ops ops = {
	.event = event,
	.lost = lost,
	.text = text,
	.end = end,
	.free = free_graph,
};

static int name_pair(struct tfs_graph *g, struct graph_pair *p)
{
	const struct tfs_event_type *first = &tfs_trace_index(g->trace)->types[p->as->begin];
	size_t skip = p->as->syscall == TFS_PAIR_SYSCALL ? strlen("sys_enter_") : 0;
	char *name = strndup(first->name + skip, first->name_len - skip);

	p->func = name ? tfs_graph_func_named(g, name) : NULL;
	free(name);
	if (p->func && skip)
		return tfs_graph_func_event(g, p->func, first);
	return p->func ? 0 : -ENOMEM;
}

static int set_pairs(struct tfs_graph *g, struct tfs_err *err)
{
	int rc = tfs_pairs_find(g->trace, g->opts.pairs, &g->pairs, err);

	g->pair = rc ? NULL : calloc(g->pairs.n + 1, sizeof(*g->pair));
	if (!rc && !g->pair)
		rc = tfs_err_set(err, -ENOMEM, "cannot prepare the report");
	for (size_t i = 0; g->pair && i < g->pairs.n && !rc; i++) {
		struct graph_pair *p = &g->pair[i];

		p->as = &g->pairs.v[i];
		p->next_begin = g->types[p->as->begin].begins;
		g->types[p->as->begin].begins = p;
		p->next_end = g->types[p->as->end].ends;
		g->types[p->as->end].ends = p;
		if (name_pair(g, p))
			rc = tfs_err_set(err, -ENOMEM, "cannot prepare the report");
	}
	return rc;
}

int tfs_graph_new(struct tfs_trace *trace, const struct tfs_graph_opts *opts,
		  struct tfs_view **view, struct tfs_err *err)
{
	struct tfs_graph *g = calloc(1, sizeof(*g));
	int rc = -ENOMEM;

	if (!g)
		return tfs_err_set(err, rc, "cannot prepare the report");
	g->view.ops = &ops;
	g->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING;
	g->trace = trace;
	g->opts = *opts;
	g->cut = opts->funcs->n || opts->callers->n;
	tfs_strbuf_init(&g->text);
	tfs_strbuf_init(&g->line);
	g->n_buffers = tfs_dat_n_buffers(tfs_trace_dat(trace));
	g->types = calloc(tfs_trace_index(trace)->n + 1, sizeof(*g->types));
	g->cpus = calloc(g->n_buffers + 1, sizeof(*g->cpus));
	if (g->types && g->cpus)
		rc = tfs_event_text_new(trace, TFS_EVENT_TEXT_FORMATTED, &g->event_text);
	if (rc)
		tfs_err_set(err, rc, "cannot prepare the report");
	else
		rc = set_pairs(g, err);
	if (!rc && opts->counts && opts->min_duration && g->pairs.n) {
		rc = tfs_err_say(err, -EINVAL,
				 "'%s': its clock does not count time, and "
				 "--min-duration is a time",
				 tfs_dat_path(tfs_trace_dat(trace)));
		tfs_err_hint(err, "--ts2secs HZ says how much its clock counts in a second");
	}
	if (rc)
		tfs_view_free(&g->view);
	else
		*view = &g->view;
	return rc;
}
