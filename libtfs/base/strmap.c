/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/strmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* In one piece with its key. */
struct entry {
	size_t value;
	char key[];
};

static uint64_t hash_string(const char *s)
{
	uint64_t h = tfs_hash64(TFS_HASH64_INIT, s, strlen(s));

	return h ^ h >> 32;
}

static bool has_key(const void *entry, const void *key)
{
	const struct entry *e = entry;

	return !strcmp(e->key, key);
}

void tfs_strmap_release(struct tfs_strmap *map)
{
	struct entry *e;
	size_t i;

	tfs_hashmap_for_each(&map->map, i, e) free(e);
	tfs_hashmap_release(&map->map);
}

bool tfs_strmap_get(const struct tfs_strmap *map, const char *key, size_t *value)
{
	const struct entry *e;

	if (!map->map.n)
		return false;
	e = tfs_hashmap_find(&map->map, hash_string(key), has_key, key);
	if (e && value)
		*value = e->value;
	return e != NULL;
}

/* The entry of a key, with 0 if it is new; NULL without memory. */
static struct entry *find_or_add(struct tfs_strmap *map, const char *key)
{
	uint64_t hash = hash_string(key);
	struct entry *e = tfs_hashmap_find(&map->map, hash, has_key, key);
	size_t size;

	if (e)
		return e;
	size = strlen(key) + 1;
	e = malloc(sizeof(*e) + size);
	if (!e || tfs_hashmap_add(&map->map, hash, e)) {
		free(e);
		return NULL;
	}
	e->value = 0;
	memcpy(e->key, key, size);
	return e;
}

size_t *tfs_strmap_at(struct tfs_strmap *map, const char *key)
{
	struct entry *e = find_or_add(map, key);

	return e ? &e->value : NULL;
}

int tfs_strmap_put(struct tfs_strmap *map, const char *key, size_t value)
{
	struct entry *e = find_or_add(map, key);

	if (!e)
		return -ENOMEM;
	e->value = value;
	return 0;
}

const char *tfs_strmap_keep(struct tfs_strmap *map, const char *key)
{
	const struct entry *e = find_or_add(map, key);

	return e ? e->key : NULL;
}
