/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TOP_ROWS_H
#define TFS_TOP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "base/histogram.h"

/** TFS_TOP_SILENT - a row stays for so many intervals without an event */
#define TFS_TOP_SILENT 3
/** TFS_TOP_SLOTS - the last ten seconds are divided into so many parts */
#define TFS_TOP_SLOTS 10
/** TFS_TOP_WINDOW - the ten seconds, in nanoseconds */
#define TFS_TOP_WINDOW UINT64_C(10000000000)
/** TFS_TOP_COMM_SIZE - bytes of the kernel's names of tasks, with the NUL; longer ones are cut */
#define TFS_TOP_COMM_SIZE 16

/**
 * struct tfs_top_values - what is known of a row at the end of an interval
 * @rate, @rate_10s: per second
 * @share: from 0 to 1
 * @count: in the interval, or with TFS_TOP_CUMULATIVE (top/top.h) since the row appeared; likewise
 *	what follows
 * @total: since the row appeared
 * @time, @mean, @p99, @max: nanoseconds, if @timed
 * @timed: something ended that has a duration
 * @errors: calls that failed
 * @comm: name of the tasks that most of @time, or if not @timed most of @count, belong to, or
 *	TFS_TASK_UNKNOWN; "": there was nothing. @others: tasks of other names have the rest
 * @silent: intervals since its last event; 0: it had some
 */
struct tfs_top_values {
	double rate, rate_10s, share;
	uint64_t count, total;
	uint64_t time, mean, p99, max;
	uint64_t errors;
	char comm[TFS_TOP_COMM_SIZE];
	bool others, timed;
	unsigned int silent;
};

/** TFS_TOP_WHO - names of tasks that a row keeps; those of further ones are "others" */
#define TFS_TOP_WHO 64

/** struct tfs_top_who - what tasks of one name have of a row */
struct tfs_top_who {
	char comm[TFS_TOP_COMM_SIZE];
	uint64_t count, time;
};

/**
 * struct tfs_top_key - what rows are found by: a number, or text
 * @text: of @len bytes; NULL: @number alone
 */
struct tfs_top_key {
	uint64_t number;
	const char *text;
	size_t len;
};

/**
 * struct tfs_top_row - a row
 * @id: of this row; no other ever has it
 * @label: what it is called; its own
 * @count, @errors, @times: so far, of the current interval (or of all: see tfs_top_rows_close())
 * @fresh: events of the current interval
 * @who: @n_who names of tasks, and what is theirs of @count and @times; @unnamed: of further ones
 * @values: at the end of the last interval
 */
struct tfs_top_row {
	uint64_t id, hash;
	struct tfs_top_key key;
	char *label;
	size_t label_len;
	uint64_t count, errors, fresh, total;
	struct tfs_histogram times;
	struct tfs_top_who *who;
	size_t n_who, who_alloc;
	struct tfs_top_who unnamed;
	uint64_t slot[TFS_TOP_SLOTS];
	unsigned int silent;
	struct tfs_top_values values;
};

/**
 * struct tfs_top_rows - all rows; zeroed it is empty, but for @max
 * @v: @n rows in the order in which they appeared
 * @max: rows at most. For one more, one that had no event for longest is removed
 * @dropped: rows that were removed so, which had not been silent for long enough
 * @generation: changes when rows are removed: pointers to them are no longer valid
 * @slot: lengths of the parts of the last ten seconds in nanoseconds; @current is the one that is
 *	being filled
 */
struct tfs_top_rows {
	struct tfs_hashmap map;
	struct tfs_top_row **v;
	size_t n, alloc, max;
	uint64_t next_id, dropped, generation;
	uint64_t slot[TFS_TOP_SLOTS];
	unsigned int current;
};

void tfs_top_rows_release(struct tfs_top_rows *rows);
/** tfs_top_rows_clear() - remove all; ids are not used again */
void tfs_top_rows_clear(struct tfs_top_rows *rows);

/**
 * tfs_top_rows_get() - the row of a key, which is added if it is missing, without a label
 * Return: valid until @generation changes; NULL without memory.
 */
struct tfs_top_row *tfs_top_rows_get(struct tfs_top_rows *rows, const struct tfs_top_key *key);
/** tfs_top_row_label() - set what it is called, if that differs; 0 or -ENOMEM */
int tfs_top_row_label(struct tfs_top_row *row, const char *text, size_t len);

/** tfs_top_row_count() - an event */
static inline void tfs_top_row_count(struct tfs_top_row *row)
{
	row->count++;
	row->fresh++;
}

/**
 * tfs_top_row_who() - say whose the event was that tfs_top_row_count() counted, or what ended
 * @comm: NULL, "": its name is not known
 * @count: events; @time: nanoseconds
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_top_row_who(struct tfs_top_row *row, const char *comm, uint64_t count, uint64_t time);

/**
 * tfs_top_rows_close() - end an interval: compute the values of all rows, and begin the next
 * @elapsed: its length in nanoseconds, not 0
 * @keep: counts go on, and no row is removed for being silent
 */
void tfs_top_rows_close(struct tfs_top_rows *rows, uint64_t elapsed, bool keep);

#endif
