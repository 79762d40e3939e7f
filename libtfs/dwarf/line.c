/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/line.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "dso/dso-go.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/func-internal.h"
#include "dwarf/go-lines.h"
#include "dwarf/line-internal.h"
#include "dwarf/line-places.h"
#include "dwarf/line-table.h"
#include "dwarf/unit.h"

bool tfs_line_row_get(Dwarf_Lines *lines, size_t i, struct tfs_line_row *row)
{
	Dwarf_Line *line = dwarf_onesrcline(lines, i);
	bool stmt = false, end = true;
	int no = 0;

	if (!line || dwarf_linebeginstatement(line, &stmt) || !stmt ||
	    dwarf_lineendsequence(line, &end) || end || dwarf_lineno(line, &no) || no <= 0 ||
	    dwarf_lineaddr(line, &row->addr) || dwarf_lineprologueend(line, &row->prologue_end))
		return false;
	row->line = (unsigned int)no;
	row->file = dwarf_linesrc(line, NULL, NULL);
	return row->file != NULL;
}

static bool is_before(Dwarf_Line *line, Dwarf_Addr addr)
{
	Dwarf_Addr at = 0;

	return line && !dwarf_lineaddr(line, &at) && at < addr;
}

size_t tfs_line_row_from(Dwarf_Lines *lines, size_t n, Dwarf_Addr addr)
{
	return tfs_bisect(i, n, is_before(dwarf_onesrcline(lines, i), addr));
}

bool tfs_same_source(const char *a, const char *b)
{
	return a && b && (tfs_path_has_tail(a, b) || tfs_path_has_tail(b, a));
}

static bool is_unit_named(Dwarf_Die *unit, const char *file)
{
	return tfs_path_has_tail(dwarf_diename(unit), file);
}

int tfs_units_of_file(struct tfs_debuginfo *dbg, const char *file, const bool *saw,
		      int (*visit)(void *ctx, Dwarf_Die *unit), void *ctx)
{
	struct tfs_line_use use = { 0 };
	struct tfs_units it = { NULL };
	Dwarf_Die unit;
	int rc = 0;

	while (!rc && tfs_units_next(dbg, &it, &unit) > 0) {
		if (!is_unit_named(&unit, file))
			continue;
		rc = tfs_line_use_add(dbg, &use, &unit);
		if (!rc)
			rc = visit(ctx, &unit);
	}
	if (*saw || rc)
		return rc;
	/* A header, a file that another includes, or one whose code was put into another unit. */
	it.cu = NULL;
	use.bytes = 0;
	while (!rc && tfs_units_next(dbg, &it, &unit) > 0) {
		rc = tfs_line_use_add(dbg, &use, &unit);
		if (!rc)
			rc = visit(ctx, &unit);
	}
	return rc;
}

/**
 * struct line_search - looking for a line
 * @next: lowest line after it that has code, 0 if none was seen
 * @saw_file: the file has rows at all
 * @bare: a unit with such rows, of which the functions are in a .dwo that is not here, if @is_bare
 */
struct line_search {
	struct tfs_debuginfo *dbg;
	const char *file;
	unsigned int line;
	unsigned int next;
	bool saw_file;
	bool is_bare;
	Dwarf_Die bare;
	struct tfs_points *out;
};

/*
 * The copy whose source a line is in. A copy's first row is often its caller's: of the scopes that
 * hold the address, the one that is declared last before the line has it.
 */
void tfs_line_owner(struct tfs_debuginfo *dbg, Dwarf_Die *func, const struct tfs_line_row *row,
		    Dwarf_Die *copy)
{
	Dwarf_Die at = *func;
	int best = 0;

	tfs_die_copy_at(func, row->addr, copy);
	for (int depth = 0; depth < TFS_DIE_DEPTH_MAX; depth++) {
		int decl = 0;

		if (!dwarf_decl_line(&at, &decl) && decl >= best && decl <= (int)row->line &&
		    tfs_same_source(tfs_die_decl_file(dbg, &at), row->file)) {
			*copy = at;
			best = decl;
		}
		if (!tfs_die_step(&at, row->addr, &at))
			return;
	}
}

