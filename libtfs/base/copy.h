/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_COPY_H
#define TFS_BASE_COPY_H

#include <stddef.h>
#include <string.h>

/** TFS_COPY_SLACK - bytes after the source and the target that tfs_copy() may touch */
#define TFS_COPY_SLACK 32

/**
 * tfs_copy() - copy a text that was made before, @len bytes, to @p
 *
 * A short text is copied in one piece of fixed size, so TFS_COPY_SLACK more bytes must be readable
 * after @s and writable after @p. Return: the byte after the copy.
 */
static inline char *tfs_copy(char *p, const char *s, size_t len)
{
	if (len <= TFS_COPY_SLACK)
		memcpy(p, s, TFS_COPY_SLACK);
	else
		memcpy(p, s, len);
	return p + len;
}

#endif
