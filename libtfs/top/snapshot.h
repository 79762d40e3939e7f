/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TOP_SNAPSHOT_H
#define TFS_TOP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf-core.h"
#include "top/column.h"
#include "top/rows.h"

struct tfs_pattern;

/**
 * struct tfs_top_line - a row as it was at the end of an interval
 * @id: of the row: struct tfs_top_row
 * @number: of its key
 * @name, @len: what it is called, any bytes; an offset in the snapshot's @names
 * @place: its index when the lines were last sorted; a new one has a higher place than all old ones
 */
struct tfs_top_line {
	uint64_t id, number;
	size_t name, len;
	size_t place;
	struct tfs_top_values values;
};

/**
 * struct tfs_top_snapshot - all rows as they were at the end of an interval, sorted
 *
 * This is shown: it can be sorted, filtered and moved through while the model goes on. Zeroed it
 * is empty.
 * @by: what the rows are made by
 * @task: only of this task; -1: of all
 * @begin: time from the first event to the beginning of the interval, @elapsed: its length, in ns
 * @events: in the interval, without those of calls of function_graph; @other: those among them that
 *	belong to no row
 * @calls: that ended in the interval: system calls, or those of function_graph. Each is in a row
 * @lost: lost in the interval, @lost_total since the start; @uncounted: and others that the kernel
 *	did not count
 * @dropped: rows removed because there were too many
 */
struct tfs_top_snapshot {
	enum tfs_top_by by;
	int task;
	uint64_t begin, elapsed;
	uint64_t events, calls, other;
	uint64_t lost, lost_total, dropped;
	bool uncounted;
	struct tfs_top_line *line;
	size_t n, alloc;
	struct tfs_strbuf names;
};

void tfs_top_snapshot_release(struct tfs_top_snapshot *snap);

/**
 * tfs_top_snapshot_rows() - take the rows over; rows that were there keep their places
 * Return: 0; -ENOMEM with no lines.
 */
int tfs_top_snapshot_rows(struct tfs_top_snapshot *snap, const struct tfs_top_rows *rows);

/**
 * tfs_top_snapshot_sort() - sort by a column
 * @reverse: the smallest first; names are sorted with the first one first
 *
 * Stable: lines with equal values keep their places, new ones follow in the order in which they
 * appeared.
 */
void tfs_top_snapshot_sort(struct tfs_top_snapshot *snap, enum tfs_top_column column, bool reverse);

/** tfs_top_snapshot_name() - terminated; lives until rows are taken over again */
const char *tfs_top_snapshot_name(const struct tfs_top_snapshot *snap,
				  const struct tfs_top_line *line);

#endif
