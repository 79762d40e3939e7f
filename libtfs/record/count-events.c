/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/count-events.h"

#include <string.h>

#include "record/percpu.h"
#include "tracedat/page.h"

/* Sub-buffers that are walked side by side */
#define LANES 4
#define BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* A record begins with its type, common_type in every format: two bytes in host order. */
static inline bool is_wanted(const unsigned char *ids, const unsigned char *data)
{
	uint16_t id;

	memcpy(&id, data, sizeof(id));
	return ids[id / 8] >> id % 8 & 1;
}

/*
 * Events of a few words each, from all @n lanes, until one of them has another kind or none. The
 * place of an event follows from the one before it: that is waited for, and meanwhile the other
 * lanes go on.
 */
static inline __attribute__((always_inline)) uint64_t walk(struct tfs_page *lane, int n,
							   const unsigned char *ids, bool *found)
{
	const unsigned char *p[LANES];
	uint64_t events = 0;
	uint32_t size[LANES];
	bool seen = false, more = !BIG;

	for (int i = 0; i < n; i++)
		p[i] = lane[i].p;
	while (more) {
#pragma GCC unroll 4
		for (int i = 0; i < n; i++)
			more &= lane[i].end - p[i] >= 4 + TFS_PAGE_DATA_MAX;
		if (!more)
			break;
#pragma GCC unroll 4
		for (int i = 0; i < n; i++) {
			memcpy(&size[i], p[i], sizeof(size[i]));
			size[i] = 4 * (size[i] & 31);
			more &= size[i] - 4 < TFS_PAGE_DATA_MAX;
		}
		if (!more)
			break;
#pragma GCC unroll 4
		for (int i = 0; i < n; i++) {
			if (ids)
				seen |= is_wanted(ids, p[i] + 4);
			p[i] += 4 + size[i];
		}
		events += (uint64_t)n;
	}
	for (int i = 0; i < n; i++)
		lane[i].p = p[i];
	*found |= seen;
	return events;
}

/* One event of any kind: 1, 0 at the end, negative errno */
static int step(struct tfs_page *lane, const unsigned char *ids, bool *found)
{
	struct tfs_record rec;
	const int rc = tfs_page_next(lane, &rec);

	if (rc < 0 || (rc && ids && rec.size >= 2 && is_wanted(ids, rec.data)))
		*found = true;
	return rc;
}

static uint64_t walk_some(struct tfs_page *lane, size_t n, const unsigned char *ids, bool *found)
{
	if (n == LANES)
		return ids ? walk(lane, LANES, ids, found) : walk(lane, LANES, NULL, found);
	if (n >= LANES / 2)
		return walk(lane, LANES / 2, ids, found);
	return n ? walk(lane, 1, ids, found) : 0;
}

uint64_t tfs_count_events(const struct tfs_subbuf *sub, const void *pages, size_t size,
			  const unsigned char *ids, bool *found)
{
	const unsigned char *page = pages, *end = page + size;
	struct tfs_page lane[LANES];
	uint64_t events = 0;
	bool seen = false;
	size_t n = 0;

	do {
		for (; n < LANES && (size_t)(end - page) >= sub->size; page += sub->size) {
			if (tfs_page_init(&lane[n], page, sub->size, sub->commit_size,
					  sub->data_offset, BIG))
				seen = true;
			else
				n++;
		}
		events += walk_some(lane, n, ids, &seen);
		for (size_t i = 0; i < n;) {
			if (step(&lane[i], ids, &seen) > 0) {
				events++;
				i++;
			} else {
				lane[i] = lane[--n];
			}
		}
	} while (n || (size_t)(end - page) >= sub->size);
	if (found)
		*found |= seen;
	return events;
}
