/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PIPELINE_BATCH_H
#define TFS_PIPELINE_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf-core.h"
#include "tracedat/blocks.h"

struct tfs_event;
struct tfs_view;

/**
 * TFS_BATCH_RECORD_BYTES, TFS_BATCH_BLOCK_BYTES, TFS_BATCH_EVENT_TEXT_BYTES - when a batch that has
 * room for events is full all the same
 */
#define TFS_BATCH_RECORD_BYTES ((size_t)256 << 10)
#define TFS_BATCH_BLOCK_BYTES ((size_t)1 << 20)
#define TFS_BATCH_EVENT_TEXT_BYTES ((size_t)1 << 20)
/** TFS_BATCH_TEXT_BYTES - when the text of a batch has to be written before it goes on */
#define TFS_BATCH_TEXT_BYTES ((size_t)2 << 20)

/**
 * struct tfs_batch - consecutive events of a report, and in the end their text
 * @events: @n of them; room for @cap; of who fills and prints the batch, who does so one at a time
 * @blocks: memory that records of this batch or of those before it lie in, and that are
 *          not used elsewhere: freed once this batch and all before it are written
 * @event_texts: the text of events that have it already
 * @text: made by tfs_batch_print(), of the events before @next
 * @rc: of making it: 0 or -ENOMEM
 *
 * One thread at a time: filled, printed, written, emptied.
 */
struct tfs_batch {
	struct tfs_event *events;
	size_t n, cap, next;
	struct tfs_blocks blocks;
	struct tfs_strbuf event_texts;
	struct tfs_strbuf text;
	int rc;
};

/** tfs_batch_init() - without room for events */
void tfs_batch_init(struct tfs_batch *b);
void tfs_batch_release(struct tfs_batch *b);
/** tfs_batch_use() - fill and print the batch with these @cap events, borrowed */
static inline void tfs_batch_use(struct tfs_batch *b, struct tfs_event *events, size_t cap)
{
	b->events = events;
	b->cap = cap;
}
/** tfs_batch_empty() - ready to be filled again; memory of normal size is kept */
void tfs_batch_empty(struct tfs_batch *b);
/**
 * tfs_batch_is_full() - a batch ends early when its records, or what they alone hold, are large
 * @bytes: of its records
 */
static inline bool tfs_batch_is_full(const struct tfs_batch *b, size_t bytes)
{
	return b->n >= b->cap || bytes >= TFS_BATCH_RECORD_BYTES ||
	       b->blocks.bytes >= TFS_BATCH_BLOCK_BYTES ||
	       b->event_texts.len >= TFS_BATCH_EVENT_TEXT_BYTES;
}
/** tfs_batch_place_event_texts() - let events point at their texts, in order in @event_texts */
void tfs_batch_place_event_texts(struct tfs_batch *b);
/**
 * tfs_batch_print() - the text of all events, by one thread's state of the view
 *
 * A few records can print gigabytes. Return: true when it is complete, or @b->rc is set; false when
 * @b->text is long: write it, reset it and call again.
 */
bool tfs_batch_print(struct tfs_batch *b, struct tfs_view *view, void *state);

#endif
