/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_IDMAP_H
#define TFS_BASE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** TFS_IDMAP_NONE - no number */
#define TFS_IDMAP_NONE UINT32_MAX

/**
 * struct tfs_idmap - numbers of elements, found by the elements' keys
 * @slot: as in hashmap.h, at half the size: 32 bits of the hash, and the number + 1; 0 is free
 * @n: numbers in it
 * @n_slots: a power of two, or 0
 *
 * For elements that have a number anyway, in an array or a pool, and of which there may be a
 * million; others are easier in a hashmap. Different keys may have equal hashes here: elements are
 * always compared. Zeroed it is empty. Threads as in hashmap.h.
 */
struct tfs_idmap {
	struct tfs_idmap_slot {
		uint32_t hash, id; /* + 1 */
	} * slot;
	size_t n, n_slots;
};

/** tfs_idmap_equal_func - does the element with this number, of @owner, have this key? */
typedef bool tfs_idmap_equal_func(const void *owner, uint32_t id, const void *key);

void tfs_idmap_release(struct tfs_idmap *map);
/** tfs_idmap_add() - add a number below TFS_IDMAP_NONE whose key is not in the map. 0 or -ENOMEM */
int tfs_idmap_add(struct tfs_idmap *map, uint64_t hash, uint32_t id);
/** tfs_idmap_remove() - take a number out; it must be there */
void tfs_idmap_remove(struct tfs_idmap *map, uint64_t hash, uint32_t id);

/** tfs_idmap_find() - the number whose element has the key, or TFS_IDMAP_NONE */
static inline uint32_t tfs_idmap_find(const struct tfs_idmap *map, uint64_t hash,
				      tfs_idmap_equal_func *equal, const void *owner,
				      const void *key)
{
	const struct tfs_idmap_slot *s;
	size_t mask = map->n_slots - 1, i;

	if (!map->n)
		return TFS_IDMAP_NONE;
	for (i = (uint32_t)hash & mask; (s = &map->slot[i])->id; i = (i + 1) & mask)
		if (s->hash == (uint32_t)hash && equal(owner, s->id - 1, key))
			return s->id - 1;
	return TFS_IDMAP_NONE;
}

#endif
