/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/collect-view.h"

#include "decode/event.h"
#include "stack/collect.h"

int tfs_collect_view_event(struct tfs_view *view, void *state, const struct tfs_event *event,
			   struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	return tfs_collect_event(((struct tfs_collect_view *)view)->collect, event);
}

int tfs_collect_view_lost(struct tfs_view *view, void *state, const struct tfs_event *event,
			  struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	return tfs_collect_lost(((struct tfs_collect_view *)view)->collect, event);
}

int tfs_collect_view_notes(const struct tfs_view *view, struct tfs_strbuf *out)
{
	return tfs_collect_notes(((const struct tfs_collect_view *)view)->collect, out);
}

/* @event gets the input's number on its side. */
static struct tfs_collect *side_of(struct tfs_collect *const side[2], size_t n_before,
				   struct tfs_event *event)
{
	if (event->input < n_before)
		return side[0];
	event->input -= (uint32_t)n_before;
	return side[1];
}

int tfs_collect_sides_event(struct tfs_collect *const side[2], size_t n_before,
			    const struct tfs_event *event)
{
	struct tfs_event copy = *event;
	struct tfs_collect *collect = side_of(side, n_before, &copy);

	return tfs_collect_event(collect, &copy);
}

int tfs_collect_sides_lost(struct tfs_collect *const side[2], size_t n_before,
			   const struct tfs_event *event)
{
	struct tfs_event copy = *event;
	struct tfs_collect *collect = side_of(side, n_before, &copy);

	return tfs_collect_lost(collect, &copy);
}
