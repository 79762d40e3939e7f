/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/arrow-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/digits.h"
#include "base/hash.h"
#include "base/inert.h"
#include "base/strbuf.h"

/* A dictionary that has grown beyond this is begun again: memory has a bound. */
#define DICT_ENTRIES_MAX ((size_t)1 << 20)
#define DICT_BYTES_MAX ((size_t)64 << 20)
/* \xHH */

void tfs_arrow_dict_free(struct tfs_arrow_dict *d)
{
	if (!d)
		return;
	tfs_hashmap_release(&d->map);
	tfs_strbuf_release(&d->raw);
	tfs_strbuf_release(&d->text);
	free(d->raw_end);
	free(d->text_end);
	free(d);
}

static struct tfs_arrow_dict *new_dict(void)
{
	struct tfs_arrow_dict *d = calloc(1, sizeof(*d));

	if (d) {
		tfs_strbuf_init(&d->raw);
		tfs_strbuf_init(&d->text);
	}
	return d;
}

/* Begin again: the next batch of the dictionary replaces it. */
static void empty_dict(struct tfs_arrow_dict *d)
{
	tfs_hashmap_release(&d->map);
	d->map = (struct tfs_hashmap){ .n = 0 };
	tfs_strbuf_release(&d->raw);
	tfs_strbuf_release(&d->text);
	d->n = d->written = 0;
	d->begun = false;
}

static bool is_text(const struct tfs_arrow_dict *d, size_t i, const void *s, size_t len)
{
	size_t start;

	if (i >= d->n)
		return false;
	start = i ? d->raw_end[i - 1] : 0;
	return d->raw_end[i] - start == len && !memcmp(d->raw.s + start, s, len);
}

struct key {
	const struct tfs_arrow_dict *dict;
	const void *s;
	size_t len;
};

static bool is_key(const void *entry, const void *of)
{
	const struct key *key = of;

	return is_text(key->dict, (uintptr_t)entry - 1, key->s, key->len);
}

static int add_text(struct tfs_arrow_dict *d, uint64_t hash, const void *s, size_t len)
{
	if (tfs_grow(&d->raw_end, &d->alloc_raw, d->n + 1) ||
	    tfs_grow(&d->text_end, &d->alloc_text, d->n + 1) || tfs_strbuf_add(&d->raw, s, len) ||
	    tfs_utf8_escape(&d->text, s, len) ||
	    /* NOLINTNEXTLINE(performance-no-int-to-ptr): never followed */
	    tfs_hashmap_add(&d->map, hash, (void *)(uintptr_t)(d->n + 1)))
		return -ENOMEM;
	d->raw_end[d->n] = d->raw.len;
	d->text_end[d->n++] = d->text.len;
	return 0;
}

static int find_text(struct tfs_arrow_dict *d, const void *s, size_t len, uint32_t *index)
{
	const struct key key = { d, s, len };
	uint64_t hash;
	void *entry;
	int rc;

	if (is_text(d, *index, s, len))
		return 0;
	hash = tfs_hash64(TFS_HASH64_INIT, s, len);
	entry = tfs_hashmap_find(&d->map, hash, is_key, &key);
	if (entry) {
		*index = (uint32_t)((uintptr_t)entry - 1);
		return 0;
	}
	rc = add_text(d, hash, s, len);
	*index = (uint32_t)(d->n - 1);
	return rc;
}

/* As tfs_strbuf_add() of bytes whose number the compiler knows: this runs for every cell. */
static inline int append(struct tfs_strbuf *sb, const void *data, size_t size)
{
	if (tfs_strbuf_room(sb, size))
		return -ENOMEM;
	memcpy(sb->s + sb->len, data, size);
	sb->len += size;
	return 0;
}

static int put_offset(struct tfs_arrow_column *c)
{
	unsigned int size = c->field.list ? c->field.bytes : 1;
	int32_t end = (int32_t)(c->data.len / size);

	return append(&c->offsets, &end, sizeof(end));
}

static int set_up(struct tfs_arrow_column *c, const struct tfs_arrow_field *field)
{
	c->field = *field;
	tfs_strbuf_init(&c->valid);
	tfs_strbuf_init(&c->offsets);
	tfs_strbuf_init(&c->data);
	if (field->kind == TFS_ARROW_NAME)
		c->dict = new_dict();
	if (field->kind == TFS_ARROW_NAME && !c->dict)
		return -ENOMEM;
	return tfs_arrow_has_offsets(field) ? put_offset(c) : 0;
}

int tfs_arrow_new(const struct tfs_arrow_field *fields, size_t n, struct tfs_arrow **out)
{
	struct tfs_arrow *a = calloc(1, sizeof(*a));
	int rc = 0;

	if (!a)
		return -ENOMEM;
	a->columns = calloc(n, sizeof(*a->columns));
	if (!a->columns)
		rc = -ENOMEM;
	for (size_t i = 0; i < n && !rc; i++) {
		a->n++;
		rc = set_up(&a->columns[i], &fields[i]);
	}
	if (rc)
		tfs_arrow_free(a);
	else
		*out = a;
	return rc;
}

