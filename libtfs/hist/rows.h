/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_HIST_ROWS_H
#define TFS_HIST_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"

/** TFS_HIST_SUMS_MAX - values that are added up, at most */
#define TFS_HIST_SUMS_MAX 4

/** TFS_HIST_COMM_SIZE - TASK_COMM_LEN of the kernel, with the NUL */
#define TFS_HIST_COMM_SIZE 16

/**
 * struct tfs_hist_row - what one event counts for one key
 * @event: index of the event
 * @number: the key of a thread
 * @text: any other key, of @len bytes, NUL-terminated; NULL: it is a thread
 * @comm: the thread's name; "": not known
 * @sum: of values that are added up
 * @count: since the beginning; @shown: of these, in intervals that were printed
 */
struct tfs_hist_row {
	size_t event;
	uint64_t number;
	char *text;
	size_t len;
	char comm[TFS_HIST_COMM_SIZE];
	uint64_t sum[TFS_HIST_SUMS_MAX];
	uint64_t count, shown;
};

/** struct tfs_hist_rows - counts by event and key; zeroed it is empty */
struct tfs_hist_rows {
	struct tfs_hashmap map;
};

void tfs_hist_rows_release(struct tfs_hist_rows *rows);

/** tfs_hist_rows_number() - the row of a number, below 2^32, which is added; NULL without memory */
struct tfs_hist_row *tfs_hist_rows_number(struct tfs_hist_rows *rows, size_t event,
					  uint64_t number);
/** tfs_hist_rows_text() - the row of a text, any bytes, which is added; NULL without memory */
struct tfs_hist_row *tfs_hist_rows_text(struct tfs_hist_rows *rows, size_t event, const char *text,
					size_t len);

/** tfs_hist_rows_reset() - all counts of an event are 0, before they are counted anew */
void tfs_hist_rows_reset(struct tfs_hist_rows *rows, size_t event);

/**
 * tfs_hist_rows_list() - the rows of an event that have something to be shown, largest count first
 * @out: borrowed rows, in an array that is the caller's, free(); of equal counts, in order of the
 *	keys
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_hist_rows_list(const struct tfs_hist_rows *rows, size_t event, struct tfs_hist_row ***out,
		       size_t *n);

#endif
