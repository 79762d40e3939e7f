/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/go-lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "dso/dso-elf.h"
#include "dso/dso-go.h"
#include "dso/gopclntab.h"
#include "dso/symbol.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/func-internal.h"
#include "dwarf/line-internal.h"
#include "dwarf/line-places.h"
#include "insn/control-flow-graph.h"
#include "insn/go-entry.h"
#include "insn/insn.h"

/* As many inlined copies of a line in one function as are told apart. */
#define COPIES_MAX 256
/* Steps over the nodes of one function in search of a line: no real one comes near. */
#define STEPS_MAX 50000000u

/**
 * struct go_func - the lines of one function
 * @cut: where each row begins
 */
struct go_func {
	size_t index;
	struct tfs_go_func func;
	struct tfs_go_row *row;
	uint64_t *cut;
	size_t n;
	size_t cap;
};

static void release(struct go_func *f)
{
	free(f->row);
	free(f->cut);
	*f = (struct go_func){ 0 };
}

static int add_row(struct go_func *f, const struct tfs_go_row *row)
{
	if (f->n == f->cap) {
		size_t cap = f->cap ? 2 * f->cap : 64;
		struct tfs_go_row *rows = reallocarray(f->row, cap, sizeof(*rows));
		uint64_t *cut;

		if (!rows)
			return -ENOMEM;
		f->row = rows;
		cut = reallocarray(f->cut, cap, sizeof(*cut));
		if (!cut)
			return -ENOMEM;
		f->cut = cut;
		f->cap = cap;
	}
	f->cut[f->n] = row->from;
	f->row[f->n++] = *row;
	return 0;
}

/* 0; -ENOENT for what is not code, or has no lines; -ENOMEM. @f keeps its memory for the next. */
static int load(struct tfs_debuginfo *dbg, const struct tfs_gopclntab *t, size_t i,
		struct go_func *f)
{
	struct tfs_go_rows rows;
	struct tfs_go_row row;

	f->n = 0;
	f->index = i;
	if (tfs_gopclntab_func(t, i, &f->func) || f->func.end <= f->func.entry ||
	    !tfs_dso_is_code(dbg->dso, f->func.entry) ||
	    !tfs_dso_is_code(dbg->dso, f->func.end - 1) || tfs_gopclntab_rows(t, i, &rows))
		return -ENOENT;
	while (tfs_gopclntab_next(&rows, &row)) {
		int rc = row.file && row.line ? add_row(f, &row) : 0;

		if (rc)
			return rc;
	}
	return f->n ? 0 : -ENOENT;
}

/* Names of files are kept once each: the same pointer is the same file. */
struct file_match {
	const char *wanted;
	const char *last;
	bool fits;
};

static bool is_in_file(struct file_match *m, const char *file)
{
	if (file != m->last) {
		m->fits = tfs_path_has_tail(file, m->wanted);
		m->last = file;
	}
	return m->fits;
}

/* --- where control comes to a line --- */

/**
 * struct entering - looking for the places of a line in one function
 * @counts: for each row of the line whether it may be a place
 * @graph: of the function; @has_graph: its instructions are understood
 * @stack: nodes whose @from is new
 * @steps: how many may still be made
 * @from: for each node whether control may come to it from code of the line and of elsewhere; code
 *	of copies further in belongs to what it was come from
 */
struct entering {
	struct tfs_debuginfo *dbg;
	const struct go_func *f;
	const char *file;
	unsigned int line;
	int32_t copy;
	bool *counts;
	struct tfs_flow_graph graph;
	bool has_graph;
	long *stack;
	size_t n_stack;
	uint64_t steps;
	unsigned char *from;
};

enum origin {
	FROM_LINE = 1 << 0,
	FROM_ELSEWHERE = 1 << 1,
};

enum belongs {
	IS_LINE,
	IS_INSIDE,
	IS_ELSEWHERE,
};

static bool is_line(const struct entering *e, const struct tfs_go_row *row)
{
	return row->copy == e->copy && row->line == e->line && row->file == e->file;
}

static const struct tfs_go_row *row_at(const struct go_func *f, uint64_t addr)
{
	size_t low = tfs_bisect(i, f->n, f->row[i].from <= addr);

	return low && addr < f->row[low - 1].to ? &f->row[low - 1] : NULL;
}

static enum belongs belongs(const struct entering *e, uint64_t addr)
{
	const struct tfs_go_row *row = row_at(e->f, addr);

