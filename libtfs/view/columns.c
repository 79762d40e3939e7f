/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "decode/event-type.h"
#include "decode/names.h"
#include "filter/select.h"
#include "format/event-format.h"
#include "tracedat/dat-read.h"

static const char *const kind_names[] = {
	[TFS_COLUMN_HOST] = "host",     [TFS_COLUMN_FILE] = "file",
	[TFS_COLUMN_TS] = "ts",         [TFS_COLUMN_TIME] = "time",
	[TFS_COLUMN_BUFFER] = "buffer", [TFS_COLUMN_CPU] = "cpu",
	[TFS_COLUMN_PID] = "pid",       [TFS_COLUMN_COMM] = "comm",
	[TFS_COLUMN_FLAGS] = "flags",   [TFS_COLUMN_EVENT] = "event",
	[TFS_COLUMN_SYSTEM] = "system", [TFS_COLUMN_ID] = "id",
	[TFS_COLUMN_RAW] = "raw",       [TFS_COLUMN_LOST] = "lost",
	[TFS_COLUMN_FIELDS] = "fields", [TFS_COLUMN_TEXT] = "text",
	[TFS_COLUMN_TASK] = "task",     [TFS_COLUMN_SYMBOL] = "symbol",
};

#define KINDS (ARRAY_SIZE(kind_names))

static void release(struct tfs_column *c)
{
	free(c->name);
	free(c->event);
}

void tfs_columns_release(struct tfs_columns *columns)
{
	size_t i;

	for (i = 0; i < columns->n; i++)
		release(&columns->column[i]);
	free(columns->column);
	*columns = (struct tfs_columns){ NULL, 0 };
}

/* @c is taken over, also on failure. */
static int take(struct tfs_columns *columns, struct tfs_column *c)
{
	int rc = tfs_grow_one(&columns->column, columns->n);

	if (rc)
		release(c);
	else
		columns->column[columns->n++] = *c;
	return rc;
}

int tfs_columns_add(struct tfs_columns *columns, enum tfs_column_kind kind)
{
	struct tfs_column c = { .kind = kind, .optional = true };

	c.name = strdup(kind_names[kind]);
	return c.name ? take(columns, &c) : -ENOMEM;
}

/* Does a format have the field? By its text: parsing all 2,000 of a file would take its time. */
static bool has_field(const struct tfs_event_type *t, const char *field)
{
	/* "buf#2" is the second "buf". */
	size_t len = strcspn(field, "#");
	struct tfs_format_field f;

	return t->format &&
	       tfs_format_find(t->format->text.data, t->format->text.size, field, len, &f) &&
	       !f.common;
}

static bool is_of(const char *event, const struct tfs_event_type *t)
{
	char name[256];

	if (!event)
		return true;
	if (t->name_len >= sizeof(name))
		return false;
	memcpy(name, t->name, t->name_len);
	name[t->name_len] = '\0';
	return tfs_select_event_glob(event, t->system, name);
}

bool tfs_column_is_of(const struct tfs_column *c, const struct tfs_event_type *type)
{
	return c->kind == TFS_COLUMN_FIELD && is_of(c->event, type);
}

/* Near names among the kinds and the fields of the events that are meant. */
static int no_such_field(const struct tfs_trace *trace, const struct tfs_column *c,
			 struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_format_field f;
	const char *p, *end;
	size_t i;
	int rc = 0;

	for (i = 0; i < KINDS && !c->event && !rc; i++)
		rc = tfs_strvec_push(&names, kind_names[i]);
	for (i = 0; i < tfs_trace_index(trace)->n && !rc; i++) {
		if (!tfs_trace_index(trace)->types[i].format ||
		    !is_of(c->event, &tfs_trace_index(trace)->types[i]))
			continue;
		p = tfs_trace_index(trace)->types[i].format->text.data;
		end = p + tfs_trace_index(trace)->types[i].format->text.size;
		while (!rc && tfs_format_next(&p, end, &f))
			if (!f.common)
				rc = tfs_strvec_pushn(&names, f.name, f.name_len);
	}
	if (!rc) {
		rc = tfs_err_say(err, -ENOENT, "'%s': no event %s has such a field", c->name,
				 c->event ? "of that name" : "of the recording");
		tfs_suggest_hint(
			err, c->field, &names,
			"'time,cpu,comm,event,fields' and names of fields, or EVENT.FIELD");
	}
	tfs_strvec_release(&names);
	return rc;
}

static int parse_field(struct tfs_trace *const *traces, size_t n_traces, struct tfs_column *c,
		       struct tfs_err *err)
{
	const char *dot = strrchr(c->name, '.');
	const struct tfs_event_type *type;
	bool event = false;
	size_t t, i;

	c->kind = TFS_COLUMN_FIELD;
	c->field = dot ? dot + 1 : c->name;
	if (dot) {
		c->event = strndup(c->name, (size_t)(dot - c->name));
		if (!c->event)
			return -ENOMEM;
	}
	for (t = 0; t < n_traces; t++) {
		for (i = 0; i < tfs_trace_index(traces[t])->n; i++) {
			type = &tfs_trace_index(traces[t])->types[i];
			if (is_of(c->event, type) && has_field(type, c->field))
				return 0;
			event |= is_of(c->event, type);
		}
	}
	/* A recording without events has none to name. */
	return event || !c->event ? no_such_field(*traces, c, err) :
				    tfs_names_no_event(*traces, c->event, err);
}

static int parse_name(struct tfs_trace *const *traces, size_t n_traces, const char *name,
		      struct tfs_columns *columns, struct tfs_err *err)
{
	struct tfs_column c = { 0 };
	size_t i;
	int rc = 0;

	for (i = 0; i < columns->n; i++)
		if (!strcmp(columns->column[i].name, name))
			return tfs_err_say(err, -EINVAL, "'%s': this column was named before",
					   name);
	c.name = strdup(name);
	if (!c.name)
		return -ENOMEM;
	for (i = 0; i < KINDS && strcmp(name, kind_names[i]); i++)
		;
	if (i < KINDS)
		c.kind = (enum tfs_column_kind)i;
	else
		rc = parse_field(traces, n_traces, &c, err);
	if (!rc)
		return take(columns, &c);
	release(&c);
	return rc;
}

int tfs_columns_parse(struct tfs_trace *const *traces, size_t n_traces,
		      const struct tfs_strvec *lists, struct tfs_columns *columns,
		      struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	size_t i;
	int rc = 0;

	for (i = 0; i < lists->n && !rc; i++)
		rc = tfs_strvec_split(&names, lists->v[i], ", ");
	if (!rc && !names.n)
		rc = tfs_err_say(err, -EINVAL, "no column is named");
	for (i = 0; i < names.n && !rc; i++)
		rc = parse_name(traces, n_traces, names.v[i], columns, err);
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot read the columns");
	tfs_strvec_release(&names);
	return rc;
}

bool tfs_columns_has(const struct tfs_columns *columns, enum tfs_column_kind kind)
{
	size_t i;

	for (i = 0; i < columns->n; i++)
		if (columns->column[i].kind == kind)
			return true;
	return false;
}
