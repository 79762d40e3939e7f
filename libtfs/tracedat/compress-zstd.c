/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/compress-zstd.h"

#include <errno.h>
#include <stdlib.h>

#include <zstd.h>

struct tfs_zstd {
	int level;
	ZSTD_CCtx *compressor;
	ZSTD_DCtx *expander;
};

bool tfs_zstd_is_built_in(void)
{
	return true;
}

const char *tfs_zstd_version(void)
{
	return ZSTD_versionString();
}

int tfs_zstd_new(int level, struct tfs_zstd **out)
{
	struct tfs_zstd *z = calloc(1, sizeof(*z));

	if (!z)
		return -ENOMEM;
	z->level = level;
	*out = z;
	return 0;
}

void tfs_zstd_free(struct tfs_zstd *z)
{
	if (!z)
		return;
	ZSTD_freeCCtx(z->compressor);
	ZSTD_freeDCtx(z->expander);
	free(z);
}

size_t tfs_zstd_bound(size_t size)
{
	return ZSTD_compressBound(size);
}

int tfs_zstd_compress(struct tfs_zstd *z, const void *src, size_t size, void *dst, size_t dst_size,
		      size_t *out_size)
{
	size_t n;

	if (!z->compressor)
		z->compressor = ZSTD_createCCtx();
	if (!z->compressor)
		return -ENOMEM;
	n = ZSTD_compressCCtx(z->compressor, dst, dst_size, src, size, z->level);
	if (ZSTD_isError(n))
		return -EIO;
	*out_size = n;
	return 0;
}

int tfs_zstd_expand(struct tfs_zstd *z, const void *src, size_t size, void *dst, size_t dst_size)
{
	size_t n;

	if (!z->expander)
		z->expander = ZSTD_createDCtx();
	if (!z->expander)
		return -ENOMEM;
	/* A whole frame at once needs no window, so a frame cannot ask for memory. */
	n = ZSTD_decompressDCtx(z->expander, dst, dst_size, src, size);
	if (ZSTD_isError(n) || n != dst_size)
		return -EBADMSG;
	return 0;
}
