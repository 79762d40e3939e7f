/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/resolve-internal.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strvec.h"
#include "dso/dso.h"
#include "dso/symbol.h"
#include "dwarf/code-start.h"
#include "dwarf/debuginfo.h"
#include "dwarf/func-match.h"
#include "dwarf/line.h"
#include "insn/insn.h"
#include "probe/sdt.h"
#include "probe/source.h"
#include "probe/spec.h"

/* Inlined copies that a message lists. */
#define INSTANCES_SHOWN 8

/*
 * struct search - where a spec's points are looked for
 */
struct search {
	struct tfs_debuginfo *dbg;
	struct tfs_dso *dso;
	const struct tfs_probe_spec *spec;
	const struct tfs_probe_resolve_opts *opts;
	struct tfs_err *err;
};

/* --- patterns over source text --- */

static void strip_blanks(const char *from, size_t len, char *to)
{
	for (size_t i = 0; i < len; i++) {
		if (!isspace((unsigned char)from[i]))
			*to++ = from[i];
	}
	*to = '\0';
}

static int matches(const char *pattern, const char *line, size_t len, bool *is)
{
	char *stripped = malloc(len + 1);

	if (!stripped)
		return -ENOMEM;
	strip_blanks(line, len, stripped);
	*is = !fnmatch(pattern, stripped, 0);
	free(stripped);
	return 0;
}

/* Clears map->has of the lines that do not match; -ENOENT if none is left. */
static int keep_matching(const struct search *s, const char *text, struct tfs_line_map *map)
{
	char *pattern = strdup(s->spec->pattern);
	size_t line = 1, left = 0;
	const char *end;
	int rc = 0;

	if (!pattern)
		return -ENOMEM;
	strip_blanks(s->spec->pattern, strlen(s->spec->pattern), pattern);
	for (; line < map->first && *text; line++) {
		end = strchrnul(text, '\n');
		text = *end ? end + 1 : end;
	}
	for (size_t i = 0; i < map->n && !rc; i++) {
		bool is = false;

		end = strchrnul(text, '\n');
		if (map->has[i])
			rc = matches(pattern, text, (size_t)(end - text), &is);
		map->has[i] = is;
		left += is;
		text = *end ? end + 1 : end;
	}
	free(pattern);
	return rc || left ? rc : -ENOENT;
}

static int lines_of_pattern(const struct search *s, struct tfs_line_map *map)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_source_read(s->dso, map->file, s->opts->source, &sb, s->err);

	if (!rc) {
		rc = keep_matching(s, sb.s, map);
		if (rc == -ENOENT)
			tfs_err_say(s->err, rc, "no line of '%s' that has code matches '%s'",
				    map->file, s->spec->pattern);
	}
	tfs_strbuf_release(&sb);
	return rc;
}

static int find_func_pattern(const struct search *s, struct tfs_point *func,
			     struct tfs_points *points)
{
	struct tfs_line_map map = { 0 };
	int rc = tfs_line_map_func(s->dbg, func, &map, s->err);

	if (rc)
		return rc;
	rc = lines_of_pattern(s, &map);
	for (size_t i = 0; i < map.n && !rc; i++) {
		unsigned int line = map.first + (unsigned int)i;

		if (map.has[i] && line >= func->decl_line)
			rc = tfs_line_in_func(s->dbg, func, line - func->decl_line, points, s->err);
	}
	tfs_line_map_release(&map);
	return rc;
}

static int find_file_pattern(const struct search *s, struct tfs_points *points)
{
	struct tfs_line_map map = { 0 };
	int rc = tfs_line_map_file(s->dbg, s->spec->src, 1, 0, &map, s->err);

	if (rc)
		return rc;
	rc = lines_of_pattern(s, &map);
	for (size_t i = 0; i < map.n && !rc; i++) {
		if (map.has[i])
			rc = tfs_line_find(s->dbg, s->spec->src, map.first + (unsigned int)i,
					   points, s->err);
	}
	tfs_line_map_release(&map);
	return rc;
}

