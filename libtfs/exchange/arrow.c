/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/arrow.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/out-file.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "exchange/arrow-ipc.h"
#include "pipeline/view.h"
#include "view/wide-row.h"

/* Rows of a batch: enough for readers that work by columns, and memory of some 10 MiB. */
#define BATCH_ROWS 65536
#define BATCH_BYTES ((size_t)32 << 20)
/* Guesses of dictionary indices, by what is likely to have the same text */
#define HINTS 1024

/* Texts of a row whose values repeat */
enum { COMM, FLAGS, EVENT, N_NAMES };

/*
 * A row as a thread hands it over: this, then its texts, then its fields. Threads do not share a
 * dictionary, which would depend on which of them comes first.
 */
struct packed {
	uint64_t ts, lost;
	uint32_t fields;
	int32_t tid;
	uint32_t input, buffer;
	uint32_t hint; /* of the event's type */
	uint16_t cpu;
	bool has_tid, has_fields;
	uint32_t text[N_NAMES]; /* lengths; NONE: null */
};

#define NONE UINT32_MAX

struct arrow {
	struct tfs_view view;
	struct tfs_wide_source *sources;
	size_t n;
	struct tfs_arrow *table;
	struct tfs_arrow_writer *writer;
	struct tfs_out_file *file;
	struct tfs_strbuf made; /* messages */
	size_t bytes;           /* of fields that are not written */
	uint32_t hints[N_NAMES][HINTS], source_hints[TFS_WIDE_COLUMNS];
};

/* enum tfs_wide_column */
static const struct tfs_arrow_field fields[] = {
	[TFS_WIDE_HOST] = { .kind = TFS_ARROW_NAME },
	[TFS_WIDE_FILE] = { .kind = TFS_ARROW_NAME, .required = true },
	[TFS_WIDE_TS] = { .kind = TFS_ARROW_UINT, .bytes = 8, .required = true },
	[TFS_WIDE_TS_BOUND] = { .kind = TFS_ARROW_UINT, .bytes = 4 },
	[TFS_WIDE_CPU] = { .kind = TFS_ARROW_UINT, .bytes = 2, .required = true },
	[TFS_WIDE_TID] = { .kind = TFS_ARROW_INT, .bytes = 4 },
	[TFS_WIDE_COMM] = { .kind = TFS_ARROW_NAME },
	[TFS_WIDE_FLAGS] = { .kind = TFS_ARROW_NAME },
	[TFS_WIDE_EVENT] = { .kind = TFS_ARROW_NAME },
	[TFS_WIDE_FIELDS] = { .kind = TFS_ARROW_TEXT },
	[TFS_WIDE_LOST] = { .kind = TFS_ARROW_UINT, .bytes = 8 },
	[TFS_WIDE_BUFFER] = { .kind = TFS_ARROW_NAME, .required = true },
};

static struct arrow *to_arrow(struct tfs_view *view)
{
	return (struct arrow *)view;
}

static char *put_text(char *p, const struct tfs_wide_text *text, uint32_t *len)
{
	*len = text->s ? (uint32_t)text->len : NONE;
	return mempcpy(p, text->s ? text->s : "", text->len);
}

static int put_row(const struct tfs_wide_row *row, uint32_t hint, struct tfs_strbuf *out)
{
	size_t len = row->comm.len + row->flags.len + row->event.len + row->fields.len;
	struct packed p = {
		.ts = row->ts,
		.lost = row->lost,
		.fields = (uint32_t)row->fields.len,
		.has_fields = row->fields.s,
		.tid = row->tid,
		.has_tid = row->has_tid,
		.cpu = (uint16_t)row->cpu,
		.input = row->input,
		.buffer = row->buffer_index,
		.hint = hint,
	};
	char *s;

	if (tfs_strbuf_room(out, sizeof(p) + len))
		return -ENOMEM;
	s = out->s + out->len + sizeof(p);
	s = put_text(s, &row->comm, &p.text[COMM]);
	s = put_text(s, &row->flags, &p.text[FLAGS]);
	s = put_text(s, &row->event, &p.text[EVENT]);
	if (p.fields)
		memcpy(s, row->fields.s, p.fields);
	memcpy(out->s + out->len, &p, sizeof(p));
	out->len += sizeof(p) + len;
	return 0;
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct tfs_wide_row row;
	int rc = tfs_wide_event(state, event, &row);

	(void)view;
	return rc ? rc : put_row(&row, event->type ? (uint32_t)event->type->index : 0, out);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct tfs_wide_row row;

	(void)view;
	tfs_wide_loss(state, event, &row);
	return put_row(&row, 0, out);
}

