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
 * @slot: open addressing with linear probing: a number + 1; 0 is free
 * @n: numbers in it
 * @n_slots: a power of two, or 0
 *
 * For elements that have a number anyway, in an array or a pool, and of which there may be a
 * million: a slot takes a quarter of one of hashmap.h, which is easier. Elements are always
 * compared, and hashed again when the map grows. Zeroed it is empty. Threads as in hashmap.h.
 */
struct tfs_idmap {
	uint32_t *slot;
	size_t n, n_slots;
};

/** tfs_idmap_equal_func - does the element with this number, of @owner, have this key? */
typedef bool tfs_idmap_equal_func(const void *owner, uint32_t id, const void *key);
/** tfs_idmap_hash_func - hash of the element's key */
typedef uint64_t tfs_idmap_hash_func(const void *owner, uint32_t id);

void tfs_idmap_release(struct tfs_idmap *map);
/** tfs_idmap_add() - add a number below TFS_IDMAP_NONE whose key is not in the map. 0 or -ENOMEM */
int tfs_idmap_add(struct tfs_idmap *map, uint32_t id, tfs_idmap_hash_func *hash, const void *owner);
/** tfs_idmap_remove() - take a number out; it must be there */
void tfs_idmap_remove(struct tfs_idmap *map, uint32_t id, tfs_idmap_hash_func *hash,
		      const void *owner);

/** tfs_idmap_find() - the number whose element has the key, or TFS_IDMAP_NONE */
static inline uint32_t tfs_idmap_find(const struct tfs_idmap *map, uint64_t hash,
				      tfs_idmap_equal_func *equal, const void *owner,
				      const void *key)
{
	size_t mask = map->n_slots - 1, i;

	if (!map->n)
		return TFS_IDMAP_NONE;
	for (i = hash & mask; map->slot[i]; i = (i + 1) & mask)
		if (equal(owner, map->slot[i] - 1, key))
			return map->slot[i] - 1;
	return TFS_IDMAP_NONE;
}

#endif