	if (!row || row->copy < e->copy)
		return IS_ELSEWHERE;
	if (row->copy > e->copy)
		return IS_INSIDE;
	if (!is_line(e, row))
		return IS_ELSEWHERE;
	return e->counts[row - e->f->row] ? IS_LINE : IS_INSIDE;
}

static bool only_moves(struct tfs_debuginfo *dbg, uint64_t from, uint64_t to)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t addr;

	if (tfs_insn_walk(dbg->dso, from, to, &walk))
		return false;
	while (tfs_insn_next(&walk, &addr, &insn) > 0) {
		if (!insn.moves && insn.kind != TFS_INSN_JUMP)
			return false;
	}
	return walk.addr == to;
}

/*
 * Before other lines' code and where paths meet the compiler puts a line's values into other
 * registers. Unless the line has nothing else, such is not taken for the line.
 */
static void choose_rows(struct entering *e)
{
	const struct go_func *f = e->f;
	bool any = false;

	for (size_t i = 0; i < f->n; i++) {
		const struct tfs_go_row *row = &f->row[i];

		e->counts[i] = is_line(e, row) && !only_moves(e->dbg, row->from, row->to);
		any = any || e->counts[i];
	}
	for (size_t i = 0; i < f->n && !any; i++)
		e->counts[i] = true;
}

/* Functions of the runtime that do not come back: the compiler puts nothing of use after them. */
static bool comes_back(void *ctx, uint64_t callee)
{
	static const char *const not [] = { "runtime.panic", "runtime.gopanic", "runtime.goPanic",
					    "runtime.throw", "runtime.fatal" };
	const struct tfs_symbol *s = tfs_symbol_at(ctx, callee);

	for (size_t i = 0; s && s->addr == callee && i < sizeof(not ) / sizeof(not [0]); i++) {
		if (!strncmp(s->name, not [i], strlen(not [i])))
			return false;
	}
	return !s || s->addr != callee || strcmp(s->name, "runtime.block") != 0;
}

static void mark(struct entering *e, long node, unsigned char from)
{
	if (node < 0 || (e->from[node] & from) == from)
		return;
	e->from[node] |= from;
	e->stack[e->n_stack++] = node;
}

/* From the entry on, and from what a jump through a table may lead to. */
static void spread(struct entering *e)
{
	const struct tfs_flow_graph *g = &e->graph;
	bool jumps = false;

	memset(e->from, 0, g->n);
	mark(e, tfs_flow_graph_at(g, g->entry), FROM_ELSEWHERE);
	for (size_t i = 0; i < g->n; i++)
		jumps = jumps || g->node[i].indirect;
	/* what only fills after a call that does not return is not jumped to */
	for (size_t i = 0; i < g->n && jumps; i++) {
		if (g->node[i].orphan && !only_moves(e->dbg, g->node[i].begin, g->node[i].end))
			mark(e, (long)i, FROM_ELSEWHERE);
	}
	while (e->n_stack) {
		long i = e->stack[--e->n_stack];
		enum belongs is = belongs(e, g->node[i].begin);
		unsigned char from = is == IS_LINE   ? FROM_LINE :
				     is == IS_INSIDE ? e->from[i] :
						       FROM_ELSEWHERE;

		mark(e, g->node[i].next[0], from);
		mark(e, g->node[i].next[1], from);
	}
}

static bool is_kept(const long *kept, size_t n, long node)
{
	for (size_t i = 0; i < n; i++) {
		if (kept[i] == node)
			return true;
	}
	return false;
}

/* From this place control always comes to another one of them: the head of a loop, say. */
static bool leads_on(const struct tfs_flow_graph *g, long place, const long *kept, size_t n)
{
	long at = place;

	for (size_t steps = 0; steps < g->n; steps++) {
		const struct tfs_flow_graph_node *node = &g->node[at];
		long next = node->next[0] >= 0 ? node->next[0] : node->next[1];

		if (node->indirect || next < 0 || (node->next[0] >= 0 && node->next[1] >= 0))
			return false;
		if (is_kept(kept, n, next))
			return next != place;
		at = next;
	}
	return false;
}

/*
 * Keep the places entered from other lines that can be reached without passing a kept one: the
 * instructions of a statement may be interleaved with those of others.
 */
