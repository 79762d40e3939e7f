/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/cursor.h"

#include <errno.h>
#include <string.h>

void tfs_cursor_init(struct tfs_cursor *c, const void *data, size_t size, bool big)
{
	c->base = data;
	c->size = size;
	c->off = 0;
	c->big = big;
}

size_t tfs_cursor_left(const struct tfs_cursor *c)
{
	return c->size - c->off;
}

/* The compilers make one load (and a byte swap) of each of these. */
uint16_t tfs_load_u16(const void *p, bool big)
{
	const unsigned char *b = p;

	return big ? (uint16_t)(b[0] << 8 | b[1]) : (uint16_t)(b[1] << 8 | b[0]);
}

uint32_t tfs_load_u32(const void *p, bool big)
{
	const unsigned char *b = p;

	if (big)
		return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

uint64_t tfs_load_u64(const void *p, bool big)
{
	const unsigned char *b = p;
	uint64_t first = tfs_load_u32(b, big);
	uint64_t second = tfs_load_u32(b + 4, big);

	return big ? first << 32 | second : second << 32 | first;
}

int tfs_cursor_bytes(struct tfs_cursor *c, uint64_t len, const void **out)
{
	if (len > tfs_cursor_left(c))
		return -EBADMSG;
	*out = c->base + c->off;
	c->off += (size_t)len;
	return 0;
}

int tfs_cursor_u8(struct tfs_cursor *c, uint8_t *out)
{
	const void *p;
	int rc = tfs_cursor_bytes(c, sizeof(*out), &p);

	if (!rc)
		*out = *(const unsigned char *)p;
	return rc;
}

int tfs_cursor_u16(struct tfs_cursor *c, uint16_t *out)
{
	const void *p;
	int rc = tfs_cursor_bytes(c, sizeof(*out), &p);

	if (!rc)
		*out = tfs_load_u16(p, c->big);
	return rc;
}

int tfs_cursor_u32(struct tfs_cursor *c, uint32_t *out)
{
	const void *p;
	int rc = tfs_cursor_bytes(c, sizeof(*out), &p);

	if (!rc)
		*out = tfs_load_u32(p, c->big);
	return rc;
}

int tfs_cursor_u64(struct tfs_cursor *c, uint64_t *out)
{
	const void *p;
	int rc = tfs_cursor_bytes(c, sizeof(*out), &p);

	if (!rc)
		*out = tfs_load_u64(p, c->big);
	return rc;
}

int tfs_cursor_strz(struct tfs_cursor *c, const char **out)
{
	const unsigned char *start, *end;
	size_t left = tfs_cursor_left(c);

	if (!left)
		return -EBADMSG;
	start = c->base + c->off;
	end = memchr(start, '\0', left);
	if (!end)
		return -EBADMSG;
	*out = (const char *)start;
	c->off += (size_t)(end - start) + 1;
	return 0;
}
