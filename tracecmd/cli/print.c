/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/print.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/inert.h"
#include "cli/xalloc.h"

#define UTF8_MAX 4

/*
 * Bytes at @s that make a control character: of ASCII, U+0080 to U+009f in UTF-8, a mark of
 * direction, or one such byte that is not part of a character (ISO 8859); 0: none, and *@len bytes
 * are a character
 */
static size_t control(const char *s, size_t *len)
{
	const unsigned char *c = (const unsigned char *)s;

	*len = 1;
	if (c[0] < 0x80)
		return c[0] < 0x20 || c[0] == 0x7f;
	if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
		return 2;
	*len = tfs_utf8_sequence(s, strnlen(s, UTF8_MAX));
	if (*len)
		return tfs_utf8_reorders(s, *len) ? *len : 0;
	*len = 1;
	return c[0] < 0xa0;
}

static void print_text(const char *s, const char *keep)
{
	while (*s) {
		size_t n = 0, bad = 0, len;

		while (s[n] && (!(bad = control(s + n, &len)) || strchr(keep, s[n])))
			n += len;
		fwrite(s, 1, n, stdout);
		if (!s[n])
			return;
		for (s += n + bad; bad; bad--)
			putchar('?');
	}
}

void tc_print(const char *fmt, ...)
{
	va_list ap, again;
	char *text;
	int len;

	va_start(ap, fmt);
	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, ap);
	text = xcalloc(1, (size_t)(len > 0 ? len : 0) + 1);
	tfs_inert_format(text, (size_t)(len > 0 ? len : 0) + 1, fmt, again);
	va_end(again);
	va_end(ap);
	print_text(text, "\n\t");
	free(text);
}

void tc_print_line(const char *text)
{
	print_text(text, "");
	putchar('\n');
}

void tc_print_exact(const char *text)
{
	if (isatty(STDOUT_FILENO))
		print_text(text, "\n\t");
	else
		fputs(text, stdout);
}
