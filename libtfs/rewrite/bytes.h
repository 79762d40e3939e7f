/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_BYTES_H
#define TFS_REWRITE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_strbuf;

/* Numbers in the byte order of a file that is written: @big is big-endian. */

void tfs_store_u16(void *p, uint16_t n, bool big);
void tfs_store_u32(void *p, uint32_t n, bool big);
void tfs_store_u64(void *p, uint64_t n, bool big);

/* The same, appended; 0 or -ENOMEM. */
int tfs_add_u16(struct tfs_strbuf *sb, uint16_t n, bool big);
int tfs_add_u32(struct tfs_strbuf *sb, uint32_t n, bool big);
int tfs_add_u64(struct tfs_strbuf *sb, uint64_t n, bool big);

#endif