static int write_made(struct arrow *a)
{
	int rc = tfs_out_write(tfs_out_file_out(a->file), a->made.s, a->made.len);

	tfs_strbuf_reset(&a->made);
	return rc;
}

static int write_batch(struct arrow *a)
{
	int rc = tfs_arrow_batch(a->table, a->writer, &a->made);

	a->bytes = 0;
	return rc ? rc : write_made(a);
}

static int add_names(struct arrow *a, const struct packed *p, const char *s)
{
	static const enum tfs_wide_column columns[N_NAMES] = {
		[COMM] = TFS_WIDE_COMM,
		[FLAGS] = TFS_WIDE_FLAGS,
		[EVENT] = TFS_WIDE_EVENT,
	};
	const uint32_t likely[N_NAMES] = {
		[COMM] = (uint32_t)p->tid,
		[FLAGS] = p->cpu,
		[EVENT] = p->hint,
	};
	int rc = 0;

	for (size_t i = 0; i < N_NAMES && !rc; i++) {
		if (p->text[i] == NONE) {
			rc = tfs_arrow_null(a->table, columns[i]);
			continue;
		}
		rc = tfs_arrow_name(a->table, columns[i], s, p->text[i],
				    &a->hints[i][likely[i] % HINTS]);
		s += p->text[i];
	}
	return rc;
}

/* Columns that are the recording's, not the event's */
static int add_source(struct arrow *a, const struct packed *p)
{
	const struct tfs_wide_source *s = &a->sources[p->input];
	const struct tfs_wide_text buffer = tfs_wide_buffer(s, p->buffer);
	uint32_t *hints = a->source_hints;
	int rc;

	rc = s->host.s ? tfs_arrow_name(a->table, TFS_WIDE_HOST, s->host.s, s->host.len,
					&hints[TFS_WIDE_HOST]) :
			 tfs_arrow_null(a->table, TFS_WIDE_HOST);
	if (!rc)
		rc = tfs_arrow_name(a->table, TFS_WIDE_FILE, s->file.s, s->file.len,
				    &hints[TFS_WIDE_FILE]);
	return rc ? rc :
		    tfs_arrow_name(a->table, TFS_WIDE_BUFFER, buffer.s, buffer.len,
				   &hints[TFS_WIDE_BUFFER]);
}

static int add_row(struct arrow *a, const struct packed *p, const char *texts, const char *json)
{
	const struct tfs_wide_source *s = &a->sources[p->input];
	struct tfs_arrow *t = a->table;
	int rc = add_source(a, p);

	if (!rc)
		rc = add_names(a, p, texts);
	if (!rc)
		rc = tfs_arrow_number(t, TFS_WIDE_TS, p->ts);
	if (!rc)
		rc = s->has_bound ? tfs_arrow_number(t, TFS_WIDE_TS_BOUND, s->bound) :
				    tfs_arrow_null(t, TFS_WIDE_TS_BOUND);
	if (!rc)
		rc = tfs_arrow_number(t, TFS_WIDE_CPU, p->cpu);
	if (!rc)
		rc = p->has_tid ? tfs_arrow_number(t, TFS_WIDE_TID, (uint64_t)p->tid) :
				  tfs_arrow_null(t, TFS_WIDE_TID);
	if (!rc)
		rc = p->has_fields ? tfs_arrow_utf8(t, TFS_WIDE_FIELDS, json, p->fields) :
				     tfs_arrow_null(t, TFS_WIDE_FIELDS);
	if (!rc)
		rc = p->lost ? tfs_arrow_number(t, TFS_WIDE_LOST, p->lost) :
			       tfs_arrow_null(t, TFS_WIDE_LOST);
	tfs_arrow_end_row(t);
	return rc;
}