/* --- functions --- */

/* NAME@VERSION looks like a function in a source file. */
static int find_version(const struct search *s, struct tfs_func_query query,
			struct tfs_points *points)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc;

	if (!s->spec->src || strpbrk(s->spec->src, "/"))
		return -ENOENT;
	rc = tfs_strbuf_addf(&sb, "%s@%s", s->spec->func, s->spec->src);
	if (!rc) {
		query.name = sb.s;
		query.file = NULL;
		rc = tfs_func_find(s->dbg, &query, points, NULL);
	}
	tfs_strbuf_release(&sb);
	return rc;
}

/* "use (a.c:10), ..." */
static int add_instances(struct tfs_debuginfo *dbg, struct tfs_points *points,
			 struct tfs_strbuf *sb)
{
	int rc = 0;

	for (size_t i = 0; i < points->n && i < INSTANCES_SHOWN && !rc; i++) {
		struct tfs_point *p = &points->v[i];
		const char *slash;

		tfs_point_read_line(dbg, p);
		slash = p->file ? strrchr(p->file, '/') : NULL;
		rc = tfs_strbuf_addf(sb, "%s0x%" PRIx64, i ? ", " : "", p->addr);
		if (!rc && p->into)
			rc = tfs_strbuf_addf(sb, " in %s", p->into);
		if (!rc && p->file)
			rc = tfs_strbuf_addf(sb, " (%s:%u)", slash ? slash + 1 : p->file, p->line);
	}
	if (!rc && points->n > INSTANCES_SHOWN)
		rc = tfs_strbuf_adds(sb, " ...");
	return rc;
}

/* Does the function exist only inlined? Then do not look for similar names; @s->err says why. */
static bool is_only_inlined(const struct search *s, struct tfs_func_query query)
{
	struct tfs_points points = TFS_POINTS_INIT;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	bool is;

	query.no_inlines = false;
	query.max = 0;
	is = !tfs_func_find(s->dbg, &query, &points, NULL) && points.n &&
	     !add_instances(s->dbg, &points, &sb);
	if (is) {
		tfs_err_say(s->err, -ENOENT, "'%s' exists only inlined, in %zu location%s: %s",
			    s->spec->func, points.n, points.n == 1 ? "" : "s", sb.s);
		tfs_err_hint(s->err,
			     "an inlined copy has no return and no offset of its own; '%s' alone "
			     "probes where the copies begin%s",
			     s->spec->func, s->opts->no_inlines ? ", without --no-inlines" : "");
	}
	tfs_strbuf_release(&sb);
	tfs_points_release(&points);
	return is;
}

/* Who asks for the returns of a function has not those of what was inlined: once for all copies. */
static int say_inlined(const struct search *s, const struct tfs_points *points)
{
	const struct tfs_func_query query = { .name = s->spec->func,
					      .file = s->spec->src,
					      .no_dwarf = true };
	struct tfs_points all = TFS_POINTS_INIT;
	size_t copies = 0;
	int rc = 0;

	/* of several functions of one name, whose copies they are is not looked up */
	if (s->opts->no_inlines || s->spec->nth)
		return 0;
	if (points->n == 1 && !tfs_point_may_be_inlined(s->dbg, &points->v[0]))
		return 0;
	if (!tfs_func_find(s->dbg, &query, &all, NULL)) {
		for (size_t i = 0; i < all.n; i++)
			copies += (all.v[i].flags & TFS_POINT_INLINED) != 0;
	}
	tfs_points_release(&all);
	if (copies)
		rc = tfs_strvec_pushf(s->opts->notices,
				      "%zu inlined cop%s of '%s' %s no return, and %s left out",
				      copies, copies == 1 ? "y" : "ies", s->spec->func,
				      copies == 1 ? "has" : "have", copies == 1 ? "is" : "are");
	return rc;
}

