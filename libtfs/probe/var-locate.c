/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/var-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "dso/dso-internal.h"
#include "insn/control-flow.h"
#include "insn/insn.h"

/* Bytes of a variable that are kept account of. */
#define BYTES_MAX 512
/* Addresses that are tried. */
#define CANDIDATES_MAX 64
/* What is read by an instruction that does not say how much. */
#define READ_MAX 64

static bool find_block(const struct tfs_scope *scope, struct tfs_basic_block *block)
{
	Dwarf_Die owner;

	return scope->dso && tfs_loc_frame_owner(scope, &owner) == 0 &&
	       tfs_basic_block_at(scope->dso, &owner, scope->pc, block) == 0 &&
	       block->begin <= scope->pc && scope->pc < block->end;
}

/* --- is it written? --- */

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
 * What is read has been another's, or of another time: two variables may share a place, one after
 * the other. Who reads through a pointer may read it.
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
 * 1: it is written once more; 0: it is not; -1: go on. Reads through a pointer do not tell: what is
 * spilt to the frame has no address.
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

	if (!is_in_reach(reg, from, len) || len > BYTES_MAX || !find_block(scope, &block) ||
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

bool tfs_var_is_replaced(const struct tfs_scope *scope, unsigned int reg, int64_t from,
			 uint64_t len)
{
	struct account a = { .reg = reg, .from = from, .len = len };
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t addr;
	int more = -1;

	if (!is_in_reach(reg, from, len) || !scope->dso || !tfs_var_optimised(scope) ||
	    tfs_insn_walk(scope->dso, scope->pc, UINT64_MAX, &walk))
		return false;
	while (more < 0 && tfs_insn_next(&walk, &addr, &insn) > 0 && insn.kind == TFS_INSN_OTHER)
		more = after(&a, &insn);
	return more > 0;
}

/* --- where are they all? --- */

struct candidates {
	const struct tfs_scope *scope;
	struct tfs_basic_block block;
	uint64_t addr[CANDIDATES_MAX];
	size_t n;
};

static void add_candidate(struct candidates *p, uint64_t addr)
{
	size_t i;

	if (addr <= p->scope->pc || addr >= p->block.end || p->n == CANDIDATES_MAX)
		return;
	for (i = 0; i < p->n && p->addr[i] < addr; i++)
		;
	if (i < p->n && p->addr[i] == addr)
		return;
	memmove(&p->addr[i + 1], &p->addr[i], (p->n - i) * sizeof(p->addr[0]));
	p->addr[i] = addr;
	p->n++;
}

/* A variable that has a list of ranges may begin to live in the block. */
static void add_ranges(struct candidates *p, Dwarf_Die *die)
{
	struct tfs_loc_range r = { 0 };
	Dwarf_Attribute attr;

	if (tfs_loc_form(die, &attr) != TFS_LOC_FORM_LIST)
		return;
	while (tfs_loc_next(p->scope, &attr, &r) > 0)
		add_candidate(p, r.start);
}

/* After each write into the frame a structure may be complete. */
static void add_writes(struct candidates *p)
{
	const struct tfs_scope *scope = p->scope;
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t addr;

	if (tfs_insn_walk(scope->dso, scope->pc, p->block.end, &walk))
		return;
	while (tfs_insn_next(&walk, &addr, &insn) > 0) {
		if (insn.mem.access & TFS_INSN_WRITES && insn.mem.base >= 0)
			add_candidate(p, walk.addr);
	}
}

/* Where no instruction begins, whatever the debug information says, or none can be probed. */
static void keep_starts(struct candidates *p)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t addr;
	size_t i = 0, kept = 0;

	if (tfs_insn_walk(p->scope->dso, p->scope->pc, p->block.end, &walk) == 0) {
		while (i < p->n && tfs_insn_next(&walk, &addr, &insn) > 0) {
			while (i < p->n && p->addr[i] < addr)
				i++;
			if (i < p->n && p->addr[i] == addr && !insn.no_uprobe)
				p->addr[kept++] = addr;
		}
	}
	p->n = kept;
}

/* How many of them can be read at @pc; @frame: one is in the frame, but not yet written */
static size_t count(const struct tfs_scope *scope, uint64_t pc, const struct tfs_path *const *path,
		    size_t n, bool *frame)
{
	struct tfs_scope there = *scope;
	size_t i, ok = 0;

	there.pc = pc;
	for (i = 0; i < n; i++) {
		struct tfs_fetch_list list = TFS_FETCH_LIST_INIT;
		struct tfs_err err = TFS_ERR_INIT;
		enum tfs_refusal why;

		if (tfs_var_fetch(&there, path[i], NULL, &list, &why, &err) == 0)
			ok++;
		else if (why == TFS_REFUSAL_NOT_YET)
			*frame = true;
		tfs_fetch_list_release(&list);
	}
	return ok;
}

static void find_locations(struct candidates *p, const struct tfs_path *const *path, size_t n,
			   bool frame)
{
	for (size_t i = 0; i < n; i++) {
		struct tfs_var_target t;

		if (tfs_var_target(p->scope, path[i], &t, NULL) == 0 && t.where == TFS_FOUND_LOCAL)
			add_ranges(p, &t.die);
		tfs_var_target_release(&t);
	}
	if (frame)
		add_writes(p);
}

int tfs_var_locate(const struct tfs_scope *scope, const struct tfs_path *const *path, size_t n,
		   uint64_t *addr)
{
	struct candidates p = { .scope = scope };
	bool frame = false;
	size_t i, most, ok;

	*addr = scope->pc;
	most = count(scope, scope->pc, path, n, &frame);
	if (most == n || scope->is_return || !find_block(scope, &p.block))
		return 0;
	find_locations(&p, path, n, frame);
	keep_starts(&p);
	for (i = 0; i < p.n && most < n; i++) {
		ok = count(scope, p.addr[i], path, n, &frame);
		if (ok > most) {
			most = ok;
			*addr = p.addr[i];
		}
	}
	return 0;
}

int tfs_var_probeable(const struct tfs_scope *scope, uint64_t *addr)
{
	struct tfs_insn_walk walk;
	struct tfs_basic_block block;
	struct tfs_insn insn;

	if (!find_block(scope, &block) || tfs_insn_walk(scope->dso, scope->pc, block.end, &walk))
		return -ENOENT;
	while (tfs_insn_next(&walk, addr, &insn) > 0) {
		if (!insn.no_uprobe)
			return 0;
	}
	return -ENOENT;
}
