/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/func-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "sym/image-internal.h"
#include "sym/scan.h"

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

int tfs_walk_unit_slowly(const struct tfs_walk *walk, Dwarf_Die *unit)
{
	return walk_children(walk, unit, tfs_unit_is_flat(unit), unit, 0);
}

/**
 * struct fast - a walk by sym/scan.h
 * @origin, @wanted: the answer for the last origin: copies of one function follow each other
 */
struct fast {
	const struct tfs_walk *walk;
	struct tfs_scan *scan;
	Dwarf_Die *unit;
	bool flat;
	const unsigned char *origin;
	bool wanted;
};

static bool ask(const struct fast *f, const struct tfs_scan_die *die)
{
	const char *name, *linkage;

	if (!tfs_scan_names(f->scan, die, &name, &linkage))
		return true;
	return f->walk->wants(f->walk->ctx, name, linkage);
}

static bool is_wanted(struct fast *f, const struct tfs_scan_die *die)
{
	const unsigned char *origin;

	if (!f->walk->wants)
		return true;
	origin = die->name.form || die->linkage.form ? NULL : tfs_scan_origin(f->scan, die);
	if (!origin)
		return ask(f, die);
	if (origin != f->origin) {
		f->wanted = ask(f, die);
		f->origin = origin;
	}
	return f->wanted;
}

static int look_at(struct fast *f, const struct tfs_scan_die *die)
{
	int tag = die->abbrev->tag;
	bool code = tag == DW_TAG_inlined_subroutine && f->walk->inlines;
	Dwarf_Die found;

	if (tag == DW_TAG_subprogram)
		code = die->abbrev->code;
	if (!code || !is_wanted(f, die))
		return 0;
	tfs_scan_die_of(f->scan, die, &found);
	return f->walk->visit(f->walk->ctx, f->unit, &found);
}

/* The children of a DIE, those of which are scopes with theirs; in the order of the file. */
static int walk_fast(struct fast *f, const struct tfs_scan_die *unit)
{
	const unsigned char *at = unit->next;
	unsigned int depth = 1;
	int rc = 0;

	while (depth && !rc && at && at < f->scan->end) {
		struct tfs_scan_die die;
		int tag;

		if (!*at) {
			depth--;
			at++;
			continue;
		}
		if (!tfs_scan_read(f->scan, at, &die))
			break;
		tag = die.abbrev->tag;
		rc = look_at(f, &die);
		if (rc || !die.abbrev->children)
			at = die.next;
		else if (depth > TFS_DIE_DEPTH_MAX || !holds_functions(tag) ||
			 (f->flat && (is_type(tag) || (!f->walk->inlines && is_in_function(tag)))))
			at = tfs_scan_after(f->scan, &die);
		else {
			at = die.next;
			depth++;
		}
	}
	return rc;
}

struct tfs_scan *tfs_image_scan(struct tfs_image *img)
{
	if (!img->scan)
		img->scan = calloc(1, sizeof(*img->scan));
	return img->scan;
}

int tfs_walk_unit(struct tfs_image *img, const struct tfs_walk *walk, Dwarf_Die *unit)
{
	struct fast f = { .walk = walk, .unit = unit };
	struct tfs_scan_die die;
	int rc;

	f.scan = tfs_image_scan(img);
	if (!f.scan)
		return -ENOMEM;
	tfs_image_read_on(img, unit->addr);
	rc = tfs_scan_open(f.scan, unit, img->big);
	if (rc == -ENOTSUP)
		return tfs_walk_unit_slowly(walk, unit);
	/* to ask libdw is to have it read all of the unit's abbreviations */
	f.flat = f.scan->language < 0 ? tfs_unit_is_flat(unit) :
					tfs_language_is_flat(f.scan->language);
	if (!rc && tfs_scan_read(f.scan, f.scan->unit, &die) && die.abbrev->children)
		rc = walk_fast(&f, &die);
	return rc;
}
