/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/export-internal.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "decode/code-symbol.h"
#include "decode/event-text.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "decode/value.h"
#include "printfmt/flags.h"
#include "printfmt/program.h"
#include "tracedat/dat-read.h"
#include "view/export-value.h"
#include "view/field-names.h"

/* Seconds, a point and nine digits, or a number, with quotes. */
#define NUMBER_MAX (TFS_DIGITS_MAX + 12)
#define NSEC 1000000000
/* Fields were left out of JSON, where nothing can be cut. */
#define JSON_CUT ",\"cut\":true"

void tfs_export_type_free(struct tfs_export_type *t)
{
	if (!t)
		return;
	free(t->field);
	tfs_strbuf_release(&t->event);
	tfs_field_names_release(&t->names);
	free(t);
}

static int fill_type(const struct tfs_export *r, const struct tfs_event_type *type,
		     struct tfs_export_type *t)
{
	const struct tfs_fields *fields = type->fields;
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	const struct tfs_column *c;
	size_t i;
	int rc;

	t->symbol = tfs_code_field(type);
	t->field = calloc(r->columns.n, sizeof(struct tfs_field *));
	if (!t->field)
		return -ENOMEM;
	for (i = 0; i < r->columns.n; i++) {
		c = &r->columns.column[i];
		if (tfs_column_is_of(c, type))
			t->field[i] = tfs_fields_find(fields, c->field, strlen(c->field));
	}
	rc = tfs_field_names_set(&t->names, fields, r->style == TFS_EXPORT_JSON);
	if (!rc)
		rc = tfs_strbuf_addf(&name, "%s:%.*s", type->system, (int)type->name_len,
				     type->name);
	if (!rc)
		rc = r->string(&t->event, name.s, name.len);
	tfs_strbuf_release(&name);
	return rc;
}

int tfs_export_type(struct tfs_export_state *s, const struct tfs_event_type *type,
		    const struct tfs_export_type **out)
{
	struct tfs_export_type **slot = &s->types[type->index];
	struct tfs_export_type *t;

	if (!*slot) {
		t = calloc(1, sizeof(*t));
		if (!t)
			return -ENOMEM;
		tfs_strbuf_init(&t->event);
		tfs_strbuf_init(&t->names.text);
		if (fill_type(s->export, type, t)) {
			tfs_export_type_free(t);
			return -ENOMEM;
		}
		*slot = t;
	}
	*out = *slot;
	return 0;
}

static bool has_common(const struct tfs_export *r, const struct tfs_export_row *row,
		       enum tfs_common_field field)
{
	return !row->loss && tfs_trace_record_has(r->trace, &row->event->rec, field);
}

/* Has the row a value in this column? @v is set to a field's. */
static bool has_value(const struct tfs_export *r, const struct tfs_export_row *row, size_t column,
		      struct tfs_value *v)
{
	const struct tfs_column *c = &r->columns.column[column];
	const struct tfs_record *rec = &row->event->rec;

	switch (c->kind) {
	case TFS_COLUMN_TS:
	case TFS_COLUMN_CPU:
		return true;
	case TFS_COLUMN_HOST:
		return r->host;
	case TFS_COLUMN_FILE:
		return r->file;
	case TFS_COLUMN_TIME:
		return r->seconds;
	case TFS_COLUMN_BUFFER:
		return r->buffers;
	case TFS_COLUMN_LOST:
		return row->loss;
	case TFS_COLUMN_PID:
		return has_common(r, row, TFS_COMMON_PID);
	case TFS_COLUMN_COMM:
		return !row->loss && row->event->task;
	case TFS_COLUMN_FLAGS:
		return row->type && has_common(r, row, TFS_COMMON_FLAGS);
	case TFS_COLUMN_ID:
		return has_common(r, row, TFS_COMMON_TYPE) && !(c->optional && row->type);
	case TFS_COLUMN_RAW:
		return !row->loss && !(c->optional && row->type);
	case TFS_COLUMN_EVENT:
	case TFS_COLUMN_SYSTEM:
	case TFS_COLUMN_FIELDS:
	case TFS_COLUMN_TEXT:
		return row->type;
	case TFS_COLUMN_TASK:
		return has_common(r, row, TFS_COMMON_PID);
	case TFS_COLUMN_SYMBOL:
		return row->type && row->type->symbol &&
		       tfs_fields_get(row->fields, row->type->symbol, rec->data, rec->size, v) &&
		       (!row->type->symbol->array || v->n);
	case TFS_COLUMN_FIELD:
		break;
	}
	return row->type && row->type->field[column] &&
	       tfs_fields_get(row->fields, row->type->field[column], rec->data, rec->size, v);
}

static int put_number(struct tfs_strbuf *out, uint64_t n, const char *quote)
{
	char *p;

	if (tfs_strbuf_room(out, NUMBER_MAX))
		return -ENOMEM;
	p = out->s + out->len;
	if (*quote)
		*p++ = *quote;
	p = tfs_digits_dec(p, n);
	if (*quote)
		*p++ = *quote;
	*p = '\0';
	out->len = (size_t)(p - out->s);
	return 0;
}

