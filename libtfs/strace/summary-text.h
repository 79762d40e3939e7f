/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_SUMMARY_TEXT_H
#define TFS_STRACE_SUMMARY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_err;
struct tfs_strbuf;

/** enum tfs_summary_column - a column of strace -c; all times are wall time */
enum tfs_summary_column {
	TFS_SUMMARY_SHARE,
	TFS_SUMMARY_TOTAL,
	TFS_SUMMARY_MIN,
	TFS_SUMMARY_MAX,
	TFS_SUMMARY_MEAN,
	TFS_SUMMARY_CALLS,
	TFS_SUMMARY_ERRORS,
	TFS_SUMMARY_NAME,
	TFS_SUMMARY_WALL_TOTAL,
	TFS_SUMMARY_WALL_MIN,
	TFS_SUMMARY_WALL_MAX,
	TFS_SUMMARY_WALL_MEAN,
	TFS_SUMMARY_N_COLUMNS,
	TFS_SUMMARY_NONE = TFS_SUMMARY_N_COLUMNS, /* of @sort: rows stay as they are */
};

/**
 * struct tfs_summary_layout - which columns, and by which one the rows are sorted
 * @sort: the largest first; names from A on. Equal rows stay as they are
 */
struct tfs_summary_layout {
	enum tfs_summary_column column[TFS_SUMMARY_N_COLUMNS];
	size_t n;
	enum tfs_summary_column sort;
};

/**
 * struct tfs_summary_row - a row
 * @timed: calls whose time is known; @total, @min and @max are of these, in ns
 */
struct tfs_summary_row {
	const char *name;
	uint64_t calls, errors;
	uint64_t timed, total, min, max;
};

/**
 * tfs_summary_layout_parse() - the values of strace's options -U and -S
 * @columns: names with commas between them; the name of the system call is added if it is not among
 *	them. NULL: those of strace -c, or without @times the calls and errors
 * @sort: a name, or "none"; NULL: by time, or without @times by calls
 * @times: the times of calls are known
 *
 * The names are those that strace 7.2 knows, with "-" or "_".
 * Return: 0; -EINVAL with @err: an unknown name, one given twice, or a time without @times.
 */
int tfs_summary_layout_parse(struct tfs_summary_layout *layout, const char *columns,
			     const char *sort, bool times, struct tfs_err *err);

/** tfs_summary_sort() - put rows in the order of the layout */
int tfs_summary_sort(const struct tfs_summary_layout *layout, struct tfs_summary_row *rows,
		     size_t n);

/**
 * tfs_summary_text() - append heading, rows and totals as strace -c lays them out
 *
 * Widths grow with what is in them, totals included. 0 errors are blank. Return: 0 or -ENOMEM.
 */
int tfs_summary_text(const struct tfs_summary_layout *layout, const struct tfs_summary_row *rows,
		     size_t n, struct tfs_strbuf *out);

#endif
