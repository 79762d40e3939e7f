/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_STRBUF_H
#define TFS_BASE_STRBUF_H

#include <stdarg.h>

#include "base/strbuf-core.h"

/** tfs_strbuf_grow() - make room for @extra more bytes and a NUL, for callers that write them */
int tfs_strbuf_grow(struct tfs_strbuf *sb, size_t extra);
/** tfs_strbuf_room() - the same, for what runs for every record */
static inline int tfs_strbuf_room(struct tfs_strbuf *sb, size_t extra)
{
	return extra < sb->cap - sb->len ? 0 : tfs_strbuf_grow(sb, extra);
}
int tfs_strbuf_vaddf(struct tfs_strbuf *sb, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/** tfs_strbuf_rtrim() - drop white space at the end */
void tfs_strbuf_rtrim(struct tfs_strbuf *sb);

#endif
