/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_PRINT_HELPERS_H
#define TFS_PRINTFMT_PRINT_HELPERS_H

#include <stddef.h>

/**
 * tfs_print_helper() - a function of the kernel whose result follows from its arguments
 *
 * Return: its body, an expression of C of its arguments "a", "b" and "c" and of the constant
 * "BIG" (is the machine big-endian?); NULL: the function of @len characters is not known.
 */
const char *tfs_print_helper(const char *name, size_t len);

#endif
