/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/var-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sym/func-internal.h"
#include "sym/func-internal.h"
#include "sym/image-internal.h"

/* Blocks in blocks. */
#define NEST_MAX 128

/* What a search outside of functions takes. */
enum find {
	FIND_ANY,      /* definitions */
	FIND_EXTERNAL, /* those that other files see */
	FIND_DECLARED, /* what is said to be defined elsewhere */
};

/* More than any function has; names are compared each with each. */
#define PARAMS_MAX 1024
#define LOCALS_MAX 4096

struct collect {
	const struct tfs_scope *scope;
	struct tfs_locals *out;
	const char **name;
	size_t cap;
	bool params;
};

static bool is_variable(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

/* A declaration ("extern int x;") says nothing about where; its definition is looked for. */
static bool is_declaration(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	return dwarf_hasattr(die, DW_AT_declaration) && !dwarf_attr(die, DW_AT_location, &attr);
}

static bool is_known(const struct collect *c, const char *name)
{
	for (size_t i = 0; i < c->out->n; i++)
		if (strcmp(c->name[i], name) == 0)
			return true;
	return false;
}

static int keep(struct collect *c, Dwarf_Die *die, const char *name)
{
	size_t cap = c->cap ? c->cap * 2 : 16;
	const char **names;
	Dwarf_Die *bigger;

	if (c->out->n == (c->params ? PARAMS_MAX : LOCALS_MAX))
		return -E2BIG;
	if (c->out->n == c->cap) {
		bigger = reallocarray(c->out->die, cap, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		c->out->die = bigger;
		names = reallocarray(c->name, cap, sizeof(*names));
		if (!names)
			return -ENOMEM;
		c->name = names;
		c->cap = cap;
	}
	c->name[c->out->n] = name;
	c->out->die[c->out->n++] = *die;
	return 0;
}

/* Go lists what a function returns among its parameters; it has no value before the end. */
static bool is_result(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	bool is = false;

	return dwarf_attr_integrate(die, DW_AT_variable_parameter, &attr) &&
	       !dwarf_formflag(&attr, &is) && is;
}

/* Inner blocks first, so that what they shadow is known when it comes. */
static int collect(struct collect *c, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die die;
	int rc = 0;

	if (depth > NEST_MAX || dwarf_child(parent, &die) != 0)
		return 0;
	if (!c->params) {
		do {
			if (dwarf_tag(&die) == DW_TAG_lexical_block &&
			    dwarf_haspc(&die, c->scope->pc) > 0)
				rc = collect(c, &die, depth + 1);
		} while (!rc && dwarf_siblingof(&die, &die) == 0);
		dwarf_child(parent, &die);
	}
	if (rc)
		return rc;
	do {
		bool param = dwarf_tag(&die) == DW_TAG_formal_parameter;
		const char *name = is_variable(&die) ? tfs_var_name(&die) : NULL;

		if (!name || param != c->params || (param && is_result(&die)) ||
		    is_declaration(&die) || is_known(c, name))
			continue;
		rc = keep(c, &die, name);
	} while (!rc && dwarf_siblingof(&die, &die) == 0);
	return rc;
}

/* The compiler may give a copy no parameter at all where it has nothing to say about it. */
static int collect_origin(struct collect *c)
{
	Dwarf_Attribute attr;
	Dwarf_Die func = c->scope->func, origin;

	if (!dwarf_attr(&func, DW_AT_abstract_origin, &attr) || !dwarf_formref_die(&attr, &origin))
		return 0;
	return collect(c, &origin, 0);
}

static Dwarf_Off declared_at(Dwarf_Die *die)
{
	Dwarf_Die origin;

	tfs_die_origin(die, &origin);
	return dwarf_dieoffset(&origin);
}

/* As they are declared: gcc lists those of an inlined copy the other way round. */
static void sort_params(struct tfs_locals *l)
{
	for (size_t i = 1; i < l->n; i++) {
		Dwarf_Die die = l->die[i];
		Dwarf_Off off = declared_at(&die);
		size_t j = i;

		for (; j && declared_at(&l->die[j - 1]) > off; j--)
			l->die[j] = l->die[j - 1];
		l->die[j] = die;
	}
}

/* Function or inlined copy: a block is part of it. */
static bool whole_function(const struct tfs_scope *scope, Dwarf_Die *out)
{
	Dwarf_Die *scopes = NULL;
	int i, n, tag;

	*out = scope->func;
	tag = dwarf_tag(out);
	if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
		return true;
	n = dwarf_getscopes_die(out, &scopes);
	for (i = 0; i < n; i++) {
		tag = dwarf_tag(&scopes[i]);
		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
			*out = scopes[i];
			break;
		}
	}
	free(scopes);
	return i < n;
}

int tfs_var_locals(const struct tfs_scope *scope, struct tfs_locals *out)
{
	struct collect c = { .scope = scope, .out = out, .params = true };
	Dwarf_Die func;
	int rc;

	memset(out, 0, sizeof(*out));
	if (!whole_function(scope, &func))
		return 0;
	rc = collect(&c, &func, 0);
	if (!rc)
		rc = collect_origin(&c);
	sort_params(out);
	out->n_params = out->n;
	c.params = false;
	if (!rc)
		rc = collect(&c, &func, 0);
	free(c.name);
	if (rc) {
		free(out->die);
		memset(out, 0, sizeof(*out));
	}
	return rc;
}

static int find_local(const struct tfs_scope *scope, const char *name, Dwarf_Die *out)
{
	struct tfs_locals l;
	size_t i;
	int rc = tfs_var_locals(scope, &l);

	if (rc)
		return rc;
	rc = -ENOENT;
	/* Locals, which come last, shadow parameters. */
	for (i = l.n; rc && i-- > 0;) {
		const char *own = tfs_var_name(&l.die[i]);

		if (own && strcmp(own, name) == 0) {
			*out = l.die[i];
			rc = 0;
		}
	}
	free(l.die);
	return rc;
}

/*
 * Whether the definition @die is of the qualified name @name: it stands outside of the namespace or
 * class, and says which declaration in there it is of.
 */
static bool is_qualified(Dwarf_Die *die, const char *name)
{
	const char *end = strstr(name, "::") ? name + strlen(name) : NULL;
	Dwarf_Attribute attr;
	Dwarf_Die *scopes = NULL, spec;
	int i, n;
	bool same = false;

	if (!end || !dwarf_attr(die, DW_AT_specification, &attr) ||
	    !dwarf_formref_die(&attr, &spec))
		return false;
	n = dwarf_getscopes_die(&spec, &scopes);
	for (i = 0; i < n; i++) {
		const char *own = dwarf_diename(&scopes[i]);
		size_t len = own ? strlen(own) : 0;

		if (!len || (size_t)(end - name) < len || strncmp(end - len, own, len) != 0)
			break;
		end -= len;
		same = end == name;
		if (same || end - name < 2 || strncmp(end - 2, "::", 2) != 0)
			break;
		end -= 2;
	}
	free(scopes);
	return same;
}

/**
 * struct wanted - what a search outside of functions takes
 * @of: unit that it was written in, if what is searched holds what was written in many; NULL if not
 */
struct wanted {
	enum find what;
	Dwarf_Die *of;
};

/* Optimised at link time, a program has units for places, which refer to those of the sources. */
static bool is_written_in(Dwarf_Die *die, Dwarf_Die *unit)
{
	Dwarf_Die origin, its;

	tfs_die_origin(die, &origin);
	return dwarf_diecu(&origin, &its, NULL, NULL) && its.addr == unit->addr;
}

static bool is_wanted(Dwarf_Die *die, const struct wanted *w)
{
	if (w->what == FIND_DECLARED)
		return is_declaration(die);
	return !is_declaration(die) && tfs_loc_form(die, NULL) != TFS_LOC_FORM_NONE &&
	       (w->what == FIND_ANY || dwarf_hasattr_integrate(die, DW_AT_external)) &&
	       (!w->of || is_written_in(die, w->of));
}

/* @name may be qualified: NS::NAME. A name without finds what is in a namespace, too. */
static bool find_in(Dwarf_Die *parent, const char *name, const struct wanted *w, unsigned int depth,
		    Dwarf_Die *out)
{
	const char *tail = strstr(name, "::");
	Dwarf_Die die;

	if (depth > 16 || dwarf_child(parent, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);
		const char *own;

		if (tag != DW_TAG_variable && tag != DW_TAG_namespace)
			continue;
		own = tfs_var_name(&die);
		if (tag == DW_TAG_namespace) {
			bool named = own && tail && strlen(own) == (size_t)(tail - name) &&
				     strncmp(own, name, (size_t)(tail - name)) == 0;

			if ((named && find_in(&die, tail + 2, w, depth + 1, out)) ||
			    (!tail && find_in(&die, name, w, depth + 1, out)))
				return true;
		} else if (own && (strcmp(own, name) == 0 || (tail && is_qualified(&die, name))) &&
			   is_wanted(&die, w)) {
			*out = die;
			return true;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* The unit a function was written in; false if it is that which it is in, or not to be told. */
static bool source_unit(Dwarf_Die *func, Dwarf_Die *source)
{
	Dwarf_Die origin, unit;

	tfs_die_origin(func, &origin);
	/* dwz moves what several units share to partial ones, which no source has written */
	return dwarf_diecu(&origin, source, NULL, NULL) && dwarf_diecu(func, &unit, NULL, NULL) &&
	       source->addr != unit.addr && dwarf_tag(source) == DW_TAG_compile_unit;
}

static bool find_unit(const struct tfs_scope *scope, const char *name, enum find what,
		      Dwarf_Die *out)
{
	struct wanted w = { .what = what };
	struct tfs_units units = { 0 };
	Dwarf_Die func, source, unit;

	if (!whole_function(scope, &func) || !dwarf_diecu(&func, &unit, NULL, NULL))
		return false;
	if (!source_unit(&func, &source))
		return find_in(&unit, name, &w, 0, out);
	if (find_in(&source, name, &w, 0, out))
		return true;
	w.of = &source;
	if (find_in(&unit, name, &w, 0, out))
		return true;
	while (scope->img && what == FIND_ANY && tfs_units_next(scope->img, &units, &unit) > 0) {
		if (find_in(&unit, name, &w, 0, out))
			return true;
	}
	return false;
}

int tfs_var_find(const struct tfs_scope *scope, const char *name, Dwarf_Die *out,
		 enum tfs_found *where)
{
	const struct wanted external = { .what = FIND_EXTERNAL };
	struct tfs_units units = { 0 };
	Dwarf_Die unit;
	int rc;

	*where = TFS_FOUND_LOCAL;
	rc = find_local(scope, name, out);
	if (rc != -ENOENT)
		return rc;
	*where = TFS_FOUND_UNIT;
	if (find_unit(scope, name, FIND_ANY, out))
		return 0;
	*where = TFS_FOUND_ELSEWHERE;
	while (scope->img && tfs_units_next(scope->img, &units, &unit) > 0) {
		if (find_in(&unit, name, &external, 0, out))
			return 0;
	}
	/* Without debug information of where it is defined, or in a library: its symbol may do. */
	return find_unit(scope, name, FIND_DECLARED, out) ? 0 : -ENOENT;
}
