/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_GZIP_H
#define TFS_BASE_GZIP_H

#include <stddef.h>

struct tfs_strbuf;

/**
 * struct tfs_gzipper - compresses, with its working memory
 *
 * By libdeflate (gzip.c), which takes a third of the time, or by zlib where that is not built in
 * (gzip-none.c). One thread at a time; make one per thread.
 */
struct tfs_gzipper;

/** TFS_GZIP_LEVEL - of what browsers and other programs read: small, and still fast to make */
#define TFS_GZIP_LEVEL 6

/** tfs_gzipper_new() - @level: 1 (fast) to 9 (small). NULL without memory */
struct tfs_gzipper *tfs_gzipper_new(int level);
/** tfs_gzipper_free() - takes NULL */
void tfs_gzipper_free(struct tfs_gzipper *z);

/**
 * tfs_gzip() - append @src as one gzip member (RFC 1952), without a name and a date
 * @size: less than 1 GiB
 * Return: 0; -ENOMEM with @out as it was; -EFBIG.
 */
int tfs_gzip(struct tfs_gzipper *z, const void *src, size_t size, struct tfs_strbuf *out);

/** tfs_zlib() - the same as a zlib stream (RFC 1950) */
int tfs_zlib(struct tfs_gzipper *z, const void *src, size_t size, struct tfs_strbuf *out);

#endif
