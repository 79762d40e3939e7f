/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/func.h"

#include <dwarf.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/name-match.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "dso/demangle.h"
#include "dso/dso-elf.h"
#include "dso/section.h"
#include "dso/symbol.h"
#include "dwarf/cxx-type-name.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/func-internal.h"
#include "dwarf/func-name.h"
#include "dwarf/func-table.h"
#include "dwarf/line-files.h"
#include "dwarf/unit.h"

/**
 * struct search - a look-up under way
 * @room: read ahead, to see whether there are too many
 * @origin, @matches: whether what the last inlined copy was made from has the name
 */
struct search {
	struct tfs_debuginfo *dbg;
	const struct tfs_func_query *q;
	struct tfs_points *out;
	struct tfs_wanted wanted;
	size_t room;
	const void *origin;
	bool matches;
};

/* Copies of one function follow each other, so the answer for its origin is kept. */
static bool copy_fits(struct search *s, Dwarf_Die *copy)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (!dwarf_attr(copy, DW_AT_abstract_origin, &attr) || !dwarf_formref_die(&attr, &origin))
		return tfs_wanted_die(s->dbg, &s->wanted, copy);
	if (origin.addr != s->origin) {
		s->origin = origin.addr;
		s->matches = tfs_wanted_die(s->dbg, &s->wanted, &origin);
	}
	return s->matches;
}

static bool file_fits(const struct search *s, Dwarf_Die *die)
{
	return !s->q->file || tfs_path_has_tail(tfs_die_decl_file(s->dbg, die), s->q->file);
}

/* -E2BIG if there are too many, however often some of them were found. */
static int check_room(struct search *s)
{
	size_t max = s->q->max;

	if (!max || s->out->n <= max || s->out->n <= s->room)
		return 0;
	tfs_points_sort(s->out);
	s->room = 2 * s->out->n;
	return s->out->n > max ? -E2BIG : 0;
}

static bool number(Dwarf_Die *die, unsigned int name, Dwarf_Word *out)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, name, &attr) && !dwarf_formudata(&attr, out);
}

/*
 * gcc splits a function in two and inlines the larger part again: it is "called" where the function
 * is declared. A call of the function within itself is further down.
 */
static bool is_rest(struct tfs_debuginfo *dbg, Dwarf_Die *unit, Dwarf_Die *copy)
{
	Dwarf_Word called, declared;
	const char *in, *of;
	Dwarf_Attribute attr;

	if (!number(copy, DW_AT_call_line, &called) || !number(copy, DW_AT_decl_line, &declared) ||
	    called != declared)
		return false;
	if (number(copy, DW_AT_call_column, &called) &&
	    number(copy, DW_AT_decl_column, &declared) && called != declared)
		return false;
	if (!number(copy, DW_AT_call_file, &called))
		return false;
	/* compilers put a file into a table once, but for the first: the table need not be read */
	if (called && dwarf_attr_integrate(copy, DW_AT_decl_file, &attr) && attr.cu == unit->cu &&
	    !dwarf_formudata(&attr, &declared) && declared)
		return declared == called;
	in = tfs_unit_file(dbg, unit, called);
	of = tfs_die_decl_file(dbg, copy);
	return in && of && !strcmp(in, of);
}

static unsigned int count_located(Dwarf_Die *copy)
{
	unsigned int n = 0;
	Dwarf_Die die;

	if (dwarf_child(copy, &die))
		return 0;
	do {
		if (dwarf_tag(&die) == DW_TAG_formal_parameter)
			n += dwarf_hasattr(&die, DW_AT_location) ||
			     dwarf_hasattr(&die, DW_AT_const_value);
	} while (!dwarf_siblingof(&die, &die));
	return n;
}

/* Where both begin at once, it may be the rest alone that says where the parameters are. */
static void take_rest(struct search *s, Dwarf_Die *rest, Dwarf_Addr entry)
{
	struct tfs_point *p = s->out->n ? &s->out->v[s->out->n - 1] : NULL;

	if (p && p->addr == entry && p->scope &&
	    count_located(rest) > count_located(&p->scope->die)) {
		tfs_point_read_decl(s->dbg, p);
		p->scope->die = *rest;
	}
}

/* Nothing that visit() would take is left out: it looks again, at more than names. */
static bool wants(void *ctx, const char *name, const char *linkage)
{
	const struct search *s = ctx;

	return tfs_wanted_name(&s->wanted, name, linkage);
}

