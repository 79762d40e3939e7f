/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_FUNC_INTERNAL_H
#define TFS_DWARF_FUNC_INTERNAL_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "dwarf/func-name.h"
#include "dwarf/func.h"

struct tfs_err;
struct tfs_func_table;
struct tfs_debuginfo;
struct tfs_die_reader;

/* Deeper than any compiler nests; a guard against what is not a tree. */
#define TFS_DIE_DEPTH_MAX 256

/** tfs_points_add() - append an empty point for an address; NULL without memory */
struct tfs_point *tfs_points_add(struct tfs_points *points, uint64_t addr);
/** tfs_points_sort() - by address, one of each address and function */
void tfs_points_sort(struct tfs_points *points);

/** tfs_points_join() - append all of @rest, which is empty afterwards; for many; 0 or -ENOMEM */
int tfs_points_join(struct tfs_points *first, struct tfs_points *rest);

/**
 * struct tfs_func_info - a function or an inlined copy
 * @unit: DIE of its unit
 * @die: DW_TAG_subprogram with code, or DW_TAG_inlined_subroutine
 * @flat: tfs_unit_is_flat() of the unit
 * @inlined: DW_TAG_inlined_subroutine
 * @asked: it is one that the walk's wants() said yes to, and not for want of its names
 * @known: what follows is; tfs_func_info_complete() has it from libdw otherwise
 * @may_be_rest: it may be called where it is declared
 * @entry: tfs_die_entry()
 * @end: end of the range that holds @entry, @entry if none does
 * @name: tfs_die_name()
 */
struct tfs_func_info {
	Dwarf_Die *unit;
	Dwarf_Die die;
	bool flat;
	bool inlined;
	bool asked;
	bool known;
	bool may_be_rest;
	uint64_t entry;
	uint64_t end;
	const char *name;
};

/** tfs_func_info_complete() - ask libdw for what is not known; 0, -ENOENT if it has no code */
int tfs_func_info_complete(struct tfs_debuginfo *dbg, struct tfs_func_info *info);

/**
 * tfs_point_add_func() - append a point
 * @addr: where, @info->entry or within
 *
 * tfs_point_fill_into() is left to do.
 * Return: 0, -ENOMEM.
 */
int tfs_point_add_func(struct tfs_debuginfo *dbg, struct tfs_points *out,
		       struct tfs_func_info *info, uint64_t addr);
/** tfs_point_fill_into() - the function an inlined copy ended up in */
void tfs_point_fill_into(struct tfs_debuginfo *dbg, struct tfs_point *point, Dwarf_Die *unit);

/**
 * tfs_point_add_die() - append a point for a function or an inlined copy
 * @unit: DIE of its unit
 * @copy: DW_TAG_subprogram with code, or DW_TAG_inlined_subroutine
 * @addr: where; for an entry tfs_die_entry() of @copy
 *
 * Return: 0, -ENOMEM.
 */
int tfs_point_add_die(struct tfs_debuginfo *dbg, struct tfs_points *out, Dwarf_Die *unit,
		      Dwarf_Die *copy, uint64_t addr);

/**
 * tfs_func_at() - the function (DW_TAG_subprogram with code) of a unit that holds an address
 * Return: 0, -ENOENT.
 */
int tfs_func_at(struct tfs_debuginfo *dbg, Dwarf_Die *unit, Dwarf_Addr addr, Dwarf_Die *func);

/**
 * tfs_die_entry() - entry of a function or copy, also where it has only ranges
 * @dbg: of the file; NULL where there is none but the DIE
 *
 * Return: 0 or -ENOENT.
 */
int tfs_die_entry(struct tfs_debuginfo *dbg, Dwarf_Die *die, Dwarf_Addr *entry);

/** tfs_die_copy_at() - innermost function or inlined copy that holds @addr, @func if no copy */
void tfs_die_copy_at(Dwarf_Die *func, Dwarf_Addr addr, Dwarf_Die *copy);

