/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_FUNC_NAME_H
#define TFS_DWARF_FUNC_NAME_H

#include <elfutils/libdw.h>
#include <stdbool.h>

struct tfs_debuginfo;

/**
 * struct tfs_wanted - a function's name as it was typed, taken apart
 * @name: without a list of parameters, with one
 * @last: last part of a qualified name, which is what a DIE is called
 * @base: @last without the arguments of a template; owned
 * @params: list of parameter types that was typed, NULL if none was
 * @qualified, @template: @name has "::", @last has "<" that begins a template's arguments
 * @glob: @name is a pattern
 * @go: a name may lack the front of the path of its package
 */
struct tfs_wanted {
	char *name;
	const char *last;
	char *base;
	char *params;
	bool qualified;
	bool template;
	bool glob;
	bool go;
};

/** tfs_wanted_init() - take @name apart; 0 or -ENOMEM; release in any case */
int tfs_wanted_init(struct tfs_wanted *w, const char *name);
void tfs_wanted_release(struct tfs_wanted *w);

/** tfs_wanted_name() - may a function of that name and linkage name, either NULL, be meant? */
bool tfs_wanted_name(const struct tfs_wanted *w, const char *name, const char *linkage);

/** tfs_wanted_die() - does a function (or what a copy is made from) have the name? */
bool tfs_wanted_die(struct tfs_debuginfo *dbg, const struct tfs_wanted *w, Dwarf_Die *die);

/**
 * tfs_wanted_symbol() - does a symbol stand for the name: demangled, or as the end of a path of
 * Go's? Its own name is not compared
 */
bool tfs_wanted_symbol(const struct tfs_wanted *w, const char *symbol);

/** tfs_die_name() - name, through abstract origin and specification; NULL if it has none */
const char *tfs_die_name(Dwarf_Die *die);

#endif
