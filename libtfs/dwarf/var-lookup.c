/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Variables outside of functions. A name is looked up from the function's innermost namespace or
 * class outward, as C++ does ([basic.lookup.unqual]); only then anywhere.
 */
#include "dwarf/var-lookup.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "dwarf/func-internal.h"
#include "dwarf/loc.h"
#include "dwarf/type.h"
#include "dwarf/unit.h"

/* Scopes in scopes: no source nests deeper. */
#define NEST_MAX 16
/* Variables of one name that are compared. */
#define ENTRIES_MAX 1024
/* As many as are shown to choose from. */
#define SHOWN_MAX 8

/* One component of a qualified name. @skipped: names within need not say it. */
struct part {
	const char *name;
	size_t len;
	bool skipped;
};

/* struct name - a qualified name, outermost component first */
struct name {
	struct part part[NEST_MAX];
	size_t n;
};

/**
 * struct entry - a variable of the name that is looked for
 * @defined: it has a place; otherwise it is only declared
 * @own: of the function's own source
 */
struct entry {
	Dwarf_Die die;
	struct name name;
	bool defined;
	bool own;
};

/**
 * struct lookup - looking for a variable
 * @typed: its name; @absolute: it was typed with :: in front
 * @unit: of the function
 * @source: unit in which it was written, where that is another; NULL otherwise
 * @scope: the namespaces and classes around the function, innermost first, without the unit
 * @flat: its language has none
 * @rust: its language does not look outward
 */
struct lookup {
	const struct tfs_scope *at;
	struct name typed;
	bool absolute;
	Dwarf_Die func;
	Dwarf_Die unit;
	Dwarf_Die source_die;
	Dwarf_Die *source;
	Dwarf_Die *scope;
	size_t n_scope;
	bool flat;
	bool rust;
	struct entry *entry;
	size_t n;
	size_t cap;
};

static bool is_definition(Dwarf_Die *die)
{
	return !tfs_var_is_declaration(die) && tfs_loc_form(die, NULL) != TFS_LOC_FORM_NONE;
}

/* "a::b<c::d>::e" */
static bool split_name(const char *text, struct name *name)
{
	const char *begin = text;
	int depth = 0;

	for (const char *s = text;; s++) {
		depth += *s == '<' ? 1 : *s == '>' ? -1 : 0;
		if (*s && (depth > 0 || strncmp(s, "::", 2) != 0))
			continue;
		if (s == begin || name->n == NEST_MAX)
			return false;
		name->part[name->n++] = (struct part){ begin, (size_t)(s - begin), false };
		if (!*s)
			return true;
		begin = s + 2;
		s++;
	}
}

