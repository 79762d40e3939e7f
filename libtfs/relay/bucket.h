/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RELAY_BUCKET_H
#define TFS_RELAY_BUCKET_H

#include <stddef.h>
#include <stdint.h>

/** TFS_RELAY_BUCKET_MIN - bytes that a bucket holds at least */
#define TFS_RELAY_BUCKET_MIN 4096u
/** TFS_RELAY_BUCKET_MAX - the fastest rate that can be limited, in bytes a second */
#define TFS_RELAY_BUCKET_MAX (UINT64_C(1) << 36)

/**
 * struct tfs_relay_bucket - limits how fast bytes are sent
 * @rate: bytes a second; 0, or more than TFS_RELAY_BUCKET_MAX: no limit
 * @tokens: bytes that may be sent at @at_ns; a tenth of a second's at most
 * @at_ns: any clock that does not go backwards
 */
struct tfs_relay_bucket {
	uint64_t rate;
	uint64_t tokens;
	uint64_t at_ns;
};

/**
 * tfs_relay_bucket_take() - how many of @len bytes may be sent at @now_ns, which are taken
 * @wait_ms: otherwise, when to ask again
 *
 * Pieces are not smaller than TFS_RELAY_BUCKET_MIN unless @len is. Return: bytes, 0: none yet.
 */
size_t tfs_relay_bucket_take(struct tfs_relay_bucket *b, uint64_t now_ns, size_t len, int *wait_ms);
/** tfs_relay_bucket_give_back() - of the bytes that were taken, @len were not sent */
void tfs_relay_bucket_give_back(struct tfs_relay_bucket *b, size_t len);

#endif
