/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_UNIT_H
#define TFS_DWARF_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>

struct tfs_debuginfo;

/**
 * struct tfs_units - a walk over all units; {0} to begin. Split units (.dwo) take the place of
 * their skeletons; type units are left out
 */
struct tfs_units {
	Dwarf_CU *cu;
};

/** tfs_units_next() - @unit: DIE of the next; 1, 0 at the end, or a negative errno */
int tfs_units_next(struct tfs_debuginfo *dbg, struct tfs_units *it, Dwarf_Die *unit);

/** tfs_unit_is_bare() - a skeleton, of which the .dwo is not here */
bool tfs_unit_is_bare(Dwarf_Die *unit);

/** tfs_unit_at() - the unit whose code holds an address; 0, -ENOENT or -ENODATA */
int tfs_unit_at(struct tfs_debuginfo *dbg, Dwarf_Addr addr, Dwarf_Die *unit);

#endif