/* "using namespace" of @space, which is how DWARF 4 describes inline and unnamed ones. */
static bool is_imported(Dwarf_Die *parent, Dwarf_Die *space)
{
	Dwarf_Attribute attr;
	Dwarf_Die die, target;

	if (dwarf_child(parent, &die) != 0)
		return false;
	do {
		if (dwarf_tag(&die) == DW_TAG_imported_module &&
		    dwarf_attr(&die, DW_AT_import, &attr) && dwarf_formref_die(&attr, &target) &&
		    target.addr == space->addr)
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

static bool is_skipped(Dwarf_Die *parent, Dwarf_Die *space)
{
	return dwarf_tag(space) == DW_TAG_namespace &&
	       (!dwarf_diename(space) || dwarf_hasattr(space, DW_AT_export_symbols) ||
		is_imported(parent, space));
}

/* The scopes that a DIE is declared in, itself first; -ENOENT, -ENOMEM */
static int scopes_of(Dwarf_Die *die, Dwarf_Die **scopes)
{
	Dwarf_Die origin;
	int n;

	tfs_die_origin(die, &origin);
	*scopes = NULL;
	n = dwarf_getscopes_die(&origin, scopes);
	return n > 0 ? n : -ENOENT;
}

static int name_of(Dwarf_Die *die, struct name *name)
{
	Dwarf_Die *scopes;
	int n = scopes_of(die, &scopes);

	if (n < 0)
		return n;
	name->n = 0;
	for (int i = n - 2; i >= 0 && name->n < NEST_MAX; i--) {
		const char *own = dwarf_diename(&scopes[i]);

		if (i && !tfs_die_is_named_scope(&scopes[i]))
			continue;
		name->part[name->n++] =
			(struct part){ own ? own : "", own ? strlen(own) : 0,
				       i && is_skipped(&scopes[i + 1], &scopes[i]) };
	}
	free(scopes);
	return 0;
}

static bool same_part(const struct part *a, const struct part *b)
{
	return a->len == b->len && a->len && memcmp(a->name, b->name, a->len) == 0;
}

/* Does @full, from component @i on, say what @wanted says from @k on? */
static bool says(const struct name *full, size_t i, const struct name *wanted, size_t k)
{
	for (; i < full->n; i++) {
		if (k < wanted->n && same_part(&full->part[i], &wanted->part[k])) {
			if (says(full, i + 1, wanted, k + 1))
				return true;
		}
		if (!full->part[i].skipped)
			return false;
	}
	return k == wanted->n;
}

/* The same for a name that may leave out any components at the front. */
static bool ends_in(const struct name *full, const struct name *wanted)
{
	for (size_t i = 0; i < full->n; i++) {
		if (says(full, i, wanted, 0))
			return true;
	}
	return false;
}

static bool same_name(const struct name *a, const struct name *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		if (a->part[i].len != b->part[i].len ||
		    memcmp(a->part[i].name, b->part[i].name, a->part[i].len) != 0)
			return false;
	}
	return true;
}

/* --- gathering --- */

/* Optimised at link time, a program has units for places, which refer to those of the sources. */
static bool is_written_in(Dwarf_Die *die, Dwarf_Die *unit)
{
	Dwarf_Die origin, its;

	tfs_die_origin(die, &origin);
	return dwarf_diecu(&origin, &its, NULL, NULL) && its.addr == unit->addr;
}

/* Variables that gather() collects. */
enum take {
	TAKE_ALL,      /* of the function's own unit */
	TAKE_OWN,      /* what was written in its source, wherever that is described */
	TAKE_EXTERNAL, /* what other files see */
};

static bool is_wanted(const struct lookup *l, Dwarf_Die *die, enum take take)
{
	const struct part *last = &l->typed.part[l->typed.n - 1];
	const char *own = tfs_var_name(die);

	if (!own || strlen(own) != last->len || memcmp(own, last->name, last->len) != 0)
		return false;
	if (take == TAKE_OWN)
		return is_definition(die) && is_written_in(die, l->source);
	if (take == TAKE_EXTERNAL)
		return is_definition(die) && dwarf_hasattr_integrate(die, DW_AT_external);
	return true;
}

static int add_entry(struct lookup *l, Dwarf_Die *die, enum take take)
{
	struct entry *e;
	int rc;

	if (tfs_grow(&l->entry, &l->cap, l->n + 1))
		return -ENOMEM;
	e = &l->entry[l->n];
	*e = (struct entry){ .die = *die,
			     .defined = is_definition(die),
			     .own = take != TAKE_EXTERNAL };
	rc = name_of(die, &e->name);
	l->n += !rc;
	return rc == -ENOENT ? 0 : rc;
}

/* A class is looked into for the static members it declares. */
static bool has_variables(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
		return true;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return dwarf_haschildren(die) > 0;
	default:
		return false;
	}
}

static bool is_variable(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_variable ||
	       (tag == DW_TAG_member && dwarf_hasattr(die, DW_AT_external));
}

/* Classes of other units are skipped: their static members are defined outside of them. */
static int gather(struct lookup *l, Dwarf_Die *parent, enum take take, unsigned int depth)
{
	Dwarf_Die die;
	int rc = 0;

	if (depth > NEST_MAX || dwarf_child(parent, &die) != 0)
		return 0;
	do {
		if (l->n == ENTRIES_MAX)
			return 0;
		if (is_variable(&die)) {
			if (is_wanted(l, &die, take))
				rc = add_entry(l, &die, take);
		} else if (l->flat ? dwarf_tag(&die) == DW_TAG_namespace :
				     has_variables(&die) && (take == TAKE_ALL ||
							     dwarf_tag(&die) == DW_TAG_namespace)) {
			rc = gather(l, &die, take, depth + 1);
		}
	} while (!rc && dwarf_siblingof(&die, &die) == 0);
	return rc;
}

