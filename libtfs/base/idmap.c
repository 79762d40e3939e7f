/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/idmap.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SLOTS 16

void tfs_idmap_release(struct tfs_idmap *map)
{
	free(map->slot);
	*map = (struct tfs_idmap){ 0 };
}

/* There is always a free slot. */
static void insert(struct tfs_idmap *map, uint64_t hash, uint32_t slot)
{
	size_t mask = map->n_slots - 1, i = hash & mask;

	while (map->slot[i])
		i = (i + 1) & mask;
	map->slot[i] = slot;
}

/* A quarter of the slots stays free, so that searches end soon. */
static int grow(struct tfs_idmap *map, tfs_idmap_hash_func *hash, const void *owner)
{
	struct tfs_idmap bigger = { .n = map->n, .n_slots = 2 * map->n_slots };

	if (map->n < map->n_slots / 4 * 3)
		return 0;
	if (!bigger.n_slots)
		bigger.n_slots = FIRST_SLOTS;
	bigger.slot = calloc(bigger.n_slots, sizeof(*bigger.slot));
	if (!bigger.slot)
		return -ENOMEM;
	for (size_t i = 0; i < map->n_slots; i++)
		if (map->slot[i])
			insert(&bigger, hash(owner, map->slot[i] - 1), map->slot[i]);
	free(map->slot);
	*map = bigger;
	return 0;
}

int tfs_idmap_add(struct tfs_idmap *map, uint32_t id, tfs_idmap_hash_func *hash, const void *owner)
{
	int rc = id == TFS_IDMAP_NONE ? -ENOMEM : grow(map, hash, owner);

	if (rc)
		return rc;
	insert(map, hash(owner, id), id + 1);
	map->n++;
	return 0;
}

void tfs_idmap_remove(struct tfs_idmap *map, uint32_t id, tfs_idmap_hash_func *hash,
		      const void *owner)
{
	size_t mask = map->n_slots - 1, gap = hash(owner, id) & mask, i;

	while (map->slot[gap] != id + 1)
		gap = (gap + 1) & mask;
	/* Slots up to the next free one move up, unless their search begins after the gap. */
	for (i = (gap + 1) & mask; map->slot[i]; i = (i + 1) & mask) {
		size_t from = hash(owner, map->slot[i] - 1) & mask;

		if (((i - from) & mask) < ((i - gap) & mask))
			continue;
		map->slot[gap] = map->slot[i];
		gap = i;
	}
	map->slot[gap] = 0;
	map->n--;
}