/* Several lines may begin at one address: the point is for the one that was asked for. */
static void name_line(struct tfs_point *p, const char *file, unsigned int line)
{
	p->file = file;
	p->line = line;
	p->flags &= ~(unsigned int)TFS_POINT_UNREAD;
	p->flags |= TFS_POINT_LINE;
}

/* If one copy has several places of the line, the first is used; a cold part comes last. */
static int add_row(struct line_search *s, Dwarf_Die *unit, const struct tfs_line_row *row)
{
	Dwarf_Die func, copy;
	int rc;

	if (!tfs_dso_is_code(s->dbg->dso, row->addr) || tfs_func_at(s->dbg, unit, row->addr, &func))
		return 0;
	tfs_line_owner(s->dbg, &func, row, &copy);
	for (size_t i = 0; i < s->out->n; i++) {
		struct tfs_point *p = &s->out->v[i];
		bool was_in, is_in;

		if (!p->scope || p->scope->die.addr != copy.addr)
			continue;
		was_in = p->addr >= p->entry && p->addr < p->end;
		is_in = row->addr >= p->entry && row->addr < p->end;
		if (is_in == was_in ? row->addr >= p->addr : !is_in)
			return 0;
		tfs_point_move(p, row->addr);
		name_line(p, row->file, row->line);
		return 0;
	}
	rc = tfs_point_add_die(s->dbg, s->out, unit, &copy, row->addr);
	if (!rc)
		name_line(&s->out->v[s->out->n - 1], row->file, row->line);
	return rc;
}

