/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hist/fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "decode/value.h"
#include "format/event-format.h"
#include "tracefs/file.h"
#include "view/export-value.h"

void tfs_hist_fields_release(struct tfs_hist_fields *fields)
{
	free(fields->v);
	*fields = (struct tfs_hist_fields){ 0 };
}

int tfs_hist_fields_missing(const char *event, const char *field, const struct tfs_strvec *names,
			    struct tfs_err *err)
{
	struct tfs_strbuf all = TFS_STRBUF_INIT;
	int rc = tfs_err_say(err, -ENOENT, "event '%s' has no field '%s'", event, field);
	int rc2 = tfs_strbuf_adds(&all, "it has");

	for (size_t i = 0; i < names->n && !rc2; i++)
		rc2 = tfs_strbuf_addf(&all, "%s %s", i ? "," : "", names->v[i]);
	tfs_suggest_hint(err, field, names, rc2 || !names->n ? NULL : all.s);
	tfs_strbuf_release(&all);
	return rc;
}

static bool has_type(const struct tfs_format_field *f, const char *type)
{
	return f->type_len == strlen(type) && !memcmp(f->type, type, f->type_len);
}

/*
 * A histogram shows numbers in decimal, strings as they are. A pointer to a string would be
 * followed, also one into a program's memory.
 */
static enum tfs_hist_kind kind_of(const struct tfs_format_field *f, bool pointers)
{
	if (f->array_len)
		return has_type(f, "char") ? TFS_HIST_STRING : TFS_HIST_OTHER;
	if (has_type(f, "__data_loc char[]"))
		return TFS_HIST_STRING;
	if (memchr(f->type, '*', f->type_len) || memchr(f->type, '[', f->type_len) ||
	    memchr(f->type, '(', f->type_len))
		return TFS_HIST_OTHER;
	if (pointers || (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8))
		return TFS_HIST_OTHER;
	return f->is_signed ? TFS_HIST_SIGNED : TFS_HIST_UNSIGNED;
}

static int missing(const char *event, const char *name, const char *text, size_t len,
		   struct tfs_err *err)
{
	struct tfs_strvec fields = TFS_STRVEC_INIT;
	const char *p = text;
	struct tfs_format_field f;
	int rc = 0;

	while (!rc && tfs_format_next(&p, text + len, &f))
		if (!f.common)
			rc = tfs_strvec_pushn(&fields, f.name, f.name_len);
	rc = rc ? rc : tfs_hist_fields_missing(event, name, &fields, err);
	tfs_strvec_release(&fields);
	return rc;
}

static int find_fields(const struct tfs_strvec *names, const char *event,
		       const struct tfs_strbuf *format, struct tfs_hist_field *v,
		       struct tfs_err *err)
{
	const bool calls = !strncmp(event, "raw_syscalls:", strlen("raw_syscalls:"));
	size_t len = 0;
	const char *print = tfs_event_format_print(format->s, format->len, &len);
	/* One that is printed as an address is so in the counts. */
	const bool pointers = print && memmem(print, len, "%p", 2);

	for (size_t i = 0; i < names->n; i++) {
		const char *name = names->v[i];
		struct tfs_format_field f;

		if (!tfs_format_find(format->s, format->len, name, strlen(name), &f) || f.common)
			return missing(event, name, format->s, format->len, err);
		v[i].kind = kind_of(&f, pointers);
		v[i].syscall = calls && !strcmp(name, "id");
	}
	return 0;
}

/* "system:event" is the directory events/system/event. */
static int read_format(const struct tfs_root *root, const char *event, struct tfs_strbuf *format,
		       bool *hist, struct tfs_err *err)
{
	const int system = (int)strcspn(event, ":");
	char path[512];

	snprintf(path, sizeof(path), "events/%.*s/%s/hist", system, event, event + system + 1);
	*hist = tfs_file_exists(root, path);
	snprintf(path, sizeof(path), "events/%.*s/%s/format", system, event, event + system + 1);
	return tfs_file_read(root, path, format, err);
}

static int find_event(const struct tfs_strvec *names, const struct tfs_hist_event *event,
		      const struct tfs_root *root, struct tfs_hist_fields *fields,
		      struct tfs_hist_field *v, struct tfs_err *err)
{
	struct tfs_strbuf format = TFS_STRBUF_INIT;
	bool hist = false;
	int rc = 0;

	for (size_t i = 0; i < names->n; i++)
		v[i].name = names->v[i];
	if (event->name)
		rc = read_format(root, event->name, &format, &hist, err);
	if (!rc && event->name)
		rc = find_fields(names, event->name, &format, v, err);
	tfs_strbuf_release(&format);
	for (size_t i = 0; i < names->n; i++)
		hist &= v[i].kind != TFS_HIST_OTHER;
	fields->kernel &= hist;
	return rc;
}

int tfs_hist_fields_find(const struct tfs_strvec *names, const struct tfs_hist_event *events,
			 size_t n, const struct tfs_root *root, struct tfs_hist_fields *fields,
			 struct tfs_err *err)
{
	int rc = 0;

	fields->n = names->n;
	fields->v = calloc(names->n * n + 1, sizeof(*fields->v));
	fields->kernel = names->n <= TFS_HIST_KEYS_MAX;
	if (!fields->v)
		rc = -ENOMEM;
	for (size_t i = 0; i < n && !rc; i++)
		rc = find_event(names, &events[i], root, fields, fields->v + i * fields->n, err);
	return rc && err && !err->code ? tfs_err_set(err, rc, "cannot look up the fields") : rc;
}

int tfs_hist_fields_print(const struct tfs_hist_fields *fields, const struct tfs_hist_field *field,
			  const struct tfs_field *f, const struct tfs_value *v,
			  struct tfs_strbuf *sb)
{
	const char *name = NULL;

	if (field->syscall && fields->syscall)
		name = fields->syscall(fields->syscalls, (int64_t)v->number);
	return name ? tfs_strbuf_adds(sb, name) : tfs_word_value(sb, f, v);
}
