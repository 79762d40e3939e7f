/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/func-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/name-match.h"
#include "base/strbuf-core.h"
#include "base/strmap.h"
#include "dso/symbol.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/func-table.h"
#include "dwarf/line-files.h"
#include "dwarf/line-table.h"
#include "dwarf/unit.h"

/* Room is given back for so many at once. */
#define SHRINK 16384

static void point_release(struct tfs_point *p)
{
	free(p->scope);
	if (p->marker)
		p->marker_free(p->marker);
	*p = (struct tfs_point){ 0 };
}

void tfs_points_release(struct tfs_points *points)
{
	for (size_t i = 0; i < points->n; i++)
		point_release(&points->v[i]);
	free(points->v);
	*points = (struct tfs_points)TFS_POINTS_INIT;
}

struct tfs_point *tfs_points_add(struct tfs_points *points, uint64_t addr)
{
	if (tfs_grow(&points->v, &points->cap, points->n + 1))
		return NULL;
	points->v[points->n] = (struct tfs_point){ .addr = addr, .entry = addr, .end = addr };
	return &points->v[points->n++];
}

void tfs_points_drop_last(struct tfs_points *points)
{
	point_release(&points->v[--points->n]);
	if (points->n && points->n % SHRINK == 0) {
		struct tfs_point *v = reallocarray(points->v, points->n, sizeof(*v));

		points->v = v ? v : points->v;
		points->cap = v ? points->n : points->cap;
	}
}

void tfs_points_reverse(struct tfs_points *points)
{
	for (size_t i = 0, j = points->n; j && i < --j; i++) {
		struct tfs_point p = points->v[i];

		points->v[i] = points->v[j];
		points->v[j] = p;
	}
}

int tfs_points_move(struct tfs_points *to, struct tfs_points *from)
{
	if (!to->n) {
		tfs_points_release(to);
		*to = *from;
		*from = (struct tfs_points)TFS_POINTS_INIT;
		return 0;
	}
	for (size_t i = 0; i < from->n; i++) {
		struct tfs_point *p = tfs_points_add(to, 0);

		if (!p)
			return -ENOMEM;
		*p = from->v[i];
		from->v[i] = (struct tfs_point){ 0 };
	}
	from->n = 0;
	return 0;
}

int tfs_points_join(struct tfs_points *first, struct tfs_points *rest)
{
	size_t n = first->n + rest->n;
	struct tfs_point *v;

	if (!rest->n)
		return 0;
	/* in the room of those that are more: there are hundreds of thousands */
	v = reallocarray(rest->v, n, sizeof(*v));
	if (!v)
		return -ENOMEM;
	memmove(v + first->n, v, rest->n * sizeof(*v));
	if (first->n)
		memcpy(v, first->v, first->n * sizeof(*v));
	free(first->v);
	*first = (struct tfs_points){ v, n, n };
	*rest = (struct tfs_points)TFS_POINTS_INIT;
	return 0;
}

static int by_addr(const void *a, const void *b)
{
	const struct tfs_point *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	/* Points that are not copies, and those with a scope, come first and are kept. */
	if ((x->flags ^ y->flags) & TFS_POINT_INLINED)
		return x->flags & TFS_POINT_INLINED ? 1 : -1;
	return (y->scope != NULL) - (x->scope != NULL);
}

/* A glob may match two functions where one begins with an inlined copy of the other. */
static bool is_kept(const struct tfs_points *points, size_t kept, const struct tfs_point *p)
{
	while (kept && points->v[kept - 1].addr == p->addr) {
		const struct tfs_point *o = &points->v[--kept];

		if (!o->func || !p->func || !strcmp(o->func, p->func) ||
		    !((o->flags | p->flags) & TFS_POINT_INLINED) ||
		    (o->symbol && !strcmp(o->symbol, p->func)))
			return true;
	}
	return false;
}

void tfs_points_sort(struct tfs_points *points)
{
	size_t kept = 0;

	if (points->n < 2)
		return;
	qsort(points->v, points->n, sizeof(*points->v), by_addr);
	for (size_t i = 0; i < points->n; i++) {
		if (is_kept(points, kept, &points->v[i]))
			point_release(&points->v[i]);
		else
			points->v[kept++] = points->v[i];
	}
	points->n = kept;
}

static bool is_entry_symbol(struct tfs_debuginfo *dbg, Dwarf_Addr addr)
{
	const struct tfs_symbol *sym = tfs_symbol_at(dbg->dso, addr);

	return sym && sym->addr == addr && !tfs_func_is_part(sym->name);
}

/*
 * Where there are several ranges, gcc's first one is entered. LLVM lists the basic blocks that have
 * sections of their own (Propeller) before it: that one is left which has the function's symbol.
 */
