/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/program-internal.h"

#include <string.h>

#include <event-parse.h>

#include "base/digits.h"

static const bool is_text[256] = {
	['\t' ... '\r'] = true,
	[' ' ... '~'] = true,
};

/* Up to a zero or its end. */
static bool is_printable(const unsigned char *s, size_t len)
{
	const unsigned char *end = s + len;

	while (s < end && is_text[*s])
		s++;
	return s == end || !*s;
}

/* Where the field's bytes are; false: not all are where we may look. */
static bool place(const struct tfs_run *r, const struct tfs_op *op, size_t *at, size_t *len)
{
	*at = op->off;
	*len = op->aux;
	if (op->style & TFS_STYLE_DYNAMIC)
		tfs_run_dynamic(r, op, at, len);
	return *at <= r->limit && *len <= r->limit - *at;
}

char *tfs_write_content(struct tfs_run *r, const struct tfs_op *op, char *q)
{
	const unsigned char *s;
	size_t at, len, i;

	if (!place(r, op, &at, &len))
		return NULL;
	s = r->data + at;
	if (op->kind && !(r->bytes >> (op->kind - 1) & 1)) {
		/* A text that fills its field runs on into the bytes after it. */
		len = strnlen((const char *)s, r->limit - at);
		q = tfs_run_room(r, q, len);
		if (q)
			memcpy(q, s, len);
		return q ? q + len : NULL;
	}
	q = tfs_run_room(r, q, 4 * len + 8);
	if (!q)
		return NULL;
	memcpy(q, "ARRAY[", 6);
	q += 6;
	for (i = 0; i < len; i++) {
		if (i) {
			*q++ = ',';
			*q++ = ' ';
		}
		q = tfs_digits_hex(q, s[i], 2);
	}
	*q++ = ']';
	return q;
}

uint64_t tfs_program_bytes(const struct tfs_program *p, const void *data, size_t size, size_t room,
			   uint64_t bytes)
{
	struct tfs_run r = { .program = p, .data = data };
	unsigned int left = p->n_strings;
	const struct tfs_op *op;
	size_t at, len;

	if (room < p->need || !left)
		return bytes;
	r.limit = tfs_run_limit(p, size, room);
	for (op = p->ops; left && op->code != TFS_OP_END; op++) {
		if (op->code != TFS_OP_CONTENT || !op->kind)
			continue;
		left--;
		if (place(&r, op, &at, &len) && !is_printable(r.data + at, len))
			bytes |= UINT64_C(1) << (op->kind - 1);
	}
	return bytes;
}

void tfs_program_set_strings(const struct tfs_program *p, struct tep_event *event, uint64_t bytes)
{
	struct tep_format_field *f;
	const struct tfs_op *op;

	for (op = p->ops; op->code != TFS_OP_END; op++) {
		if (op->code != TFS_OP_CONTENT || !op->kind)
			continue;
		for (f = event->format.fields; f; f = f->next) {
			if (f->offset != (int)op->off)
				continue;
			if (bytes >> (op->kind - 1) & 1)
				f->flags &= ~(unsigned long)TEP_FIELD_IS_STRING;
			else
				f->flags |= TEP_FIELD_IS_STRING;
		}
	}
}

int tfs_program_run_fields(const struct tfs_program *p, struct tfs_strbuf *out,
			   const struct tfs_raw *raw)
{
	/* More than the record is shown: arrays that the kernel cut short, in full. */
	size_t size = raw->size < p->need ? p->need : raw->size;
	struct tfs_run r = { .program = p, .data = raw->data, .size = size, .out = out };

	if (raw->room < p->need)
		return 1;
	r.limit = tfs_run_limit(p, raw->size, raw->room);
	r.bytes = raw->bytes;
	return tfs_run_program(&r);
}
