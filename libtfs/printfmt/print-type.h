/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_PRINT_TYPE_H
#define TFS_PRINTFMT_PRINT_TYPE_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_lex;

/**
 * struct tfs_ctype - a C type, as far as it decides how a value is computed and printed
 * @size: bytes; 0: not known (a structure, void)
 * @is_signed: a number is extended by its sign
 * @is_bool: a cast to it gives 0 or 1
 * @pointers: so many "*"s; @size and the rest are of what the last one points to
 */
struct tfs_ctype {
	unsigned int size;
	bool is_signed, is_bool;
	unsigned int pointers;
};

/**
 * tfs_ctype_parse() - read a type name from @lex, if there is one
 * @long_size: of the recorded kernel, in bytes
 *
 * Knows C's own types, the kernel's fixed-size ones and those that formats cast to; "struct x",
 * "union x" have no size and "enum x" is unsigned int. Return: false with @lex unchanged when what
 * stands there cannot be a type.
 */
bool tfs_ctype_parse(struct tfs_lex *lex, unsigned int long_size, struct tfs_ctype *type);
/** tfs_ctype_is_name() - is this word the name of a type, or part of one? */
bool tfs_ctype_is_name(const char *name, size_t len);

#endif
