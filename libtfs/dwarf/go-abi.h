/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_GO_ABI_H
#define TFS_DWARF_GO_ABI_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "dwarf/loc.h"
#include "dwarf/scope.h"
#include "dwarf/type.h"

/* How Go's compiler passes values (its ABIInternal), and where its debug information misleads. */

/** tfs_go_is() - is a DIE of a unit that Go's compiler wrote? */
bool tfs_go_is(Dwarf_Die *die);

/**
 * tfs_go_locate_pieces() - put the parts of a variable where its members are
 * @loc: any; what is not in parts stays
 *
 * The compiler lists the parts one after the other, without the padding between the members.
 */
void tfs_go_locate_pieces(const struct tfs_scope *scope, const struct tfs_type *type,
			  struct tfs_loc *loc);

/** struct tfs_go_result - what a function returns: one of several */
struct tfs_go_result {
	Dwarf_Die die;
	struct tfs_loc loc;
};

#define TFS_GO_RESULTS_MAX 16

/**
 * tfs_go_results() - where the results of the scope's function are when it returns
 * @out: TFS_GO_RESULTS_MAX of them; release the location of each
 *
 * Return: how many; -EOPNOTSUPP if the function was compiled by another compiler, for a machine
 * whose registers are not known here, or by a Go that returned on the stack (before 1.17); -E2BIG;
 * -ENOMEM.
 */
int tfs_go_results(const struct tfs_scope *scope, struct tfs_go_result *out);

#endif
