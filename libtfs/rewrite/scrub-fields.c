/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/scrub-fields.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/err.h"
#include "base/strvec.h"
#include "format/event-format.h"
#include "rewrite/image.h"
#include "rewrite/pseudonym.h"
#include "tracedat/page.h"

#define IDS 65536u
#define NAME_MAX_LEN 128

enum kind { TEXT, NUMBER, BYTES };
enum place { FIXED, DATA_LOC, REL_LOC };

struct field {
	unsigned int offset, size;
	enum kind kind;
	enum place place;
	bool selected;
};

struct event {
	struct field *fields;
	size_t n;
	bool known;
};

struct tfs_scrub_fields {
	bool big;
	struct event *events; /* by id */
};

static bool contains(const char *s, size_t len, const char *word)
{
	const size_t n = strlen(word);

	for (size_t i = 0; i + n <= len; i++)
		if (!memcmp(s + i, word, n))
			return true;
	return false;
}

static bool matches(const char *glob, const char *name)
{
	const size_t len = strlen(name), n = strlen(glob);

	if (!fnmatch(glob, name, 0))
		return true;
	if (len > n && !strcmp(name + len - n, glob) && name[len - n - 1] == '_')
		return true;
	return !strcmp(glob, "comm") && (!strcmp(name, "oldcomm") || !strcmp(name, "newcomm"));
}

static bool is_selected(const struct tfs_format_field *f, const struct tfs_strvec *names,
			bool *found)
{
	char name[NAME_MAX_LEN];
	bool selected = false;

	snprintf(name, sizeof(name), "%.*s", (int)f->name_len, f->name);
	for (size_t i = 0; i < names->n; i++) {
		if (!matches(names->v[i], name))
			continue;
		found[i] = true;
		selected = true;
	}
	return selected;
}

/* "char" alone is text; signed and unsigned ones are bytes. */
static enum kind kind_of(const struct tfs_format_field *f, enum place place)
{
	const bool is_char = contains(f->decl, f->decl_len, "char") &&
			     !contains(f->decl, f->decl_len, "unsigned") &&
			     !contains(f->decl, f->decl_len, "signed") &&
			     !contains(f->decl, f->decl_len, "*");

	if (is_char && (place != FIXED || f->array_len || f->size != 1))
		return TEXT;
	return f->size && place == FIXED ? NUMBER : BYTES;
}

static int add_field(struct event *e, const struct tfs_format_field *f,
		     const struct tfs_strvec *names, bool *found)
{
	const bool data = contains(f->decl, f->decl_len, "__data_loc");
	const bool rel = contains(f->decl, f->decl_len, "__rel_loc");
	struct field n = { .offset = f->offset, .size = f->size };

	if (f->common)
		return 0;
	n.place = data ? DATA_LOC : rel ? REL_LOC : FIXED;
	n.kind = kind_of(f, n.place);
	n.selected = is_selected(f, names, found);
	if (!n.selected && n.kind == NUMBER)
		return 0;
	if (tfs_grow_one(&e->fields, e->n))
		return -ENOMEM;
	e->fields[e->n++] = n;
	return 0;
}

static int add_event(struct tfs_scrub_fields *s, const struct tfs_image_format *format,
		     const struct tfs_strvec *names, bool *found)
{
	const char *text, *end = format->text.s + format->text.len;
	struct tfs_event_format e;
	struct tfs_format_field f;
	int rc = 0;

	if (tfs_event_format_parse(format->text.s, format->text.len, &e) || !e.fields)
		return 0;
	text = e.fields;
	s->events[e.id].known = true;
	while (!rc && tfs_format_next(&text, end, &f))
		rc = add_field(&s->events[e.id], &f, names, found);
	return rc;
}

/* Names of tasks are also in the file where no event has them. */
static int check_found(const struct tfs_strvec *names, const bool *found, struct tfs_err *err)
{
	for (size_t i = 0; i < names->n; i++) {
		if (found[i] || !strcmp(names->v[i], "comm") || !strcmp(names->v[i], "filename"))
			continue;
		tfs_err_say(err, -ENOENT, "'%s': no event of the recording has such a field",
			    names->v[i]);
		tfs_err_hint(err, "'tc-file dump --events' lists the fields of all events");
		return -ENOENT;
	}
	return 0;
}

