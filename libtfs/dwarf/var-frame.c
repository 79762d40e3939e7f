/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/var-frame.h"

#include <ctype.h>
#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "dso/arch/machine.h"
#include "dwarf/basic-block.h"
#include "dwarf/func-internal.h"
#include "dwarf/line-internal.h"
#include "dwarf/line-table.h"
#include "dwarf/type.h"
#include "dwarf/var-written.h"
#include "insn/control-flow.h"
#include "insn/insn.h"

/* DIEs looked at in search of a location list. */
#define DIES_MAX 4096

/* -O, -O1, -O2, -Os, ... among the options gcc notes; -O0 is none. */
static bool producer_optimises(const char *producer)
{
	const char *o = producer;

	while ((o = strstr(o, " -O"))) {
		o += 3;
		if (*o != '0')
			return true;
	}
	return false;
}

/* clang gives C's arrays of variable length a list without optimisation, too. */
static bool has_variable_length(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die type, dim;
	uint64_t n;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), &type) &&
	       dwarf_tag(&type) == DW_TAG_array_type && dwarf_child(&type, &dim) == 0 &&
	       !tfs_type_uint(&dim, DW_AT_count, &n) && !tfs_type_uint(&dim, DW_AT_upper_bound, &n);
}

/* A compiler that does not optimise leaves each variable in one place. */
static bool has_list(Dwarf_Die *parent, unsigned int *left)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (!*left)
			return true;
		--*left;
		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) {
			if (tfs_loc_form(&die, NULL) == TFS_LOC_FORM_LIST &&
			    !has_variable_length(&die))
				return true;
		} else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) {
			if (has_list(&die, left))
				return true;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* Its compiler notes nowhere whether it optimises: what is in the frame has to be proven. */
static bool is_rust(const struct tfs_scope *scope)
{
	Dwarf_Die func = scope->func, unit;

	return dwarf_diecu(&func, &unit, NULL, NULL) && dwarf_srclang(&unit) == DW_LANG_Rust;
}

bool tfs_var_optimised(const struct tfs_scope *scope)
{
	unsigned int left = DIES_MAX;
	Dwarf_Attribute attr;
	Dwarf_Die owner, unit;
	const char *producer;

	if (tfs_loc_frame_owner(scope, &owner) || !dwarf_diecu(&owner, &unit, NULL, NULL))
		return true;
	producer = dwarf_formstring(dwarf_attr_integrate(&unit, DW_AT_producer, &attr));
	if (!producer || producer_optimises(producer) || is_rust(scope))
		return true;
	/* LLVM notes no options, but describes all calls only where it optimises. */
	if (strncmp(producer, "GNU ", 4) != 0 && (dwarf_hasattr(&owner, DW_AT_call_all_calls) ||
						  dwarf_hasattr(&owner, DW_AT_GNU_all_call_sites)))
		return true;
	return has_list(&owner, &left);
}

bool tfs_var_at_entry(const struct tfs_scope *scope)
{
	Dwarf_Die func = scope->func;
	Dwarf_Addr entry;

	if (dwarf_tag(&func) != DW_TAG_inlined_subroutine)
		return scope->pc == scope->entry;
	return tfs_die_entry(scope->dbg, &func, &entry) == 0 && entry == scope->pc;
}

/*
 * Where the line table says that the prologue ends. gcc's do not: without optimisation it ends
 * where the second statement begins, which is then @second, else 0.
 */
static bool prologue_end(const struct tfs_scope *scope, Dwarf_Addr *out, Dwarf_Addr *second)
{
	Dwarf_Die func = scope->func, unit;
	Dwarf_Lines *lines;
	size_t n, i;

	*second = 0;
	if (!dwarf_diecu(&func, &unit, NULL, NULL) ||
	    tfs_unit_lines(scope->dbg, &unit, &lines, &n) != 0)
		return false;
	for (i = tfs_line_row_from(lines, n, scope->entry); i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr addr;
		bool end, stmt;

		if (dwarf_lineaddr(line, &addr) != 0 || dwarf_haspc(&func, addr) <= 0)
			continue;
		if (dwarf_lineprologueend(line, &end) == 0 && end) {
			*out = addr;
			return true;
		}
		if (!*second && addr != scope->entry && !dwarf_linebeginstatement(line, &stmt) &&
		    stmt)
			*second = addr;
	}
	return false;
}

/* For unoptimised functions: parameters are not all stored to the frame yet. */
static bool in_prologue(const struct tfs_scope *scope)
{
	Dwarf_Addr end, second;

	if (!scope->dso || scope->pc < scope->entry)
		return false;
	return scope->pc < (prologue_end(scope, &end, &second) ? end : second);
}

/* Put on the stack by the caller, so there from the first instruction on. */
static bool callers(const struct tfs_scope *scope, const struct tfs_loc *loc)
{
	struct tfs_loc cfa = { 0 };
	bool yes = false;

	if (loc->kind != TFS_LOC_MEM || loc->v.base != TFS_SVAL_REG || loc->v.n)
		return false;
	if (tfs_loc_cfa(scope, 0, &cfa) == 0)
		yes = cfa.kind == TFS_LOC_MEM && cfa.v.base == TFS_SVAL_REG &&
		      cfa.v.reg == loc->v.reg && !cfa.v.n &&
		      (int64_t)loc->v.add >= (int64_t)cfa.v.add + (int64_t)scope->machine->saved;
	tfs_loc_release(&cfa);
	return yes;
}

/* All of it is written. */
static bool is_whole(const struct tfs_scope *scope, Dwarf_Die *die, const struct tfs_loc *loc)
{
	const struct tfs_sval *v = &loc->v;
	struct tfs_type type;
	uint64_t size;

	return loc->kind == TFS_LOC_MEM && v->base == TFS_SVAL_REG && !v->n &&
	       !tfs_type_of(scope, die, &type) && !tfs_type_size(scope, &type, &size) &&
	       tfs_var_is_written(scope, v->reg, (int64_t)v->add, size);
}

/*
 * An optimising compiler may write a variable's place in the frame anywhere in the function, if it
 * is the only one it ever has; one that does not optimise writes it first.
 */
static enum tfs_var_when in_frame(const struct tfs_scope *scope, Dwarf_Die *die)
{
	struct tfs_scope there = *scope;
	enum tfs_var_when when = TFS_VAR_NEVER;
	Dwarf_Die func = scope->func;
	struct tfs_loc loc;
	Dwarf_Addr second;
	bool inlined = dwarf_tag(&func) == DW_TAG_inlined_subroutine;

	if (!tfs_var_optimised(scope))
		return inlined ? TFS_VAR_IN_BODY : TFS_VAR_AFTER_PROLOGUE;
	if (inlined || !prologue_end(scope, &there.pc, &second) || tfs_loc_of(&there, die, &loc))
		return TFS_VAR_NEVER;
	if (callers(&there, &loc) || (is_rust(scope) && is_whole(&there, die, &loc)))
		when = TFS_VAR_AFTER_PROLOGUE;
	tfs_loc_release(&loc);
	return when;
}

/* From the entry on without a jump or call. */
static bool near_entry(const struct tfs_scope *scope)
{
	Dwarf_Die func = scope->func, owner;
	struct tfs_basic_block block;
	Dwarf_Addr entry;

	return scope->dso && tfs_loc_frame_owner(scope, &owner) == 0 &&
	       tfs_die_entry(scope->dbg, &func, &entry) == 0 && entry <= scope->pc &&
	       tfs_basic_block_at(scope->dbg, &owner, entry, &block) == 0 && scope->pc < block.end;
}

/*
 * The location is one register for the whole function, and not one that arguments are passed in,
 * so it cannot be right at the entry. gcc emits this for large functions, where it gives up
 * variable tracking.
 */
static bool in_other_register(const struct tfs_scope *scope, const struct tfs_loc *loc)
{
	const char *reg = loc->kind == TFS_LOC_REG ? tfs_machine_reg(scope->machine, loc->v.reg) :
						     NULL;
	const char *arg = tfs_machine_arg(scope->machine, 0);

	if (!reg || !arg)
		return false;
	for (unsigned int i = 0; arg; arg = tfs_machine_arg(scope->machine, ++i)) {
		if (!strcmp(arg, reg))
			return false;
	}
	return true;
}

/* Nothing, from the function's entry on, has written register @reg. */
static bool unchanged(const struct tfs_scope *scope, Dwarf_Die *owner, unsigned int reg)
{
	struct tfs_insn_walk walk;
	struct tfs_basic_block block;
	struct tfs_insn insn;
	uint64_t addr;

	if (reg >= 32 || !scope->dso || scope->entry > scope->pc ||
	    tfs_basic_block_at(scope->dbg, owner, scope->entry, &block) || scope->pc >= block.end ||
	    tfs_insn_walk(scope->dso, scope->entry, scope->pc, &walk))
		return false;
	while (walk.addr < scope->pc) {
		if (tfs_insn_next(&walk, &addr, &insn) <= 0 || !insn.effects ||
		    insn.changes & 1U << reg)
			return false;
	}
	return walk.addr == scope->pc;
}

/*
 * gcc that did not follow a function's variables names one register for all of the function, be it
 * used for something else by then. Where it followed them, one of them has a list.
 */
static bool not_followed(Dwarf_Die *owner)
{
	unsigned int left = DIES_MAX;
	Dwarf_Attribute attr;
	const char *producer;
	Dwarf_Die unit;

	if (!dwarf_diecu(owner, &unit, NULL, NULL))
		return true;
	producer = dwarf_formstring(dwarf_attr_integrate(&unit, DW_AT_producer, &attr));
	return producer && strncmp(producer, "GNU ", 4) == 0 && producer_optimises(producer) &&
	       (!has_list(owner, &left) || !left);
}

static enum tfs_var_doubt doubt_register(const struct tfs_scope *scope, const struct tfs_loc *loc)
{
	bool pieces = loc->kind == TFS_LOC_PIECES;
	Dwarf_Die func = scope->func, owner;
	bool inlined = dwarf_tag(&func) == DW_TAG_inlined_subroutine;

	if (!pieces && (loc->kind == TFS_LOC_NONE || loc->v.base != TFS_SVAL_REG))
		return TFS_VAR_SURE;
	if (!inlined && tfs_var_at_entry(scope))
		return in_other_register(scope, loc) ? TFS_VAR_REUSED : TFS_VAR_SURE;
	if (tfs_loc_frame_owner(scope, &owner) || !not_followed(&owner))
		return TFS_VAR_SURE;
	return pieces || in_other_register(scope, loc) || !unchanged(scope, &owner, loc->v.reg) ?
		       TFS_VAR_REUSED :
		       TFS_VAR_SURE;
}

/* The straight-line code from the entry on puts all of a parameter where it stays. */
static bool written_first(const struct tfs_scope *scope, Dwarf_Die *die)
{
	struct tfs_scope there = *scope;
	struct tfs_basic_block block;
	struct tfs_type type;
	struct tfs_loc loc;
	Dwarf_Die owner;
	uint64_t size;
	bool yes;

	if (!scope->dso || tfs_loc_frame_owner(scope, &owner) || tfs_type_of(scope, die, &type) ||
	    tfs_type_size(scope, &type, &size) ||
	    tfs_basic_block_at(scope->dbg, &owner, scope->entry, &block))
		return false;
	block.begin = scope->entry;
	there.pc = block.end - 1;
	if (tfs_loc_of(&there, die, &loc))
		return false;
	yes = loc.kind == TFS_LOC_MEM && loc.v.base == TFS_SVAL_REG && !loc.v.n &&
	      tfs_var_writes(scope, &block, loc.v.reg, (int64_t)loc.v.add, size);
	tfs_loc_release(&loc);
	return yes;
}

/*
 * Two variables may share a place in the frame, one after the other, and what is written there, and
 * when, is the optimiser's affair. A parameter's place is its own from the entry on.
 */
static bool is_kept(const struct tfs_scope *scope, Dwarf_Die *die, const struct tfs_loc *loc)
{
	unsigned int left = DIES_MAX;
	Dwarf_Die func = scope->func, owner;

	if (is_rust(scope) && !tfs_loc_frame_owner(scope, &owner) && !has_list(&owner, &left))
		return true;
	return dwarf_tag(&func) == DW_TAG_subprogram && dwarf_tag(die) != DW_TAG_variable &&
	       (callers(scope, loc) || written_first(scope, die));
}

static enum tfs_var_doubt doubt_frame(const struct tfs_scope *scope, Dwarf_Die *die,
				      const struct tfs_loc *loc)
{
	Dwarf_Die func = scope->func;
	bool inlined = dwarf_tag(&func) == DW_TAG_inlined_subroutine;
	bool at_entry = tfs_var_at_entry(scope), early;

	if (!tfs_var_optimised(scope))
		early = (at_entry && (!inlined || dwarf_tag(die) == DW_TAG_variable)) ||
			(!inlined && in_prologue(scope) && !callers(scope, loc));
	else
		early = at_entry || (near_entry(scope) && (inlined || !callers(scope, loc))) ||
			!is_kept(scope, die, loc);
	return early ? TFS_VAR_UNWRITTEN : TFS_VAR_SURE;
}

/* The line of @scope's own source that its pc belongs to; of a call, if it is in what is called. */
static bool own_line(const struct tfs_scope *scope, int *line, const char **file)
{
	Dwarf_Die func = scope->func, inner, unit;
	Dwarf_Attribute attr;
	Dwarf_Word call;
	Dwarf_Line *row;

	*file = NULL;
	if (tfs_die_step(&func, scope->pc, &inner)) {
		if (dwarf_formudata(dwarf_attr(&inner, DW_AT_call_line, &attr), &call) ||
		    call > INT_MAX)
			return false;
		*line = (int)call;
		return true;
	}
	row = dwarf_diecu(&func, &unit, NULL, NULL) ?
		      tfs_unit_line_at(scope->dbg, &unit, scope->pc) :
		      NULL;
	if (!row || dwarf_lineno(row, line))
		return false;
	*file = dwarf_linesrc(row, NULL, NULL);
	return *file;
}

/* Before its declaration a variable is nowhere, whatever its place is used for until then. */
static int declared_later(const struct tfs_scope *scope, Dwarf_Die *die)
{
	const char *file;
	int decl, line;

	if (dwarf_tag(die) != DW_TAG_variable || dwarf_decl_line(die, &decl) ||
	    !own_line(scope, &line, &file) || line <= 0 || decl < line ||
	    (file && !tfs_same_source(tfs_die_decl_file(scope->dbg, die), file)))
		return 0;
	return decl;
}

/*
 * A range of a list says of a number that it is there, but of an array or structure in memory only
 * that it has its room: what is put into it comes later. C's arrays of variable length have room
 * once the stack was made larger. Where a line was asked for in code that is not optimised, who
 * asked knows what has been written by then. Variables that a library exports have no range here.
 */
static bool is_empty(const struct tfs_scope *scope, Dwarf_Die *die, const struct tfs_loc *loc)
{
	struct tfs_type type;

	return dwarf_tag(die) == DW_TAG_variable && dwarf_hasattr(die, DW_AT_location) &&
	       loc->kind == TFS_LOC_MEM && (loc->v.base == TFS_SVAL_REG || loc->v.n) &&
	       near_entry(scope) && !tfs_type_of(scope, die, &type) &&
	       (type.class == TFS_TYPE_ARRAY || type.class == TFS_TYPE_STRUCT) &&
	       (!scope->line || tfs_var_optimised(scope));
}

enum tfs_var_doubt tfs_var_doubt(const struct tfs_scope *scope, Dwarf_Die *die,
				 const struct tfs_loc *loc, int *line)
{
	bool local = loc->frame || loc->kind == TFS_LOC_REG || loc->kind == TFS_LOC_PIECES;

	*line = 0;
	if (!loc->exprloc)
		return is_empty(scope, die, loc) ? TFS_VAR_EMPTY : TFS_VAR_SURE;
	if (local)
		*line = declared_later(scope, die);
	if (*line)
		return TFS_VAR_UNDECLARED;
	if (scope->in_body)
		return TFS_VAR_SURE;
	return loc->frame ? doubt_frame(scope, die, loc) : doubt_register(scope, loc);
}

enum tfs_var_when tfs_var_when_die(const struct tfs_scope *scope, Dwarf_Die *die)
{
	enum tfs_var_when when = TFS_VAR_AT_ONCE;
	struct tfs_loc loc;

	if (tfs_loc_of(scope, die, &loc))
		return TFS_VAR_NEVER;
	if (loc.kind == TFS_LOC_NONE)
		when = TFS_VAR_NEVER;
	else if (loc.frame && loc.exprloc && tfs_var_at_entry(scope))
		when = in_frame(scope, die);
	tfs_loc_release(&loc);
	return when;
}
