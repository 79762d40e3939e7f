/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-probe-lines.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "cli/print.h"
#include "dso/dso.h"
#include "dso/symbol.h"
#include "dwarf/debuginfo.h"
#include "dwarf/func.h"
#include "dwarf/line.h"
#include "probe/features.h"
#include "probe/parse.h"
#include "probe/resolve.h"
#include "probe/source.h"
#include "probe/spec.h"
#include "tc-probe-opts.h"

/*
 * struct range - what of -L's argument says which lines
 * @point: the rest, as probe/parse.h reads it
 * @mark: '-' or '+'; 0: all from the first one on
 * @n: after '-': the last line; after '+': how many
 */
struct range {
	char *point;
	char mark;
	unsigned int n;
};

/* FUNC:10-20, FUNC:10+5, FILE.c, FILE.c:10-20 */
static int parse_range(const char *text, struct range *range, struct tfs_err *err)
{
	const char *colon = strrchr(text, ':');
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
	const char *mark = digits ? colon + 1 + digits : NULL;
	uint64_t n;
	int rc;

	if (!mark || (*mark != '-' && *mark != '+')) {
		/* a file alone is all of it */
		if (!colon && !strchr(text, '@') && tfs_probe_is_source(text))
			rc = asprintf(&range->point, "%s:1", text) < 0 ? -ENOMEM : 0;
		else
			rc = (range->point = strdup(text)) ? 0 : -ENOMEM;
		return rc ? tfs_err_set(err, rc, "cannot read '%s'", text) : 0;
	}
	rc = tfs_parse_u64(mark + 1, *mark == '+', INT_MAX, &n, err);
	if (rc)
		return tfs_err_prefix(err, "'%s'", text);
	range->point = strndup(text, (size_t)(mark - text));
	if (!range->point)
		return tfs_err_set(err, -ENOMEM, "cannot read '%s'", text);
	range->mark = *mark;
	range->n = (unsigned int)n;
	return 0;
}

/* The last line to show, counted as @first is; UINT_MAX: the last one there is */
static int last_line(const struct range *range, unsigned int first, unsigned int *last,
		     struct tfs_err *err)
{
	*last = !range->mark ? UINT_MAX : range->mark == '+' ? first + range->n - 1 : range->n;
	if (*last >= first)
		return 0;
	return tfs_err_say(err, -EINVAL, "'%s-%u': the last line is before the first", range->point,
			   range->n);
}

/*
 * struct view - the lines to show
 * @base: what is subtracted from a line's number when it is shown
 * @first, @last: of the file
 */
struct view {
	struct tfs_line_map map;
	unsigned int base;
	unsigned int first;
	unsigned int last;
	char *title;
};

/* Other names of the same code. */
static void print_aliases(const struct tfs_symbol *syms, size_t n, const struct tfs_symbol *sym)
{
	const char *before = ", also ";

	for (size_t i = 0; i < n; i++) {
		if (syms[i].addr != sym->addr || syms[i].type != sym->type ||
		    !strcmp(syms[i].name, sym->name))
			continue;
		tc_print("%s%s", before, syms[i].name);
		before = ", ";
	}
}

/* Without lines there is still what the symbol table says. */
static void print_symbols(struct tfs_dso *dso, const struct tfs_points *points)
{
	const struct tfs_symbol *syms = NULL;
	size_t n = 0;

	if (tfs_symbols(dso, &syms, &n, NULL))
		return;
	for (size_t i = 0; i < points->n; i++) {
		const struct tfs_symbol *sym = tfs_symbol_at(dso, points->v[i].addr);
		const char *section = tfs_dso_section(dso, points->v[i].addr);

		if (!sym)
			continue;
		tc_print("<%s> at 0x%" PRIx64,
			 points->v[i].symbol ? points->v[i].symbol : sym->name, sym->addr);
		/* kallsyms, and some symbols of assembler, have none */
		if (sym->size)
			tc_print(", %" PRIu64 " bytes", sym->size);
		if (section)
			tc_print(" in %s", section);
		print_aliases(syms, n, sym);
		tc_print("\n");
	}
}

static int find_function(const struct probe_request *req, struct tfs_debuginfo *dbg,
			 const struct tfs_probe_spec *spec, struct tfs_points *points,
			 struct tfs_err *err)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	const struct tfs_func_query query = { .name = spec->func,
					      .file = spec->src,
					      .max = req->max_probes };
	int rc = tfs_func_find(dbg, &query, points, err);

	if (!rc && (!tfs_line_is_known(dbg) ||
		    (tfs_debuginfo_split_missing(dbg) && points->n && !points->v[0].scope))) {
		print_symbols(dso, points);
		rc = tfs_debuginfo_missing(dbg, err);
	}
	if (!rc && !points->n)
		rc = tfs_err_say(err, -ENOENT, "there is no function '%s'", spec->func);
	return rc;
}

