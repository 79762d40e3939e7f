/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether a function still returns the value that its source returns: optimisers that see all
 * callers drop a value that none of them uses (gcc's IPA-SRA, LLVM's dead argument elimination),
 * and the debug information does not show it.
 */

#include "dwarf/var.h"

#include <dwarf.h>
#include <string.h>

#include "dso/arch/machine.h"
#include "dso/symbol.h"
#include "dwarf/basic-block.h"
#include "dwarf/loc.h"
#include "dwarf/type.h"
#include "dwarf/var-frame.h"
#include "insn/control-flow.h"
#include "insn/insn.h"

/* DWARF's numbers of x86's rax, in which numbers and pointers are returned, and of rdx, which has
 * what does not fit */
#define REG_AX 0
#define REG_DX 1

static bool is_x86(const struct tfs_scope *scope)
{
	return tfs_machine_arg(scope->machine, 0) && tfs_machine_reg(scope->machine, REG_AX) &&
	       !strcmp(tfs_machine_reg(scope->machine, REG_AX), "ax");
}

/* gcc says in the symbol what it did; LLVM says nothing, and may do it to what is local. */
static bool may_have_changed(const struct tfs_scope *scope, Dwarf_Die *owner)
{
	const struct tfs_symbol *sym = tfs_symbol_at(scope->dso, scope->entry);
	const char *name = sym && sym->addr == scope->entry ? sym->name : NULL;
	const char *producer;
	Dwarf_Attribute attr;
	Dwarf_Die unit;

	if (name && (strstr(name, ".isra") || strstr(name, ".part.")))
		return true;
	if (!dwarf_diecu(owner, &unit, NULL, NULL))
		return false;
	producer = dwarf_formstring(dwarf_attr_integrate(&unit, DW_AT_producer, &attr));
	if (!producer || (!strstr(producer, "clang") && !strstr(producer, "rustc")))
		return false;
	return tfs_var_optimised(scope) &&
	       ((name && sym->local) || !dwarf_hasattr_integrate(owner, DW_AT_external));
}

/* The registers of a result, as bits: LLVM drops the members of a struct one by one. */
static uint32_t result_registers(const struct tfs_scope *scope)
{
	Dwarf_Die func = scope->func;
	uint64_t word = scope->machine->bits / 8, size;
	struct tfs_type type;

	if (!tfs_type_of(scope, &func, &type) && type.class == TFS_TYPE_STRUCT &&
	    !tfs_type_size(scope, &type, &size) && size > word && size <= 2 * word)
		return 1U << REG_AX | 1U << REG_DX;
	return 1U << REG_AX;
}

/* An instruction that only makes something the result: nobody would do so for nothing. */
static uint32_t sets_result(const struct tfs_insn *insn, uint32_t result)
{
	if (insn->kind != TFS_INSN_OTHER || !insn->effects || insn->changes == TFS_INSN_ANY_REG ||
	    insn->mem.access & TFS_INSN_WRITES)
		return 0;
	return insn->changes & result;
}

/* Instructions of the epilogue: pop, leave, an addition to the stack pointer. */
static bool leaves_frame(const struct tfs_scope *scope, const struct tfs_insn *insn,
			 uint32_t result)
{
	return insn->kind == TFS_INSN_OTHER && insn->effects &&
	       insn->changes & 1U << scope->machine->sp && !(insn->changes & result) &&
	       !(insn->mem.access & TFS_INSN_WRITES);
}

/* The straight-line code that ends at a return sets the result last. */
static bool is_set_before(const struct tfs_scope *scope, Dwarf_Die *owner, uint64_t ret)
{
	uint32_t result = result_registers(scope), set = 0;
	struct tfs_insn_walk walk;
	struct tfs_basic_block block;
	struct tfs_insn insn;
	uint64_t addr;

	if (tfs_basic_block_at(scope->dbg, owner, ret, &block) ||
	    tfs_insn_walk(scope->dso, block.begin, ret, &walk))
		return false;
	while (tfs_insn_next(&walk, &addr, &insn) > 0) {
		uint32_t now = sets_result(&insn, result);

		if (now)
			set |= now;
		else if (!leaves_frame(scope, &insn, result))
			set = 0;
	}
	return set == result && walk.addr == ret;
}

/* struct seen - @sure: each return sets the result; @touched: the result's register may be set */
struct seen {
	bool sure, touched;
};

static void see(const struct tfs_scope *scope, Dwarf_Die *owner, const struct tfs_insn *insn,
		uint64_t addr, struct seen *seen)
{
	if (insn->kind == TFS_INSN_RET)
		seen->sure = seen->sure && is_set_before(scope, owner, addr);
	/* what is called, or jumped to, may be what returns something */
	seen->touched |=
		insn->kind == TFS_INSN_CALL ||
		(insn->kind == TFS_INSN_OTHER && (!insn->effects || insn->changes & 1U << REG_AX));
	if (insn->kind == TFS_INSN_JUMP &&
	    (!insn->has_target || dwarf_haspc(owner, insn->target) <= 0))
		*seen = (struct seen){ .touched = true };
}

enum tfs_returned tfs_var_returned(const struct tfs_scope *scope)
{
	struct seen seen = { .sure = true };
	Dwarf_Addr base, from, to;
	Dwarf_Die owner;
	ptrdiff_t at = 0;

	if (!scope->dso || scope->go_return || tfs_loc_frame_owner(scope, &owner) ||
	    !may_have_changed(scope, &owner))
		return TFS_RETURNED_SURE;
	if (!is_x86(scope))
		return TFS_RETURNED_PERHAPS;
	while ((at = dwarf_ranges(&owner, at, &base, &from, &to)) > 0) {
		struct tfs_insn_walk walk;
		struct tfs_insn insn;
		uint64_t addr;

		if (tfs_insn_walk(scope->dso, from, to, &walk))
			return TFS_RETURNED_PERHAPS;
		while (tfs_insn_next(&walk, &addr, &insn) > 0)
			see(scope, &owner, &insn, addr, &seen);
		if (walk.addr != to)
			return TFS_RETURNED_PERHAPS;
	}
	if (at < 0)
		return TFS_RETURNED_PERHAPS;
	if (!seen.touched)
		return TFS_RETURNED_NOT;
	return seen.sure ? TFS_RETURNED_SURE : TFS_RETURNED_PERHAPS;
}
