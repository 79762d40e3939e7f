/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/wakeups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/few-stats.h"
#include "base/hashmap.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "pipeline/view.h"
#include "span/span.h"
#include "view/table.h"

/* Bits of common_flags: enum trace_flag_type of the kernel */
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10
#define FLAG_NMI 0x40

enum column {
	FILE_NAME,
	WAKER_COMM,
	WAKER_PID,
	COMM,
	PID,
	CONTEXT,
	COUNT,
	SHARE,
	MEAN,
	MAX,
	MAX_AT,
	MIN,
	TOTAL,
	UNKNOWN,
	N_COLUMNS,
};

#define US .unit = 1000, .digits = 3, .width = 11

static const struct tfs_table_column all_columns[N_COLUMNS] = {
	[FILE_NAME] = { .name = "file", .kind = TFS_CELL_TEXT },
	[WAKER_COMM] = { .name = "waker_comm", .heading = "WAKER", .kind = TFS_CELL_TEXT },
	[WAKER_PID] = { .name = "waker_pid",
			.heading = "PID",
			.kind = TFS_CELL_SIGNED,
			.flags = TFS_TABLE_ASCENDING,
			.width = 7 },
	[COMM] = { .name = "comm", .heading = "TASK", .kind = TFS_CELL_TEXT },
	[PID] = { .name = "pid",
		  .kind = TFS_CELL_SIGNED,
		  .flags = TFS_TABLE_ASCENDING,
		  .width = 7 },
	[CONTEXT] = { .name = "context", .kind = TFS_CELL_TEXT },
	[COUNT] = { .name = "count",
		    .kind = TFS_CELL_COUNT,
		    .flags = TFS_TABLE_FIRST,
		    .width = 10 },
	[SHARE] = { .name = "share",
		    .kind = TFS_CELL_PERCENT,
		    .flags = TFS_TABLE_FIRST,
		    .width = 7 },
	[MEAN] = { .name = "mean",
		   .kind = TFS_CELL_NS,
		   .flags = TFS_TABLE_FIRST | TFS_TABLE_UNIT,
		   US },
	[MAX] = { .name = "max",
		  .kind = TFS_CELL_NS,
		  .flags = TFS_TABLE_FIRST | TFS_TABLE_UNIT,
		  US },
	[MAX_AT] = { .name = "max_at",
		     .kind = TFS_CELL_TIME,
		     .flags = TFS_TABLE_EXACT | TFS_TABLE_ASCENDING },
	[MIN] = { .name = "min", .kind = TFS_CELL_NS, .flags = TFS_TABLE_EXACT },
	[TOTAL] = { .name = "total", .kind = TFS_CELL_NS, .flags = TFS_TABLE_EXACT },
	[UNKNOWN] = { .name = "unknown", .kind = TFS_CELL_COUNT, .flags = TFS_TABLE_EXACT },
};

enum context { IN_TASK, IN_SOFTIRQ, IN_HARDIRQ, IN_NMI };

static const char *const context_names[] = { "task", "softirq", "hardirq", "nmi" };

struct key {
	uint32_t input;
	int waker; /* 0 of interrupts */
	int wakee;
	enum context context;
};

/* A row. @unknown: wakeups after which the task was not seen to run; the others are in @stats. */
struct pair {
	struct key key;
	uint64_t unknown, max_at;
	struct tfs_few_stats stats;
};

/* The name that a task had last */
struct named {
	uint32_t input;
	int tid;
	uint32_t comm;
};

struct tfs_wakeups {
	struct tfs_view view;
	struct tfs_wakeups_opts opts;
	const char **files;
	struct tfs_table_column columns[N_COLUMNS];
	struct tfs_table *table;
	struct tfs_spans *spans;
	struct tfs_pool pairs, names;
	struct tfs_idmap by_key, by_task;
	uint64_t total;
};

static struct tfs_wakeups *to_wakeups(struct tfs_view *view)
{
	return (struct tfs_wakeups *)view;
}

static bool has_key(const void *owner, uint32_t id, const void *key)
{
	const struct pair *p = tfs_pool_at(owner, id);

	return !memcmp(&p->key, key, sizeof(p->key));
}

static uint64_t hash_key(const struct key *key)
{
	uint64_t hash = tfs_hash_int((uint64_t)(uint32_t)key->waker << 32 | (uint32_t)key->wakee);

	return tfs_hash_int(hash ^ (uint64_t)key->input << 32 ^ key->context);
}

static uint64_t hash_pair(const void *owner, uint32_t id)
{
	return hash_key(&((const struct pair *)tfs_pool_at(owner, id))->key);
}

static struct pair *find_pair(struct tfs_wakeups *w, const struct key *key)
{
	uint32_t id = tfs_idmap_find(&w->by_key, hash_key(key), has_key, &w->pairs, key);
	struct pair *p;

	if (id != TFS_IDMAP_NONE)
		return tfs_pool_at(&w->pairs, id);
	p = tfs_pool_add(&w->pairs);
	if (!p)
		return NULL;
	p->key = *key;
	return tfs_idmap_add(&w->by_key, (uint32_t)(w->pairs.n - 1), hash_pair, &w->pairs) ? NULL :
											     p;
}

