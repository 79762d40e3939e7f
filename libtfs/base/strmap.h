/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_STRMAP_H
#define TFS_BASE_STRMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hashmap.h"

/** struct tfs_strmap - numbers by string; zeroed it is empty, release with tfs_strmap_release() */
struct tfs_strmap {
	struct tfs_hashmap map;
};

void tfs_strmap_release(struct tfs_strmap *map);

/** tfs_strmap_get() - is @key in the map? If so, *@value is set to its number; may be NULL */
bool tfs_strmap_get(const struct tfs_strmap *map, const char *key, size_t *value);

/**
 * tfs_strmap_at() - address of the number of @key, which is added with 0 if it is missing
 * Return: valid until the map is released; NULL without memory, with nothing changed.
 */
size_t *tfs_strmap_at(struct tfs_strmap *map, const char *key);

/**
 * tfs_strmap_put() - set the number of @key, which is copied if it is new
 * Return: 0 or -ENOMEM with nothing changed.
 */
int tfs_strmap_put(struct tfs_strmap *map, const char *key, size_t value);

/**
 * tfs_strmap_keep() - the map's own copy of a string, which is added with 0 if it is missing
 * Return: valid until the map is released; NULL without memory, with nothing changed.
 */
const char *tfs_strmap_keep(struct tfs_strmap *map, const char *key);

#endif
