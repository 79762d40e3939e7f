/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_INSN_CONTROL_FLOW_H
#define TFS_INSN_CONTROL_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dso;

/** struct tfs_basic_block - straight-line code: control enters it at @begin only */
struct tfs_basic_block {
	uint64_t begin;
	uint64_t end;
};

/**
 * struct tfs_control_flow - where control can arrive in a function; release it
 * @leader: addresses: where the function's ranges begin and end, where a branch goes, what follows
 *	an instruction that may go elsewhere; ascending after tfs_control_flow_finish()
 * @left: bytes that further ranges may have; what claims to be larger is damaged
 * @known: false if control may arrive elsewhere as well: a jump through a table, code that is not
 *	understood
 */
struct tfs_control_flow {
	uint64_t *leader;
	size_t n;
	size_t cap;
	uint64_t left;
	bool known;
};

/** tfs_control_flow_begin() - begin with another function; @flow is zeroed, or was used before */
void tfs_control_flow_begin(struct tfs_control_flow *flow, const struct tfs_dso *dso);
/** tfs_control_flow_add() - add one range of its code; 0 or -ENOMEM */
int tfs_control_flow_add(struct tfs_control_flow *flow, const struct tfs_dso *dso, uint64_t from,
			 uint64_t to);
/** tfs_control_flow_finish() - all ranges were added */
void tfs_control_flow_finish(struct tfs_control_flow *flow);

/**
 * tfs_control_flow_block() - the basic block that holds an address
 *
 * Calls end a block, too: the instruction after one may never be reached.
 *
 * Return: 0; -ENOENT if it is not known where control may arrive.
 */
int tfs_control_flow_block(const struct tfs_control_flow *flow, uint64_t addr,
			   struct tfs_basic_block *block);
void tfs_control_flow_release(struct tfs_control_flow *flow);

#endif
