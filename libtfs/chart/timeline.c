/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/json.h"
#include "base/macros.h"
#include "base/out-file.h"
#include "base/strbuf.h"
#include "chart/page.h"
#include "chart/slices.h"
#include "chart/timeline-events.h"
#include "chart/timeline-rows.h"
#include "chart/timeline-slices.h"
#include "decode/event-text.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "pipeline/view.h"
#include "span/span.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"

/* Version of the layout of columns, for who reads pages with other programs */
#define LAYOUT 1
#define TEXT_MAX 4096 /* bytes of an event's text */
#define GAPS_MAX 1000000

struct gap {
	uint32_t input, cpu, missing;
	uint64_t begin, end, count;
};

struct timeline {
	struct tfs_view view;
	struct tfs_timeline_opts opts;
	const char **files; /* copies of the arrays of opts */
	const void **syscalls;
	struct tfs_out_file *file;
	struct tfs_spans *spans;
	struct tfs_event_text **text; /* of each recording */
	struct tfs_timeline_rows rows;
	struct tfs_slices *slices;
	struct tfs_timeline_events *events;
	struct tfs_strbuf line;
	struct gap *gap;
	size_t n_gaps, alloc_gaps;
	bool begun;
	uint64_t base, now; /* the first time stamp; ns from it to the latest */
	uint64_t end;       /* ns to the last thing that is shown */
	uint64_t late, gaps_left_out, cut;
};

/* ns since the first event; nothing is before that */
static uint64_t from_base(struct timeline *t, uint64_t ts)
{
	if (!t->begun) {
		t->begun = true;
		t->base = ts;
	}
	ts = ts > t->base ? ts - t->base : 0;
	if (ts > t->end)
		t->end = ts;
	return ts;
}

static uint32_t name_of(const struct tfs_span *span, uint32_t task)
{
	if (span->kind == TFS_SPAN_RUN)
		return TFS_SLICE_TASK | task;
	if (span->kind == TFS_SPAN_STATE)
		return TFS_SLICE_STATE | (uint32_t)span->state;
	return span->name_id;
}

static int on_span(void *ctx, const struct tfs_span *span)
{
	struct timeline *t = ctx;
	struct tfs_slice slice = { .cpu = (uint32_t)span->cpu, .flags = span->flags };
	struct tfs_timeline_task *task;
	struct tfs_timeline_row *row;
	uint32_t id;
	int rc;

	/* CPUs are idle where nothing runs */
	if (span->flags & TFS_SPAN_UNSELECTED || (span->kind == TFS_SPAN_RUN && !span->tid))
		return 0;
	id = tfs_timeline_task(&t->rows, span->input, span->tid);
	if (id == TFS_IDMAP_NONE)
		return -ENOMEM;
	task = tfs_timeline_task_at(&t->rows, id);
	if (!task->comm)
		task->comm = span->comm_id;
	slice.begin = from_base(t, span->begin);
	slice.dur = from_base(t, span->end) - slice.begin;
	slice.name = name_of(span, id);
	rc = tfs_timeline_place(&t->rows, span, slice.begin, &row);
	if (rc || !row)
		return rc;
	if (row->n && slice.begin < row->end) {
		slice.dur -= row->end - slice.begin < slice.dur ? row->end - slice.begin :
								  slice.dur;
		slice.begin = row->end;
	}
	if (span->kind == TFS_SPAN_STATE && span->state == TFS_TASK_RUNNING)
		tfs_timeline_task_ran(task, slice.dur);
	else if (row->kind == TFS_TIMELINE_CALLS && !row->depth)
		tfs_timeline_task_called(task, slice.dur);
	if (!row->n++)
		row->begin = slice.begin;
	row->end = slice.begin + slice.dur;
	slice.row = row->index;
	return tfs_slices_add(t->slices, &slice);
}

static int on_gap(void *ctx, const struct tfs_span_gap *gap)
{
	struct timeline *t = ctx;

	if (t->n_gaps >= GAPS_MAX) {
		t->gaps_left_out++;
		return 0;
	}
	if (tfs_grow(&t->gap, &t->alloc_gaps, t->n_gaps + 1))
		return -ENOMEM;
	t->gap[t->n_gaps++] = (struct gap){ gap->input,
					    (uint32_t)gap->cpu,
					    gap->missing,
					    from_base(t, gap->begin),
					    from_base(t, gap->end),
					    gap->count };
	return 0;
}

