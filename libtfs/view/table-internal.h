/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_TABLE_INTERNAL_H
#define TFS_VIEW_TABLE_INTERNAL_H

#include "base/idmap.h"
#include "base/strbuf-core.h"
#include "view/table.h"

/* Rows: table-rows.c; their order: table-sort.c; their output: table-print.c. */

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

/** TFS_TABLE_BLOCK - bytes of rows that are allocated at once */
#define TFS_TABLE_BLOCK ((size_t)32 << 10)

/**
 * struct tfs_table - see table.h
 * @cell: opts.n_columns of the last row while @open; of texts the number in @texts
 * @known: a bit for each of them that was set
 * @block: the rows before it, in blocks of TFS_TABLE_BLOCK bytes, of which @used are in use in the
 *	last one; each row begins at @at: the known cells, as numbers of 7 bits a byte, the lowest
 *	first, each byte but the last with the highest bit; before them the bits of @known
 * @row: the row that was read last
 * @texts: texts, each once: its length, the bytes, and a zero. They begin at multiples of 8
 * @key: @n_keys columns to sort by
 */
struct tfs_table {
	struct tfs_table_opts opts;
	uint64_t *cell, known;
	bool open;
	unsigned char **block;
	size_t n_blocks, block_alloc, used;
	uint32_t *at;
	size_t n, at_alloc;
	struct tfs_table_row {
		size_t row;
		uint64_t known, *cell;
	} * row;
	struct tfs_strbuf texts;
	struct tfs_idmap by_text;
	struct tfs_table_key *key;
	size_t n_keys;
	struct tfs_table_note *note;
	size_t n_notes;
};

/** tfs_table_close() - pack the last row; before any is read. 0 or -ENOMEM */
int tfs_table_close(struct tfs_table *t);
/** tfs_table_read() - unpack a row, unless it is the one that was read last */
const struct tfs_table_row *tfs_table_read(const struct tfs_table *t, size_t row);

/** tfs_table_cell() - of a cell that is known */
static inline uint64_t tfs_table_cell(const struct tfs_table *t, size_t row, size_t column)
{
	return tfs_table_read(t, row)->cell[column];
}

static inline bool tfs_table_knows(const struct tfs_table *t, size_t row, size_t column)
{
	return tfs_table_read(t, row)->known >> column & 1;
}

/** tfs_table_text_at() - the text that a cell has the number of; as below */
const char *tfs_table_text_at(const struct tfs_table *t, uint64_t number, size_t *len);
/** tfs_table_text() - of a TEXT or ENCODED cell; a zero follows it; valid until text is added */
const char *tfs_table_text(const struct tfs_table *t, size_t row, size_t column, size_t *len);
/** tfs_table_unit() - what is after the column's heading: "(us)", ""; static */
const char *tfs_table_unit(const struct tfs_table *t, size_t column);
/** tfs_table_sort() - numbers of the rows in order in @row, which has room for all. 0 or -ENOMEM */
int tfs_table_sort(const struct tfs_table *t, uint32_t *row);

#endif
