/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_BLOCKS_H
#define TFS_TRACEDAT_BLOCKS_H

#include <stddef.h>

/**
 * struct tfs_block - memory that sub-buffers are read into
 * @next: for the list that it is in
 * @cap: bytes at @mem
 */
struct tfs_block {
	struct tfs_block *next;
	size_t cap;
	_Alignas(16) unsigned char mem[];
};

/**
 * struct tfs_blocks - memory that streams are done with, but perhaps not those who got pages of it
 * @first: a list; all zero is an empty one
 * @bytes: how much it is
 * @spare: some that nobody uses any more, for streams that retire to here; @spare_bytes of them
 */
struct tfs_blocks {
	struct tfs_block *first;
	size_t bytes;
	struct tfs_block *spare;
	size_t spare_bytes;
};

/** tfs_blocks_move() - what is in @from goes to @to as well; @from is empty afterwards */
void tfs_blocks_move(struct tfs_blocks *to, struct tfs_blocks *from);
/** tfs_blocks_done() - nobody uses what is in @blocks any more: some is kept to be used again */
void tfs_blocks_done(struct tfs_blocks *blocks);
/** tfs_blocks_free() - @blocks is empty afterwards, and keeps nothing */
void tfs_blocks_free(struct tfs_blocks *blocks);
/** tfs_blocks_add() - @block, which its source is done with, goes to @blocks */
void tfs_blocks_add(struct tfs_blocks *blocks, struct tfs_block *block);
/**
 * tfs_block_new() - a block of at least @size bytes: a spare one of @blocks, or a new one
 * @blocks: may be NULL
 *
 * Return: the caller's, free(); NULL without memory.
 */
struct tfs_block *tfs_block_new(struct tfs_blocks *blocks, size_t size);

#endif
