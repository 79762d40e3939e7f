/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_GOPCLNTAB_H
#define TFS_DSO_GOPCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct tfs_gopclntab - Go's own table of functions, which the runtime needs and strip leaves
 * @data: borrowed
 * @text: what entries count from, 0 if they are addresses
 *
 * @form: the magic number: that of Go 1.2, 1.16, 1.18 or 1.20 (debug/gosym/pclntab.go of Go)
 * @quantum: bytes that addresses in the tables of values are counted in
 * @units, @files, @values: offsets of the file numbers of each package, of the names of files, and
 *	of the tables of values; @units is 0 in the oldest form, whose files are numbered as a whole
 */
struct tfs_gopclntab {
	const uint8_t *data;
	size_t size;
	bool big;
	uint32_t form;
	unsigned int quantum;
	unsigned int ptr_size;
	unsigned int entry_size;
	size_t n;
	uint64_t text;
	size_t text_at;
	size_t names;
	size_t functions;
	size_t units;
	size_t files;
	size_t values;
};

/** struct tfs_go_func - a function; @name is borrowed from the table, @end that of its code */
struct tfs_go_func {
	const char *name;
	uint64_t entry;
	uint64_t end;
};

/**
 * tfs_gopclntab_open() - read the header
 * @data: hostile
 * @big: bytes are in big-endian order
 *
 * @out->text_at is where in @data the beginning of the code is said, 0 if it is not: in a program
 * that is relocated the file may have 0 there, and @out->text is to be corrected. Pure.
 *
 * Return: 0, -EBADMSG if it is not such a table, or its form is unknown.
 */
int tfs_gopclntab_open(const uint8_t *data, size_t size, bool big, struct tfs_gopclntab *out);

/**
 * tfs_gopclntab_func() - function @i of @t->n
 * Return: 0, -EBADMSG if what it says cannot be.
 */
int tfs_gopclntab_func(const struct tfs_gopclntab *t, size_t i, struct tfs_go_func *out);

/** tfs_gopclntab_first_line() - the line that declares function @i; 0 if the form does not say */
unsigned int tfs_gopclntab_first_line(const struct tfs_gopclntab *t, size_t i);

/**
 * struct tfs_go_row - consecutive instructions of one line
 * @file: borrowed from the table
 * @copy: -1 for the function's own code, otherwise the number of the inlined copy it belongs to; a
 *	copy within another one has the higher number. Always -1 in the oldest form
 */
struct tfs_go_row {
	uint64_t from;
	uint64_t to;
	const char *file;
	unsigned int line;
	int32_t copy;
};

/** struct tfs_go_value - one table of values while it is read: @value is valid below @end */
struct tfs_go_value {
	size_t at;
	uint64_t end;
	int32_t value;
	bool known;
};

/** struct tfs_go_rows - the rows of a function; private */
struct tfs_go_rows {
	const struct tfs_gopclntab *t;
	uint64_t unit;
	uint64_t pc;
	uint64_t end;
	struct tfs_go_value file;
	struct tfs_go_value line;
	struct tfs_go_value copy;
};

/**
 * tfs_gopclntab_rows() - begin to read the lines of function @i
 * Return: 0, -EBADMSG if what it says cannot be.
 */
int tfs_gopclntab_rows(const struct tfs_gopclntab *t, size_t i, struct tfs_go_rows *out);

/**
 * tfs_gopclntab_next() - the next row, by address; each has at least one byte of code
 * Return: 1, 0 after the last one or where the table is damaged.
 */
int tfs_gopclntab_next(struct tfs_go_rows *rows, struct tfs_go_row *out);

#endif
