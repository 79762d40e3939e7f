/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_VAR_LOOKUP_H
#define TFS_DWARF_VAR_LOOKUP_H

#include "dwarf/var-find.h"

/**
 * tfs_var_lookup() - as tfs_var_find(), outside of the function
 * Return: 0, -ENOENT, -EINVAL, -ENOMEM.
 */
int tfs_var_lookup(const struct tfs_scope *scope, const char *name, Dwarf_Die *out,
		   enum tfs_found *where, struct tfs_refusing *r);

#endif
