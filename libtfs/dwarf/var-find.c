/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/var-find.h"

#include <dwarf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/func-internal.h"
#include "dwarf/line-table.h"
#include "dwarf/scope.h"
#include "dwarf/type.h"
#include "dwarf/var-lookup.h"

/* Blocks in blocks. */
#define NEST_MAX 128

/* More than any function has; names are compared each with each. */
#define PARAMS_MAX 1024
#define LOCALS_MAX 4096

/*
 * Parameter packs of C++ (template <class... T> void f(T... t)): gcc has a DIE for the pack, and
 * its elements, which have no names, are its children; of an inlined copy, the elements alone. LLVM
 * has as many parameters of the same name.
 */
#define PACK_NAME "pack"

/*
 * struct collect - variables that are being collected
 * @cap: room in @out; @params: the parameters come first
 * @copies: how many there were before those of what an inlined copy, or a concrete function, is
 *	made from; SIZE_MAX before that; @packs: there may be some
 */
struct collect {
	const struct tfs_scope *scope;
	struct tfs_locals *out;
	size_t cap;
	bool params;
	size_t copies;
	bool packs;
};

static bool is_variable(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

/* A declaration ("extern int x;") says nothing about where; its definition is looked for. */
bool tfs_var_is_declaration(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	return dwarf_hasattr(die, DW_AT_declaration) && !dwarf_attr(die, DW_AT_location, &attr);
}

/* Elements of a pack have one name: that of another one is known by what it is made from. */
static bool is_same(const struct collect *c, size_t i, Dwarf_Die *die, const char *name)
{
	Dwarf_Die known = c->out->v[i].die, one, other;

	if (strcmp(c->out->v[i].name, name) != 0)
		return false;
	if (!c->params || !c->packs ||
	    (c->copies != SIZE_MAX && i < c->copies &&
	     !dwarf_hasattr(&known, DW_AT_abstract_origin)))
		return true;
	tfs_die_origin(&known, &one);
	tfs_die_origin(die, &other);
	return one.addr == other.addr;
}

/* A parameter stays beside the local that shadows it: $params asks for it. */
static bool is_known(const struct collect *c, Dwarf_Die *die, const char *name)
{
	for (size_t i = c->params ? 0 : c->out->n_params; i < c->out->n; i++)
		if (is_same(c, i, die, name))
			return true;
	return false;
}

static int keep(struct collect *c, Dwarf_Die *die, const char *name, bool pack)
{
	if (c->out->n == (c->params ? PARAMS_MAX : LOCALS_MAX))
		return -E2BIG;
	if (tfs_grow(&c->out->v, &c->cap, c->out->n + 1))
		return -ENOMEM;
	c->out->v[c->out->n++] = (struct tfs_local){ .die = *die, .name = name, .pack = pack };
	return 0;
}

/* The elements of a pack that gcc describes. */
static int collect_pack(struct collect *c, Dwarf_Die *pack)
{
	const char *name = tfs_var_name(pack);
	Dwarf_Die die;
	int rc = 0;

	if (!name)
		name = PACK_NAME;
	if (dwarf_child(pack, &die) != 0)
		return 0;
	do {
		if (dwarf_tag(&die) == DW_TAG_formal_parameter && !is_known(c, &die, name))
			rc = keep(c, &die, name, true);
	} while (!rc && dwarf_siblingof(&die, &die) == 0);
	return rc;
}

/* The name of the pack that holds what a parameter of a copy is made from; NULL if none does. */
static const char *pack_of(const struct collect *c, Dwarf_Die *param)
{
	Dwarf_Die func = c->scope->func, origin, pack, die;
	const char *name;

	tfs_die_origin(&func, &func);
	tfs_die_origin(param, &origin);
	if (!c->packs || dwarf_child(&func, &pack) != 0)
		return NULL;
	do {
		if (dwarf_tag(&pack) != DW_TAG_GNU_formal_parameter_pack ||
		    dwarf_child(&pack, &die) != 0)
			continue;
		name = tfs_var_name(&pack);
		do {
			if (die.addr == origin.addr)
				return name ? name : PACK_NAME;
		} while (dwarf_siblingof(&die, &die) == 0);
	} while (dwarf_siblingof(&pack, &pack) == 0);
	return NULL;
}

/* Go lists what a function returns among its parameters; it has no value before the end. */
static bool is_result(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	bool is = false;

	return dwarf_attr_integrate(die, DW_AT_variable_parameter, &attr) &&
	       !dwarf_formflag(&attr, &is) && is;
}

/* Static variables of an inlined function are described once, where its copies come from. */
static int collect_statics(struct collect *c, Dwarf_Die *copy)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin, die;
	int rc = 0;

	tfs_die_origin(copy, &origin);
	if (dwarf_dieoffset(&origin) == dwarf_dieoffset(copy) || dwarf_child(&origin, &die) != 0)
		return 0;
	do {
		const char *name = dwarf_tag(&die) == DW_TAG_variable ? tfs_var_name(&die) : NULL;

		if (name && dwarf_attr(&die, DW_AT_location, &attr) && !is_known(c, &die, name))
			rc = keep(c, &die, name, false);
	} while (!rc && dwarf_siblingof(&die, &die) == 0);
	return rc;
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
		bool pack = param && !name && (name = pack_of(c, &die));

		if (c->packs && c->params && dwarf_tag(&die) == DW_TAG_GNU_formal_parameter_pack)
			rc = collect_pack(c, &die);
		if (!name || param != c->params || (param && is_result(&die)) ||
		    tfs_var_is_declaration(&die) || is_known(c, &die, name))
			continue;
		rc = keep(c, &die, name, pack);
	} while (!rc && dwarf_siblingof(&die, &die) == 0);
	if (!rc && !c->params)
		rc = collect_statics(c, parent);
	return rc;
}

