/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/chrome.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/err.h"
#include "base/hashmap.h"
#include "base/json.h"
#include "base/macros.h"
#include "base/out-file.h"
#include "base/out.h"
#include "base/strvec.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/value.h"
#include "exchange/chrome-internal.h"
#include "span/pairs.h"
#include "span/span.h"
#include "symbolize/symbolize.h"
#include "tracedat/dat-read.h"

/* A double holds nanoseconds up to twice this exactly. */
#define EXACT (UINT64_C(1) << 52)
/* Above any process's number: groups of rows have it in front. */
#define GROUP 10000000

static const char *const categories[] = {
	[TFS_SPAN_RUN] = "sched",       [TFS_SPAN_STATE] = "state",
	[TFS_SPAN_IRQ] = "irq",         [TFS_SPAN_SOFTIRQ] = "softirq",
	[TFS_SPAN_SYSCALL] = "syscall", [TFS_SPAN_GRAPH] = "function",
	[TFS_SPAN_PAIR] = "pair",
};

static struct chrome *to_chrome(struct tfs_view *view)
{
	return (struct chrome *)view;
}

static int64_t since_base(const struct chrome *c, uint64_t ts)
{
	return (int64_t)(ts - c->base);
}

static int write_text(struct chrome *c)
{
	return tfs_chrome_write(c, c->text.s, c->text.len);
}

static bool is_named(const void *owner, uint32_t id, const void *key)
{
	return *(const uint64_t *)tfs_pool_at(owner, id) == *(const uint64_t *)key;
}

static uint64_t hash_named(const void *owner, uint32_t id)
{
	return tfs_hash_int(*(const uint64_t *)tfs_pool_at(owner, id));
}

/* Notes that what has the key gets its name now. 1: it has it; -ENOMEM */
static int note_name(struct chrome *c, uint64_t key)
{
	uint64_t *named;

	if (tfs_idmap_find(&c->by_name, tfs_hash_int(key), is_named, &c->named, &key) !=
	    TFS_IDMAP_NONE)
		return 1;
	named = tfs_pool_add(&c->named);
	if (!named)
		return -ENOMEM;
	*named = key;
	return tfs_idmap_add(&c->by_name, (uint32_t)(c->named.n - 1), hash_named, &c->named);
}

/* Metadata of a process or a thread, which have one string: @key */
static int put_string(struct chrome *c, const char *what, const char *key, const char *name,
		      const struct chrome_place *place)
{
	int rc;

	tfs_strbuf_reset(&c->text);
	rc = tfs_chrome_head(c, 'M', what, strlen(what), place);
	if (!rc)
		rc = tfs_strbuf_addf(&c->text, ",\"args\":{\"%s\":", key);
	if (!rc)
		rc = tfs_json_string(&c->text, name, strlen(name));
	if (!rc)
		rc = tfs_strbuf_adds(&c->text, "}}");
	return rc ? rc : write_text(c);
}

static int put_name(struct chrome *c, const char *what, const char *name,
		    const struct chrome_place *place)
{
	return put_string(c, what, "name", name, place);
}

/* A process or a thread of the file gets its name once. */
static int name_once(struct chrome *c, const char *what, uint64_t key, const char *name,
		     const struct chrome_place *place)
{
	int rc = note_name(c, key);

	return rc ? (rc == 1 ? 0 : rc) : put_name(c, what, name, place);
}

static int name_group(struct chrome *c, uint32_t input, uint32_t buffer,
		      const struct chrome_place *place)
{
	const struct tfs_dat *dat = tfs_trace_dat(c->opts.traces[input]);
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	const char *of = tfs_dat_buffer(dat, buffer)->name;
	int rc = tfs_strbuf_adds(&name, "CPUs");

	if (!rc && c->opts.n > 1)
		rc = tfs_strbuf_addf(&name, " of %s", c->opts.files[input]);
	if (!rc && *of)
		rc = tfs_strbuf_addf(&name, " (%s)", of);
	if (!rc)
		rc = name_once(c, "process_name", place->pid << 1, name.s, place);
	tfs_strbuf_release(&name);
	return rc;
}