static bool is_named(const void *owner, uint32_t id, const void *key)
{
	const struct named *n = tfs_pool_at(owner, id), *wanted = key;

	return n->input == wanted->input && n->tid == wanted->tid;
}

static uint64_t hash_task(uint32_t input, int tid)
{
	return tfs_hash_int((uint64_t)input << 32 | (uint32_t)tid);
}

static uint64_t hash_named(const void *owner, uint32_t id)
{
	const struct named *n = tfs_pool_at(owner, id);

	return hash_task(n->input, n->tid);
}

static int learn_name(struct tfs_wakeups *w, const struct tfs_span *span)
{
	const struct named key = { span->input, span->tid, span->comm_id };
	uint32_t id = tfs_idmap_find(&w->by_task, hash_task(span->input, span->tid), is_named,
				     &w->names, &key);
	struct named *n = id == TFS_IDMAP_NONE ? tfs_pool_add(&w->names) :
						 tfs_pool_at(&w->names, id);

	if (!n)
		return -ENOMEM;
	*n = key;
	return id == TFS_IDMAP_NONE ? tfs_idmap_add(&w->by_task, (uint32_t)(w->names.n - 1),
						    hash_named, &w->names) :
				      0;
}

/* "" if it is not known */
static const char *name_of(const struct tfs_wakeups *w, uint32_t input, int tid)
{
	const struct named key = { .input = input, .tid = tid };
	uint32_t id = tfs_idmap_find(&w->by_task, hash_task(input, tid), is_named, &w->names, &key);
	const struct named *n = id == TFS_IDMAP_NONE ? NULL : tfs_pool_at(&w->names, id);

	return tfs_trace_task_name(w->opts.traces[input], tid,
				   n ? tfs_spans_name(w->spans, n->comm) : NULL);
}

static enum context context_of(unsigned int flags)
{
	return flags & FLAG_NMI     ? IN_NMI :
	       flags & FLAG_HARDIRQ ? IN_HARDIRQ :
	       flags & FLAG_SOFTIRQ ? IN_SOFTIRQ :
				      IN_TASK;
}

/* Is it one that a wakeup began? */
static bool is_wakeup(const struct tfs_span *span)
{
	const struct tfs_event_type *type = span->first ? span->first->type : NULL;

	return span->state == TFS_TASK_RUNNABLE && type && !strncmp(type->name, "sched_wak", 9);
}

static int on_span(void *ctx, const struct tfs_span *span)
{
	struct tfs_wakeups *w = ctx;
	const struct tfs_trace *trace = w->opts.traces[span->input];
	struct tfs_record rec = { 0 };
	struct key key;
	struct pair *p;
	int rc = learn_name(w, span);

	if (rc || span->flags & TFS_SPAN_UNSELECTED || !is_wakeup(span))
		return rc;
	rec.data = span->first->data;
	rec.size = span->first->size;
	/* Compared as bytes */
	memset(&key, 0, sizeof(key));
	key.input = span->input;
	key.context = context_of(tfs_trace_record_flags(trace, &rec));
	key.waker = key.context == IN_TASK ? tfs_trace_record_pid(trace, &rec) : 0;
	key.wakee = span->tid;
	p = find_pair(w, &key);
	if (!p)
		return -ENOMEM;
	w->total++;
	if (span->flags & TFS_SPAN_OPEN || !span->last) {
		p->unknown++;
		return 0;
	}
	if (!p->stats.n || span->duration > tfs_few_stats_max(&p->stats))
		p->max_at = span->begin;
	return tfs_few_stats_add(&p->stats, span->duration);
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	return tfs_spans_event(to_wakeups(view)->spans, event);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	return tfs_spans_lost(to_wakeups(view)->spans, event);
}

static int set_text(struct tfs_table *t, enum column column, const char *s)
{
	return *s ? tfs_table_set_text(t, column, s, strlen(s)) : 0;
}

static int set_names(struct tfs_wakeups *w, const struct pair *p)
{
	int rc = 0;

	if (w->opts.n_traces > 1)
		rc = set_text(w->table, FILE_NAME, w->files[p->key.input]);
	if (!rc)
		rc = set_text(w->table, CONTEXT, context_names[p->key.context]);
	if (!rc)
		rc = set_text(w->table, COMM, name_of(w, p->key.input, p->key.wakee));
	tfs_table_set(w->table, PID, (uint64_t)(int64_t)p->key.wakee);
	if (rc || p->key.context != IN_TASK)
		return rc;
	tfs_table_set(w->table, WAKER_PID, (uint64_t)(int64_t)p->key.waker);
	return set_text(w->table, WAKER_COMM, name_of(w, p->key.input, p->key.waker));
}