void tfs_arrow_free(struct tfs_arrow *a)
{
	if (!a)
		return;
	for (size_t i = 0; a->columns && i < a->n; i++) {
		tfs_strbuf_release(&a->columns[i].valid);
		tfs_strbuf_release(&a->columns[i].offsets);
		tfs_strbuf_release(&a->columns[i].data);
		tfs_arrow_dict_free(a->columns[i].dict);
	}
	free(a->columns);
	free(a);
}

/* The rows before the first null have a value. */
static int set_valid(struct tfs_strbuf *valid, size_t row, bool is)
{
	size_t had = valid->len, bytes = row / 8 + 1;

	if (tfs_strbuf_room(valid, bytes))
		return -ENOMEM;
	while (valid->len < bytes)
		valid->s[valid->len++] = (char)(had ? 0 : 0xff);
	if (is)
		valid->s[row / 8] = (char)(valid->s[row / 8] | 1 << row % 8);
	else if (!had)
		valid->s[row / 8] = (char)((1 << row % 8) - 1);
	return 0;
}

static inline int add_valid(const struct tfs_arrow *a, struct tfs_arrow_column *c)
{
	return c->valid.len ? set_valid(&c->valid, a->rows, true) : 0;
}

static int put_number(struct tfs_strbuf *data, uint64_t n, unsigned int bytes)
{
	uint8_t n8 = (uint8_t)n;
	uint16_t n16 = (uint16_t)n;
	uint32_t n32 = (uint32_t)n;

	switch (bytes) {
	case 1:
		return append(data, &n8, sizeof(n8));
	case 2:
		return append(data, &n16, sizeof(n16));
	case 4:
		return append(data, &n32, sizeof(n32));
	default:
		return append(data, &n, sizeof(n));
	}
}

int tfs_arrow_null(struct tfs_arrow *a, size_t column)
{
	struct tfs_arrow_column *c = &a->columns[column];

	c->nulls++;
	if (set_valid(&c->valid, a->rows, false))
		return -ENOMEM;
	if (tfs_arrow_has_offsets(&c->field))
		return put_offset(c);
	return put_number(&c->data, 0, c->dict ? sizeof(int32_t) : c->field.bytes);
}

int tfs_arrow_number(struct tfs_arrow *a, size_t column, uint64_t n)
{
	struct tfs_arrow_column *c = &a->columns[column];

	return add_valid(a, c) ? -ENOMEM : put_number(&c->data, n, c->field.bytes);
}

int tfs_arrow_element(struct tfs_arrow *a, size_t column, uint64_t n)
{
	struct tfs_arrow_column *c = &a->columns[column];

	return put_number(&c->data, n, c->field.bytes);
}

int tfs_arrow_end_list(struct tfs_arrow *a, size_t column)
{
	struct tfs_arrow_column *c = &a->columns[column];

	return add_valid(a, c) ? -ENOMEM : put_offset(c);
}

int tfs_arrow_utf8(struct tfs_arrow *a, size_t column, const void *s, size_t len)
{
	struct tfs_arrow_column *c = &a->columns[column];

	return add_valid(a, c) || append(&c->data, s, len) ? -ENOMEM : put_offset(c);
}

int tfs_arrow_text(struct tfs_arrow *a, size_t column, const void *s, size_t len)
{
	struct tfs_arrow_column *c = &a->columns[column];

	if (add_valid(a, c) || tfs_utf8_escape(&c->data, s, len))
		return -ENOMEM;
	return put_offset(c);
}

int tfs_arrow_name(struct tfs_arrow *a, size_t column, const void *s, size_t len, uint32_t *hint)
{
	struct tfs_arrow_column *c = &a->columns[column];
	int rc = find_text(c->dict, s, len, hint);

	return rc || add_valid(a, c) ? -ENOMEM : append(&c->data, hint, sizeof(*hint));
}

void tfs_arrow_end_row(struct tfs_arrow *a)
{
	a->rows++;
}

size_t tfs_arrow_rows(const struct tfs_arrow *a)
{
	return a->rows;
}

size_t tfs_arrow_bytes(const struct tfs_arrow *a)
{
	size_t bytes = 0;

	for (size_t i = 0; i < a->n; i++)
		bytes += a->columns[i].data.len + a->columns[i].offsets.len;
	return bytes;
}

int tfs_arrow_empty(struct tfs_arrow *a)
{
	int rc = 0;

	a->rows = 0;
	for (size_t i = 0; i < a->n && !rc; i++) {
		struct tfs_arrow_column *c = &a->columns[i];

		c->nulls = 0;
		tfs_strbuf_reset(&c->valid);
		tfs_strbuf_reset(&c->offsets);
		tfs_strbuf_reset(&c->data);
		if (c->dict &&
		    (c->dict->n > DICT_ENTRIES_MAX || c->dict->text.len > DICT_BYTES_MAX))
			empty_dict(c->dict);
		if (tfs_arrow_has_offsets(&c->field))
			rc = put_offset(c);
	}
	return rc;
}

int tfs_arrow_shrink(struct tfs_arrow *a)
{
	int rc = 0;

	for (size_t i = 0; i < a->n && !rc; i++) {
		struct tfs_arrow_column *c = &a->columns[i];

		tfs_strbuf_release(&c->valid);
		tfs_strbuf_release(&c->offsets);
		tfs_strbuf_release(&c->data);
		if (tfs_arrow_has_offsets(&c->field))
			rc = put_offset(c);
	}
	return rc;
}