static int place_cpu(struct chrome *c, uint32_t input, uint32_t buffer, int cpu,
		     struct chrome_place *place)
{
	char name[32];
	int rc;

	place->pid = (c->groups[input] + buffer) * GROUP;
	place->tid = (uint64_t)cpu;
	rc = name_group(c, input, buffer, place);
	memcpy(name, "CPU ", 5);
	*tfs_digits_dec(name + 4, (uint64_t)cpu) = '\0';
	return rc ? rc :
		    name_once(c, "thread_name", (place->pid << 24 | place->tid) << 1 | 1, name,
			      place);
}

/* A task of a recording, at a time */
struct whose {
	uint32_t input, buffer;
	int tid;
	const char *comm; /* "": unknown */
	uint64_t ts;
};

/* Threads whose process is not known are processes of their own. */
static int place_task(struct chrome *c, const struct whose *w, struct chrome_place *place)
{
	uint64_t group = (c->groups[w->input] + w->buffer) * GROUP;
	const struct tfs_symbolize *tasks = c->opts.symbolize ? c->opts.symbolize[w->input] : NULL;
	int tgid = tasks ? tfs_symbolize_tgid(tasks, w->tid, w->ts) : -1;
	const char *comm = tfs_trace_task_name(c->opts.traces[w->input], w->tid, w->comm);
	int rc;

	if (!*comm)
		comm = TFS_TASK_UNKNOWN;
	place->pid = group + (uint32_t)(tgid > 0 ? tgid : w->tid);
	place->tid = group + (uint32_t)w->tid;
	rc = note_name(c, (place->pid << 24 | (uint32_t)w->tid) << 1 | 1);
	if (rc)
		return rc == 1 ? 0 : rc;
	/* A process has the name of its first thread, which has no other process. */
	if (tgid <= 0 || tgid == w->tid)
		rc = put_name(c, "process_name", comm, place);
	/* Processes of several hosts may have the same name. */
	if (!rc && c->opts.n > 1 && (tgid <= 0 || tgid == w->tid))
		rc = put_string(c, "process_labels", "labels", c->opts.files[w->input], place);
	return rc ? rc : put_name(c, "thread_name", comm, place);
}

static bool is_of_cpu(const struct tfs_span *span)
{
	return span->kind == TFS_SPAN_RUN || span->kind == TFS_SPAN_IRQ ||
	       span->kind == TFS_SPAN_SOFTIRQ || !span->tid;
}

/* How it ended, where its last event says so */
static int put_end(struct chrome *c, const struct tfs_span *span, bool *more)
{
	bool inner = false;
	int rc;

	if (!span->last || (span->kind != TFS_SPAN_SYSCALL && span->kind != TFS_SPAN_PAIR))
		return 0;
	rc = tfs_strbuf_addf(&c->text, "%s\"end\":{", *more ? "," : "");
	if (!rc)
		rc = tfs_chrome_fields(c, span->last, &inner);
	*more = true;
	return rc ? rc : tfs_strbuf_addc(&c->text, '}');
}

static int put_args(struct chrome *c, const struct tfs_span *span)
{
	bool more = false;
	int rc = tfs_strbuf_adds(&c->text, ",\"args\":{");

	if (!rc && span->kind == TFS_SPAN_RUN) {
		rc = tfs_strbuf_addf(&c->text, "\"tid\":%d", span->tid);
		more = true;
	}
	if (!rc && span->first)
		rc = tfs_chrome_fields(c, span->first, &more);
	if (!rc)
		rc = put_end(c, span, &more);
	if (!rc && span->flags & TFS_SPAN_OPEN)
		rc = tfs_strbuf_addf(&c->text, "%s\"%s\":true", more ? "," : "",
				     span->flags & TFS_SPAN_CUT      ? "cut" :
				     span->flags & TFS_SPAN_NO_BEGIN ? "no_begin" :
								       "no_end");
	else if (!rc && span->flags & TFS_SPAN_MADE)
		rc = tfs_strbuf_addf(&c->text, "%s\"made\":true", more ? "," : "");
	return rc ? rc : tfs_strbuf_adds(&c->text, "}}");
}