/* The text that tc-report prints, as far as the page keeps it */
static int make_text(struct timeline *t, const struct tfs_event *event)
{
	int rc = 0;

	tfs_strbuf_reset(&t->line);
	if (event->type)
		rc = tfs_event_text_line(t->text[event->input], event, &t->line);
	tfs_strbuf_rtrim(&t->line);
	if (!rc && t->line.len > TEXT_MAX) {
		t->line.len = TEXT_MAX;
		rc = tfs_strbuf_adds(&t->line, "...");
		t->cut++;
	}
	return rc;
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct timeline *t = (struct timeline *)view;
	uint64_t time = from_base(t, event->rec.ts);
	struct tfs_timeline_task *task;
	uint32_t id;
	int rc = tfs_spans_event(t->spans, event);

	(void)state;
	(void)out;
	if (rc || !event->selected)
		return rc;
	if (time < t->now)
		t->late++;
	else
		t->now = time;
	id = tfs_timeline_task(&t->rows, event->input, event->pid);
	if (id == TFS_IDMAP_NONE)
		return -ENOMEM;
	task = tfs_timeline_task_at(&t->rows, id);
	/* Names that the file holds are looked up at the end. */
	if (!task->comm && !event->task)
		task->comm = tfs_spans_comm(t->spans, event);
	task->events += task->events < UINT32_MAX;
	rc = make_text(t, event);
	return rc ? rc : tfs_timeline_events_add(t->events, event, t->now, id, &t->line);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct timeline *t = (struct timeline *)view;

	(void)state;
	(void)out;
	from_base(t, event->rec.ts);
	return tfs_spans_lost(t->spans, event);
}

static int note(struct tfs_strbuf *notes, uint64_t n, const char *what)
{
	int rc = n ? tfs_strbuf_addf(notes, "%" PRIu64 " %s", n, what) : 0;

	return rc || !n ? rc : tfs_strbuf_add(notes, "", 1);
}

/* Numbers above 2^53 are texts. */
static void put_u64(struct tfs_json *j, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	tfs_json_text(j, key, text);
}

/* As the kernel of the recording calls itself */
static void put_uname(struct tfs_json *j, const struct tfs_dat *dat)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, TFS_DAT_UNAME);
	char text[256];

	snprintf(text, sizeof(text), "%s", o ? o->data.data : "");
	tfs_json_text(j, "uname", text);
}

static void put_file(struct tfs_json *j, const struct tfs_timeline_opts *o, size_t i)
{
	const struct tfs_dat *dat = tfs_trace_dat(o->traces[i]);

	tfs_json_open(j, NULL, '{');
	tfs_json_text(j, "name", o->files[i]);
	put_uname(j, dat);
	tfs_json_text(j, "clock", tfs_dat_n_buffers(dat) ? tfs_dat_buffer(dat, 0)->clock : "");
	tfs_json_int(j, "cpus", tfs_dat_info(dat)->cpus);
	tfs_json_close(j, '}');
}

static int make_meta(const struct timeline *t, uint32_t names, struct tfs_json *j)
{
	const struct tfs_spans_counts *counts = tfs_spans_counts(t->spans);
	size_t i;

	tfs_json_open(j, NULL, '{');
	tfs_json_int(j, "layout", LAYOUT);
	tfs_json_open(j, "files", '[');
	for (i = 0; i < t->opts.n; i++)
		put_file(j, &t->opts, i);
	tfs_json_close(j, ']');
	put_u64(j, "base", t->base);
	put_u64(j, "end", t->end);
	put_u64(j, "lost", counts->lost);
	put_u64(j, "uncounted", counts->uncounted);
	put_u64(j, "missing", counts->missing);
	tfs_json_int(j, "names", names);
	tfs_json_open(j, "states", '[');
	for (i = 0; i < TFS_TASK_STATES; i++)
		tfs_json_text(j, NULL, tfs_task_state_name((enum tfs_task_state)i));
	tfs_json_close(j, ']');
	tfs_json_close(j, '}');
	return j->rc;
}

static int write_names(const struct timeline *t, struct tfs_page *page, uint32_t *n)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	const char *name;
	int rc = 0;

	for (*n = 0; !rc && (name = tfs_spans_name(t->spans, *n)); ++*n)
		rc = page ? tfs_strbuf_add(&names, name, strlen(name) + 1) : 0;
	if (!rc && page)
		rc = tfs_page_column(page, "name", 1, names.s, names.len);
	tfs_strbuf_release(&names);
	return rc;
}

static int write_pairs(const struct timeline *t, struct tfs_page *page)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	const char *name;
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && (name = tfs_spans_pair(t->spans, i)); i++)
		rc = tfs_strbuf_add(&names, name, strlen(name) + 1);
	if (!rc)
		rc = tfs_page_column(page, "pair", 1, names.s, names.len);
	tfs_strbuf_release(&names);
	return rc;
}

