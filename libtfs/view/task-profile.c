/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/task-profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/few-stats.h"
#include "base/hashmap.h"
#include "base/idmap.h"
#include "base/json.h"
#include "base/pool.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "pipeline/view.h"
#include "view/table.h"

/* Cells of a row, in their order */
enum {
	FILE_NAME,
	TASK,
	PID,
	RUNS,
	RUN,
	RUN_MEAN,
	RUN_MAX,
	RUN_MIN,
	RUN_STDDEV,
	SLEEP,
	BLOCKED,
	PREEMPTED,
	RUNNABLE,
	STOPPED,
	WAKEUPS,
	DELAYS,
	DELAY_MEAN,
	DELAY_MAX,
	DELAY_MAX_AT,
	MIGRATIONS,
	EVENTS,
	BY_EVENT,
	UNKNOWN,
	CUT,
	COLUMNS,
};

#define NS(name_, heading_, flags_)                                                           \
	{                                                                                     \
		.name = name_, .heading = heading_, .kind = TFS_CELL_NS, .unit = NS_PER_MSEC, \
		.digits = 3, .flags = (flags_) | TFS_TABLE_UNIT                               \
	}
#define N(name_, flags_)                                               \
	{                                                              \
		.name = name_, .kind = TFS_CELL_COUNT, .flags = flags_ \
	}

static const struct tfs_table_column columns[COLUMNS] = {
	[FILE_NAME] = { .name = "file", .kind = TFS_CELL_TEXT },
	[TASK] = { .name = "task", .kind = TFS_CELL_TEXT },
	[PID] = { .name = "pid", .kind = TFS_CELL_SIGNED, .flags = TFS_TABLE_ASCENDING },
	[RUNS] = N("runs", 0),
	[RUN] = NS("run", NULL, 0),
	[RUN_MEAN] = NS("run_mean", "MEAN", 0),
	[RUN_MAX] = NS("run_max", "MAX", 0),
	[RUN_MIN] = NS("run_min", NULL, TFS_TABLE_EXACT),
	[RUN_STDDEV] = NS("run_stddev", NULL, TFS_TABLE_EXACT),
	[SLEEP] = NS("sleep", NULL, 0),
	[BLOCKED] = NS("blocked", NULL, 0),
	[PREEMPTED] = NS("preempted", NULL, 0),
	[RUNNABLE] = NS("runnable", NULL, 0),
	[STOPPED] = NS("stopped", NULL, TFS_TABLE_EXACT),
	[WAKEUPS] = N("wakeups", 0),
	[DELAYS] = N("delays", TFS_TABLE_EXACT),
	[DELAY_MEAN] = NS("delay_mean", "DELAY", 0),
	[DELAY_MAX] = NS("delay_max", "MAX", 0),
	[DELAY_MAX_AT] = { .name = "delay_max_at",
			   .heading = "AT",
			   .kind = TFS_CELL_TIME,
			   .flags = TFS_TABLE_ASCENDING },
	[MIGRATIONS] = N("migrations", 0),
	[EVENTS] = N("events", 0),
	[BY_EVENT] = { .name = "by_event",
		       .kind = TFS_CELL_ENCODED,
		       .flags = TFS_TABLE_EXACT | TFS_TABLE_OPTIONAL },
	[UNKNOWN] = N("unknown", TFS_TABLE_EXACT),
	[CUT] = N("cut", TFS_TABLE_EXACT),
};

/* How many events of a type the task recorded */
struct by_event {
	uint32_t type;
	uint64_t n;
};

/*
 * Figures that only some tasks have.
 * @wait: time in states other than sleep
 * @unknown: runs without a known beginning; @cut: states and runs ended by lost events
 */
struct more {
	uint64_t wait[TFS_TASK_STATES];
	uint64_t migrations, unknown, cut;
	struct by_event *by_event;
	size_t n_types, last_type;
};

