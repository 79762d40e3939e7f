/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_TIMELINE_SLICES_H
#define TFS_CHART_TIMELINE_SLICES_H

#include <stdint.h>

#include "span/span.h"

struct tfs_page;
struct tfs_slices;
struct tfs_strbuf;
struct tfs_timeline_rows;

/*
 * Names of slices: a state of a task, something of the model, or a task. In the page the tables of
 * these follow each other, so that one number is enough.
 */
#define TFS_SLICE_TASK (1u << 31)
#define TFS_SLICE_STATE (1u << 30)

/**
 * struct tfs_timeline_slices - slices on their way to the page
 * @names: names of the model, whose numbers come after those of the states
 * @room: bytes of the page for slices. If they need more, the largest rows have levels of detail
 *	only
 * @notes: what was left out is added, a text with a zero byte each
 */
struct tfs_timeline_slices {
	struct tfs_page *page;
	struct tfs_slices *slices;
	const struct tfs_timeline_rows *rows;
	uint32_t names;
	uint64_t room;
	struct tfs_strbuf *notes;
};

/**
 * tfs_timeline_slices_write() - write the columns of rows, slices and levels of detail
 *
 * @t->rows are sorted, and @t->slices. Return: 0 or -errno.
 */
int tfs_timeline_slices_write(const struct tfs_timeline_slices *t);

#endif
