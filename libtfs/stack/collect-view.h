/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_COLLECT_VIEW_H
#define TFS_STACK_COLLECT_VIEW_H

#include <stddef.h>

#include "pipeline/view.h"

struct tfs_collect;

/**
 * struct tfs_collect_view - a view of one collection of folded stacks; first member of its struct
 * @collect: gets each event; the view makes it, and frees it
 *
 * The functions below are for the table of such a view (struct tfs_view_ops), which has
 * TFS_VIEW_UNSELECTED and not TFS_VIEW_WORKERS. They return what those of stack/collect.h do.
 */
struct tfs_collect_view {
	struct tfs_view view;
	struct tfs_collect *collect;
};

int tfs_collect_view_event(struct tfs_view *view, void *state, const struct tfs_event *event,
			   struct tfs_strbuf *out);
int tfs_collect_view_lost(struct tfs_view *view, void *state, const struct tfs_event *event,
			  struct tfs_strbuf *out);
int tfs_collect_view_notes(const struct tfs_view *view, struct tfs_strbuf *out);

/*
 * For a view that compares two collections: inputs below @n_before belong to @side[0], the others,
 * counted from 0, to @side[1]. They return what tfs_collect_event() and tfs_collect_lost() do.
 */
int tfs_collect_sides_event(struct tfs_collect *const side[2], size_t n_before,
			    const struct tfs_event *event);
int tfs_collect_sides_lost(struct tfs_collect *const side[2], size_t n_before,
			   const struct tfs_event *event);

#endif