/* wants() does not get the scopes and parameters that were typed. */
static bool names_fit(struct search *s, struct tfs_func_info *info)
{
	if (info->asked && !s->wanted.qualified && !s->wanted.params)
		return true;
	return info->inlined ? copy_fits(s, &info->die) :
			       tfs_wanted_die(s->dbg, &s->wanted, &info->die);
}

static int visit(void *ctx, struct tfs_func_info *info)
{
	struct search *s = ctx;
	const struct tfs_symbol *sym;

	if (!names_fit(s, info) || !file_fits(s, &info->die) ||
	    tfs_func_info_complete(s->dbg, info) || !tfs_dso_is_code(s->dbg->dso, info->entry))
		return 0;
	/*
	 * A compiler's part of a function is not what the function's own name stands for: a call
	 * would be counted twice, as the function goes on in its part.
	 */
	sym = info->inlined ? NULL : tfs_symbol_at(s->dbg->dso, info->entry);
	if (sym && sym->addr == info->entry && tfs_func_is_part(sym->name))
		return 0;
	if (info->inlined && info->may_be_rest && is_rest(s->dbg, info->unit, &info->die)) {
		take_rest(s, &info->die, info->entry);
		return 0;
	}
	return tfs_point_add_func(s->dbg, s->out, info, info->entry);
}

static bool is_function(const struct tfs_debuginfo *dbg, const struct tfs_symbol *sym)
{
	/* Assembler often says no type. */
	return sym->type != TFS_SYMBOL_DATA && sym->type != TFS_SYMBOL_TLS &&
	       tfs_dso_is_code(dbg->dso, sym->addr);
}

static int add_symbol_only(struct search *s, const struct tfs_symbol *sym)
{
	struct tfs_point *p = tfs_points_add(s->out, sym->addr);

	if (!p)
		return -ENOMEM;
	p->end = sym->addr + sym->size;
	p->flags = TFS_POINT_ENTRY;
	p->func = tfs_debuginfo_keep(s->dbg, tfs_demangle(sym->name, TFS_DEMANGLE_PARAMS));
	if (!p->func)
		p->func = sym->name;
	return 0;
}

static int add_symbol(struct search *s, const struct tfs_symbol *sym)
{
	bool has_die = false;
	struct tfs_func_info func;
	struct tfs_point *p;
	Dwarf_Die unit;
	int rc;

	if (sym->type != TFS_SYMBOL_PLT && !tfs_unit_at(s->dbg, sym->addr, &unit) &&
	    !tfs_func_info_at(s->dbg, &unit, sym->addr, &func))
		has_die = !tfs_func_info_complete(s->dbg, &func) &&
			  (func.entry == sym->addr || tfs_func_is_part(sym->name));
	if (s->q->file && (!has_die || !file_fits(s, &func.die)))
		return 0;
	rc = has_die ? tfs_point_add_func(s->dbg, s->out, &func, sym->addr) :
		       add_symbol_only(s, sym);
	if (rc)
		return rc;
	p = &s->out->v[s->out->n - 1];
	/* It was asked for by this name, even if the address has a better one. */
	p->symbol = sym->name;
	if (sym->type == TFS_SYMBOL_IFUNC)
		p->flags |= TFS_POINT_IFUNC;
	if (sym->type == TFS_SYMBOL_PLT)
		p->flags |= TFS_POINT_PLT;
	if (tfs_func_is_part(sym->name))
		p->flags |= TFS_POINT_PART;
	return 0;
}

static int search_symbols(struct search *s)
{
	const struct tfs_symbol *const *found;
	long n = tfs_symbol_named(s->dbg->dso, s->q->name, &found);

	if (n < 0)
		return (int)n;
	for (long i = 0; i < n; i++) {
		bool again = false;
		int rc;

		if (!is_function(s->dbg, found[i]))
			continue;
		for (long j = 0; j < i; j++)
			again = again || found[j]->addr == found[i]->addr;
		rc = again ? 0 : add_symbol(s, found[i]);
		if (rc)
			return rc;
	}
	return 0;
}

/**
 * struct matches - symbols that a pattern stands for: of several at one address the first
 * @v: their indices in @syms
 */
struct matches {
	const struct tfs_symbol *syms;
	size_t *v;
	size_t n;
	size_t cap;
};

static int add_match(struct matches *m, size_t i)
{
	if (m->n && m->syms[m->v[m->n - 1]].addr == m->syms[i].addr)
		return 0;
	if (tfs_grow(&m->v, &m->cap, m->n + 1))
		return -ENOMEM;
	m->v[m->n++] = i;
	return 0;
}

