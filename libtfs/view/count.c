/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/hashmap.h"
#include "base/strbuf-core.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "pipeline/view.h"
#include "tracedat/dat-read.h"
#include "view/export-internal.h"
#include "view/table.h"

/*
 * Events whose cells are the same: the row that an export writes of them, without its end, comes
 * after the ends of its cells.
 */
struct row {
	uint64_t n;
	uint32_t len, n_cells;
	uint32_t end[];
};

/* The row of an event that was just written */
struct written {
	const char *text;
	uint32_t len, n_cells;
	const uint32_t *end;
};

/* Counts of a thread, and in the end of the view. */
struct counts {
	struct tfs_hashmap rows;
	uint64_t total, others, lost, missing;
	bool uncounted;
};

struct tfs_count {
	struct tfs_view view;
	struct tfs_view **exports; /* one for each recording: writes the rows */
	size_t n_exports;
	enum tfs_export_style style;
	struct tfs_table_column *columns; /* @n_columns that were asked for, and two */
	size_t n_columns;
	struct tfs_table *table;
	uint64_t more_cpus; /* recordings that may have had them */
	struct counts counts;
};

struct thread {
	void **states; /* of @exports */
	struct tfs_strbuf key;
	uint32_t *cell_end;
	struct counts counts;
};

static struct tfs_count *to_count(struct tfs_view *view)
{
	return (struct tfs_count *)view;
}

static const char *text_of(const struct row *row)
{
	return (const char *)(row->end + row->n_cells);
}

static bool has_key(const void *entry, const void *key)
{
	const struct row *row = entry;
	const struct written *w = key;

	return row->len == w->len && !memcmp(text_of(row), w->text, w->len);
}

static int add(struct counts *counts, const struct written *w, uint64_t n)
{
	uint64_t hash = tfs_hash64(TFS_HASH64_INIT, w->text, w->len);
	size_t ends = w->n_cells * sizeof(*w->end);
	struct row *row;

	hash ^= hash >> 32;
	row = tfs_hashmap_find(&counts->rows, hash, has_key, w);
	if (row) {
		row->n += n;
		return 0;
	}
	row = malloc(sizeof(*row) + ends + w->len);
	if (!row || tfs_hashmap_add(&counts->rows, hash, row)) {
		free(row);
		return -ENOMEM;
	}
	row->n = n;
	row->len = w->len;
	row->n_cells = w->n_cells;
	memcpy(row->end, w->end, ends);
	memcpy(row->end + w->n_cells, w->text, w->len);
	return 0;
}

static void release(struct counts *counts)
{
	struct row *row;
	size_t i;

	tfs_hashmap_for_each(&counts->rows, i, row) free(row);
	tfs_hashmap_release(&counts->rows);
}

static int thread_end(struct tfs_view *view, void *state)
{
	struct tfs_count *c = to_count(view);
	struct thread *t = state;
	struct row *row;
	size_t i;
	int rc = 0;

	if (!t)
		return 0;
	tfs_hashmap_for_each(&t->counts.rows, i, row)
	{
		const struct written w = { text_of(row), row->len, row->n_cells, row->end };

		rc = rc ? rc : add(&c->counts, &w, row->n);
	}
	c->counts.total += t->counts.total;
	c->counts.others += t->counts.others;
	c->counts.lost += t->counts.lost;
	c->counts.missing += t->counts.missing;
	c->counts.uncounted |= t->counts.uncounted;
	for (i = 0; t->states && i < c->n_exports; i++)
		c->exports[i]->ops->thread_end(c->exports[i], t->states[i]);
	free(t->states);
	free(t->cell_end);
	tfs_strbuf_release(&t->key);
	release(&t->counts);
	free(t);
	return rc;
}