/* The compiler may give a copy no parameter at all where it has nothing to say about it. */
static int collect_origin(struct collect *c)
{
	Dwarf_Attribute attr;
	Dwarf_Die func = c->scope->func, origin;

	if (!dwarf_attr(&func, DW_AT_abstract_origin, &attr) || !dwarf_formref_die(&attr, &origin))
		return 0;
	c->copies = c->out->n;
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
		struct tfs_local local = l->v[i];
		Dwarf_Off off = declared_at(&local.die);
		size_t j = i;

		for (; j && declared_at(&l->v[j - 1].die) > off; j--)
			l->v[j] = l->v[j - 1];
		l->v[j] = local;
	}
}

static bool is_cxx(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2b: /* DW_LANG_C_plus_plus_17 and 20, which libdw's header may lack */
	case 0x2c:
		return true;
	default:
		return false;
	}
}

/* Elements of packs are numbered; the only one that LLVM lists looks like any parameter. */
static int number_packs(const struct tfs_scope *scope, struct tfs_locals *l)
{
	for (size_t i = 0; i < l->n_params; i++) {
		const char *name = l->v[i].name;
		size_t n = 0;

		if (strchr(name, '#'))
			continue;
		for (size_t k = i + 1; k < l->n_params; k++)
			l->v[i].pack = l->v[i].pack || !strcmp(l->v[k].name, name);
		for (size_t k = i; l->v[i].pack && k < l->n_params; k++) {
			char *text;

			if (strcmp(l->v[k].name, name) != 0)
				continue;
			if (asprintf(&text, "%s#%zu", name, n++) < 0)
				return -ENOMEM;
			l->v[k].pack = true;
			l->v[k].name = tfs_debuginfo_keep(scope->dbg, text);
			if (!l->v[k].name)
				return -ENOMEM;
		}
	}
	return 0;
}

/* Function or inlined copy: a block is part of it. */
bool tfs_var_function(const struct tfs_scope *scope, Dwarf_Die *out)
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
	struct collect c = { .scope = scope, .out = out, .params = true, .copies = SIZE_MAX };
	Dwarf_Die func;
	int rc;

	memset(out, 0, sizeof(*out));
	if (!tfs_var_function(scope, &func))
		return 0;
	c.packs = scope->dbg && is_cxx(&func);
	rc = collect(&c, &func, 0);
	if (!rc)
		rc = collect_origin(&c);
	sort_params(out);
	out->n_params = out->n;
	if (!rc && c.packs)
		rc = number_packs(scope, out);
	c.params = false;
	if (!rc)
		rc = collect(&c, &func, 0);
	if (rc) {
		free(out->v);
		memset(out, 0, sizeof(*out));
	}
	return rc;
}

bool tfs_var_is_shadowed(const struct tfs_locals *l, size_t i)
{
	for (size_t k = l->n_params; i < l->n_params && k < l->n; k++)
		if (strcmp(l->v[k].name, l->v[i].name) == 0)
			return true;
	return false;
}

/* NAME#0 is the only element, too, and NAME none of several. */
static int compare_local(const struct tfs_local *local, const char *name)
{
	size_t len = strcspn(name, "#");

	if (!strcmp(local->name, name))
		return 0;
	if (local->pack && !name[len])
		return !strncmp(local->name, name, len) && local->name[len] == '#' ? -EINVAL :
										     -ENOENT;
	return !local->pack && !strncmp(local->name, name, len) && !local->name[len] &&
			       !strcmp(name + len, "#0") ?
		       0 :
		       -ENOENT;
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
	for (i = l.n; rc == -ENOENT && i-- > 0;) {
		rc = compare_local(&l.v[i], name);
		*out = l.v[i].die;
	}
	free(l.v);
	return rc;
}

