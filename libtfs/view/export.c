/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "decode/clock.h"
#include "decode/event-text.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "tracedat/dat-read.h"
#include "view/export-internal.h"
#include "view/export-value.h"
#include "view/text.h"

static struct tfs_export *to_export(struct tfs_view *view)
{
	return (struct tfs_export *)view;
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	const struct tfs_export_row row = { .event = event, .loss = true };
	const struct tfs_export *r = to_export(view);

	/* Without a column for it a loss is reported in the words of the text. */
	if (r->style == TFS_EXPORT_TAB && !tfs_columns_has(&r->columns, TFS_COLUMN_LOST))
		return event->missing ? tfs_strbuf_addf(out, "CPU:%u [LAST EVENTS MISSING]\n",
							event->rec.cpu) :
					tfs_text_loss(&event->rec, out);
	return tfs_export_add_row(state, &row, out);
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct tfs_export_row row = { .event = event };
	int rc = 0;

	(void)view;
	if (event->type) {
		row.fields = event->type->fields;
		rc = tfs_export_type(state, event->type, &row.type);
	}
	return rc ? rc : tfs_export_add_row(state, &row, out);
}

/* A latency tracer's: each line is a row that has nothing but its text. */
static int text(struct tfs_view *view, const char *s, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	const struct tfs_export *r = to_export(view);
	const char *end = s + len, *nl;
	size_t i;
	int rc = 0;

	(void)err;
	for (; s < end && !rc; s = nl + 1) {
		nl = memchr(s, '\n', (size_t)(end - s));
		if (!nl)
			nl = end;
		if (r->style == TFS_EXPORT_JSON) {
			rc = tfs_strbuf_adds(out, "{\"text\":");
			if (!rc)
				rc = r->string(out, s, (size_t)(nl - s));
			if (!rc)
				rc = tfs_strbuf_adds(out, "}\n");
			continue;
		}
		for (i = 0; i < r->columns.n && !rc; i++) {
			if (i)
				rc = tfs_strbuf_addc(out, r->separator);
			if (!rc && r->columns.column[i].kind == TFS_COLUMN_TEXT)
				rc = r->string(out, s, (size_t)(nl - s));
		}
		if (!rc)
			rc = tfs_strbuf_addc(out, '\n');
	}
	return rc;
}

/* The first recording's view writes the heading of all. */
static int init(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	const struct tfs_export *r = to_export(view);
	size_t i;
	int rc = 0;

	(void)err;
	if (!r->heading)
		return 0;
	for (i = 0; i < r->columns.n && !rc; i++) {
		if (i)
			rc = tfs_strbuf_addc(out, r->separator);
		if (!rc)
			rc = r->string(out, r->columns.column[i].name,
				       strlen(r->columns.column[i].name));
	}
	return rc ? rc : tfs_strbuf_addc(out, '\n');
}

static int thread_end(struct tfs_view *view, void *state)
{
	struct tfs_export_state *s = state;
	size_t i;

	(void)view;
	if (!s)
		return 0;
	for (i = 0; s->types && i < tfs_trace_index(s->export->trace)->n; i++)
		tfs_export_type_free(s->types[i]);
	free(s->types);
	tfs_event_text_free(s->event_text);
	tfs_strbuf_release(&s->cell);
	free(s);
	return 0;
}

static int thread_begin(struct tfs_view *view, void **state)
{
	struct tfs_export *r = to_export(view);
	struct tfs_export_state *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->export = r;
	tfs_strbuf_init(&s->cell);
	s->types = calloc(tfs_trace_index(r->trace)->n + 1, sizeof(struct tfs_export_type *));
	*state = s;
	return s->types ? tfs_event_text_new(r->trace, TFS_EVENT_TEXT_FORMATTED, &s->event_text) :
			  -ENOMEM;
}

static void free_export(struct tfs_view *view)
{
	struct tfs_export *r = to_export(view);

	tfs_columns_release(&r->columns);
	tfs_strbuf_release(&r->keys);
	free(r->key_end);
	free(r);
}

static const struct tfs_view_ops ops = {
	.init = init,
	.thread_begin = thread_begin,
	.thread_end = thread_end,
	.event = event,
	.lost = lost,
	.text = text,
	.free = free_export,
};

