/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/func-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/strbuf-core.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/die-reader.h"

/*
 * Which namespaces and types a function is in, and which function an inlined copy. For each that
 * is asked for libdw walks over its unit from the beginning; here all scopes of a unit are listed
 * once, in the order of the file.
 */

#define NONE SIZE_MAX

/**
 * struct span - a DIE with others in it
 * @parent: index of the one it is in, NONE for the unit
 * @tag: DW_TAG_*
 * @open: scopes are looked for in it, as libdw does
 */
struct span {
	const unsigned char *begin;
	const unsigned char *end;
	size_t parent;
	uint16_t tag;
	bool open;
};

/**
 * struct tfs_scopes - those of a unit
 * @unit: address of its DIE, NULL if there is no table
 * @left: that of the last unit that was left to libdw
 */
struct tfs_scopes {
	const void *unit;
	const void *left;
	struct tfs_die_reader reader;
	struct span *v;
	size_t n;
	size_t cap;
};

static void release(struct tfs_debuginfo *dbg)
{
	struct tfs_scopes *s = dbg->scopes;

	dbg->scopes = NULL;
	tfs_die_reader_release(&s->reader);
	free(s->v);
	free(s);
}

static bool is_open(int tag)
{
	switch (tag) {
	case DW_TAG_module:
	case DW_TAG_lexical_block:
	case DW_TAG_with_stmt:
	case DW_TAG_catch_block:
	case DW_TAG_try_block:
	case DW_TAG_entry_point:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_subprogram:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
		return true;
	default:
		return false;
	}
}

static int add_span(struct tfs_scopes *s, const struct span *span)
{
	if (tfs_grow(&s->v, &s->cap, s->n + 1))
		return -ENOMEM;
	s->v[s->n++] = *span;
	return 0;
}

/* All DIEs of the unit that have others in them; -ENOTSUP if it is damaged. */
static int list_spans(struct tfs_scopes *s)
{
	const struct tfs_die_reader *reader = &s->reader;
	const unsigned char *at;
	struct tfs_raw_die die;
	size_t parent = NONE;
	int rc = 0;

	if (!tfs_raw_die_read(reader, reader->unit, &die) || !die.abbrev->children)
		return -ENOTSUP;
	at = die.next;
	while (!rc) {
		struct span span = { .begin = at, .parent = parent };

		if (!at || at >= reader->end)
			return -ENOTSUP;
		if (!*at) {
			at++;
			if (parent == NONE)
				return 0;
			s->v[parent].end = at;
			parent = s->v[parent].parent;
			continue;
		}
		if (!tfs_raw_die_read(reader, at, &die))
			return -ENOTSUP;
		at = die.next;
		if (!die.abbrev->children)
			continue;
		span.tag = die.abbrev->tag;
		span.open = is_open(span.tag);
		if (!span.open)
			span.end = at = tfs_raw_die_after(reader, &die);
		rc = add_span(s, &span);
		if (span.open)
			parent = s->n - 1;
	}
	return rc;
}

/* The table of the unit a DIE is in; NULL if that is left to libdw. */
static const struct tfs_scopes *scopes_of(struct tfs_debuginfo *dbg, Dwarf_Die *die)
{
	struct tfs_scopes *s = dbg->scopes;
	Dwarf_Die unit;
	int rc;

	if (!s) {
		s = dbg->scopes = calloc(1, sizeof(*s));
		if (s)
			tfs_debuginfo_on_free(dbg, release);
	}
	if (!s || !dwarf_diecu(die, &unit, NULL, NULL) || s->left == unit.addr)
		return NULL;
	if (s->unit == unit.addr)
		return s;
	s->unit = NULL;
	s->n = 0;
	rc = tfs_die_reader_open(&s->reader, &unit, tfs_dso_is_big_endian(dbg->dso));
	if (!rc)
		rc = list_spans(s);
	if (rc) {
		s->left = unit.addr;
		return NULL;
	}
	s->unit = unit.addr;
	return s;
}

/* Index of the innermost that holds a byte, and does not begin there. */
static size_t span_around(const struct tfs_scopes *s, const unsigned char *at)
{
	size_t low = tfs_bisect(i, s->n, s->v[i].begin < at);

	low = low ? low - 1 : NONE;
	while (low != NONE && s->v[low].end <= at)
		low = s->v[low].parent;
	return low;
}

/*
 * The names of an inline namespace are also names of the one around it; so are those of one without
 * a name, of which LLVM does not say so.
 */
static bool is_inline(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_namespace &&
	       (dwarf_hasattr(die, DW_AT_export_symbols) || !dwarf_hasattr(die, DW_AT_name));
}

/* "ns::Class::" of the scopes from @at outwards, the outermost first. */
static int add_scopes(const struct tfs_scopes *s, size_t at, bool no_inline, unsigned int depth,
		      struct tfs_strbuf *sb)
{
	Dwarf_Die die;
	const char *name;
	int rc = 0;

	if (at == NONE)
		return 0;
	if (depth > TFS_DIE_DEPTH_MAX ||
	    !dwarf_offdie(s->reader.dw, (Dwarf_Off)(s->v[at].begin - s->reader.info.s), &die))
		return -ENOTSUP;
	rc = add_scopes(s, s->v[at].parent, no_inline, depth + 1, sb);
	if (rc || !tfs_die_is_named_scope(&die) || (no_inline && is_inline(&die)))
		return rc;
	name = dwarf_diename(&die);
	return tfs_strbuf_addf(sb, "%s::", name ? name : "(anonymous)");
}

int tfs_die_function(struct tfs_debuginfo *dbg, Dwarf_Die *die, Dwarf_Die *func)
{
	const struct tfs_scopes *s = scopes_of(dbg, die);
	size_t at;

	if (!s)
		return -ENOTSUP;
	for (at = span_around(s, die->addr); at != NONE && s->v[at].open; at = s->v[at].parent) {
		if (s->v[at].tag != DW_TAG_subprogram)
			continue;
		*func = (Dwarf_Die){ .addr = (void *)(uintptr_t)s->v[at].begin, .cu = die->cu };
		return 0;
	}
	return -ENOENT;
}

static char *qualified_name(struct tfs_debuginfo *dbg, Dwarf_Die *die, bool no_inline)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const char *name = tfs_die_name(die);
	const struct tfs_scopes *s;
	Dwarf_Die origin;
	char *out = NULL;
	size_t at;
	int rc;

	if (!name)
		return NULL;
	tfs_die_origin(die, &origin);
	s = scopes_of(dbg, &origin);
	if (!s)
		return tfs_die_qualified_name(die);
	at = span_around(s, origin.addr);
	/* libdw finds no function in unions and enumerations */
	if (at != NONE && !s->v[at].open)
		at = NONE;
	rc = add_scopes(s, at, no_inline, 0, &sb);
	if (!rc)
		rc = tfs_strbuf_adds(&sb, name);
	if (!rc)
		rc = tfs_strbuf_detach(&sb, &out);
	tfs_strbuf_release(&sb);
	return rc ? tfs_die_qualified_name(die) : out;
}

char *tfs_func_qualified_name(struct tfs_debuginfo *dbg, Dwarf_Die *die)
{
	return qualified_name(dbg, die, false);
}

char *tfs_func_visible_name(struct tfs_debuginfo *dbg, Dwarf_Die *die)
{
	return qualified_name(dbg, die, true);
}
