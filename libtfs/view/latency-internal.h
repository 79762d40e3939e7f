/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_LATENCY_INTERNAL_H
#define TFS_VIEW_LATENCY_INTERNAL_H

#include "base/percentiles.h"
#include "base/pool.h"
#include "view/latency.h"
#include "view/table.h"

/** LATENCY_PERCENTS - percentiles of a row */
#define LATENCY_PERCENTS 5
/** LATENCY_COLUMNS - columns of the table */
#define LATENCY_COLUMNS 22

/** struct latency_unknown - of the row with that number: spans whose duration is not known */
struct latency_unknown {
	uint32_t row, open, unbegun, cut;
};

/**
 * struct latency_row - what has one name; tasks may have a million of them, or two
 * @kind: enum tfs_span_kind
 * @several: it has two durations or more, whose @p are; else @one: it has one, @value
 * @unknown: it has a struct latency_unknown
 * @name_id: of the span's name, or its pair; @tid: 0 if the rows are not those of tasks
 * @comm_id: of the name of the task, as it was last
 * @worst: when the longest began, the first of them
 */
struct latency_row {
	uint32_t kind : 4, several : 1, one : 1, unknown : 1, input : 25;
	uint32_t name_id, comm_id;
	int tid;
	uint64_t worst;
	union {
		uint64_t value;
		struct tfs_percentiles *p;
	};
};

/** tfs_latency_count() - durations of a row */
static inline uint64_t tfs_latency_count(const struct latency_row *row)
{
	return row->several ? row->p->h.stats.n : row->one;
}

/** struct latency_table - @table of @view, and its @columns as the options want them */
struct latency_table {
	const struct tfs_view *view;
	struct tfs_table_column columns[LATENCY_COLUMNS];
	struct tfs_table *table;
};

/** tfs_latency_row_release() - what the row has allocated */
void tfs_latency_row_release(struct latency_row *row);

/* view/latency-table.c */

/** tfs_latency_new_table() - free @table->table with tfs_table_free(). As tfs_table_new() */
int tfs_latency_new_table(const struct tfs_latency_opts *opts, struct latency_table *table,
			  struct tfs_err *err);
/**
 * tfs_latency_put_row() - add the row to the table
 * @spans: has its names
 * @unknown: of the row; NULL: none
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_latency_put_row(struct tfs_table *table, const struct tfs_latency_opts *opts,
			const struct tfs_spans *spans, const struct latency_row *row,
			const struct latency_unknown *unknown);
/**
 * tfs_latency_put_notes() - how many durations are not known
 * @unknown: struct latency_unknown of all rows
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_latency_put_notes(struct tfs_table *table, const struct tfs_pool *unknown);

#endif
