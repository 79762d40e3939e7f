/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_EVENT_TEXT_H
#define TFS_DECODE_EVENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_event;
struct tfs_strbuf;
struct tfs_trace;

/**
 * struct tfs_body - prints what comes behind an event's name
 *
 * The one place that runs libtraceevent's printing, which it does under the trace's lock; a
 * compiled formatter goes in here. One for each thread.
 */
struct tfs_body;

/** tfs_body_new() - @raw: all fields as name=value (-R) instead of the print format */
int tfs_body_new(struct tfs_trace *trace, bool raw, struct tfs_body **out);
void tfs_body_free(struct tfs_body *body);

/**
 * tfs_body_print() - append the text of one event, whose type is known
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_body_print(struct tfs_body *body, const struct tfs_event *event, struct tfs_strbuf *out);
/** tfs_body_line() - the same as a line: up to a zero, one newline at the end */
int tfs_body_line(struct tfs_body *body, const struct tfs_event *event, struct tfs_strbuf *out);

/**
 * tfs_body_in_order() - does a plugin print this event that may keep state or learn something?
 *
 * Then tfs_body_print() is to be called in order of the records, on one thread.
 */
bool tfs_body_in_order(const struct tfs_event *event);

/** enum tfs_body_way - what prints a record without -R */
enum tfs_body_way {
	TFS_BODY_COMPILED, /* its compiled format */
	TFS_BODY_NATIVE,   /* code of ours for what a plugin prints */
	TFS_BODY_LIBRARY,  /* libtraceevent, under the lock */
	TFS_BODY_WAYS
};

/**
 * tfs_body_way() - what prints @event, whose type is known
 *
 * By its type and size: a compiled format leaves records with odd contents to libtraceevent.
 */
enum tfs_body_way tfs_body_way(const struct tfs_event *event);

#endif
