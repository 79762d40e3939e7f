/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_DEMANGLE_H
#define TFS_DSO_DEMANGLE_H

#include <stdbool.h>

/**
 * TFS_DEMANGLE_MAX - a name has so many bytes at most
 *
 * A few characters of a symbol can stand for a name of any length: they refer to what was before.
 */
#define TFS_DEMANGLE_MAX (1 << 16)

enum tfs_demangle_flags {
	TFS_DEMANGLE_PARAMS = 1 << 0, /* with the types of the parameters (C++) */
};

/**
 * tfs_demangle() - the name in the source of a symbol: C++ (Itanium's scheme) and Rust (both
 * of its schemes)
 * @symbol: a compiler's suffix (.cold, .constprop.0) is left out
 * @flags: enum tfs_demangle_flags
 *
 * Symbols come out of files that nobody vouches for: one that is very long, or whose name would be
 * longer than TFS_DEMANGLE_MAX, is left as it is.
 *
 * Return: yours, free(); NULL with errno 0 if it is not mangled or damaged, with ENOMEM if memory
 * ran out.
 */
char *tfs_demangle(const char *symbol, unsigned int flags);

/** tfs_demangle_is_mangled() - may the symbol be a mangled one? */
bool tfs_demangle_is_mangled(const char *symbol);

/** tfs_demangle_is_built_in() - false if tfs_demangle() is always NULL, for want of libiberty */
bool tfs_demangle_is_built_in(void);

#endif