/*
 * A task of one recording; there may be a million of them.
 * @comm: the last name that is known, or NULL; of the model, or (@is_copy) of its own
 * @cpu: where it ran last, -1: not yet
 * @run: of runs with a known beginning
 * @delay: from when it could run until it did; @worst: when the longest began
 * @sleep: time asleep
 */
struct row {
	uint32_t input;
	int tid, cpu;
	bool is_copy;
	const char *comm;
	struct tfs_few_stats run, delay;
	uint64_t worst, sleep, wakeups, events;
	struct more *more;
};

struct profile {
	struct tfs_view view;
	struct tfs_task_profile_opts opts;
	struct tfs_table_column columns[COLUMNS];
	struct tfs_table *table;
	struct tfs_spans *spans;
	struct tfs_pool rows;
	struct tfs_idmap by_task; /* of a recording */
	struct row *last;
};

/* The figures of a row without more */
static const struct more nothing;

static const struct more *more_of(const struct row *row)
{
	return row->more ? row->more : &nothing;
}

/* To change it; NULL: no memory */
static struct more *make_more(struct row *row)
{
	if (!row->more)
		row->more = calloc(1, sizeof(*row->more));
	return row->more;
}

static uint64_t hash_task(uint32_t input, int tid)
{
	return tfs_hash_int((uint64_t)input << 32 | (uint32_t)tid);
}

static uint64_t hash_row(const void *owner, uint32_t id)
{
	const struct row *row = tfs_pool_at(owner, id);

	return hash_task(row->input, row->tid);
}

static bool is_row(const void *owner, uint32_t id, const void *key)
{
	const struct row *row = tfs_pool_at(owner, id), *wanted = key;

	return row->input == wanted->input && row->tid == wanted->tid;
}

static struct row *row_of(struct profile *p, uint32_t input, int tid)
{
	const struct row key = { .input = input, .tid = tid, .cpu = -1 };
	struct row *row = p->last;
	uint32_t id;

	if (row && row->input == input && row->tid == tid)
		return row;
	id = tfs_idmap_find(&p->by_task, hash_task(input, tid), is_row, &p->rows, &key);
	row = id == TFS_IDMAP_NONE ? tfs_pool_add(&p->rows) : tfs_pool_at(&p->rows, id);
	if (row && id == TFS_IDMAP_NONE) {
		*row = key;
		if (tfs_idmap_add(&p->by_task, (uint32_t)(p->rows.n - 1), hash_row, &p->rows))
			return NULL;
	}
	p->last = row;
	return row;
}

static void set_comm(struct row *row, const char *comm, bool is_copy)
{
	if (row->is_copy)
		free((char *)row->comm);
	row->comm = comm;
	row->is_copy = is_copy;
}

/* A run that was not seen to end is none; one whose beginning is not known takes no time. */
static int add_run(struct row *row, const struct tfs_span *span)
{
	const bool cut = span->flags & TFS_SPAN_CUT, unknown = span->flags & TFS_SPAN_NO_BEGIN;
	const bool moved = row->cpu >= 0 && row->cpu != span->cpu;

	if (!cut && span->flags & TFS_SPAN_NO_END)
		return 0;
	if ((cut || unknown || moved) && !make_more(row))
		return -ENOMEM;
	if (cut) {
		row->more->cut++;
		return 0;
	}
	if (moved)
		row->more->migrations++;
	row->cpu = span->cpu;
	if (!unknown)
		return tfs_few_stats_add(&row->run, span->duration);
	row->more->unknown++;
	return 0;
}

static int add_delay(struct row *row, const struct tfs_span *span)
{
	if (!row->delay.n || span->duration > tfs_few_stats_max(&row->delay))
		row->worst = span->begin;
	return tfs_few_stats_add(&row->delay, span->duration);
}

