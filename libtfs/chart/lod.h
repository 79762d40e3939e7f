/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_LOD_H
#define TFS_CHART_LOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** TFS_LOD_MIN - slices of a row from which on it has levels of detail */
#define TFS_LOD_MIN 2048
/** TFS_LOD_LAST - buckets of the coarsest level, at most */
#define TFS_LOD_LAST 64
/** TFS_LOD_NONE - name of a bucket that is empty */
#define TFS_LOD_NONE UINT32_MAX

/**
 * struct tfs_lod - levels of detail of one row, so that it can be drawn without all its slices
 *
 * A level divides time, from 0 on, into buckets of 1 << shift ns. The finest has at most as many as
 * half the slices; each further level has buckets four times as long, up to TFS_LOD_LAST. For each
 * bucket there is the share of its time that slices fill (255: all; at least 1 if there is one, so
 * that nothing vanishes) and the name of the longest part of a slice in it.
 * @shift, @first, @n: the finest level: length, number of its first bucket, buckets
 * @levels: their number
 * @share, @name: buckets of all levels, the finest first; @total of them
 *
 * Zeroed it is empty; release with tfs_lod_release(). Other members are private.
 */
struct tfs_lod {
	unsigned int shift;
	uint64_t first;
	size_t n;
	unsigned int levels;
	uint8_t *share;
	uint32_t *name;
	size_t total;

	size_t alloc_share, alloc_name;
	uint64_t bucket;        /* the open one */
	uint64_t busy, longest; /* in it */
	uint32_t longest_name;
};

void tfs_lod_release(struct tfs_lod *lod);
/** tfs_lod_begin() - a row of @slices between two times; memory is kept. 0 or -ENOMEM */
int tfs_lod_begin(struct tfs_lod *lod, uint64_t begin, uint64_t end, uint64_t slices);
/** tfs_lod_add() - a slice, which begins where the one before ended, or later */
void tfs_lod_add(struct tfs_lod *lod, uint64_t begin, uint64_t dur, uint32_t name);
/** tfs_lod_end() - make the coarser levels; 0 or -ENOMEM */
int tfs_lod_end(struct tfs_lod *lod);

#endif
