/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/func-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strvec.h"
#include "sym/image-internal.h"
#include "sym/symbol.h"

/* What may hold functions, or scopes that do. */
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

static int walk_children(const struct tfs_walk *walk, Dwarf_Die *unit, bool flat, Dwarf_Die *parent,
			 unsigned int depth)
{
	Dwarf_Die die;
	int rc = 0;

	if (depth > TFS_DIE_DEPTH_MAX || dwarf_child(parent, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);
		bool code;

		if (!holds_functions(tag) || (flat && is_type(tag)))
			continue;
		code = tag == DW_TAG_inlined_subroutine && walk->inlines;
		if (tag == DW_TAG_subprogram)
			/* Neither a declaration nor what copies are made from. */
			code = dwarf_hasattr(&die, DW_AT_low_pc) ||
			       dwarf_hasattr(&die, DW_AT_ranges);
		if (code)
			rc = walk->visit(walk->ctx, unit, &die);
		/* Within code there are only copies, and rarely functions. */
		if (!rc && (walk->inlines || !is_in_function(tag) || !flat))
			rc = walk_children(walk, unit, flat, &die, depth + 1);
	} while (!rc && !dwarf_siblingof(&die, &die));
	return rc;
}

int tfs_walk_unit(const struct tfs_walk *walk, Dwarf_Die *unit)
{
	return walk_children(walk, unit, tfs_unit_is_flat(unit), unit, 0);
}

/* Words of a filter: a name is in if one fits it and none that begins with '!' does. */
static bool filter_fits(const struct tfs_strvec *filter, const char *name)
{
	bool any = false, in = false;

	for (size_t i = 0; i < filter->n; i++) {
		const char *glob = filter->v[i];

		if (*glob == '!') {
			if (!fnmatch(glob + 1, name, 0))
				return false;
		} else {
			any = true;
			in = in || !fnmatch(glob, name, 0);
		}
	}
	return in || !any;
}

static bool is_listed(const struct tfs_image *img, const struct tfs_symbol *sym)
{
	if (sym->type != TFS_SYMBOL_FUNC && sym->type != TFS_SYMBOL_IFUNC)
		return false;
	return tfs_image_is_code(img, sym->addr);
}

static void drop_equal(struct tfs_strvec *names)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->n; i++) {
		if (kept && !strcmp(names->v[kept - 1], names->v[i]))
			free(names->v[i]);
		else
			names->v[kept++] = names->v[i];
	}
	if (names->v)
		names->v[kept] = NULL;
	names->n = kept;
}

int tfs_func_list(struct tfs_image *img, const char *filter, struct tfs_strvec *out,
		  struct tfs_err *err)
{
	struct tfs_strvec words = TFS_STRVEC_INIT, names = TFS_STRVEC_INIT;
	const struct tfs_symbol *syms;
	size_t n;
	int rc = tfs_symbols(img, &syms, &n, err);

	if (rc)
		return rc;
	if (filter)
		rc = tfs_strvec_split(&words, filter, ", |&");
	for (size_t i = 0; i < n && !rc; i++)
		if (is_listed(img, &syms[i]) && filter_fits(&words, syms[i].name))
			rc = tfs_strvec_push(&names, syms[i].name);
	if (!rc) {
		tfs_strvec_sort(&names);
		drop_equal(&names);
	}
	for (size_t i = 0; i < names.n && !rc; i++)
		rc = tfs_strvec_push(out, names.v[i]);
	tfs_strvec_release(&names);
	tfs_strvec_release(&words);
	return rc ? tfs_err_set(err, rc, "cannot list functions") : 0;
}
