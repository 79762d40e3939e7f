/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_TABLE_H
#define TFS_VIEW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/export.h"

struct tfs_err;
struct tfs_strbuf;
struct tfs_table;
struct tfs_view;

/** TFS_TABLE_COLUMNS - columns at most */
#define TFS_TABLE_COLUMNS 64

/**
 * enum tfs_cell_kind - what the cells of a column hold, and how they are printed
 * @TFS_CELL_TEXT: any bytes
 * @TFS_CELL_COUNT: an unsigned number
 * @TFS_CELL_SIGNED: a signed number (a pid, an error)
 * @TFS_CELL_NS: a duration in nanoseconds: seconds with nine digits in JSON and CSV; in text in the
 *	column's unit
 * @TFS_CELL_TIME: a time stamp in nanoseconds: seconds with nine digits
 * @TFS_CELL_PERCENT: hundredths of a percent: 2 digits
 * @TFS_CELL_ADDRESS: hexadecimal, in JSON a string
 * @TFS_CELL_BOOL: true or false, in text "yes" or nothing
 * @TFS_CELL_ENCODED: text that is written as it is, already in the style of the table. It is sorted
 *	as a number if it is one
 *
 * With TFS_TABLE_COUNTS durations and times are numbers in units of the clock.
 */
enum tfs_cell_kind {
	TFS_CELL_TEXT,
	TFS_CELL_COUNT,
	TFS_CELL_SIGNED,
	TFS_CELL_NS,
	TFS_CELL_TIME,
	TFS_CELL_PERCENT,
	TFS_CELL_ADDRESS,
	TFS_CELL_BOOL,
	TFS_CELL_ENCODED,
};

/**
 * enum tfs_table_column_flags - where a column is shown
 * @TFS_TABLE_EXACT: only in JSON and CSV: too much for a line of text
 * @TFS_TABLE_SHOWN: only in text
 * @TFS_TABLE_HIDDEN: nowhere, and not known to --sort
 * @TFS_TABLE_FIRST: in text before those without this flag
 * @TFS_TABLE_OPTIONAL: JSON leaves a missing cell out instead of writing null
 * @TFS_TABLE_AFTER: in text not in the row's line: lines of their own after the whole table, which
 *	are printed as they are
 * @TFS_TABLE_UNIT: of NS: in text the unit is after the heading: "MEAN(us)", unless durations are
 *	not nanoseconds
 * @TFS_TABLE_ASCENDING: a number of which the smallest is expected first (a pid, a time stamp)
 */
enum tfs_table_column_flags {
	TFS_TABLE_EXACT = 1 << 0,
	TFS_TABLE_SHOWN = 1 << 1,
	TFS_TABLE_HIDDEN = TFS_TABLE_EXACT | TFS_TABLE_SHOWN,
	TFS_TABLE_FIRST = 1 << 2,
	TFS_TABLE_OPTIONAL = 1 << 3,
	TFS_TABLE_ASCENDING = 1 << 4,
	TFS_TABLE_AFTER = 1 << 5,
	TFS_TABLE_UNIT = 1 << 6,
};

/**
 * struct tfs_table_column - one column
 * @name: for --sort, key in JSON, heading in CSV: lower case; borrowed
 * @heading: in text; NULL: @name in upper case
 * @kind: of all its cells
 * @flags: enum tfs_table_column_flags
 * @unit: of NS in text: nanoseconds that are 1 (1, 1000, 1000000 or 1000000000); 0 is 1
 * @digits: of NS in text: digits after the point, at most 9; what is beyond them is cut off
 * @width: characters at least in text
 */
struct tfs_table_column {
	const char *name;
	const char *heading;
	enum tfs_cell_kind kind;
	unsigned int flags;
	uint32_t unit;
	unsigned int digits;
	int width;
};

/**
 * enum tfs_table_flags - how a table is printed
 * @TFS_TABLE_INERT: for a terminal: see base/inert.h
 * @TFS_TABLE_COUNTS: durations and times are not nanoseconds
 */
enum tfs_table_flags { TFS_TABLE_INERT = 1 << 0, TFS_TABLE_COUNTS = 1 << 1 };

/**
 * struct tfs_table_opts - a table
 * @columns: the @n_columns of each row; borrowed
 * @style: TFS_EXPORT_TAB is aligned text with a heading
 * @flags: enum tfs_table_flags
 * @order: columns to sort by, as in @sort, if that is NULL; then by all columns from the first to
 *	the last, so that the order does not depend on that of the rows
 * @sort: what --sort has: "COLUMN[,-COLUMN]...". Numbers begin with the largest and texts with the
 *	first, and the other way round with "-"; missing cells come last. Borrowed during the call
 * @top: rows at most; 0: all
 * @sum: a COUNT column: how much of it is in rows that @top leaves out is printed, with the noun
 *	@sum_noun ("events"); @sum_noun NULL: only the number of rows
 * @none: in text, what is printed after "# " if there are no rows; NULL: nothing
 * @view: the one that prints it in its end(), so that a long table is written while it is printed;
 *	borrowed. NULL: all of it is appended
 */
struct tfs_table_opts {
	const struct tfs_table_column *columns;
	size_t n_columns;
	enum tfs_export_style style;
	unsigned int flags;
	const char *order, *sort;
	uint64_t top;
	size_t sum;
	const char *sum_noun;
	const char *none;
	const struct tfs_view *view;
};

/**
 * tfs_table_new() - an empty table
 *
 * Return: 0; -EINVAL with @err, if there is no column of a name in @sort, which gets suggestions;
 * -E2BIG with more than TFS_TABLE_COLUMNS columns; -ENOMEM.
 *
 * Release with tfs_table_free(). One thread at a time.
 */
int tfs_table_new(const struct tfs_table_opts *opts, struct tfs_table **out, struct tfs_err *err);
void tfs_table_free(struct tfs_table *t);

/** tfs_table_add() - begin a row, whose cells are all missing; 0 or -ENOMEM */
int tfs_table_add(struct tfs_table *t);
/** tfs_table_set() - cell of the last row in a column that is not text; signed ones are cast */
void tfs_table_set(struct tfs_table *t, size_t column, uint64_t value);
/** tfs_table_set_text() - the same of a TEXT or ENCODED column; copies; 0 or -ENOMEM */
int tfs_table_set_text(struct tfs_table *t, size_t column, const char *s, size_t len);
/** tfs_table_rows() - rows added */
size_t tfs_table_rows(const struct tfs_table *t);

/**
 * tfs_table_note() - something that belongs to the table as a whole and is not in its rows
 * @key: in JSON an object of its own after the rows has it; the lower case name of what @n counts
 * @text: of the line "# N TEXT" after the rows, or, with @n 0, of "# TEXT"; CSV has no notes:
 *	who prints it says what was lost
 *
 * Both are copied. Return: 0 or -ENOMEM.
 */
int tfs_table_note(struct tfs_table *t, const char *key, uint64_t n, const char *text);
/** tfs_table_lost() - note that @n events were lost, and, if @uncounted, more; nothing if none */
int tfs_table_lost(struct tfs_table *t, uint64_t n, bool uncounted);
/**
 * tfs_table_missing() - note that the last events of @cpus CPUs are missing, and that @recordings
 *	may have had CPUs of which nothing is left; nothing if of none
 */
int tfs_table_missing(struct tfs_table *t, uint64_t cpus, uint64_t recordings);

/**
 * tfs_table_print() - append the heading, the rows in order, what was left out, the notes
 * Return: 0, -ENOMEM, or what tfs_view_flush() returned.
 */
int tfs_table_print(struct tfs_table *t, struct tfs_strbuf *out);

#endif
