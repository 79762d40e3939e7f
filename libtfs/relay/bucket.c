/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relay/bucket.h"

#include "base/time.h"

#define WAIT_MAX_MS 1000u

static uint64_t size_of(const struct tfs_relay_bucket *b)
{
	return b->rate / 10 > TFS_RELAY_BUCKET_MIN ? b->rate / 10 : TFS_RELAY_BUCKET_MIN;
}

/* Adds the tokens since the last time. The rest of a token stays in @at_ns. */
static void fill(struct tfs_relay_bucket *b, uint64_t now_ns)
{
	const uint64_t full_ns = size_of(b) * (uint64_t)NS_PER_SEC / b->rate + 1;
	uint64_t more;

	if (now_ns < b->at_ns || now_ns - b->at_ns >= full_ns) {
		b->tokens = size_of(b);
		b->at_ns = now_ns;
		return;
	}
	more = (now_ns - b->at_ns) * b->rate / (uint64_t)NS_PER_SEC;
	b->at_ns += more * (uint64_t)NS_PER_SEC / b->rate;
	b->tokens += more;
	if (b->tokens > size_of(b))
		b->tokens = size_of(b);
}

size_t tfs_relay_bucket_take(struct tfs_relay_bucket *b, uint64_t now_ns, size_t len, int *wait_ms)
{
	const size_t least = len < TFS_RELAY_BUCKET_MIN ? len : TFS_RELAY_BUCKET_MIN;
	uint64_t ms;

	*wait_ms = 0;
	if (!b->rate || b->rate > TFS_RELAY_BUCKET_MAX)
		return len;
	fill(b, now_ns);
	if (b->tokens >= least) {
		len = b->tokens < len ? (size_t)b->tokens : len;
		b->tokens -= len;
		return len;
	}
	ms = (least - b->tokens) * 1000 / b->rate + 1;
	*wait_ms = (int)(ms < WAIT_MAX_MS ? ms : WAIT_MAX_MS);
	return 0;
}

void tfs_relay_bucket_give_back(struct tfs_relay_bucket *b, size_t len)
{
	b->tokens += len;
}
