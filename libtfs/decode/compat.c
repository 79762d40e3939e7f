/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/compat.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/strbuf-core.h"
#include "decode/trace-internal.h"
#include "format/event-format.h"
#include "printfmt/convs.h"

enum patch_kind {
	PATCH_NUMBER,   /* a scalar: swap it */
	PATCH_ARRAY,    /* __print_array(): swap every element */
	PATCH_SOCKADDR, /* %pIS: swap the address family */
};

/**
 * struct tfs_patch - bytes that libtraceevent loads without regard to the file's byte order
 * @size: of the scalar or of an element
 * @dynamic: the field holds offset and length of the data
 * @relative: the offset counts from the field's end
 */
struct tfs_patch {
	struct tfs_patch *next;
	enum patch_kind kind;
	unsigned int offset, field_size, size;
	bool dynamic, relative;
};

int tfs_compat_new(struct tfs_trace *trace)
{
	struct tfs_compat *f = calloc(1, sizeof(*f));
	unsigned int longs = (unsigned int)tep_get_long_size(trace->tep);

	if (!f)
		return -ENOMEM;
	f->narrow = longs == 4 && sizeof(long) == 8;
	f->other_size = longs != sizeof(long);
	f->swapped = tep_is_file_bigendian(trace->tep) != tep_is_local_bigendian(trace->tep);
	trace->machine = f;
	return 0;
}

void tfs_compat_free(struct tfs_trace *trace)
{
	free(trace->machine);
	trace->machine = NULL;
}

void tfs_compat_patches_free(struct tfs_patch *p)
{
	struct tfs_patch *next;

	for (; p; p = next) {
		next = p->next;
		free(p);
	}
}

/* The one length modifier to leave out of the conversion at @p ("%-5ld"), or NULL; @end is set. */
static const char *narrowed(const char *p, const char **end)
{
	const char *drop = NULL;
	int longs = 0;

	for (p++; *p && strchr("#.-+*0123456789lzZhL", *p); p++) {
		if (*p == 'l' || *p == 'z' || *p == 'Z') {
			longs++;
			drop = p;
		} else if (*p == 'h' || *p == 'L') {
			longs = 99;
		}
	}
	*end = *p ? p + 1 : p;
	return longs == 1 && *p && strchr("duixXo", *p) ? drop : NULL;
}

/* One string literal, its opening quote at *@p; *@p moves past the closing one. */
static int narrow_literal(const char **p, struct tfs_strbuf *out)
{
	const char *s = *p, *from = s, *drop, *end;
	int rc;

	for (s++; *s && *s != '"';) {
		if ((*s == '\\' && s[1]) || (*s == '%' && s[1] == '%')) {
			s += 2;
		} else if (*s == '%') {
			drop = narrowed(s, &end);
			if (drop) {
				rc = tfs_strbuf_add(out, from, (size_t)(drop - from));
				if (rc)
					return rc;
				from = drop + 1;
			}
			/* The conversion character may be the closing quote of a broken format. */
			s = end[-1] == '"' ? end - 1 : end;
		} else {
			s++;
		}
	}
	if (*s)
		s++;
	*p = s;
	return tfs_strbuf_add(out, from, (size_t)(s - from));
}

int tfs_compat_narrow_format(const char *text, size_t size, struct tfs_strbuf *out)
{
	size_t len;
	const char *p = tfs_event_format_print(text, size, &len), *q;
	int rc;

	if (!p)
		return tfs_strbuf_add(out, text, size);
	p += len && *p == ' ';
	rc = tfs_strbuf_add(out, text, (size_t)(p - text));
	/* The format may come as several literals one after the other. */
	while (!rc && *p == '"') {
		rc = narrow_literal(&p, out);
		q = p + strspn(p, " \t\n");
		if (!rc && *q == '"') {
			rc = tfs_strbuf_add(out, p, (size_t)(q - p));
			p = q;
		}
	}
	return rc ? rc : tfs_strbuf_add(out, p, size - (size_t)(p - text));
}