/* -E2BIG as soon as they alone are too many. */
static int match_symbols(struct search *s, struct matches *m)
{
	size_t n;
	int rc = tfs_symbols(s->dbg->dso, &m->syms, &n, NULL);

	for (size_t i = 0; i < n && !rc; i++) {
		const struct tfs_symbol *sym = &m->syms[i];

		if (sym->type == TFS_SYMBOL_PLT || !is_function(s->dbg, sym) ||
		    tfs_func_is_part(sym->name) || fnmatch(s->wanted.name, sym->name, 0))
			continue;
		rc = add_match(m, i);
		if (!rc && s->q->max && !s->q->file && m->n > s->q->max)
			rc = -E2BIG;
	}
	return rc;
}

/* By names in the source, where a symbol has another: demangled, the end of a path of Go's. */
static int search_source_names(struct search *s)
{
	const struct tfs_symbol *syms;
	size_t n;
	int rc = tfs_symbols(s->dbg->dso, &syms, &n, NULL);

	for (size_t i = 0; i < n && !rc; i++) {
		if (syms[i].type == TFS_SYMBOL_PLT || !is_function(s->dbg, &syms[i]) ||
		    tfs_func_is_part(syms[i].name) || !tfs_wanted_symbol(&s->wanted, syms[i].name))
			continue;
		if (s->out->n && s->out->v[s->out->n - 1].addr == syms[i].addr)
			continue;
		rc = add_symbol(s, &syms[i]);
		if (!rc)
			rc = check_room(s);
	}
	return rc;
}

/**
 * enum search_for - what a walk over all units is for, besides the DIEs
 * @SEARCH_FUNCS: who looks for many needs to know of each unit's functions, and they are come by
 */
enum search_for { SEARCH_DIES, SEARCH_FUNCS };

static int search_dies(struct search *s, enum search_for what)
{
	struct tfs_walk walk = {
		.inlines = !s->q->no_inlines, .wants = wants, .visit = visit, .ctx = s
	};
	struct tfs_unit_list units = { NULL, 0, 0 };
	int rc = tfs_units_naming(s->dbg, s->wanted.glob ? NULL : s->wanted.base, &units);

	for (size_t i = 0; i < units.n && !rc; i++) {
		Dwarf_Die *unit = &units.v[i];
		size_t before = s->out->n;

		if (what == SEARCH_FUNCS)
			walk.table = tfs_func_table_begin(s->dbg, unit);
		rc = tfs_walk_unit(s->dbg, &walk, unit);
		if (walk.table)
			tfs_func_table_end(s->dbg, walk.table, unit, rc);
		/* not before: it is made of all functions of the unit */
		for (size_t k = before; k < s->out->n && !rc; k++)
			tfs_point_fill_into(s->dbg, &s->out->v[k], unit);
		if (!rc)
			rc = check_room(s);
	}
	tfs_debuginfo_drop_pages(s->dbg);
	free(units.v);
	return rc;
}

/* Only a name that a DIE can have: no version, no compiler's suffix, no linkage stub. */
static bool die_can_have(const struct search *s)
{
	if (s->wanted.glob)
		return true;
	if (strchr(s->wanted.name, '@'))
		return false;
	return !strstr(s->wanted.name, ".isra.") && !strstr(s->wanted.name, ".constprop.") &&
	       !tfs_func_is_part(s->wanted.name) && !strstr(s->wanted.name, ".llvm.");
}

/* Inlined copies, and names without a symbol: only debug information has them. */
static int search_names(struct search *s)
{
	int rc = 0;

	if (die_can_have(s) && (!s->q->no_inlines || !s->out->n) && tfs_debuginfo_available(s->dbg))
		rc = search_dies(s, SEARCH_DIES);
	if (!rc && !s->out->n && !strchr(s->wanted.name, '@'))
		rc = search_source_names(s);
	return rc;
}

/*
 * Functions that match a pattern: by symbols first, as for a name. The walk over all units for
 * inlined copies finds their debug information as well.
 */
