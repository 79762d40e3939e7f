/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/markup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/inert.h"
#include "base/strbuf-core.h"

/* U+FFFE and U+FFFF are characters that XML has not. */
static bool no_xml(const char *s, size_t n)
{
	return n == 3 && !memcmp(s, "\xef\xbf", 2) && (unsigned char)s[2] >= 0xbe;
}

/* The character at @s, of @left bytes, as it is shown. Return: how many bytes it has */
static size_t one_char(const char *s, size_t left, char *text, size_t *len)
{
	size_t n = tfs_utf8_sequence(s, left);
	const char *entity = *s == '&' ? "&amp;" :
			     *s == '<' ? "&lt;" :
			     *s == '>' ? "&gt;" :
			     *s == '"' ? "&quot;" :
					 NULL;

	if (entity) {
		*len = (size_t)(stpcpy(text, entity) - text);
	} else if (n && tfs_inert_span(s, n, TFS_INERT_NONE) == n && !no_xml(s, n)) {
		memcpy(text, s, n);
		*len = n;
	} else {
		/* byte by byte, also if it is a character that has several */
		n = 1;
		*len = (size_t)(tfs_inert_put(text, *s) - text);
	}
	return n;
}

int tfs_markup_text(struct tfs_strbuf *sb, const char *s, size_t len, size_t chars)
{
	size_t start = sb->len, cut = start, shown = 0, n;
	char text[16];

	for (size_t i = 0; i < len; shown++) {
		if (chars && shown == chars) {
			sb->len = cut;
			sb->s[cut] = '\0';
			return tfs_strbuf_adds(sb, "..");
		}
		if (chars && shown + 2 == chars)
			cut = sb->len;
		i += one_char(s + i, len - i, text, &n);
		if (tfs_strbuf_add(sb, text, n))
			return -ENOMEM;
	}
	return 0;
}

int tfs_markup_count(struct tfs_strbuf *sb, uint64_t n)
{
	char digits[24];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n);
	int rc = 0;

	for (size_t i = 0; i < len && !rc; i++) {
		if (i && (len - i) % 3 == 0)
			rc = tfs_strbuf_addc(sb, ',');
		if (!rc)
			rc = tfs_strbuf_addc(sb, digits[i]);
	}
	return rc;
}