static int add_state(struct row *row, const struct tfs_span *span)
{
	const bool cut = span->flags & TFS_SPAN_CUT;

	row->wakeups += span->state == TFS_TASK_RUNNABLE;
	if (span->state == TFS_TASK_RUNNING || (!cut && span->flags & TFS_SPAN_OPEN))
		return 0;
	if (!cut && span->state == TFS_TASK_SLEEPING) {
		row->sleep += span->duration;
		return 0;
	}
	/* Runnable time is the delay without the time preempted. */
	if (!cut && span->state == TFS_TASK_RUNNABLE)
		return add_delay(row, span);
	if (!make_more(row))
		return -ENOMEM;
	if (cut) {
		row->more->cut++;
		return 0;
	}
	row->more->wait[span->state] += span->duration;
	return span->state == TFS_TASK_PREEMPTED ? add_delay(row, span) : 0;
}

static int on_span(void *ctx, const struct tfs_span *span)
{
	struct profile *p = ctx;
	struct row *row;
	int rc;

	if (!span->tid || span->flags & TFS_SPAN_UNSELECTED)
		return 0;
	row = row_of(p, span->input, span->tid);
	if (!row)
		return -ENOMEM;
	rc = span->kind == TFS_SPAN_RUN ? add_run(row, span) : add_state(row, span);
	if (*span->comm)
		set_comm(row, span->comm, false);
	return rc;
}

static const struct tfs_span_ops span_ops = { .span = on_span };

static int count_type(struct more *more, uint32_t type)
{
	size_t i = more ? more->last_type : 0;

	if (!more)
		return -ENOMEM;
	if (i >= more->n_types || more->by_event[i].type != type) {
		for (i = 0; i < more->n_types && more->by_event[i].type != type; i++)
			;
		if (i == more->n_types) {
			if (tfs_grow_one(&more->by_event, more->n_types))
				return -ENOMEM;
			more->by_event[more->n_types++] = (struct by_event){ .type = type };
		}
		more->last_type = i;
	}
	more->by_event[i].n++;
	return 0;
}

static int count_event(struct profile *p, const struct tfs_event *event)
{
	struct row *row = row_of(p, event->input, event->pid);
	char *comm;

	if (!row)
		return -ENOMEM;
	row->events++;
	if (!row->comm && event->task) {
		comm = strdup(event->task->comm);
		if (!comm)
			return -ENOMEM;
		set_comm(row, comm, true);
	}
	/* Only JSON has them. */
	return p->opts.style == TFS_EXPORT_JSON ? count_type(make_more(row), event->type->index) :
						  0;
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct profile *p = (struct profile *)view;
	int rc = 0;

	(void)state;
	(void)out;
	if (event->selected && event->pid && event->type)
		rc = count_event(p, event);
	return rc ? rc : tfs_spans_event(p->spans, event);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	return tfs_spans_lost(((struct profile *)view)->spans, event);
}

static int by_count(const void *a, const void *b)
{
	const struct by_event *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return (x->type > y->type) - (x->type < y->type);
}

/* {"sched:sched_switch":12,...}, the most frequent first */
static int set_by_event(struct profile *p, struct row *row)
{
	const struct tfs_event_index *index = tfs_trace_index(p->opts.spans.traces[row->input]);
	struct tfs_strbuf json = TFS_STRBUF_INIT, name = TFS_STRBUF_INIT;
	const struct more *more = more_of(row);
	int rc = tfs_strbuf_addc(&json, '{');

	if (more->n_types)
		qsort(more->by_event, more->n_types, sizeof(*more->by_event), by_count);
	for (size_t i = 0; i < more->n_types && !rc; i++) {
		const struct tfs_event_type *type = &index->types[more->by_event[i].type];

		tfs_strbuf_reset(&name);
		rc = tfs_strbuf_addf(&name, "%s:%.*s", type->system, (int)type->name_len,
				     type->name);
		if (!rc && i)
			rc = tfs_strbuf_addc(&json, ',');
		if (!rc)
			rc = tfs_json_string(&json, name.s, name.len);
		if (!rc)
			rc = tfs_strbuf_addf(&json, ":%" PRIu64, more->by_event[i].n);
	}
	if (!rc)
		rc = tfs_strbuf_addc(&json, '}');
	if (!rc)
		rc = tfs_table_set_text(p->table, BY_EVENT, json.s, json.len);
	tfs_strbuf_release(&json);
	tfs_strbuf_release(&name);
	return rc;
}

