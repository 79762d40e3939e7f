/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PIPELINE_SINK_H
#define TFS_PIPELINE_SINK_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_err;
struct tfs_event;

/**
 * struct tfs_sink - a view that keeps state from one event to the next
 *
 * Embedded as first member of the view's own struct. Functions return 0 or -errno with @err set;
 * the first failure ends the run (end() is still called). Events come in order of time, on one
 * thread. A view whose lines depend on one event each is a struct tfs_printer instead.
 * A view that joins records to one thing (a call, a wait) sets @all. It then gets every record and
 * every loss, joins them, and shows what it came to if the record that the thing began with was
 * selected (@event->selected): that says whose it is. Joining only what was selected would join
 * records that do not belong together.
 * One that draws leaves of function_graph in a line sets @leaves: @event->leaf is then the exit
 * that follows an entry on its CPU; it comes as an event of its own all the same.
 * @begin: before the first event
 * @event: one record, or a loss, or both (@event->lost, @event->shown); valid during the call; NULL
 *        when the view has no use for them
 * @text: instead of events: what a latency tracer wrote; NULL when the view has no use for it
 * @end: after the last event; writes out what is held
 */
struct tfs_sink {
	int (*begin)(struct tfs_sink *sink, struct tfs_err *err);
	int (*event)(struct tfs_sink *sink, const struct tfs_event *event, struct tfs_err *err);
	int (*text)(struct tfs_sink *sink, const char *text, size_t len, struct tfs_err *err);
	int (*end)(struct tfs_sink *sink, struct tfs_err *err);
	bool all, leaves;
};

#endif
