/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_INSN_CONTROL_FLOW_H
#define TFS_INSN_CONTROL_FLOW_H

#include <elfutils/libdw.h>
#include <stdint.h>

struct tfs_dso;

/** struct tfs_basic_block - straight-line code: control enters it at @begin only */
struct tfs_basic_block {
	uint64_t begin;
	uint64_t end;
};

/**
 * tfs_basic_block_at() - the straight-line code around an address
 * @func: the function that holds @addr, not an inlined copy
 *
 * Calls end it, too: what comes after one may never be reached.
 *
 * Return: 0; -ENOENT if it is not known where control may arrive; -ENOMEM.
 */
int tfs_basic_block_at(struct tfs_dso *dso, Dwarf_Die *func, uint64_t addr,
		       struct tfs_basic_block *block);

#endif
