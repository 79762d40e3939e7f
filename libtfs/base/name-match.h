/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_NAME_MATCH_H
#define TFS_BASE_NAME_MATCH_H

#include <stdbool.h>

/* Names of functions that people take for one another. Pure. */

/**
 * tfs_func_same_name() - do two names differ in nothing but leading underscores, the prefix that an
 * architecture puts before its system calls (__x64_), and what a compiler appends (.isra.0)?
 */
bool tfs_func_same_name(const char *a, const char *b);

/** tfs_func_is_part() - is it a part that a compiler split off (.cold, .part.N)? */
bool tfs_func_is_part(const char *name);

#endif
