/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_VAR_FRAME_H
#define TFS_DWARF_VAR_FRAME_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "dwarf/loc.h"
#include "dwarf/var.h"

/** enum tfs_var_doubt - what may be wrong with a place that is said to be the variable's always */
enum tfs_var_doubt {
	TFS_VAR_SURE,
	TFS_VAR_UNDECLARED, /* its declaration is still to come */
	TFS_VAR_UNWRITTEN,  /* in the frame: it is there only if tfs_var_is_written() finds it so */
	TFS_VAR_EMPTY,      /* its storage is there, and what it is to hold need not be yet */
	TFS_VAR_REUSED,     /* in a register that may be something else's */
};

/** tfs_var_at_entry() - the scope's pc is the entry of its function or inlined copy */
bool tfs_var_at_entry(const struct tfs_scope *scope);

/** tfs_var_optimised() - the compiler optimised the function; true if that is unknown */
bool tfs_var_optimised(const struct tfs_scope *scope);

/**
 * tfs_var_doubt() - whether @loc, of the variable @die, holds it at the scope's pc
 * @line: where it is declared, for TFS_VAR_UNDECLARED; else 0
 */
enum tfs_var_doubt tfs_var_doubt(const struct tfs_scope *scope, Dwarf_Die *die,
				 const struct tfs_loc *loc, int *line);

/** tfs_var_when_die() - tfs_var_when() for one parameter or local */
enum tfs_var_when tfs_var_when_die(const struct tfs_scope *scope, Dwarf_Die *die);

#endif
