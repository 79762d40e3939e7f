/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_COLUMNS_H
#define TFS_BASE_COLUMNS_H

#include <stddef.h>

/*
 * The columns of a terminal that text takes: two for most East Asian characters, none for accents
 * that stand on the character before. wcwidth(3) knows, in the locale of the program
 * (setlocale(3)); a character that it does not know counts as one, as does a byte that is not
 * UTF-8. Any thread.
 */

/** tfs_columns() - columns that the @len bytes at @s take */
size_t tfs_columns(const char *s, size_t len);
/** tfs_columns_cut() - bytes at the start of @s, of @len, that take at most @columns columns */
size_t tfs_columns_cut(const char *s, size_t len, size_t columns);

#endif
