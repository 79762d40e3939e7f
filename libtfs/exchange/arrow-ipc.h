/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_ARROW_IPC_H
#define TFS_EXCHANGE_ARROW_IPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_strbuf;

/*
 * One table as a stream of Apache Arrow's IPC format, metadata version 5:
 * https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format
 */

/**
 * enum tfs_arrow_kind - type of a column
 * @TFS_ARROW_UINT, @TFS_ARROW_INT: integers of 1, 2, 4 or 8 bytes
 * @TFS_ARROW_FLOAT: IEEE 754 numbers of 4 or 8 bytes
 * @TFS_ARROW_TEXT: UTF-8
 * @TFS_ARROW_NAME: UTF-8 from a dictionary: few different texts
 * @TFS_ARROW_BINARY: bytes
 */
enum tfs_arrow_kind {
	TFS_ARROW_UINT,
	TFS_ARROW_INT,
	TFS_ARROW_FLOAT,
	TFS_ARROW_TEXT,
	TFS_ARROW_NAME,
	TFS_ARROW_BINARY,
};

/**
 * struct tfs_arrow_field - a column
 * @name, @len: any bytes; borrowed while the table lives
 * @bytes: of a number
 * @list: of numbers: each cell has any number of them
 * @required: no cell is null
 */
struct tfs_arrow_field {
	const char *name;
	size_t len;
	enum tfs_arrow_kind kind;
	unsigned int bytes;
	bool list, required;
};

/**
 * enum tfs_arrow_flags - how tables are written
 * @TFS_ARROW_ZSTD: buffers of rows are compressed, where that makes them smaller. Ignored if zstd
 *	is not built in
 */
enum tfs_arrow_flags { TFS_ARROW_ZSTD = 1 << 0 };

/** struct tfs_arrow_writer - working memory for writing tables; one thread at a time */
struct tfs_arrow_writer;

/** tfs_arrow_writer_new() - @flags: enum tfs_arrow_flags; 0 or -ENOMEM */
int tfs_arrow_writer_new(unsigned int flags, struct tfs_arrow_writer **out);
/** tfs_arrow_writer_free() - takes NULL */
void tfs_arrow_writer_free(struct tfs_arrow_writer *w);

/**
 * struct tfs_arrow - rows that are not written yet, and the dictionaries
 *
 * Give every column one cell, in any order, then call tfs_arrow_end_row().
 * All functions that return an int return 0 or -ENOMEM, after which the table can only be freed.
 * One thread at a time.
 */
struct tfs_arrow;

/** tfs_arrow_new() - a table with these @n columns; release with tfs_arrow_free() */
int tfs_arrow_new(const struct tfs_arrow_field *fields, size_t n, struct tfs_arrow **out);
/** tfs_arrow_free() - takes NULL */
void tfs_arrow_free(struct tfs_arrow *a);

int tfs_arrow_null(struct tfs_arrow *a, size_t column);
/** tfs_arrow_number() - an integer, or the bits of a FLOAT, of which the column's bytes count */
int tfs_arrow_number(struct tfs_arrow *a, size_t column, uint64_t n);
/** tfs_arrow_element() - one more element of a list, which tfs_arrow_end_list() ends */
int tfs_arrow_element(struct tfs_arrow *a, size_t column, uint64_t n);
int tfs_arrow_end_list(struct tfs_arrow *a, size_t column);
/** tfs_arrow_utf8() - text that is valid UTF-8, or bytes of a BINARY */
int tfs_arrow_utf8(struct tfs_arrow *a, size_t column, const void *s, size_t len);
/** tfs_arrow_text() - any bytes as text: see tfs_utf8_escape() */
int tfs_arrow_text(struct tfs_arrow *a, size_t column, const void *s, size_t len);
/**
 * tfs_arrow_name() - the same in a column with a dictionary
 * @hint: a guess of the text's index, set to the right one; any value is allowed
 */
int tfs_arrow_name(struct tfs_arrow *a, size_t column, const void *s, size_t len, uint32_t *hint);
void tfs_arrow_end_row(struct tfs_arrow *a);

/** tfs_arrow_rows(), tfs_arrow_bytes() - of what is not written yet */
size_t tfs_arrow_rows(const struct tfs_arrow *a);
size_t tfs_arrow_bytes(const struct tfs_arrow *a);

/** tfs_arrow_schema() - append the beginning of the stream to @out */
int tfs_arrow_schema(struct tfs_arrow *a, struct tfs_strbuf *out);
/** tfs_arrow_batch() - append a batch of all rows so far, and new entries of dictionaries */
int tfs_arrow_batch(struct tfs_arrow *a, struct tfs_arrow_writer *w, struct tfs_strbuf *out);
/** tfs_arrow_shrink() - give memory of rows back; there must be none that is not written */
int tfs_arrow_shrink(struct tfs_arrow *a);
/** tfs_arrow_end() - append the end mark */
int tfs_arrow_end(struct tfs_strbuf *out);

#endif
