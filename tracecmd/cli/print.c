/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/print.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xalloc.h"

/* Bytes at @s that make a control character: of ASCII, or U+0080 to U+009f in UTF-8 */
static size_t control(const char *s)
{
	const unsigned char *c = (const unsigned char *)s;

	if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
		return 2;
	return c[0] < 0x20 || c[0] == 0x7f;
}

static void print_text(const char *s, const char *keep)
{
	while (*s) {
		size_t n = 0, bad = 0;

		while (s[n] && (!(bad = control(s + n)) || strchr(keep, s[n])))
			n++;
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
	vsnprintf(text, (size_t)(len > 0 ? len : 0) + 1, fmt, again);
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