static void hint_suggest(const struct tfs_strvec *names, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < names->n && !rc; i++)
		rc = tfs_strbuf_addf(&sb, "%s'%s'", i ? ", " : "", names->v[i]);
	if (!rc)
		tfs_err_hint(err, "which one is meant: %s?", sb.s);
	tfs_strbuf_release(&sb);
}

/*
 * The one function whose name differs only by what a compiler or the kernel's macros put around it
 * is taken, and said; of several the user has to choose. -ENOENT if there is none.
 */
static int find_same_name(const struct search *s, struct tfs_func_query query,
			  struct tfs_points *points)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc;

	if (s->spec->src || strpbrk(query.name, "*?[@:"))
		return -ENOENT;
	rc = tfs_func_matches(s->dso, query.name, &names);
	if (!rc && names.n == 1) {
		const char *typed = query.name;

		query.name = names.v[0];
		rc = tfs_func_find(s->dbg, &query, points, NULL);
		if (!rc)
			rc = tfs_strvec_pushf(s->opts->notices,
					      "there is no function '%s'; '%s' is taken", typed,
					      names.v[0]);
	} else if (!rc) {
		if (names.n)
			hint_suggest(&names, s->err);
		rc = -ENOENT;
	}
	tfs_strvec_release(&names);
	return rc;
}

static int find_funcs(const struct search *s, bool no_dwarf, struct tfs_points *points)
{
	const struct tfs_probe_spec *spec = s->spec;
	struct tfs_func_query query = {
		.name = spec->func,
		.file = spec->src,
		.no_inlines = s->opts->no_inlines || spec->ret || spec->offset,
		.no_dwarf = no_dwarf && !spec->has_line && !spec->pattern,
		.max = s->opts->max,
	};
	int rc = tfs_func_find(s->dbg, &query, points, s->err);

	if (rc == -ENOENT) {
		rc = find_version(s, query, points);
		if (rc == -ENOENT && query.no_inlines && is_only_inlined(s, query))
			return rc;
		if (rc == -ENOENT)
			rc = find_same_name(s, query, points);
		if (!rc)
			tfs_err_clear(s->err);
	}
	return rc;
}

/* Where the code that @addr is in begins, as far as it is known. */
static uint64_t code_begin(const struct search *s, const struct tfs_point *point, uint64_t addr)
{
	const struct tfs_symbol *sym;

	if (point->entry <= addr && addr < point->end)
		return point->entry;
	sym = tfs_symbol_at(s->dso, addr);
	return sym && sym->addr > point->entry ? sym->addr : point->entry;
}

/* A probe must be where an instruction begins: -f says that it is, whatever we think. */
static int check_start(const struct search *s, const struct tfs_point *point, uint64_t addr,
		       const char *typed)
{
	uint64_t begin, end, start = code_begin(s, point, addr), known;
	int rc;

	if (s->opts->force)
		return 0;
	if (!tfs_code_start(s->dso, addr, &known) && known > start)
		start = known;
	rc = tfs_insn_at(s->dso, start, addr, &begin, &end);
	if ((!rc && begin == addr) || (rc && tfs_line_is_start(s->dbg, addr)))
		return 0;
	/* The kernel itself checks the boundaries of instructions in its code. */
	if (rc && tfs_dso_kind(s->dso) != TFS_DSO_PROGRAM)
		return 0;
	if (rc)
		tfs_err_say(s->err, -EINVAL, "'%s': no instruction is known to begin there", typed);
	else
		tfs_err_say(s->err, -EINVAL, "'%s' is inside an instruction", typed);
	if (rc)
		tfs_err_hint(s->err,
			     "a probe inside an instruction crashes the program; -f accepts the "
			     "location as it is");
	else
		tfs_err_hint(s->err,
			     "that instruction begins %" PRIu64 " byte%s before, the next one "
			     "%" PRIu64
			     " after; a probe inside one crashes the program (-f accepts the "
			     "location as it is)",
			     addr - begin, addr - begin == 1 ? "" : "s", end - addr);
	return -EINVAL;
}