static Dwarf_Addr entered_range(struct tfs_debuginfo *dbg, Dwarf_Die *func, Dwarf_Addr first)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(func, at, &base, &from, &to)) > 0)
		if (is_entry_symbol(dbg, from))
			return from;
	return first;
}

int tfs_die_entry(struct tfs_debuginfo *dbg, Dwarf_Die *die, Dwarf_Addr *entry)
{
	Dwarf_Attribute attr;
	Dwarf_Addr base, from, to, low;
	Dwarf_Word offset;

	if (dwarf_attr(die, DW_AT_entry_pc, &attr)) {
		if (!dwarf_formaddr(&attr, entry))
			return 0;
		/* A constant counts from the beginning of the scope. */
		if (!dwarf_formudata(&attr, &offset) && !dwarf_lowpc(die, &low)) {
			*entry = low + offset;
			return 0;
		}
	}
	if (!dwarf_lowpc(die, entry))
		return 0;
	if (dwarf_ranges(die, 0, &base, &from, &to) > 0) {
		*entry = dbg && dwarf_tag(die) == DW_TAG_subprogram ?
				 entered_range(dbg, die, from) :
				 from;
		return 0;
	}
	return -ENOENT;
}

/* The end of the range that begins at @entry. */
static uint64_t range_end(Dwarf_Die *die, uint64_t entry)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0)
		if (entry >= from && entry < to)
			return to;
	return entry;
}

const char *tfs_die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
}

const char *tfs_die_linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) &&
	    !dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		return NULL;
	return dwarf_formstring(&attr);
}

void tfs_die_origin(Dwarf_Die *die, Dwarf_Die *origin)
{
	*origin = *die;
	for (int guard = 0; guard < 16; guard++) {
		Dwarf_Attribute attr;

		if (!dwarf_attr(origin, DW_AT_abstract_origin, &attr) &&
		    !dwarf_attr(origin, DW_AT_specification, &attr))
			return;
		if (!dwarf_formref_die(&attr, origin)) {
			*origin = *die;
			return;
		}
	}
}

bool tfs_die_is_named_scope(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
	case DW_TAG_module: /* of Fortran and D */
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return true;
	default:
		return false;
	}
}

char *tfs_die_qualified_name(Dwarf_Die *die)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const char *name = tfs_die_name(die);
	Dwarf_Die origin, *scopes = NULL;
	char *out = NULL;
	int n, rc = 0;

	if (!name)
		return NULL;
	tfs_die_origin(die, &origin);
	n = dwarf_getscopes_die(&origin, &scopes);
	for (int i = n - 2; i > 0 && !rc; i--) {
		const char *part = dwarf_diename(&scopes[i]);

		if (tfs_die_is_named_scope(&scopes[i]))
			rc = tfs_strbuf_addf(&sb, "%s::", part ? part : "(anonymous)");
	}
	if (!rc)
		rc = tfs_strbuf_adds(&sb, name);
	if (!rc)
		rc = tfs_strbuf_detach(&sb, &out);
	tfs_strbuf_release(&sb);
	free(scopes);
	return rc ? NULL : out;
}

bool tfs_language_is_flat(int language)
{
	switch (language) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Go:
	case DW_LANG_Mips_Assembler:
		return true;
	default:
		return false;
	}
}

bool tfs_unit_is_flat(Dwarf_Die *unit)
{
	return tfs_language_is_flat(dwarf_srclang(unit));
}

bool tfs_path_has_tail(const char *path, const char *tail)
{
	size_t len, tail_len = strlen(tail);

	while (!strncmp(tail, "./", 2)) {
		tail += 2;
		tail_len -= 2;
	}
	len = path ? strlen(path) : 0;
	if (!len || !tail_len || len < tail_len || strcmp(path + len - tail_len, tail) != 0)
		return false;
	return len == tail_len || *tail == '/' || path[len - tail_len - 1] == '/';
}

bool tfs_name_is_glob(const char *name)
{
	return strpbrk(name, "*?[") != NULL;
}

/* One step in: a block or copy among the children that holds the address. */
static bool step_in(Dwarf_Die *at, Dwarf_Addr addr)
{
	Dwarf_Die die;

	if (dwarf_child(at, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);

		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
		     tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
		    dwarf_haspc(&die, addr) > 0) {
			*at = die;
			return true;
		}
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

bool tfs_die_step(Dwarf_Die *die, Dwarf_Addr addr, Dwarf_Die *inner)
{
	*inner = *die;
	for (int depth = 0; depth < TFS_DIE_DEPTH_MAX && step_in(inner, addr); depth++)
		if (dwarf_tag(inner) == DW_TAG_inlined_subroutine)
			return true;
	return false;
}

void tfs_die_copy_at(Dwarf_Die *func, Dwarf_Addr addr, Dwarf_Die *copy)
{
	Dwarf_Die at = *func;

	*copy = *func;
	for (int depth = 0; depth < TFS_DIE_DEPTH_MAX && step_in(&at, addr); depth++)
		if (dwarf_tag(&at) == DW_TAG_inlined_subroutine)
			*copy = at;
}

/*
 * Not dwarf_decl_file(): it takes file 0, which DWARF 5 has, for none, and aborts the program where
 * a split unit has no table of its own (elfutils 0.188).
 */
const char *tfs_die_decl_file(struct tfs_debuginfo *dbg, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Half version = 0;
	Dwarf_Word i = 0;
	Dwarf_Die unit;

	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attr) || dwarf_formudata(&attr, &i) ||
	    !dwarf_cu_die(attr.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL))
		return NULL;
	return !i && version < 5 ? NULL : tfs_unit_file(dbg, &unit, i);
}

