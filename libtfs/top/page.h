/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TOP_PAGE_H
#define TFS_TOP_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf-core.h"
#include "top/column.h"

struct tfs_pattern;
struct tfs_top_snapshot;

/**
 * enum tfs_top_page_flags - how a page is made
 * @TFS_TOP_UTF8: names may have characters beyond ASCII; else these are shown as \xe2\x80\xa6
 * @TFS_TOP_KEYS: a line at the end says which keys do what; the selected row is marked
 * @TFS_TOP_FROZEN: says that counting goes on while the page stays
 * @TFS_TOP_REVERSE: the sort order is said to be reversed
 * @TFS_TOP_RECORDING: says that events go into a file as well
 */
enum tfs_top_page_flags {
	TFS_TOP_UTF8 = 1 << 0,
	TFS_TOP_KEYS = 1 << 1,
	TFS_TOP_FROZEN = 1 << 2,
	TFS_TOP_REVERSE = 1 << 3,
	TFS_TOP_RECORDING = 1 << 4,
};

/**
 * struct tfs_top_page_opts - how a page is to look
 * @width: characters of a line, 0: no limit
 * @height: lines, 0: no limit
 * @top: rows at most, 0: all
 * @flags: enum tfs_top_page_flags
 * @sort: the column that the lines are sorted by: shown even where others are not
 * @filter: only rows whose names match; NULL: all. @filter_text: as it was typed
 * @task: name of the task that alone is counted; NULL: all are
 * @cpu: own share of a CPU, from 0 to 1; negative: not shown
 * @bottom: in place of the line about keys: a question, a message; NULL: that line
 */
struct tfs_top_page_opts {
	unsigned int width, height;
	size_t top;
	unsigned int flags;
	enum tfs_top_column sort;
	const struct tfs_pattern *filter;
	const char *filter_text, *task;
	double cpu;
	const char *bottom;
};

/** enum tfs_top_line_kind - what a line of a page is; colours may be chosen by it */
enum tfs_top_line_kind {
	TFS_TOP_LINE_HEAD,
	TFS_TOP_LINE_HEADING,
	TFS_TOP_LINE_ROW,
	TFS_TOP_LINE_SILENT,
	TFS_TOP_LINE_SELECTED,
	TFS_TOP_LINE_BOTTOM,
};

/**
 * struct tfs_top_page - lines of text, and which rows they show
 * @text: all lines, each with its line end
 * @line: @n of them: where each starts in @text, and its length without the line end
 * @selected: id of the selected row; 0: none. Goes with its row; if that is gone, the row in its
 *	place is selected
 * @index: of it among the rows that match; @first: of the row shown first
 * @rows: rows that match; @room: that fit on the page
 *
 * Zeroed it is empty. Names are shown so that nothing in them acts on a terminal (base/inert.h).
 */
struct tfs_top_page {
	struct tfs_strbuf text;
	struct tfs_top_page_line {
		size_t start, len;
		enum tfs_top_line_kind kind;
	} * line;
	size_t n, alloc;
	uint64_t selected;
	size_t index, first, rows, room;
};

void tfs_top_page_release(struct tfs_top_page *page);

/**
 * tfs_top_page_make() - make the page anew
 *
 * The same lines for every kind of output. Return: 0 or -ENOMEM.
 */
int tfs_top_page_make(struct tfs_top_page *page, const struct tfs_top_snapshot *snap,
		      const struct tfs_top_page_opts *opts);

/** tfs_top_page_move() - select the row that is so many rows further down, or up; 0: none is yet */
void tfs_top_page_move(struct tfs_top_page *page, const struct tfs_top_snapshot *snap,
		       const struct tfs_top_page_opts *opts, long rows);

/** tfs_top_page_add() - append a line, cut at @width if that is not 0; 0 or -ENOMEM */
int tfs_top_page_add(struct tfs_top_page *page, enum tfs_top_line_kind kind, const char *text,
		     unsigned int width);
/** tfs_top_page_clear() - no lines; what is selected stays */
void tfs_top_page_clear(struct tfs_top_page *page);

#endif