/* Default columns of a style. With several recordings all rows have the same. */
static int all_columns(struct tfs_export *r, const struct tfs_export_opts *opts)
{
	static const enum tfs_column_kind kinds[] = {
		TFS_COLUMN_HOST,   TFS_COLUMN_FILE,   TFS_COLUMN_TS,    TFS_COLUMN_TIME,
		TFS_COLUMN_BUFFER, TFS_COLUMN_CPU,    TFS_COLUMN_LOST,  TFS_COLUMN_PID,
		TFS_COLUMN_COMM,   TFS_COLUMN_FLAGS,  TFS_COLUMN_EVENT, TFS_COLUMN_ID,
		TFS_COLUMN_RAW,    TFS_COLUMN_FIELDS, TFS_COLUMN_TEXT,
	};
	bool several = opts->n_traces > 1, json = r->style == TFS_EXPORT_JSON;
	const bool without[] = {
		[TFS_COLUMN_HOST] = !several || !opts->host,
		[TFS_COLUMN_FILE] = !several,
		[TFS_COLUMN_TS] = !json && !several && r->seconds,
		[TFS_COLUMN_TIME] = !several && !r->seconds,
		[TFS_COLUMN_BUFFER] = !several && !r->buffers,
		[TFS_COLUMN_LOST] = !json, /* the last, see set_columns() */
		[TFS_COLUMN_ID] = !json,
		[TFS_COLUMN_RAW] = !json,
		[TFS_COLUMN_FIELDS] = !json && opts->text,
		[TFS_COLUMN_TEXT] = !opts->text,
	};
	size_t i;
	int rc = 0;

	for (i = 0; i < ARRAY_SIZE(kinds) && !rc; i++)
		if (kinds[i] >= ARRAY_SIZE(without) || !without[kinds[i]])
			rc = tfs_columns_add(&r->columns, kinds[i]);
	return rc;
}

static int set_columns(struct tfs_export *r, const struct tfs_export_opts *opts,
		       struct tfs_err *err)
{
	size_t i;
	int rc;

	if (opts->columns && opts->columns->n)
		rc = tfs_columns_parse(opts->traces, opts->n_traces, opts->columns, &r->columns,
				       err);
	else
		rc = all_columns(r, opts);
	/* A loss is always shown: JSON's rows name their columns, CSV's all have the same. */
	if (!rc && r->style != TFS_EXPORT_TAB && !opts->events_only &&
	    !tfs_columns_has(&r->columns, TFS_COLUMN_LOST))
		rc = tfs_columns_add(&r->columns, TFS_COLUMN_LOST);
	if (rc || r->style != TFS_EXPORT_JSON)
		return rc;
	r->key_end = calloc(r->columns.n, sizeof(r->key_end[0]));
	rc = r->key_end ? 0 : -ENOMEM;
	for (i = 0; i < r->columns.n && !rc; i++) {
		rc = tfs_field_key(&r->keys, r->columns.column[i].name,
				   strlen(r->columns.column[i].name));
		r->key_end[i] = r->keys.len;
	}
	return rc;
}

static void set_up(struct tfs_export *r, const struct tfs_export_opts *opts)
{
	static const struct {
		int (*string)(struct tfs_strbuf *out, const void *s, size_t len);
		int (*inert)(struct tfs_strbuf *out, const void *s, size_t len);
		char separator;
	} styles[] = {
		[TFS_EXPORT_JSON] = { tfs_json_string, tfs_json_string, ',' },
		[TFS_EXPORT_CSV] = { tfs_csv_cell, tfs_csv_inert_cell, ',' },
		[TFS_EXPORT_TAB] = { tfs_tab_cell, tfs_tab_inert_cell, '\t' },
	};

	r->trace = opts->traces[opts->own];
	r->file = opts->n_traces > 1 ? opts->file : NULL;
	r->host = opts->host;
	r->style = opts->style;
	r->string = opts->inert ? styles[opts->style].inert : styles[opts->style].string;
	r->separator = styles[opts->style].separator;
	r->seconds = !opts->raw_ts && tfs_trace_is_ns(r->trace);
	r->buffers = tfs_text_name_width(r->trace) >= 0;
	tfs_strbuf_init(&r->keys);
	r->heading = opts->style == TFS_EXPORT_CSV && !opts->own;
	r->view.ops = &ops;
	r->view.flags = TFS_VIEW_WORKERS | TFS_VIEW_MISSING;
}

int tfs_export_new(const struct tfs_export_opts *opts, struct tfs_view **view, struct tfs_err *err)
{
	struct tfs_export *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return tfs_err_set(err, -ENOMEM, "cannot prepare the report");
	set_up(r, opts);
	rc = set_columns(r, opts, err);
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot prepare the report");
	if (!rc && tfs_columns_has(&r->columns, TFS_COLUMN_SYMBOL) &&
	    tfs_trace_use_symbols(r->trace))
		rc = tfs_err_set(err, -ENOMEM, "cannot prepare the report");
	if (tfs_columns_has(&r->columns, TFS_COLUMN_TEXT))
		r->view.flags |= TFS_VIEW_EVENT_TEXT;
	else if (!rc && r->style != TFS_EXPORT_JSON && tfs_dat_is_text(tfs_trace_dat(r->trace))) {
		rc = tfs_err_say(err, -EOPNOTSUPP,
				 "the recording is a latency tracer's text, which has no columns");
		tfs_err_hint(err, "--fields=text, --json, or neither of them");
	}
	if (rc)
		tfs_view_free(&r->view);
	else
		*view = &r->view;
	return rc;
}
