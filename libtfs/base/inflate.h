/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_INFLATE_H
#define TFS_BASE_INFLATE_H

#include <stddef.h>

/**
 * struct tfs_inflater - expands what zlib compressed, with its working memory
 *
 * By libdeflate (inflate.c), which takes a third of the time, or by zlib itself where that is not
 * built in (inflate-none.c). One thread at a time; make one per thread.
 */
struct tfs_inflater;

/** tfs_inflater_new() - NULL without memory */
struct tfs_inflater *tfs_inflater_new(void);
void tfs_inflater_free(struct tfs_inflater *z);

/**
 * tfs_inflate() - expand a stream with zlib's header and checksum (RFC 1950), all of it at once
 * @dst_size: what it becomes
 *
 * Return: 0; -EBADMSG when the data are corrupt or of another length; -ENOMEM.
 */
int tfs_inflate(struct tfs_inflater *z, const void *src, size_t size, void *dst, size_t dst_size);

#endif
