/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_POOL_H
#define TFS_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

/** TFS_POOL_CHUNK - elements that are allocated at once */
#define TFS_POOL_CHUNK 512

/**
 * struct tfs_pool - many elements of one size, numbered from 0, that stay where they are
 * @size: bytes of an element
 * @n: elements
 * @chunk: memory of TFS_POOL_CHUNK elements each
 *
 * For elements of which there may be a million: each takes its size and nothing more, and all are
 * freed at once. Initialise with TFS_POOL_INIT(struct element); release with tfs_pool_release().
 * Any number of threads may read at a time while none adds.
 */
struct tfs_pool {
	size_t size, n;
	char **chunk;
	size_t n_chunks, alloc;
};

#define TFS_POOL_INIT(type) ((struct tfs_pool){ .size = sizeof(type) })

/** tfs_pool_add() - one more element, zeroed, with the number @pool->n - 1; NULL without memory */
void *tfs_pool_add(struct tfs_pool *pool);
void tfs_pool_release(struct tfs_pool *pool);
/**
 * tfs_pool_drop() - free memory before the rest: nobody reads element number @i any more
 *
 * For all elements in turn, the first one first; those that were dropped must not be read.
 */
void tfs_pool_drop(struct tfs_pool *pool, size_t i);

/** tfs_pool_at() - the element with a number below @pool->n */
static inline void *tfs_pool_at(const struct tfs_pool *pool, size_t i)
{
	return pool->chunk[i / TFS_POOL_CHUNK] + i % TFS_POOL_CHUNK * pool->size;
}

/**
 * tfs_pool_for_each() - all elements, in the order in which they were added
 * @i: a size_t; @ptr: a pointer, set to each element
 */
#define tfs_pool_for_each(pool, i, ptr) \
	for ((i) = 0; (i) < (pool)->n && ((ptr) = tfs_pool_at(pool, i), 1); (i)++)

#endif
