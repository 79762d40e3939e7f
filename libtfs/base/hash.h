/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_HASH_H
#define TFS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Initial value for tfs_hash64(). */
#define TFS_HASH64_INIT UINT64_C(0xcbf29ce484222325)

/*
 * FNV-1a: for tables, and for names that need to differ but not to be secret. The values stand in
 * names of events, names of links and files of definitions: they stay as they are.
 */

/** tfs_hash32() - of @len bytes */
uint32_t tfs_hash32(const void *data, size_t len);

/** tfs_hash64() - of @len bytes more, after those that came to @hash */
uint64_t tfs_hash64(uint64_t hash, const void *data, size_t len);

#endif
