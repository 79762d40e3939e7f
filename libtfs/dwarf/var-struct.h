/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_VAR_STRUCT_H
#define TFS_DWARF_VAR_STRUCT_H

#include <stdint.h>

#include "dwarf/loc.h"
#include "dwarf/type.h"

/**
 * tfs_var_locate_struct() - where a struct is that a function has returned
 * @size: of @type
 * @loc: always set, release with tfs_loc_release(); TFS_LOC_NONE if it is not known
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_var_locate_struct(const struct tfs_scope *scope, const struct tfs_type *type, uint64_t size,
			  struct tfs_loc *loc);

#endif