static int write_tasks(const struct timeline *t, struct tfs_page *page)
{
	struct tfs_strbuf comms = TFS_STRBUF_INIT;
	struct tfs_column *tid = NULL, *input = NULL;
	const struct tfs_timeline_task *task;
	const char *comm;
	size_t i;
	int rc, end;

	rc = tfs_column_open(page, "tasktid", 4, &tid);
	if (!rc)
		rc = tfs_column_open(page, "taskinput", 4, &input);
	for (i = 0; i < t->rows.tasks.n && !rc; i++) {
		task = tfs_pool_at(&t->rows.tasks, i);
		comm = tfs_trace_task_name(t->opts.traces[task->input], task->tid,
					   tfs_spans_name(t->spans, task->comm));
		if (!*comm)
			comm = TFS_TASK_UNKNOWN;
		rc = tfs_column_add(tid, &task->tid, 1);
		if (!rc)
			rc = tfs_column_add(input, &task->input, 1);
		if (!rc)
			rc = tfs_strbuf_add(&comms, comm, strlen(comm) + 1);
	}
	end = tfs_column_close(tid);
	rc = rc ? rc : end;
	end = tfs_column_close(input);
	rc = rc ? rc : end;
	if (!rc)
		rc = tfs_page_column(page, "taskname", 1, comms.s, comms.len);
	tfs_strbuf_release(&comms);
	return rc;
}

static int write_gaps(const struct timeline *t, struct tfs_page *page)
{
	static const char *const names[] = { "gapinput", "gapcpu", "gapmissing",
					     "gapbegin", "gapend", "gapcount" };
	struct tfs_column *c[ARRAY_SIZE(names)] = { NULL };
	size_t i;
	int rc = 0, end;

	for (i = 0; i < ARRAY_SIZE(names) && !rc; i++)
		rc = tfs_column_open(page, names[i], i < 3 ? 4 : 8, &c[i]);
	for (i = 0; i < t->n_gaps && !rc; i++) {
		const struct gap *g = &t->gap[i];

		rc = tfs_column_add(c[0], &g->input, 1);
		rc = rc ? rc : tfs_column_add(c[1], &g->cpu, 1);
		rc = rc ? rc : tfs_column_add(c[2], &g->missing, 1);
		rc = rc ? rc : tfs_column_add(c[3], &g->begin, 1);
		rc = rc ? rc : tfs_column_add(c[4], &g->end, 1);
		rc = rc ? rc : tfs_column_add(c[5], &g->count, 1);
	}
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		end = tfs_column_close(c[i]);
		rc = rc ? rc : end;
	}
	return rc;
}

static int write_columns(struct timeline *t, struct tfs_page *page, uint32_t names)
{
	struct tfs_strbuf notes = TFS_STRBUF_INIT;
	struct tfs_timeline_slices slices = {
		.page = page,
		.slices = t->slices,
		.rows = &t->rows,
		.names = names,
		.notes = &notes,
	};
	uint64_t max = t->opts.max_page, events = tfs_timeline_events_bytes(t->events), used;
	int rc = write_names(t, page, &names);

	if (!rc)
		rc = write_pairs(t, page);
	if (!rc)
		rc = write_tasks(t, page);
	if (!rc)
		rc = write_gaps(t, page);
	used = tfs_page_bytes(page) + events;
	slices.room = max > used ? max - used : 0;
	if (!rc)
		rc = tfs_timeline_slices_write(&slices);
	used = tfs_page_bytes(page) + events;
	if (!rc)
		rc = tfs_timeline_events_write(t->events, page, max > used ? max - used : 0,
					       &notes);
	if (!rc)
		rc = note(&notes, t->rows.left_out,
			  "spans are left out: a page has at most 65536 rows");
	if (!rc)
		rc = note(&notes, tfs_spans_counts(t->spans)->more_cpus,
			  "recordings may have had more CPUs, of which nothing is left");
	if (!rc)
		rc = note(&notes, t->gaps_left_out, "further gaps of lost events are left out");
	if (!rc)
		rc = note(&notes, t->late,
			  "events with earlier time stamps than the one before are at its time");
	if (!rc)
		rc = note(&notes, t->cut, "texts are cut after 4096 bytes");
	if (!rc)
		rc = tfs_page_column(page, "note", 1, notes.s, notes.len);
	tfs_strbuf_release(&notes);
	return rc;
}