static int search_unit(void *ctx, Dwarf_Die *unit)
{
	struct line_search *s = ctx;
	const char *last = NULL;
	bool fits = false;
	Dwarf_Lines *lines;
	size_t n;

	if (tfs_unit_lines(s->dbg, unit, &lines, &n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		struct tfs_line_row row;
		int rc;

		if (!tfs_line_row_get(lines, i, &row))
			continue;
		/* Names are of a table: the same pointer is the same file. */
		if (row.file != last) {
			fits = tfs_path_has_tail(row.file, s->file);
			last = row.file;
		}
		if (!fits)
			continue;
		s->saw_file = true;
		if (tfs_unit_is_bare(unit)) {
			s->is_bare = true;
			s->bare = *unit;
			return 0;
		}
		if (row.line > s->line && (!s->next || row.line < s->next))
			s->next = row.line;
		if (row.line != s->line)
			continue;
		rc = add_row(s, unit, &row);
		if (rc)
			return rc;
	}
	return 0;
}

static int add_declared(void *ctx, struct tfs_func_info *func)
{
	struct line_search *s = ctx;
	int line;

	if (dwarf_decl_line(&func->die, &line) || line < 0 || (unsigned int)line != s->line ||
	    !tfs_path_has_tail(tfs_die_decl_file(s->dbg, &func->die), s->file) ||
	    tfs_func_info_complete(s->dbg, func) || !tfs_dso_is_code(s->dbg->dso, func->entry))
		return 0;
	for (size_t i = 0; i < s->out->n; i++) {
		if (!(s->out->v[i].flags & TFS_POINT_INLINED) && s->out->v[i].entry == func->entry)
			return 0;
	}
	return tfs_point_add_func(s->dbg, s->out, func, func->entry);
}

/* The line that names a function has often no code: that begins at the brace. */
static int search_declared(void *ctx, Dwarf_Die *unit)
{
	struct line_search *s = ctx;
	const struct tfs_walk walk = { .visit = add_declared, .ctx = s };

	return tfs_walk_unit(s->dbg, &walk, unit);
}

/* The other places of the line in the copy that point @at is of. */
static int add_places(struct tfs_debuginfo *dbg, struct tfs_points *points, size_t at)
{
	struct tfs_point *p = &points->v[at];
	struct tfs_line_places places;
	struct tfs_line_query q = { .file = p->file, .line = p->line, .first = p->addr };
	Dwarf_Die unit;
	int rc;

	if (!(p->flags & TFS_POINT_LINE) || !p->scope || tfs_unit_at(dbg, p->addr, &unit) ||
	    tfs_func_at(dbg, &unit, p->addr, &q.func))
		return 0;
	q.copy = p->scope->die;
	rc = tfs_line_places(dbg, &q, &places);
	if (rc)
		return rc;
	if (places.addr[0] != p->addr) {
		tfs_point_move(p, places.addr[0]);
		name_line(p, q.file, q.line);
	}
	if (places.left_out)
		p->flags |= TFS_POINT_PARTS;
	for (size_t i = 1; i < places.n && !rc; i++) {
		if (!tfs_dso_is_code(dbg->dso, places.addr[i]))
			continue;
		rc = tfs_point_add_die(dbg, points, &unit, &q.copy, places.addr[i]);
		if (!rc)
			name_line(&points->v[points->n - 1], q.file, q.line);
	}
	return rc;
}

static int enter_copy(struct tfs_debuginfo *dbg, struct tfs_points *points, size_t at)
{
	struct tfs_point *p = &points->v[at];
	struct tfs_line_places places;
	Dwarf_Die unit, func, copy;
	int rc;

	if (!(p->flags & TFS_POINT_INLINED) || !p->scope || tfs_unit_at(dbg, p->addr, &unit) ||
	    tfs_func_at(dbg, &unit, p->addr, &func))
		return 0;
	copy = p->scope->die;
	rc = tfs_copy_places(dbg, &func, &copy, p->addr, &places);
	if (rc)
		return rc;
	if (places.addr[0] != p->addr)
		tfs_point_move(p, places.addr[0]);
	if (places.left_out)
		p->flags |= TFS_POINT_PARTS;
	for (size_t i = 1; i < places.n && !rc; i++) {
		if (tfs_dso_is_code(dbg->dso, places.addr[i]))
			rc = tfs_point_add_die(dbg, points, &unit, &copy, places.addr[i]);
	}
	return rc;
}

int tfs_points_enter(struct tfs_debuginfo *dbg, struct tfs_points *points)
{
	size_t n = points->n;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = enter_copy(dbg, points, i);
	if (points->n > n)
		tfs_points_sort(points);
	return rc;
}

int tfs_line_none(struct tfs_debuginfo *dbg, const char *file, unsigned int line, bool saw_file,
		  unsigned int next, struct tfs_err *err)
{
	if (!saw_file)
		return tfs_err_say(err, -ENOENT, "no code of a file '%s' in '%s'", file,
				   tfs_dso_path(dbg->dso));
	tfs_err_say(err, -ENOENT, "no code for line %u of '%s'", line, file);
	if (next)
		tfs_err_hint(err, "the next line that has code is %u", next);
	return -ENOENT;
}

bool tfs_line_is_known(struct tfs_debuginfo *dbg)
{
	return tfs_debuginfo_available(dbg) || tfs_dso_go_table(dbg->dso);
}

int tfs_line_find(struct tfs_debuginfo *dbg, const char *file, unsigned int line,
		  struct tfs_points *out, struct tfs_err *err)
{
	struct tfs_points found = TFS_POINTS_INIT;
	struct line_search s = { .dbg = dbg, .file = file, .line = line, .out = &found };
	size_t n;
	int rc;

	if (!tfs_debuginfo_available(dbg))
		return tfs_dso_go_table(dbg->dso) ? tfs_go_line_find(dbg, file, line, out, err) :
						    tfs_debuginfo_missing(dbg, err);
	rc = tfs_units_of_file(dbg, file, &s.saw_file, search_unit, &s);
	if (!rc && s.saw_file)
		rc = tfs_units_of_file(dbg, file, &s.saw_file, search_declared, &s);
	n = found.n;
	for (size_t i = 0; i < n && !rc; i++)
		rc = add_places(dbg, &found, i);
	if (rc) {
		tfs_err_set(err, rc, "cannot look up line %u of '%s'", line, file);
	} else if (!found.n && s.is_bare) {
		tfs_debuginfo_note_split(dbg, &s.bare);
		rc = tfs_debuginfo_missing(dbg, err);
	} else if (!found.n) {
		rc = tfs_line_none(dbg, file, line, s.saw_file, s.next, err);
	} else {
		tfs_points_sort(&found);
		rc = tfs_points_move(out, &found);
		if (rc)
			tfs_err_set(err, rc, "cannot look up line %u of '%s'", line, file);
	}
	tfs_points_release(&found);
	return rc;
}

static int unit_of(struct tfs_debuginfo *dbg, const struct tfs_point *func, Dwarf_Die *unit,
		   Dwarf_Lines **lines, size_t *n)
{
	if (!func->scope || !tfs_debuginfo_available(dbg) ||
	    !dwarf_cu_die(func->scope->die.cu, unit, NULL, NULL, NULL, NULL, NULL, NULL))
		return -ENODATA;
	return tfs_unit_lines(dbg, unit, lines, n) ? -ENODATA : 0;
}

/*
 * Where the line of @s begins in one copy: the lowest address of its main part, or of its cold one.
 * Return: false if it has no code there; @s->next is the next line that has.
 */
static bool row_in_func(struct line_search *s, const struct tfs_point *func, Dwarf_Lines *lines,
			size_t n, Dwarf_Addr *addr)
{
	bool found = false, found_in = false;

	for (size_t i = 0; i < n; i++) {
		struct tfs_line_row row;
		bool in;

		if (!tfs_line_row_get(lines, i, &row) || row.line < s->line ||
		    dwarf_haspc(&func->scope->die, row.addr) <= 0 ||
		    !tfs_same_source(row.file, func->decl_file))
			continue;
		if (row.line > s->line) {
			if (!s->next || row.line < s->next)
				s->next = row.line;
			continue;
		}
		in = row.addr >= func->entry && row.addr < func->end;
		if (!found || (in == found_in ? row.addr < *addr : in)) {
			*addr = row.addr;
			found_in = in;
		}
		found = true;
	}
	return found;
}

int tfs_line_in_func(struct tfs_debuginfo *dbg, struct tfs_point *func, unsigned int rel,
		     struct tfs_points *out, struct tfs_err *err)
{
	struct line_search s = { .dbg = dbg };
	Dwarf_Addr addr = func->entry;
	Dwarf_Lines *lines;
	Dwarf_Die unit;
	size_t n;
	int rc;

	if (!tfs_debuginfo_available(dbg) && tfs_dso_go_table(dbg->dso))
		return tfs_go_line_in_func(dbg, func, rel, out, err);
	if (!func->scope)
		return tfs_debuginfo_missing(dbg, err);
	tfs_point_read_decl(dbg, func);
	s.file = func->decl_file;
	if (!func->decl_line || !func->decl_file)
		return tfs_err_say(
			err, -ENODATA,
			"lines of '%s' cannot be counted: the debug information does not "
			"say which is its first",
			func->func);
	s.line = func->decl_line + rel;
	if (unit_of(dbg, func, &unit, &lines, &n))
		return tfs_err_say(err, -ENODATA, "no line table for '%s'", func->func);
	if (rel && !row_in_func(&s, func, lines, n, &addr)) {
		tfs_err_say(err, -ENOENT, "no code for line %u of '%s' (line %u of '%s')", rel,
			    func->func, s.line, func->decl_file);
		if (s.next)
			tfs_err_hint(err, "the next line that has code is %u",
				     s.next - func->decl_line);
		return -ENOENT;
	}
	rc = tfs_point_add_die(dbg, out, &unit, &func->scope->die, addr);
	if (!rc) {
		name_line(&out->v[out->n - 1], func->decl_file, s.line);
		if (rel)
			rc = add_places(dbg, out, out->n - 1);
	}
	return rc ? tfs_err_set(err, rc, "cannot look up a line of '%s'", func->func) : 0;
}

/*
 * Compilers that mark the end of the prologue are believed; otherwise it ends where the second
 * statement begins, which is how gcc describes functions.
 */
int tfs_line_prologue_end(struct tfs_debuginfo *dbg, const struct tfs_point *func, uint64_t *addr)
{
	Dwarf_Addr second = 0;
	Dwarf_Lines *lines;
	Dwarf_Die unit;
	size_t n;

	if (unit_of(dbg, func, &unit, &lines, &n))
		return -ENODATA;
	for (size_t i = tfs_line_row_from(lines, n, func->entry); i < n; i++) {
		struct tfs_line_row row;

		if (!tfs_line_row_get(lines, i, &row))
			continue;
		if (row.addr >= func->end)
			break;
		if (row.prologue_end) {
			*addr = row.addr;
			return 0;
		}
		if (!second && row.addr != func->entry)
			second = row.addr;
	}
	if (!second)
		return -ENOENT;
	*addr = second;
	return 0;
}

bool tfs_unit_is_gcc(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attr));

	return producer && !strncmp(producer, "GNU C", 5);
}

