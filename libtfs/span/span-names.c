/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/span-internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "decode/event-type.h"
#include "format/event-format.h"
#include "tracedat/dat-read.h"

/* A print format of more labels than these is not the kernel's. */
#define LABELS_MAX 256
/* Bytes of a name that are kept. */
#define NAME_MAX_LEN 512
/* Bytes of names that are allocated at once: more than one has */
#define BLOCK 4000

struct memo {
	uint32_t id;
};

/* Names, one after the other, each with its NUL */
struct span_block {
	struct span_block *before;
	size_t used;
	char text[BLOCK];
};

struct name {
	const char *text;
	size_t len;
};

int tfs_span_names_new(struct tfs_spans *s)
{
	return tfs_span_name(s, "", 0, &s->none);
}

static bool is_name(const void *owner, uint32_t id, const void *key)
{
	const struct tfs_spans *s = owner;
	const struct name *name = key;
	const char *known = s->names[id];

	return !strncmp(known, name->text, name->len) && !known[name->len];
}

/* A copy that stays where it is */
static const char *keep_name(struct tfs_spans *s, const struct name *name)
{
	struct span_block *block = s->block;
	char *text;

	if (!block || name->len >= BLOCK - block->used) {
		block = malloc(sizeof(*block));
		if (!block)
			return NULL;
		block->before = s->block;
		block->used = 0;
		s->block = block;
	}
	text = block->text + block->used;
	memcpy(text, name->text, name->len);
	text[name->len] = '\0';
	block->used += name->len + 1;
	return text;
}

static uint64_t hash_text(const char *text, size_t len)
{
	uint64_t hash = tfs_hash64(TFS_HASH64_INIT, text, len);

	return hash ^ hash >> 32;
}

static uint64_t hash_name(const void *owner, uint32_t id)
{
	const struct tfs_spans *s = owner;

	return hash_text(s->names[id], strlen(s->names[id]));
}

int tfs_span_name(struct tfs_spans *s, const char *text, size_t len, uint32_t *id)
{
	const struct name name = { text, strnlen(text, len < NAME_MAX_LEN ? len : NAME_MAX_LEN) };

	*id = tfs_idmap_find(&s->by_name, hash_text(text, name.len), is_name, s, &name);
	if (*id != TFS_IDMAP_NONE)
		return 0;
	if (tfs_grow(&s->names, &s->alloc_names, s->n_names + 1))
		return -ENOMEM;
	s->names[s->n_names] = keep_name(s, &name);
	if (!s->names[s->n_names] || tfs_idmap_add(&s->by_name, (uint32_t)s->n_names, hash_name, s))
		return -ENOMEM;
	*id = (uint32_t)s->n_names++;
	return 0;
}

uint32_t tfs_span_memo(const struct tfs_spans *s, uint64_t key)
{
	const struct memo *m = tfs_hashmap_int(&s->memo, key);

	return m ? m->id : SPAN_NO_NAME;
}

int tfs_span_note(struct tfs_spans *s, uint64_t key, uint32_t id)
{
	struct memo *m = malloc(sizeof(*m));

	if (!m || tfs_hashmap_add(&s->memo, tfs_hash_int(key), m)) {
		free(m);
		return -ENOMEM;
	}
	m->id = id;
	return 0;
}

void tfs_span_names_release(struct tfs_spans *s)
{
	struct span_block *before;
	struct memo *m;
	size_t i;

	tfs_hashmap_for_each(&s->memo, i, m) free(m);
	tfs_hashmap_release(&s->memo);
	for (; s->block; s->block = before) {
		before = s->block->before;
		free(s->block);
	}
	tfs_idmap_release(&s->by_name);
	free(s->names);
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	return p;
}

/* "0x1" or "256" up to @end, which is not a digit; the end of the number, or @p if it is none */
static const char *number(const char *p, const char *end, uint64_t *value)
{
	unsigned int base = 10, digit;
	const char *start = p;

	if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	}
	for (*value = 0; p < end && isxdigit((unsigned char)*p); p++) {
		digit = isdigit((unsigned char)*p) ? (unsigned int)(*p - '0') :
						     (unsigned int)(tolower(*p) - 'a' + 10);
		if (digit >= base)
			break;
		*value = *value * base + digit;
	}
	return p == start + (base == 16 ? 2 : 0) ? start : p;
}

/* { 0x1, "S" }; the first character after it; NULL: it is something else */
static const char *label(const char *p, const char *end, struct span_label *out)
{
	const char *q;
	size_t len;

	p = skip_blanks(p, end);
	q = number(p, end, &out->value);
	if (q == p)
		return NULL;
	p = skip_blanks(q, end);
	if (p == end || *p != ',')
		return NULL;
	p = skip_blanks(p + 1, end);
	if (p == end || *p != '"')
		return NULL;
	p++;
	q = memchr(p, '"', (size_t)(end - p));
	if (!q)
		return NULL;
	len = (size_t)(q - p) < sizeof(out->text) ? (size_t)(q - p) : sizeof(out->text) - 1;
	memcpy(out->text, p, len);
	out->text[len] = '\0';
	return q + 1;
}

int tfs_span_labels(const struct tfs_event_type *type, struct span_labels *out)
{
	size_t len = 0;
	const char *p, *end, *next;
	struct span_label one;

	if (!type->format)
		return 0;
	p = tfs_event_format_print(type->format->text.data, type->format->text.size, &len);
	end = p ? p + len : NULL;
	while (p && p < end && out->n < LABELS_MAX) {
		p = memchr(p, '{', (size_t)(end - p));
		next = p ? label(p + 1, end, &one) : NULL;
		if (!next) {
			p = p ? p + 1 : NULL;
			continue;
		}
		p = next;
		if (tfs_grow(&out->v, &out->alloc, out->n + 1))
			return -ENOMEM;
		out->v[out->n++] = one;
	}
	return 0;
}

const char *tfs_span_label(const struct span_labels *labels, uint64_t value)
{
	for (size_t i = 0; i < labels->n; i++)
		if (labels->v[i].value == value)
			return labels->v[i].text;
	return NULL;
}
