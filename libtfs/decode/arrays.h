/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_ARRAYS_H
#define TFS_DECODE_ARRAYS_H

#include <stddef.h>

struct tfs_strbuf;

/**
 * enum tfs_array_call - what prints the numbers of an array in a rewritten print format
 * @TFS_ARRAY_PRINT_ARRAY: __print_array()
 * @TFS_ARRAY_PRINT_LIST: __print_list(NAME, n, "conversion"), which tfs_program_compile_print()
 *	knows and which prints them as the kernel prints each
 */
enum tfs_array_call { TFS_ARRAY_PRINT_ARRAY, TFS_ARRAY_PRINT_LIST };

/**
 * tfs_arrays_rewrite() - format of a probe's event with text, or with an array and its length
 * @text: a format file of the kernel's, whose print format was checked (format-check.h)
 * @out: appended to: the same with NAME="%s" in the place of NAME={'%c','%c',...}, and with a
 *	call of @call for an array NAME beside which there is a field NAME_len: of either so many
 *	elements as that says. Pure
 *
 * The kernel prints an argument of type char[N] as N single characters, which libtraceevent cannot;
 * and of an array all elements, of which the variable may have had fewer.
 *
 * Return: 0; -ENOENT, with nothing appended, if it has neither; -ENOMEM.
 */
int tfs_arrays_rewrite(const char *text, size_t size, enum tfs_array_call call,
		       struct tfs_strbuf *out);

/**
 * tfs_arrays_split() - a format in which each string of an array of strings is a field
 * @text: a format file of the kernel's, whose fields were checked (format-check.h)
 * @out: appended to: the same, with N fields "__data_loc char[] NAME" in the place of one
 *	"__data_loc char[][N] NAME", which libtraceevent does not read, nor anything after it. Pure
 *
 * Return: 0; -ENOENT, with nothing appended, if there is none; -ENOMEM.
 */
int tfs_arrays_split(const char *text, size_t size, struct tfs_strbuf *out);

#endif
