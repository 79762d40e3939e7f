/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-stat-rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void stat_rows_release(struct stat_rows *rows)
{
	struct stat_keyed *row;
	size_t i;

	tfs_hashmap_for_each(&rows->map, i, row)
	{
		free(row->text);
		free(row);
	}
	tfs_hashmap_release(&rows->map);
}

static struct stat_keyed *add(struct stat_rows *rows, uint64_t hash,
			      const struct stat_keyed *values)
{
	struct stat_keyed *row = malloc(sizeof(*row));

	if (!row || tfs_hashmap_add(&rows->map, hash, row)) {
		free(row);
		return NULL;
	}
	*row = *values;
	return row;
}

struct stat_keyed *stat_rows_number(struct stat_rows *rows, size_t event, uint64_t number)
{
	const uint64_t hash = tfs_hash_int((uint64_t)event << 32 | number);
	struct stat_keyed *row = tfs_hashmap_find(&rows->map, hash, NULL, NULL);

	return row ? row :
		     add(rows, hash, &(struct stat_keyed){ .event = event, .number = number });
}

static bool has_text(const void *entry, const void *key)
{
	const struct stat_keyed *row = entry, *k = key;

	return row->event == k->event && row->len == k->len && !memcmp(row->text, k->text, k->len);
}

struct stat_keyed *stat_rows_text(struct stat_rows *rows, size_t event, const char *text,
				  size_t len)
{
	struct stat_keyed key = { .event = event, .text = (char *)text, .len = len }, *row;
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

static int compare_keys(const struct stat_keyed *a, const struct stat_keyed *b)
{
	return a->text && b->text ? strcmp(a->text, b->text) :
				    (a->number > b->number) - (a->number < b->number);
}

static int compare(const void *a, const void *b)
{
	const struct stat_keyed *x = *(struct stat_keyed *const *)a;
	const struct stat_keyed *y = *(struct stat_keyed *const *)b;
	const uint64_t m = x->count - x->shown, n = y->count - y->shown;

	return m != n ? (m < n) - (m > n) : compare_keys(x, y);
}

int stat_rows_list(const struct stat_rows *rows, size_t event, struct stat_keyed ***out, size_t *n)
{
	struct stat_keyed *row;
	size_t i;

	*n = 0;
	*out = malloc((rows->map.n + 1) * sizeof(struct stat_keyed *));
	if (!*out)
		return -ENOMEM;
	tfs_hashmap_for_each(&rows->map, i, row)
	{
		if (row->event == event && row->count != row->shown)
			(*out)[(*n)++] = row;
	}
	if (*n)
		qsort(*out, *n, sizeof(struct stat_keyed *), compare);
	return 0;
}