/* Only gcc says so in words; who says nothing may have optimised. */
bool tfs_unit_is_unoptimised(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attr));
	const char *option = producer;

	if (!tfs_unit_is_gcc(unit))
		return false;
	while ((option = strstr(option, " -O"))) {
		option += 3;
		if (*option != '0')
			return false;
	}
	return strstr(producer, " -g") != NULL;
}

int tfs_line_body(struct tfs_debuginfo *dbg, struct tfs_point *func, uint64_t *addr)
{
	Dwarf_Lines *lines;
	Dwarf_Die unit, outer, copy;
	bool at_once;
	size_t n;

	if (unit_of(dbg, func, &unit, &lines, &n) || tfs_func_at(dbg, &unit, func->entry, &outer))
		return -ENODATA;
	tfs_point_read_decl(dbg, func);
	/* an optimiser fills a structure that is passed by value among the first instructions */
	at_once = tfs_unit_is_unoptimised(&unit);
	for (size_t i = tfs_line_row_from(lines, n, func->entry); i < n; i++) {
		struct tfs_line_row row;

		if (!tfs_line_row_get(lines, i, &row) || (row.addr == func->entry && !at_once))
			continue;
		if (row.addr >= func->end)
			break;
		if (row.line <= func->decl_line || !tfs_same_source(row.file, func->decl_file))
			continue;
		tfs_line_owner(dbg, &outer, &row, &copy);
		if (copy.addr != func->scope->die.addr)
			continue;
		*addr = row.addr;
		return 0;
	}
	return -ENOENT;
}

