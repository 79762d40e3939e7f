/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/var-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "dwarf/var-written.h"
#include "insn/control-flow.h"
#include "insn/insn.h"

/* Addresses that are tried. */
#define CANDIDATES_MAX 64

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

/* Only the parameters among the variables, for the body of a function. */
static size_t keep_params(const struct tfs_scope *scope, const struct tfs_path *const *path,
			  size_t n, const struct tfs_path **kept)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		struct tfs_var_target t;

		if (!tfs_var_target(scope, path[i], &t, NULL) &&
		    dwarf_tag(&t.die) == DW_TAG_formal_parameter)
			kept[k++] = path[i];
		tfs_var_target_release(&t);
	}
	return k;
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

static int locate(const struct tfs_scope *scope, const struct tfs_path *const *path, size_t n,
		  uint64_t *addr)
{
	struct candidates p = { .scope = scope };
	bool frame = false;
	size_t i, most, ok;

	most = count(scope, scope->pc, path, n, &frame);
	if (most == n || scope->is_return || !tfs_scope_block(scope, &p.block))
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

int tfs_var_locate(const struct tfs_scope *scope, const struct tfs_path *const *path, size_t n,
		   uint64_t *addr)
{
	const struct tfs_path **kept;
	int rc;

	*addr = scope->pc;
	if (!scope->in_body)
		return locate(scope, path, n, addr);
	kept = calloc(n + 1, sizeof(const struct tfs_path *));
	if (!kept)
		return -ENOMEM;
	n = keep_params(scope, path, n, kept);
	rc = locate(scope, kept, n, addr);
	free(kept);
	return rc;
}

int tfs_var_probeable(const struct tfs_scope *scope, uint64_t *addr)
{
	struct tfs_insn_walk walk;
	struct tfs_basic_block block;
	struct tfs_insn insn;

	if (!tfs_scope_block(scope, &block) ||
	    tfs_insn_walk(scope->dso, scope->pc, block.end, &walk))
		return -ENOENT;
	while (tfs_insn_next(&walk, addr, &insn) > 0) {
		if (!insn.no_uprobe)
			return 0;
	}
	return -ENOENT;
}
