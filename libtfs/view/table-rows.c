/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/table-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

/*
 * A table may have a million rows. Most cells are small numbers, and most texts are the same in
 * many rows: packed, a row takes 30 to 50 bytes.
 */

/* Texts begin at multiples of this, so that 32 bits number them. */
#define ALIGN 8
/* Bytes of a number of 64 bits */
#define NUMBER_MAX 10

static unsigned char *put_number(unsigned char *p, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		*p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	return p;
}

static const unsigned char *get_number(const unsigned char *p, uint64_t *v)
{
	unsigned int shift = 0;

	for (*v = 0; *p & 0x80; shift += 7)
		*v |= (uint64_t)(*p++ & 0x7f) << shift;
	*v |= (uint64_t)*p++ << shift;
	return p;
}

/* Room for the longest row in the last block */
static int make_room(struct tfs_table *t)
{
	const size_t most = (t->opts.n_columns + 1) * NUMBER_MAX;
	unsigned char *block;

	if (t->n_blocks && TFS_TABLE_BLOCK - t->used >= most)
		return 0;
	if ((t->n_blocks + 1) * TFS_TABLE_BLOCK > UINT32_MAX ||
	    tfs_grow(&t->block, &t->block_alloc, t->n_blocks + 1))
		return -ENOMEM;
	block = malloc(TFS_TABLE_BLOCK);
	if (!block)
		return -ENOMEM;
	t->block[t->n_blocks++] = block;
	t->used = 0;
	return 0;
}

int tfs_table_close(struct tfs_table *t)
{
	unsigned char *begin, *p;
	int rc = t->open ? make_room(t) : 0;

	if (rc || !t->open)
		return rc;
	begin = p = t->block[t->n_blocks - 1] + t->used;
	p = put_number(p, t->known);
	for (uint64_t known = t->known; known; known &= known - 1)
		p = put_number(p, t->cell[__builtin_ctzll(known)]);
	t->at[t->n - 1] = (uint32_t)((t->n_blocks - 1) * TFS_TABLE_BLOCK + t->used);
	t->used += (size_t)(p - begin);
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

static uint64_t hash_bytes(const char *s, size_t len)
{
	uint64_t hash = tfs_hash64(TFS_HASH64_INIT, s, len);

	return hash ^ hash >> 32;
}

static uint64_t hash_text(const void *owner, uint32_t id)
{
	size_t len;
	const char *s = tfs_table_text_at(owner, id, &len);

	return hash_bytes(s, len);
}

static int add_text(struct tfs_table *t, const struct text *text, uint32_t *id)
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
		rc = tfs_idmap_add(&t->by_text, *id, hash_text, t);
	if (rc)
		t->texts.len = begin;
	return rc;
}

int tfs_table_set_text(struct tfs_table *t, size_t column, const char *s, size_t len)
{
	const struct text text = { s, len };
	uint32_t id = tfs_idmap_find(&t->by_text, hash_bytes(s, len), is_text, t, &text);
	int rc = 0;

	if (id == TFS_IDMAP_NONE)
		rc = add_text(t, &text, &id);
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
	p = t->block[t->at[row] / TFS_TABLE_BLOCK] + t->at[row] % TFS_TABLE_BLOCK;
	p = get_number(p, &r->known);
	for (uint64_t known = r->known; known; known &= known - 1)
		p = get_number(p, &r->cell[__builtin_ctzll(known)]);
	return r;
}

const char *tfs_table_text(const struct tfs_table *t, size_t row, size_t column, size_t *len)
{
	return tfs_table_text_at(t, tfs_table_cell(t, row, column), len);
}
