/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/hashmap.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SLOTS 16

void tfs_hashmap_release(struct tfs_hashmap *map)
{
	free(map->slot);
	*map = (struct tfs_hashmap){ 0 };
}

/* A quarter of the slots stays free, so that searches end soon. */
static size_t entries_max(size_t n_slots)
{
	return n_slots / 4 * 3;
}

/* There is always a free slot. */
static void insert(struct tfs_hashmap *map, uint64_t hash, void *entry)
{
	size_t mask = map->n_slots - 1, i = hash & mask;

	while (map->slot[i].entry)
		i = (i + 1) & mask;
	map->slot[i] = (struct tfs_hashmap_slot){ hash, entry };
}

int tfs_hashmap_reserve(struct tfs_hashmap *map, size_t n)
{
	struct tfs_hashmap bigger = { .n = map->n, .n_slots = map->n_slots };

	if (n <= entries_max(map->n_slots))
		return 0;
	if (n > SIZE_MAX / 4 / sizeof(*bigger.slot))
		return -ENOMEM;
	if (!bigger.n_slots)
		bigger.n_slots = FIRST_SLOTS;
	while (entries_max(bigger.n_slots) < n)
		bigger.n_slots *= 2;
	bigger.slot = calloc(bigger.n_slots, sizeof(*bigger.slot));
	if (!bigger.slot)
		return -ENOMEM;
	for (size_t i = 0; i < map->n_slots; i++)
		if (map->slot[i].entry)
			insert(&bigger, map->slot[i].hash, map->slot[i].entry);
	free(map->slot);
	*map = bigger;
	return 0;
}

int tfs_hashmap_add(struct tfs_hashmap *map, uint64_t hash, void *entry)
{
	int rc = tfs_hashmap_reserve(map, map->n + 1);

	if (rc)
		return rc;
	insert(map, hash, entry);
	map->n++;
	return 0;
}

void tfs_hashmap_remove(struct tfs_hashmap *map, uint64_t hash, const void *entry)
{
	size_t mask = map->n_slots - 1, gap = hash & mask, i;

	while (map->slot[gap].entry != entry)
		gap = (gap + 1) & mask;
	/* Entries up to the next free slot move up, unless their search begins after the gap. */
	for (i = (gap + 1) & mask; map->slot[i].entry; i = (i + 1) & mask) {
		size_t from = map->slot[i].hash & mask;

		if (((i - from) & mask) < ((i - gap) & mask))
			continue;
		map->slot[gap] = map->slot[i];
		gap = i;
	}
	map->slot[gap].entry = NULL;
	map->n--;
}