static int join(struct tfs_view *view, const struct tfs_strbuf *made)
{
	const char *s = made->s, *end = s + made->len, *texts;
	struct arrow *a = to_arrow(view);
	struct packed p;
	int rc = 0;

	while (s < end && !rc) {
		memcpy(&p, s, sizeof(p));
		texts = s + sizeof(p);
		s = texts;
		for (size_t i = 0; i < N_NAMES; i++)
			s += p.text[i] == NONE ? 0 : p.text[i];
		rc = add_row(a, &p, texts, s);
		s += p.fields;
		a->bytes += p.fields;
		if (!rc && (tfs_arrow_rows(a->table) >= BATCH_ROWS || a->bytes >= BATCH_BYTES))
			rc = write_batch(a);
	}
	return rc;
}

static int cannot_write(int rc, struct tfs_err *err)
{
	return rc ? tfs_err_set(err, rc, "cannot write the table") : 0;
}

static int init(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct arrow *a = to_arrow(view);
	int rc = tfs_arrow_schema(a->table, &a->made);

	(void)out;
	return cannot_write(rc ? rc : write_made(a), err);
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct arrow *a = to_arrow(view);
	int rc = write_batch(a);

	(void)out;
	if (!rc)
		rc = tfs_arrow_end(&a->made);
	if (!rc)
		rc = write_made(a);
	return rc ? cannot_write(rc, err) : tfs_out_file_commit(a->file, err);
}

static int thread_begin(struct tfs_view *view, void **state)
{
	struct tfs_wide_maker *m = malloc(sizeof(*m));

	if (!m)
		return -ENOMEM;
	*state = m;
	return tfs_wide_maker_init(m, to_arrow(view)->sources, to_arrow(view)->n);
}

static int thread_end(struct tfs_view *view, void *state)
{
	(void)view;
	if (state)
		tfs_wide_maker_release(state);
	free(state);
	return 0;
}

static void free_arrow(struct tfs_view *view)
{
	struct arrow *a = to_arrow(view);

	tfs_arrow_free(a->table);
	tfs_arrow_writer_free(a->writer);
	tfs_out_file_free(a->file);
	tfs_strbuf_release(&a->made);
	free(a->sources);
	free(a);
}

static const struct tfs_view_ops ops = {
	.init = init,
	.thread_begin = thread_begin,
	.thread_end = thread_end,
	.event = event,
	.lost = lost,
	.join = join,
	.end = end,
	.free = free_arrow,
};

static int new_table(struct arrow *a)
{
	struct tfs_arrow_field named[ARRAY_SIZE(fields)];

	memcpy(named, fields, sizeof(named));
	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		named[i].name = tfs_wide_name((enum tfs_wide_column)i);
		named[i].len = strlen(named[i].name);
	}
	return tfs_arrow_new(named, ARRAY_SIZE(named), &a->table);
}

int tfs_arrow_view_new(const struct tfs_arrow_opts *opts, struct tfs_view **view,
		       struct tfs_err *err)
{
	struct arrow *a = calloc(1, sizeof(*a));
	int rc;

	if (!a)
		return -ENOMEM;
	a->view.ops = &ops;
	a->view.flags = TFS_VIEW_WORKERS | TFS_VIEW_MISSING;
	a->n = opts->input.n;
	tfs_strbuf_init(&a->made);
	rc = tfs_wide_sources_new(&opts->input, &a->sources, err);
	if (!rc)
		rc = tfs_arrow_writer_new(opts->flags, &a->writer);
	if (!rc)
		rc = new_table(a);
	if (!rc)
		rc = tfs_out_file_open(opts->path, &a->file, err);
	if (rc)
		tfs_view_free(&a->view);
	else
		*view = &a->view;
	return rc;
}