/** tfs_die_linkage_name() - mangled name; NULL if it has none */
const char *tfs_die_linkage_name(Dwarf_Die *die);
/** tfs_die_qualified_name() - "ns::Class::f"; yours, NULL without a name or memory */
char *tfs_die_qualified_name(Dwarf_Die *die);

/** tfs_func_qualified_name() - the same for many: the scopes of a unit are listed only once */
char *tfs_func_qualified_name(struct tfs_debuginfo *dbg, Dwarf_Die *die);
/** tfs_func_visible_name() - the same without the inline namespaces of C++ */
char *tfs_func_visible_name(struct tfs_debuginfo *dbg, Dwarf_Die *die);
/**
 * tfs_die_function() - the function that contains a copy or block, at any depth
 * Return: 0; -ENOENT if it is in none; -ENOTSUP if this takes libdw.
 */
int tfs_die_function(struct tfs_debuginfo *dbg, Dwarf_Die *die, Dwarf_Die *func);
/** tfs_die_is_named_scope() - a part of qualified names: a namespace, module or type */
bool tfs_die_is_named_scope(Dwarf_Die *die);
/** tfs_die_origin() - what an inlined copy or concrete function is made from, @die if nothing */
void tfs_die_origin(Dwarf_Die *die, Dwarf_Die *origin);
/** tfs_unit_is_flat() - of a language whose functions are in no other scope (C, assembler) */
bool tfs_unit_is_flat(Dwarf_Die *unit);
/** tfs_language_is_flat() - the same of DW_LANG_*; false for -1 */
bool tfs_language_is_flat(int language);

/** tfs_die_decl_file() - path of the file that declares it, NULL if that is not said */
const char *tfs_die_decl_file(struct tfs_debuginfo *dbg, Dwarf_Die *die);
/** tfs_same_source() - two ways to write the name of one file */
bool tfs_same_source(const char *a, const char *b);
/** tfs_die_step() - the next inlined copy further in that holds an address; false if none does */
bool tfs_die_step(Dwarf_Die *die, Dwarf_Addr addr, Dwarf_Die *inner);

/** tfs_name_is_glob() - has * ? or [ in it */
bool tfs_name_is_glob(const char *name);

/** struct tfs_unit_list - DIEs of units; free @v */
struct tfs_unit_list {
	Dwarf_Die *v;
	size_t n;
	size_t cap;
};

/**
 * tfs_units_naming() - units in which a function of that name, or a copy of it, may be
 * @name: what a DIE is called, without the arguments of a template; NULL for all units
 * @out: appended to
 *
 * Return: 0, -ENODATA without debug information, -ENOMEM.
 */
int tfs_units_naming(struct tfs_debuginfo *dbg, const char *name, struct tfs_unit_list *out);

/**
 * struct tfs_walk - a walk over functions and inlined copies
 * @inlines: inlined copies too, otherwise out-of-line functions only
 * @wants: selects functions by name; NULL for all. Not called where names cannot be read quickly.
 *         @name, @linkage: NULL if it has none
 * @visit: called for each; 0 goes on, anything else ends the walk and is returned. NULL for none
 * @table: all functions are put into, wanted or not; NULL for none
 */
struct tfs_walk {
	bool inlines;
	bool (*wants)(void *ctx, const char *name, const char *linkage);
	int (*visit)(void *ctx, struct tfs_func_info *info);
	void *ctx;
	struct tfs_func_table *table;
};

/** tfs_debuginfo_die_reader() - the file's own, NULL without memory */
struct tfs_die_reader *tfs_debuginfo_die_reader(struct tfs_debuginfo *dbg);
/** tfs_walk_unit() - all of one unit */
int tfs_walk_unit(struct tfs_debuginfo *dbg, const struct tfs_walk *walk, Dwarf_Die *unit);
/** tfs_walk_unit_slowly() - the same by libdw alone; @walk->wants is not asked */
int tfs_walk_unit_slowly(const struct tfs_walk *walk, Dwarf_Die *unit);

#endif