/* Lines @first to @last, counted from the view's base */
static void set_bounds(struct view *view, unsigned int first, unsigned int last)
{
	unsigned int end = view->map.first + (unsigned int)view->map.n;

	view->first = view->base + first;
	view->last = last < UINT_MAX ? view->base + last : end ? end - 1 : 0;
}

/* A line after the last one with code shows nothing, and looks like a function without any. */
static int check_inside(const struct tfs_probe_spec *spec, const struct view *view,
			struct tfs_err *err)
{
	unsigned int end = view->map.first + (unsigned int)view->map.n;

	if (!view->map.n || view->first < end)
		return 0;
	tfs_err_say(err, -ERANGE, "'%s' has no line %u", spec->func, spec->line);
	tfs_err_hint(err, "the last with code is %u", end - 1 - view->base);
	return -ERANGE;
}

static int view_function(const struct probe_request *req, struct tfs_debuginfo *dbg,
			 const struct tfs_probe_spec *spec, unsigned int last, struct view *view,
			 struct tfs_err *err)
{
	struct tfs_points points = TFS_POINTS_INIT;
	struct tfs_point *func = NULL;
	int rc = find_function(req, dbg, spec, &points, err);

	if (!rc)
		rc = tfs_probe_choose(dbg, spec, 0, &points, err);
	if (!rc) {
		func = &points.v[0];
		rc = tfs_line_map_func(dbg, func, &view->map, err);
	}
	if (!rc) {
		view->base = func->decl_line ? func->decl_line : view->map.first;
		set_bounds(view, spec->line, last);
		rc = check_inside(spec, view, err);
		if (!rc && asprintf(&view->title, "%s@%s:%u", func->func ? func->func : spec->func,
				    view->map.file, view->first - view->base) < 0)
			rc = tfs_err_set(err, -ENOMEM, "cannot show lines");
	}
	tfs_points_release(&points);
	return rc;
}

static int view_file(struct tfs_debuginfo *dbg, const struct tfs_probe_spec *spec,
		     unsigned int last, struct view *view, struct tfs_err *err)
{
	int rc = tfs_line_map_file(dbg, spec->src, spec->line, last, &view->map, err);

	if (rc)
		return rc;
	set_bounds(view, spec->line, last);
	if (asprintf(&view->title, "%s:%u", view->map.file, view->first) < 0)
		return tfs_err_set(err, -ENOMEM, "cannot show lines");
	return 0;
}

static bool can_probe(const struct view *view, unsigned int line)
{
	return line >= view->map.first && line - view->map.first < view->map.n &&
	       view->map.has[line - view->map.first];
}

static void print_text(const struct view *view, const char *text)
{
	unsigned int line = 1;
	const char *end;

	for (; line < view->first && *text; line++) {
		end = strchrnul(text, '\n');
		text = *end ? end + 1 : end;
	}
	for (; *text && line <= view->last; line++) {
		end = strchrnul(text, '\n');
		if (can_probe(view, line))
			tc_print("%7u  %.*s\n", line - view->base, (int)(end - text), text);
		else
			tc_print("         %.*s\n", (int)(end - text), text);
		text = *end ? end + 1 : end;
	}
}

/* Without the source the numbers are still worth something. */
static void print_numbers(const struct view *view)
{
	const unsigned int end = view->map.first + (unsigned int)view->map.n;

	for (unsigned int line = view->first; line <= view->last && line < end; line++) {
		if (can_probe(view, line))
			tc_print("%7u\n", line - view->base);
	}
}

static int print_view(const struct probe_request *req, struct tfs_dso *dso, const struct view *view,
		      struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_source_read(dso, view->map.file, req->source, &sb, err);

	tc_print("<%s>\n", view->title);
	if (rc)
		print_numbers(view);
	else
		print_text(view, sb.s);
	tfs_strbuf_release(&sb);
	return rc;
}

int probe_lines(const struct probe_request *req, struct tfs_debuginfo *dbg, struct tfs_err *err)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	struct tfs_probe_spec spec = { 0 };
	struct range range = { 0 };
	struct view view = { 0 };
	unsigned int last = 0;
	int rc = parse_range(req->lines, &range, err);

	if (!rc)
		rc = tfs_probe_parse_point(range.point, &spec, err);
	if (!rc)
		rc = last_line(&range, spec.line, &last, err);
	if (!rc && spec.at == TFS_PROBE_AT_LINE)
		rc = view_file(dbg, &spec, last, &view, err);
	else if (!rc && spec.at == TFS_PROBE_AT_FUNC && !spec.ret && !spec.offset && !spec.pattern)
		rc = view_function(req, dbg, &spec, last, &view, err);
	else if (!rc)
		rc = tfs_err_say(err, -EINVAL, "'%s': lines are those of a function or of a file",
				 req->lines);
	if (!rc)
		rc = print_view(req, dso, &view, err);
	tfs_line_map_release(&view.map);
	free(view.title);
	free(range.point);
	tfs_probe_spec_release(&spec);
	return rc;
}
