/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_BASIC_BLOCK_H
#define TFS_DWARF_BASIC_BLOCK_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "insn/control-flow.h"

struct tfs_debuginfo;
struct tfs_flow_graph;

/**
 * tfs_basic_block_at() - the basic block around an address
 * @func: the function that holds @addr, not an inlined copy
 *
 * Return: 0; -ENOENT if it is not known where control may arrive; -ENOMEM.
 */
int tfs_basic_block_at(struct tfs_debuginfo *dbg, Dwarf_Die *func, uint64_t addr,
		       struct tfs_basic_block *block);

/**
 * tfs_func_graph() - the control flow graph of a function, see tfs_flow_graph_build()
 * @func: an out-of-line one; @entry: where it is entered
 * @cut, @n: addresses of instructions at which nodes are to begin as well; sorted or not
 */
int tfs_func_graph(struct tfs_debuginfo *dbg, Dwarf_Die *func, uint64_t entry, const uint64_t *cut,
		   size_t n, struct tfs_flow_graph *out);

#endif
