/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hist/rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void tfs_hist_rows_release(struct tfs_hist_rows *rows)
{
	struct tfs_hist_row *row;
	size_t i;

	tfs_hashmap_for_each(&rows->map, i, row)
	{
		free(row->text);
		free(row);
	}
	tfs_hashmap_release(&rows->map);
}

static struct tfs_hist_row *add(struct tfs_hist_rows *rows, uint64_t hash,
				const struct tfs_hist_row *values)
{
	struct tfs_hist_row *row = malloc(sizeof(*row));

	if (!row || tfs_hashmap_add(&rows->map, hash, row)) {
		free(row);
		return NULL;
	}
	*row = *values;
	return row;
}

struct tfs_hist_row *tfs_hist_rows_number(struct tfs_hist_rows *rows, size_t event, uint64_t number)
{
	const uint64_t hash = tfs_hash_int((uint64_t)event << 32 | number);
	struct tfs_hist_row *row = tfs_hashmap_find(&rows->map, hash, NULL, NULL);

	return row ? row :
		     add(rows, hash, &(struct tfs_hist_row){ .event = event, .number = number });
}

static bool has_text(const void *entry, const void *key)
{
	const struct tfs_hist_row *row = entry, *k = key;

	return row->event == k->event && row->len == k->len && !memcmp(row->text, k->text, k->len);
}

struct tfs_hist_row *tfs_hist_rows_text(struct tfs_hist_rows *rows, size_t event, const char *text,
					size_t len)
{
	struct tfs_hist_row key = { .event = event, .text = (char *)text, .len = len }, *row;
	uint64_t hash = tfs_hash64(TFS_HASH64_INIT + event, text, len);

	hash ^= hash >> 32;
	row = tfs_hashmap_find(&rows->map, hash, has_text, &key);
	if (row)
		return row;
	key.text = malloc(len + 1);
	if (!key.text)
		return NULL;
	memcpy(key.text, text, len);
	key.text[len] = '\0';
	row = add(rows, hash, &key);
	if (!row)
		free(key.text);
	return row;
}

void tfs_hist_rows_reset(struct tfs_hist_rows *rows, size_t event)
{
	struct tfs_hist_row *row;
	size_t i;

	tfs_hashmap_for_each(&rows->map, i, row)
	{
		if (row->event != event)
			continue;
		row->count = 0;
		memset(row->sum, 0, sizeof(row->sum));
	}
}

static int compare_keys(const struct tfs_hist_row *a, const struct tfs_hist_row *b)
{
	return a->text && b->text ? strcmp(a->text, b->text) :
				    (a->number > b->number) - (a->number < b->number);
}

static int compare(const void *a, const void *b)
{
	const struct tfs_hist_row *x = *(struct tfs_hist_row *const *)a;
	const struct tfs_hist_row *y = *(struct tfs_hist_row *const *)b;
	const uint64_t m = x->count - x->shown, n = y->count - y->shown;

	return m != n ? (m < n) - (m > n) : compare_keys(x, y);
}

int tfs_hist_rows_list(const struct tfs_hist_rows *rows, size_t event, struct tfs_hist_row ***out,
		       size_t *n)
{
	struct tfs_hist_row *row;
	size_t i;

	*n = 0;
	*out = malloc((rows->map.n + 1) * sizeof(struct tfs_hist_row *));
	if (!*out)
		return -ENOMEM;
	tfs_hashmap_for_each(&rows->map, i, row)
	{
		if (row->event == event && row->count != row->shown)
			(*out)[(*n)++] = row;
	}
	if (*n)
		qsort(*out, *n, sizeof(struct tfs_hist_row *), compare);
	return 0;
}
