/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/inflate.h"

#include <errno.h>

#include <libdeflate.h>

struct tfs_inflater *tfs_inflater_new(void)
{
	return (struct tfs_inflater *)libdeflate_alloc_decompressor();
}

void tfs_inflater_free(struct tfs_inflater *z)
{
	libdeflate_free_decompressor((struct libdeflate_decompressor *)z);
}

int tfs_inflate(struct tfs_inflater *z, const void *src, size_t size, void *dst, size_t dst_size)
{
	struct libdeflate_decompressor *d = (struct libdeflate_decompressor *)z;

	/* without a place for the length it is to be exactly the one given */
	if (libdeflate_zlib_decompress(d, src, size, dst, dst_size, NULL) != LIBDEFLATE_SUCCESS)
		return -EBADMSG;
	return 0;
}