/* A pair that may cross others: two entries with a number of its own */
static int put_async(struct chrome *c, const struct tfs_span *span, const char *name,
		     const struct chrome_place *place)
{
	static const char phases[] = "be";
	int rc = 0;

	c->slices++;
	for (int i = 0; i < 2 && !rc; i++) {
		tfs_strbuf_reset(&c->text);
		rc = tfs_chrome_head(c, phases[i], name, strlen(name), place);
		if (!rc)
			rc = tfs_strbuf_addf(&c->text, ",\"cat\":\"pair\",\"id\":%" PRIu64,
					     c->slices);
		if (!rc)
			rc = tfs_chrome_time(c, "ts", since_base(c, i ? span->end : span->begin));
		if (!rc)
			rc = i ? tfs_strbuf_addc(&c->text, '}') : put_args(c, span);
		if (!rc)
			rc = write_text(c);
	}
	return rc;
}

static int on_span(void *ctx, const struct tfs_span *span)
{
	unsigned int depth = span->depth;
	uint64_t begin = span->begin;
	const struct whose whose = { span->input, span->buffer, span->tid, span->comm,
				     span->begin };
	struct chrome *c = ctx;
	struct chrome_place place;
	int rc;

	if (span->flags & TFS_SPAN_UNSELECTED)
		return 0;
	rc = is_of_cpu(span) ? place_cpu(c, span->input, span->buffer, span->cpu, &place) :
			       place_task(c, &whose, &place);
	if (rc || span->flags & TFS_SPAN_KEYED)
		return rc ? rc : put_async(c, span, span->name, &place);
	/* On a CPU's row a task is around everything else. */
	if (is_of_cpu(span) && span->kind != TFS_SPAN_RUN)
		depth++;
	if (span->flags & TFS_SPAN_NO_BEGIN)
		begin = tfs_chrome_after(c, &place, depth, begin);
	if (begin > span->end)
		begin = span->end;
	tfs_strbuf_reset(&c->text);
	rc = tfs_chrome_head(c, 'X', span->name, strlen(span->name), &place);
	if (!rc)
		rc = tfs_strbuf_addf(&c->text, ",\"cat\":\"%s\"", categories[span->kind]);
	if (!rc)
		rc = tfs_chrome_time(c, "ts", since_base(c, begin));
	if (!rc)
		rc = tfs_chrome_time(c, "dur", (int64_t)(span->end - begin));
	if (!rc)
		rc = put_args(c, span);
	return rc ? rc : tfs_chrome_slice(c, &place, depth, begin, span->end);
}

static int on_gap(void *ctx, const struct tfs_span_gap *gap)
{
	struct chrome *c = ctx;
	struct chrome_place place;
	char text[32];
	const char *name = gap->missing ? "last events missing" : "lost";
	int rc = place_cpu(c, gap->input, gap->buffer, gap->cpu, &place);

	if (gap->count) {
		*tfs_digits_dec(mempcpy(text, "lost ", 5), gap->count) = '\0';
		name = text;
	}
	tfs_strbuf_reset(&c->text);
	if (!rc)
		rc = tfs_chrome_head(c, 'X', name, strlen(name), &place);
	if (!rc)
		rc = tfs_strbuf_adds(&c->text, ",\"cat\":\"loss\"");
	if (!rc)
		rc = tfs_chrome_time(c, "ts", since_base(c, gap->begin));
	if (!rc)
		rc = tfs_chrome_time(c, "dur", (int64_t)(gap->end - gap->begin));
	if (!rc)
		rc = tfs_strbuf_addc(&c->text, '}');
	return rc ? rc : write_text(c);
}

static const struct tfs_span_ops span_ops = { .span = on_span, .gap = on_gap };

static int begin(struct chrome *c, uint64_t ts)
{
	c->begun = true;
	c->base = ts >= EXACT ? ts : 0;
	return tfs_out_puts(c->out, "{\"traceEvents\":[");
}