static int write_page(struct timeline *t)
{
	struct tfs_json meta = TFS_JSON_INIT;
	struct tfs_strbuf title = TFS_STRBUF_INIT;
	struct tfs_page *page = NULL;
	uint32_t names = 0;
	size_t i;
	int rc = write_names(t, NULL, &names);

	for (i = 0; i < t->opts.n && !rc; i++)
		rc = tfs_strbuf_addf(&title, "%s%s", i ? ", " : "", t->opts.files[i]);
	if (!rc)
		rc = make_meta(t, names, &meta);
	if (!rc)
		rc = tfs_page_begin(tfs_out_file_out(t->file), &tfs_page_timeline, title.s,
				    meta.text.s, &page);
	if (!rc)
		rc = write_columns(t, page, names);
	if (!rc)
		rc = tfs_page_end(page);
	tfs_page_free(page);
	tfs_json_release(&meta);
	tfs_strbuf_release(&title);
	return rc;
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct timeline *t = (struct timeline *)view;
	int rc = tfs_spans_end(t->spans);

	(void)out;
	if (!rc)
		rc = tfs_timeline_sort(&t->rows);
	if (!rc)
		rc = tfs_slices_sort(t->slices, (uint32_t)t->rows.n);
	if (!rc)
		rc = write_page(t);
	if (rc)
		return tfs_err_set(err, rc, "cannot write '%s'", t->opts.path);
	return tfs_out_file_commit(t->file, err);
}

static void timeline_free(struct tfs_view *view)
{
	struct timeline *t = (struct timeline *)view;
	size_t i;

	if (!t)
		return;
	for (i = 0; t->text && i < t->opts.n; i++)
		tfs_event_text_free(t->text[i]);
	free(t->text);
	tfs_spans_free(t->spans);
	tfs_timeline_rows_release(&t->rows);
	tfs_slices_free(t->slices);
	tfs_timeline_events_free(t->events);
	tfs_strbuf_release(&t->line);
	tfs_out_file_free(t->file);
	free(t->gap);
	free(t->files);
	free(t->syscalls);
	free(t);
}

static const struct tfs_view_ops timeline_ops = {
	.event = event,
	.lost = lost,
	.end = end,
	.free = timeline_free,
};

/* The caller's arrays do not outlive the call; recordings and names do. */
static int copy_arrays(struct timeline *t)
{
	size_t i;

	t->files = calloc(t->opts.n, sizeof(*t->files));
	t->syscalls = calloc(t->opts.n, sizeof(*t->syscalls));
	if (!t->files || !t->syscalls)
		return -ENOMEM;
	for (i = 0; i < t->opts.n; i++) {
		t->files[i] = t->opts.files[i];
		t->syscalls[i] = t->opts.syscalls ? t->opts.syscalls[i] : NULL;
	}
	t->opts.files = t->files;
	return 0;
}

static int open_texts(struct timeline *t)
{
	size_t i;
	int rc = 0;

	t->text = calloc(t->opts.n, sizeof(struct tfs_event_text *));
	for (i = 0; t->text && i < t->opts.n && !rc; i++)
		rc = tfs_event_text_new(t->opts.traces[i], TFS_EVENT_TEXT_FORMATTED, &t->text[i]);
	return t->text ? rc : -ENOMEM;
}

int tfs_timeline_new(const struct tfs_timeline_opts *opts, struct tfs_view **view,
		     struct tfs_err *err)
{
	static const struct tfs_span_ops ops = { .span = on_span, .gap = on_gap };
	struct timeline *t = calloc(1, sizeof(*t));
	struct tfs_spans_opts spans = {
		.traces = opts->traces,
		.n = opts->n,
		.kinds = TFS_SPAN_ALL,
		.pairs = opts->pairs,
		.syscall = opts->syscall,
		.ops = &ops,
		.ctx = t,
	};
	int rc;

	if (!t)
		return tfs_err_set(err, -ENOMEM, "cannot prepare '%s'", opts->path);
	t->view.ops = &timeline_ops;
	t->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING | TFS_VIEW_EVENT_TEXT |
			TFS_VIEW_OWN_NAMES;
	t->opts = *opts;
	t->rows = TFS_TIMELINE_ROWS_INIT;
	tfs_strbuf_init(&t->line);
	rc = copy_arrays(t);
	spans.syscalls = t->syscalls;
	rc = rc ? tfs_err_set(err, rc, "cannot prepare '%s'", opts->path) :
		  tfs_spans_new(&spans, &t->spans, err);
	if (rc) {
		timeline_free(&t->view);
		return rc;
	}
	rc = open_texts(t);
	if (!rc)
		rc = tfs_slices_new(TFS_SLICES_MEMORY, &t->slices);
	if (!rc)
		rc = tfs_timeline_events_new(&t->events);
	rc = rc ? tfs_err_set(err, rc, "cannot prepare '%s'", opts->path) :
		  tfs_out_file_open(opts->path, &t->file, err);
	if (rc) {
		timeline_free(&t->view);
		return rc;
	}
	*view = &t->view;
	return 0;
}
