/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/bytes.h"

#include <stddef.h>

#include "base/strbuf-core.h"

static void store(unsigned char *p, uint64_t n, size_t size, bool big)
{
	for (size_t i = 0; i < size; i++)
		p[i] = (unsigned char)(n >> 8 * (big ? size - 1 - i : i));
}

void tfs_store_u16(void *p, uint16_t n, bool big)
{
	store(p, n, sizeof(n), big);
}

void tfs_store_u32(void *p, uint32_t n, bool big)
{
	store(p, n, sizeof(n), big);
}

void tfs_store_u64(void *p, uint64_t n, bool big)
{
	store(p, n, sizeof(n), big);
}

static int add(struct tfs_strbuf *sb, uint64_t n, size_t size, bool big)
{
	unsigned char b[sizeof(n)];

	store(b, n, size, big);
	return tfs_strbuf_add(sb, b, size);
}

int tfs_add_u16(struct tfs_strbuf *sb, uint16_t n, bool big)
{
	return add(sb, n, sizeof(n), big);
}

int tfs_add_u32(struct tfs_strbuf *sb, uint32_t n, bool big)
{
	return add(sb, n, sizeof(n), big);
}

int tfs_add_u64(struct tfs_strbuf *sb, uint64_t n, bool big)
{
	return add(sb, n, sizeof(n), big);
}
