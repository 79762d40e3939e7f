/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_TIMELINE_EVENTS_H
#define TFS_CHART_TIMELINE_EVENTS_H

#include <stddef.h>
#include <stdint.h>

struct tfs_event;
struct tfs_page;
struct tfs_strbuf;

/** TFS_TIMELINE_BLOCK - events whose texts are compressed together; the page knows it */
#define TFS_TIMELINE_BLOCK 2048

/**
 * struct tfs_timeline_events - the table of events: columns, and texts in compressed blocks
 *
 * Beyond a few megabytes they are in temporary files. One thread.
 */
struct tfs_timeline_events;

/** tfs_timeline_events_new() - 0 or -ENOMEM */
int tfs_timeline_events_new(struct tfs_timeline_events **out);
void tfs_timeline_events_free(struct tfs_timeline_events *e);

/**
 * tfs_timeline_events_add() - the next event
 * @time: ns since the first event; not before that of the event before
 * @task: index of its task
 * @text: without a zero byte
 * Return: 0 or -errno.
 */
int tfs_timeline_events_add(struct tfs_timeline_events *e, const struct tfs_event *event,
			    uint64_t time, uint32_t task, const struct tfs_strbuf *text);
/** tfs_timeline_events_count() - events that were added */
uint64_t tfs_timeline_events_count(const struct tfs_timeline_events *e);

/** tfs_timeline_events_bytes() - of a page that they take without texts, about */
uint64_t tfs_timeline_events_bytes(const struct tfs_timeline_events *e);

/**
 * tfs_timeline_events_write() - write columns, types and texts; once
 * @room: bytes of the page for texts. If they need more, those of some types are left out, those
 *	first that need most
 * @notes: what was left out is added, a text with a zero byte for each type
 * Return: 0 or -errno.
 */
int tfs_timeline_events_write(struct tfs_timeline_events *e, struct tfs_page *page, uint64_t room,
			      struct tfs_strbuf *notes);

#endif
