/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/inflate.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include <zlib.h>

struct tfs_inflater {
	z_stream stream;
};

struct tfs_inflater *tfs_inflater_new(void)
{
	struct tfs_inflater *z = calloc(1, sizeof(*z));

	if (z && inflateInit(&z->stream) != Z_OK) {
		free(z);
		return NULL;
	}
	return z;
}

void tfs_inflater_free(struct tfs_inflater *z)
{
	if (!z)
		return;
	inflateEnd(&z->stream);
	free(z);
}

int tfs_inflate(struct tfs_inflater *z, const void *src, size_t size, void *dst, size_t dst_size)
{
	z_stream *s = &z->stream;
	int rc;

	if (size > UINT_MAX || dst_size > UINT_MAX)
		return -EBADMSG;
	if (inflateReset(s) != Z_OK)
		return -ENOMEM;
	s->next_in = (z_const Bytef *)src;
	s->avail_in = (uInt)size;
	s->next_out = dst;
	s->avail_out = (uInt)dst_size;
	rc = inflate(s, Z_FINISH);
	if (rc == Z_MEM_ERROR)
		return -ENOMEM;
	return rc == Z_STREAM_END && !s->avail_out ? 0 : -EBADMSG;
}
