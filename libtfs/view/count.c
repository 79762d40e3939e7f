/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/count.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/hashmap.h"
#include "base/strbuf.h"
#include "decode/event.h"
#include "pipeline/view.h"
#include "view/export-internal.h"

#define SEPARATOR "  "

/* Events whose cells are the same: the row that an export writes of them, without its end. */
struct row {
	uint64_t n;
	size_t len;
	char key[];
};

/* Counts of a thread, and in the end of the view. */
struct counts {
	struct tfs_hashmap rows;
	uint64_t total, others, lost;
	bool uncounted;
};

struct tfs_count {
	struct tfs_view view;
	struct tfs_view **exports; /* one for each recording: writes the rows */
	size_t n_exports;
	enum tfs_export_style style;
	uint64_t top;
	struct counts counts;
};

struct thread {
	void **states; /* of @exports */
	struct tfs_strbuf key;
	struct counts counts;
};

static struct tfs_count *to_count(struct tfs_view *view)
{
	return (struct tfs_count *)view;
}

static bool has_key(const void *entry, const void *key)
{
	const struct row *row = entry;
	const struct tfs_strbuf *sb = key;

	return row->len == sb->len && !memcmp(row->key, sb->s, sb->len);
}

static int add(struct counts *counts, const struct tfs_strbuf *key, uint64_t n)
{
	uint64_t hash = tfs_hash64(TFS_HASH64_INIT, key->s, key->len);
	struct row *row;

	hash ^= hash >> 32;
	row = tfs_hashmap_find(&counts->rows, hash, has_key, key);
	if (row) {
		row->n += n;
		return 0;
	}
	row = malloc(sizeof(*row) + key->len + 1);
	if (!row || tfs_hashmap_add(&counts->rows, hash, row)) {
		free(row);
		return -ENOMEM;
	}
	row->n = n;
	row->len = key->len;
	memcpy(row->key, key->s, key->len + 1);
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
		struct tfs_strbuf key = { .s = row->key, .len = row->len };

		rc = rc ? rc : add(&c->counts, &key, row->n);
	}
	c->counts.total += t->counts.total;
	c->counts.others += t->counts.others;
	c->counts.lost += t->counts.lost;
	c->counts.uncounted |= t->counts.uncounted;
	for (i = 0; t->states && i < c->n_exports; i++)
		c->exports[i]->ops->thread_end(c->exports[i], t->states[i]);
	free(t->states);
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
	if (!t->states)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_exports && !rc; i++)
		rc = c->exports[i]->ops->thread_begin(c->exports[i], &t->states[i]);
	return rc;
}

/* Has the event all fields that were named? 1, 0, -ENOMEM */
static int has_fields(struct tfs_export_state *s, const struct tfs_event *event)
{
	const struct tfs_columns *columns = &s->export->columns;
	const struct tfs_export_type *type = NULL;
	int rc = event->type ? tfs_export_type(s, event->type, &type) : 0;

	for (size_t i = 0; i < columns->n && !rc; i++)
		if (columns->column[i].kind == TFS_COLUMN_FIELD && (!type || !type->field[i]))
			return 0;
	return rc ? rc : 1;
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct tfs_count *c = to_count(view);
	struct tfs_view *export = c->exports[event->input];
	struct thread *t = state;
	int rc = has_fields(t->states[event->input], event);

	(void)out;
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
	/* The end of the row comes after the count: "\n", and of an object "}\n". */
	t->key.len -= c->style == TFS_EXPORT_JSON ? 2 : 1;
	t->key.s[t->key.len] = '\0';
	t->counts.total++;
	return add(&t->counts, &t->key, 1);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct thread *t = state;

	(void)view;
	(void)out;
	if (event->rec.lost > 0)
		t->counts.lost += (uint64_t)event->rec.lost;
	else
		t->counts.uncounted = true;
	return 0;
}

/* The most frequent first, then by their text. */
static int compare(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return strcmp(x->key, y->key);
}

/* In hundredths of a percent, rounded */
static unsigned int share_of(const struct tfs_count *c, uint64_t n)
{
	return (unsigned int)((double)n * 10000 / (double)c->counts.total + 0.5);
}

static int put_row(const struct tfs_count *c, const struct row *row, struct tfs_strbuf *out)
{
	bool json = c->style == TFS_EXPORT_JSON;
	unsigned int share = share_of(c, row->n);
	int rc = tfs_strbuf_add(out, row->key, row->len);

	return rc ? rc :
		    tfs_strbuf_addf(out,
				    json ? ",\"count\":%" PRIu64 ",\"share\":%u.%02u}\n" :
					   ",%" PRIu64 ",%u.%02u\n",
				    row->n, share / 100, share % 100);
}

/* The table's cells, up to the next tab; all but the last as wide as @width says */
static int put_cells(const char *cells, const size_t *width, size_t n, struct tfs_strbuf *out)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		size_t len = strcspn(cells, "\t");

		rc = tfs_strbuf_addf(out, SEPARATOR "%-*.*s", i + 1 < n ? (int)width[i] : 0,
				     (int)len, cells);
		cells += len + (cells[len] == '\t');
	}
	return rc ? rc : tfs_strbuf_addc(out, '\n');
}

static void widen(const char *cells, size_t *width, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strcspn(cells, "\t");

		if (len > width[i])
			width[i] = len;
		cells += len + (cells[len] == '\t');
	}
}

