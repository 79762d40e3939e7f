/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/strbuf.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char tfs_strbuf_empty[1];

void tfs_strbuf_init(struct tfs_strbuf *sb)
{
	sb->s = tfs_strbuf_empty;
	sb->len = 0;
	sb->cap = 0;
}

void tfs_strbuf_release(struct tfs_strbuf *sb)
{
	if (sb->cap)
		free(sb->s);
	tfs_strbuf_init(sb);
}

void tfs_strbuf_reset(struct tfs_strbuf *sb)
{
	sb->len = 0;
	if (sb->cap)
		sb->s[0] = '\0';
}

int tfs_strbuf_grow(struct tfs_strbuf *sb, size_t extra)
{
	size_t need, cap;
	char *s;

	if (extra > SIZE_MAX / 2 || sb->len > SIZE_MAX / 2 - 1)
		return -ENOMEM;
	need = sb->len + extra + 1;
	if (need <= sb->cap)
		return 0;
	cap = sb->cap ? sb->cap : 32;
	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	s = realloc(sb->cap ? sb->s : NULL, cap);
	if (!s)
		return -ENOMEM;
	s[sb->len] = '\0';
	sb->s = s;
	sb->cap = cap;
	return 0;
}

int tfs_strbuf_add(struct tfs_strbuf *sb, const void *data, size_t len)
{
	if (tfs_strbuf_room(sb, len))
		return -ENOMEM;
	if (len)
		memcpy(sb->s + sb->len, data, len);
	sb->len += len;
	sb->s[sb->len] = '\0';
	return 0;
}

int tfs_strbuf_adds(struct tfs_strbuf *sb, const char *s)
{
	return tfs_strbuf_add(sb, s, strlen(s));
}

int tfs_strbuf_addc(struct tfs_strbuf *sb, char c)
{
	return tfs_strbuf_add(sb, &c, 1);
}

int tfs_strbuf_addf(struct tfs_strbuf *sb, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = tfs_strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
	return rc;
}

int tfs_strbuf_vaddf(struct tfs_strbuf *sb, const char *fmt, va_list ap)
{
	size_t room = sb->cap ? sb->cap - sb->len : 0;
	va_list again;
	int n, rc;

	va_copy(again, ap);
	n = vsnprintf(room ? sb->s + sb->len : NULL, room, fmt, ap);
	rc = n < 0 ? -ENOMEM : 0;
	if (!rc && (size_t)n >= room) {
		rc = tfs_strbuf_grow(sb, (size_t)n);
		if (!rc)
			n = vsnprintf(sb->s + sb->len, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	if (!rc)
		sb->len += (size_t)n;
	if (sb->cap)
		sb->s[sb->len] = '\0';
	return rc;
}

void tfs_strbuf_rtrim(struct tfs_strbuf *sb)
{
	static const char blanks[] = { ' ', '\t', '\n', '\v', '\f', '\r' };
	size_t len = sb->len;

	while (len && memchr(blanks, sb->s[len - 1], sizeof(blanks)))
		len--;
	if (len == sb->len)
		return;
	sb->len = len;
	sb->s[len] = '\0';
}

int tfs_strbuf_detach(struct tfs_strbuf *sb, char **out)
{
	int rc = tfs_strbuf_grow(sb, 0);

	if (rc)
		return rc;
	*out = sb->s;
	tfs_strbuf_init(sb);
	return 0;
}
