/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void bytes_init(struct bytes *b, bool big)
{
	tfs_strbuf_init(&b->sb);
	b->big = big;
}

void bytes_release(struct bytes *b)
{
	tfs_strbuf_release(&b->sb);
}

void bytes_add(struct bytes *b, const void *data, size_t size)
{
	if (tfs_strbuf_add(&b->sb, data, size))
		abort();
}

void bytes_store(void *dst, uint64_t n, size_t size, bool big)
{
	unsigned char *p = dst;
	size_t i;

	for (i = 0; i < size; i++)
		p[big ? size - 1 - i : i] = (unsigned char)(n >> (8 * i));
}

void bytes_number(struct bytes *b, uint64_t n, size_t size)
{
	unsigned char p[8];

	bytes_store(p, n, size, b->big);
	bytes_add(b, p, size);
}

void bytes_u8(struct bytes *b, uint8_t n)
{
	bytes_number(b, n, 1);
}

void bytes_u16(struct bytes *b, uint16_t n)
{
	bytes_number(b, n, 2);
}

void bytes_u32(struct bytes *b, uint32_t n)
{
	bytes_number(b, n, 4);
}

void bytes_u64(struct bytes *b, uint64_t n)
{
	bytes_number(b, n, 8);
}

void bytes_text(struct bytes *b, const char *s)
{
	bytes_add(b, s, strlen(s));
}

void bytes_strz(struct bytes *b, const char *s)
{
	bytes_add(b, s, strlen(s) + 1);
}

void bytes_zeros(struct bytes *b, size_t n)
{
	while (n--)
		bytes_u8(b, 0);
}

void bytes_align(struct bytes *b, size_t unit)
{
	while (b->sb.len % unit)
		bytes_u8(b, 0);
}

void bytes_set_u32(struct bytes *b, size_t off, uint32_t n)
{
	bytes_store((unsigned char *)b->sb.s + off, n, 4, b->big);
}

void bytes_set_u64(struct bytes *b, size_t off, uint64_t n)
{
	bytes_store((unsigned char *)b->sb.s + off, n, 8, b->big);
}

int bytes_to_fd(const void *data, size_t size)
{
	int fd = memfd_create("trace.dat", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		abort();
	return fd;
}