static int search_glob(struct search *s)
{
	struct tfs_points dies = TFS_POINTS_INIT, *out = s->out;
	bool walk = !s->q->no_inlines && tfs_debuginfo_available(s->dbg);
	struct matches m = { NULL, NULL, 0, 0 };
	int rc = match_symbols(s, &m);

	if (!rc && walk) {
		s->out = &dies;
		rc = search_dies(s, SEARCH_FUNCS);
		s->out = out;
	}
	for (size_t i = 0; i < m.n && !rc; i++) {
		rc = add_symbol(s, &m.syms[m.v[i]]);
		if (!rc && s->q->max && out->n > s->q->max)
			rc = -E2BIG;
	}
	if (!rc && walk)
		rc = tfs_points_join(out, &dies);
	if (!rc && !walk)
		rc = search_names(s);
	else if (!rc && !out->n && !strchr(s->wanted.name, '@'))
		rc = search_source_names(s);
	tfs_points_release(&dies);
	free(m.v);
	return rc;
}

static bool is_exact(const char *name, const struct tfs_point *p)
{
	return p->func && !strcmp(p->func, name);
}

static bool is_c_symbol(const char *name, const struct tfs_point *p)
{
	return !(p->flags & TFS_POINT_INLINED) && p->symbol && !strcmp(p->symbol, name);
}

static bool is_c_linkage(const char *name, const struct tfs_point *p)
{
	const char *linkage = tfs_point_linkage(p);

	(void)name;
	return !tfs_demangle_is_mangled(linkage ? linkage : p->symbol ? p->symbol : "");
}

/* Those points alone that @fits says yes to, unless it does so to none. */
static int keep_if(const char *name, bool (*fits)(const char *name, const struct tfs_point *p),
		   struct tfs_points *points)
{
	struct tfs_points rest = TFS_POINTS_INIT;
	size_t kept = 0, n = 0;

	for (size_t i = 0; i < points->n; i++)
		n += fits(name, &points->v[i]);
	if (!n || n == points->n)
		return 0;
	rest.v = calloc(points->n, sizeof(*rest.v));
	if (!rest.v)
		return -ENOMEM;
	for (size_t i = 0; i < points->n; i++) {
		if (fits(name, &points->v[i]))
			points->v[kept++] = points->v[i];
		else
			rest.v[rest.n++] = points->v[i];
	}
	points->n = kept;
	tfs_points_release(&rest);
	return 0;
}

/* Go's pkg.(*T).Method and pkg.F[...], C++'s operator* and f<int*>: no pattern at first. */
static bool can_be_a_name(const char *name)
{
	return *name != '[' && (strpbrk(name, "<([") || strstr(name, "operator"));
}

/* Of C++'s names: they were not typed, and would make each name far off. */
static void cut_params(struct tfs_strvec *names)
{
	const char *before = "";

	for (size_t i = 0; i < names->n; i++) {
		char *name = names->v[i];
		size_t params, last;

		tfs_cxx_type_name_split(name, &params, &last);
		name[params] = '\0';
		if (strcmp(name, before) != 0)
			before = name;
		else
			*name = '\0';
	}
}

static int hint_near(struct tfs_debuginfo *dbg, const char *name, struct tfs_err *err)
{
	struct tfs_strvec all = TFS_STRVEC_INIT, near = TFS_STRVEC_INIT;
	char list[256] = "";
	int rc = tfs_func_list(dbg, NULL, &all, NULL);

	if (!rc && !strchr(name, '('))
		cut_params(&all);
	if (!rc)
		rc = tfs_suggest_names(name, &all, 3, &near);
	for (size_t i = 0; i < near.n && !rc; i++) {
		size_t len = strlen(list);

		if (len + strlen(near.v[i]) + 8 > sizeof(list))
			break;
		memcpy(list + len, i ? ", '" : "'", i ? 3 : 1);
		len += i ? 3 : 1;
		memcpy(list + len, near.v[i], strlen(near.v[i]));
		memcpy(list + len + strlen(near.v[i]), "'", 2);
	}
	if (*list)
		tfs_err_hint(err, "did you mean %s?", list);
	tfs_strvec_release(&all);
	tfs_strvec_release(&near);
	return rc;
}

bool tfs_func_is_stripped(struct tfs_debuginfo *dbg)
{
	struct tfs_section section;
	const struct tfs_symbol *syms;
	size_t n;

	if (tfs_dso_kind(dbg->dso) != TFS_DSO_PROGRAM || !tfs_dso_elf(dbg->dso) ||
	    tfs_dso_is_go(dbg->dso) ||
	    tfs_section_find(tfs_dso_elf(dbg->dso), ".symtab", &section) ||
	    tfs_section_find(tfs_dso_elf(dbg->dso), ".gnu_debugdata", &section))
		return false;
	/* to look for debug information may be to inflate it: the symbols of its file will do */
	return tfs_symbols(dbg->dso, &syms, &n, NULL) ||
	       (!tfs_symbols_are_elsewhere(dbg->dso) && !tfs_debuginfo_available(dbg));
}