static int add_row(struct tfs_wakeups *w, const struct pair *p)
{
	const struct tfs_stats stats = tfs_few_stats_all(&p->stats);
	const uint64_t count = stats.n + p->unknown;
	struct tfs_table *t = w->table;
	int rc = tfs_table_add(t);

	if (!rc)
		rc = set_names(w, p);
	if (rc)
		return rc;
	tfs_table_set(t, COUNT, count);
	/* Hundredths of a percent, rounded */
	tfs_table_set(t, SHARE, (uint64_t)((double)count * 10000 / (double)w->total + 0.5));
	tfs_table_set(t, UNKNOWN, p->unknown);
	if (!stats.n)
		return 0;
	tfs_table_set(t, MEAN, tfs_stats_mean(&stats));
	tfs_table_set(t, MAX, stats.max);
	tfs_table_set(t, MAX_AT, p->max_at);
	tfs_table_set(t, MIN, stats.min);
	tfs_table_set(t, TOTAL, tfs_stats_sum(&stats));
	return 0;
}

static void release_rows(struct tfs_wakeups *w)
{
	struct pair *p;
	size_t i;

	tfs_pool_for_each(&w->pairs, i, p) tfs_few_stats_release(&p->stats);
	tfs_pool_release(&w->pairs);
	tfs_pool_release(&w->names);
	tfs_idmap_release(&w->by_key);
	tfs_idmap_release(&w->by_task);
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tfs_wakeups *w = to_wakeups(view);
	const struct tfs_spans_counts *counts = tfs_spans_counts(w->spans);
	int rc = tfs_spans_end(w->spans);
	const struct pair *p;
	uint64_t unknown = 0;
	size_t i;

	(void)err;
	tfs_pool_for_each(&w->pairs, i, p)
	{
		unknown += p->unknown;
		rc = rc ? rc : add_row(w, p);
	}
	release_rows(w);
	if (!rc && unknown && w->opts.style == TFS_EXPORT_TAB)
		rc = tfs_table_note(w->table, "unknown", unknown,
				    "of these wakeups: the task was not seen to run after it");
	if (!rc)
		rc = tfs_table_lost(w->table, counts->lost, counts->uncounted);
	if (!rc)
		rc = tfs_table_missing(w->table, counts->missing, counts->more_cpus);
	return rc ? rc : tfs_table_print(w->table, out);
}

static int text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)text;
	(void)len;
	(void)out;
	return tfs_err_say(err, -EOPNOTSUPP,
			   "the recording is a latency tracer's text, which has no wakeups");
}

static void free_view(struct tfs_view *view)
{
	struct tfs_wakeups *w = to_wakeups(view);

	release_rows(w);
	tfs_spans_free(w->spans);
	tfs_table_free(w->table);
	free(w->files);
	free(w);
}

static const struct tfs_view_ops ops = {
	.event = event,
	.lost = lost,
	.text = text,
	.end = end,
	.free = free_view,
};

static int make_table(struct tfs_wakeups *w, struct tfs_err *err)
{
	const struct tfs_wakeups_opts *o = &w->opts;
	const struct tfs_table_opts table = {
		.columns = w->columns,
		.n_columns = N_COLUMNS,
		.style = o->style,
		.flags = (o->inert ? TFS_TABLE_INERT : 0) | (o->counts ? TFS_TABLE_COUNTS : 0),
		.order = "count",
		.sort = o->sort,
		.top = o->top,
		.sum = COUNT,
		.sum_noun = "wakeups",
		.none = "no wakeup was recorded: record sched:sched_switch and sched:sched_waking",
		.view = &w->view,
	};

	memcpy(w->columns, all_columns, sizeof(w->columns));
	if (o->n_traces < 2)
		w->columns[FILE_NAME].flags |= TFS_TABLE_HIDDEN;
	return tfs_table_new(&table, &w->table, err);
}

int tfs_wakeups_new(const struct tfs_wakeups_opts *opts, struct tfs_view **view,
		    struct tfs_err *err)
{
	static const struct tfs_span_ops span_ops = { .span = on_span };
	struct tfs_wakeups *w = calloc(1, sizeof(*w));
	struct tfs_spans_opts spans = {
		.traces = opts->traces,
		.n = opts->n_traces,
		.kinds = 1 << TFS_SPAN_STATE,
		.records = 1 << TFS_SPAN_STATE,
		.states = 1 << TFS_TASK_RUNNABLE,
		.ops = &span_ops,
		.ctx = w,
	};
	int rc;

	if (!w)
		return -ENOMEM;
	w->view.ops = &ops;
	w->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING | TFS_VIEW_OWN_NAMES;
	w->opts = *opts;
	w->pairs = TFS_POOL_INIT(struct pair);
	w->names = TFS_POOL_INIT(struct named);
	w->files = calloc(opts->n_traces + 1, sizeof(*w->files));
	rc = w->files ? make_table(w, err) : -ENOMEM;
	if (!rc)
		rc = tfs_spans_new(&spans, &w->spans, err);
	for (size_t i = 0; !rc && i < opts->n_traces; i++)
		w->files[i] = opts->files[i];
	if (rc)
		tfs_view_free(&w->view);
	else
		*view = &w->view;
	return rc;
}
