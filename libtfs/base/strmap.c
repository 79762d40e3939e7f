/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/strmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define FIRST_SLOTS 16

/* A slot without a key is free; nothing is ever taken out. */
struct tfs_strmap_slot {
	char *key;
	size_t value;
	uint64_t hash;
};

void tfs_strmap_release(struct tfs_strmap *map)
{
	for (size_t i = 0; i < map->n_slots; i++)
		free(map->slot[i].key);
	free(map->slot);
	*map = (struct tfs_strmap){ 0 };
}

static uint64_t hash_text(const char *s)
{
	uint64_t h = tfs_hash64(TFS_HASH64_INIT, s, strlen(s));

	return h ^ (h >> 32);
}

/* The slot that has the key, or the free one where it would go. There is always a free one. */
static struct tfs_strmap_slot *find_slot(const struct tfs_strmap *map, const char *key,
					 uint64_t hash)
{
	size_t i = hash & (map->n_slots - 1);

	while (map->slot[i].key &&
	       (map->slot[i].hash != hash || strcmp(map->slot[i].key, key) != 0))
		i = (i + 1) & (map->n_slots - 1);
	return &map->slot[i];
}

static int grow(struct tfs_strmap *map)
{
	struct tfs_strmap bigger = { .n = map->n };

	bigger.n_slots = map->n_slots ? 2 * map->n_slots : FIRST_SLOTS;
	bigger.slot = calloc(bigger.n_slots, sizeof(*bigger.slot));
	if (!bigger.slot)
		return -ENOMEM;
	for (size_t i = 0; i < map->n_slots; i++) {
		const struct tfs_strmap_slot *old = &map->slot[i];

		if (old->key)
			*find_slot(&bigger, old->key, old->hash) = *old;
	}
	free(map->slot);
	*map = bigger;
	return 0;
}

bool tfs_strmap_get(const struct tfs_strmap *map, const char *key, size_t *value)
{
	const struct tfs_strmap_slot *slot;

	if (!map->n)
		return false;
	slot = find_slot(map, key, hash_text(key));
	if (slot->key && value)
		*value = slot->value;
	return slot->key != NULL;
}

/* The slot that has the key, with 0 if it is new; NULL without memory. */
static struct tfs_strmap_slot *add_slot(struct tfs_strmap *map, const char *key)
{
	uint64_t hash = hash_text(key);
	struct tfs_strmap_slot *slot;

	/* a quarter stays free, so that searches end soon */
	if (map->n >= map->n_slots / 4 * 3 && grow(map))
		return NULL;
	slot = find_slot(map, key, hash);
	if (!slot->key) {
		slot->key = strdup(key);
		if (!slot->key)
			return NULL;
		slot->hash = hash;
		map->n++;
	}
	return slot;
}

size_t *tfs_strmap_at(struct tfs_strmap *map, const char *key)
{
	struct tfs_strmap_slot *slot = add_slot(map, key);

	return slot ? &slot->value : NULL;
}

int tfs_strmap_put(struct tfs_strmap *map, const char *key, size_t value)
{
	size_t *at = tfs_strmap_at(map, key);

	if (!at)
		return -ENOMEM;
	*at = value;
	return 0;
}

const char *tfs_strmap_keep(struct tfs_strmap *map, const char *key)
{
	const struct tfs_strmap_slot *slot = add_slot(map, key);

	return slot ? slot->key : NULL;
}
