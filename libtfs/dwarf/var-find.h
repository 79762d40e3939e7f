/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_VAR_FIND_H
#define TFS_DWARF_VAR_FIND_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "dwarf/refusal.h"

struct tfs_scope;

/** enum tfs_found - in which scope a variable was found */
enum tfs_found {
	TFS_FOUND_LOCAL,
	TFS_FOUND_UNIT,
	TFS_FOUND_ELSEWHERE,
};

/**
 * tfs_var_find() - the variable that a name stands for at the scope's pc: the innermost local, then
 *	what the language's scoping rules find outside of the function
 * @name: may be qualified (NS::NAME, ::NAME)
 * @r: set unless -ENOENT is returned; may be NULL
 *
 * Return: 0; -ENOENT, nothing has that name; -EINVAL, several have; -ENODATA, it is unknown which
 * local is in scope at this address.
 */
int tfs_var_find(const struct tfs_scope *scope, const char *name, Dwarf_Die *out,
		 enum tfs_found *where, struct tfs_refusing *r);

/** tfs_var_function() - the function or inlined copy around the scope; false if there is none */
bool tfs_var_function(const struct tfs_scope *scope, Dwarf_Die *out);

/** tfs_var_is_declaration() - it is defined elsewhere */
bool tfs_var_is_declaration(Dwarf_Die *die);

/**
 * struct tfs_local - a variable of a function
 * @name: borrowed. An element of a parameter pack is NAME#N, from 0 on; gcc does not say the name
 *	of a pack, which is "pack" then
 * @pack: it is in a pack
 */
struct tfs_local {
	Dwarf_Die die;
	const char *name;
	bool pack;
};

/** struct tfs_locals - variables of a function, parameters first, then innermost scope first */
struct tfs_locals {
	struct tfs_local *v;
	size_t n;
	size_t n_params;
};

/**
 * tfs_var_locals() - parameters and locals visible at the scope's pc; shadowed locals are left out,
 *	shadowed parameters are not: tfs_var_is_shadowed()
 * @out: release with free(@out->v)
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_var_locals(const struct tfs_scope *scope, struct tfs_locals *out);
/** tfs_var_is_shadowed() - a local of the same name hides the parameter @l->v[@i] */
bool tfs_var_is_shadowed(const struct tfs_locals *l, size_t i);

#endif
