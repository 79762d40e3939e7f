/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/columns.h"

#include <wchar.h>

#include "base/inert.h"

/* Columns of the character at @s, which has *@bytes bytes */
static size_t next_char(const char *s, size_t len, size_t *bytes)
{
	/* The bits of the first byte that belong to the character, by the number of bytes */
	static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	size_t n = tfs_utf8_sequence(s, len);
	wchar_t c;
	int width;

	*bytes = n ? n : 1;
	if (n <= 1)
		return 1;
	c = (unsigned char)*s & first[n];
	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)s[i] & 0x3f);
	width = wcwidth(c);
	return width < 0 ? 1 : (size_t)width;
}

size_t tfs_columns(const char *s, size_t len)
{
	size_t columns = 0;

	for (size_t at = 0, n; at < len; at += n)
		columns += next_char(s + at, len - at, &n);
	return columns;
}

size_t tfs_columns_cut(const char *s, size_t len, size_t columns)
{
	size_t at = 0, n;

	for (; at < len; at += n) {
		size_t takes = next_char(s + at, len - at, &n);

		if (takes > columns)
			break;
		columns -= takes;
	}
	return at;
}
