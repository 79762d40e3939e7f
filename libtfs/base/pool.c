/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void *tfs_pool_add(struct tfs_pool *pool)
{
	char *chunk;

	if (pool->n == pool->n_chunks * TFS_POOL_CHUNK) {
		if (tfs_grow(&pool->chunk, &pool->alloc, pool->n_chunks + 1))
			return NULL;
		chunk = reallocarray(NULL, TFS_POOL_CHUNK, pool->size);
		if (!chunk)
			return NULL;
		pool->chunk[pool->n_chunks++] = chunk;
	}
	return memset(tfs_pool_at(pool, pool->n++), 0, pool->size);
}

void tfs_pool_release(struct tfs_pool *pool)
{
	for (size_t i = 0; i < pool->n_chunks; i++)
		free(pool->chunk[i]);
	free(pool->chunk);
	*pool = (struct tfs_pool){ .size = pool->size };
}

void tfs_pool_drop(struct tfs_pool *pool, size_t i)
{
	char **chunk = &pool->chunk[i / TFS_POOL_CHUNK];

	if (i % TFS_POOL_CHUNK != TFS_POOL_CHUNK - 1)
		return;
	free(*chunk);
	*chunk = NULL;
}
