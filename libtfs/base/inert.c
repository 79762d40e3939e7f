/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/inert.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/strbuf.h"

#define STACK_LINE "=> "

size_t tfs_utf8_sequence(const void *bytes, size_t left)
{
	const unsigned char *p = bytes;
	unsigned char max = *p == 0xed ? 0x9f : *p == 0xf4 ? 0x8f : 0xbf;
	unsigned char min = *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80;
	size_t len, i;

	if (*p < 0x80)
		return 1;
	len = *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;
	if (!len || len > left || p[1] < min || p[1] > max)
		return 0;
	for (i = 2; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

/*
 * Eight bytes at a time. In w ^ backslashes a backslash is zero, and (x - 0x01..) & ~x & 0x80..
 * has a bit where a byte of x is zero; it may have another above, which does no harm.
 */
bool tfs_utf8_is_escaped(const void *s, size_t len)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
	const unsigned char *q = s;
	uint64_t found = 0;

	for (; len; q += sizeof(found)) {
		const size_t n = len < sizeof(found) ? len : sizeof(found);
		uint64_t w = 0, x;

		memcpy(&w, q, n);
		x = w ^ (ones * '\\');
		found |= (w | ((x - ones) & ~x)) & high;
		len -= n;
	}
	return found;
}

int tfs_utf8_escape(struct tfs_strbuf *out, const void *s, size_t len)
{
	const unsigned char *q = s, *end = q + len;
	size_t n;
	char *p;

	if (tfs_strbuf_room(out, TFS_INERT_MAX * len))
		return -ENOMEM;
	p = out->s + out->len;
	while (q < end) {
		n = tfs_utf8_sequence(q, (size_t)(end - q));
		if (n && !(*q == '\\' && q + 1 < end && q[1] == 'x')) {
			p = mempcpy(p, q, n);
			q += n;
			continue;
		}
		*p++ = '\\';
		*p++ = 'x';
		p = tfs_digits_hex(p, *q++, 2);
	}
	out->len = (size_t)(p - out->s);
	*p = '\0';
	return 0;
}

bool tfs_utf8_reorders(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	if (n == 2)
		return p[0] == 0xd8 && p[1] == 0x9c;
	if (n != 3 || p[0] != 0xe2)
		return false;
	if (p[1] == 0x80)
		return p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae);
	return p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
}

static bool keeps_line(const char *nl, const char *end, enum tfs_inert_lines lines)
{
	const char *p = nl + 1;
	size_t n = strlen(STACK_LINE);

	if (lines != TFS_INERT_LAST || p == end)
		return lines != TFS_INERT_NONE;
	/* The kernel puts a blank before it. */
	p += *p == ' ';
	return (size_t)(end - p) >= n && !memcmp(p, STACK_LINE, n);
}

size_t tfs_inert_span(const char *s, size_t len, enum tfs_inert_lines lines)
{
	const char *p = s, *end = s + len;
	unsigned char c;
	size_t n;

	for (; p < end; p += n) {
		c = (unsigned char)*p;
		n = tfs_utf8_sequence(p, (size_t)(end - p));
		if (c == '\n' ? !keeps_line(p, end, lines) : (c < ' ' && c != '\t') || c == 0x7f)
			break;
		/* U+0080 to U+009F are control characters as well. */
		if (!n || (n == 2 && c == 0xc2 && (unsigned char)p[1] < 0xa0) ||
		    tfs_utf8_reorders(p, n))
			break;
	}
	return (size_t)(p - s);
}

char *tfs_inert_put(char *p, char c)
{
	*p++ = '\\';
	if (c == '\n' || c == '\r') {
		*p++ = c == '\n' ? 'n' : 'r';
		return p;
	}
	*p++ = 'x';
	return tfs_digits_hex(p, (unsigned char)c, 2);
}

int tfs_inert_rest(struct tfs_strbuf *sb, size_t start, enum tfs_inert_lines lines)
{
	size_t at = start + tfs_inert_span(sb->s + start, sb->len - start, lines), left, n;
	struct tfs_strbuf rest = TFS_STRBUF_INIT;
	const char *s;
	char *p;
	int rc;

	if (at == sb->len)
		return 0;
	rc = tfs_strbuf_add(&rest, sb->s + at, sb->len - at);
	if (!rc)
		rc = tfs_strbuf_grow(sb, TFS_INERT_MAX * rest.len);
	if (rc)
		goto out;
	p = sb->s + at;
	for (s = rest.s, left = rest.len; left; s += n, left -= n) {
		n = tfs_inert_span(s, left, lines);
		p = mempcpy(p, s, n);
		if (n == left)
			continue;
		p = tfs_inert_put(p, s[n]);
		/* The other bytes of a character are some of their own then. */
		n++;
	}
	sb->len = (size_t)(p - sb->s);
	sb->s[sb->len] = '\0';
out:
	tfs_strbuf_release(&rest);
	return rc;
}

/*
 * Where a line end of @buf came from cannot be seen afterwards. So those of the format are replaced
 * by a control character that is nowhere in the text, and the text is made again.
 */
void tfs_inert_format(char *buf, size_t size, const char *fmt, va_list ap)
{
	char marked[512], mark = 1;
	va_list again;
	bool plain;

	va_copy(again, ap);
	if (vsnprintf(buf, size, fmt, ap) < 0)
		buf[0] = '\0';
	plain = !strcmp(fmt, "%s") || strlen(fmt) >= sizeof(marked) || !strchr(buf, '\n');
	while (!plain && mark < '\t' && strchr(buf, mark))
		mark++;
	if (!plain) {
		snprintf(marked, sizeof(marked), "%s", fmt);
		for (char *p = marked; *p; p++)
			*p = *p == '\n' ? mark : *p;
		vsnprintf(buf, size, marked, again);
		for (char *p = buf; *p; p++)
			*p = *p == '\n' ? '?' : *p == mark ? '\n' : *p;
	}
	va_end(again);
}
