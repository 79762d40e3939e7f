/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/collect-view.h"

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