static int declares(Dwarf_Die *block, const char *name, Dwarf_Die *var)
{
	int line;

	if (dwarf_child(block, var) != 0)
		return 0;
	do {
		const char *own = dwarf_tag(var) == DW_TAG_variable ? tfs_var_name(var) : NULL;

		if (own && strcmp(own, name) == 0 && !dwarf_decl_line(var, &line))
			return line;
	} while (dwarf_siblingof(var, var) == 0);
	return 0;
}

static int hidden_in(const struct tfs_scope *scope, Dwarf_Die *parent, const char *name,
		     unsigned int depth)
{
	Dwarf_Die die, var;
	int line = 0;

	if (depth > NEST_MAX || dwarf_child(parent, &die) != 0)
		return 0;
	do {
		if (dwarf_tag(&die) != DW_TAG_lexical_block)
			continue;
		if (dwarf_haspc(&die, scope->pc) <= 0) {
			line = declares(&die, name, &var);
			if (line <= 0 || (unsigned int)line > scope->line ||
			    ((unsigned int)line < scope->line &&
			     tfs_block_last_line(scope->dbg, &die, scope->file) < scope->line))
				line = 0;
		}
		if (!line)
			line = hidden_in(scope, &die, name, depth + 1);
	} while (!line && dwarf_siblingof(&die, &die) == 0);
	return line;
}

/* Is what is declared at @var described in the copy @parent? */
static bool is_described(Dwarf_Die *parent, Dwarf_Off var, unsigned int depth)
{
	Dwarf_Die die;

	if (depth > NEST_MAX || dwarf_child(parent, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);

		if ((tag == DW_TAG_variable && declared_at(&die) == var) ||
		    (tag == DW_TAG_lexical_block && is_described(&die, var, depth + 1)))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* A block has ended where something is declared after it that is not in it. */
static bool ends_before(Dwarf_Die *parent, Dwarf_Die *block, int begin, unsigned int line)
{
	Dwarf_Die die, in;

	if (dwarf_child(parent, &die) != 0)
		return false;
	do {
		int at = 0;

		if (dwarf_dieoffset(&die) == dwarf_dieoffset(block))
			continue;
		if (dwarf_tag(&die) == DW_TAG_variable)
			dwarf_decl_line(&die, &at);
		else if (dwarf_tag(&die) == DW_TAG_lexical_block && dwarf_child(&die, &in) == 0 &&
			 dwarf_tag(&in) == DW_TAG_variable)
			dwarf_decl_line(&in, &at);
		if (at > begin && (unsigned int)at <= line)
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* clang leaves a block out of an inlined copy when nothing in it has a place. */
static int left_out_in(const struct tfs_scope *scope, Dwarf_Die *copy, Dwarf_Die *parent,
		       const char *name, unsigned int depth)
{
	Dwarf_Die die, var;
	int line = 0;

	if (depth > NEST_MAX || dwarf_child(parent, &die) != 0)
		return 0;
	do {
		if (dwarf_tag(&die) != DW_TAG_lexical_block)
			continue;
		line = declares(&die, name, &var);
		if (line <= 0 || (unsigned int)line > scope->line ||
		    is_described(copy, dwarf_dieoffset(&var), 0) ||
		    ends_before(parent, &die, line, scope->line))
			line = left_out_in(scope, copy, &die, name, depth + 1);
	} while (!line && dwarf_siblingof(&die, &die) == 0);
	return line;
}

/*
 * Line on which an inner block declares a variable @name that may be meant on the scope's line,
 * although that block has no code at its pc; 0 if none does. An optimiser may leave only addresses
 * of a block's lines that other lines have, too.
 */
static int hidden_at(const struct tfs_scope *scope, const char *name)
{
	Dwarf_Die func, origin;
	int line;

	if (!scope->line || !scope->dso || !tfs_var_function(scope, &func))
		return 0;
	line = hidden_in(scope, &func, name, 0);
	if (line)
		return line;
	tfs_die_origin(&func, &origin);
	if (dwarf_dieoffset(&origin) == dwarf_dieoffset(&func))
		return 0;
	return left_out_in(scope, &func, &origin, name, 0);
}

int tfs_var_find(const struct tfs_scope *scope, const char *name, Dwarf_Die *out,
		 enum tfs_found *where, struct tfs_refusing *r)
{
	struct tfs_refusing none = { 0 };
	int rc, line;

	*where = TFS_FOUND_LOCAL;
	rc = find_local(scope, name, out);
	if (rc == -EINVAL)
		return tfs_var_refuse(r ? r : &none, TFS_REFUSAL_TYPE,
				      "a parameter pack: its elements are %s#0 and so on", name);
	if (rc == -ENOENT)
		rc = tfs_var_lookup(scope, name, out, where, r ? r : &none);
	if (rc)
		return rc;
	line = hidden_at(scope, name);
	if (line)
		return tfs_var_refuse(r ? r : &none, TFS_REFUSAL_NOT_HERE,
				      "which one is meant is not known at this address: line %d "
				      "declares another in a block",
				      line);
	return 0;
}