unsigned int tfs_block_last_line(struct tfs_debuginfo *dbg, Dwarf_Die *block, const char *file)
{
	Dwarf_Addr base, from, to;
	Dwarf_Lines *lines;
	unsigned int last = 0;
	ptrdiff_t at = 0;
	Dwarf_Die unit;
	size_t n;

	if (!dwarf_diecu(block, &unit, NULL, NULL) || tfs_unit_lines(dbg, &unit, &lines, &n))
		return 0;
	while ((at = dwarf_ranges(block, at, &base, &from, &to)) > 0) {
		for (size_t i = tfs_line_row_from(lines, n, from); i < n; i++) {
			struct tfs_line_row row;

			if (!tfs_line_row_get(lines, i, &row))
				continue;
			if (row.addr >= to && row.addr != from)
				break;
			if (row.line > last && tfs_same_source(row.file, file))
				last = row.line;
		}
	}
	return last;
}

bool tfs_line_is_start(struct tfs_debuginfo *dbg, uint64_t addr)
{
	Dwarf_Addr at;
	Dwarf_Line *line;
	Dwarf_Die unit;

	if (tfs_unit_at(dbg, addr, &unit))
		return false;
	line = tfs_unit_line_at(dbg, &unit, addr);
	return line && !dwarf_lineaddr(line, &at) && at == addr;
}
