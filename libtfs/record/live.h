/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_LIVE_H
#define TFS_RECORD_LIVE_H

#include <stdbool.h>

#include "tracedat/dat-lost.h"

struct tfs_dat;
struct tfs_err;
struct tfs_event_source;
struct tfs_instance;
struct tfs_root;
struct tfs_strvec;

/** TFS_LIVE_TICK_MS - how often the ring buffers of an instance are read */
#define TFS_LIVE_TICK_MS 10

/**
 * struct tfs_live_opts - which instance to read; all borrowed, and outlive the source
 * @events: "system:event" or "system:*": those that may come, whose formats are read; NULL: all
 * @keep_open: the instance is the caller's, who frees the source before removing it: the files of
 *        the CPUs stay open, which halves the cost of a tick
 * @at_once: events are given when they happen, not at the next tick: buffer_percent is 0. With
 *        @keep_open
 * @follow: the thread that takes the events moves to the CPU that most of them come from:
 *        tfs_near. For one that does little with each; it opens and frees the source, too
 * @stop_fd: -1, or a descriptor that becomes readable when reading is to end
 * @tick: called before each read, when all events that were read before have been given; may be
 *        NULL. 0 to go on; 1 to read what there is and end; -errno with @err set fails the source.
 *        On the thread that takes the events
 * @page: called for each sub-buffer that was read, before its events are given; may be NULL. 0;
 *        -errno with @err set fails the source
 * @context: for @tick and @page
 */
struct tfs_live_opts {
	const struct tfs_root *root;
	const struct tfs_instance *inst;
	const struct tfs_strvec *events;
	bool keep_open, at_once, follow;
	int stop_fd;
	int (*tick)(void *context, struct tfs_err *err);
	int (*page)(void *context, unsigned int cpu, const void *page, struct tfs_err *err);
	void *context;
};

/**
 * tfs_live_open() - the events of a running instance, taken out of its ring buffers as they come
 * @dat: what is known of it, as of a recording: the same metadata, made in memory. The caller's:
 *       tfs_dat_free(), or tfs_trace_open_dat(), which takes it over
 * @out: tfs_event_source_free(); before @dat
 *
 * Every tick reads all CPUs, unfinished sub-buffers too, twice if the first pass found something:
 * when a pass begins, everything that happened before it can be read, so what an earlier pass read
 * is complete, and a quiet CPU holds nothing back. An event is given a tick, or two while events
 * keep coming, after it happened. A CPU whose events are not taken is read no further; then the
 * kernel overwrites and counts the loss.
 *
 * The kernel's symbols are read when a text first needs them.
 *
 * With @at_once a pass is also made when a CPU has an event: what comes on a CPU that was not
 * online before waits for the tick.
 *
 * A CPU's trace_pipe_raw is open only while it is read, unless @keep_open: the kernel does not
 * remove an instance (EBUSY) while one is open. All CPUs that the kernel may ever have are read:
 * they may come and go.
 *
 * The source ends when its @stop_fd is readable or @tick asks for it, when tracing is off and
 * everything was read, and when the instance is removed: tfs_live_was_removed().
 */
int tfs_live_open(const struct tfs_live_opts *opts, struct tfs_dat **dat,
		  struct tfs_event_source **out, struct tfs_err *err);
/**
 * tfs_live_lost() - events that other programs read since it was opened, and what else they did
 *
 * For tfs_dat_lost_say(); @taken, @signs and @dropped alone are set: where another program turned
 * overwriting off, what is dropped leaves no mark among the events that are read. Before
 * tfs_event_source_free(), at the end: it reads a file of each CPU.
 */
struct tfs_dat_lost tfs_live_lost(struct tfs_event_source *source);
/** tfs_live_was_removed() - did it end because the instance is not there any more? */
bool tfs_live_was_removed(const struct tfs_event_source *source);

#endif
