/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/kernel-internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/cursor.h"
#include "base/strbuf-core.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "decode/value.h"
#include "printfmt/env.h"
#include "tracedat/dat-read.h"

/*
 * The arguments of a system call, as kernel/trace/trace_syscalls.c prints them. From 6.19 on events
 * have copies of texts and bytes that arguments point to, and openat() has a layout of its own.
 */

#define O_ACCMODE_MASK 3
/* The bit of most machines; that of others is printed as a number */
#define TMPFILE_BIT 0x400000
/* Only the print format of openat() has it */
#define OPENAT_FORMAT "flags: %s%s, mode: 0%03o"

/* @format: the conversions of its print format */
struct call {
	const struct tfs_kernel_event *ke;
	const struct tfs_event *event;
	const char *format;
	struct tfs_strbuf *out;
};

struct span {
	const char *s;
	size_t len;
};

/* "buf: 0x%08lx (%s)": bytes, and not a text, are copied of this argument */
static bool has_bytes(const char *format, const char *name)
{
	char start[80];
	const char *p;

	snprintf(start, sizeof(start), "%s: 0x%%0", name);
	p = strstr(format, start);
	return p && !strncmp(p + strlen(start) + 1, "lx (%s)", strlen("lx (%s)"));
}

static uint64_t value_of(const struct call *c, const struct tfs_field *f)
{
	struct tfs_value v = { .number = 0 };

	tfs_fields_get(c->event->type->fields, f, c->event->rec.data, c->event->rec.size, &v);
	/* every argument is a long, whatever its type */
	if (f->element < 8)
		v.number &= (UINT64_C(1) << 8 * f->element) - 1;
	return v.number;
}

/* "(31:0a) \"1.\"", and "..." where the call had more than @len bytes, the number copied */
static int put_bytes(const unsigned char *p, size_t len, int32_t had, struct tfs_strbuf *out)
{
	bool more = had > 0 && len < (size_t)had, printable = false;
	int rc = tfs_strbuf_adds(out, " (");

	for (size_t i = 0; i < len && !rc; i++) {
		printable |= p[i] < 0x7f && p[i] >= ' ';
		rc = tfs_strbuf_addf(out, "%s%02x", i ? ":" : "", p[i]);
	}
	if (!rc)
		rc = tfs_strbuf_adds(out, more ? ", ...)" : ")");
	if (rc || !printable)
		return rc;
	rc = tfs_strbuf_adds(out, " \"");
	for (size_t i = 0; i < len && !rc; i++)
		rc = tfs_strbuf_addc(out, p[i] < 0x7f && p[i] >= ' ' ? (char)p[i] : '.');
	return rc ? rc : tfs_strbuf_adds(out, more ? "\"..." : "\"");
}

/* The copy of what field @i points to; the number of bytes is the next argument. */
static int put_copied(const struct call *c, size_t i)
{
	const struct tfs_fields *fields = c->event->type->fields;
	const struct tfs_field *arg = &fields->field[i], *f;
	const struct tfs_record *rec = &c->event->rec;
	char name[64];
	struct tfs_value v;
	uint64_t had;
	int len;

	if (arg->name_len > sizeof(name) - sizeof("___val"))
		return 0;
	len = snprintf(name, sizeof(name), "__%s_val", arg->name);
	f = tfs_fields_find(fields, name, (size_t)len);
	if (!f || f->kind != TFS_VALUE_STRING ||
	    !tfs_fields_get(fields, f, rec->data, rec->size, &v))
		return 0;
	if (f->place != TFS_FIELD_DATA_LOC || !has_bytes(c->format, arg->name))
		return tfs_strbuf_addf(c->out, " \"%.*s\"", (int)v.size, (const char *)v.data);
	/* of bytes the ones after a zero count, too */
	v.size = tfs_load_u32((const unsigned char *)rec->data + f->offset, f->big) >> 16;
	had = i + 1 < fields->n ? value_of(c, &fields->field[i + 1]) : 0;
	return put_bytes(v.data, v.size, (int32_t)had, c->out);
}

/* The next of the flags that the format has, { 0x40, "O_CREAT" }, from *@at on */
static bool next_flag(const struct tfs_blob *format, const char **at, uint64_t *bits,
		      struct span *name)
{
	const char *end = (const char *)format->data + format->size, *quote;
	const char *p = memchr(*at, '{', (size_t)(end - *at));

	name->s = p ? memchr(p, '"', (size_t)(end - p)) : NULL;
	if (!name->s)
		return false;
	name->s++;
	quote = memchr(name->s, '"', (size_t)(end - name->s));
	if (!quote)
		return false;
	*bits = strtoull(p + 1, NULL, 16);
	name->len = (size_t)(quote - name->s);
	*at = quote;
	return true;
}

