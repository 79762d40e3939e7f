/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_STRMAP_H
#define TFS_BASE_STRMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_strmap_slot;

/**
 * struct tfs_strmap - numbers by text; a zeroed one is empty, release with tfs_strmap_release()
 * @n: how many texts are in it
 * @n_slots: a power of two, or 0
 */
struct tfs_strmap {
	struct tfs_strmap_slot *slot;
	size_t n;
	size_t n_slots;
};

void tfs_strmap_release(struct tfs_strmap *map);

/** tfs_strmap_get() - is @key there? @value is set if it is; may be NULL */
bool tfs_strmap_get(const struct tfs_strmap *map, const char *key, size_t *value);

/**
 * tfs_strmap_at() - where the number of @key is, which is 0 if it was not there
 * Return: good until the map has one more; NULL without memory, with nothing changed.
 */
size_t *tfs_strmap_at(struct tfs_strmap *map, const char *key);

/** tfs_strmap_put() - a copy of @key, and its number, which replaces one that was there;
 * 0 or -ENOMEM with nothing changed */
int tfs_strmap_put(struct tfs_strmap *map, const char *key, size_t value);

/**
 * tfs_strmap_keep() - the map's own copy of a text, which it has with 0 if it had it not
 * Return: good until the map is released; NULL without memory, with nothing changed.
 */
const char *tfs_strmap_keep(struct tfs_strmap *map, const char *key);

#endif
