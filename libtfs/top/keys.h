/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TOP_KEYS_H
#define TFS_TOP_KEYS_H

#include <stddef.h>

#include "top/column.h"

struct tfs_event;
struct tfs_top_opts;
struct tfs_top_row;
struct tfs_top_rows;
struct tfs_trace;

/**
 * struct tfs_top_cgroups - which control group a task is in
 * @find: borrowed until the next call; NULL: not known
 */
struct tfs_top_cgroups {
	const char *(*find)(void *context, int pid);
	void *context;
};

/**
 * struct tfs_top_keys - finds the row that an event belongs to
 *
 * For all kinds whose rows are made of single events: all but TFS_TOP_SYSCALL and TFS_TOP_STACK.
 * One thread at a time.
 */
struct tfs_top_keys;

/** tfs_top_keys_new() - what @opts points to outlives it. 0 or -ENOMEM */
int tfs_top_keys_new(const struct tfs_top_opts *opts, struct tfs_top_keys **out);
void tfs_top_keys_free(struct tfs_top_keys *keys);

/**
 * tfs_top_keys_row() - the event's row
 * @row: NULL: it belongs to none
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_top_keys_row(struct tfs_top_keys *keys, struct tfs_top_rows *rows, enum tfs_top_by by,
		     const struct tfs_event *event, struct tfs_top_row **row);

/** tfs_top_task_row() - the row of a task; @comm NULL: its name is not known. As above */
int tfs_top_task_row(struct tfs_top_rows *rows, int pid, const char *comm,
		     struct tfs_top_row **row);
/** tfs_top_text_row() - the row of a text. As above */
int tfs_top_text_row(struct tfs_top_rows *rows, const char *text, size_t len,
		     struct tfs_top_row **row);

#endif
