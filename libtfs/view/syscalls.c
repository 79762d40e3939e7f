/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/syscalls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/few-stats.h"
#include "base/hashmap.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "base/json.h"
#include "base/strbuf-core.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "pipeline/view.h"
#include "span/span.h"
#include "span/syscall-result.h"
#include "view/table.h"

/* Names in a cell of errors, and in the line about calls that did not return */
#define NAMES_MAX 8

enum column {
	FILE_NAME,
	PID,
	COMM,
	SYSCALL,
	SHARE,
	TOTAL,
	MEAN,
	CALLS,
	ERRORS,
	ERRNOS,
	MIN,
	MAX,
	STDDEV,
	UNBEGUN,
	UNFINISHED,
	CUT,
	N_COLUMNS,
};

static const struct tfs_table_column all_columns[N_COLUMNS] = {
	[FILE_NAME] = { .name = "file", .kind = TFS_CELL_TEXT },
	[PID] = { .name = "pid", .kind = TFS_CELL_SIGNED, .flags = TFS_TABLE_ASCENDING },
	[COMM] = { .name = "comm", .kind = TFS_CELL_TEXT },
	[SYSCALL] = { .name = "syscall", .heading = "syscall", .kind = TFS_CELL_TEXT },
	[SHARE] = { .name = "share",
		    .heading = "% time",
		    .kind = TFS_CELL_PERCENT,
		    .flags = TFS_TABLE_FIRST },
	[TOTAL] = { .name = "total",
		    .heading = "seconds",
		    .kind = TFS_CELL_NS,
		    .flags = TFS_TABLE_FIRST,
		    .unit = 1000000000,
		    .digits = 6,
		    .width = 11 },
	[MEAN] = { .name = "mean",
		   .heading = "usecs/call",
		   .kind = TFS_CELL_NS,
		   .flags = TFS_TABLE_FIRST,
		   .unit = 1000,
		   .width = 11 },
	[CALLS] = { .name = "calls",
		    .heading = "calls",
		    .kind = TFS_CELL_COUNT,
		    .flags = TFS_TABLE_FIRST,
		    .width = 9 },
	[ERRORS] = { .name = "errors",
		     .heading = "errors",
		     .kind = TFS_CELL_COUNT,
		     .flags = TFS_TABLE_FIRST,
		     .width = 9 },
	[ERRNOS] = { .name = "errnos", .heading = "errnos", .kind = TFS_CELL_ENCODED },
	[MIN] = { .name = "min", .kind = TFS_CELL_NS, .flags = TFS_TABLE_EXACT },
	[MAX] = { .name = "max", .kind = TFS_CELL_NS, .flags = TFS_TABLE_EXACT },
	[STDDEV] = { .name = "stddev", .kind = TFS_CELL_NS, .flags = TFS_TABLE_EXACT },
	[UNBEGUN] = { .name = "unbegun", .kind = TFS_CELL_COUNT, .flags = TFS_TABLE_EXACT },
	[UNFINISHED] = { .name = "unfinished", .kind = TFS_CELL_COUNT, .flags = TFS_TABLE_EXACT },
	[CUT] = { .name = "cut", .kind = TFS_CELL_COUNT, .flags = TFS_TABLE_EXACT },
};

struct failed {
	int64_t error;
	uint64_t n;
};

/*
 * A row: a system call of a group. @stats: of calls whose entry and exit were recorded, @unbegun
 * without the entry, @unfinished without the exit, @cut by a loss.
 */
struct call {
	uint32_t group, name;
	struct tfs_few_stats stats;
	uint64_t unbegun, unfinished, cut;
	struct failed *failed;
	size_t n_failed;
};

/* Rows are made for a recording, or for one of its tasks. */
struct group {
	uint32_t input, comm;
	int tid;
};

/* The key of a row */
struct key {
	uint32_t group, name;
};

struct tfs_syscalls {
	struct tfs_view view;
	struct tfs_syscalls_opts opts;
	const char **files;
	const void **syscalls;
	struct tfs_table_column columns[N_COLUMNS];
	struct tfs_table *table;
	struct tfs_spans *spans;
	struct tfs_pool groups, calls;
	struct tfs_idmap by_task; /* groups */
	struct tfs_idmap by_name; /* calls, by group as well */
	struct tfs_syscall_results *results;
	uint64_t total;
};

