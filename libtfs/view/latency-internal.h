/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_LATENCY_INTERNAL_H
#define TFS_VIEW_LATENCY_INTERNAL_H

#include "base/percentiles.h"
#include "view/latency.h"
#include "view/table.h"

/** LATENCY_PERCENTS - percentiles of a row */
#define LATENCY_PERCENTS 5
/** LATENCY_COLUMNS - columns of the table */
#define LATENCY_COLUMNS 22

/**
 * struct latency_row - what has one name
 * @name_id: of the span's name, or its pair; @tid: 0 if the rows are not those of tasks
 * @number: index of the row
 * @comm: name of the task, as it was last; @comm_id: its number
 * @worst: when the longest began, the first of them
 * @open, @unbegun, @cut: so many whose duration is not known
 */
struct latency_row {
	enum tfs_span_kind kind;
	uint32_t input, name_id, number;
	uint32_t comm_id;
	int tid;
	char *name, *comm;
	struct tfs_percentiles p;
	uint64_t worst, open, unbegun, cut;
};

/** struct latency_table - @table of @view, and its @columns as the options want them */
struct latency_table {
	const struct tfs_view *view;
	struct tfs_table_column columns[LATENCY_COLUMNS];
	struct tfs_table *table;
};

void tfs_latency_row_free(struct latency_row *row);

/* view/latency-table.c */

/** tfs_latency_new_table() - free @table->table with tfs_table_free(). As tfs_table_new() */
int tfs_latency_new_table(const struct tfs_latency_opts *opts, struct latency_table *table,
			  struct tfs_err *err);
/** tfs_latency_put_row() - add the row to the table. 0 or -ENOMEM */
int tfs_latency_put_row(struct tfs_table *table, const struct tfs_latency_opts *opts,
			const struct latency_row *row);
/** tfs_latency_put_notes() - how many durations are not known. 0 or -ENOMEM */
int tfs_latency_put_notes(struct tfs_table *table, struct latency_row *const *rows, size_t n);

#endif
