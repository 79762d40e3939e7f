/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_SEGMENT_H
#define TFS_TRACEDAT_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracedat/dat-internal.h"

struct tfs_dat_segments;
struct tfs_dat_writer_extent;
struct tfs_err;

/**
 * TFS_SEGMENT_GROUP_ALIGN - in a capped recording, groups of chunks begin at multiples of this
 *
 * Between the end of a group and the next are zeros, and so are dropped data at the beginning of
 * the file. No file system has larger blocks.
 */
#define TFS_SEGMENT_GROUP_ALIGN 65536u

/**
 * struct tfs_segment - the data of one CPU while they are recorded: see struct tfs_dat_segment
 * @dat: as a trace file without anything else, for whoever reads chunks
 * @buffer: index into the recording's buffers
 */
struct tfs_segment {
	struct tfs_dat dat;
	size_t buffer;
	unsigned int cpu;
	uint32_t page_size;
};

/**
 * tfs_segment_open() - open one of the files that the head @dat names
 * @i: index into @segments->segments
 *
 * Return: 1 with @p to be released; 0 when there is no such file; -errno.
 */
int tfs_segment_open(struct tfs_segment *p, const struct tfs_dat *dat,
		     const struct tfs_dat_segments *segments, size_t i, struct tfs_err *err);
void tfs_segment_release(struct tfs_segment *p);

/**
 * tfs_segment_is_raw() - do sub-buffers begin the file, rather than chunks? An empty one: true
 *
 * A sub-buffer begins with a time and the number of its bytes, with two flags above it; a chunk has
 * compressed bytes there, which never make so small a number.
 */
bool tfs_segment_is_raw(const struct tfs_segment *p);

/**
 * tfs_segment_next() - find the whole chunk, or sub-buffer, at @off or after what was dropped
 * @off: moved to where it begins
 * @size: its bytes, a chunk's head included
 *
 * Return: true; false when none is there (any more, or not yet), or what is there is damaged.
 */
bool tfs_segment_next(struct tfs_segment *p, uint64_t *off, uint64_t *size);

/**
 * tfs_segment_extents() - all that is whole in the file: chunks, or sub-buffers, without the gaps
 * @v: free()
 * @chunks: how many; 0 without compression
 * Return: 0 or -ENOMEM.
 */
int tfs_segment_extents(struct tfs_segment *p, struct tfs_dat_writer_extent **v, size_t *n,
			uint32_t *chunks);

#endif