/* Nine decimals; the point takes the place of the digit before them. */
static int put_seconds(struct tfs_strbuf *out, uint64_t ts)
{
	char *point, *p;

	if (tfs_strbuf_room(out, NUMBER_MAX))
		return -ENOMEM;
	point = tfs_digits_dec(out->s + out->len, ts / NSEC);
	p = tfs_digits_dec(point, NSEC + ts % NSEC);
	*point = '.';
	*p = '\0';
	out->len = (size_t)(p - out->s);
	return 0;
}

static int put_string(const struct tfs_export *r, struct tfs_strbuf *out, const char *s)
{
	return r->string(out, s, strlen(s));
}

/* JSON's null; "?" where an empty cell would say that nothing was lost. */
static int put_lost(const struct tfs_export *r, struct tfs_strbuf *out, int64_t lost)
{
	if (lost > 0)
		return put_number(out, (uint64_t)lost, "");
	return tfs_strbuf_adds(out, r->style == TFS_EXPORT_JSON ? "null" : "?");
}

static int put_flags(const struct tfs_export *r, const struct tfs_event *event,
		     struct tfs_strbuf *out)
{
	char text[TFS_FLAGS_MAX], *p = tfs_flags_put(text, event->flags);

	if (tfs_trace_has_counts(r->trace))
		p = tfs_trace_put_counts(r->trace, &event->rec, p);
	return r->string(out, text, (size_t)(p - text));
}

static int put_text(struct tfs_export_state *s, const struct tfs_event *event,
		    struct tfs_strbuf *out)
{
	int rc;

	tfs_strbuf_reset(&s->cell);
	rc = tfs_event_text_line(s->event_text, event, &s->cell);
	/* Without the end of the line */
	return rc ? rc : s->export->string(out, s->cell.s, s->cell.len - 1);
}

static int put_raw(const struct tfs_export *r, const struct tfs_record *rec, struct tfs_strbuf *out)
{
	int rc = r->style == TFS_EXPORT_JSON ? tfs_strbuf_addc(out, '"') : 0;

	if (!rc)
		rc = tfs_hex_bytes(out, rec->data, rec->size);
	return !rc && r->style == TFS_EXPORT_JSON ? tfs_strbuf_addc(out, '"') : rc;
}

/* {"a":1,"b":"x"}, or a=1 b="x"; 1: the last ones are left out, for the rest is long enough */
static int add_fields(const struct tfs_export_row *row, struct tfs_strbuf *out)
{
	return tfs_field_names_put(&row->type->names, row->event, out);
}

static int put_fields(struct tfs_export_state *s, const struct tfs_export_row *row,
		      struct tfs_strbuf *out)
{
	int rc;

	if (s->export->style == TFS_EXPORT_JSON) {
		rc = tfs_strbuf_addc(out, '{');
		if (!rc)
			rc = add_fields(row, out);
		s->cut = rc > 0;
		return rc < 0 ? rc : tfs_strbuf_addc(out, '}');
	}
	tfs_strbuf_reset(&s->cell);
	rc = add_fields(row, &s->cell);
	if (rc > 0)
		rc = tfs_strbuf_adds(&s->cell, TFS_TEXT_CUT);
	return rc ? rc : s->export->string(out, s->cell.s, s->cell.len);
}

static int put_field(struct tfs_export_state *s, const struct tfs_field *f,
		     const struct tfs_value *v, struct tfs_strbuf *out)
{
	int rc;

	if (s->export->style == TFS_EXPORT_JSON)
		return tfs_json_value(out, f, v);
	/* Only these can have something in them that needs care. */
	if (f->kind == TFS_VALUE_STRING)
		return s->export->string(out, v->data, v->size);
	if (f->kind != TFS_VALUE_MASK && !f->array && !f->means)
		return tfs_plain_value(out, f, v);
	tfs_strbuf_reset(&s->cell);
	rc = tfs_plain_value(&s->cell, f, v);
	return rc ? rc : s->export->string(out, s->cell.s, s->cell.len);
}

static int put_task(struct tfs_export_state *s, const struct tfs_event *event,
		    struct tfs_strbuf *out)
{
	const char *comm = event->task ? event->task->comm : TFS_TASK_UNKNOWN;
	size_t len = strlen(comm);
	char *p;

	tfs_strbuf_reset(&s->cell);
	if (tfs_strbuf_room(&s->cell, len + 1 + NUMBER_MAX))
		return -ENOMEM;
	p = mempcpy(s->cell.s, comm, len);
	*p++ = '-';
	p = tfs_digits_sdec(p, event->pid);
	return s->export->string(out, s->cell.s, (size_t)(p - s->cell.s));
}

/* The address where it has no name. A stack has that of the innermost function. */
static int put_symbol(struct tfs_export_state *s, const struct tfs_field *f,
		      const struct tfs_value *v, struct tfs_strbuf *out)
{
	char hex[2 + TFS_DIGITS_MAX] = "0x";
	const char *name;
	uint64_t addr = tfs_code_symbol(tfs_trace_env(s->export->trace), f, v, &name);

	if (name)
		return put_string(s->export, out, name);
	*tfs_digits_hex(hex + 2, addr, 1) = '\0';
	return put_string(s->export, out, hex);
}

