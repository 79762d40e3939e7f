/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/lod.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define FULL 255
#define SHIFT_MAX 62

void tfs_lod_release(struct tfs_lod *lod)
{
	free(lod->share);
	free(lod->name);
	memset(lod, 0, sizeof(*lod));
}

/* Room for buckets, which are empty. */
static int grow(struct tfs_lod *lod, size_t n)
{
	if (tfs_grow(&lod->share, &lod->alloc_share, lod->total + n) ||
	    tfs_grow(&lod->name, &lod->alloc_name, lod->total + n))
		return -ENOMEM;
	memset(lod->share + lod->total, 0, n);
	memset(lod->name + lod->total, 0xff, n * sizeof(*lod->name));
	lod->total += n;
	return 0;
}

int tfs_lod_begin(struct tfs_lod *lod, uint64_t begin, uint64_t end, uint64_t slices)
{
	uint64_t most = slices / 2 > TFS_LOD_LAST ? slices / 2 : TFS_LOD_LAST;

	lod->shift = 0;
	while (lod->shift < SHIFT_MAX && (end >> lod->shift) - (begin >> lod->shift) >= most)
		lod->shift += 2;
	lod->first = begin >> lod->shift;
	lod->n = (size_t)((end >> lod->shift) - lod->first) + 1;
	lod->levels = 1;
	lod->total = 0;
	lod->bucket = lod->first;
	lod->busy = 0;
	lod->longest = 0;
	lod->longest_name = TFS_LOD_NONE;
	return grow(lod, lod->n);
}

static void close_bucket(struct tfs_lod *lod)
{
	size_t i = (size_t)(lod->bucket - lod->first);
	double share = (double)lod->busy / (double)(1ULL << lod->shift) * FULL;

	if (lod->longest_name == TFS_LOD_NONE || i >= lod->n)
		return;
	lod->share[i] = share >= FULL ? FULL : share < 1 ? 1 : (uint8_t)share;
	lod->name[i] = lod->longest_name;
	lod->busy = 0;
	lod->longest = 0;
	lod->longest_name = TFS_LOD_NONE;
}

static void add_part(struct tfs_lod *lod, uint64_t part, uint32_t name)
{
	lod->busy += part;
	if (lod->longest_name != TFS_LOD_NONE && part <= lod->longest)
		return;
	lod->longest = part;
	lod->longest_name = name;
}

void tfs_lod_add(struct tfs_lod *lod, uint64_t begin, uint64_t dur, uint32_t name)
{
	uint64_t end = begin + dur, limit, bucket;

	do {
		bucket = begin >> lod->shift;
		if (bucket != lod->bucket) {
			close_bucket(lod);
			lod->bucket = bucket;
		}
		limit = (bucket + 1) << lod->shift;
		if (limit > end)
			limit = end;
		add_part(lod, limit - begin, name);
		begin = limit;
	} while (begin < end);
}

/* One bucket of four of the level below: the name with the largest share of them */
static void join(const struct tfs_lod *lod, size_t from, size_t end, size_t to)
{
	unsigned int sum = 0, best = 0, share;
	size_t i, k;

	for (i = from; i < end; i++) {
		if (!lod->share[i])
			continue;
		sum += lod->share[i];
		for (share = 0, k = from; k < end; k++)
			if (lod->name[k] == lod->name[i])
				share += lod->share[k];
		if (share > best) {
			best = share;
			lod->name[to] = lod->name[i];
		}
	}
	lod->share[to] = (uint8_t)((sum + 3) / 4);
}

int tfs_lod_end(struct tfs_lod *lod)
{
	uint64_t first = lod->first, last = lod->first + lod->n - 1, bucket, child;
	size_t below = 0, n = lod->n, above, from, end;

	close_bucket(lod);
	while (last - first >= TFS_LOD_LAST) {
		above = lod->total;
		if (grow(lod, (size_t)((last >> 2) - (first >> 2)) + 1))
			return -ENOMEM;
		for (bucket = first >> 2; bucket <= last >> 2; bucket++) {
			child = bucket << 2;
			from = below + (size_t)(child > first ? child - first : 0);
			end = below + (size_t)(child + 4 - first);
			if (end > below + n)
				end = below + n;
			join(lod, from, end, above + (size_t)(bucket - (first >> 2)));
		}
		first >>= 2;
		last >>= 2;
		below = above;
		n = lod->total - above;
		lod->levels++;
	}
	return 0;
}
