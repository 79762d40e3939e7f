/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/wide-row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/err.h"
#include "base/json.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-uname.h"
#include "view/export-value.h"
#include "view/field-names.h"

/* No field has such a name. */
#define CUT ",\"[CUT AT 1 MiB]\":true"
#define MISSING "{\"missing\":true}"

static const char *const names[] = {
	[TFS_WIDE_HOST] = "host",
	[TFS_WIDE_FILE] = "file",
	[TFS_WIDE_TS] = "ts",
	[TFS_WIDE_CPU] = "cpu",
	[TFS_WIDE_TS_BOUND] = "ts_bound",
	[TFS_WIDE_TID] = "tid",
	[TFS_WIDE_COMM] = "comm",
	[TFS_WIDE_FLAGS] = "flags",
	[TFS_WIDE_EVENT] = "event",
	[TFS_WIDE_FIELDS] = "fields",
	[TFS_WIDE_LOST] = "lost",
	[TFS_WIDE_BUFFER] = "buffer",
};

const char *tfs_wide_name(enum tfs_wide_column column)
{
	return names[column];
}

/* Common to the rows of one type of event: "system:name", and the keys of its fields */
struct tfs_wide_type {
	struct tfs_strbuf event;
	struct tfs_field_names names;
};

static struct tfs_wide_text text(const char *s)
{
	return (struct tfs_wide_text){ s, strlen(s) };
}

static void init_source(struct tfs_wide_source *s, const struct tfs_wide_input *input, size_t i)
{
	const uint64_t bound = input->bounds ? input->bounds[i] : UINT64_MAX;
	struct tfs_trace *trace = input->traces[i];
	struct tfs_dat_uname uname;

	*s = (struct tfs_wide_source){ .trace = trace, .file = text(input->files[i]) };
	s->has_bound = bound <= UINT32_MAX;
	s->bound = s->has_bound ? (uint32_t)bound : 0;
	if (!tfs_dat_uname(tfs_trace_dat(trace), &uname))
		return;
	s->host.s = uname.word[TFS_UNAME_NODENAME].s;
	s->host.len = uname.word[TFS_UNAME_NODENAME].len;
}

int tfs_wide_sources_new(const struct tfs_wide_input *input, struct tfs_wide_source **out,
			 struct tfs_err *err)
{
	struct tfs_wide_source *s = calloc(input->n, sizeof(*s));

	if (!s)
		return -ENOMEM;
	for (size_t i = 0; i < input->n; i++) {
		init_source(&s[i], input, i);
		if (!tfs_dat_is_text(tfs_trace_dat(input->traces[i])))
			continue;
		free(s);
		return tfs_err_say(
			err, -EOPNOTSUPP,
			"the recording is a latency tracer's text, which has no columns");
	}
	*out = s;
	return 0;
}

int tfs_wide_maker_init(struct tfs_wide_maker *m, const struct tfs_wide_source *sources, size_t n)
{
	*m = (struct tfs_wide_maker){ .sources = sources, .n = n };
	tfs_strbuf_init(&m->fields);
	m->types = calloc(n, sizeof(*m->types));
	if (!m->types)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		m->types[i] = calloc(tfs_trace_index(sources[i].trace)->n + 1,
				     sizeof(struct tfs_wide_type *));
		if (!m->types[i])
			return -ENOMEM;
	}
	return 0;
}

static void free_type(struct tfs_wide_type *t)
{
	if (!t)
		return;
	tfs_strbuf_release(&t->event);
	tfs_field_names_release(&t->names);
	free(t);
}

void tfs_wide_maker_release(struct tfs_wide_maker *m)
{
	for (size_t i = 0; m->types && i < m->n; i++) {
		for (size_t j = 0; m->types[i] && j < tfs_trace_index(m->sources[i].trace)->n; j++)
			free_type(m->types[i][j]);
		free(m->types[i]);
	}
	free(m->types);
	tfs_strbuf_release(&m->fields);
}

static int find_type(struct tfs_wide_maker *m, const struct tfs_event *event,
		     const struct tfs_wide_type **out)
{
	const struct tfs_event_type *type = event->type;
	struct tfs_wide_type **slot = &m->types[event->input][type->index], *t = *slot;
	int rc;

	*out = t;
	if (t)
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	tfs_strbuf_init(&t->event);
	tfs_strbuf_init(&t->names.text);
	rc = tfs_strbuf_addf(&t->event, "%s:%.*s", type->system, (int)type->name_len, type->name);
	if (!rc)
		rc = tfs_field_names_set(&t->names, type->fields, true);
	if (rc)
		free_type(t);
	else
		*out = *slot = t;
	return rc;
}

