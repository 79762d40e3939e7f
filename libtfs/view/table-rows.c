/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/table-internal.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

/*
 * A table may have a million rows. Most cells are small numbers, and most texts are the same in many
 * rows: packed, a row takes 30 to 50 bytes.
 */

/* Texts begin at multiples of this, so that 32 bits number them. */
#define ALIGN 8
/* Bytes of a number of 64 bits */
#define NUMBER_MAX 10

static int put_number(struct tfs_strbuf *out, uint64_t v)
{
	char bytes[NUMBER_MAX];
	size_t n = 0;

	for (; v > 0x7f; v >>= 7)
		bytes[n++] = (char)(v | 0x80);
	bytes[n++] = (char)v;
	return tfs_strbuf_add(out, bytes, n);
}

static const unsigned char *get_number(const unsigned char *p, uint64_t *v)
{
	unsigned int shift = 0;

	for (*v = 0; *p & 0x80; shift += 7)
		*v |= (uint64_t)(*p++ & 0x7f) << shift;
	*v |= (uint64_t)*p++ << shift;
	return p;
}

int tfs_table_close(struct tfs_table *t)
{
	size_t begin = t->packed.len;
	int rc;

	if (!t->open)
		return 0;
	rc = put_number(&t->packed, t->known);
	for (size_t i = 0; i < t->opts.n_columns && !rc; i++)
		if (t->known >> i & 1)
			rc = put_number(&t->packed, t->cell[i]);
	if (rc) {
		t->packed.len = begin;
		return rc;
	}
	t->at[t->n - 1] = begin;
	t->open = false;
	return 0;
}

int tfs_table_add(struct tfs_table *t)
{
	int rc = tfs_table_close(t);

	if (!rc)
		rc = t->n < UINT32_MAX ? tfs_grow(&t->at, &t->at_alloc, t->n + 1) : -ENOMEM;
	if (rc)
		return rc;
	t->known = 0;
	t->open = true;
	t->n++;
	return 0;
}

void tfs_table_set(struct tfs_table *t, size_t column, uint64_t value)
{
	t->cell[column] = value;
	t->known |= UINT64_C(1) << column;
}

struct text {
	const char *s;
	size_t len;
};

const char *tfs_table_text_at(const struct tfs_table *t, uint64_t number, size_t *len)
{
	const char *p = t->texts.s + number * ALIGN;
	uint64_t bytes;

	memcpy(&bytes, p, sizeof(bytes));
	*len = (size_t)bytes;
	return p + sizeof(bytes);
}

static bool is_text(const void *owner, uint32_t id, const void *key)
{
	const struct text *text = key;
	size_t len;
	const char *s = tfs_table_text_at(owner, id, &len);

	return len == text->len && !memcmp(s, text->s, len);
}

static int add_text(struct tfs_table *t, const struct text *text, uint64_t hash, uint32_t *id)
{
	const size_t begin = t->texts.len, pad = ALIGN - 1 - text->len % ALIGN;
	const uint64_t bytes = text->len;
	int rc = begin / ALIGN < UINT32_MAX - 1 ? 0 : -ENOMEM;

	if (!rc)
		rc = tfs_strbuf_add(&t->texts, &bytes, sizeof(bytes));
	if (!rc)
		rc = tfs_strbuf_add(&t->texts, text->s, text->len);
	if (!rc)
		rc = tfs_strbuf_add(&t->texts, "\0\0\0\0\0\0\0", pad + 1);
	*id = (uint32_t)(begin / ALIGN);
	if (!rc)
		rc = tfs_idmap_add(&t->by_text, hash, *id);
	if (rc)
		t->texts.len = begin;
	return rc;
}

int tfs_table_set_text(struct tfs_table *t, size_t column, const char *s, size_t len)
{
	const struct text text = { s, len };
	uint64_t hash = tfs_hash64(TFS_HASH64_INIT, s, len);
	uint32_t id;
	int rc = 0;

	hash ^= hash >> 32;
	id = tfs_idmap_find(&t->by_text, hash, is_text, t, &text);
	if (id == TFS_IDMAP_NONE)
		rc = add_text(t, &text, hash, &id);
	if (!rc)
		tfs_table_set(t, column, id);
	return rc;
}

size_t tfs_table_rows(const struct tfs_table *t)
{
	return t->n;
}

const struct tfs_table_row *tfs_table_read(const struct tfs_table *t, size_t row)
{
	struct tfs_table_row *r = t->row;
	const unsigned char *p;

	if (r->row == row)
		return r;
	r->row = row;
	p = get_number((const unsigned char *)t->packed.s + t->at[row], &r->known);
	for (uint64_t known = r->known; known; known &= known - 1)
		p = get_number(p, &r->cell[__builtin_ctzll(known)]);
	return r;
}

const char *tfs_table_text(const struct tfs_table *t, size_t row, size_t column, size_t *len)
{
	return tfs_table_text_at(t, tfs_table_cell(t, row, column), len);
}