void tfs_compat_parse(struct tfs_trace *trace, const struct tfs_event_type *type, const char *text,
		      size_t size)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	if (trace->machine->narrow && !tfs_compat_narrow_format(text, size, &sb))
		tep_parse_event(trace->tep, sb.s, sb.len, type->system);
	else
		tep_parse_event(trace->tep, text, size, type->system);
	tfs_strbuf_release(&sb);
}

static void add_patch(struct tfs_event_type *type, const struct tfs_patch *like)
{
	struct tfs_patch *p;

	/* A field that is printed twice is still swapped once. */
	for (p = type->patches; p; p = p->next)
		if (p->offset == like->offset && p->kind == like->kind)
			return;
	p = malloc(sizeof(*p));
	if (!p)
		return;
	*p = *like;
	p->next = type->patches;
	type->patches = p;
}

static struct tep_format_field *arg_field(struct tep_event *event, struct tep_print_arg *arg)
{
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	if (!arg)
		return NULL;
	if (arg->type == TEP_PRINT_DYNAMIC_ARRAY)
		return arg->dynarray.field;
	if (arg->type != TEP_PRINT_FIELD)
		return NULL;
	return arg->field.field ? arg->field.field : tep_find_any_field(event, arg->field.name);
}

static void patch_field(struct tfs_event_type *type, enum patch_kind kind,
			const struct tep_format_field *f, unsigned int size)
{
	struct tfs_patch p = { .kind = kind, .size = size };

	if (!f)
		return;
	p.offset = (unsigned int)f->offset;
	p.field_size = (unsigned int)f->size;
	p.dynamic = f->flags & TEP_FIELD_IS_DYNAMIC;
	p.relative = f->flags & TEP_FIELD_IS_RELATIVE;
	add_patch(type, &p);
}

/* A string argument: a char * in the record is loaded unswapped, so it matches no known string. */
static void patch_string(struct tfs_trace *trace, struct tfs_event_type *type,
			 struct tep_print_arg *arg)
{
	struct tep_format_field *f;
	struct tep_print_arg *size;

	if (!arg)
		return;
	if (arg->type == TEP_PRINT_OP && arg->op.op[0] == '?' && arg->op.right &&
	    arg->op.right->type == TEP_PRINT_OP) {
		patch_string(trace, type, arg->op.right->op.left);
		patch_string(trace, type, arg->op.right->op.right);
	} else if (arg->type == TEP_PRINT_FIELD) {
		f = arg_field(type->tep, arg);
		if (f && !(f->flags & TEP_FIELD_IS_ARRAY) &&
		    f->size == tep_get_long_size(trace->tep))
			patch_field(type, PATCH_NUMBER, f, (unsigned int)f->size);
	} else if (arg->type == TEP_PRINT_INT_ARRAY) {
		size = arg->int_array.el_size;
		if (size && size->type == TEP_PRINT_ATOM)
			patch_field(type, PATCH_ARRAY, arg_field(type->tep, arg->int_array.field),
				    (unsigned int)strtoul(size->atom.atom, NULL, 0));
	}
}

/* A bare %p prints 64 bits of what the recording's machine computed in 32: cast it. */
static void narrow_pointer(struct tep_print_arg *arg)
{
	struct tep_print_arg *item;
	char *u32;

	if (!arg ||
	    (arg->type == TEP_PRINT_FIELD && arg->field.field && arg->field.field->size <= 4))
		return;
	item = malloc(sizeof(*item));
	u32 = strdup("u32");
	if (!item || !u32) {
		free(item);
		free(u32);
		return;
	}
	*item = *arg;
	item->next = NULL;
	arg->type = TEP_PRINT_TYPE;
	arg->typecast.type = u32;
	arg->typecast.item = item;
}

/* libtraceevent's plugin steps by the file's long and prints as many bytes as ours has. */
static int print_raw_data(struct trace_seq *s, struct tep_record *rec, struct tep_event *event,
			  void *context)
{
	struct tfs_compat *f = context;
	struct tep_format_field *buf = tep_find_any_field(event, "buf");
	unsigned long long id;
	int i;

	if (!buf || tep_get_field_val(NULL, event, "id", rec, &id, 0))
		return ((tep_event_handler_func)f->raw_data.handler)(s, rec, event,
								     f->raw_data.context);
	trace_seq_printf(s, "# %llx", id);
	for (i = buf->offset; i < rec->size; i++)
		trace_seq_printf(s, " %02x", ((const unsigned char *)rec->data)[i]);
	return 0;
}

