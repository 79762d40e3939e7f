/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_EVENT_TEXT_H
#define TFS_DECODE_EVENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_event;
struct tfs_strbuf;
struct tfs_trace;

/**
 * struct tfs_event_text - prints the text after an event's name
 *
 * The one place that runs libtraceevent's printing, which it does under the trace's lock; a
 * compiled formatter goes in here. One for each thread.
 */
struct tfs_event_text;

/**
 * enum tfs_event_text_style - what the text of an event is
 * @TFS_EVENT_TEXT_FORMATTED: that of its print format, or of its plugin
 * @TFS_EVENT_TEXT_RAW: all fields as name=value (-R)
 */
enum tfs_event_text_style { TFS_EVENT_TEXT_FORMATTED, TFS_EVENT_TEXT_RAW };

/** tfs_event_text_new() - 0 or -ENOMEM */
int tfs_event_text_new(struct tfs_trace *trace, enum tfs_event_text_style style,
		       struct tfs_event_text **out);
void tfs_event_text_free(struct tfs_event_text *event_text);

/**
 * tfs_event_text_print() - append the text of one event, whose type is known
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_event_text_print(struct tfs_event_text *event_text, const struct tfs_event *event,
			 struct tfs_strbuf *out);
/** tfs_event_text_line() - the same as a line: up to a zero, one newline at the end */
int tfs_event_text_line(struct tfs_event_text *event_text, const struct tfs_event *event,
			struct tfs_strbuf *out);

/**
 * tfs_event_text_in_order() - is this event printed by a plugin that may keep state?
 *
 * Then tfs_event_text_print() is to be called in order of the records, on one thread.
 */
bool tfs_event_text_in_order(const struct tfs_event *event);

/** enum tfs_event_text_way - what prints a record without -R */
enum tfs_event_text_way {
	TFS_EVENT_TEXT_COMPILED, /* its compiled format */
	TFS_EVENT_TEXT_NATIVE,   /* code of ours for what a plugin prints */
	TFS_EVENT_TEXT_LIBRARY,  /* libtraceevent, under the lock */
	TFS_EVENT_TEXT_WAYS
};

/**
 * tfs_event_text_way() - what prints @event, whose type is known
 *
 * By its type and size: a compiled format leaves records with odd contents to libtraceevent.
 */
enum tfs_event_text_way tfs_event_text_way(const struct tfs_event *event);

#endif