static int thread_begin(struct tfs_view *view, void **state)
{
	struct tfs_count *c = to_count(view);
	struct thread *t = calloc(1, sizeof(*t));
	int rc = 0;

	*state = t;
	if (!t)
		return -ENOMEM;
	tfs_strbuf_init(&t->key);
	t->states = calloc(c->n_exports, sizeof(*t->states));
	t->cell_end = calloc(c->n_columns, sizeof(*t->cell_end));
	if (!t->states || !t->cell_end)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_exports && !rc; i++) {
		struct tfs_export_state *s;

		rc = c->exports[i]->ops->thread_begin(c->exports[i], &t->states[i]);
		s = t->states[i];
		if (!rc)
			s->cell_end = t->cell_end;
	}
	return rc;
}

/* Has the event all fields that were named? 1, 0, -ENOMEM */
static int has_fields(struct tfs_export_state *s, const struct tfs_event *event)
{
	const struct tfs_columns *columns = &s->export->columns;
	const struct tfs_export_type *type = NULL;
	int rc = event->type ? tfs_export_type(s, event->type, &type) : 0;

	for (size_t i = 0; i < columns->n && !rc; i++) {
		enum tfs_column_kind kind = columns->column[i].kind;

		if ((kind == TFS_COLUMN_FIELD && (!type || !type->field[i])) ||
		    (kind == TFS_COLUMN_SYMBOL && (!type || !type->symbol)))
			return 0;
	}
	return rc ? rc : 1;
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct tfs_count *c = to_count(view);
	struct tfs_view *export = c->exports[event->input];
	struct thread *t = state;
	struct written w;
	int rc;

	(void)out;
	/* A stack is part of the event before it. */
	if (event->type && tfs_type_is_stack(event->type))
		return 0;
	rc = has_fields(t->states[event->input], event);
	if (rc < 0)
		return rc;
	if (!rc) {
		t->counts.others++;
		return 0;
	}
	tfs_strbuf_reset(&t->key);
	rc = export->ops->event(export, t->states[event->input], event, &t->key);
	if (rc)
		return rc;
	t->counts.total++;
	/* Without the end of the row: "\n", and of an object "}\n" */
	w.text = t->key.s;
	w.len = (uint32_t)t->key.len - (c->style == TFS_EXPORT_JSON ? 2 : 1);
	w.n_cells = (uint32_t)c->n_columns;
	w.end = t->cell_end;
	return add(&t->counts, &w, 1);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct thread *t = state;

	(void)view;
	(void)out;
	if (event->missing)
		t->counts.missing++;
	else if (event->rec.lost > 0)
		t->counts.lost += (uint64_t)event->rec.lost;
	else
		t->counts.uncounted = true;
	return 0;
}

/* In hundredths of a percent, rounded */
static uint64_t share_of(const struct tfs_count *c, uint64_t n)
{
	return (uint64_t)((double)n * 10000 / (double)c->counts.total + 0.5);
}

/* The cell without what is before it: the separator, and a key of JSON with its comma */
static int set_cell(struct tfs_count *c, const struct row *row, size_t i)
{
	const struct tfs_export *r = (struct tfs_export *)c->exports[0];
	size_t start = i ? row->end[i - 1] : 0, len = row->end[i] - start;
	size_t skip = i ? 1 : 0;
	const char *cell;

	if (c->style == TFS_EXPORT_JSON)
		skip = r->key_end[i] - (i ? r->key_end[i - 1] : 0);
	cell = text_of(row) + start + skip;
	len -= skip;
	if (!len || (c->style == TFS_EXPORT_JSON && len == 4 && !memcmp(cell, "null", 4)))
		return 0;
	return tfs_table_set_text(c->table, i, cell, len);
}

static int add_row(struct tfs_count *c, const struct row *row)
{
	int rc = tfs_table_add(c->table);

	for (size_t i = 0; i < c->n_columns && !rc; i++)
		rc = set_cell(c, row, i);
	if (rc)
		return rc;
	tfs_table_set(c->table, c->n_columns, row->n);
	tfs_table_set(c->table, c->n_columns + 1, share_of(c, row->n));
	return 0;
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tfs_count *c = to_count(view);
	struct row *row;
	size_t i;
	int rc = 0;

	(void)err;
	tfs_hashmap_for_each(&c->counts.rows, i, row) rc = rc ? rc : add_row(c, row);
	if (!rc && c->counts.others && c->style == TFS_EXPORT_TAB)
		rc = tfs_table_note(c->table, "others", c->counts.others,
				    "events without these fields");
	if (!rc)
		rc = tfs_table_lost(c->table, c->counts.lost, c->counts.uncounted);
	if (!rc)
		rc = tfs_table_missing(c->table, c->counts.missing, c->more_cpus);
	return rc ? rc : tfs_table_print(c->table, out);
}