static int keep_places(struct entering *e, struct tfs_line_places *out)
{
	const struct tfs_flow_graph *g = &e->graph;
	long kept[TFS_LINE_PLACES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		if (!(e->from[i] & FROM_ELSEWHERE) || belongs(e, g->node[i].begin) != IS_LINE)
			continue;
		if (n == TFS_LINE_PLACES_MAX || e->steps < 2 * g->n) {
			out->left_out = true;
			break;
		}
		e->steps -= 2 * g->n;
		if (!n || tfs_flow_graph_reaches(g, -1, (long)i, kept, n) ||
		    tfs_flow_graph_reaches(g, (long)i, (long)i, kept, n) || g->node[i].orphan)
			kept[n++] = (long)i;
	}
	for (size_t i = 0; i < n; i++) {
		if (!leads_on(g, kept[i], kept, n))
			out->addr[out->n++] = g->node[kept[i]].begin;
	}
	return out->n ? 0 : -ENOENT;
}

/* Where instructions are not understood, the line's first one. */
static int first_place(const struct entering *e, struct tfs_line_places *out)
{
	for (size_t i = 0; i < e->f->n; i++) {
		uint64_t at = e->f->row[i].from, from, to;
		int rc;

		if (!is_line(e, &e->f->row[i]))
			continue;
		rc = tfs_insn_at(e->dbg->dso, e->f->func.entry, at, &from, &to);
		if (rc ? rc != -EOPNOTSUPP : from != at)
			continue;
		*out = (struct tfs_line_places){ .addr = { at }, .n = 1, .left_out = true };
		return 0;
	}
	return -ENOENT;
}

/* Decode a function; where that fails, only @has_graph says so. 0 or -ENOMEM. */
static int enter(struct entering *e)
{
	const struct tfs_code_range range = { e->f->func.entry, e->f->func.end };
	const struct tfs_flow_graph_code code = { .range = &range,
						  .n_ranges = 1,
						  .entry = e->f->func.entry,
						  .cut = e->f->cut,
						  .n = e->f->n,
						  .returns = comes_back,
						  .ctx = e->dbg->dso };
	int rc = tfs_flow_graph_build(e->dbg->dso, &code, &e->graph);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	e->has_graph = true;
	e->steps = STEPS_MAX;
	e->from = calloc(e->graph.n, 1);
	e->counts = calloc(e->f->n, sizeof(*e->counts));
	/* there are two ways to come to a node */
	e->stack = calloc(2 * e->graph.n, sizeof(*e->stack));
	return e->from && e->counts && e->stack ? 0 : -ENOMEM;
}

static void leave(struct entering *e)
{
	free(e->from);
	free(e->counts);
	free(e->stack);
	tfs_flow_graph_release(&e->graph);
}

/* The places of one line in one function, in its own code or in one copy. */
static int add_places(struct entering *e, const struct tfs_go_row *row, struct tfs_points *out)
{
	struct tfs_line_places places = { .n = 0 };
	int rc;

	e->file = row->file;
	e->line = row->line;
	e->copy = row->copy;
	if (e->has_graph) {
		choose_rows(e);
		spread(e);
		rc = keep_places(e, &places);
	} else {
		rc = first_place(e, &places);
	}
	for (size_t i = 0; i < places.n && !rc; i++) {
		struct tfs_point *p;

		rc = tfs_point_at(e->dbg, places.addr[i], out, NULL);
		if (rc)
			break;
		p = &out->v[out->n - 1];
		p->file = row->file;
		p->line = row->line;
		p->flags |= TFS_POINT_LINE;
		if (places.left_out)
			p->flags |= TFS_POINT_PARTS;
		if (row->copy >= 0)
			p->flags &= ~(unsigned int)TFS_POINT_ENTRY;
	}
	return rc == -ENOENT ? 0 : rc;
}

/**
 * struct line_search - looking for a line
 * @file: NULL fits that of the function
 * @own: not in inlined copies
 * @next: the lowest line after it that has code, 0 if none was seen
 */
struct line_search {
	struct tfs_debuginfo *dbg;
	struct file_match file;
	unsigned int line;
	unsigned int next;
	bool saw_file;
	bool own;
	struct tfs_points *out;
};

static bool is_seen(const int32_t *copy, size_t n, int32_t one)
{
	for (size_t i = 0; i < n; i++) {
		if (copy[i] == one)
			return true;
	}
	return false;
}

