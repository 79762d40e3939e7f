/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_COPY_H
#define TFS_BASE_COPY_H

#include <stddef.h>
#include <string.h>

/** TFS_COPY_SLACK - bytes behind both sides of tfs_copy() that it may touch */
#define TFS_COPY_SLACK 32

/**
 * tfs_copy() - copy a text that was made before, @len bytes, to @p
 *
 * One that is short is copied in one piece of fixed size: there are TFS_COPY_SLACK bytes more to
 * read behind @s, and to write behind @p. Return: the byte behind what was copied.
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
