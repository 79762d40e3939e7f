/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_TRIM_H
#define TFS_STACK_TRIM_H

#include <stddef.h>

struct tfs_event_type;

/** tfs_trim_of() - enum tfs_fold_trim of an event's kernel stacks */
unsigned int tfs_trim_of(const struct tfs_event_type *type);

/**
 * tfs_trim_kernel() - how many of the innermost frames are left out
 *
 * The interrupt that is cut off is the innermost: one that it interrupted was at work, for instance
 * with softirqs.
 * @names: of @n frames, innermost first; NULL: unknown
 * @trim: enum tfs_fold_trim
 */
size_t tfs_trim_kernel(const char *const *names, size_t n, unsigned int trim);

#endif