static int move_offset(const struct search *s, struct tfs_point *point)
{
	uint64_t addr = point->entry + s->spec->offset;
	struct tfs_strbuf typed = TFS_STRBUF_INIT;
	int rc;

	if (point->end > point->entry && addr >= point->end)
		return tfs_err_say(s->err, -EINVAL,
				   "'%s' has %" PRIu64 " bytes, +%" PRIu64 " is outside",
				   s->spec->func, point->end - point->entry, s->spec->offset);
	rc = tfs_strbuf_addf(&typed, "%s+%" PRIu64, s->spec->func, s->spec->offset);
	if (!rc)
		rc = check_start(s, point, addr, typed.s);
	tfs_strbuf_release(&typed);
	if (!rc)
		tfs_point_move(point, addr);
	return rc;
}

static int find_addr(const struct search *s, struct tfs_points *points)
{
	size_t before = points->n;
	char typed[32];
	int rc = tfs_point_at(s->dbg, s->spec->offset, points, s->err);

	snprintf(typed, sizeof(typed), "0x%" PRIx64, s->spec->offset);
	if (!rc)
		rc = check_start(s, &points->v[before], s->spec->offset, typed);
	return rc;
}

/*
 * The half of a function that gcc puts aside is jumped to: what is on top of the stack is not where
 * to return to, and a return probe would write over it.
 */
static int check_called(const struct search *s, const struct tfs_points *points)
{
	for (size_t i = 0; i < points->n && !s->opts->force; i++) {
		const char *symbol = points->v[i].symbol;
		const char *cold = symbol ? strstr(symbol, ".cold") : NULL;

		if (!cold || strspn(cold + 5, ".0123456789") != strlen(cold + 5))
			continue;
		tfs_err_say(s->err, -EINVAL, "'%s' is jumped to, not called: it has no return",
			    symbol);
		tfs_err_hint(s->err, "%.*s%%return is where its function returns",
			     (int)(cold - symbol), symbol);
		return -EINVAL;
	}
	return 0;
}

static int find_in_funcs(const struct search *s, struct tfs_points *funcs,
			 struct tfs_points *points)
{
	size_t before = points->n;
	int rc = 0, first = 0;

	for (size_t i = 0; i < funcs->n && !first; i++) {
		struct tfs_point *func = &funcs->v[i];

		if (s->spec->pattern)
			rc = find_func_pattern(s, func, points);
		else
			rc = tfs_line_in_func(s->dbg, func, s->spec->line, points, s->err);
		/* not every copy has code for each line */
		if (rc && rc != -ENOENT)
			first = rc;
	}
	if (first)
		return first;
	if (points->n > before) {
		tfs_err_clear(s->err);
		return 0;
	}
	return rc;
}

static int find_func_points(const struct search *s, bool no_dwarf, struct tfs_points *points)
{
	struct tfs_points funcs = TFS_POINTS_INIT;
	int rc;

	if (!s->spec->has_line && !s->spec->pattern) {
		rc = find_funcs(s, no_dwarf, points);
		if (!rc)
			rc = tfs_probe_choose(s->dbg, s->spec,
					      s->opts->all ? TFS_PROBE_CHOOSE_ALL : 0, points,
					      s->err);
		if (!rc && s->spec->ret)
			rc = check_called(s, points);
		if (!rc && s->spec->ret)
			rc = say_inlined(s, points);
		for (size_t i = 0; i < points->n && s->spec->offset && !rc; i++)
			rc = move_offset(s, &points->v[i]);
		/* of a glob there are too many to follow each */
		if (!rc && !s->spec->offset && !tfs_probe_is_glob(s->spec, points))
			rc = tfs_points_enter(s->dbg, points);
		return rc;
	}
	rc = find_funcs(s, false, &funcs);
	if (!rc && !tfs_line_is_known(s->dbg))
		rc = tfs_debuginfo_missing(s->dbg, s->err);
	if (!rc)
		rc = tfs_probe_choose(s->dbg, s->spec, s->opts->all ? TFS_PROBE_CHOOSE_ALL : 0,
				      &funcs, s->err);
	if (!rc)
		rc = find_in_funcs(s, &funcs, points);
	tfs_points_release(&funcs);
	return rc;
}

