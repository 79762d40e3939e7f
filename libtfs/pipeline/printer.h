/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PIPELINE_PRINTER_H
#define TFS_PIPELINE_PRINTER_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_event;
struct tfs_strbuf;

/**
 * struct tfs_printer - a view whose lines depend on one event each
 *
 * Embedded as first member of the view's own struct, which does not change while lines are made:
 * what changes is in a state, one for each thread. Functions that print append to @out and return
 * 0 or -ENOMEM; all but @open, @close and @event may be NULL.
 * @event_texts: prints event texts with tfs_event_text_print() (not -R): what plugins print and
 *               learn then happens in order, and leaves of function_graph are joined
 * @head, @tail: before the first line and behind the last
 * @open, @close: a state; close() takes NULL
 * @event: the line of one event, and before it that of the loss it tells of
 * @text: instead of events: what a latency tracer wrote
 */
struct tfs_printer {
	bool event_texts;
	int (*head)(const struct tfs_printer *p, struct tfs_strbuf *out);
	int (*tail)(const struct tfs_printer *p, struct tfs_strbuf *out);
	int (*open)(const struct tfs_printer *p, void **state);
	void (*close)(void *state);
	int (*event)(const struct tfs_printer *p, void *state, const struct tfs_event *event,
		     struct tfs_strbuf *out);
	int (*text)(const struct tfs_printer *p, const char *text, size_t len,
		    struct tfs_strbuf *out);
};

#endif
