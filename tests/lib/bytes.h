/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_BYTES_H
#define TESTS_LIB_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf-core.h"

/* Running out of memory aborts. */

/** struct bytes - numbers and texts one after the other, in a byte order of their own */
struct bytes {
	struct tfs_strbuf sb;
	bool big;
};

void bytes_init(struct bytes *b, bool big);
void bytes_release(struct bytes *b);
void bytes_u8(struct bytes *b, uint8_t n);
void bytes_u16(struct bytes *b, uint16_t n);
void bytes_u32(struct bytes *b, uint32_t n);
void bytes_u64(struct bytes *b, uint64_t n);
void bytes_add(struct bytes *b, const void *data, size_t size);
void bytes_text(struct bytes *b, const char *s); /* without its NUL */
void bytes_strz(struct bytes *b, const char *s); /* with it */
void bytes_zeros(struct bytes *b, size_t n);
void bytes_align(struct bytes *b, size_t unit);
void bytes_set_u32(struct bytes *b, size_t off, uint32_t n);
void bytes_set_u64(struct bytes *b, size_t off, uint64_t n);
/** bytes_number() - a number of @size bytes, at most 8 */
void bytes_number(struct bytes *b, uint64_t n, size_t size);
/** bytes_store() - the same to memory */
void bytes_store(void *dst, uint64_t n, size_t size, bool big);

/** bytes_to_fd() - a memfd with these bytes, positioned at its start */
int bytes_to_fd(const void *data, size_t size);

#endif