static int gather_units(struct lookup *l, enum take take, bool first)
{
	struct tfs_units units = { 0 };
	size_t before = l->n;
	Dwarf_Die unit;
	int rc = 0;

	while (!rc && l->at->dso && !(first && l->n > before) &&
	       tfs_units_next(l->at->dbg, &units, &unit) > 0)
		rc = gather(l, &unit, take, 0);
	return rc;
}

/* --- choosing --- */

/* struct choice - entries that fit; @several: of more than one variable */
struct choice {
	struct entry *best;
	struct tfs_strvec names;
	bool several;
};

static int print_name(const struct name *name, struct tfs_strvec *out)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < name->n && !rc; i++) {
		const struct part *p = &name->part[i];

		if (p->len)
			rc = tfs_strbuf_addf(&sb, "%s%.*s", i || name->n == 1 ? "::" : "",
					     (int)p->len, p->name);
		else
			rc = tfs_strbuf_addf(&sb, "%s(anonymous)", i ? "::" : "");
	}
	if (!rc && !tfs_strvec_has(out, sb.s))
		rc = tfs_strvec_push(out, sb.s);
	tfs_strbuf_release(&sb);
	return rc;
}

static int take_entry(struct choice *c, struct entry *e)
{
	if (c->best && !same_name(&c->best->name, &e->name)) {
		c->several = true;
	} else if (!c->best || (!c->best->defined && e->defined) ||
		   (c->best->defined == e->defined && !c->best->own && e->own)) {
		c->best = e;
	}
	return print_name(&e->name, &c->names);
}

static int choose(struct lookup *l, const struct name *wanted, bool anywhere, struct choice *c)
{
	int rc = 0;

	for (size_t i = 0; i < l->n && !rc; i++) {
		struct entry *e = &l->entry[i];

		if (anywhere ? e->defined && ends_in(&e->name, wanted) :
			       says(&e->name, 0, wanted, 0))
			rc = take_entry(c, e);
	}
	return rc;
}

static bool append(struct name *name, const struct name *more)
{
	for (size_t i = 0; i < more->n; i++) {
		if (more->part[i].skipped)
			continue;
		if (name->n == NEST_MAX)
			return false;
		name->part[name->n++] = more->part[i];
	}
	return true;
}

/* Look up the name in namespace or class @scope. */
static int choose_in(struct lookup *l, Dwarf_Die *scope, struct choice *c)
{
	struct name wanted = { 0 }, its;

	if (scope && (name_of(scope, &its) || !append(&wanted, &its)))
		return 0;
	return append(&wanted, &l->typed) ? choose(l, &wanted, false, c) : 0;
}

/* using NS::NAME; and using namespace NS; which @scope says. */
static int choose_used(struct lookup *l, Dwarf_Die *scope, struct choice *c)
{
	Dwarf_Attribute attr;
	Dwarf_Die die, target;
	struct name its;
	int rc = 0;

	if (l->flat || dwarf_child(scope, &die) != 0)
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if ((tag != DW_TAG_imported_module && tag != DW_TAG_imported_declaration) ||
		    !dwarf_attr(&die, DW_AT_import, &attr) || !dwarf_formref_die(&attr, &target))
			continue;
		if (tag == DW_TAG_imported_module)
			rc = choose_in(l, &target, c);
		else if (l->typed.n == 1 && is_variable(&target) &&
			 is_wanted(l, &target, TAKE_ALL) && !name_of(&target, &its))
			rc = choose(l, &its, false, c);
	} while (!rc && dwarf_siblingof(&die, &die) == 0);
	return rc;
}

