/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PIPELINE_VIEW_H
#define TFS_PIPELINE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/event.h"

struct tfs_err;
struct tfs_record_run;
struct tfs_strbuf;
struct tfs_view;

/**
 * enum tfs_view_flags - what a view needs
 * @TFS_VIEW_WORKERS: each event is shown without regard to others: event() and lost() run in the
 *	threads of the worker pool, and change nothing but the thread's state and @out. Without it
 *	they run on one thread, in order of time
 * @TFS_VIEW_EVENT_TEXT: prints event text with tfs_event_text_print(). Plugins then see the events
 *	in order, and leaves of function_graph are joined
 * @TFS_VIEW_UNSELECTED: (without WORKERS) joins several events to one thing (a call, a wait), and
 *	so gets every event and every loss; @event->selected says which were asked for. The thing
 *	is shown if the event that it began with was selected. Joining selected events alone would
 *	join events that do not belong together
 * @TFS_VIEW_LEAVES: (without WORKERS) draws leaves of function_graph on one line: @event->leaf is
 *	the exit that follows an entry on its CPU, which comes as an event of its own as well
 * @TFS_VIEW_RUNS: (without WORKERS) looks at numbers in records alone, and needs neither task nor
 *	type of an event: run() is given the records in order, many at a time, where all records of
 *	a single recording are wanted. A fifth of the cost of event(), which it has for other cases.
 *	With MISSING it needs lost() for what is missing
 * @TFS_VIEW_MISSING: lost() is also called where the rest of a CPU's events is missing, because the
 *	recording was truncated, is damaged, or its recorder was killed: @event->missing is set.
 *	After the CPU's last event, once at most. Others rely on tfs_dat_damage()
 * @TFS_VIEW_OWN_NAMES: names tasks itself by the records it gets, or by none: @event->task is
 *	known only from what the file holds of names. A table of all tasks less
 */
enum tfs_view_flags {
	TFS_VIEW_WORKERS = 1 << 0,
	TFS_VIEW_EVENT_TEXT = 1 << 1,
	TFS_VIEW_UNSELECTED = 1 << 2,
	TFS_VIEW_LEAVES = 1 << 3,
	TFS_VIEW_RUNS = 1 << 4,
	TFS_VIEW_MISSING = 1 << 5,
	TFS_VIEW_OWN_NAMES = 1 << 6,
};

/**
 * struct tfs_view_ops - what a kind of view does
 *
 * All but @free may be NULL. Text is appended to @out, which whoever runs the view writes. A view
 * that also writes to a file opens it in its constructor and completes it in end(). Functions
 * return 0 or -errno. Those that get @err set it, unless they fail with -ENOMEM. After a failure
 * only thread_end() and free() are called.
 * @init: before the first event: headings
 * @thread_begin: makes the state of a thread in which events will be shown (WORKERS)
 * @thread_end: ends and frees it; takes NULL. The threads are over by then: called for one state
 *	after the other, so that what each thread added up can be joined in @view
 * @event: show an event, which is valid during the call; without WORKERS its task until end()
 *	returns. NULL: no events are read
 * @lost: events were lost before @event on its CPU: @event->rec.lost says how many. A view
 *	that gets unselected events reports the loss only where @event->lost is set. Called before
 *	event(), which follows if the event itself is shown
 * @join: (WORKERS) takes what event() and lost() appended, instead of having it written: whole
 *	outputs of events, in order, by one thread at a time, though not always the same. A failure
 *	counts as one of writing
 * @run: (RUNS) instead of event(), and of lost() but for what is missing: take all records of
 *	@run, in which a record says itself that events were lost before it. They are valid during
 *	the call
 * @text: instead of events: what a latency tracer wrote
 * @end: after the last event: totals, what was held back
 * @notes: after end(): what people should know about what was shown and is not a part of it, a
 *	sentence a line. Return: 0 or -ENOMEM
 * @free: takes NULL
 */
struct tfs_view_ops {
	int (*init)(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err);
	int (*thread_begin)(struct tfs_view *view, void **state);
	int (*thread_end)(struct tfs_view *view, void *state);
	int (*event)(struct tfs_view *view, void *state, const struct tfs_event *event,
		     struct tfs_strbuf *out);
	int (*lost)(struct tfs_view *view, void *state, const struct tfs_event *event,
		    struct tfs_strbuf *out);
	int (*join)(struct tfs_view *view, const struct tfs_strbuf *made);
	int (*run)(struct tfs_view *view, struct tfs_record_run *run, struct tfs_strbuf *out);
	int (*text)(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		    struct tfs_err *err);
	int (*end)(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err);
	int (*notes)(const struct tfs_view *view, struct tfs_strbuf *out);
	void (*free)(struct tfs_view *view);
};

/**
 * struct tfs_view_writer - who writes what a view prints
 * @write: write and empty @out. Return: 0, or -errno with the error set that end() was given
 */
struct tfs_view_writer {
	int (*write)(void *ctx, struct tfs_strbuf *out);
	void *ctx;
};

/**
 * struct tfs_view - what is shown of events; first member of the struct of each kind of view
 * @ops: of its kind
 * @flags: enum tfs_view_flags, of this view
 * @again: set by end(): the view needs the same events once more, from init() on, and has printed
 *	nothing yet. Whoever runs it calls tfs_run() again
 * @writer: set during end() by whoever runs the view; NULL: all is to be appended to @out
 *
 * Making one changes nothing but the view: several exist beside each other, also of one recording.
 * tfs_run() (pipeline/run.h) runs it, once unless it asks for more.
 */
struct tfs_view {
	const struct tfs_view_ops *ops;
	unsigned int flags;
	bool again;
	const struct tfs_view_writer *writer;
};

/**
 * tfs_view_show() - what the view shows of one event: the loss before it, then the event; or
 * that the rest is missing
 */
static inline int tfs_view_show(struct tfs_view *view, void *state, const struct tfs_event *event,
				struct tfs_strbuf *out)
{
	int rc = 0;

	if (event->fast_path)
		return view->ops->event(view, state, event, out);
	if (event->missing && !(view->flags & TFS_VIEW_MISSING))
		return 0;
	if ((event->lost || event->gap || event->missing) && view->ops->lost)
		rc = view->ops->lost(view, state, event, out);
	return rc || !event->shown ? rc : view->ops->event(view, state, event, out);
}

/**
 * tfs_view_flush() - in end(): write what was printed so far, if there is somebody who does
 * Return: 0, -errno with the error set that end() was given.
 */
static inline int tfs_view_flush(const struct tfs_view *view, struct tfs_strbuf *out)
{
	return view->writer ? view->writer->write(view->writer->ctx, out) : 0;
}

/** tfs_view_end() - end() of a view, whose text @writer writes, if it is much; NULL: nobody */
static inline int tfs_view_end(struct tfs_view *view, const struct tfs_view_writer *writer,
			       struct tfs_strbuf *out, struct tfs_err *err)
{
	int rc;

	view->writer = writer;
	rc = view->ops->end(view, out, err);
	view->writer = NULL;
	return rc;
}

/** tfs_view_free() - takes NULL */
static inline void tfs_view_free(struct tfs_view *view)
{
	if (view)
		view->ops->free(view);
}

#endif
