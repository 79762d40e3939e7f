/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_COUNT_H
#define TFS_VIEW_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/export.h"

struct tfs_err;
struct tfs_view;

/**
 * struct tfs_count_opts - what is counted
 * @rows: columns that events have in common to be counted together (@columns, not empty), the
 *	recordings, and the style: TFS_EXPORT_TAB is a table with a heading. @own, @file, @text and
 *	@raw_ts are not used
 * @files: what each of the recordings is called
 * @hosts: the machine each is from; NULL: not known
 * @sort: columns to sort by, of those named, "count" and "share", as struct tfs_table_opts has it;
 *	NULL: by count
 * @top: rows at most; 0: all
 */
struct tfs_count_opts {
	struct tfs_export_opts rows;
	const char *const *files;
	const char *const *hosts;
	const char *sort;
	uint64_t top;
};

/**
 * tfs_count_new() - how many events have the same values: a row for each combination
 *
 * The most frequent first. Events without one of the fields named are not counted; the table says
 * how many these are. One view shows all recordings. Memory grows with the number of combinations.
 * Return: what tfs_export_new() and tfs_table_new() return. Release with tfs_view_free().
 */
int tfs_count_new(const struct tfs_count_opts *opts, struct tfs_view **view, struct tfs_err *err);

#endif