/* Members of the classes that a class is derived from. */
static int choose_in_bases(struct lookup *l, Dwarf_Die *class, struct choice *c, unsigned int depth)
{
	Dwarf_Die die, type;
	Dwarf_Attribute attr;
	int rc = 0;

	if (depth == NEST_MAX || dwarf_tag(class) == DW_TAG_namespace ||
	    dwarf_child(class, &die) != 0)
		return 0;
	do {
		if (dwarf_tag(&die) != DW_TAG_inheritance ||
		    !dwarf_formref_die(dwarf_attr(&die, DW_AT_type, &attr), &type) ||
		    dwarf_peel_type(&type, &type) != 0)
			continue;
		rc = choose_in(l, &type, c);
		if (!rc && !c->best)
			rc = choose_in_bases(l, &type, c, depth + 1);
	} while (!rc && dwarf_siblingof(&die, &die) == 0);
	return rc;
}

/* The blocks of the function that hold the place may say "using", too. */
static int choose_in_function(struct lookup *l, struct choice *c)
{
	Dwarf_Die at = l->func, die;
	bool found = true;
	int rc = choose_used(l, &at, c);

	for (unsigned int depth = 0; depth < NEST_MAX && !rc && found; depth++) {
		if (dwarf_child(&at, &die) != 0)
			break;
		do {
			found = dwarf_tag(&die) == DW_TAG_lexical_block &&
				dwarf_haspc(&die, l->at->pc) > 0;
		} while (!found && dwarf_siblingof(&die, &die) == 0);
		if (found) {
			at = die;
			rc = choose_used(l, &at, c);
		}
	}
	return rc;
}

/* The classes and namespaces around the function; in Rust, the innermost only. */
static int choose_around(struct lookup *l, struct choice *c)
{
	size_t n = l->rust && l->n_scope ? 1 : l->n_scope;
	int rc = 0;

	for (size_t i = 0; i < n && !rc && !c->best; i++) {
		rc = choose_in(l, &l->scope[i], c);
		if (!rc && !c->best)
			rc = choose_in_bases(l, &l->scope[i], c, 0);
		if (!rc && !c->best)
			rc = choose_used(l, &l->scope[i], c);
	}
	return rc;
}

/* From the innermost scope outward, to the first that knows the name. */
static int choose_visible(struct lookup *l, struct choice *c)
{
	int rc = 0;

	if (!l->absolute && !l->flat) {
		rc = choose_in_function(l, c);
		/* in Rust a static of a function is in a namespace of the function's name */
		if (!rc && l->rust)
			rc = choose_in(l, &l->func, c);
		if (!rc)
			rc = choose_around(l, c);
	}
	if (!rc && !c->best)
		rc = choose_in(l, NULL, c);
	if (!rc && !c->best && !l->absolute)
		rc = choose_used(l, l->source ? l->source : &l->unit, c);
	return rc;
}

/* --- where they are defined --- */

/* The name means what the unit only declares: where it is defined, if that is to be had. */
static int follow_declaration(struct lookup *l, struct choice *c)
{
	const struct name wanted = c->best->name;
	Dwarf_Die declared = c->best->die;
	struct choice found = { 0 };
	bool external = dwarf_hasattr_integrate(&declared, DW_AT_external) ||
			dwarf_hasattr_integrate(&declared, DW_AT_declaration);
	size_t before = l->n;
	int rc = 0;

	/* Optimised away, and no other file knows it. */
	if (!external && !l->source)
		return 0;
	tfs_strvec_init(&found.names);
	if (l->source)
		rc = gather_units(l, TAKE_OWN, false);
	if (!rc && external && l->n == before)
		rc = gather_units(l, TAKE_EXTERNAL, l->flat);
	for (size_t i = before; i < l->n && !rc; i++) {
		if (same_name(&l->entry[i].name, &wanted))
			rc = take_entry(&found, &l->entry[i]);
	}
	c->best = found.best;
	for (size_t i = 0; i < l->n && !c->best; i++) {
		if (l->entry[i].die.addr == declared.addr)
			c->best = &l->entry[i];
	}
	tfs_strvec_release(&found.names);
	return rc;
}

