/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline/batch.h"

#include "decode/event.h"
#include "pipeline/view.h"

/* Text beyond this is given back: a few records may have printed a lot. */
#define TEXT_KEPT ((size_t)2 << 20)

void tfs_batch_init(struct tfs_batch *b)
{
	*b = (struct tfs_batch){ 0 };
	tfs_strbuf_init(&b->event_texts);
	tfs_strbuf_init(&b->text);
}

void tfs_batch_release(struct tfs_batch *b)
{
	tfs_blocks_free(&b->blocks);
	tfs_strbuf_release(&b->event_texts);
	tfs_strbuf_release(&b->text);
}

static void empty(struct tfs_strbuf *sb)
{
	if (sb->cap > TEXT_KEPT)
		tfs_strbuf_release(sb);
	else
		tfs_strbuf_reset(sb);
}

void tfs_batch_empty(struct tfs_batch *b)
{
	tfs_blocks_done(&b->blocks);
	empty(&b->event_texts);
	empty(&b->text);
	b->n = b->next = 0;
	b->rc = 0;
}

void tfs_batch_place_event_texts(struct tfs_batch *b)
{
	const char *at = b->event_texts.s;
	size_t i;

	for (i = 0; b->event_texts.len && i < b->n; i++) {
		if (!b->events[i].text)
			continue;
		b->events[i].text = at;
		at += b->events[i].text_len;
	}
}

bool tfs_batch_print(struct tfs_batch *b, struct tfs_view *view, void *state)
{
	struct tfs_event *event = b->events + b->next, *end = b->events + b->n;
	int rc = b->rc;

	while (event < end && b->text.len < TFS_BATCH_TEXT_BYTES && !rc)
		rc = tfs_view_show(view, state, event++, &b->text);
	b->next = (size_t)(event - b->events);
	b->rc = rc;
	return event == end || rc;
}