static struct tfs_syscalls *to_syscalls(struct tfs_view *view)
{
	return (struct tfs_syscalls *)view;
}

static uint64_t hash_task(uint32_t input, int tid)
{
	return tfs_hash_int((uint64_t)input << 32 | (uint32_t)tid);
}

/* Without tasks, all of a recording have the number 0. */
static uint64_t hash_group(const void *owner, uint32_t id)
{
	const struct tfs_syscalls *s = owner;
	const struct group *g = tfs_pool_at(&s->groups, id);

	return hash_task(g->input, s->opts.by_task ? g->tid : 0);
}

static bool is_group(const void *owner, uint32_t id, const void *key)
{
	const struct tfs_syscalls *s = owner;
	const struct group *g = tfs_pool_at(&s->groups, id);
	const struct tfs_span *span = key;

	return g->input == span->input && (g->tid == span->tid || !s->opts.by_task);
}

/* The number of the span's group; TFS_IDMAP_NONE: no memory */
static uint32_t find_group(struct tfs_syscalls *s, const struct tfs_span *span)
{
	uint64_t hash = hash_task(span->input, s->opts.by_task ? span->tid : 0);
	uint32_t id = tfs_idmap_find(&s->by_task, hash, is_group, s, span);
	struct group *g;

	if (id != TFS_IDMAP_NONE)
		return id;
	g = tfs_pool_add(&s->groups);
	if (!g)
		return TFS_IDMAP_NONE;
	id = (uint32_t)(s->groups.n - 1);
	g->input = span->input;
	g->tid = span->tid;
	return tfs_idmap_add(&s->by_task, id, hash_group, s) ? TFS_IDMAP_NONE : id;
}

static uint64_t hash_key(uint32_t group, uint32_t name)
{
	return tfs_hash_int((uint64_t)group << 32 | name);
}

static uint64_t hash_call(const void *owner, uint32_t id)
{
	const struct call *call = tfs_pool_at(owner, id);

	return hash_key(call->group, call->name);
}

static bool is_call(const void *owner, uint32_t id, const void *key)
{
	const struct call *call = tfs_pool_at(owner, id);
	const struct key *k = key;

	return call->group == k->group && call->name == k->name;
}

static struct call *find_call(struct tfs_syscalls *s, const struct tfs_span *span)
{
	const struct key key = { find_group(s, span), span->name_id };
	struct call *call;
	uint32_t id;

	if (key.group == TFS_IDMAP_NONE)
		return NULL;
	/* The name that a task has in the end */
	((struct group *)tfs_pool_at(&s->groups, key.group))->comm = span->comm_id;
	id = tfs_idmap_find(&s->by_name, hash_key(key.group, key.name), is_call, &s->calls, &key);
	if (id != TFS_IDMAP_NONE)
		return tfs_pool_at(&s->calls, id);
	call = tfs_pool_add(&s->calls);
	if (!call)
		return NULL;
	call->group = key.group;
	call->name = key.name;
	id = (uint32_t)(s->calls.n - 1);
	return tfs_idmap_add(&s->by_name, id, hash_call, &s->calls) ? NULL : call;
}

static uint64_t calls_of(const struct call *call)
{
	return call->stats.n + call->unbegun;
}

static uint64_t errors_of(const struct call *call)
{
	uint64_t n = 0;

	for (size_t i = 0; i < call->n_failed; i++)
		n += call->failed[i].n;
	return n;
}

static int add_error(struct call *call, int64_t error)
{
	size_t i = 0;

	while (i < call->n_failed && call->failed[i].error != error)
		i++;
	if (i == call->n_failed) {
		if (tfs_grow_one(&call->failed, call->n_failed))
			return -ENOMEM;
		call->failed[call->n_failed++] = (struct failed){ .error = error };
	}
	call->failed[i].n++;
	return 0;
}