static const char *first_flag(const struct tfs_blob *format)
{
	static const char list[] = "__print_flags(";
	const char *p = memmem(format->data, format->size, list, strlen(list));

	return p ? p : (const char *)format->data + format->size;
}

/* 0: it is not among them */
static uint64_t flag_of(const struct tfs_blob *format, const char *wanted)
{
	const char *at = first_flag(format);
	struct span name;
	uint64_t bits;

	while (next_flag(format, &at, &bits, &name)) {
		if (name.len == strlen(wanted) && !memcmp(name.s, wanted, name.len))
			return bits;
	}
	return 0;
}

/* As trace_print_flags_seq(): each name whose bits are all set, and what is left as a number */
static int put_names(const struct tfs_blob *format, uint64_t flags, struct tfs_strbuf *out)
{
	uint64_t bits = TMPFILE_BIT | flag_of(format, "O_DIRECTORY");
	struct span name = { "O_TMPFILE", strlen("O_TMPFILE") };
	const char *at = first_flag(format), *sep = "";
	int rc = 0;

	do {
		if (!bits || (flags & bits) != bits)
			continue;
		rc = tfs_strbuf_addf(out, "%s%.*s", sep, (int)name.len, name.s);
		flags &= ~bits;
		sep = "|";
	} while (!rc && next_flag(format, &at, &bits, &name));
	return rc || !flags ? rc : tfs_strbuf_addf(out, "%s0x%" PRIx64, sep, flags);
}

/* *@done: the mode is not shown, for no file is made */
static int put_open_flags(const struct call *c, uint64_t value, bool *done)
{
	const struct tfs_blob *format = &c->event->type->format->text;
	uint64_t makes = TMPFILE_BIT | flag_of(format, "O_DIRECTORY") | flag_of(format, "O_CREAT");
	/* an int, and then a long without a sign */
	uint64_t flags = (uint64_t)(int64_t)(int32_t)value;
	int rc = tfs_strbuf_adds(c->out, "flags: ");

	if (tfs_trace_env(c->ke->trace)->long_size == 4)
		flags &= UINT32_MAX;
	*done = !(flags & makes);
	if (rc || !flags)
		return rc ? rc : tfs_strbuf_adds(c->out, "O_RDONLY");
	if (!(flags & O_ACCMODE_MASK))
		rc = tfs_strbuf_adds(c->out, "O_RDONLY|");
	return rc ? rc : put_names(format, flags, c->out);
}

static int put_open_argument(const struct call *c, size_t i, unsigned int at, bool *done)
{
	const struct tfs_field *f = &c->event->type->fields->field[i];
	uint64_t value = value_of(c, f);
	int rc;

	if (at == 2)
		return put_open_flags(c, value, done);
	if (at == 3)
		return tfs_strbuf_addf(c->out, "%s: 0%03" PRIo32, f->name, (uint32_t)value);
	rc = tfs_strbuf_addf(c->out, "%s: %" PRIu64, f->name, value);
	return rc ? rc : put_copied(c, i);
}

static int put_argument(const struct call *c, size_t i)
{
	const struct tfs_field *f = &c->event->type->fields->field[i];
	uint64_t value = value_of(c, f);
	bool plain = !c->ke->style->syscall_0x || value < 10;
	/* before 4.13 the number of the call was "nr", and an argument of that name is "nr#2" */
	int rc = tfs_strbuf_addf(c->out, "%.*s: %s%" PRIx64, (int)strcspn(f->name, "#"), f->name,
				 plain ? "" : "0x", value);

	return rc ? rc : put_copied(c, i);
}

int tfs_kernel_arguments(const struct tfs_kernel_event *ke, const struct tfs_event *event,
			 struct tfs_strbuf *out)
{
	const struct tfs_fields *fields = event->type->fields;
	const char *format = event->type->tep->print_fmt.format;
	const struct call c = { ke, event, format ? format : "", out };
	bool open = event->type->format && strstr(c.format, OPENAT_FORMAT), done = false;
	unsigned int at = 0;
	int rc = 0;

	/* the first is the number of the call */
	for (size_t i = 1; i < fields->n && !rc && !done; i++) {
		if (fields->field[i].place != TFS_FIELD_FIXED)
			continue;
		if (at)
			rc = tfs_strbuf_adds(out, ", ");
		if (!rc)
			rc = open ? put_open_argument(&c, i, at, &done) : put_argument(&c, i);
		at++;
	}
	return rc;
}