/* The plugin's "pages=%ld" of TLB_FLUSH_ALL is -1 where long has 32 bits. */
static int print_tlb_flush(struct trace_seq *s, struct tep_record *rec, struct tep_event *event,
			   void *context)
{
	static const char label[] = "pages=";
	struct tfs_compat *f = context;
	unsigned int start = s->len;
	unsigned long long pages;
	char *end, *rest;
	int rc;

	rc = ((tep_event_handler_func)f->tlb_flush.handler)(s, rec, event, f->tlb_flush.context);
	trace_seq_terminate(s);
	if (rc || s->state != TRACE_SEQ__GOOD ||
	    strncmp(s->buffer + start, label, sizeof(label) - 1))
		return rc;
	pages = strtoull(s->buffer + start + sizeof(label) - 1, &end, 10);
	if (pages <= INT32_MAX || pages > UINT32_MAX)
		return rc;
	rest = strdup(end);
	if (!rest)
		return rc;
	s->len = start;
	trace_seq_printf(s, "%s%d%s", label, (int32_t)(uint32_t)pages, rest);
	free(rest);
	return rc;
}

static void wrap_handlers(struct tfs_compat *f, struct tep_event *event)
{
	if (!event->handler)
		return;
	if (f->other_size && !strcmp(event->system, "ftrace") && !strcmp(event->name, "raw_data")) {
		f->raw_data.handler = (void (*)(void))event->handler;
		f->raw_data.context = event->context;
		event->handler = print_raw_data;
		event->context = f;
	}
	if (f->narrow && !strcmp(event->system, "tlb") && !strcmp(event->name, "tlb_flush")) {
		f->tlb_flush.handler = (void (*)(void))event->handler;
		f->tlb_flush.context = event->context;
		event->handler = print_tlb_flush;
		event->context = f;
	}
}

void tfs_compat_event(struct tfs_trace *trace, struct tfs_event_type *type)
{
	struct tfs_compat *f = trace->machine;
	struct tfs_convs it;
	struct tfs_conv c;

	if (!f->other_size && !f->swapped)
		return;
	wrap_handlers(f, type->tep);
	tfs_convs_init(&it, type->tep->print_fmt.format, type->tep->print_fmt.args);
	while (tfs_convs_next(&it, &c)) {
		if (f->swapped && c.conv == 's')
			patch_string(trace, type, c.arg);
		if (f->swapped && c.conv == 'p' && (c.suffix[0] | 0x20) == 'i' &&
		    c.suffix[1] == 'S')
			patch_field(type, PATCH_SOCKADDR, arg_field(type->tep, c.arg), 2);
		if (f->narrow && c.conv == 'p' && (!*c.suffix || !strchr("sSfFmMiIUh", *c.suffix)))
			narrow_pointer(c.arg);
	}
}

static void swap(unsigned char *p, unsigned int size)
{
	unsigned char t;
	unsigned int i;

	for (i = 0; i < size / 2; i++) {
		t = p[i];
		p[i] = p[size - 1 - i];
		p[size - 1 - i] = t;
	}
}

void tfs_compat_patch(const struct tfs_trace *trace, const struct tfs_event_type *type, void *data,
		      size_t size, bool raw)
{
	bool big = tep_is_file_bigendian(trace->tep);
	unsigned char *d = data;
	const struct tfs_patch *p;
	size_t at, len;
	uint32_t loc;

	for (p = type->patches; p; p = p->next) {
		if (raw && p->kind != PATCH_NUMBER)
			continue;
		at = p->offset;
		len = p->field_size;
		if (p->dynamic) {
			loc = tfs_load_u32(d + p->offset, big);
			at = (loc & 0xffff) + (p->relative ? p->offset + p->field_size : 0);
			len = loc >> 16;
		}
		if (at > size || !p->size)
			continue;
		if (len > size - at)
			len = size - at;
		if (p->kind != PATCH_ARRAY && len > p->size)
			len = p->size;
		for (; len >= p->size; len -= p->size, at += p->size)
			swap(d + at, p->size);
	}
}