/* cpu_frequency and cpu_idle: a value that stays until the next */
static int put_counter(struct chrome *c, const struct tfs_event *event)
{
	const struct tfs_fields *fields = event->type->fields;
	const struct tfs_field *state = tfs_fields_find(fields, "state", 5);
	const struct tfs_field *cpu = tfs_fields_find(fields, "cpu_id", 6);
	struct tfs_value value = { 0 }, of = { 0 };
	struct chrome_place place;
	char name[64];
	int rc, n;

	if (!state || !cpu ||
	    !tfs_fields_get(fields, state, event->rec.data, event->rec.size, &value) ||
	    !tfs_fields_get(fields, cpu, event->rec.data, event->rec.size, &of))
		return 0;
	rc = place_cpu(c, event->input, event->rec.buffer, (int)(of.number & 0xffffff), &place);
	n = snprintf(name, sizeof(name), "%.*s of CPU %" PRIu64,
		     (int)(event->type->name_len < 24 ? event->type->name_len : 24),
		     event->type->name, of.number);
	tfs_strbuf_reset(&c->text);
	if (!rc)
		rc = tfs_chrome_head(c, 'C', name, (size_t)n, &place);
	if (!rc)
		rc = tfs_chrome_time(c, "ts", since_base(c, event->rec.ts));
	/* No idle state is the largest number. */
	if (!rc)
		rc = tfs_strbuf_addf(&c->text, ",\"args\":{\"state\":%" PRId64 "}}",
				     (int64_t)(value.number == UINT32_MAX ? 0 : value.number));
	return rc ? rc : write_text(c);
}

static int put_instant(struct chrome *c, const struct tfs_event *event)
{
	const struct tfs_span_record record = { event->type, event->rec.data, event->rec.size };
	const struct whose whose = { event->input, event->rec.buffer, event->pid,
				     event->task ? event->task->comm : "", event->rec.ts };
	struct chrome_place place;
	bool more = false;
	int rc;

	if (event->pid)
		rc = place_task(c, &whose, &place);
	else
		rc = place_cpu(c, event->input, event->rec.buffer, (int)event->rec.cpu, &place);
	c->instants++;
	tfs_strbuf_reset(&c->text);
	if (!rc)
		rc = tfs_chrome_head(c, 'i', event->type->name, event->type->name_len, &place);
	if (!rc)
		rc = tfs_strbuf_adds(&c->text, ",\"s\":\"t\",\"cat\":");
	if (!rc)
		rc = tfs_json_string(&c->text, event->type->system, strlen(event->type->system));
	if (!rc)
		rc = tfs_chrome_time(c, "ts", since_base(c, event->rec.ts));
	if (!rc)
		rc = tfs_strbuf_adds(&c->text, ",\"args\":{");
	if (!rc)
		rc = tfs_chrome_fields(c, &record, &more);
	if (!rc)
		rc = tfs_strbuf_adds(&c->text, "}}");
	return rc ? rc : write_text(c);
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct chrome *c = to_chrome(view);
	int rc = c->begun ? 0 : begin(c, event->rec.ts);

	(void)state;
	(void)out;
	if (!rc)
		rc = tfs_spans_event(c->spans, event);
	if (rc || !event->selected || !event->type || !event->type->fields)
		return rc;
	switch (c->role[event->input][event->type->index]) {
	case CHROME_INSTANT:
		return put_instant(c, event);
	case CHROME_COUNTER:
		return put_counter(c, event);
	default:
		return 0;
	}
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct chrome *c = to_chrome(view);
	int rc = c->begun ? 0 : begin(c, event->rec.ts);

	(void)state;
	(void)out;
	return rc ? rc : tfs_spans_lost(c->spans, event);
}