static void set_times(struct tfs_table *t, const struct row *row)
{
	const struct tfs_stats run = tfs_few_stats_all(&row->run);
	const struct tfs_stats delay = tfs_few_stats_all(&row->delay);
	const uint64_t *wait = more_of(row)->wait;

	tfs_table_set(t, RUN, tfs_stats_sum(&run));
	tfs_table_set(t, SLEEP, row->sleep + wait[TFS_TASK_IDLE]);
	tfs_table_set(t, BLOCKED, wait[TFS_TASK_BLOCKED]);
	tfs_table_set(t, PREEMPTED, wait[TFS_TASK_PREEMPTED]);
	tfs_table_set(t, RUNNABLE, delay.sum[0] - wait[TFS_TASK_PREEMPTED]);
	tfs_table_set(t, STOPPED, wait[TFS_TASK_STOPPED] + wait[TFS_TASK_PARKED]);
	if (run.n) {
		tfs_table_set(t, RUN_MEAN, tfs_stats_mean(&run));
		tfs_table_set(t, RUN_MAX, run.max);
		tfs_table_set(t, RUN_MIN, run.min);
		tfs_table_set(t, RUN_STDDEV, tfs_stats_stddev(&run));
	}
	if (delay.n) {
		tfs_table_set(t, DELAY_MEAN, tfs_stats_mean(&delay));
		tfs_table_set(t, DELAY_MAX, delay.max);
		tfs_table_set(t, DELAY_MAX_AT, row->worst);
	}
}

static int put_row(struct profile *p, struct row *row)
{
	const char *file = p->opts.files ? p->opts.files[row->input] : "";
	const char *comm =
		tfs_trace_task_name(p->opts.spans.traces[row->input], row->tid, row->comm);
	const struct more *more = more_of(row);
	const uint64_t runs = row->run.n + more->unknown;
	struct tfs_table *t = p->table;
	int rc;

	/* It was seen to begin to run, and nothing more. */
	if (!runs && !row->wakeups && !row->events)
		return 0;
	rc = tfs_table_add(t);
	if (!rc)
		rc = tfs_table_set_text(t, FILE_NAME, file, strlen(file));
	if (!rc)
		rc = tfs_table_set_text(t, TASK, comm, strlen(comm));
	if (!rc && p->opts.style == TFS_EXPORT_JSON)
		rc = set_by_event(p, row);
	if (rc)
		return rc;
	tfs_table_set(t, PID, (uint64_t)(int64_t)row->tid);
	tfs_table_set(t, RUNS, runs);
	tfs_table_set(t, WAKEUPS, row->wakeups);
	tfs_table_set(t, DELAYS, row->delay.n);
	tfs_table_set(t, MIGRATIONS, more->migrations);
	tfs_table_set(t, EVENTS, row->events);
	tfs_table_set(t, UNKNOWN, more->unknown);
	tfs_table_set(t, CUT, more->cut);
	set_times(t, row);
	return 0;
}

static int put_notes(struct profile *p)
{
	const struct tfs_spans_counts *counts = tfs_spans_counts(p->spans);
	uint64_t unknown = 0, cut = 0;
	struct row *row;
	size_t i;
	int rc = 0;

	tfs_pool_for_each(&p->rows, i, row)
	{
		unknown += more_of(row)->unknown;
		cut += more_of(row)->cut;
	}
	if (unknown)
		rc = tfs_table_note(p->table, "unknown", unknown,
				    "runs began before they were recorded");
	if (!rc && counts->made)
		rc = tfs_table_note(p->table, "made", counts->made,
				    "switches between threads of the recorder were not recorded: "
				    "until the next switch the time is the first one's");
	if (!rc && cut)
		rc = tfs_table_note(p->table, "cut", cut,
				    "runs and waits were cut off by lost events");
	if (!rc)
		rc = tfs_table_lost(p->table, counts->lost, counts->uncounted > 0);
	return rc ? rc : tfs_table_missing(p->table, counts->missing, counts->more_cpus);
}

