/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_COMPRESS_ZSTD_H
#define TFS_TRACEDAT_COMPRESS_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct tfs_zstd - working memory of libzstd
 *
 * Made by compress-zstd.c, or by compress-zstd-none.c where libzstd is not built in: there every
 * function that returns an errno returns -EOPNOTSUPP. For compress.c alone.
 */
struct tfs_zstd;

/** TFS_ZSTD_LEVEL_MAX - higher ones need windows that a 40 KiB chunk cannot fill */
#define TFS_ZSTD_LEVEL_MAX 19

bool tfs_zstd_is_built_in(void);
/** tfs_zstd_version() - the library's ("1.5.4"), "" when it is not built in */
const char *tfs_zstd_version(void);
/** tfs_zstd_new() - contexts are allocated at the first use of each direction */
int tfs_zstd_new(int level, struct tfs_zstd **out);
void tfs_zstd_free(struct tfs_zstd *z);
size_t tfs_zstd_bound(size_t size);
/** tfs_zstd_compress() / tfs_zstd_expand() - see tfs_codec_compress(), tfs_codec_expand() */
int tfs_zstd_compress(struct tfs_zstd *z, const void *src, size_t size, void *dst, size_t dst_size,
		      size_t *out_size);
int tfs_zstd_expand(struct tfs_zstd *z, const void *src, size_t size, void *dst, size_t dst_size);

#endif
