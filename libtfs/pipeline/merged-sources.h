/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PIPELINE_MERGED_SOURCES_H
#define TFS_PIPELINE_MERGED_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_batch;
struct tfs_err;
struct tfs_event;
struct tfs_record_run;
struct tfs_run_opts;

/**
 * struct tfs_merged_sources - the events of one or several recordings, in order of time
 *
 * Each recording has a reader of its own (pipeline/event-reader.h). At equal times, events of top
 * buffers come before those of instances, then those of the recording named first, as in trace-cmd.
 * The limits and losses of the report as a whole are handled here. One thread at a time.
 */
struct tfs_merged_sources;

/**
 * tfs_merged_sources_new() - begin with the recordings of @opts
 * @view_flags: of the view that gets the events (pipeline/view.h)
 *
 * What @opts points to is borrowed.
 */
int tfs_merged_sources_new(const struct tfs_run_opts *opts, unsigned int view_flags,
			   struct tfs_merged_sources **out, struct tfs_err *err);
void tfs_merged_sources_free(struct tfs_merged_sources *sources);
/** tfs_merged_sources_next() - 1, 0 at the end, -errno; @event is valid until the next call */
int tfs_merged_sources_next(struct tfs_merged_sources *sources, struct tfs_event *event,
			    struct tfs_err *err);
/** tfs_merged_sources_has_runs() - can tfs_merged_sources_run() be called instead of _next()? */
bool tfs_merged_sources_has_runs(const struct tfs_merged_sources *sources);
/** tfs_merged_sources_run() - the next records, many at a time: tfs_event_reader_run() */
int tfs_merged_sources_run(struct tfs_merged_sources *sources, struct tfs_record_run *run,
			   struct tfs_event *event, struct tfs_err *err);
/** tfs_merged_sources_batch() - the next events; see tfs_event_reader_batch() */
int tfs_merged_sources_batch(struct tfs_merged_sources *sources, struct tfs_batch *batch,
			     struct tfs_err *err);

/** tfs_merged_sources_progress() - bytes of ring-buffer data: read so far, and in all */
void tfs_merged_sources_progress(const struct tfs_merged_sources *sources, uint64_t *done,
				 uint64_t *total);

#endif
