/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_COPY_H
#define TFS_BASE_COPY_H

#include <stddef.h>
#include <string.h>

/** TFS_PUT_SLACK - bytes behind both sides of tfs_put() that it may touch */
#define TFS_PUT_SLACK 32

/**
 * tfs_put() - copy a text that was made before, @len bytes, to @p
 *
 * One that is short is copied in one piece of fixed size: there are TFS_PUT_SLACK bytes more to
 * read behind @s, and to write behind @p. Return: the byte behind what was copied.
 */
static inline char *tfs_put(char *p, const char *s, size_t len)
{
	if (len <= TFS_PUT_SLACK)
		memcpy(p, s, TFS_PUT_SLACK);
	else
		memcpy(p, s, len);
	return p + len;
}

#endif
