/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/type.h"

#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf-core.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/func-internal.h"
#include "dwarf/unit.h"

/*
 * A kernel has some millions of DIEs beside functions; to go through them once for each of many
 * structures that are nowhere defined would have no end.
 */
#define SOUGHT_MAX 30000000
/* Definitions of one name that are compared. */
#define DEFINITIONS_MAX 8

static bool is_struct(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

/* The definition of a struct of this name among @parent's children. */
static bool defined_in(Dwarf_Die *parent, const char *name, size_t *sought, Dwarf_Die *out)
{
	Dwarf_Die die;

	if (*sought > SOUGHT_MAX || dwarf_child(parent, &die) != 0)
		return false;
	do {
		const char *own;

		++*sought;
		if (!is_struct(dwarf_tag(&die)) || dwarf_hasattr(&die, DW_AT_declaration))
			continue;
		own = dwarf_diename(&die);
		if (own && strcmp(own, name) == 0) {
			*out = die;
			return true;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* Two classes of one name may be in different scopes; in C there are none. */
static bool same_scope(Dwarf_Die *a, Dwarf_Die *b)
{
	Dwarf_Die unit;
	char *x, *y;
	bool same;

	if (dwarf_diecu(a, &unit, NULL, NULL) && tfs_unit_is_flat(&unit) &&
	    dwarf_diecu(b, &unit, NULL, NULL) && tfs_unit_is_flat(&unit))
		return true;
	x = tfs_die_qualified_name(a);
	y = tfs_die_qualified_name(b);
	same = !x || !y || strcmp(x, y) == 0;
	free(x);
	free(y);
	return same;
}

static bool same_members(Dwarf_Die *a, Dwarf_Die *b)
{
	Dwarf_Die x, y;
	int more_x = dwarf_child(a, &x), more_y = dwarf_child(b, &y);

	while (!more_x && !more_y) {
		const char *one = dwarf_diename(&x), *other = dwarf_diename(&y);
		uint64_t at = 0, there = 0;

		tfs_type_uint(&x, DW_AT_data_member_location, &at);
		tfs_type_uint(&y, DW_AT_data_member_location, &there);
		if (dwarf_tag(&x) != dwarf_tag(&y) || at != there || !one != !other ||
		    (one && strcmp(one, other) != 0))
			return false;
		more_x = dwarf_siblingof(&x, &x);
		more_y = dwarf_siblingof(&y, &y);
	}
	return more_x && more_y;
}

/* A header's struct is defined in each unit that includes it. */
static bool same_definition(Dwarf_Die *a, Dwarf_Die *b)
{
	uint64_t size_a = 0, size_b = 0;
	int line_a = 0, line_b = 0;

	tfs_type_uint(a, DW_AT_byte_size, &size_a);
	tfs_type_uint(b, DW_AT_byte_size, &size_b);
	if (size_a != size_b)
		return false;
	return (!dwarf_decl_line(a, &line_a) && !dwarf_decl_line(b, &line_b) && line_a == line_b) ||
	       same_members(a, b);
}

static size_t add_different(Dwarf_Die *v, size_t n, Dwarf_Die *die)
{
	for (size_t i = 0; i < n; i++) {
		if (same_definition(&v[i], die))
			return n;
	}
	if (n < DEFINITIONS_MAX)
		v[n++] = *die;
	return n;
}

/*
 * Collect definitions that differ. For a kernel the first one must do: searching all of its units
 * takes longer than everything else.
 */
static size_t look_for_definitions(struct tfs_debuginfo *dbg, Dwarf_Die *declared, Dwarf_Die *v)
{
	struct tfs_unit_list list = { 0 };
	struct tfs_units units = { 0 };
	const char *name = dwarf_diename(declared);
	int tag = dwarf_tag(declared);
	Dwarf_Die unit, die;
	size_t n = 0;

	if (tfs_dso_kind(dbg->dso) != TFS_DSO_PROGRAM) {
		while (tfs_units_next(dbg, &units, &unit) > 0)
			if (defined_in(&unit, name, &dbg->definitions.searched, v) &&
			    dwarf_tag(v) == tag)
				return 1;
		return 0;
	}
	if (!tfs_units_naming(dbg, name, &list)) {
		for (size_t i = 0; i < list.n; i++) {
			if (defined_in(&list.v[i], name, &dbg->definitions.searched, &die) &&
			    dwarf_tag(&die) == tag && same_scope(declared, &die))
				n = add_different(v, n, &die);
		}
	}
	free(list.v);
	return n;
}

/* Many functions have parameters of the same few types: what was looked for once is known. */
static bool definition_of(struct tfs_debuginfo *dbg, Dwarf_Die *declared, Dwarf_Die *out)
{
	struct tfs_definitions *d = &dbg->definitions;
	Dwarf_Die found[DEFINITIONS_MAX];
	char key[256];
	size_t i;
	bool fits = snprintf(key, sizeof(key), "%x %s", (unsigned int)dwarf_tag(declared),
			     dwarf_diename(declared)) < (int)sizeof(key);

	if (fits && tfs_strmap_get(&d->known, key, &i)) {
		if (i)
			*out = d->v[i - 1];
		return i > 0;
	}
	i = 0;
	if (look_for_definitions(dbg, declared, found) == 1) {
		*out = found[0];
		if (tfs_grow_one(&d->v, d->n))
			return true;
		d->v[d->n++] = *out;
		i = d->n;
	}
	/* without memory it is looked for again */
	if (fits)
		tfs_strmap_put(&d->known, key, i);
	return i > 0;
}

void tfs_type_define(const struct tfs_scope *scope, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die found;

	/* gcc's stub for a type in a type unit (-fdebug-types-section) refers to it */
	if (dwarf_attr(die, DW_AT_signature, &attr) && dwarf_formref_die(&attr, &found)) {
		*die = found;
		return;
	}
	if (!dwarf_hasattr(die, DW_AT_declaration))
		return;
	if (dwarf_diename(die) && scope->dbg && definition_of(scope->dbg, die, &found))
		*die = found;
}

size_t tfs_type_definitions(const struct tfs_scope *scope, const struct tfs_type *type,
			    struct tfs_strbuf *out)
{
	Dwarf_Die found[DEFINITIONS_MAX], die = type->die;
	size_t n = scope->dbg && dwarf_diename(&die) ?
			   look_for_definitions(scope->dbg, &die, found) :
			   0;

	for (size_t i = 0; i < n; i++) {
		const char *file = tfs_die_decl_file(scope->dbg, &found[i]);
		const char *slash = file ? strrchr(file, '/') : NULL;
		uint64_t size = 0;
		int line = 0;

		tfs_type_uint(&found[i], DW_AT_byte_size, &size);
		if (dwarf_decl_line(&found[i], &line))
			line = 0;
		tfs_strbuf_addf(out, "%s%s:%d (%" PRIu64 " bytes)", i ? ", " : "",
				slash ? slash + 1 :
				file  ? file :
					"?",
				line, size);
	}
	return n;
}