static void release_row(struct row *row)
{
	set_comm(row, NULL, false);
	tfs_few_stats_release(&row->run);
	tfs_few_stats_release(&row->delay);
	if (row->more)
		free(row->more->by_event);
	free(row->more);
	row->more = NULL;
}

static void release_rows(struct profile *p)
{
	struct row *row;
	size_t i;

	tfs_pool_for_each(&p->rows, i, row) release_row(row);
	tfs_pool_release(&p->rows);
	tfs_idmap_release(&p->by_task);
	p->last = NULL;
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct profile *p = (struct profile *)view;
	struct row *row;
	size_t i;
	int rc = tfs_spans_end(p->spans);

	(void)err;
	if (!rc)
		rc = put_notes(p);
	tfs_idmap_release(&p->by_task);
	tfs_pool_for_each(&p->rows, i, row)
	{
		rc = rc ? rc : put_row(p, row);
		release_row(row);
		tfs_pool_drop(&p->rows, i);
	}
	p->last = NULL;
	tfs_pool_release(&p->rows);
	return rc ? rc : tfs_table_print(p->table, out);
}

static int text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)text;
	(void)len;
	(void)out;
	return tfs_err_say(err, -EOPNOTSUPP,
			   "the recording is a latency tracer's text, which has no events");
}

static void free_profile(struct tfs_view *view)
{
	struct profile *p = (struct profile *)view;

	release_rows(p);
	tfs_spans_free(p->spans);
	tfs_table_free(p->table);
	free(p);
}

static const struct tfs_view_ops ops = {
	.event = event,
	.lost = lost,
	.text = text,
	.end = end,
	.free = free_profile,
};

static int new_table(struct profile *p, struct tfs_err *err)
{
	const struct tfs_table_opts opts = {
		.columns = p->columns,
		.n_columns = COLUMNS,
		.style = p->opts.style,
		.flags = (p->opts.flags & TFS_TASK_PROFILE_INERT ? TFS_TABLE_INERT : 0) |
			 (p->opts.flags & TFS_TASK_PROFILE_COUNTS ? TFS_TABLE_COUNTS : 0),
		.order = "run,runs,pid",
		.sort = p->opts.sort,
		.top = p->opts.top,
		.none = "no task was seen to run: record sched:sched_switch and sched:sched_waking",
		.view = &p->view,
	};

	memcpy(p->columns, columns, sizeof(columns));
	if (p->opts.spans.n < 2)
		p->columns[FILE_NAME].flags |= TFS_TABLE_EXACT | TFS_TABLE_SHOWN;
	if (p->opts.style == TFS_EXPORT_CSV)
		p->columns[BY_EVENT].flags |= TFS_TABLE_SHOWN;
	return tfs_table_new(&opts, &p->table, err);
}

int tfs_task_profile_new(const struct tfs_task_profile_opts *opts, struct tfs_view **view,
			 struct tfs_err *err)
{
	struct profile *p = calloc(1, sizeof(*p));
	int rc = p ? 0 : -ENOMEM;

	if (rc)
		return tfs_err_set(err, rc, "cannot prepare the report");
	p->view.ops = &ops;
	p->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING | TFS_VIEW_OWN_NAMES;
	p->opts = *opts;
	p->rows = TFS_POOL_INIT(struct row);
	p->opts.spans.kinds = 1u << TFS_SPAN_RUN | 1u << TFS_SPAN_STATE;
	p->opts.spans.records = 0;
	p->opts.spans.ops = &span_ops;
	p->opts.spans.ctx = p;
	rc = new_table(p, err);
	if (!rc)
		rc = tfs_spans_new(&p->opts.spans, &p->spans, err);
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot prepare the report");
	if (rc)
		tfs_view_free(&p->view);
	else
		*view = &p->view;
	return rc;
}
