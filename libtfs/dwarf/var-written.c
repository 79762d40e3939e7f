/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/var-written.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "dwarf/basic-block.h"
#include "dwarf/loc.h"
#include "dwarf/var-frame.h"
#include "insn/control-flow.h"
#include "insn/insn.h"

/* Bytes of a variable that are kept account of. */
#define BYTES_MAX 512
/* Bytes assumed read by an instruction of unknown width. */
#define READ_MAX 64

bool tfs_scope_block(const struct tfs_scope *scope, struct tfs_basic_block *block)
{
	Dwarf_Die owner;

	return scope->dso && tfs_loc_frame_owner(scope, &owner) == 0 &&
	       tfs_basic_block_at(scope->dbg, &owner, scope->pc, block) == 0 &&
	       block->begin <= scope->pc && scope->pc < block->end;
}

struct account {
	unsigned int reg;
	int64_t from;
	uint64_t len;
	bool written[BYTES_MAX];
};

/* No instruction has room for a place further away, whatever debug information says. */
static bool is_in_reach(unsigned int reg, int64_t from, uint64_t len)
{
	return reg < 32 && from >= -INT32_MAX && from <= INT32_MAX && len && len <= INT32_MAX;
}

static bool overlaps(const struct account *a, const struct tfs_insn_mem *mem, uint64_t width)
{
	return mem->disp < a->from + (int64_t)a->len && a->from < mem->disp + (int64_t)width;
}

/* The operand is a fixed place in the frame. */
static bool in_frame(const struct account *a, const struct tfs_insn_mem *mem)
{
	return mem->base == (int)a->reg && mem->index < 0;
}

static void forget(struct account *a)
{
	memset(a->written, 0, sizeof(a->written));
}

static void note_write(struct account *a, const struct tfs_insn_mem *mem)
{
	uint64_t i;

	for (i = 0; i < a->len; i++) {
		int64_t at = a->from + (int64_t)i;

		if (at >= mem->disp && at < mem->disp + (int64_t)mem->width)
			a->written[i] = true;
	}
}

/*
 * A read means that an earlier write was for another variable, or for an earlier use: variables
 * whose lifetimes do not overlap may share a slot. A read through a pointer may read it as well.
 */
static bool may_read(const struct account *a, const struct tfs_insn_mem *mem)
{
	if (!(mem->access & TFS_INSN_READS) || mem->absolute)
		return false;
	return !in_frame(a, mem) || overlaps(a, mem, mem->width ? mem->width : READ_MAX);
}

static void before(struct account *a, const struct tfs_insn *insn)
{
	const struct tfs_insn_mem *mem = &insn->mem;
	bool writes = mem->access & TFS_INSN_WRITES;
	/* a string, or a state: anywhere */
	bool anywhere = writes && !in_frame(a, mem) && !mem->width && !mem->absolute;

	if (!insn->effects || insn->changes & 1U << a->reg || may_read(a, mem) || anywhere)
		forget(a);
	else if (writes && in_frame(a, mem))
		note_write(a, mem);
}

/*
 * 1: it is written again; 0: it is not; -1: go on. Reads through a pointer do not count: a spilt
 * variable has no address.
 */
static int after(const struct account *a, const struct tfs_insn *insn)
{
	const struct tfs_insn_mem *mem = &insn->mem;

	if (!insn->effects || insn->changes & 1U << a->reg ||
	    (in_frame(a, mem) && may_read(a, mem)))
		return 0;
	if (!(mem->access & TFS_INSN_WRITES) || mem->absolute)
		return -1;
	if (in_frame(a, mem))
		return overlaps(a, mem, mem->width ? mem->width : READ_MAX) ? 1 : -1;
	return mem->width ? -1 : 1;
}

static bool all_written(const struct account *a)
{
	uint64_t i;

	for (i = 0; i < a->len; i++) {
		if (!a->written[i])
			return false;
	}
	return true;
}

bool tfs_var_is_written(const struct tfs_scope *scope, unsigned int reg, int64_t from, uint64_t len)
{
	struct account a = { .reg = reg, .from = from, .len = len };
	struct tfs_insn_walk walk;
	struct tfs_basic_block block;
	struct tfs_insn insn;
	uint64_t addr;
	int more = -1;

	if (!is_in_reach(reg, from, len) || len > BYTES_MAX || !tfs_scope_block(scope, &block) ||
	    tfs_insn_walk(scope->dso, block.begin, block.end, &walk))
		return false;
	while (walk.addr < scope->pc) {
		if (tfs_insn_next(&walk, &addr, &insn) <= 0)
			return false;
		before(&a, &insn);
	}
	if (walk.addr != scope->pc || !all_written(&a))
		return false;
	while (more < 0 && tfs_insn_next(&walk, &addr, &insn) > 0)
		more = after(&a, &insn);
	return more <= 0;
}

bool tfs_var_writes(const struct tfs_scope *scope, const struct tfs_basic_block *block,
		    unsigned int reg, int64_t from, uint64_t len)
{
	struct account a = { .reg = reg, .from = from, .len = len };
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t addr;

	if (!is_in_reach(reg, from, len) || len > BYTES_MAX ||
	    tfs_insn_walk(scope->dso, block->begin, block->end, &walk))
		return false;
	while (tfs_insn_next(&walk, &addr, &insn) > 0) {
		/* a call's own push comes back */
		if (insn.kind == TFS_INSN_CALL)
			break;
		if (!insn.effects || insn.changes & 1U << reg)
			forget(&a);
		else if (insn.mem.access & TFS_INSN_WRITES && in_frame(&a, &insn.mem))
			note_write(&a, &insn.mem);
	}
	return all_written(&a);
}

/*
 * Without optimisation a variable is in its place from the first store on, and may then be written
 * again at any time. The end of the line table's prologue does not prove that store: LLVM's ends
 * before the stores of parameters that have the line of a statement, as ldc2's do.
 */
static bool is_there(const struct tfs_scope *scope, unsigned int reg, int64_t from, uint64_t len)
{
	struct tfs_basic_block block;
	Dwarf_Die owner;

	if (tfs_loc_frame_owner(scope, &owner) || scope->pc < scope->entry ||
	    tfs_basic_block_at(scope->dbg, &owner, scope->entry, &block) || scope->pc >= block.end)
		return true;
	block.begin = scope->entry;
	block.end = scope->pc;
	return tfs_var_writes(scope, &block, reg, from, len);
}

bool tfs_var_is_replaced(const struct tfs_scope *scope, unsigned int reg, int64_t from,
			 uint64_t len)
{
	struct account a = { .reg = reg, .from = from, .len = len };
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t addr;
	int more = -1;

	if (!is_in_reach(reg, from, len) || !scope->dso ||
	    (!tfs_var_optimised(scope) && is_there(scope, reg, from, len)) ||
	    tfs_insn_walk(scope->dso, scope->pc, UINT64_MAX, &walk))
		return false;
	while (more < 0 && tfs_insn_next(&walk, &addr, &insn) > 0 && insn.kind == TFS_INSN_OTHER)
		more = after(&a, &insn);
	return more > 0;
}
