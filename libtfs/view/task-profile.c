/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/task-profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/hashmap.h"
#include "base/json.h"
#include "base/stats.h"
#include "base/strbuf.h"
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

#define NS(name_, heading_, flags_)                                                       \
	{                                                                                 \
		.name = name_, .heading = heading_, .kind = TFS_CELL_NS, .unit = 1000000, \
		.digits = 3, .flags = flags_                                              \
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
 * A task of one recording.
 * @comm_id: of @comm, the last name that is known
 * @wait: time in each state; @cpu: where it ran last, -1: not yet
 * @delay: from when it could run until it did; @worst: when the longest began
 * @unknown: states and runs without a known beginning or end; @cut: ended by lost events
 */
struct row {
	uint32_t input, comm_id;
	int tid, cpu;
	char *comm;
	struct tfs_stats run, delay;
	uint64_t wait[TFS_TASK_STATES];
	uint64_t runs, wakeups, migrations, worst, events, unknown, cut;
	struct by_event *by_event;
	size_t n_types, alloc_types, last_type;
};

struct profile {
	struct tfs_view view;
	struct tfs_task_profile_opts opts;
	struct tfs_table_column columns[COLUMNS];
	struct tfs_table *table;
	struct tfs_spans *spans;
	struct tfs_hashmap rows; /* by recording and task */
	struct row *last;
};

static struct row *row_of(struct profile *p, uint32_t input, int tid)
{
	uint64_t key = (uint64_t)input << 32 | (uint32_t)tid;
	struct row *row = p->last;

	if (row && row->input == input && row->tid == tid)
		return row;
	row = tfs_hashmap_int(&p->rows, key);
	if (!row) {
		row = calloc(1, sizeof(*row));
		if (!row || tfs_hashmap_add(&p->rows, tfs_hash_int(key), row)) {
			free(row);
			return NULL;
		}
		row->input = input;
		row->tid = tid;
		row->cpu = -1;
		row->comm_id = UINT32_MAX;
	}
	p->last = row;
	return row;
}

static int name_row(struct row *row, const struct tfs_span *span)
{
	char *comm;

	if (row->comm_id == span->comm_id || !*span->comm)
		return 0;
	comm = strdup(span->comm);
	if (!comm)
		return -ENOMEM;
	free(row->comm);
	row->comm = comm;
	row->comm_id = span->comm_id;
	return 0;
}

/* A run that was not seen to end is none; one whose beginning is not known takes no time. */
static void add_run(struct row *row, const struct tfs_span *span)
{
	if (span->flags & TFS_SPAN_CUT) {
		row->cut++;
		return;
	}
	if (span->flags & TFS_SPAN_NO_END)
		return;
	row->migrations += row->cpu >= 0 && row->cpu != span->cpu;
	row->cpu = span->cpu;
	row->runs++;
	if (span->flags & TFS_SPAN_NO_BEGIN)
		row->unknown++;
	else
		tfs_stats_add(&row->run, span->duration);
}

static void add_state(struct row *row, const struct tfs_span *span)
{
	bool waits = span->state == TFS_TASK_RUNNABLE || span->state == TFS_TASK_PREEMPTED;

	row->wakeups += span->state == TFS_TASK_RUNNABLE;
	if (span->state == TFS_TASK_RUNNING)
		return;
	if (span->flags & TFS_SPAN_CUT)
		row->cut++;
	if (span->flags & TFS_SPAN_OPEN)
		return;
	row->wait[span->state] += span->duration;
	if (!waits)
		return;
	if (!row->delay.n || span->duration > row->delay.max)
		row->worst = span->begin;
	tfs_stats_add(&row->delay, span->duration);
}

static int on_span(void *ctx, const struct tfs_span *span)
{
	struct profile *p = ctx;
	struct row *row;

	if (!span->tid || span->flags & TFS_SPAN_UNSELECTED)
		return 0;
	row = row_of(p, span->input, span->tid);
	if (!row)
		return -ENOMEM;
	if (span->kind == TFS_SPAN_RUN)
		add_run(row, span);
	else
		add_state(row, span);
	return name_row(row, span);
}

static const struct tfs_span_ops span_ops = { .span = on_span };

static int count_type(struct row *row, uint32_t type)
{
	size_t i = row->last_type;

	if (i >= row->n_types || row->by_event[i].type != type) {
		for (i = 0; i < row->n_types && row->by_event[i].type != type; i++)
			;
		if (i == row->n_types) {
			if (tfs_grow(&row->by_event, &row->alloc_types, i + 1))
				return -ENOMEM;
			row->by_event[row->n_types++] = (struct by_event){ .type = type };
		}
		row->last_type = i;
	}
	row->by_event[i].n++;
	return 0;
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct profile *p = (struct profile *)view;
	struct row *row;
	int rc = 0;

	(void)state;
	(void)out;
	if (event->selected && event->pid && event->type) {
		row = row_of(p, event->input, event->pid);
		rc = row ? count_type(row, event->type->index) : -ENOMEM;
		if (row)
			row->events++;
		if (row && !row->comm && event->task) {
			row->comm = strdup(event->task->comm);
			rc = row->comm ? rc : -ENOMEM;
		}
	}
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
	int rc = tfs_strbuf_addc(&json, '{');

	if (row->n_types)
		qsort(row->by_event, row->n_types, sizeof(*row->by_event), by_count);
	for (size_t i = 0; i < row->n_types && !rc; i++) {
		const struct tfs_event_type *type = &index->types[row->by_event[i].type];

		tfs_strbuf_reset(&name);
		rc = tfs_strbuf_addf(&name, "%s:%.*s", type->system, (int)type->name_len,
				     type->name);
		if (!rc && i)
			rc = tfs_strbuf_addc(&json, ',');
		if (!rc)
			rc = tfs_json_string(&json, name.s, name.len);
		if (!rc)
			rc = tfs_strbuf_addf(&json, ":%" PRIu64, row->by_event[i].n);
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
	tfs_table_set(t, RUN, tfs_stats_sum(&row->run));
	tfs_table_set(t, SLEEP, row->wait[TFS_TASK_SLEEPING] + row->wait[TFS_TASK_IDLE]);
	tfs_table_set(t, BLOCKED, row->wait[TFS_TASK_BLOCKED]);
	tfs_table_set(t, PREEMPTED, row->wait[TFS_TASK_PREEMPTED]);
	tfs_table_set(t, RUNNABLE, row->wait[TFS_TASK_RUNNABLE]);
	tfs_table_set(t, STOPPED, row->wait[TFS_TASK_STOPPED] + row->wait[TFS_TASK_PARKED]);
	if (row->run.n) {
		tfs_table_set(t, RUN_MEAN, tfs_stats_mean(&row->run));
		tfs_table_set(t, RUN_MAX, row->run.max);
		tfs_table_set(t, RUN_MIN, row->run.min);
		tfs_table_set(t, RUN_STDDEV, tfs_stats_stddev(&row->run));
	}
	if (row->delay.n) {
		tfs_table_set(t, DELAY_MEAN, tfs_stats_mean(&row->delay));
		tfs_table_set(t, DELAY_MAX, row->delay.max);
		tfs_table_set(t, DELAY_MAX_AT, row->worst);
	}
}

static int put_row(struct profile *p, struct row *row)
{
	struct tfs_table *t = p->table;
	const char *file = p->opts.files ? p->opts.files[row->input] : "";
	const char *comm =
		tfs_trace_task_name(p->opts.spans.traces[row->input], row->tid, row->comm);
	int rc;

	/* It was seen to begin to run, and nothing more. */
	if (!row->runs && !row->wakeups && !row->events)
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
	tfs_table_set(t, RUNS, row->runs);
	tfs_table_set(t, WAKEUPS, row->wakeups);
	tfs_table_set(t, DELAYS, row->delay.n);
	tfs_table_set(t, MIGRATIONS, row->migrations);
	tfs_table_set(t, EVENTS, row->events);
	tfs_table_set(t, UNKNOWN, row->unknown);
	tfs_table_set(t, CUT, row->cut);
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

	tfs_hashmap_for_each(&p->rows, i, row)
	{
		unknown += row->unknown;
		cut += row->cut;
	}
	if (unknown)
		rc = tfs_table_note(p->table, "unknown", unknown,
				    "runs began before they were recorded");
	if (!rc && cut)
		rc = tfs_table_note(p->table, "cut", cut,
				    "runs and waits were cut off by lost events");
	if (!rc)
		rc = tfs_table_lost(p->table, counts->lost, counts->uncounted > 0);
	return rc ? rc : tfs_table_missing(p->table, counts->missing);
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct profile *p = (struct profile *)view;
	struct row *row;
	size_t i;
	int rc = tfs_spans_end(p->spans);

	(void)err;
	tfs_hashmap_for_each(&p->rows, i, row) rc = rc ? rc : put_row(p, row);
	if (!rc)
		rc = put_notes(p);
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
	struct row *row;
	size_t i;

	tfs_hashmap_for_each(&p->rows, i, row)
	{
		free(row->comm);
		free(row->by_event);
		free(row);
	}
	tfs_hashmap_release(&p->rows);
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
	p->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING;
	p->opts = *opts;
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
