/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gzip.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include <zlib.h>

#include "base/strbuf.h"

#define SIZE_MAX_GZIP ((size_t)1 << 30)
/* deflateInit2(): the window's size, and what makes it a gzip member */
#define WINDOW_BITS 15
#define GZIP_MEMBER 16
#define MEM_LEVEL 8

struct tfs_gzipper {
	int level;
};

struct tfs_gzipper *tfs_gzipper_new(int level)
{
	struct tfs_gzipper *z = malloc(sizeof(*z));

	if (z)
		z->level = level;
	return z;
}

void tfs_gzipper_free(struct tfs_gzipper *z)
{
	free(z);
}

static int compress_all(struct tfs_gzipper *z, const void *src, size_t size, bool gzip,
			struct tfs_strbuf *out)
{
	int bits = WINDOW_BITS + (gzip ? GZIP_MEMBER : 0), rc = -ENOMEM;
	z_stream s = { 0 };
	uLong bound;

	if (size >= SIZE_MAX_GZIP)
		return -EFBIG;
	if (deflateInit2(&s, z->level, Z_DEFLATED, bits, MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	bound = deflateBound(&s, (uLong)size);
	if (tfs_strbuf_room(out, bound))
		goto out;
	s.next_in = (z_const Bytef *)src;
	s.avail_in = (uInt)size;
	s.next_out = (Bytef *)out->s + out->len;
	s.avail_out = (uInt)bound;
	rc = deflate(&s, Z_FINISH) == Z_STREAM_END ? 0 : -EFBIG;
	if (!rc)
		out->len += bound - s.avail_out;
	out->s[out->len] = '\0';
out:
	deflateEnd(&s);
	return rc;
}

int tfs_gzip(struct tfs_gzipper *z, const void *src, size_t size, struct tfs_strbuf *out)
{
	return compress_all(z, src, size, true, out);
}

int tfs_zlib(struct tfs_gzipper *z, const void *src, size_t size, struct tfs_strbuf *out)
{
	return compress_all(z, src, size, false, out);
}
