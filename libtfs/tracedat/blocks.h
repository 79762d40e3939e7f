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
 * struct tfs_blocks - memory that sources are done with, while its pages may still be in use
 * @first: a list; all zero is an empty one
 * @bytes: how much it is
 * @spare: unused blocks for sources that retire to this list; @spare_bytes of them
 */
struct tfs_blocks {
	struct tfs_block *first;
	size_t bytes;
	struct tfs_block *spare;
	size_t spare_bytes;
};

/** tfs_blocks_move() - append @from to @to; @from is empty afterwards */
void tfs_blocks_move(struct tfs_blocks *to, struct tfs_blocks *from);
/** tfs_blocks_done() - the pages are not in use any more: keep some blocks as spares */
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
