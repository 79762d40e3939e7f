/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_SYM_GOPCLNTAB_H
#define TFS_SYM_GOPCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct tfs_gopclntab - Go's own table of functions, which the runtime needs and strip leaves
 * @data: borrowed
 * @text: what entries count from, 0 if they are addresses
 *
 * Its form is that of Go 1.2, 1.16, 1.18 or 1.20 (debug/gosym/pclntab.go of Go).
 */
struct tfs_gopclntab {
	const uint8_t *data;
	size_t size;
	bool big;
	unsigned int ptr_size;
	unsigned int entry_size;
	size_t n;
	uint64_t text;
	size_t text_at;
	size_t names;
	size_t functions;
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
 * Return: 0, -EBADMSG if it is no such table, or one of a form that is not known.
 */
int tfs_gopclntab_open(const uint8_t *data, size_t size, bool big, struct tfs_gopclntab *out);

/**
 * tfs_gopclntab_func() - function @i of @t->n
 * Return: 0, -EBADMSG if what it says cannot be.
 */
int tfs_gopclntab_func(const struct tfs_gopclntab *t, size_t i, struct tfs_go_func *out);

#endif
