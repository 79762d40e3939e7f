/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/chrome-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/out.h"

int tfs_chrome_write(struct chrome *c, const char *text, size_t len)
{
	int rc = tfs_out_puts(c->out, c->more ? ",\n" : "\n");

	c->more = true;
	return rc ? rc : tfs_out_write(c->out, text, len);
}

static int release(struct chrome *c, struct chrome_held *held)
{
	int rc = held->text ? tfs_chrome_write(c, held->text, held->len) : 0;

	free(held->text);
	held->text = NULL;
	return rc;
}

static bool is_row(const void *owner, uint32_t id, const void *key)
{
	const struct chrome_row *row = tfs_pool_at(owner, id);

	return row->place == *(const uint64_t *)key;
}

static uint64_t hash_row(const void *owner, uint32_t id)
{
	return tfs_hash_int(((const struct chrome_row *)tfs_pool_at(owner, id))->place);
}

static struct chrome_row *find_row(struct chrome *c, const struct chrome_place *place)
{
	const uint64_t key = place->pid << 24 ^ place->tid;
	uint32_t id = tfs_idmap_find(&c->by_place, tfs_hash_int(key), is_row, &c->rows, &key);
	struct chrome_row *row;

	if (id != TFS_IDMAP_NONE)
		return tfs_pool_at(&c->rows, id);
	row = tfs_pool_add(&c->rows);
	if (!row)
		return NULL;
	row->place = key;
	return tfs_idmap_add(&c->by_place, (uint32_t)(c->rows.n - 1), hash_row, &c->rows) ? NULL :
											    row;
}

/* The slices of a row at @depth, from 1 on; NULL: none */
static struct chrome_held *held_at(const struct chrome_row *row, unsigned int depth)
{
	return depth <= row->room ? &row->held[depth - 1] : NULL;
}

/* The same, with room for it. NULL: no memory */
static struct chrome_held *make_held(struct chrome_row *row, unsigned int depth)
{
	struct chrome_held *held;

	if (depth > row->room) {
		held = reallocarray(row->held, depth, sizeof(*held));
		if (!held)
			return NULL;
		memset(held + row->room, 0, (depth - row->room) * sizeof(*held));
		row->held = held;
		row->room = depth;
	}
	return held_at(row, depth);
}

/* Entries of @held after those in @c->text */
static int append(struct chrome *c, struct chrome_held *held)
{
	int rc = tfs_strbuf_adds(&c->text, ",\n");

	if (!rc)
		rc = tfs_strbuf_add(&c->text, held->text, held->len);
	free(held->text);
	held->text = NULL;
	return rc;
}

/* Those that ended within the slice which ends now, and so are deeper than @depth */
static int release_inner(struct chrome *c, struct chrome_row *row, unsigned int depth,
			 uint64_t begin)
{
	int rc = 0;

	for (; row->n > depth + 1 && !rc; row->n--) {
		struct chrome_held *held = held_at(row, row->n - 1);

		if (held->text && held->begin == begin && row->n == depth + 2)
			rc = append(c, held);
		else
			rc = release(c, held);
	}
	return rc;
}

uint64_t tfs_chrome_after(struct chrome *c, const struct chrome_place *place, unsigned int depth,
			  uint64_t begin)
{
	const struct chrome_row *row = find_row(c, place);

	if (!row)
		return begin;
	if (row->end > begin)
		begin = row->end;
	for (unsigned int d = 1; d <= depth && d <= row->room; d++)
		if (held_at(row, d)->end > begin)
			begin = held_at(row, d)->end;
	return begin;
}

int tfs_chrome_slice(struct chrome *c, const struct chrome_place *place, unsigned int depth,
		     uint64_t begin, uint64_t end)
{
	struct chrome_held *held = NULL;
	struct chrome_row *row = NULL;
	char *text;
	int rc;

	c->slices++;
	if (depth < CHROME_HELD) {
		row = find_row(c, place);
		if (!row)
			return -ENOMEM;
		rc = release_inner(c, row, depth, begin);
		if (rc)
			return rc;
		held = depth ? make_held(row, depth) : NULL;
		if (depth && !held)
			return -ENOMEM;
		*(held ? &held->end : &row->end) = end;
	}
	/* One that began before decides: nothing around both begins as late as this one. */
	if (!held || (held->text && held->begin != begin))
		return tfs_chrome_write(c, c->text.s, c->text.len);
	text = realloc(held->text, (held->text ? held->len + 2 : 0) + c->text.len);
	if (!text)
		return -ENOMEM;
	if (held->text)
		held->len = (size_t)((char *)mempcpy(text + held->len, ",\n", 2) - text);
	else
		held->len = 0;
	held->text = text;
	memcpy(text + held->len, c->text.s, c->text.len);
	held->len += c->text.len;
	held->begin = begin;
	if (row->n <= depth)
		row->n = depth + 1;
	return 0;
}

int tfs_chrome_flush(struct chrome *c)
{
	struct chrome_row *row;
	int rc = 0;
	size_t i;

	tfs_pool_for_each(&c->rows, i, row)
	{
		for (; row->n > 1 && !rc; row->n--)
			rc = release(c, held_at(row, row->n - 1));
	}
	return rc;
}

void tfs_chrome_rows_release(struct chrome *c)
{
	struct chrome_row *row;
	size_t i;

	tfs_pool_for_each(&c->rows, i, row)
	{
		for (unsigned int d = 0; d < row->room; d++)
			free(row->held[d].text);
		free(row->held);
	}
	tfs_pool_release(&c->rows);
	tfs_idmap_release(&c->by_place);
	tfs_pool_release(&c->named);
	tfs_idmap_release(&c->by_name);
}
