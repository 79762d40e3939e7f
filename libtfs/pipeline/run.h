/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PIPELINE_RUN_H
#define TFS_PIPELINE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_timestamp_check;
struct tfs_err;
struct tfs_event_source;
struct tfs_filter;
struct tfs_merge_opts;
struct tfs_order_check;
struct tfs_out;
struct tfs_select;
struct tfs_trace;
struct tfs_time_ranges;
struct tfs_view;
struct tfs_wakeup;

/**
 * struct tfs_run_losses - events lost in the recordings of a run
 * @any: anything was lost
 * @counted: number of events
 * @uncounted: there were more that the kernel did not count
 * @missing: CPUs whose last events are missing from the recording
 */
struct tfs_run_losses {
	bool any;
	bool uncounted;
	uint64_t counted;
	uint64_t missing;
};

/**
 * struct tfs_run_progress - called with the progress of a run
 * @call: @done of @total bytes of ring-buffer data were read; quick, or the report waits. By one
 *        thread at a time, not always by the one that runs the report. With a growing
 *        source also before each wait for more, when everything so far has been shown
 */
struct tfs_run_progress {
	void (*call)(void *context, uint64_t done, uint64_t total);
	void *context;
};

/**
 * struct tfs_run_input - one recording of a report
 * @merge: see tracedat/merge.h; NULL for the defaults
 * @select: which records; NULL for all
 * @ts_offset: added to every time stamp, which decides where its records go among several
 *             recordings
 * @ranges: only these parts of the time, as it is with @ts_offset; NULL: all
 * @after: only from the first record on that matches, whether it is shown or not; NULL: from the
 *         beginning
 * @until: end with the first that matches after the beginning, and its stack traces; NULL: with the
 *         last
 * @wakeup: gets every record that is shown; NULL for none
 * @timestamp_check: gets every record that is read; NULL for none
 * @source: supplies the events of a growing recording, as in @merge: tfs_run() writes what there is
 *          and waits until it ends. NULL: the recording is complete. Only for a single recording
 */
struct tfs_run_input {
	struct tfs_trace *trace;
	const struct tfs_merge_opts *merge;
	struct tfs_select *select;
	int64_t ts_offset;
	const struct tfs_time_ranges *ranges;
	const struct tfs_filter *after, *until;
	struct tfs_wakeup *wakeup;
	struct tfs_timestamp_check *timestamp_check;
	struct tfs_event_source *source;
};

/**
 * struct tfs_run_opts - a report
 * @inputs, @n: one or more recordings; several must not include a latency tracer's text
 * @jobs: threads that read and print, including the caller's; 0: only that one
 * @max_events: end after so many records; 0: never
 * @losses: counts lost events; may be NULL
 * @order: gets every event that is shown of several recordings; NULL for none
 * @progress: called from time to time; may be NULL
 */
struct tfs_run_opts {
	const struct tfs_run_input *inputs;
	size_t n;
	unsigned int jobs;
	uint64_t max_events;
	struct tfs_run_losses *losses;
	struct tfs_order_check *order;
	const struct tfs_run_progress *progress;
};

/**
 * tfs_run() - show a recording, or several merged by time, in a view
 *
 * Losses reach the view also when the record they are noted on was not selected. A latency tracer's
 * recording is handed over as text. Damage is not an error here: everything intact is shown, then
 * tfs_dat_damage() says what was not. The output does not depend on @opts->jobs.
 * Return: 0, or the first -errno of reader, view or @out (-EPIPE: the reader closed the pipe).
 */
int tfs_run(struct tfs_view *view, struct tfs_out *out, const struct tfs_run_opts *opts,
	    struct tfs_err *err);

#endif
