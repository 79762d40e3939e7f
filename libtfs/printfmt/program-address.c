/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/program-internal.h"

#include <string.h>
#include <sys/socket.h>

#include "base/digits.h"

/* As in struct sockaddr_in and sockaddr_in6, alike on all machines: bytes, and where what lies. */
#define PORT_AT 2
#define IP4_AT 4
#define IP4_SIZE 16
#define IP6_AT 8
#define IP6_SIZE 28

static char *byte_text(char *q, unsigned char byte, const char *digits)
{
	*q++ = digits[byte >> 4];
	*q++ = digits[byte & 15];
	return q;
}

static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";

static char *mac(char *q, const struct tfs_op *op, const unsigned char *p)
{
	int i;

	for (i = 0; i < 6; i++) {
		if (i && op->kind)
			*q++ = (char)op->kind;
		q = byte_text(q, p[op->style & TFS_STYLE_REVERSE ? 5 - i : i], lower);
	}
	return q;
}

static char *ip4(char *q, unsigned int style, const unsigned char *p)
{
	unsigned char byte;
	int i;

	for (i = 0; i < 4; i++) {
		byte = p[style & TFS_STYLE_REVERSE ? 3 - i : i];
		if (i)
			*q++ = '.';
		if (style & TFS_STYLE_PLAIN && byte < 100)
			*q++ = '0';
		if (style & TFS_STYLE_PLAIN && byte < 10)
			*q++ = '0';
		q = tfs_digits_dec(q, byte);
	}
	return q;
}

static char *ip6_long(char *q, unsigned int style, const unsigned char *p)
{
	int i;

	for (i = 0; i < 16; i += 2) {
		q = byte_text(q, p[i], lower);
		q = byte_text(q, p[i + 1], lower);
		if (!(style & TFS_STYLE_PLAIN) && i < 14)
			*q++ = ':';
	}
	return q;
}

static unsigned int word(const unsigned char *p, int i)
{
	return (unsigned int)p[2 * i] << 8 | p[2 * i + 1];
}

/* Does it end with an address of version 4? Mapped ones and those of ISATAP do. */
static bool holds_ip4(const unsigned char *p)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(p, mapped, sizeof(mapped)) ||
	       ((p[8] | 2) == 2 && p[9] == 0 && p[10] == 0x5e && p[11] == 0xfe);
}

/* The first of the longest runs of zero words among @n; -1 if none has two. */
static int longest_run(const unsigned char *p, int n, int *len)
{
	int i, j, at = -1;

	*len = 1;
	for (i = 0; i < n; i++) {
		for (j = i; j < n && !word(p, j); j++)
			;
		if (j - i > *len) {
			*len = j - i;
			at = i;
		}
	}
	return at;
}

static char *ip6_short(char *q, const unsigned char *p)
{
	bool v4 = holds_ip4(p), colon = false;
	int n = v4 ? 6 : 8, len, at, i;

	at = longest_run(p, n, &len);
	for (i = 0; i < n; i++) {
		if (i == at) {
			if (colon || !i)
				*q++ = ':';
			*q++ = ':';
			colon = false;
			i += len - 1;
			continue;
		}
		if (colon)
			*q++ = ':';
		q = tfs_digits_hex(q, word(p, i), 0);
		colon = true;
	}
	if (!v4)
		return q;
	if (colon)
		*q++ = ':';
	return ip4(q, 0, p + 12);
}

static char *ip6(char *q, unsigned int style, const unsigned char *p)
{
	return style & TFS_STYLE_SHORT ? ip6_short(q, p) : ip6_long(q, style, p);
}

static char *text(char *q, const char *s)
{
	size_t n = strlen(s);

	memcpy(q, s, n);
	return q + n;
}

static char *socket_address(const struct tfs_run *r, const struct tfs_op *op, char *q)
{
	size_t at = op->off, len = op->aux, need;
	const unsigned char *p;
	unsigned int family;

	if (op->style & TFS_STYLE_DYNAMIC && !tfs_run_dynamic(r, op, &at, &len))
		return NULL;
	if (at + 2 > r->size)
		return NULL;
	p = r->data + at;
	family = (unsigned int)tfs_run_load(r, at, 2);
	if (family != AF_INET && family != AF_INET6)
		return op->style & TFS_STYLE_KERNEL ? text(q, "(einval)") : q;
	need = family == AF_INET ? IP4_SIZE : IP6_SIZE;
	if (len < need)
		return text(q, family == AF_INET ? "INVALIDIPv4" : "INVALIDIPv6");
	if (need > r->size - at)
		return NULL;
	if (family == AF_INET) {
		q = ip4(q, op->style, p + IP4_AT);
	} else {
		if (op->style & TFS_STYLE_PORT)
			*q++ = '[';
		q = ip6(q, op->style, p + IP6_AT);
		if (op->style & TFS_STYLE_PORT)
			*q++ = ']';
	}
	if (op->style & TFS_STYLE_PORT) {
		*q++ = ':';
		q = tfs_digits_dec(q, word(p + PORT_AT, 0));
	}
	return q;
}

static char *uuid(char *q, unsigned int style, const unsigned char *p)
{
	/* The first three numbers of a GUID are little-endian. */
	static const unsigned char guid[] = { 3, 2, 1, 0, 5, 4, 7, 6 };
	int i, at;

	for (i = 0; i < 16; i++) {
		at = style & TFS_STYLE_REVERSE && i < 8 ? guid[i] : i;
		q = byte_text(q, p[at], style & TFS_STYLE_UPPER ? upper : lower);
		if (i == 3 || i == 5 || i == 7 || i == 9)
			*q++ = '-';
	}
	return q;
}

char *tfs_write_address(struct tfs_run *r, const struct tfs_op *op, char *q)
{
	const unsigned char *p = r->data + op->off;
	size_t at, len;

	if (op->code != TFS_OP_SOCKADDR && op->style & TFS_STYLE_DYNAMIC) {
		/* ->aux: what it takes */
		if (!tfs_run_dynamic(r, op, &at, &len) || len < op->aux)
			return NULL;
		p = r->data + at;
	}
	switch (op->code) {
	case TFS_OP_MAC:
		return mac(q, op, p);
	case TFS_OP_IP4:
		return ip4(q, op->style, p);
	case TFS_OP_IP6:
		return ip6(q, op->style, p);
	case TFS_OP_UUID:
		return uuid(q, op->style, p);
	case TFS_OP_SOCKADDR:
		return socket_address(r, op, q);
	default:
		return NULL;
	}
}
