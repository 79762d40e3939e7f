/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/wide.h"

#include <errno.h>
#include <stdlib.h>

#include "base/digits.h"
#include "base/inert.h"
#include "base/json.h"
#include "base/strbuf-core.h"
#include "pipeline/view.h"
#include "view/export-value.h"
#include "view/wide-row.h"

struct wide {
	struct tfs_view view;
	struct tfs_wide_source *sources;
	size_t n;
	bool csv;
	int (*string)(struct tfs_strbuf *out, const void *s, size_t len);
};

/* A row that is being written; @column is the next one. */
struct line {
	const struct wide *wide;
	struct tfs_strbuf *out;
	enum tfs_wide_column column;
	int rc;
};

static struct wide *to_wide(struct tfs_view *view)
{
	return (struct wide *)view;
}

static const char *const keys[] = {
	[TFS_WIDE_HOST] = "{\"host\":",   [TFS_WIDE_FILE] = ",\"file\":",
	[TFS_WIDE_TS] = ",\"ts\":",       [TFS_WIDE_TS_BOUND] = ",\"ts_bound\":",
	[TFS_WIDE_CPU] = ",\"cpu\":",     [TFS_WIDE_TID] = ",\"tid\":",
	[TFS_WIDE_COMM] = ",\"comm\":",   [TFS_WIDE_FLAGS] = ",\"flags\":",
	[TFS_WIDE_EVENT] = ",\"event\":", [TFS_WIDE_FIELDS] = ",\"fields\":",
	[TFS_WIDE_LOST] = ",\"lost\":",   [TFS_WIDE_BUFFER] = ",\"buffer\":",
};

/* The text before the value of the next column */
static void next(struct line *l)
{
	enum tfs_wide_column column = l->column++;

	if (l->rc)
		return;
	if (!l->wide->csv)
		l->rc = tfs_strbuf_adds(l->out, keys[column]);
	else if (column)
		l->rc = tfs_strbuf_addc(l->out, ',');
}

static void put_null(struct line *l)
{
	next(l);
	if (!l->rc && !l->wide->csv)
		l->rc = tfs_strbuf_adds(l->out, "null");
}

static void put_escaped(struct line *l, const struct tfs_wide_text *text)
{
	struct tfs_strbuf escaped = TFS_STRBUF_INIT;

	l->rc = tfs_utf8_escape(&escaped, text->s, text->len);
	if (!l->rc)
		l->rc = l->wide->string(l->out, escaped.s, escaped.len);
	tfs_strbuf_release(&escaped);
}

static void put_text(struct line *l, const struct tfs_wide_text *text)
{
	if (!text->s) {
		put_null(l);
		return;
	}
	next(l);
	if (l->rc)
		return;
	if (tfs_utf8_is_escaped(text->s, text->len))
		put_escaped(l, text);
	else
		l->rc = l->wide->string(l->out, text->s, text->len);
}

/* JSON in JSON is not quoted. */
static void put_fields(struct line *l, const struct tfs_wide_text *fields)
{
	if (!fields->s) {
		put_null(l);
		return;
	}
	next(l);
	if (!l->rc && l->wide->csv)
		l->rc = l->wide->string(l->out, fields->s, fields->len);
	else if (!l->rc)
		l->rc = tfs_strbuf_add(l->out, fields->s, fields->len);
}

static void put_number(struct line *l, int64_t n)
{
	next(l);
	if (!l->rc)
		l->rc = tfs_json_signed(l->out, n);
}

/* Readers of JSON that compute in doubles would round it: a string there. */
static void put_ts(struct line *l, uint64_t ts)
{
	char digits[1 + TFS_DIGITS_MAX + 1], *p = digits;

	*p++ = '"';
	p = tfs_digits_dec(p, ts);
	*p++ = '"';
	next(l);
	if (!l->rc && l->wide->csv)
		l->rc = tfs_strbuf_add(l->out, digits + 1, (size_t)(p - digits) - 2);
	else if (!l->rc)
		l->rc = tfs_strbuf_add(l->out, digits, (size_t)(p - digits));
}

static int put_row(const struct wide *w, const struct tfs_wide_row *row, struct tfs_strbuf *out)
{
	const struct tfs_wide_source *source = &w->sources[row->input];
	const struct tfs_wide_text buffer = tfs_wide_buffer(source, row->buffer_index);
	struct line l = { .wide = w, .out = out };

	put_text(&l, &row->host);
	put_text(&l, &row->file);
	put_ts(&l, row->ts);
	if (source->has_bound)
		put_number(&l, source->bound);
	else
		put_null(&l);
	put_number(&l, row->cpu);
	if (row->has_tid)
		put_number(&l, row->tid);
	else
		put_null(&l);
	put_text(&l, &row->comm);
	put_text(&l, &row->flags);
	put_text(&l, &row->event);
	put_fields(&l, &row->fields);
	if (row->lost)
		put_number(&l, (int64_t)row->lost);
	else
		put_null(&l);
	put_text(&l, &buffer);
	return l.rc ? l.rc : tfs_strbuf_adds(out, w->csv ? "\n" : "}\n");
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct tfs_wide_row row;
	int rc = tfs_wide_event(state, event, &row);

	return rc ? rc : put_row(to_wide(view), &row, out);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct tfs_wide_row row;

	tfs_wide_loss(state, event, &row);
	return put_row(to_wide(view), &row, out);
}

static int init(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	int rc = 0;

	(void)err;
	for (int i = 0; i < TFS_WIDE_COLUMNS && !rc && to_wide(view)->csv; i++)
		rc = tfs_strbuf_addf(out, "%s%s", i ? "," : "",
				     tfs_wide_name((enum tfs_wide_column)i));
	return rc || !to_wide(view)->csv ? rc : tfs_strbuf_addc(out, '\n');
}

static int thread_begin(struct tfs_view *view, void **state)
{
	struct tfs_wide_maker *m = malloc(sizeof(*m));

	if (!m)
		return -ENOMEM;
	*state = m;
	return tfs_wide_maker_init(m, to_wide(view)->sources, to_wide(view)->n);
}

static int thread_end(struct tfs_view *view, void *state)
{
	(void)view;
	if (state)
		tfs_wide_maker_release(state);
	free(state);
	return 0;
}

static void free_wide(struct tfs_view *view)
{
	free(to_wide(view)->sources);
	free(view);
}

static const struct tfs_view_ops ops = {
	.init = init,
	.thread_begin = thread_begin,
	.thread_end = thread_end,
	.event = event,
	.lost = lost,
	.free = free_wide,
};

int tfs_wide_new(const struct tfs_wide_opts *opts, struct tfs_view **view, struct tfs_err *err)
{
	struct wide *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return -ENOMEM;
	w->view.ops = &ops;
	w->view.flags = TFS_VIEW_WORKERS | TFS_VIEW_MISSING;
	w->n = opts->input.n;
	w->csv = opts->csv;
	w->string = !opts->csv ? tfs_json_string : opts->inert ? tfs_csv_inert_cell : tfs_csv_cell;
	rc = tfs_wide_sources_new(&opts->input, &w->sources, err);
	if (rc)
		tfs_view_free(&w->view);
	else
		*view = &w->view;
	return rc;
}