static int put_metadata(struct chrome *c)
{
	struct tfs_strbuf *t = &c->text;
	int rc;

	tfs_strbuf_reset(t);
	rc = tfs_strbuf_addf(t,
			     "\n],\n\"displayTimeUnit\":\"ns\",\n\"metadata\":{"
			     "\"slices\":%" PRIu64 ",\"instants\":%" PRIu64
			     ",\"base_ns\":\"%" PRIu64 "\",\"recordings\":[",
			     c->slices, c->instants, c->base);
	for (size_t i = 0; i < c->opts.n && !rc; i++) {
		rc = i ? tfs_strbuf_addc(t, ',') : 0;
		if (!rc)
			rc = tfs_json_string(t, c->opts.files[i], strlen(c->opts.files[i]));
	}
	if (!rc)
		rc = tfs_strbuf_adds(t, "]}}\n");
	return rc ? rc : tfs_out_write(c->out, t->s, t->len);
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct chrome *c = to_chrome(view);
	int rc = c->begun ? 0 : begin(c, 0);

	(void)out;
	if (!rc)
		rc = tfs_spans_end(c->spans);
	if (!rc)
		rc = tfs_chrome_flush(c);
	if (!rc)
		rc = put_metadata(c);
	if (rc)
		return tfs_err_set(err, rc, "cannot write '%s'", c->opts.path);
	return tfs_out_file_commit(c->file, err);
}

static int notes(const struct tfs_view *view, struct tfs_strbuf *out)
{
	const struct chrome *c = (const struct chrome *)view;

	if (c->slices <= TFS_CHROME_SLICES)
		return 0;
	return tfs_strbuf_addf(out,
			       "%" PRIu64 " slices are more than viewers of JSON can hold; use "
			       "--perfetto\n",
			       c->slices);
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
		"the recording is a latency tracer's text, which has no events to export");
}

static void free_chrome(struct tfs_view *view)
{
	struct chrome *c = to_chrome(view);

	for (size_t i = 0; c->role && i < c->opts.n; i++)
		free(c->role[i]);
	free(c->role);
	free(c->groups);
	free(c->syscalls);
	tfs_chrome_rows_release(c);
	tfs_strbuf_release(&c->text);
	tfs_spans_free(c->spans);
	tfs_out_file_free(c->file);
	free(c);
}

static const struct tfs_view_ops ops = {
	.event = event,
	.lost = lost,
	.text = text,
	.end = end,
	.notes = notes,
	.free = free_chrome,
};

/* Events that begin or end a span; "*" stands for any name. */
static const struct {
	const char *system, *name;
	enum chrome_role role;
} roles[] = {
	{ "sched", "sched_switch", CHROME_SPAN },
	{ "irq", "irq_handler_entry", CHROME_SPAN },
	{ "irq", "irq_handler_exit", CHROME_SPAN },
	{ "irq", "softirq_entry", CHROME_SPAN },
	{ "irq", "softirq_exit", CHROME_SPAN },
	{ "irq_vectors", "*_entry", CHROME_SPAN },
	{ "irq_vectors", "*_exit", CHROME_SPAN },
	{ "raw_syscalls", "sys_*", CHROME_SPAN },
	{ "syscalls", "sys_*", CHROME_SPAN },
	{ "ftrace", "funcgraph_entry", CHROME_SPAN },
	{ "ftrace", "fgraph_retaddr_entry", CHROME_SPAN },
	{ "ftrace", "funcgraph_exit", CHROME_SPAN },
	{ "block", "block_rq_issue", CHROME_USUAL_PAIR },
	{ "block", "block_rq_complete", CHROME_USUAL_PAIR },
	{ "timer", "hrtimer_expire_*", CHROME_USUAL_PAIR },
	{ "timer", "timer_expire_*", CHROME_USUAL_PAIR },
	{ "workqueue", "workqueue_execute_*", CHROME_USUAL_PAIR },
	{ "ftrace", "kernel_stack", CHROME_NOTHING },
	{ "ftrace", "user_stack", CHROME_NOTHING },
	{ "power", "cpu_frequency", CHROME_COUNTER },
	{ "power", "cpu_idle", CHROME_COUNTER },
};

static bool has_name(const struct tfs_event_type *type, const char *glob)
{
	size_t before = strcspn(glob, "*"), after = glob[before] ? strlen(glob + before + 1) : 0;

	if (!glob[before])
		return type->name_len == before && !memcmp(type->name, glob, before);
	return type->name_len >= before + after && !memcmp(type->name, glob, before) &&
	       !memcmp(type->name + type->name_len - after, glob + before + 1, after);
}