static int on_span(void *ctx, const struct tfs_span *span)
{
	struct tfs_syscalls *s = ctx;
	struct call *call;
	int64_t result = 1;

	if (span->flags & TFS_SPAN_UNSELECTED)
		return 0;
	tfs_syscall_result(s->results, span, &result);
	call = find_call(s, span);
	if (!call)
		return -ENOMEM;
	if (span->flags & (TFS_SPAN_NO_END | TFS_SPAN_CUT) || !span->last) {
		*(span->flags & TFS_SPAN_CUT ? &call->cut : &call->unfinished) += 1;
		return 0;
	}
	if (span->flags & TFS_SPAN_NO_BEGIN) {
		call->unbegun++;
	} else {
		if (tfs_few_stats_add(&call->stats, span->duration))
			return -ENOMEM;
		s->total += span->duration;
	}
	return tfs_syscall_failed(result) ? add_error(call, -result) : 0;
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	return tfs_spans_event(to_syscalls(view)->spans, event);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	return tfs_spans_lost(to_syscalls(view)->spans, event);
}

/* The most frequent first, then by number */
static int compare_failed(const void *a, const void *b)
{
	const struct failed *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return (x->error > y->error) - (x->error < y->error);
}

/* "ENOENT:12 EAGAIN:3", in text the most frequent; an object in JSON */
static int put_errnos(const struct tfs_syscalls *s, struct call *call, struct tfs_strbuf *out)
{
	bool json = s->opts.style == TFS_EXPORT_JSON;
	int rc = json ? tfs_strbuf_addc(out, '{') : 0;

	if (call->n_failed)
		qsort(call->failed, call->n_failed, sizeof(*call->failed), compare_failed);
	for (size_t i = 0; i < call->n_failed && !rc; i++) {
		const struct failed *f = &call->failed[i];
		const char *name = s->opts.errno_name ? s->opts.errno_name(f->error) : NULL;
		const char *quote = json ? "\"" : "";

		if (i == NAMES_MAX && s->opts.style == TFS_EXPORT_TAB)
			return tfs_strbuf_adds(out, " ...");
		if (i)
			rc = tfs_strbuf_adds(out, json ? "," : " ");
		if (!rc)
			rc = name ? tfs_strbuf_addf(out, "%s%s%s", quote, name, quote) :
				    tfs_strbuf_addf(out, "%s%" PRId64 "%s", quote, f->error, quote);
		if (!rc)
			rc = tfs_strbuf_addf(out, ":%" PRIu64, f->n);
	}
	return rc || !json ? rc : tfs_strbuf_addc(out, '}');
}

static int set_text(struct tfs_table *t, enum column column, const char *s)
{
	return tfs_table_set_text(t, column, s, strlen(s));
}

static int set_names(struct tfs_syscalls *s, const struct call *call)
{
	const struct group *g = tfs_pool_at(&s->groups, call->group);
	const char *comm;
	int rc = set_text(s->table, SYSCALL, tfs_spans_name(s->spans, call->name));

	if (!rc && s->opts.n_traces > 1)
		rc = set_text(s->table, FILE_NAME, s->files[g->input]);
	if (rc || !s->opts.by_task)
		return rc;
	tfs_table_set(s->table, PID, (uint64_t)(int64_t)g->tid);
	comm = tfs_trace_task_name(s->opts.traces[g->input], g->tid,
				   tfs_spans_name(s->spans, g->comm));
	return *comm ? set_text(s->table, COMM, comm) : 0;
}

/* Hundredths of a percent, rounded */
static uint64_t share_of(const struct tfs_syscalls *s, uint64_t time)
{
	return s->total ? (uint64_t)((double)time * 10000 / (double)s->total + 0.5) : 0;
}

static int add_row(struct tfs_syscalls *s, struct call *call)
{
	const struct tfs_stats all = tfs_few_stats_all(&call->stats), *stats = &all;
	struct tfs_strbuf errnos = TFS_STRBUF_INIT;
	struct tfs_table *t = s->table;
	int rc;

	/* Calls that never returned are listed apart. */
	if (!calls_of(call) && s->opts.style == TFS_EXPORT_TAB)
		return 0;
	rc = tfs_table_add(t);
	if (!rc)
		rc = set_names(s, call);
	if (!rc)
		rc = put_errnos(s, call, &errnos);
	if (!rc)
		rc = tfs_table_set_text(t, ERRNOS, errnos.s, errnos.len);
	tfs_strbuf_release(&errnos);
	if (rc)
		return rc;
	tfs_table_set(t, CALLS, calls_of(call));
	tfs_table_set(t, ERRORS, errors_of(call));
	tfs_table_set(t, UNBEGUN, call->unbegun);
	tfs_table_set(t, UNFINISHED, call->unfinished);
	tfs_table_set(t, CUT, call->cut);
	tfs_table_set(t, TOTAL, tfs_stats_sum(stats));
	tfs_table_set(t, SHARE, share_of(s, tfs_stats_sum(stats)));
	if (!stats->n)
		return 0;
	tfs_table_set(t, MEAN, tfs_stats_mean(stats));
	tfs_table_set(t, MIN, stats->min);
	tfs_table_set(t, MAX, stats->max);
	tfs_table_set(t, STDDEV, tfs_stats_stddev(stats));
	return 0;
}

