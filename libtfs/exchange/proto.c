/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/proto.h"

#include <errno.h>

#include "base/digits.h"
#include "base/inert.h"
#include "base/strbuf.h"

static size_t varint_size(uint64_t v)
{
	size_t n = 1;

	for (; v >= 0x80; v >>= 7)
		n++;
	return n;
}

char *tfs_proto_put_long_length(char *body, char *end)
{
	size_t len = (size_t)(end - body), more = varint_size(len) - 1;

	memmove(body + more, body, len);
	tfs_proto_put_varint(body - 1, len);
	return end + more;
}

static bool is_plain(const unsigned char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] >= 0x80 || !s[i])
			return false;
	return true;
}

char *tfs_proto_put_text(char *p, uint32_t field, const void *s, size_t len)
{
	const unsigned char *q = s, *end = q + len;
	char *body;
	size_t n;

	if (is_plain(s, len))
		return tfs_proto_put_bytes(p, field, s, len);
	p = tfs_proto_put_open(p, field, &body);
	while (q < end) {
		n = *q ? tfs_utf8_sequence(q, (size_t)(end - q)) : 0;
		if (!n)
			p = tfs_digits_hex(mempcpy(p, "\\x", 2), *q++, 2);
		for (; n; n--)
			*p++ = (char)*q++;
	}
	return tfs_proto_put_close(body, p);
}

char *tfs_proto_room(struct tfs_proto *m, size_t extra)
{
	if (!m->rc)
		m->rc = tfs_strbuf_room(&m->sb, extra);
	return m->rc ? NULL : m->sb.s + m->sb.len;
}

void tfs_proto_wrote(struct tfs_proto *m, const char *end)
{
	m->sb.len = (size_t)(end - m->sb.s);
	m->sb.s[m->sb.len] = '\0';
}

void tfs_proto_uint(struct tfs_proto *m, uint32_t field, uint64_t v)
{
	char *p = tfs_proto_room(m, TFS_PROTO_FIELD_MAX);

	if (p)
		tfs_proto_wrote(m, tfs_proto_put_uint(p, field, v));
}

void tfs_proto_int(struct tfs_proto *m, uint32_t field, int64_t v)
{
	tfs_proto_uint(m, field, (uint64_t)v);
}

void tfs_proto_fixed64(struct tfs_proto *m, uint32_t field, uint64_t v)
{
	char *p = tfs_proto_room(m, TFS_PROTO_FIELD_MAX);

	if (!p)
		return;
	p = tfs_proto_put_tag(p, field, TFS_PROTO_FIXED64);
	for (int i = 0; i < 8; i++)
		*p++ = (char)(v >> 8 * i);
	tfs_proto_wrote(m, p);
}

void tfs_proto_bytes(struct tfs_proto *m, uint32_t field, const void *data, size_t len)
{
	char *p = tfs_proto_room(m, TFS_PROTO_FIELD_MAX + len);

	if (p)
		tfs_proto_wrote(m, tfs_proto_put_bytes(p, field, data, len));
}

void tfs_proto_text(struct tfs_proto *m, uint32_t field, const void *s, size_t len)
{
	char *p = tfs_proto_room(m, TFS_PROTO_FIELD_MAX + TFS_PROTO_TEXT_MAX * len);

	if (p)
		tfs_proto_wrote(m, tfs_proto_put_text(p, field, s, len));
}

void tfs_proto_string(struct tfs_proto *m, uint32_t field, const char *s)
{
	tfs_proto_text(m, field, s, strlen(s));
}

void tfs_proto_open(struct tfs_proto *m, uint32_t field)
{
	char *p = tfs_proto_room(m, TFS_PROTO_FIELD_MAX), *body;

	if (m->depth == TFS_PROTO_DEPTH)
		m->rc = -EOVERFLOW;
	if (!p || m->rc)
		return;
	p = tfs_proto_put_open(p, field, &body);
	m->body[m->depth++] = (size_t)(body - m->sb.s);
	tfs_proto_wrote(m, p);
}

void tfs_proto_close(struct tfs_proto *m)
{
	char *end = tfs_proto_room(m, TFS_PROTO_VARINT_MAX);

	if (end)
		tfs_proto_wrote(m, tfs_proto_put_close(m->sb.s + m->body[--m->depth], end));
}