static int put_value(struct tfs_export_state *s, const struct tfs_export_row *row, size_t column,
		     const struct tfs_value *v, struct tfs_strbuf *out)
{
	const struct tfs_event *event = row->event;
	const struct tfs_record *rec = &event->rec;
	const struct tfs_export *r = s->export;

	switch (r->columns.column[column].kind) {
	case TFS_COLUMN_TS:
		return put_number(out, rec->ts, r->style == TFS_EXPORT_JSON ? "\"" : "");
	case TFS_COLUMN_HOST:
		return put_string(r, out, r->host);
	case TFS_COLUMN_FILE:
		return put_string(r, out, r->file);
	case TFS_COLUMN_TIME:
		return put_seconds(out, rec->ts);
	case TFS_COLUMN_BUFFER:
		return put_string(r, out,
				  tfs_dat_buffer(tfs_trace_dat(r->trace), rec->buffer)->name);
	case TFS_COLUMN_CPU:
		return put_number(out, rec->cpu, "");
	case TFS_COLUMN_PID:
		return tfs_json_signed(out, event->pid);
	case TFS_COLUMN_COMM:
		return put_string(r, out, event->task->comm);
	case TFS_COLUMN_FLAGS:
		return put_flags(r, event, out);
	case TFS_COLUMN_EVENT:
		return tfs_strbuf_add(out, row->type->event.s, row->type->event.len);
	case TFS_COLUMN_SYSTEM:
		return put_string(r, out, event->type->system);
	case TFS_COLUMN_ID:
		return put_number(out, (uint64_t)tfs_trace_record_id(r->trace, rec), "");
	case TFS_COLUMN_RAW:
		return put_raw(r, rec, out);
	case TFS_COLUMN_LOST:
		return put_lost(r, out, rec->lost);
	case TFS_COLUMN_FIELDS:
		return put_fields(s, row, out);
	case TFS_COLUMN_TEXT:
		return put_text(s, event, out);
	case TFS_COLUMN_TASK:
		return put_task(s, event, out);
	case TFS_COLUMN_SYMBOL:
		return put_symbol(s, row->type->symbol, v, out);
	case TFS_COLUMN_FIELD:
		break;
	}
	return put_field(s, row->type->field[column], v, out);
}

/* Objects of one kind have the same members; what is not known is null. */
static bool is_left_out(const struct tfs_export *r, const struct tfs_export_row *row, size_t column)
{
	const struct tfs_column *c = &r->columns.column[column];

	switch (c->kind) {
	case TFS_COLUMN_HOST:
	case TFS_COLUMN_FILE:
	case TFS_COLUMN_TIME:
	case TFS_COLUMN_BUFFER:
		return false;
	case TFS_COLUMN_PID:
	case TFS_COLUMN_COMM:
	case TFS_COLUMN_FLAGS:
		return row->loss && c->optional;
	case TFS_COLUMN_ID:
		return (row->loss || row->type) && c->optional;
	default:
		return c->optional;
	}
}

static int put_cell(struct tfs_export_state *s, const struct tfs_export_row *row, size_t column,
		    struct tfs_strbuf *out)
{
	const struct tfs_export *r = s->export;
	bool json = r->style == TFS_EXPORT_JSON, has;
	size_t key = json && column ? r->key_end[column - 1] : 0;
	struct tfs_value v;
	int rc = 0;

	has = has_value(r, row, column, &v);
	if (json && !has && is_left_out(r, row, column))
		return 0;
	if (json)
		rc = tfs_strbuf_add(out, r->keys.s + key, r->key_end[column] - key);
	else if (column)
		rc = tfs_strbuf_addc(out, r->separator);
	if (!rc && has)
		rc = put_value(s, row, column, &v, out);
	else if (!rc && json)
		rc = tfs_strbuf_add(out, "null", 4);
	return rc;
}

int tfs_export_add_row(struct tfs_export_state *s, const struct tfs_export_row *row,
		       struct tfs_strbuf *out)
{
	const struct tfs_export *r = s->export;
	size_t start = out->len, i;
	int rc = 0;

	s->cut = false;
	for (i = 0; i < r->columns.n && !rc; i++) {
		rc = put_cell(s, row, i, out);
		if (s->cell_end)
			s->cell_end[i] = (uint32_t)(out->len - start);
	}
	if (!rc && s->cut)
		rc = tfs_strbuf_adds(out, JSON_CUT);
	if (!rc && row->event->missing && r->style == TFS_EXPORT_JSON)
		rc = tfs_strbuf_adds(out, ",\"missing\":true");
	if (rc || r->style != TFS_EXPORT_JSON)
		return rc ? rc : tfs_strbuf_addc(out, '\n');
	/* The first key's comma is where the object begins. */
	if (out->len > start)
		out->s[start] = '{';
	else
		rc = tfs_strbuf_addc(out, '{');
	return rc ? rc : tfs_strbuf_add(out, "}\n", 2);
}
