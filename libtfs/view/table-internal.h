/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_TABLE_INTERNAL_H
#define TFS_VIEW_TABLE_INTERNAL_H

#include "base/strbuf.h"
#include "view/table.h"

/* Rows and their order: table.c; their output: table-print.c. */

/** struct tfs_table_key - a column to sort by; @down: the largest first */
struct tfs_table_key {
	size_t column;
	bool down;
};

/** struct tfs_table_note - see tfs_table_note() */
struct tfs_table_note {
	char *key, *text;
	uint64_t n;
	bool unknown; /* JSON: null instead of @n */
};

/** struct tfs_table_text - before a text: its length, and the number that an ENCODED one is */
struct tfs_table_text {
	uint64_t number; /* without its sign */
	size_t len;
	bool is_number, negative;
};

/**
 * struct tfs_table - see table.h
 * @cell: opts.n_columns of each row; of texts the offset in @texts, of a struct tfs_table_text
 * @known: of each row a bit for each cell that was set
 * @key: @n_keys columns to sort by
 */
struct tfs_table {
	struct tfs_table_opts opts;
	uint64_t *cell, *known;
	size_t n, cell_alloc, known_alloc;
	struct tfs_strbuf texts;
	struct tfs_table_key *key;
	size_t n_keys;
	struct tfs_table_note *note;
	size_t n_notes;
};

static inline uint64_t tfs_table_cell(const struct tfs_table *t, size_t row, size_t column)
{
	return t->cell[row * t->opts.n_columns + column];
}

static inline bool tfs_table_knows(const struct tfs_table *t, size_t row, size_t column)
{
	return t->known[row] >> column & 1;
}

/** tfs_table_text() - of a TEXT or ENCODED cell; a zero follows it; valid until text is added */
const char *tfs_table_text(const struct tfs_table *t, size_t row, size_t column, size_t *len);
/** tfs_table_sort() - numbers of the rows in order in @row, which has room for all */
void tfs_table_sort(const struct tfs_table *t, size_t *row);

#endif
