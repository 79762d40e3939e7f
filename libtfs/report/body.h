/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REPORT_BODY_H
#define TFS_REPORT_BODY_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_event_type;
struct tfs_merge;
struct tfs_record;
struct tfs_trace;

/**
 * struct tfs_body - prints what comes behind an event's name
 *
 * The one place that runs libtraceevent's printing; a compiled formatter goes in here. One thread
 * at a time, records in order (plugins keep state).
 */
struct tfs_body;

/** tfs_body_new() - @raw: all fields as name=value (-R) instead of the print format */
int tfs_body_new(struct tfs_trace *trace, bool raw, struct tfs_body **out);
void tfs_body_free(struct tfs_body *body);

/**
 * tfs_body_print() - text of one record
 * @type: from tfs_trace_event()
 * @merge: where the records behind @rec come from, or NULL
 * @text: set to the text, @len bytes, not terminated; valid until the next call
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_body_print(struct tfs_body *body, const struct tfs_event_type *type,
		   const struct tfs_record *rec, struct tfs_merge *merge, const char **text,
		   size_t *len);

/**
 * tfs_body_flags() - the latency column ("d..2.") of a record
 * @text: as above; valid as long as @body for the common case, else until the next call
 */
int tfs_body_flags(struct tfs_body *body, const struct tfs_record *rec, const char **text,
		   size_t *len);

#endif
