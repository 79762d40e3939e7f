/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/blocks.h"

#include <stdlib.h>

/* Bytes of blocks kept for reuse: memory that was just freed comes back in new pages. */
#define SPARE_MAX ((size_t)256 << 10)

static void push(struct tfs_block **list, struct tfs_block *b)
{
	b->next = *list;
	*list = b;
}

static struct tfs_block *pop(struct tfs_block **list)
{
	struct tfs_block *b = *list;

	if (b)
		*list = b->next;
	return b;
}

void tfs_blocks_move(struct tfs_blocks *to, struct tfs_blocks *from)
{
	struct tfs_block *b;

	while ((b = pop(&from->first)))
		push(&to->first, b);
	to->bytes += from->bytes;
	from->bytes = 0;
}

void tfs_blocks_done(struct tfs_blocks *blocks)
{
	struct tfs_block *b;

	while ((b = pop(&blocks->first))) {
		if (blocks->spare_bytes + b->cap > SPARE_MAX) {
			free(b);
			continue;
		}
		push(&blocks->spare, b);
		blocks->spare_bytes += b->cap;
	}
	blocks->bytes = 0;
}

void tfs_blocks_free(struct tfs_blocks *blocks)
{
	struct tfs_block *b;

	while ((b = pop(&blocks->first)) || (b = pop(&blocks->spare)))
		free(b);
	*blocks = (struct tfs_blocks){ 0 };
}

void tfs_blocks_add(struct tfs_blocks *blocks, struct tfs_block *block)
{
	push(&blocks->first, block);
	blocks->bytes += block->cap;
}

struct tfs_block *tfs_block_new(struct tfs_blocks *blocks, size_t size)
{
	struct tfs_block *b = blocks ? blocks->spare : NULL;

	if (b && b->cap >= size) {
		blocks->spare = b->next;
		blocks->spare_bytes -= b->cap;
		return b;
	}
	b = malloc(sizeof(*b) + size);
	if (b)
		b->cap = size;
	return b;
}