static int find_roles(struct chrome *c, size_t input, struct tfs_err *err)
{
	const struct tfs_event_index *index = tfs_trace_index(c->opts.traces[input]);
	struct tfs_pairs pairs = { 0 };
	unsigned char *role = calloc(index->n + 1, 1);
	bool usual = !c->opts.pairs || !c->opts.pairs->n;
	int rc;

	c->role[input] = role;
	if (!role)
		return -ENOMEM;
	for (size_t i = 0; i < index->n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(roles); k++)
			if ((usual || roles[k].role != CHROME_USUAL_PAIR) &&
			    !strcmp(index->types[i].system, roles[k].system) &&
			    has_name(&index->types[i], roles[k].name))
				role[i] = (unsigned char)roles[k].role;
	rc = tfs_pairs_find(c->opts.traces[input], c->opts.pairs, &pairs, err);
	for (size_t i = 0; i < pairs.n && !rc; i++)
		role[pairs.v[i].begin] = role[pairs.v[i].end] = CHROME_SPAN;
	tfs_pairs_release(&pairs);
	return rc;
}

static int init_recordings(struct chrome *c, struct tfs_err *err)
{
	size_t groups = 0;
	int rc = 0;

	c->role = calloc(c->opts.n, sizeof(*c->role));
	c->groups = calloc(c->opts.n, sizeof(*c->groups));
	if (!c->role || !c->groups)
		return -ENOMEM;
	for (size_t i = 0; i < c->opts.n && !rc; i++) {
		c->groups[i] = groups;
		groups += tfs_dat_n_buffers(tfs_trace_dat(c->opts.traces[i]));
		rc = find_roles(c, i, err);
	}
	return rc;
}

static int copy_arrays(struct chrome *c, const struct tfs_chrome_opts *opts)
{
	tfs_strbuf_init(&c->text);
	c->rows = TFS_POOL_INIT(struct chrome_row);
	c->named = TFS_POOL_INIT(uint64_t);
	c->opts = *opts;
	c->opts.syscalls = c->syscalls = calloc(opts->n, sizeof(*c->syscalls));
	if (!c->syscalls)
		return -ENOMEM;
	if (opts->syscalls)
		memcpy(c->syscalls, opts->syscalls, opts->n * sizeof(*c->syscalls));
	return 0;
}

static int init_spans(struct chrome *c, struct tfs_err *err)
{
	const struct tfs_spans_opts spans = {
		.traces = c->opts.traces,
		.n = c->opts.n,
		.kinds = TFS_SPAN_ALL & ~(1u << TFS_SPAN_STATE),
		.records = 1u << TFS_SPAN_SYSCALL | 1u << TFS_SPAN_PAIR,
		.pairs = c->opts.pairs,
		.syscall = c->opts.syscall,
		.syscalls = c->syscalls,
		.ops = &span_ops,
		.ctx = c,
	};

	return tfs_spans_new(&spans, &c->spans, err);
}

static int init_chrome(struct chrome *c, const struct tfs_chrome_opts *opts, struct tfs_err *err)
{
	int rc = copy_arrays(c, opts);

	c->view.ops = &ops;
	c->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING | TFS_VIEW_OWN_NAMES;
	if (!rc)
		rc = init_recordings(c, err);
	if (!rc)
		rc = init_spans(c, err);
	if (!rc)
		rc = tfs_out_file_open(opts->path, &c->file, err);
	if (!rc)
		c->out = tfs_out_file_out(c->file);
	return rc;
}

int tfs_chrome_new(const struct tfs_chrome_opts *opts, struct tfs_view **view, struct tfs_err *err)
{
	struct chrome *c = calloc(1, sizeof(*c));
	int rc = c ? init_chrome(c, opts, err) : -ENOMEM;

	if (rc && c)
		free_chrome(&c->view);
	else if (!rc)
		*view = &c->view;
	return rc;
}
