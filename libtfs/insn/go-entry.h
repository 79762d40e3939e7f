/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_INSN_GO_ENTRY_H
#define TFS_INSN_GO_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dso;
struct tfs_machine;

/**
 * struct tfs_go_code - the code of one Go function
 * @code, @n: all of it
 * @addr: where it begins
 * @is_morestack: is what is called at @callee the runtime's morestack, of any kind?
 */
struct tfs_go_code {
	const struct tfs_machine *machine;
	const uint8_t *code;
	size_t n;
	uint64_t addr;
	bool (*is_morestack)(void *ctx, uint64_t callee);
	void *ctx;
};

/**
 * tfs_go_stack_check() - where a Go function goes on that has enough stack
 * @after: the instruction after its stack check; its first one where it has no such check
 *
 * A function that finds too little stack, or that the scheduler wants to interrupt, calls morestack
 * and then begins again at its first instruction. Up to *@after it has changed registers only that
 * neither hold arguments nor say where they are: what is known at the first instruction is known
 * there. Pure.
 *
 * Return: 0; -EILSEQ if it may begin again and its check is not understood; -EOPNOTSUPP for a
 * machine whose instructions are not known. *@after is the first instruction then.
 */
int tfs_go_stack_check(const struct tfs_go_code *func, uint64_t *after);

/**
 * tfs_go_entry() - tfs_go_stack_check() for the function of @dso that has code at @addr
 * @after: @addr itself if that is not before the end of the check
 *
 * Return: as tfs_go_stack_check(); -ENOMEM. 0 where no function is known.
 */
int tfs_go_entry(struct tfs_dso *dso, uint64_t addr, uint64_t *after);

/** tfs_go_is_morestack() - does runtime.morestack or a variant of it begin at @addr? */
bool tfs_go_is_morestack(struct tfs_dso *dso, uint64_t addr);

#endif
