/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/func-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "dwarf/debuginfo-internal.h"
#include "dwarf/die-reader-code.h"
#include "dwarf/die-reader.h"
#include "dwarf/func-table.h"

/* DIEs that may contain functions, directly or in nested scopes. */
static bool holds_functions(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return true;
	default:
		return false;
	}
}

static bool is_in_function(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static bool is_type(int tag)
{
	return tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type;
}

/* One that libdw found; @nested: in another function of a unit where there is nothing else in it */
static int found_slowly(const struct tfs_walk *walk, struct tfs_func_info *info, bool nested)
{
	struct tfs_func_table *table = walk->table;
	int rc = 0;

	if (table && (table->all || !nested) && !info->inlined)
		rc = tfs_func_table_add(table, info, NULL, NULL);
	return rc || !walk->visit ? rc : walk->visit(walk->ctx, info);
}

/**
 * struct slow - a walk by libdw
 * @flat: tfs_unit_is_flat() of the unit
 */
struct slow {
	const struct tfs_walk *walk;
	Dwarf_Die *unit;
	bool flat;
};

static int walk_children(const struct slow *s, Dwarf_Die *parent, bool nested, unsigned int depth)
{
	Dwarf_Die die;
	int rc = 0;

	if (depth > TFS_DIE_DEPTH_MAX || dwarf_child(parent, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);
		struct tfs_func_info info = { .unit = s->unit,
					      .die = die,
					      .flat = s->flat,
					      .inlined = tag == DW_TAG_inlined_subroutine };
		bool code;

		if (!holds_functions(tag) || (s->flat && is_type(tag)))
			continue;
		code = tag == DW_TAG_inlined_subroutine && s->walk->inlines;
		if (tag == DW_TAG_subprogram)
			/* Neither a declaration nor what copies are made from. */
			code = dwarf_hasattr(&die, DW_AT_low_pc) ||
			       dwarf_hasattr(&die, DW_AT_ranges);
		if (code)
			rc = found_slowly(s->walk, &info, nested);
		/* Within code there are only copies, and rarely functions. */
		if (!rc && (s->walk->inlines || !is_in_function(tag) || !s->flat))
			rc = walk_children(s, &die, nested || (s->flat && is_in_function(tag)),
					   depth + 1);
	} while (!rc && !dwarf_siblingof(&die, &die));
	return rc;
}

int tfs_walk_unit_slowly(const struct tfs_walk *walk, Dwarf_Die *unit)
{
	const struct slow s = { walk, unit, tfs_unit_is_flat(unit) };

	if (walk->table)
		walk->table->flat = s.flat;
	return walk_children(&s, unit, false, 0);
}

/**
 * struct fast - a walk by dwarf/die-reader.h
 * @origin: where the last copy says it is from: copies of one function follow each other
 * @has_names: its @names are known
 * @wanted: the answer for them
 */
struct fast {
	const struct tfs_walk *walk;
	struct tfs_die_reader *reader;
	Dwarf_Die *unit;
	bool flat;
	const unsigned char *origin;
	bool has_names;
	bool wanted;
	struct tfs_raw_die_names names;
};

static void read_names(struct fast *f, const struct tfs_raw_die *die)
{
	const struct tfs_walk *walk = f->walk;

	f->has_names = tfs_raw_die_names(f->reader, die, &f->names);
	f->wanted = walk->visit && (!walk->wants || !f->has_names ||
				    walk->wants(walk->ctx, f->names.name, f->names.linkage));
}

/* Read the names and decide whether the function is wanted. */
static void know_names(struct fast *f, const struct tfs_raw_die *die)
{
	const unsigned int own = 1u << TFS_DIE_NAME | 1u << TFS_DIE_LINKAGE_NAME |
				 1u << TFS_DIE_DECL_LINE;
	const unsigned char *origin = die->has & own ? NULL : tfs_raw_die_origin(f->reader, die);

	if (!origin || origin != f->origin)
		read_names(f, die);
	f->origin = origin;
}

/* Where it is called is where its function is declared, or that is not known. */
static bool may_be_rest(const struct fast *f, const struct tfs_raw_die *die)
{
	const struct tfs_raw_attr *call = tfs_raw_attr(die, TFS_DIE_CALL_LINE);
	uint64_t line;

	if (!call || !tfs_raw_attr_number(f->reader, call, &line) || !f->names.decl_line ||
	    f->names.decl_line == UINT64_MAX)
		return true;
	return line == f->names.decl_line;
}

/* One that has code. */
static int found_fast(struct fast *f, const struct tfs_raw_die *die, bool nested)
{
	bool inlined = die->abbrev->tag == DW_TAG_inlined_subroutine;
	struct tfs_func_info info = { .unit = f->unit, .flat = f->flat, .inlined = inlined };
	struct tfs_func_table *table = f->walk->table;
	int rc = 0;

	if (inlined || (nested && table && !table->all))
		table = NULL;
	know_names(f, die);
	if (!table && !f->wanted)
		return 0;
	tfs_die_reader_libdw_die(f->reader, die, &info.die);
	info.asked = f->walk->wants && f->has_names && (!inlined || f->origin);
	info.name = f->names.name;
	/* of a function that has parts, symbols have to say which is entered */
	info.known = f->has_names && (inlined || !tfs_raw_attr(die, TFS_DIE_RANGES)) &&
		     tfs_raw_die_entry(f->reader, die, &info.entry, &info.end);
	info.may_be_rest = inlined && may_be_rest(f, die);
	if (table)
		rc = tfs_func_table_add(table, &info, f->reader, die);
	return rc || !f->wanted ? rc : f->walk->visit(f->walk->ctx, &info);
}

static bool has_code(const struct fast *f, const struct tfs_raw_die *die)
{
	switch (die->abbrev->tag) {
	case DW_TAG_subprogram:
		return die->abbrev->code;
	case DW_TAG_inlined_subroutine:
		return f->walk->inlines;
	default:
		return false;
	}
}

/* Is what is in a scope looked at? */
static bool goes_in(const struct fast *f, int tag, unsigned int depth)
{
	if (depth > TFS_DIE_DEPTH_MAX || !holds_functions(tag))
		return false;
	return !f->flat || (!is_type(tag) && (f->walk->inlines || !is_in_function(tag)));
}

/* The children of a DIE, those of which are scopes with theirs; in the order of the file. */
static int walk_fast(struct fast *f, const struct tfs_raw_die *unit)
{
	const unsigned char *at = unit->next;
	unsigned int depth = 1, outer = UINT_MAX;
	struct tfs_raw_die die;
	int rc = 0;

	while (depth && !rc && at) {
		int tag;

		at = tfs_raw_die_skip(f->reader, at);
		if (at >= f->reader->end)
			break;
		if (!*at) {
			depth--;
			at++;
			continue;
		}
		if (!tfs_raw_die_read(f->reader, at, &die))
			break;
		tag = die.abbrev->tag;
		/* what is not deeper than the function that was come to is not in it */
		if (depth <= outer)
			outer = UINT_MAX;
		if (has_code(f, &die))
			rc = found_fast(f, &die, outer != UINT_MAX);
		at = die.next;
		if (rc || !die.abbrev->children)
			continue;
		if (!goes_in(f, tag, depth)) {
			at = tfs_raw_die_after(f->reader, &die);
			continue;
		}
		if (outer == UINT_MAX && f->flat && is_in_function(tag))
			outer = depth;
		depth++;
	}
	return rc;
}

static void release(struct tfs_debuginfo *dbg)
{
	tfs_die_reader_release(dbg->reader);
	free(dbg->reader);
	dbg->reader = NULL;
}

struct tfs_die_reader *tfs_debuginfo_die_reader(struct tfs_debuginfo *dbg)
{
	if (!dbg->reader) {
		dbg->reader = calloc(1, sizeof(*dbg->reader));
		if (dbg->reader)
			tfs_debuginfo_on_free(dbg, release);
	}
	return dbg->reader;
}

int tfs_walk_unit(struct tfs_debuginfo *dbg, const struct tfs_walk *walk, Dwarf_Die *unit)
{
	struct fast f = { .walk = walk, .unit = unit };
	struct tfs_raw_die die;
	int rc;

	f.reader = tfs_debuginfo_die_reader(dbg);
	if (!f.reader)
		return -ENOMEM;
	tfs_debuginfo_read_on(dbg, unit->addr);
	rc = tfs_die_reader_open(f.reader, unit, tfs_dso_is_big_endian(dbg->dso));
	if (rc == -ENOTSUP)
		return tfs_walk_unit_slowly(walk, unit);
	/* to ask libdw is to have it read all of the unit's abbreviations */
	f.flat = f.reader->language < 0 ? tfs_unit_is_flat(unit) :
					  tfs_language_is_flat(f.reader->language);
	if (walk->table)
		walk->table->flat = f.flat;
	if (!rc && tfs_raw_die_read(f.reader, f.reader->unit, &die) && die.abbrev->children)
		rc = walk_fast(&f, &die);
	return rc;
}
