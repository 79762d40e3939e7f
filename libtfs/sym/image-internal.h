/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_SYM_IMAGE_INTERNAL_H
#define TFS_SYM_IMAGE_INTERNAL_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <libelf.h>

struct tfs_err;
struct tfs_image;

/** struct tfs_die - what sym/func.h calls a scope; @pc is the address it was looked up for */
struct tfs_die {
	Dwarf_Die die;
	Dwarf_Addr pc;
};

/**
 * tfs_image_dwarf() - debug information, NULL if there is none
 *
 * Addresses in it are the image's own: debug information of which that is not so is not taken.
 */
Dwarf *tfs_image_dwarf(struct tfs_image *img);
/** tfs_image_dwfl() - the module, whose main file has the CFI (dwfl_module_eh_cfi()) */
Dwfl_Module *tfs_image_dwfl(struct tfs_image *img);
Elf *tfs_image_elf(struct tfs_image *img);

/**
 * struct tfs_units - a walk over all units; {0} to begin. Split units (.dwo) take the place of
 * their skeletons; type units are left out
 */
struct tfs_units {
	Dwarf_CU *cu;
};

/** tfs_units_next() - @unit: DIE of the next; 1, 0 at the end, or a negative errno */
int tfs_units_next(struct tfs_image *img, struct tfs_units *it, Dwarf_Die *unit);

/** tfs_unit_at() - the unit whose code holds an address; 0, -ENOENT or -ENODATA */
int tfs_unit_at(struct tfs_image *img, Dwarf_Addr addr, Dwarf_Die *unit);

/**
 * tfs_scopes_at() - the scopes that hold an address, innermost first, up to the unit
 * @func: DIE of the function (DW_TAG_subprogram); its chain of blocks and inlined copies
 * @out: yours, free(); copies and blocks, then @func's own DIE
 *
 * Return: how many, or a negative errno.
 */
int tfs_scopes_at(Dwarf_Die *unit, Dwarf_Addr addr, Dwarf_Die **out);

/** tfs_die_entry() - entry of a function or copy, also where it has only ranges; 0 or -ENOENT */
int tfs_die_entry(Dwarf_Die *die, Dwarf_Addr *entry);

#endif