static int search_func(struct line_search *s, const struct go_func *f)
{
	struct entering e = { .dbg = s->dbg, .f = f };
	size_t n = 0, before = s->out->n;
	int32_t copy[COPIES_MAX];
	int rc = 0;

	for (size_t i = 0; i < f->n && !rc; i++) {
		const struct tfs_go_row *row = &f->row[i];

		if ((s->own && row->copy >= 0) || !is_in_file(&s->file, row->file))
			continue;
		s->saw_file = true;
		if (row->line > s->line && (!s->next || row->line < s->next))
			s->next = row->line;
		if (row->line != s->line || is_seen(copy, n, row->copy))
			continue;
		if (n == COPIES_MAX) {
			if (s->out->n > before)
				s->out->v[before].flags |= TFS_POINT_PARTS;
			continue;
		}
		rc = n ? 0 : enter(&e);
		copy[n++] = row->copy;
		if (!rc)
			rc = add_places(&e, row, s->out);
	}
	leave(&e);
	return rc;
}

/*
 * @visit: 0 to go on
 * Functions of a damaged table overlap: more code than there is is not looked at.
 */
static int each_func(struct tfs_debuginfo *dbg, int (*visit)(void *ctx, const struct go_func *f),
		     void *ctx)
{
	const struct tfs_gopclntab *t = tfs_dso_go_table(dbg->dso);
	uint64_t left = tfs_dso_code_size(dbg->dso);
	struct go_func f = { 0 };
	int rc = 0;

	for (size_t i = 0; i < t->n && (!rc || rc == -ENOENT); i++) {
		rc = load(dbg, t, i, &f);
		if (rc)
			continue;
		if (f.func.end - f.func.entry > left)
			break;
		left -= f.func.end - f.func.entry;
		rc = visit(ctx, &f);
	}
	release(&f);
	return rc == -ENOENT ? 0 : rc;
}

static int search_one(void *ctx, const struct go_func *f)
{
	return search_func(ctx, f);
}

int tfs_go_line_find(struct tfs_debuginfo *dbg, const char *file, unsigned int line,
		     struct tfs_points *out, struct tfs_err *err)
{
	struct tfs_points found = TFS_POINTS_INIT;
	struct line_search s = {
		.dbg = dbg, .file = { .wanted = file }, .line = line, .out = &found
	};
	int rc = each_func(dbg, search_one, &s);

	if (!rc && !found.n) {
		rc = tfs_line_none(dbg, file, line, s.saw_file, s.next, err);
	} else {
		tfs_points_sort(&found);
		if (!rc)
			rc = tfs_points_move(out, &found);
		if (rc)
			tfs_err_set(err, rc, "cannot look up line %u of '%s'", line, file);
	}
	tfs_points_release(&found);
	return rc;
}

/* --- lines of a function --- */

/* The last code of a function that may need a larger stack: it gets one and begins again. */
static bool calls_morestack(struct tfs_debuginfo *dbg, const struct tfs_go_row *row)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t addr;

	if (tfs_insn_walk(dbg->dso, row->from, row->to, &walk))
		return false;
	while (tfs_insn_next(&walk, &addr, &insn) > 0) {
		if (insn.kind == TFS_INSN_CALL && insn.has_target &&
		    tfs_go_is_morestack(dbg->dso, insn.target))
			return true;
	}
	return false;
}

/*
 * The line that declares a function. Before Go 1.20 it is not said, but is that of the code that
 * looks whether the stack is large enough, which small functions do not have. 0 if not known.
 */
static unsigned int first_line(struct tfs_debuginfo *dbg, const struct go_func *f)
{
	const struct tfs_go_row *first = &f->row[0], *last = &f->row[f->n - 1];
	unsigned int line = tfs_gopclntab_first_line(tfs_dso_go_table(dbg->dso), f->index);

	if (line || first->copy >= 0)
		return line;
	return last->copy < 0 && last->line == first->line && calls_morestack(dbg, last) ?
		       first->line :
		       0;
}

static int load_at(struct tfs_debuginfo *dbg, uint64_t entry, struct go_func *f)
{
	const struct tfs_gopclntab *t = tfs_dso_go_table(dbg->dso);
	struct tfs_go_func func;

	*f = (struct go_func){ 0 };
	for (size_t i = 0; i < t->n; i++) {
		if (!tfs_gopclntab_func(t, i, &func) && func.entry == entry)
			return load(dbg, t, i, f);
	}
	return -ENOENT;
}