static void begin(const struct tfs_wide_maker *m, const struct tfs_event *event,
		  struct tfs_wide_row *row)
{
	const struct tfs_wide_source *s = &m->sources[event->input];

	row->comm = row->flags = row->event = row->fields = (struct tfs_wide_text){ NULL, 0 };
	row->lost = 0;
	row->tid = 0;
	row->has_tid = false;
	row->host = s->host;
	row->file = s->file;
	row->input = event->input;
	row->buffer_index = event->rec.buffer;
	row->ts = event->rec.ts;
	row->cpu = event->rec.cpu;
}

static void put_flags(const struct tfs_trace *trace, const struct tfs_event *event,
		      struct tfs_wide_row *row)
{
	char *p = tfs_flags_put(row->flags_text, event->flags);

	if (tfs_trace_has_counts(trace))
		p = tfs_trace_put_counts(trace, &event->rec, p);
	row->flags.s = row->flags_text;
	row->flags.len = (size_t)(p - row->flags_text);
}

struct tfs_wide_text tfs_wide_buffer(const struct tfs_wide_source *s, uint32_t buffer)
{
	return text(tfs_dat_buffer(tfs_trace_dat(s->trace), buffer)->name);
}

/* A record that no format describes: its number and bytes. */
static int put_raw(const struct tfs_trace *trace, const struct tfs_record *rec,
		   struct tfs_strbuf *out)
{
	char id[TFS_DIGITS_MAX + 1] = "null";
	int rc;

	if (tfs_trace_record_has(trace, rec, TFS_COMMON_TYPE))
		*tfs_digits_dec(id, (uint64_t)tfs_trace_record_id(trace, rec)) = '\0';
	rc = tfs_strbuf_addf(out, "{\"id\":%s,\"raw\":\"", id);
	if (!rc)
		rc = tfs_hex_bytes(out, rec->data, rec->size);
	return rc ? rc : tfs_strbuf_adds(out, "\"}");
}

static int put_fields(const struct tfs_wide_type *type, const struct tfs_event *event,
		      struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_addc(out, '{');

	if (!rc)
		rc = tfs_field_names_put(&type->names, event, out);
	if (rc > 0)
		rc = tfs_strbuf_adds(out, CUT);
	return rc ? rc : tfs_strbuf_addc(out, '}');
}

static int put_head(struct tfs_wide_maker *m, const struct tfs_event *event,
		    const struct tfs_wide_type **type, struct tfs_wide_row *row)
{
	const struct tfs_trace *trace = m->sources[event->input].trace;
	int rc = 0;

	begin(m, event, row);
	row->has_tid = tfs_trace_record_has(trace, &event->rec, TFS_COMMON_PID);
	row->tid = event->pid;
	if (event->task)
		row->comm = text(event->task->comm);
	if (!event->type)
		return 0;
	rc = find_type(m, event, type);
	if (rc)
		return rc;
	row->event = (struct tfs_wide_text){ (*type)->event.s, (*type)->event.len };
	if (tfs_trace_record_has(trace, &event->rec, TFS_COMMON_FLAGS))
		put_flags(trace, event, row);
	return 0;
}

int tfs_wide_head(struct tfs_wide_maker *m, const struct tfs_event *event, struct tfs_wide_row *row)
{
	const struct tfs_wide_type *type = NULL;

	return put_head(m, event, &type, row);
}

int tfs_wide_event(struct tfs_wide_maker *m, const struct tfs_event *event,
		   struct tfs_wide_row *row)
{
	const struct tfs_wide_type *type = NULL;
	int rc = put_head(m, event, &type, row);

	tfs_strbuf_reset(&m->fields);
	if (!rc && type)
		rc = put_fields(type, event, &m->fields);
	else if (!rc)
		rc = put_raw(m->sources[event->input].trace, &event->rec, &m->fields);
	if (!rc)
		rc = tfs_json_utf8(&m->fields, 0);
	row->fields = (struct tfs_wide_text){ m->fields.s, m->fields.len };
	return rc;
}

void tfs_wide_loss(struct tfs_wide_maker *m, const struct tfs_event *event,
		   struct tfs_wide_row *row)
{
	begin(m, event, row);
	if (event->missing)
		row->fields = text(MISSING);
	else if (event->rec.lost > 0)
		row->lost = (uint64_t)event->rec.lost;
}