static int nothing_found(const struct search *s, struct tfs_err *err)
{
	const char *where = tfs_dso_title(s->dbg->dso);

	if (s->q->file && !tfs_debuginfo_available(s->dbg)) {
		tfs_debuginfo_missing(s->dbg, err);
		return tfs_err_prefix(err, "cannot find out which file '%s' is from", s->q->name);
	}
	if (s->q->file)
		tfs_err_say(err, -ENOENT, "no function '%s' of a file '%s' in '%s'", s->q->name,
			    s->q->file, where);
	else
		tfs_err_say(err, -ENOENT, "no function '%s' in '%s'", s->q->name, where);
	if (tfs_func_is_stripped(s->dbg))
		tfs_err_hint(err, "its symbol table is stripped, so only what it exports has a "
				  "name; 0xADDRESS works");
	if (!s->wanted.glob)
		hint_near(s->dbg, s->q->name, err);
	return -ENOENT;
}

/*
 * A name with its parameters, as a symbol has it, is that symbol's alone, though it may be spelled
 * like another's, or be the end of one. Without parameters it is the function's that C's linkage
 * gives that symbol, and not an overload's, which has parameters to be known by.
 */
static int keep_exact(const struct search *s, struct tfs_points *points)
{
	if (s->wanted.glob)
		return 0;
	if (s->wanted.params)
		return keep_if(s->q->name, is_exact, points);
	for (size_t i = 0; i < points->n; i++)
		if (is_c_symbol(s->q->name, &points->v[i]))
			return keep_if(s->q->name, is_c_linkage, points);
	return 0;
}

/* D writes module.function, which its mangled names and debug information have as scopes. */
static int search_dotted(struct search *s)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	int rc = 0;

	if (!strchr(s->q->name, '.') || strstr(s->q->name, "::") || s->wanted.go)
		return 0;
	for (const char *p = s->q->name; *p && !rc; p++)
		rc = *p == '.' ? tfs_strbuf_adds(&name, "::") : tfs_strbuf_addc(&name, *p);
	tfs_wanted_release(&s->wanted);
	if (!rc)
		rc = tfs_wanted_init(&s->wanted, name.s);
	if (!rc)
		rc = search_names(s);
	tfs_strbuf_release(&name);
	return rc;
}

int tfs_func_find(struct tfs_debuginfo *dbg, const struct tfs_func_query *q, struct tfs_points *out,
		  struct tfs_err *err)
{
	struct tfs_points found = TFS_POINTS_INIT;
	struct search s = { .dbg = dbg, .q = q, .out = &found };
	const struct tfs_symbol *syms;
	bool is_glob;
	size_t n;
	int rc = tfs_wanted_init(&s.wanted, q->name);

	/* before its file is opened for its symbols: those it has either way */
	tfs_debuginfo_dwarf(dbg);
	/* without permission to read them, the error has the hint */
	if (!rc && tfs_symbols(dbg->dso, &syms, &n, err) == -EACCES) {
		tfs_wanted_release(&s.wanted);
		return -EACCES;
	}
	s.wanted.go = tfs_dso_is_go(dbg->dso);
	is_glob = !rc && tfs_name_is_glob(q->name);
	if (!rc)
		rc = search_symbols(&s);
	if (!rc && (found.n || !is_glob || can_be_a_name(q->name)))
		rc = search_names(&s);
	/* A name with glob characters is a pattern only if nothing has exactly that name. */
	if (!rc && !found.n && is_glob) {
		s.wanted.glob = true;
		rc = search_glob(&s);
	}
	if (!rc && !found.n && !is_glob)
		rc = search_dotted(&s);
	if (!rc)
		rc = keep_exact(&s, &found);
	if (rc && rc != -E2BIG) {
		tfs_err_set(err, rc, "cannot look up '%s'", q->name);
		goto out;
	}
	tfs_points_sort(&found);
	if (!rc && !found.n) {
		rc = nothing_found(&s, err);
	} else if (rc || (q->max && found.n > q->max)) {
		rc = tfs_err_say(err, -E2BIG, "'%s' matches more than %zu location%s", q->name,
				 q->max, q->max == 1 ? "" : "s");
	} else {
		rc = tfs_points_move(out, &found);
		if (rc)
			tfs_err_set(err, rc, "cannot look up '%s'", q->name);
	}
out:
	tfs_points_release(&found);
	tfs_wanted_release(&s.wanted);
	return rc;
}
