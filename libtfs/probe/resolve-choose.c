/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/resolve-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "dso/demangle.h"
#include "dso/symbol.h"
#include "dwarf/debuginfo.h"
#include "dwarf/func.h"
#include "probe/spec.h"

/* As many as are shown to choose from. */
#define SHOWN_MAX 8

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool same_name(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static bool is_mangled(const char *symbol)
{
	return symbol && tfs_demangle_is_mangled(symbol);
}

/* A macro may declare two functions on one line: overloads differ in their linkage names. */
static bool is_overload(const struct tfs_point *a, const struct tfs_point *b)
{
	const char *x = tfs_point_linkage(a), *y = tfs_point_linkage(b);
	char *p, *q;
	bool is;

	/* of a template the copies are meant together */
	if (!is_mangled(x) || !is_mangled(y) || !strcmp(x, y) || (a->func && strchr(a->func, '<')))
		return false;
	p = tfs_demangle(x, TFS_DEMANGLE_PARAMS);
	q = tfs_demangle(y, TFS_DEMANGLE_PARAMS);
	/* a constructor has two names that say the same */
	is = p && q && !strchr(p, '<') && strcmp(p, q) != 0;
	free(p);
	free(q);
	return is;
}

/* As the compiler wrote it, without "." and ".." that lead nowhere. */
static void normalise(const char *path, char *out, size_t size)
{
	const bool absolute = *path == '/';
	size_t len = 0, part;

	for (; *path; path += part) {
		path += strspn(path, "/");
		part = strcspn(path, "/");
		if (!part || (part == 1 && *path == '.'))
			continue;
		if (part == 2 && !strncmp(path, "..", 2) && len &&
		    !(len >= 2 && !strncmp(out + len - 2, "..", 2))) {
			while (len && out[len - 1] != '/')
				len--;
			len -= len > 0;
			continue;
		}
		if (len + part + 2 > size)
			break;
		if (len || absolute)
			out[len++] = '/';
		memcpy(out + len, path, part);
		len += part;
	}
	out[len] = '\0';
}

/* A header's path is written in several ways; two files of one name are in two directories. */
static bool same_file(const char *a, const char *b)
{
	char x[PATH_MAX], y[PATH_MAX];

	if (!strcmp(a, b))
		return true;
	if (strcmp(base_of(a), base_of(b)) != 0)
		return false;
	normalise(a, x, sizeof(x));
	normalise(b, y, sizeof(y));
	/* a path may lack the directory that the file was compiled in */
	return !strcmp(x, y) || (*x != '/' && tfs_path_has_tail(y, x)) ||
	       (*y != '/' && tfs_path_has_tail(x, y));
}

/*
 * Are two places of one function: its inlined copies, clones, and the copies that each unit has of
 * what a header declares? A header's path may be written in several ways.
 */
static bool same_function(const struct tfs_point *a, const struct tfs_point *b)
{
	/* what a header has for the compiler to inline is what the library has */
	if ((a->flags & b->flags & TFS_POINT_GLOBAL) &&
	    (same_name(a->func, b->func) || same_name(a->symbol, b->func) ||
	     same_name(a->func, b->symbol)))
		return true;
	if (a->decl_line && b->decl_line && a->decl_file && b->decl_file)
		return a->decl_line == b->decl_line && same_file(a->decl_file, b->decl_file) &&
		       !is_overload(a, b);
	if (a->into || b->into)
		return a->func && b->func && !strcmp(a->func, b->func);
	/* a compiler's part of a function has no declaration of its own */
	if ((a->flags | b->flags) & (TFS_POINT_PLT | TFS_POINT_PART | TFS_POINT_IFUNC))
		return true;
	/* without debug information the instances of a generic function of Go's have one name */
	if (a->symbol && strstr(a->symbol, "[...]"))
		return same_name(a->symbol, b->symbol);
	/* a mangled name says which of several it is; a constructor has two that say the same */
	if (is_mangled(a->symbol) && is_mangled(b->symbol))
		return same_name(a->func, b->func);
	return a->addr == b->addr || !a->symbol || !b->symbol || strcmp(a->symbol, b->symbol) != 0;
}

bool tfs_probe_is_glob(const struct tfs_probe_spec *spec, const struct tfs_points *points)
{
	if (spec->at != TFS_PROBE_AT_FUNC || !strpbrk(spec->func, "*?["))
		return false;
	for (size_t i = 0; i < points->n; i++) {
		const struct tfs_point *p = &points->v[i];

		if ((p->func && !strcmp(p->func, spec->func)) ||
		    (p->symbol && !strcmp(p->symbol, spec->func)))
			return false;
	}
	return true;
}

/*
 * A name alone is its default version, which programs are linked to now, as for the linker: the
 * others are named with theirs.
 */
static int drop_old_versions(struct tfs_dso *dso, const struct tfs_probe_spec *spec,
			     struct tfs_points *points)
{
	const struct tfs_symbol *const *syms = NULL;
	struct tfs_points old = TFS_POINTS_INIT;
	long n = tfs_symbol_named(dso, spec->func, &syms);
	bool has_default = false;
	size_t kept = 0;

	for (long i = 0; i < n; i++)
		has_default |= syms[i]->version && !syms[i]->hidden;
	if (n < 2 || !has_default)
		return n < 0 ? (int)n : 0;
	old.v = calloc(points->n, sizeof(*old.v));
	if (!old.v)
		return -ENOMEM;
	for (size_t i = 0; i < points->n; i++) {
		bool hidden = false, is_default = false;

		for (long k = 0; k < n; k++) {
			if (syms[k]->addr != points->v[i].addr)
				continue;
			hidden |= syms[k]->hidden;
			is_default |= !syms[k]->hidden;
		}
		if (hidden && !is_default)
			old.v[old.n++] = points->v[i];
		else
			points->v[kept++] = points->v[i];
	}
	points->n = kept;
	tfs_points_release(&old);
	return 0;
}

/* Is points->v[i] the first place of its function? */
static bool is_first(const struct tfs_points *points, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (same_function(&points->v[j], &points->v[i]))
			return false;
	return true;
}

/*
 * The shortest tail of its path that no other function's file shares; @unique is cleared if others
 * share even the whole path.
 */
static const char *unique_tail(const struct tfs_points *points, size_t i, bool *unique)
{
	const struct tfs_point *p = &points->v[i];
	const char *const path = p->decl_file;
	const char *tail = base_of(path);

	*unique = true;
	for (size_t j = 0; j < points->n;) {
		const struct tfs_point *o = &points->v[j];

		if (same_function(o, p) ||
		    (o->decl_file && !tfs_path_has_tail(o->decl_file, tail))) {
			j++;
			continue;
		}
		if (!o->decl_file || tail == path) {
			*unique = false;
			return base_of(path);
		}
		/* one component more, and again against all */
		for (tail--; tail > path && tail[-1] != '/'; tail--)
			;
		j = 0;
	}
	return tail;
}

/* A name that sets it apart from the others; NULL if only the place does. Free @text. */
static const char *distinguish(const struct tfs_probe_spec *spec, const struct tfs_points *points,
			       size_t i, char **text)
{
	const struct tfs_point *p = &points->v[i];
	bool overloaded = false;

	for (size_t j = 0; j < points->n && !overloaded; j++)
		overloaded = is_overload(p, &points->v[j]);
	*text = overloaded ? tfs_demangle(tfs_point_linkage(p), TFS_DEMANGLE_PARAMS) : NULL;
	if (!*text && p->func && strcmp(p->func, spec->func) != 0)
		return p->func;
	return *text;
}

/* "f@a.c (line 10)", "f#2 (f(int), a.cc:10)", "f@a.c#2 (line 10)", "f#2 (0x1234)" */
static int add_candidate(const struct tfs_probe_spec *spec, const struct tfs_points *points,
			 size_t i, struct tfs_strbuf *sb)
{
	const struct tfs_point *p = &points->v[i];
	bool unique = false;
	const char *tail = p->decl_file ? unique_tail(points, i, &unique) : NULL, *name;
	char *text;
	int rc;

	if (unique)
		return tfs_strbuf_addf(sb, "%s@%s (line %u)", spec->func, tail, p->decl_line);
	name = distinguish(spec, points, i, &text);
	/* the number counts among those that were looked for: in this file, if one was typed */
	if (tail)
		rc = tfs_strbuf_addf(sb, "%s%s%s#%zu (%s%s%s:%u)", spec->func, spec->src ? "@" : "",
				     spec->src ? spec->src : "", i + 1, name ? name : "",
				     name ? ", " : "", tail, p->decl_line);
	else
		rc = tfs_strbuf_addf(sb, "%s#%zu (%s%s0x%" PRIx64 ")", spec->func, i + 1,
				     name ? name : "", name ? ", " : "", p->addr);
	free(text);
	return rc;
}

static int ambiguous(const struct tfs_probe_spec *spec, const struct tfs_points *points, size_t n,
		     struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	size_t shown = 0;
	int rc = 0;

	for (size_t i = 0; i < points->n && !rc && shown < SHOWN_MAX; i++) {
		if (!is_first(points, i))
			continue;
		if (shown++)
			rc = tfs_strbuf_adds(&sb, ", ");
		if (!rc)
			rc = add_candidate(spec, points, i, &sb);
	}
	tfs_err_say(err, -ENOTUNIQ, "'%s' is the name of %zu functions", spec->func, n);
	if (!rc)
		tfs_err_hint(err, "which one is meant: %s%s?", sb.s, n > shown ? " ..." : "");
	tfs_strbuf_release(&sb);
	return rc ? rc : -ENOTUNIQ;
}

/* Keeps the one that #N asks for. */
static int keep_nth(const struct tfs_probe_spec *spec, struct tfs_points *points,
		    struct tfs_err *err)
{
	struct tfs_points rest = TFS_POINTS_INIT;
	unsigned int nth = spec->nth;

	if (nth > points->n)
		return tfs_err_say(err, -ENOENT, "there is no '%s' number %u, but %zu of them",
				   spec->func, nth, points->n);
	rest.v = calloc(points->n, sizeof(*rest.v));
	if (!rest.v)
		return -ENOMEM;
	for (size_t i = 0; i < points->n; i++) {
		if (i != nth - 1)
			rest.v[rest.n++] = points->v[i];
	}
	points->v[0] = points->v[nth - 1];
	points->n = 1;
	tfs_points_release(&rest);
	return 0;
}

static size_t count_functions(const struct tfs_points *points)
{
	size_t n = 0;

	for (size_t i = 0; i < points->n; i++)
		n += is_first(points, i);
	return n;
}

int tfs_probe_choose(struct tfs_debuginfo *dbg, const struct tfs_probe_spec *spec,
		     unsigned int flags, struct tfs_points *points, struct tfs_err *err)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	size_t n;
	int rc;

	if (spec->nth)
		return keep_nth(spec, points, err);
	if (flags & TFS_PROBE_CHOOSE_ALL || points->n < 2 || tfs_probe_is_glob(spec, points))
		return 0;
	rc = drop_old_versions(dso, spec, points);
	for (size_t i = 0; i < points->n; i++)
		tfs_point_read_decl(dbg, &points->v[i]);
	n = count_functions(points);
	return rc || n < 2 ? rc : ambiguous(spec, points, n, err);
}