/* The function at a point, and the line that declares it. */
static int load_counted(struct tfs_debuginfo *dbg, const struct tfs_point *point, struct go_func *f,
			unsigned int *first, struct tfs_err *err)
{
	int rc = load_at(dbg, point->entry, f);

	if (rc == -ENOMEM) {
		tfs_err_set(err, rc, "cannot look up the lines of '%s'", point->func);
		return rc;
	}
	if (rc) {
		tfs_err_say(err, -ENODATA, "Go's line table has no lines of '%s'", point->func);
		return -ENODATA;
	}
	*first = first_line(dbg, f);
	if (*first)
		return 0;
	tfs_err_say(err, -ENODATA,
		    "lines of '%s' cannot be counted: Go's line table does not say which is its "
		    "first",
		    point->func);
	tfs_err_hint(err, "FILE:LINE can be asked for: its code begins with %s:%u", f->row[0].file,
		     f->row[0].line);
	return -ENODATA;
}

int tfs_go_line_in_func(struct tfs_debuginfo *dbg, const struct tfs_point *func, unsigned int rel,
			struct tfs_points *out, struct tfs_err *err)
{
	struct line_search s = { .dbg = dbg, .own = true, .out = out };
	size_t before = out->n;
	struct go_func f;
	unsigned int first = 0;
	int rc = load_counted(dbg, func, &f, &first, err);

	if (rc)
		goto done;
	s.file.wanted = f.row[0].file;
	s.line = first + rel;
	if (rel)
		rc = search_func(&s, &f);
	else
		rc = tfs_point_at(dbg, func->entry, out, NULL);
	if (rc)
		tfs_err_set(err, rc, "cannot look up a line of '%s'", func->func);
	if (!rc && out->n == before) {
		rc = tfs_err_say(err, -ENOENT, "no code for line %u of '%s' (line %u of '%s')", rel,
				 func->func, s.line, s.file.wanted);
		if (s.next)
			tfs_err_hint(err, "the next line that has code is %u", s.next - first);
	}
done:
	release(&f);
	return rc;
}

int tfs_go_line_map_func(struct tfs_debuginfo *dbg, struct tfs_point *func,
			 struct tfs_line_map *out, struct tfs_err *err)
{
	struct tfs_line_map map = { 0 };
	struct go_func f;
	int rc = load_counted(dbg, func, &f, &map.first, err);

	if (rc)
		goto done;
	func->decl_line = map.first;
	func->decl_file = f.row[0].file;
	map.file = strdup(func->decl_file);
	rc = map.file ? 0 : -ENOMEM;
	for (size_t i = 0; i < f.n && !rc; i++) {
		if (f.row[i].copy < 0 && f.row[i].file == func->decl_file)
			rc = tfs_line_map_add(&map, f.row[i].line);
	}
	if (rc) {
		tfs_line_map_release(&map);
		tfs_err_set(err, rc, "cannot list the lines of '%s'", func->func);
	} else {
		*out = map;
	}
done:
	release(&f);
	return rc;
}

/* --- lines of a file --- */

struct map_search {
	struct file_match file;
	struct tfs_line_map *map;
	unsigned int last;
};

static int map_one(void *ctx, const struct go_func *f)
{
	struct map_search *s = ctx;
	int rc = 0;

	for (size_t i = 0; i < f->n && !rc; i++) {
		const struct tfs_go_row *row = &f->row[i];

		if (!is_in_file(&s->file, row->file))
			continue;
		if (!s->map->file && !(s->map->file = strdup(row->file)))
			return -ENOMEM;
		if (!s->last || row->line <= s->last)
			rc = tfs_line_map_add(s->map, row->line);
	}
	return rc;
}

int tfs_go_line_map_file(struct tfs_debuginfo *dbg, const char *file, unsigned int first,
			 unsigned int last, struct tfs_line_map *out, struct tfs_err *err)
{
	struct tfs_line_map map = { .first = first ? first : 1 };
	struct map_search s = { .file = { .wanted = file }, .map = &map, .last = last };
	int rc = each_func(dbg, map_one, &s);

	if (rc)
		tfs_err_set(err, rc, "cannot list the lines of '%s'", file);
	else if (!map.file)
		rc = tfs_line_none(dbg, file, first, false, 0, err);
	if (rc)
		tfs_line_map_release(&map);
	else
		*out = map;
	return rc;
}
