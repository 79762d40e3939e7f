/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_STAT_ROWS_H
#define TC_STAT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"

/** STAT_COMM_SIZE - TASK_COMM_LEN of the kernel, with the NUL */
#define STAT_COMM_SIZE 16

/**
 * struct stat_keyed - what one event counts for one key
 * @event: index of the event
 * @number: the key of a thread
 * @text: any other key, of @len bytes, NUL-terminated; NULL: it is a thread
 * @comm: the thread's name; "": not known
 * @count: since the beginning; @shown: of these, in intervals that were printed
 */
struct stat_keyed {
	size_t event;
	uint64_t number;
	char *text;
	size_t len;
	char comm[STAT_COMM_SIZE];
	uint64_t count, shown;
};

/** struct stat_rows - counts by event and key; zeroed it is empty */
struct stat_rows {
	struct tfs_hashmap map;
};

void stat_rows_release(struct stat_rows *rows);

/** stat_rows_number() - the row of a number, below 2^32, which is added; NULL without memory */
struct stat_keyed *stat_rows_number(struct stat_rows *rows, size_t event, uint64_t number);
/** stat_rows_text() - the row of a text, any bytes, which is added; NULL without memory */
struct stat_keyed *stat_rows_text(struct stat_rows *rows, size_t event, const char *text,
				  size_t len);

/**
 * stat_rows_list() - the rows of an event that have something to be shown, the largest count first
 * @out: borrowed rows, in an array that is the caller's, free(); of equal counts, in order of the
 *	keys
 *
 * Return: 0 or -ENOMEM.
 */
int stat_rows_list(const struct stat_rows *rows, size_t event, struct stat_keyed ***out, size_t *n);

#endif
