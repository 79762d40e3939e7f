/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PIPELINE_EVENT_SOURCE_H
#define TFS_PIPELINE_EVENT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_batch;
struct tfs_blocks;
struct tfs_err;
struct tfs_item;
struct tfs_run_opts;
struct tfs_trace;

/**
 * struct tfs_feed - the items of a recording, in order
 *
 * Everything that depends on what came before is decided here: which records are wanted, names of
 * tasks that become known on the way, leaves of function_graph, what plugins print that keep state.
 * One thread at a time.
 */
struct tfs_feed;

/** tfs_feed_new() - @bodies: see struct tfs_printer; @trace and what @opts names are borrowed */
int tfs_feed_new(struct tfs_trace *trace, const struct tfs_run_opts *opts, bool bodies,
		 struct tfs_feed **out, struct tfs_err *err);
void tfs_feed_free(struct tfs_feed *feed);
/**
 * tfs_feed_keep() - keep records of items that were given, while going on: see tfs_merge_keep()
 */
void tfs_feed_keep(struct tfs_feed *feed, struct tfs_blocks *blocks);
/** tfs_feed_next() - 1, 0 at the end, -errno; @item is valid until the next call */
int tfs_feed_next(struct tfs_feed *feed, struct tfs_item *item, struct tfs_err *err);
/**
 * tfs_feed_batch() - the next items, as many as one batch takes
 * @batch: empty; gets the memory that its records lie in as it is done with, so that they stay
 *
 * All batches of a feed, or none. Return: 1 with at least one item, 0 at the end, -errno (what came
 * before a failure is handed out first).
 */
int tfs_feed_batch(struct tfs_feed *feed, struct tfs_batch *batch, struct tfs_err *err);

/** tfs_feed_progress() - adds the bytes that were read, and those there are */
void tfs_feed_progress(const struct tfs_feed *feed, uint64_t *done, uint64_t *total);

#endif
