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
	for (size_t i = 0; fields->v && i < fields->n * fields->n_events; i++)
		free(fields->v[i].own);
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

/* "FIELD.MODIFIER" */
static int take_modifier(const char *name, struct tfs_hist_field *v, struct tfs_err *err)
{
	const char *dot = strchr(name, '.');
	int rc;

	v->name = name;
	if (!dot)
		return 0;
	v->log2 = !strcmp(dot, ".log2");
	v->syscall = !strcmp(dot, ".syscall");
	if (!v->log2 && !v->syscall) {
		rc = tfs_err_say(err, -EINVAL, "'%s': '%s' is not supported here", name, dot);
		tfs_err_hint(err, "modifiers are .log2 and .syscall");
		return rc;
	}
	v->own = strndup(name, (size_t)(dot - name));
	v->name = v->own;
	return v->own ? 0 : -ENOMEM;
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
		const char *name = v[i].name;
		struct tfs_format_field f;

		if (!tfs_format_find(format->s, format->len, name, strlen(name), &f))
			return missing(event, name, format->s, format->len, err);
		v[i].kind = kind_of(&f, pointers && !f.common);
		v[i].syscall |= calls && !strcmp(name, "id") && !v[i].log2;
		if ((v[i].log2 || v[i].syscall) && v[i].kind == TFS_HIST_STRING)
			return tfs_err_say(err, -EINVAL, "field '%s' is text, not a number", name);
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

bool tfs_hist_fields_twice(const struct tfs_hist_field *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(v[i].name, v[k].name))
				return true;
	return false;
}

static int find_event(const struct tfs_strvec *names, const struct tfs_hist_event *event,
		      const struct tfs_root *root, struct tfs_hist_fields *fields,
		      struct tfs_hist_field *v, struct tfs_err *err)
{
	struct tfs_strbuf format = TFS_STRBUF_INIT;
	bool hist = false;
	int rc = 0;

	for (size_t i = 0; i < names->n && !rc; i++)
		rc = take_modifier(names->v[i], &v[i], err);
	if (!rc && event->name)
		rc = read_format(root, event->name, &format, &hist, err);
	if (!rc && event->name)
		rc = find_fields(names, event->name, &format, v, err);
	tfs_strbuf_release(&format);
	for (size_t i = 0; i < names->n; i++)
		hist &= v[i].kind != TFS_HIST_OTHER;
	fields->kernel &= hist && !rc && !tfs_hist_fields_twice(v, names->n);
	return rc;
}

int tfs_hist_fields_find(const struct tfs_strvec *names, const struct tfs_hist_event *events,
			 size_t n, const struct tfs_root *root, struct tfs_hist_fields *fields,
			 struct tfs_err *err)
{
	int rc = 0;

	fields->n = names->n;
	fields->n_events = n;
	fields->v = calloc(names->n * n + 1, sizeof(*fields->v));
	fields->kernel = names->n <= TFS_HIST_KEYS_MAX;
	if (!fields->v)
		rc = -ENOMEM;
	for (size_t i = 0; i < n && !rc; i++)
		rc = find_event(names, &events[i], root, fields, fields->v + i * fields->n, err);
	return rc && err && !err->code ? tfs_err_set(err, rc, "cannot look up the fields") : rc;
}

/* Rounded up, as the kernel does (hist_field_log2()); 0 is 2^0 there. Negative ones have none. */
static int print_log2(const struct tfs_field *f, uint64_t n, struct tfs_strbuf *sb)
{
	if (f->kind == TFS_VALUE_SIGNED && n > INT64_MAX)
		return tfs_strbuf_adds(sb, "negative");
	return tfs_strbuf_addf(sb, "~ 2^%d", n > 1 ? 64 - __builtin_clzll(n - 1) : 0);
}

int tfs_hist_fields_print(const struct tfs_hist_fields *fields, const struct tfs_hist_field *field,
			  const struct tfs_field *f, const struct tfs_value *v,
			  struct tfs_strbuf *sb)
{
	const char *name = NULL;

	if (field->log2 && f->kind <= TFS_VALUE_ADDRESS && !f->array)
		return print_log2(f, v->number, sb);
	if (field->syscall && fields->syscall)
		name = fields->syscall(fields->syscalls, (int64_t)v->number);
	return name ? tfs_strbuf_adds(sb, name) : tfs_word_value(sb, f, v);
}
