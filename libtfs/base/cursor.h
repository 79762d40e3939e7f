/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_CURSOR_H
#define TFS_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct tfs_cursor - bounded reading of bytes that nobody vouches for
 * @base: first byte; borrowed
 * @size: bytes at @base
 * @off: next byte to read, never above @size
 * @big: numbers are big-endian
 *
 * Readers return 0, or -EBADMSG when what is asked for does not fit in what is left; then the
 * cursor stays where it was and the output is not touched.
 */
struct tfs_cursor {
	const unsigned char *base;
	size_t size;
	size_t off;
	bool big;
};

void tfs_cursor_init(struct tfs_cursor *c, const void *data, size_t size, bool big);
size_t tfs_cursor_left(const struct tfs_cursor *c);
int tfs_cursor_u8(struct tfs_cursor *c, uint8_t *out);
int tfs_cursor_u16(struct tfs_cursor *c, uint16_t *out);
int tfs_cursor_u32(struct tfs_cursor *c, uint32_t *out);
int tfs_cursor_u64(struct tfs_cursor *c, uint64_t *out);
/** tfs_cursor_bytes() - borrow @len bytes and step over them */
int tfs_cursor_bytes(struct tfs_cursor *c, uint64_t len, const void **out);
/** tfs_cursor_strz() - borrow a NUL-terminated string; -EBADMSG if there is no NUL */
int tfs_cursor_strz(struct tfs_cursor *c, const char **out);

/* The same loads from memory that was bounds-checked already. */
uint16_t tfs_load_u16(const void *p, bool big);
uint32_t tfs_load_u32(const void *p, bool big);
uint64_t tfs_load_u64(const void *p, bool big);

#endif
