/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/chrome-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static struct chrome_row *find_row(struct chrome *c, const struct chrome_place *place)
{
	uint64_t hash = tfs_hash_int(place->pid << 24 ^ place->tid);
	struct chrome_row *row = tfs_hashmap_find(&c->rows, hash, NULL, NULL);

	if (row)
		return row;
	row = calloc(1, sizeof(*row));
	if (row && tfs_hashmap_add(&c->rows, hash, row)) {
		free(row);
		return NULL;
	}
	return row;
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
		struct chrome_held *held = &row->held[row->n - 1];

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

	for (unsigned int d = 0; row && d <= depth && d < CHROME_HELD; d++)
		if (row->end[d] > begin)
			begin = row->end[d];
	return begin;
}

int tfs_chrome_slice(struct chrome *c, const struct chrome_place *place, unsigned int depth,
		     uint64_t begin, uint64_t end)
{
	struct chrome_row *row = NULL;
	struct chrome_held *held;
	char *text;
	int rc;

	c->slices++;
	if (depth < CHROME_HELD) {
		row = find_row(c, place);
		if (!row)
			return -ENOMEM;
		row->end[depth] = end;
		rc = release_inner(c, row, depth, begin);
		if (rc)
			return rc;
	}
	held = row && depth ? &row->held[depth] : NULL;
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

	tfs_hashmap_for_each(&c->rows, i, row)
	{
		for (; row->n && !rc; row->n--)
			rc = release(c, &row->held[row->n - 1]);
	}
	return rc;
}

void tfs_chrome_rows_release(struct chrome *c)
{
	struct chrome_row *row;
	size_t i;

	tfs_hashmap_for_each(&c->rows, i, row)
	{
		for (unsigned int d = 0; d < CHROME_HELD; d++)
			free(row->held[d].text);
		free(row);
	}
	tfs_hashmap_release(&c->rows);
}