static int put_heading(const struct tfs_columns *columns, struct tfs_strbuf *cells)
{
	int rc = 0;

	for (size_t i = 0; i < columns->n && !rc; i++)
		rc = tfs_strbuf_addf(cells, "%s%s", i ? "\t" : "", columns->column[i].name);
	return rc;
}

/* Rows that the table does not show */
static int put_rest(const struct tfs_count *c, struct row *const *v, size_t shown, size_t n,
		    struct tfs_strbuf *out)
{
	uint64_t rest = 0;
	int rc = 0;

	for (size_t i = shown; i < n; i++)
		rest += v[i]->n;
	if (rest)
		rc = tfs_strbuf_addf(out, "# %" PRIu64 " events in %zu more rows\n", rest,
				     n - shown);
	if (!rc && c->counts.others)
		rc = tfs_strbuf_addf(out, "# %" PRIu64 " events without these fields\n",
				     c->counts.others);
	if (!rc && c->counts.lost)
		rc = tfs_strbuf_addf(out, "# %" PRIu64 " events%s were lost\n", c->counts.lost,
				     c->counts.uncounted ? " and more" : "");
	else if (!rc && c->counts.uncounted)
		rc = tfs_strbuf_adds(out,
				     "# events were lost, the kernel did not count how many\n");
	return rc;
}

static int put_table(const struct tfs_count *c, struct row *const *v, size_t shown, size_t n,
		     struct tfs_strbuf *out)
{
	const struct tfs_columns *columns = &((struct tfs_export *)c->exports[0])->columns;
	size_t *width = calloc(columns->n, sizeof(*width));
	struct tfs_strbuf heading = TFS_STRBUF_INIT;
	int rc = width ? put_heading(columns, &heading) : -ENOMEM;

	if (!rc) {
		widen(heading.s, width, columns->n);
		for (size_t i = 0; i < shown; i++)
			widen(v[i]->key, width, columns->n);
		rc = tfs_strbuf_addf(out, "#%9s %7s", "COUNT", "SHARE");
	}
	if (!rc)
		rc = put_cells(heading.s, width, columns->n, out);
	for (size_t i = 0; i < shown && !rc; i++) {
		unsigned int share = share_of(c, v[i]->n);

		rc = tfs_strbuf_addf(out, "%10" PRIu64 " %3u.%02u%%", v[i]->n, share / 100,
				     share % 100);
		if (!rc)
			rc = put_cells(v[i]->key, width, columns->n, out);
	}
	tfs_strbuf_release(&heading);
	free(width);
	return rc ? rc : put_rest(c, v, shown, n, out);
}

static int put_csv_heading(const struct tfs_count *c, struct tfs_strbuf *out)
{
	int rc = c->exports[0]->ops->init(c->exports[0], out, NULL);

	if (rc || c->style != TFS_EXPORT_CSV)
		return rc;
	out->len--;
	return tfs_strbuf_adds(out, ",count,share\n");
}

/* As in other rows: null where the kernel did not count. */
static int put_lost(const struct tfs_count *c, struct tfs_strbuf *out)
{
	if (c->style != TFS_EXPORT_JSON || !(c->counts.lost || c->counts.uncounted))
		return 0;
	if (c->counts.uncounted)
		return tfs_strbuf_adds(out, "{\"lost\":null}\n");
	return tfs_strbuf_addf(out, "{\"lost\":%" PRIu64 "}\n", c->counts.lost);
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	const struct tfs_count *c = to_count(view);
	struct row **v = calloc(c->counts.rows.n + 1, sizeof(struct row *)), *row;
	size_t n = 0, i, shown;
	int rc = 0;

	(void)err;
	if (!v)
		return -ENOMEM;
	tfs_hashmap_for_each(&c->counts.rows, i, row) v[n++] = row;
	qsort(v, n, sizeof(struct row *), compare);
	shown = c->top && c->top < n ? (size_t)c->top : n;
	if (c->style == TFS_EXPORT_TAB) {
		rc = put_table(c, v, shown, n, out);
	} else {
		rc = put_csv_heading(c, out);
		for (i = 0; i < shown && !rc; i++)
			rc = put_row(c, v[i], out);
		if (!rc)
			rc = put_lost(c, out);
	}
	free(v);
	return rc;
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

int tfs_count_new(const struct tfs_count_opts *opts, struct tfs_view **view, struct tfs_err *err)
{
	struct tfs_count *c = calloc(1, sizeof(*c));
	struct tfs_export_opts rows = opts->rows;
	int rc = 0;

	if (!c)
		return -ENOMEM;
	c->view.ops = &ops;
	c->view.flags = TFS_VIEW_WORKERS;
	c->style = rows.style;
	c->top = opts->top;
	c->n_exports = rows.n_traces;
	c->exports = calloc(rows.n_traces, sizeof(struct tfs_view *));
	rows.events_only = true;
	if (!c->exports)
		rc = -ENOMEM;
	for (size_t i = 0; i < rows.n_traces && !rc; i++) {
		rows.own = i;
		rows.file = opts->files[i];
		rc = tfs_export_new(&rows, &c->exports[i], err);
		if (!rc)
			c->view.flags |= c->exports[i]->flags;
	}
	if (rc)
		tfs_view_free(&c->view);
	else
		*view = &c->view;
	return rc;
}
