/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/json.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/digits.h"
#include "base/inert.h"
#include "base/strbuf.h"

/* Longest text of one byte. */
#define JSON_MAX 6

/* A character of two or three bytes */
static unsigned int code_point(const unsigned char *q, size_t n)
{
	return n == 2 ? (q[0] & 0x1fu) << 6 | (q[1] & 0x3f) :
			(q[0] & 0xfu) << 12 | (q[1] & 0x3fu) << 6 | (q[2] & 0x3f);
}

static char *escape(char *p, unsigned char c)
{
	static const char letters[] = "btn.fr"; /* from 8 on */

	*p++ = '\\';
	if (c == '"' || c == '\\') {
		*p++ = (char)c;
	} else if (c >= 8 && c <= 13 && c != 11) {
		*p++ = letters[c - 8];
	} else {
		*p++ = 'u';
		p = tfs_digits_hex(p, c < 0x80 ? c : 0xdc00u + c, 4);
	}
	return p;
}

/* Characters that stand for themselves */
static const bool plain[256] = {
	[' ' ... '!'] = true,
	['#' ... '['] = true,
	[']' ... '~'] = true,
};

int tfs_json_string(struct tfs_strbuf *out, const void *s, size_t len)
{
	const unsigned char *q = s, *end = q + len;
	size_t n;
	char *p;

	if (tfs_strbuf_room(out, JSON_MAX * len + 2))
		return -ENOMEM;
	p = out->s + out->len;
	*p++ = '"';
	while (q < end) {
		if (plain[*q]) {
			*p++ = (char)*q++;
			continue;
		}
		if (*q < 0x80) {
			p = escape(p, *q++);
			continue;
		}
		n = tfs_utf8_sequence(q, (size_t)(end - q));
		if (n == 2 && *q == 0xc2 && q[1] < 0xa0) {
			/* A control character (C1) */
			p = tfs_digits_hex(mempcpy(p, "\\u", 2), q[1], 4);
			q += n;
			continue;
		}
		if (tfs_utf8_reorders(q, n)) {
			p = tfs_digits_hex(mempcpy(p, "\\u", 2), code_point(q, n), 4);
			q += n;
			continue;
		}
		if (!n)
			p = escape(p, *q++);
		for (; n; n--)
			*p++ = (char)*q++;
	}
	*p++ = '"';
	out->len = (size_t)(p - out->s);
	*p = '\0';
	return 0;
}

/* The escape at @q, of @left bytes, for readers without lone surrogates. Return: its length */
static size_t put_escape(struct tfs_strbuf *out, const char *q, size_t left, int *rc)
{
	if (left >= JSON_MAX && !memcmp(q, "\\udc", 4)) {
		*rc = tfs_strbuf_addf(out, "\\\\x%.2s", q + 4);
		return JSON_MAX;
	}
	*rc = left > 2 && q[1] == '\\' && q[2] == 'x' ? tfs_strbuf_adds(out, "\\\\x5c") :
							tfs_strbuf_add(out, q, 2);
	return 2;
}

int tfs_json_utf8(struct tfs_strbuf *out, size_t start)
{
	const char *q = out->s + start, *end = out->s + out->len, *next;
	struct tfs_strbuf made = TFS_STRBUF_INIT, before = *out;
	int rc;

	next = memchr(q, '\\', out->len - start);
	if (!next)
		return 0;
	rc = tfs_strbuf_add(&made, out->s, start);
	for (; next && !rc; next = memchr(q, '\\', (size_t)(end - q))) {
		rc = tfs_strbuf_add(&made, q, (size_t)(next - q));
		q = next;
		if (!rc)
			q += put_escape(&made, q, (size_t)(end - q), &rc);
	}
	if (!rc)
		rc = tfs_strbuf_add(&made, q, (size_t)(end - q));
	if (!rc)
		*out = made;
	tfs_strbuf_release(rc ? &made : &before);
	return rc;
}

/* Separates the next value: a comma, a newline unless it is deep, its name. */
static void next(struct tfs_json *j, const char *key)
{
	if (!j->rc && j->more)
		j->rc = tfs_strbuf_addc(&j->text, ',');
	if (!j->rc && j->depth > 0 && j->depth <= TFS_JSON_LINES)
		j->rc = tfs_strbuf_addc(&j->text, '\n');
	if (!j->rc && key)
		j->rc = tfs_json_string(&j->text, key, strlen(key));
	if (!j->rc && key)
		j->rc = tfs_strbuf_addc(&j->text, ':');
	j->more = true;
}

void tfs_json_release(struct tfs_json *j)
{
	tfs_strbuf_release(&j->text);
}

void tfs_json_open(struct tfs_json *j, const char *key, char bracket)
{
	next(j, key);
	if (!j->rc)
		j->rc = tfs_strbuf_addc(&j->text, bracket);
	j->depth++;
	j->more = false;
}

void tfs_json_close(struct tfs_json *j, char bracket)
{
	j->depth--;
	if (!j->rc && j->more && j->depth < TFS_JSON_LINES)
		j->rc = tfs_strbuf_addc(&j->text, '\n');
	if (!j->rc)
		j->rc = tfs_strbuf_addc(&j->text, bracket);
	if (!j->rc && !j->depth)
		j->rc = tfs_strbuf_addc(&j->text, '\n');
	j->more = true;
}

void tfs_json_text(struct tfs_json *j, const char *key, const char *s)
{
	next(j, key);
	if (!j->rc)
		j->rc = s ? tfs_json_string(&j->text, s, strlen(s)) :
			    tfs_strbuf_adds(&j->text, "null");
}

void tfs_json_bool(struct tfs_json *j, const char *key, bool value)
{
	next(j, key);
	if (!j->rc)
		j->rc = tfs_strbuf_adds(&j->text, value ? "true" : "false");
}

void tfs_json_int(struct tfs_json *j, const char *key, long long value)
{
	next(j, key);
	if (!j->rc)
		j->rc = tfs_strbuf_addf(&j->text, "%lld", value);
}
