/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_SHA256_H
#define TFS_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

/** TFS_SHA256_BYTES - of a digest; TFS_SHA256_TEXT: in hexadecimal digits, with NUL */
#define TFS_SHA256_BYTES 32u
#define TFS_SHA256_TEXT (2 * TFS_SHA256_BYTES + 1)

/**
 * struct tfs_sha256 - a digest that is being made (FIPS 180-4)
 * @bytes: so far
 *
 * For sums that sha256sum(1) can check. Start with tfs_sha256_init(); a copy goes on independently.
 */
struct tfs_sha256 {
	uint32_t state[8];
	uint64_t bytes;
	unsigned char block[64];
};

void tfs_sha256_init(struct tfs_sha256 *s);
void tfs_sha256_add(struct tfs_sha256 *s, const void *data, size_t len);
/** tfs_sha256_end() - the digest in hexadecimal digits; nothing can be added after it */
void tfs_sha256_end(struct tfs_sha256 *s, char text[TFS_SHA256_TEXT]);

#endif