/* Calls that did not return, by name: of all groups */
struct open_call {
	uint32_t name;
	uint64_t n;
};

static int compare_open(const void *a, const void *b)
{
	const struct open_call *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return (x->name > y->name) - (x->name < y->name);
}

static int count_open(const struct tfs_syscalls *s, struct open_call **open, size_t *n)
{
	const struct call *call;
	size_t i, k;

	tfs_pool_for_each(&s->calls, i, call)
	{
		if (!call->unfinished)
			continue;
		for (k = 0; k < *n && (*open)[k].name != call->name; k++)
			;
		if (k == *n) {
			if (tfs_grow_one(open, *n))
				return -ENOMEM;
			(*open)[(*n)++] = (struct open_call){ .name = call->name };
		}
		(*open)[k].n += call->unfinished;
	}
	return 0;
}

/* "12 calls did not return: exit_group 10, poll 2" */
static int note_open(struct tfs_syscalls *s)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct open_call *open = NULL;
	uint64_t all = 0;
	size_t n = 0;
	int rc = count_open(s, &open, &n);

	if (!rc)
		rc = tfs_strbuf_adds(&text, "calls did not return:");
	if (n)
		qsort(open, n, sizeof(*open), compare_open);
	for (size_t i = 0; i < n && !rc; i++) {
		all += open[i].n;
		if (i < NAMES_MAX)
			rc = tfs_strbuf_addf(&text, "%s %s %" PRIu64, i ? "," : "",
					     tfs_spans_name(s->spans, open[i].name), open[i].n);
		else if (i == NAMES_MAX)
			rc = tfs_strbuf_adds(&text, ", ...");
	}
	if (!rc && all)
		rc = tfs_table_note(s->table, "unfinished", all, text.s);
	tfs_strbuf_release(&text);
	free(open);
	return rc;
}

/* The sums; what is not in them */
static int add_notes(struct tfs_syscalls *s)
{
	const struct tfs_spans_counts *counts = tfs_spans_counts(s->spans);
	uint64_t calls = 0, errors = 0, unbegun = 0, cut = 0;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	const struct call *call;
	size_t i;
	int rc = 0;

	tfs_pool_for_each(&s->calls, i, call)
	{
		calls += calls_of(call);
		errors += errors_of(call);
		unbegun += call->unbegun;
		cut += call->cut;
	}
	if (s->opts.style == TFS_EXPORT_TAB) {
		rc = tfs_strbuf_addf(&text, "%s in all, %" PRIu64 " with errors",
				     calls == 1 ? "call" : "calls", errors);
		if (!rc && calls)
			rc = tfs_table_note(s->table, "calls", calls, text.s);
		if (!rc)
			rc = note_open(s);
		if (!rc && unbegun)
			rc = tfs_table_note(s->table, "unbegun", unbegun,
					    unbegun == 1 ? "call began before it was recorded; its "
							   "time is not known" :
							   "calls began before they were recorded; "
							   "their time is not known");
		if (!rc && cut)
			rc = tfs_table_note(s->table, "cut", cut,
					    cut == 1 ? "call was open where events were lost" :
						       "calls were open where events were lost");
	}
	tfs_strbuf_release(&text);
	if (!rc)
		rc = tfs_table_lost(s->table, counts->lost, counts->uncounted);
	return rc ? rc : tfs_table_missing(s->table, counts->missing, counts->more_cpus);
}

