/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_SEGMENT_H
#define TFS_TRACEDAT_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracedat/dat-internal.h"

struct tfs_dat_parts;
struct tfs_dat_writer_extent;
struct tfs_err;

/**
 * TFS_PART_GROUP_ALIGN - in a capped recording, groups of chunks begin at multiples of this
 *
 * What is between the end of a group and the next is zeros, and so is what was dropped from the
 * beginning of the file. No file system has larger blocks.
 */
#define TFS_PART_GROUP_ALIGN 65536u

/**
 * struct tfs_part - the data of one CPU while they are recorded: see struct tfs_dat_part
 * @dat: as a trace file without anything else, for whoever reads chunks
 * @buffer: index into the recording's buffers
 */
struct tfs_part {
	struct tfs_dat dat;
	size_t buffer;
	unsigned int cpu;
	uint32_t page_size;
};

/**
 * tfs_part_open() - open one of the files that the head @dat names
 * @i: index into @parts->parts
 *
 * Return: 1 with @p to be released; 0 when there is no such file; -errno.
 */
int tfs_part_open(struct tfs_part *p, const struct tfs_dat *dat, const struct tfs_dat_parts *parts,
		  size_t i, struct tfs_err *err);
void tfs_part_release(struct tfs_part *p);

/**
 * tfs_part_next() - find the whole chunk, or sub-buffer, at @off or behind what was dropped there
 * @off: moved to where it begins
 * @size: its bytes, a chunk's head included
 *
 * Return: true; false when none is there (any more, or not yet), or what is there is damaged.
 */
bool tfs_part_next(struct tfs_part *p, uint64_t *off, uint64_t *size);

/**
 * tfs_part_extents() - all that is whole in the file: chunks, or sub-buffers, without the gaps
 * @v: free()
 * @chunks: how many; 0 without compression
 * Return: 0 or -ENOMEM.
 */
int tfs_part_extents(struct tfs_part *p, struct tfs_dat_writer_extent **v, size_t *n,
		     uint32_t *chunks);

#endif
