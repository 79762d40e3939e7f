/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/field-names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/strbuf.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/value.h"
#include "printfmt/program.h"
#include "tracedat/page.h"
#include "view/export-value.h"

void tfs_field_names_release(struct tfs_field_names *names)
{
	tfs_strbuf_release(&names->text);
	free(names->end);
	names->end = NULL;
}

int tfs_field_key(struct tfs_strbuf *keys, const char *name, size_t len)
{
	int rc = tfs_strbuf_addc(keys, ',');

	if (!rc)
		rc = tfs_json_string(keys, name, len);
	return rc ? rc : tfs_strbuf_addc(keys, ':');
}

int tfs_field_names_set(struct tfs_field_names *names, const struct tfs_fields *fields, bool json)
{
	int rc = 0;

	tfs_strbuf_init(&names->text);
	names->json = json;
	names->end = calloc(fields->n + 1, sizeof(names->end[0]));
	if (!names->end)
		return -ENOMEM;
	for (size_t i = 0; i < fields->n && !rc; i++) {
		const struct tfs_field *f = &fields->field[i];

		rc = json ? tfs_field_key(&names->text, f->name, f->name_len) :
			    tfs_strbuf_addf(&names->text, " %s=", f->name);
		names->end[i] = names->text.len;
	}
	return rc;
}

/* The way of most fields: the name and one number, in room that is there. */
static int put_plain(const struct tfs_field_names *names, size_t start, size_t end,
		     const struct tfs_field *f, uint64_t n, struct tfs_strbuf *out)
{
	char *p;

	if (tfs_strbuf_room(out, end - start + TFS_JSON_NUMBER_MAX))
		return -ENOMEM;
	p = mempcpy(out->s + out->len, names->text.s + start, end - start);
	p = tfs_json_number(p, f->kind, n);
	*p = '\0';
	out->len = (size_t)(p - out->s);
	return 0;
}

/* The text of an event whose fields do not have it; nothing where there is none */
static int put_message(const struct tfs_field_names *names, const struct tfs_event *event,
		       struct tfs_strbuf *out)
{
	const struct tfs_record *rec = &event->rec;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = 1;

	if (event->type->program)
		rc = tfs_program_run(event->type->program, &text, rec->data, rec->size,
				     tfs_record_room(rec));
	if (!rc)
		rc = tfs_strbuf_adds(out, names->json ? ",\"text\":" : " text=");
	if (!rc)
		rc = tfs_json_string(out, text.s, text.len);
	tfs_strbuf_release(&text);
	return rc < 0 ? rc : 0;
}

int tfs_field_names_put(const struct tfs_field_names *names, const struct tfs_event *event,
			struct tfs_strbuf *out)
{
	const struct tfs_fields *fields = event->type->fields;
	const struct tfs_record *rec = &event->rec;
	size_t i, start = 0, most = out->len + TFS_TEXT_MAX;
	struct tfs_value v;
	bool is;
	int rc = 0;

	for (i = 0; i < fields->n && !rc; i++) {
		const struct tfs_field *f = &fields->field[i];

		if (out->len > most)
			return 1;
		/* The first without its separator. */
		start += !i;
		is = tfs_fields_get(fields, f, rec->data, rec->size, &v);
		if (is && names->json && f->kind <= TFS_VALUE_ADDRESS && !f->array && !f->means) {
			rc = put_plain(names, start, names->end[i], f, v.number, out);
			start = names->end[i];
			continue;
		}
		rc = tfs_strbuf_add(out, names->text.s + start, names->end[i] - start);
		start = names->end[i];
		if (!rc && is)
			rc = names->json ? tfs_json_value(out, f, &v) : tfs_word_value(out, f, &v);
		else if (!rc)
			rc = tfs_strbuf_add(out, "null", 4);
	}
	return rc || !event->type->message ? rc : put_message(names, event, out);
}
