/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_HASHMAP_H
#define TFS_BASE_HASHMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct tfs_hashmap - pointers to the caller's entries, found by key
 * @slot: open addressing with linear probing; a slot without entry is free
 * @n: entries
 * @n_slots: a power of two, or 0
 *
 * Zeroed it is empty. The map owns its slots only: free the entries first, with
 * tfs_hashmap_for_each(), then call tfs_hashmap_release().
 *
 * The caller computes the hash of a key and compares entries with keys. Keys that are integers need
 * no comparison: no two have the same tfs_hash_int(), so tfs_hashmap_int() is enough. Strings are
 * in strmap.h. Any number of threads may search at a time while none adds or removes.
 */
struct tfs_hashmap {
	struct tfs_hashmap_slot {
		uint64_t hash;
		void *entry;
	} * slot;
	size_t n, n_slots;
};

/** tfs_hashmap_equal_func - does the entry have this key? */
typedef bool tfs_hashmap_equal_func(const void *entry, const void *key);

void tfs_hashmap_release(struct tfs_hashmap *map);

/**
 * tfs_hashmap_reserve() - make room for @n entries in all
 * Return: 0, and adding up to that many does not fail; -ENOMEM with nothing changed.
 */
int tfs_hashmap_reserve(struct tfs_hashmap *map, size_t n);

/**
 * tfs_hashmap_add() - add an entry (not NULL) whose key is not in the map
 * Return: 0 or -ENOMEM with nothing changed.
 */
int tfs_hashmap_add(struct tfs_hashmap *map, uint64_t hash, void *entry);

/** tfs_hashmap_remove() - take an entry out, which the caller may free then; it must be there */
void tfs_hashmap_remove(struct tfs_hashmap *map, uint64_t hash, const void *entry);

/** tfs_hash_int() - hash of an integer, different for each; neighbours spread over the table */
static inline uint64_t tfs_hash_int(uint64_t key)
{
	/* multiplying by an odd number and xorshift can both be undone */
	key *= UINT64_C(0x9e3779b97f4a7c15);
	return key ^ key >> 32;
}

/**
 * tfs_hashmap_find() - the entry with this hash whose key is equal, or NULL
 * @equal: NULL if no two keys have the same hash
 *
 * Inline, so that a constant @equal is inlined as well: searches run for every record.
 */
static inline void *tfs_hashmap_find(const struct tfs_hashmap *map, uint64_t hash,
				     tfs_hashmap_equal_func *equal, const void *key)
{
	const struct tfs_hashmap_slot *s;
	size_t mask = map->n_slots - 1, i;

	if (!map->n)
		return NULL;
	for (i = hash & mask; (s = &map->slot[i])->entry; i = (i + 1) & mask)
		if (s->hash == hash && (!equal || equal(s->entry, key)))
			return s->entry;
	return NULL;
}

/** tfs_hashmap_int() - the entry that was added with tfs_hash_int(@key), or NULL */
static inline void *tfs_hashmap_int(const struct tfs_hashmap *map, uint64_t key)
{
	return tfs_hashmap_find(map, tfs_hash_int(key), NULL, NULL);
}

/**
 * tfs_hashmap_for_each() - all entries, in arbitrary order
 * @i: a size_t; @ptr: a pointer, set to each entry. The map must not change meanwhile.
 */
#define tfs_hashmap_for_each(map, i, ptr)              \
	for ((i) = 0; (i) < (map)->n_slots; (i)++)     \
		if (!((ptr) = (map)->slot[i].entry)) { \
		} else

#endif