/* In C++ and Rust a name is one of many functions'; the linker knows each by another. */
static bool is_global(Dwarf_Die *copy)
{
	Dwarf_Attribute attr;
	bool external = false;
	const char *linked;

	if (!dwarf_attr_integrate(copy, DW_AT_external, &attr) ||
	    dwarf_formflag(&attr, &external) || !external)
		return false;
	if (!dwarf_attr_integrate(copy, DW_AT_linkage_name, &attr) &&
	    !dwarf_attr_integrate(copy, DW_AT_MIPS_linkage_name, &attr))
		return true;
	/* an asm label in C is not a mangled name */
	linked = dwarf_formstring(&attr);
	return linked && strncmp(linked, "_Z", 2) != 0 && strncmp(linked, "_R", 2) != 0;
}

void tfs_point_read_decl(struct tfs_debuginfo *dbg, struct tfs_point *p)
{
	Dwarf_Line *first = NULL;
	Dwarf_Die unit, *die;
	int line = 0;

	if (!(p->flags & TFS_POINT_UNDECLARED))
		return;
	p->flags &= ~(unsigned int)TFS_POINT_UNDECLARED;
	die = &p->scope->die;
	if (is_global(die))
		p->flags |= TFS_POINT_GLOBAL;
	/* Go does not say where a function is declared; its code begins with that line. */
	if (dwarf_decl_line(die, &line) || line < 0) {
		line = 0;
		if (!(p->flags & TFS_POINT_INLINED) && dwarf_diecu(die, &unit, NULL, NULL) &&
		    dwarf_srclang(&unit) == DW_LANG_Go)
			first = tfs_unit_line_at(dbg, &unit, p->entry);
		if (!first || dwarf_lineno(first, &line) || line < 0)
			line = 0;
	}
	p->decl_line = (unsigned int)line;
	p->decl_file = tfs_die_decl_file(dbg, die);
}

void tfs_point_read_line(struct tfs_debuginfo *dbg, struct tfs_point *point)
{
	Dwarf_Line *line;
	Dwarf_Die unit;
	int no = 0;

	if (!(point->flags & TFS_POINT_UNREAD))
		return;
	point->flags &= ~(unsigned int)TFS_POINT_UNREAD;
	if (point->flags & TFS_POINT_ENTRY) {
		tfs_point_read_decl(dbg, point);
		point->line = point->decl_line;
		point->file = point->decl_file;
		return;
	}
	if (tfs_unit_at(dbg, point->addr, &unit))
		return;
	line = tfs_unit_line_at(dbg, &unit, point->addr);
	if (!line || dwarf_lineno(line, &no) || no <= 0)
		return;
	point->line = (unsigned int)no;
	point->file = dwarf_linesrc(line, NULL, NULL);
}

/* Set the function that a debugger would show for the address of an inlined copy. */
void tfs_point_fill_into(struct tfs_debuginfo *dbg, struct tfs_point *p, Dwarf_Die *unit)
{
	struct tfs_func_info func;

	if (p->flags & TFS_POINT_INLINED && !tfs_func_info_at(dbg, unit, p->addr, &func))
		p->into = func.known ? func.name : tfs_die_name(&func.die);
}

static void fill_symbol(struct tfs_debuginfo *dbg, struct tfs_point *p)
{
	const struct tfs_symbol *s;

	if (p->flags & TFS_POINT_INLINED)
		return;
	s = tfs_symbol_at(dbg->dso, p->entry);
	if (!s || s->addr != p->entry)
		return;
	if (s->type == TFS_SYMBOL_IFUNC)
		p->flags |= TFS_POINT_IFUNC;
	p->symbol = s->name;
}

int tfs_func_info_complete(struct tfs_debuginfo *dbg, struct tfs_func_info *f)
{
	if (f->known)
		return 0;
	if (tfs_die_entry(dbg, &f->die, &f->entry))
		return -ENOENT;
	f->known = true;
	f->end = range_end(&f->die, f->entry);
	f->name = tfs_die_name(&f->die);
	f->may_be_rest = f->inlined;
	return 0;
}