static void release_rows(struct tfs_syscalls *s)
{
	struct call *call;
	size_t i;

	tfs_pool_for_each(&s->calls, i, call)
	{
		tfs_few_stats_release(&call->stats);
		free(call->failed);
	}
	tfs_pool_release(&s->calls);
	tfs_pool_release(&s->groups);
	tfs_idmap_release(&s->by_task);
	tfs_idmap_release(&s->by_name);
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tfs_syscalls *s = to_syscalls(view);
	int rc = tfs_spans_end(s->spans);
	struct call *call;
	size_t i;

	(void)err;
	tfs_pool_for_each(&s->calls, i, call) rc = rc ? rc : add_row(s, call);
	if (!rc)
		rc = add_notes(s);
	release_rows(s);
	return rc ? rc : tfs_table_print(s->table, out);
}

static int text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)text;
	(void)len;
	(void)out;
	return tfs_err_say(err, -EOPNOTSUPP,
			   "the recording is a latency tracer's text, which has no system calls");
}

static void free_view(struct tfs_view *view)
{
	struct tfs_syscalls *s = to_syscalls(view);

	release_rows(s);
	tfs_syscall_results_free(s->results);
	tfs_spans_free(s->spans);
	tfs_table_free(s->table);
	free(s->files);
	free(s->syscalls);
	free(s);
}

static const struct tfs_view_ops ops = {
	.event = event,
	.lost = lost,
	.text = text,
	.end = end,
	.free = free_view,
};

static int make_table(struct tfs_syscalls *s, struct tfs_err *err)
{
	const struct tfs_syscalls_opts *o = &s->opts;
	const struct tfs_table_opts table = {
		.columns = s->columns,
		.n_columns = N_COLUMNS,
		.style = o->style,
		.flags = (o->inert ? TFS_TABLE_INERT : 0) | (o->counts ? TFS_TABLE_COUNTS : 0),
		.order = "total,calls",
		.sort = o->sort,
		.top = o->top,
		.sum = CALLS,
		.sum_noun = "calls",
		.none = "no system call was recorded: record raw_syscalls, or syscalls",
		.view = &s->view,
	};

	memcpy(s->columns, all_columns, sizeof(s->columns));
	if (o->n_traces < 2)
		s->columns[FILE_NAME].flags |= TFS_TABLE_HIDDEN;
	if (!o->by_task) {
		s->columns[PID].flags |= TFS_TABLE_HIDDEN;
		s->columns[COMM].flags |= TFS_TABLE_HIDDEN;
	}
	if (o->counts)
		s->columns[TOTAL].heading = s->columns[MEAN].heading = NULL;
	return tfs_table_new(&table, &s->table, err);
}

static int make_spans(struct tfs_syscalls *s, struct tfs_err *err)
{
	static const struct tfs_span_ops span_ops = { .span = on_span };
	struct tfs_spans_opts spans = {
		.traces = s->opts.traces,
		.n = s->opts.n_traces,
		.kinds = 1 << TFS_SPAN_SYSCALL,
		.syscall = s->opts.syscall,
		.ops = &span_ops,
		.ctx = s,
	};

	s->files = calloc(s->opts.n_traces, sizeof(*s->files));
	s->syscalls = calloc(s->opts.n_traces, sizeof(*s->syscalls));
	if (!s->files || !s->syscalls ||
	    tfs_syscall_results_new(s->opts.traces, s->opts.n_traces, &s->results))
		return -ENOMEM;
	for (size_t i = 0; i < s->opts.n_traces; i++) {
		s->files[i] = s->opts.files[i];
		s->syscalls[i] = s->opts.syscalls[i];
	}
	spans.syscalls = s->syscalls;
	return tfs_spans_new(&spans, &s->spans, err);
}

int tfs_syscalls_new(const struct tfs_syscalls_opts *opts, struct tfs_view **view,
		     struct tfs_err *err)
{
	struct tfs_syscalls *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return -ENOMEM;
	s->view.ops = &ops;
	s->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING | TFS_VIEW_OWN_NAMES;
	s->opts = *opts;
	s->groups = TFS_POOL_INIT(struct group);
	s->calls = TFS_POOL_INIT(struct call);
	rc = make_table(s, err);
	if (!rc)
		rc = make_spans(s, err);
	if (rc)
		tfs_view_free(&s->view);
	else
		*view = &s->view;
	return rc;
}
