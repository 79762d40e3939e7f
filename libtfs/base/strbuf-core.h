/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_STRBUF_CORE_H
#define TFS_BASE_STRBUF_CORE_H

#include <stddef.h>

/**
 * struct tfs_strbuf - growing byte buffer, always NUL-terminated
 * @s: the bytes; never NULL after TFS_STRBUF_INIT, but not writable until something was added
 * @len: bytes without the terminating NUL
 * @cap: bytes allocated, 0 while @s is the shared empty string
 *
 * Functions return 0 or -ENOMEM; on failure the buffer holds what it held.
 *
 * Every second source file depends on this header, so it has only what they all use. A function
 * that few files need is declared in base/strbuf.h.
 */
struct tfs_strbuf {
	char *s;
	size_t len;
	size_t cap;
};

extern char tfs_strbuf_empty[];
#define TFS_STRBUF_INIT                \
	{                              \
		tfs_strbuf_empty, 0, 0 \
	}

void tfs_strbuf_init(struct tfs_strbuf *sb);
/** tfs_strbuf_release() - free the bytes; @sb is empty and usable afterwards */
void tfs_strbuf_release(struct tfs_strbuf *sb);
/** tfs_strbuf_reset() - length 0, memory kept */
void tfs_strbuf_reset(struct tfs_strbuf *sb);
int tfs_strbuf_add(struct tfs_strbuf *sb, const void *data, size_t len);
int tfs_strbuf_adds(struct tfs_strbuf *sb, const char *s);
int tfs_strbuf_addc(struct tfs_strbuf *sb, char c);
int tfs_strbuf_addf(struct tfs_strbuf *sb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/** tfs_strbuf_detach() - hand out the bytes: *@out is the caller's, free(); @sb is empty then */
int tfs_strbuf_detach(struct tfs_strbuf *sb, char **out);

#endif
