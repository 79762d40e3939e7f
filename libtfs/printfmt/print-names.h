/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_PRINT_NAMES_H
#define TFS_PRINTFMT_PRINT_NAMES_H

#include <stddef.h>

/** tfs_print_name_func() - take @len characters at @name; nonzero ends the walk */
typedef int tfs_print_name_func(void *context, const char *name, size_t len);

/**
 * tfs_print_names() - the constants that an event's print format leaves as names
 * @format: contents of the event's format file, @size bytes; may be any bytes
 * @found: called for each, in order, as often as it occurs
 *
 * Identifiers that are neither fields, functions nor types known here: enumerators, macros, kernel
 * variables. "HZ" is among them where the format calls jiffies_to_msecs() or its kin, which cannot
 * be computed without. Pure. Return: 0 or what @found returned.
 */
int tfs_print_names(const char *format, size_t size, tfs_print_name_func *found, void *context);

#endif