/*
 * Go moves its stacks, and the address that a return probe leaves there is none that it knows: the
 * program would be ended. So a probe is put on each instruction that returns.
 */
static int at_returns(const struct search *s, struct tfs_points *points)
{
	struct tfs_points returns = TFS_POINTS_INIT, spare;
	struct tfs_err first = TFS_ERR_INIT;
	int rc = 0, failed = 0;

	for (size_t i = 0; i < points->n; i++) {
		struct tfs_err err = TFS_ERR_INIT;

		rc = tfs_point_returns(s->dbg, &points->v[i], &returns, &err);
		if (rc == -ENOMEM)
			break;
		if (rc && !failed) {
			failed = rc;
			first = err;
		}
		rc = 0;
	}
	/* of many, some need not return */
	if (!rc && !returns.n && failed) {
		rc = failed;
		if (s->err)
			*s->err = first;
	}
	if (rc) {
		tfs_points_release(&returns);
		return rc;
	}
	spare = *points;
	*points = returns;
	tfs_points_release(&spare);
	return 0;
}

static int find_points(const struct search *s, bool no_dwarf, struct tfs_points *points)
{
	switch (s->spec->at) {
	case TFS_PROBE_AT_LINE:
		return tfs_line_find(s->dbg, s->spec->src, s->spec->line, points, s->err);
	case TFS_PROBE_AT_PATTERN:
		return find_file_pattern(s, points);
	case TFS_PROBE_AT_ADDR:
		return find_addr(s, points);
	case TFS_PROBE_AT_SDT:
		return tfs_sdt_find(s->dbg, s->spec->func, points, s->err);
	case TFS_PROBE_AT_FUNC:
		break;
	}
	return find_func_points(s, no_dwarf, points);
}

static bool same_module(const char *a, const char *b)
{
	for (; *a && (*a == *b || (*a == '-' && *b == '_')); a++)
		b++;
	return *a == *b;
}

/* Is the module of MODULE:FUNC the one that is looked into? */
static int check_module(const struct tfs_dso *dso, const struct tfs_probe_spec *spec,
			struct tfs_err *err)
{
	const char *module = tfs_dso_module(dso);

	if (!spec->module || (module && same_module(spec->module, module)))
		return 0;
	if (tfs_dso_kind(dso) == TFS_DSO_PROGRAM) {
		tfs_err_say(err, -EINVAL, "'%s:%s': a program has no modules", spec->module,
			    spec->func);
		tfs_err_hint(err, "a line number follows ':'; a group goes before EVENT=");
		return -EINVAL;
	}
	tfs_err_say(err, -EINVAL, "'%s:%s' is in another module than %s%s%s", spec->module,
		    spec->func, module ? "'" : "what is looked into", module ? module : "",
		    module ? "'" : "");
	tfs_err_hint(err, "probes of several modules need a command each");
	return -EINVAL;
}

int tfs_probe_points(struct tfs_debuginfo *dbg, const struct tfs_probe_spec *spec,
		     const struct tfs_probe_resolve_opts *opts, unsigned int flags,
		     struct tfs_points *points, struct tfs_err *err)
{
	const struct search s = { dbg, tfs_debuginfo_dso(dbg), spec, opts, err };
	int rc = check_module(s.dso, spec, err);

	if (!rc)
		rc = find_points(&s, flags & TFS_PROBE_NO_VARIABLES, points);
	if (!rc && spec->ret && tfs_dso_is_go(s.dso))
		rc = at_returns(&s, points);
	return rc;
}