/* There is nothing to count in what a latency tracer wrote. */
static int text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)text;
	(void)len;
	(void)out;
	return tfs_err_say(
		err, -EOPNOTSUPP,
		"the recording is a latency tracer's text, which has no events to count");
}

static void free_count(struct tfs_view *view)
{
	struct tfs_count *c = to_count(view);

	for (size_t i = 0; c->exports && i < c->n_exports; i++)
		tfs_view_free(c->exports[i]);
	free(c->exports);
	tfs_table_free(c->table);
	free(c->columns);
	release(&c->counts);
	free(c);
}

static const struct tfs_view_ops ops = {
	.thread_begin = thread_begin,
	.thread_end = thread_end,
	.event = event,
	.lost = lost,
	.text = text,
	.end = end,
	.free = free_count,
};

/* The columns that were named, how many, and what share of all these are */
static int make_table(struct tfs_count *c, const struct tfs_count_opts *opts, struct tfs_err *err)
{
	const struct tfs_columns *named = &((struct tfs_export *)c->exports[0])->columns;
	struct tfs_table_opts table = {
		.style = c->style,
		.flags = opts->rows.inert ? TFS_TABLE_INERT : 0,
		.order = "count",
		.sort = opts->sort,
		.top = opts->top,
		.sum_noun = "events",
		.view = &c->view,
	};

	c->n_columns = named->n;
	c->columns = calloc(named->n + 2, sizeof(*c->columns));
	if (!c->columns)
		return -ENOMEM;
	for (size_t i = 0; i < named->n; i++)
		c->columns[i] = (struct tfs_table_column){ .name = named->column[i].name,
							   .heading = named->column[i].name,
							   .kind = TFS_CELL_ENCODED };
	c->columns[named->n] = (struct tfs_table_column){
		.name = "count", .kind = TFS_CELL_COUNT, .flags = TFS_TABLE_FIRST, .width = 10
	};
	c->columns[named->n + 1] = (struct tfs_table_column){
		.name = "share", .kind = TFS_CELL_PERCENT, .flags = TFS_TABLE_FIRST, .width = 7
	};
	table.columns = c->columns;
	table.n_columns = named->n + 2;
	table.sum = named->n;
	return tfs_table_new(&table, &c->table, err);
}

int tfs_count_new(const struct tfs_count_opts *opts, struct tfs_view **view, struct tfs_err *err)
{
	struct tfs_count *c = calloc(1, sizeof(*c));
	struct tfs_export_opts rows = opts->rows;
	int rc = 0;

	if (!c)
		return -ENOMEM;
	c->view.ops = &ops;
	c->view.flags = TFS_VIEW_WORKERS | TFS_VIEW_MISSING;
	c->style = rows.style;
	c->n_exports = rows.n_traces;
	c->exports = calloc(rows.n_traces, sizeof(struct tfs_view *));
	rows.events_only = true;
	if (!c->exports)
		rc = -ENOMEM;
	for (size_t i = 0; i < rows.n_traces && !rc; i++) {
		rows.own = i;
		rows.file = opts->files[i];
		rows.host = opts->hosts ? opts->hosts[i] : NULL;
		rc = tfs_export_new(&rows, &c->exports[i], err);
		if (!rc)
			c->view.flags |= c->exports[i]->flags;
		c->more_cpus += tfs_dat_more_cpus(tfs_trace_dat(rows.traces[i]));
	}
	if (!rc)
		rc = make_table(c, opts, err);
	if (rc)
		tfs_view_free(&c->view);
	else
		*view = &c->view;
	return rc;
}
