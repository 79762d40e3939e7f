/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PIPELINE_EVENT_READER_H
#define TFS_PIPELINE_EVENT_READER_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_batch;
struct tfs_blocks;
struct tfs_err;
struct tfs_event;
struct tfs_record_run;
struct tfs_run_input;

/**
 * struct tfs_event_reader - the events of a recording, in order
 *
 * Everything that depends on earlier events is decided here: which records are wanted, names of
 * tasks that become known, leaves of function_graph, text of plugins that keep state.
 * One thread at a time.
 */
struct tfs_event_reader;

/**
 * tfs_event_reader_new() - begin with the first event
 * @view_flags: of the view that gets them (pipeline/view.h)
 *
 * What @input points to is borrowed.
 */
int tfs_event_reader_new(const struct tfs_run_input *input, unsigned int view_flags,
			 struct tfs_event_reader **out, struct tfs_err *err);
void tfs_event_reader_free(struct tfs_event_reader *reader);
/**
 * tfs_event_reader_keep() - keep the records of events given so far: tfs_merge_keep()
 */
void tfs_event_reader_keep(struct tfs_event_reader *reader, struct tfs_blocks *blocks);
/** tfs_event_reader_next() - 1, 0 at the end, -errno; @event is valid until the next call */
int tfs_event_reader_next(struct tfs_event_reader *reader, struct tfs_event *event,
			  struct tfs_err *err);
/**
 * tfs_event_reader_batch() - the next events, as many as one batch takes
 * @batch: empty; gets the memory that its records lie in as it is done with, so that they stay
 *
 * Use it for all events of a reader, or for none. Return: 1 with at least one event, 0 at the end,
 * -errno (what came before a failure is handed out first).
 */
int tfs_event_reader_batch(struct tfs_event_reader *reader, struct tfs_batch *batch,
			   struct tfs_err *err);

/**
 * tfs_event_reader_has_runs() - are all records wanted, and nothing else to be found out?
 *
 * Then tfs_event_reader_run() gives them instead of tfs_event_reader_next(): for all of a reader's
 * records, or for none.
 */
bool tfs_event_reader_has_runs(const struct tfs_event_reader *reader);
/**
 * tfs_event_reader_run() - tfs_merge_run() of its records
 * @event: for TFS_MERGE_MISSING: says whose rest is missing, as tfs_event_reader_next() does
 */
int tfs_event_reader_run(struct tfs_event_reader *reader, struct tfs_record_run *run,
			 struct tfs_event *event, struct tfs_err *err);

/** tfs_event_reader_progress() - add the bytes that were read, and all there are */
void tfs_event_reader_progress(const struct tfs_event_reader *reader, uint64_t *done,
			       uint64_t *total);

#endif
