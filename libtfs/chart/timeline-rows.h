/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_TIMELINE_ROWS_H
#define TFS_CHART_TIMELINE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "base/idmap.h"
#include "base/pool.h"

struct tfs_span;

/** enum tfs_timeline_kind - what a row shows; the page knows these numbers */
enum tfs_timeline_kind {
	TFS_TIMELINE_IRQ,   /* of a CPU: interrupts and softirqs, a row for each depth */
	TFS_TIMELINE_RUN,   /* of a CPU: the task that runs */
	TFS_TIMELINE_STATE, /* of a task */
	TFS_TIMELINE_CALLS, /* of a task: system calls, functions, probes; a row for each depth */
	TFS_TIMELINE_PAIRS, /* of a pair that crosses others; a row for each slot */
};

/** TFS_TIMELINE_ROWS - rows of a page, at most */
#define TFS_TIMELINE_ROWS 65536
/** TFS_TIMELINE_DEPTH - rows of nested spans of one task or CPU, at most */
#define TFS_TIMELINE_DEPTH 64

/**
 * struct tfs_timeline_row - slices that follow each other
 * @kind, @input, @id, @depth: what it shows: CPU, task or pair @id of a recording
 * @index: in the order in which rows were made
 * @n: slices
 * @begin: of the first one
 * @end: of the last one
 */
struct tfs_timeline_row {
	enum tfs_timeline_kind kind;
	uint32_t input, id, depth;
	uint32_t index;
	uint64_t n, begin, end;
};

/**
 * struct tfs_timeline_task - a task of a recording; there may be a million of them
 * @comm: a number of its name, 0: not known
 * @events: that it recorded, or UINT32_MAX if they are more
 * @busy: ns in which it ran (@ran); of a recording without scheduler events ns of its calls
 */
struct tfs_timeline_task {
	uint32_t input;
	int tid;
	uint32_t comm;
	uint32_t events;
	uint64_t busy : 63, ran : 1;
};

/**
 * struct tfs_timeline_rows - rows and tasks
 * @tasks: struct tfs_timeline_task; events and names of slices have their numbers
 * @last: the task that was found last
 * @left_out: spans for which there was no row any more
 *
 * Initialise with TFS_TIMELINE_ROWS_INIT.
 */
struct tfs_timeline_rows {
	struct tfs_timeline_row **v;
	size_t n, alloc;
	struct tfs_hashmap by_key;
	struct tfs_pool tasks;
	struct tfs_idmap by_tid;
	uint32_t last;
	uint64_t left_out;
};

#define TFS_TIMELINE_ROWS_INIT \
	((struct tfs_timeline_rows){ .tasks = TFS_POOL_INIT(struct tfs_timeline_task) })

void tfs_timeline_rows_release(struct tfs_timeline_rows *r);

/**
 * tfs_timeline_task() - the number of the task @tid of a recording, made when it is met first
 * Return: TFS_IDMAP_NONE without memory.
 */
uint32_t tfs_timeline_task(struct tfs_timeline_rows *r, uint32_t input, int tid);
/** tfs_timeline_task_at() - of a number that tfs_timeline_task() returned */
static inline struct tfs_timeline_task *tfs_timeline_task_at(const struct tfs_timeline_rows *r,
							     uint32_t task)
{
	return tfs_pool_at(&r->tasks, task);
}
/** tfs_timeline_task_ran() - for @ns; what it called does not count any more */
void tfs_timeline_task_ran(struct tfs_timeline_task *task, uint64_t ns);
/** tfs_timeline_task_called() - for @ns */
void tfs_timeline_task_called(struct tfs_timeline_task *task, uint64_t ns);

/**
 * tfs_timeline_place() - the row of a span that begins at @begin
 * @out: NULL: there are too many rows
 *
 * A span that would overlap the one before it (the beginning of one around it was not recorded)
 * goes one row deeper. Where there is only one such row the caller lets it begin at @out->end,
 * which happens where later events have earlier time stamps. Return: 0 or -ENOMEM.
 */
int tfs_timeline_place(struct tfs_timeline_rows *r, const struct tfs_span *span, uint64_t begin,
		       struct tfs_timeline_row **out);

/**
 * tfs_timeline_sort() - order rows as they are shown: recordings apart; CPUs, pairs, tasks, those
 * first that ran longest. 0 or -ENOMEM
 */
int tfs_timeline_sort(struct tfs_timeline_rows *r);

#endif