int tfs_point_add_func(struct tfs_debuginfo *dbg, struct tfs_points *out,
		       struct tfs_func_info *info, uint64_t addr)
{
	struct tfs_point *p = tfs_points_add(out, addr);

	if (!p)
		return -ENOMEM;
	p->scope = malloc(sizeof(*p->scope));
	if (!p->scope) {
		tfs_points_drop_last(out);
		return -ENOMEM;
	}
	p->scope->die = info->die;
	if (tfs_func_info_complete(dbg, info)) {
		p->end = range_end(&info->die, addr);
		info->name = tfs_die_name(&info->die);
	} else {
		p->entry = info->entry;
		p->end = info->end;
	}
	if (info->inlined)
		p->flags |= TFS_POINT_INLINED;
	else if (p->entry == addr)
		p->flags |= TFS_POINT_ENTRY;
	p->func = info->flat ? info->name :
			       tfs_debuginfo_keep(dbg, tfs_func_qualified_name(dbg, &info->die));
	p->flags |= TFS_POINT_UNDECLARED | TFS_POINT_UNREAD;
	fill_symbol(dbg, p);
	return 0;
}

int tfs_point_add_die(struct tfs_debuginfo *dbg, struct tfs_points *out, Dwarf_Die *unit,
		      Dwarf_Die *copy, uint64_t addr)
{
	struct tfs_func_info info = { .unit = unit,
				      .die = *copy,
				      .flat = tfs_unit_is_flat(unit),
				      .inlined = dwarf_tag(copy) == DW_TAG_inlined_subroutine };
	int rc = tfs_point_add_func(dbg, out, &info, addr);

	if (!rc)
		tfs_point_fill_into(dbg, &out->v[out->n - 1], unit);
	return rc;
}

int tfs_point_at(struct tfs_debuginfo *dbg, uint64_t addr, struct tfs_points *out,
		 struct tfs_err *err)
{
	const struct tfs_symbol *s;
	Dwarf_Die unit, func, copy;
	struct tfs_point *p;
	int rc;

	if (!tfs_dso_is_code(dbg->dso, addr))
		return tfs_err_say(err, -ENOENT, "0x%llx is not in the code of '%s'",
				   (unsigned long long)addr, tfs_dso_path(dbg->dso));
	if (!tfs_unit_at(dbg, addr, &unit) && !tfs_func_at(dbg, &unit, addr, &func)) {
		Dwarf_Addr entry;

		tfs_die_copy_at(&func, addr, &copy);
		/* At the entry itself the function is meant, whatever was inlined there. */
		if (!tfs_die_entry(dbg, &func, &entry) && entry == addr)
			copy = func;
		rc = tfs_point_add_die(dbg, out, &unit, &copy, addr);
		return rc ? tfs_err_set(err, rc, "cannot look up an address") : 0;
	}
	p = tfs_points_add(out, addr);
	s = p ? tfs_symbol_at(dbg->dso, addr) : NULL;
	if (s) {
		p->entry = s->addr;
		p->end = s->addr + s->size;
		if (s->addr == addr)
			p->flags |= TFS_POINT_ENTRY;
		p->func = s->name;
		p->symbol = s->name;
	}
	return p ? 0 : tfs_err_set(err, -ENOMEM, "cannot look up an address");
}

const char *tfs_point_linkage(const struct tfs_point *point)
{
	Dwarf_Die *die = point->scope ? &point->scope->die : NULL;

	return die ? tfs_die_linkage_name(die) : NULL;
}

bool tfs_point_may_be_inlined(struct tfs_debuginfo *dbg, const struct tfs_point *point)
{
	Dwarf_Attribute attr;
	Dwarf_Die unit, func;

	if (!tfs_debuginfo_available(dbg) || tfs_unit_at(dbg, point->entry, &unit) ||
	    tfs_func_at(dbg, &unit, point->entry, &func))
		return false;
	/* in C, only its own unit inlines a global function, and then the DIE refers to what was */
	return dwarf_hasattr(&func, DW_AT_abstract_origin) || !tfs_unit_is_flat(&unit) ||
	       !dwarf_attr_integrate(&func, DW_AT_external, &attr);
}

void tfs_point_move(struct tfs_point *point, uint64_t addr)
{
	point->addr = addr;
	if (addr != point->entry)
		point->flags &= ~(unsigned int)TFS_POINT_ENTRY;
	else if (!(point->flags & TFS_POINT_INLINED))
		point->flags |= TFS_POINT_ENTRY;
	point->line = 0;
	point->file = NULL;
	point->flags &= ~(unsigned int)TFS_POINT_LINE;
	point->flags |= TFS_POINT_UNREAD;
}
