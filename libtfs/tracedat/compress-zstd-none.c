/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/compress-zstd.h"

#include <errno.h>

bool tfs_zstd_is_built_in(void)
{
	return false;
}

const char *tfs_zstd_version(void)
{
	return "";
}

int tfs_zstd_new(int level, struct tfs_zstd **out)
{
	(void)level;
	(void)out;
	return -EOPNOTSUPP;
}

void tfs_zstd_free(struct tfs_zstd *z)
{
	(void)z;
}

size_t tfs_zstd_bound(size_t size)
{
	return size;
}

int tfs_zstd_compress(struct tfs_zstd *z, const void *src, size_t size, void *dst, size_t dst_size,
		      size_t *out_size)
{
	(void)z;
	(void)src;
	(void)size;
	(void)dst;
	(void)dst_size;
	(void)out_size;
	return -EOPNOTSUPP;
}

int tfs_zstd_expand(struct tfs_zstd *z, const void *src, size_t size, void *dst, size_t dst_size)
{
	(void)z;
	(void)src;
	(void)size;
	(void)dst;
	(void)dst_size;
	return -EOPNOTSUPP;
}
