/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/graph-internal.h"

#include <errno.h>
#include <fnmatch.h>

#include "base/err.h"
#include "base/name-match.h"
#include "base/strvec.h"
#include "base/suggest.h"

static bool was_met(const struct tfs_graph *g, const char *glob)
{
	for (size_t i = 0; i < g->funcs.n; i++) {
		const struct graph_func *f = g->funcs.v[i];

		if (f->met &&
		    (!fnmatch(glob, f->name, 0) || (f->event && !fnmatch(glob, f->event, 0))))
			return true;
	}
	return false;
}

/* Functions that were met with names like @typed; those that contain it if there are none */
static int find_similar(const struct tfs_graph *g, const char *typed, bool parts,
			struct tfs_strvec *out)
{
	int rc = 0;

	for (size_t i = 0; i < g->funcs.n && !rc; i++) {
		const struct graph_func *f = g->funcs.v[i];

		if (f->met && tfs_func_same_name(f->name, typed) &&
		    tfs_func_is_part(f->name) == parts)
			rc = tfs_strvec_push(out, f->name);
	}
	return !rc && !out->n && !parts ? find_similar(g, typed, true, out) : rc;
}

static int say_none(const struct tfs_graph *g, const char *typed, const struct tfs_strvec *similar,
		    struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc = 0;

	for (size_t i = 0; i < g->funcs.n && !rc && !similar->n; i++)
		if (g->funcs.v[i]->met)
			rc = tfs_strvec_push(&names, g->funcs.v[i]->name);
	tfs_err_say(err, -ENOENT, "no call of '%s' was recorded", typed);
	tfs_suggest_hint(err, typed, similar->n ? similar : &names,
			 "'--graph --summary' without names lists all functions that were called");
	tfs_strvec_release(&names);
	return -ENOENT;
}

/* Appends the function that @typed means to @out. @shown: it is too late for another run */
static int resolve(const struct tfs_graph *g, const char *typed, bool shown, struct tfs_strvec *out,
		   struct tfs_err *err)
{
	struct tfs_strvec similar = TFS_STRVEC_INIT;
	int rc = find_similar(g, typed, false, &similar);

	if (!rc && (shown || similar.n != 1))
		rc = say_none(g, typed, &similar, err);
	else if (!rc)
		rc = tfs_strvec_push(out, similar.v[0]);
	tfs_strvec_release(&similar);
	return rc;
}

/* 1: some of them were replaced */
static int resolve_all(const struct tfs_graph *g, const struct tfs_strvec *typed, bool shown,
		       struct tfs_strvec *out, struct tfs_err *err)
{
	bool other = false;
	int rc = 0;

	for (size_t i = 0; i < typed->n && !rc; i++) {
		if (was_met(g, typed->v[i])) {
			rc = tfs_strvec_push(out, typed->v[i]);
			continue;
		}
		other = true;
		rc = resolve(g, typed->v[i], shown, out, err);
	}
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot look for names");
	return rc ? rc : other;
}

static int say_no_calls(struct tfs_err *err)
{
	tfs_err_say(err, -ENOENT, "no calls were recorded");
	tfs_err_hint(err,
		     "'tc-record -p function_graph -g FUNC' records some; --pair BEGIN:END takes "
		     "any two events");
	return -ENOENT;
}

int tfs_graph_missed(const struct tfs_view *view, struct tfs_strvec *funcs,
		     struct tfs_strvec *callers, struct tfs_err *err)
{
	const struct tfs_graph *g = (const struct tfs_graph *)view;
	bool shown = false;
	int rc, rc2;

	if (g->is_text)
		return 0;
	if (!was_met(g, "*"))
		return say_no_calls(err);
	for (size_t i = 0; i < g->opts.funcs->n; i++)
		shown |= was_met(g, g->opts.funcs->v[i]);
	rc = resolve_all(g, g->opts.funcs, shown, funcs, err);
	if (rc < 0)
		return rc;
	rc2 = resolve_all(g, g->opts.callers, g->begun, callers, err);
	return rc2 < 0 ? rc2 : rc || rc2;
}