int tfs_scrub_fields_new(const struct tfs_image *image, const struct tfs_strvec *names,
			 struct tfs_scrub_fields **out, struct tfs_err *err)
{
	struct tfs_scrub_fields *s = calloc(1, sizeof(*s));
	bool *found = calloc(names->n + 1, sizeof(*found));
	int rc = s && found ? 0 : -ENOMEM;

	if (!rc) {
		s->big = image->big;
		s->events = calloc(IDS, sizeof(*s->events));
		rc = s->events ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < image->n_formats && !rc; i++)
		rc = add_event(s, &image->formats[i], names, found);
	if (rc)
		tfs_err_set(err, rc, "cannot look up the fields");
	else
		rc = check_found(names, found, err);
	free(found);
	if (rc)
		tfs_scrub_fields_free(s);
	else
		*out = s;
	return rc;
}

void tfs_scrub_fields_free(struct tfs_scrub_fields *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->events && i < IDS; i++)
		free(s->events[i].fields);
	free(s->events);
	free(s);
}

static const struct event *event_of(const struct tfs_scrub_fields *s, const struct tfs_record *rec)
{
	const struct event *e;

	if (rec->size < 2)
		return NULL;
	e = &s->events[tfs_load_u16(rec->data, s->big)];
	return e->known ? e : NULL;
}

/* Where a field is in @data of @rec: its length, 0 if it is not in it */
static size_t find(const struct tfs_scrub_fields *s, const struct tfs_record *rec,
		   const unsigned char *data, const struct field *f, size_t *at)
{
	uint32_t loc;
	size_t len;

	if (f->offset > rec->size)
		return 0;
	*at = f->offset;
	len = f->size ? f->size : rec->size - f->offset;
	if (f->place != FIXED) {
		if (rec->size - f->offset < sizeof(loc))
			return 0;
		loc = tfs_load_u32(data + f->offset, s->big);
		*at = (loc & 0xffff) + (f->place == REL_LOC ? f->offset + sizeof(loc) : 0);
		len = loc >> 16;
	}
	if (*at > rec->size)
		return 0;
	return len < rec->size - *at ? len : rec->size - *at;
}

int tfs_scrub_fields_collect(const struct tfs_scrub_fields *s, const struct tfs_record *rec,
			     struct tfs_pseudonyms *p)
{
	const struct event *e = event_of(s, rec);
	int rc = 0;

	for (size_t i = 0; e && i < e->n && !rc; i++) {
		const struct field *f = &e->fields[i];
		const char *text;
		size_t at, len;

		len = find(s, rec, rec->data, f, &at);
		if (!f->selected || f->kind != TEXT || !len)
			continue;
		text = (const char *)rec->data + at;
		rc = tfs_pseudonyms_collect(p, text, strnlen(text, len));
	}
	return rc;
}

static void replace(const struct field *f, unsigned char *data, size_t len,
		    const struct tfs_pseudonyms *p)
{
	char *text = (char *)data;
	size_t used;

	if (f->kind != TEXT) {
		if (f->selected)
			tfs_pseudonyms_number(p, data, len);
		else
			tfs_pseudonyms_sweep(p, text, len);
		return;
	}
	/* After its end there may be the rest of an earlier, longer text. */
	used = strnlen(text, len);
	memset(text + used, 0, len - used);
	if (f->selected)
		tfs_pseudonyms_replace(p, text, used);
	else
		tfs_pseudonyms_sweep(p, text, used);
}

void tfs_scrub_fields_replace(const struct tfs_scrub_fields *s, const struct tfs_record *rec,
			      unsigned char *data, const struct tfs_pseudonyms *p)
{
	const struct event *e = event_of(s, rec);

	if (!e) {
		tfs_pseudonyms_sweep(p, (char *)data, rec->size);
		return;
	}
	for (size_t i = 0; i < e->n; i++) {
		const struct field *f = &e->fields[i];
		size_t at, len = find(s, rec, rec->data, f, &at);

		if (len)
			replace(f, data + at, len, p);
	}
}