static int find_visible(struct lookup *l, struct choice *c)
{
	int rc = gather(l, l->source ? l->source : &l->unit, TAKE_ALL, 0);

	if (!rc && l->source)
		rc = gather(l, &l->unit, TAKE_OWN, 0);
	if (!rc)
		rc = choose_visible(l, c);
	if (!rc && c->best && !c->several && !c->best->defined)
		rc = follow_declaration(l, c);
	return rc;
}

/*
 * Variables that are not visible by the rules of the language: those of other files first, then
 * those in any scope. A Rust crate has several units, and all variables of the crate are visible.
 */
static int find_anywhere(struct lookup *l, struct choice *c)
{
	int rc = gather_units(l, l->rust ? TAKE_ALL : TAKE_EXTERNAL, l->flat);

	if (!rc)
		rc = choose_visible(l, c);
	if (!rc && !c->best && !l->absolute)
		rc = choose(l, &l->typed, true, c);
	return rc;
}

/* The unit a function was written in; false if that is the unit it is in, or is unknown. */
static bool source_unit(Dwarf_Die *func, Dwarf_Die *source)
{
	Dwarf_Die origin, unit;

	tfs_die_origin(func, &origin);
	/* dwz moves what several units share to partial ones, which no source has written */
	return dwarf_diecu(&origin, source, NULL, NULL) && dwarf_diecu(func, &unit, NULL, NULL) &&
	       source->addr != unit.addr && dwarf_tag(source) == DW_TAG_compile_unit;
}

static int begin(struct lookup *l, const struct tfs_scope *scope, const char *name)
{
	Dwarf_Die *scopes;
	int n, language;

	l->at = scope;
	l->absolute = !strncmp(name, "::", 2);
	if (!split_name(name + (l->absolute ? 2 : 0), &l->typed) ||
	    !tfs_var_function(scope, &l->func) || !dwarf_diecu(&l->func, &l->unit, NULL, NULL))
		return -ENOENT;
	if (source_unit(&l->func, &l->source_die))
		l->source = &l->source_die;
	language = dwarf_srclang(l->source ? l->source : &l->unit);
	l->flat = tfs_language_is_flat(language);
	l->rust = language == DW_LANG_Rust;
	n = l->flat ? 0 : scopes_of(&l->func, &scopes);
	if (n <= 0)
		return n == -ENOMEM ? n : 0;
	l->scope = scopes;
	for (int i = 1; i < n - 1; i++) {
		if (tfs_die_is_named_scope(&scopes[i]))
			scopes[l->n_scope++] = scopes[i];
	}
	return 0;
}

static int refuse_several(const struct choice *c, struct tfs_refusing *r)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < c->names.n && i < SHOWN_MAX && !rc; i++)
		rc = tfs_strbuf_addf(&sb, "%s'%s'", i ? ", " : "", c->names.v[i]);
	if (!rc && c->names.n > SHOWN_MAX)
		rc = tfs_strbuf_adds(&sb, ", ...");
	if (!rc) {
		rc = tfs_var_refuse(r, TFS_REFUSAL_AMBIGUOUS, "%zu variables have this name",
				    c->names.n);
		tfs_err_hint(r->err, "which one is meant: %s?", sb.s);
	}
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_var_lookup(const struct tfs_scope *scope, const char *name, Dwarf_Die *out,
		   enum tfs_found *where, struct tfs_refusing *r)
{
	struct lookup l = { 0 };
	struct choice c = { 0 };
	int rc;

	tfs_strvec_init(&c.names);
	rc = begin(&l, scope, name);
	if (!rc)
		rc = find_visible(&l, &c);
	if (!rc && !c.best)
		rc = find_anywhere(&l, &c);
	if (!rc && !c.best)
		rc = -ENOENT;
	if (!rc && c.several)
		rc = refuse_several(&c, r);
	if (!rc) {
		*out = c.best->die;
		*where = c.best->own ? TFS_FOUND_UNIT : TFS_FOUND_ELSEWHERE;
	}
	tfs_strvec_release(&c.names);
	free(l.scope);
	free(l.entry);
	return rc;
}
