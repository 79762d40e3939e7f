/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gzip.h"

#include <errno.h>
#include <stdbool.h>

#include <libdeflate.h>

#include "base/strbuf.h"

#define SIZE_MAX_GZIP ((size_t)1 << 30)

struct tfs_gzipper *tfs_gzipper_new(int level)
{
	return (struct tfs_gzipper *)libdeflate_alloc_compressor(level);
}

void tfs_gzipper_free(struct tfs_gzipper *z)
{
	libdeflate_free_compressor((struct libdeflate_compressor *)z);
}

static int compress(struct tfs_gzipper *z, const void *src, size_t size, bool gzip,
		    struct tfs_strbuf *out)
{
	struct libdeflate_compressor *c = (struct libdeflate_compressor *)z;
	size_t bound, n;

	if (size >= SIZE_MAX_GZIP)
		return -EFBIG;
	bound = gzip ? libdeflate_gzip_compress_bound(c, size) :
		       libdeflate_zlib_compress_bound(c, size);
	if (tfs_strbuf_room(out, bound))
		return -ENOMEM;
	n = gzip ? libdeflate_gzip_compress(c, src, size, out->s + out->len, bound) :
		   libdeflate_zlib_compress(c, src, size, out->s + out->len, bound);
	if (!n)
		return -EFBIG;
	out->len += n;
	out->s[out->len] = '\0';
	return 0;
}

int tfs_gzip(struct tfs_gzipper *z, const void *src, size_t size, struct tfs_strbuf *out)
{
	return compress(z, src, size, true, out);
}

int tfs_zlib(struct tfs_gzipper *z, const void *src, size_t size, struct tfs_strbuf *out)
{
	return compress(z, src, size, false, out);
}
