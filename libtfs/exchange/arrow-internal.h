/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_ARROW_INTERNAL_H
#define TFS_EXCHANGE_ARROW_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "base/strbuf-core.h"
#include "exchange/arrow-ipc.h"

struct tfs_codec;

/* A table: arrow-columns.c fills it, arrow-ipc.c writes it. */

/**
 * struct tfs_arrow_dict - the texts of a column
 * @map: of indices plus one, as pointers, by text as it was given
 * @raw, @raw_end: the texts as given, one after the other, and where each ends
 * @text, @text_end: the same as UTF-8
 * @n: texts
 * @alloc_raw, @alloc_text: room of the arrays
 * @written: how many the stream has
 * @begun: the stream has a batch of this dictionary; false: the next one replaces what it had
 */
struct tfs_arrow_dict {
	struct tfs_hashmap map;
	struct tfs_strbuf raw, text;
	size_t *raw_end, *text_end;
	size_t alloc_raw, alloc_text;
	size_t n, written;
	bool begun;
};

/**
 * struct tfs_arrow_column - the cells of a column
 * @valid: a bit a row; empty: all rows so far have a value. @nulls: rows without
 * @offsets: of texts, bytes and lists: where the cells begin, and the last ends: int32_t
 * @data: numbers, bytes, elements of lists, or indices of @dict: int32_t
 */
struct tfs_arrow_column {
	struct tfs_arrow_field field;
	struct tfs_strbuf valid, offsets, data;
	size_t nulls;
	struct tfs_arrow_dict *dict;
};

/** struct tfs_arrow - see arrow-ipc.h */
struct tfs_arrow {
	struct tfs_arrow_column *columns;
	size_t n;
	size_t rows;
};

/**
 * struct tfs_arrow_writer - see arrow-ipc.h
 * @body: of the message that is being written; @offsets: of a dictionary
 */
struct tfs_arrow_writer {
	struct tfs_codec *codec; /* NULL: not compressed */
	struct tfs_strbuf body, offsets;
};

/** tfs_arrow_has_offsets() - do its cells have different sizes? */
static inline bool tfs_arrow_has_offsets(const struct tfs_arrow_field *f)
{
	return f->list || f->kind == TFS_ARROW_TEXT || f->kind == TFS_ARROW_BINARY;
}

/** tfs_arrow_dict_free() - takes NULL */
void tfs_arrow_dict_free(struct tfs_arrow_dict *d);
/** tfs_arrow_empty() - all rows are written; 0 or -ENOMEM */
int tfs_arrow_empty(struct tfs_arrow *a);

#endif
