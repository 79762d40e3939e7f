/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/define.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "fs/link.h"
#include "fs/plan.h"
#include "probe/name.h"

void tfs_probe_def_release(struct tfs_probe_def *def)
{
	free(def->group);
	free(def->event);
	free(def->path);
	free(def->place);
	free(def->args);
	free(def->shape);
	free(def->real);
	memset(def, 0, sizeof(*def));
}

void tfs_probe_defs_release(struct tfs_probe_defs *defs)
{
	for (size_t i = 0; i < defs->n; i++)
		tfs_probe_def_release(&defs->v[i]);
	free(defs->v);
	memset(defs, 0, sizeof(*defs));
}

int tfs_probe_defs_take(struct tfs_probe_defs *defs, struct tfs_probe_def *def)
{
	struct tfs_probe_def *v = defs->v;

	/* room doubles: thousands come from one glob */
	if (!(defs->n & (defs->n - 1)))
		v = reallocarray(defs->v, defs->n ? 2 * defs->n : 1, sizeof(*v));
	if (!v) {
		tfs_probe_def_release(def);
		return -ENOMEM;
	}
	defs->v = v;
	v[defs->n++] = *def;
	memset(def, 0, sizeof(*def));
	return 0;
}

int tfs_probe_def_line(const struct tfs_probe_def *def, struct tfs_strbuf *sb)
{
	return tfs_strbuf_addf(sb, "%c:%s/%s %s%s%s", def->ret ? 'r' : 'p', def->group, def->event,
			       def->place, *def->args ? " " : "", def->args);
}

static bool same_event(const struct tfs_probe_def *a, const struct tfs_probe_def *b)
{
	return a->request == b->request && !strcmp(a->event, b->event) &&
	       !strcmp(a->group, b->group);
}

/* Gives every place of the event of defs->v[first] another name. */
static int rename_event(struct tfs_probe_defs *defs, size_t first, const char *name)
{
	char *old = strdup(defs->v[first].event);
	int rc = old ? 0 : -ENOMEM;
	size_t request = defs->v[first].request;

	for (size_t i = first; i < defs->n && !rc; i++) {
		char *copy;

		if (defs->v[i].request != request || strcmp(defs->v[i].event, old) != 0)
			continue;
		copy = strdup(name);
		if (!copy) {
			rc = -ENOMEM;
			break;
		}
		free(defs->v[i].event);
		defs->v[i].event = copy;
	}
	free(old);
	return rc;
}

static int unique_event(struct tfs_probe_defs *defs, size_t i, struct tfs_strvec *taken, bool force,
			struct tfs_err *err)
{
	struct tfs_probe_def *def = &defs->v[i];
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	char next[TFS_PROBE_NAME_MAX + 1];
	int rc;

	rc = tfs_strbuf_addf(&name, "%s/%s", def->group, def->event);
	if (!rc && tfs_strvec_has(taken, name.s)) {
		if (!force) {
			tfs_err_say(err, -EEXIST, "there is an event '%s:%s' already", def->group,
				    def->event);
			tfs_err_hint(err, "-f defines it under another name, NAME=... names it, "
					  "-d deletes the other");
			tfs_strbuf_release(&name);
			return -EEXIST;
		}
		rc = tfs_probe_name_next(def->group, def->event, taken, next);
		if (!rc)
			rc = rename_event(defs, i, next);
		tfs_strbuf_reset(&name);
		if (!rc)
			rc = tfs_strbuf_addf(&name, "%s/%s", def->group, next);
	}
	if (!rc)
		rc = tfs_strvec_push(taken, name.s);
	tfs_strbuf_release(&name);
	return rc ? tfs_err_set(err, rc, "cannot name the event '%s'", def->event) : 0;
}

int tfs_probe_defs_unique(struct tfs_probe_defs *defs, struct tfs_strvec *taken, bool force,
			  struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < defs->n && !rc; i++) {
		bool first = true;

		for (size_t j = i; j > 0 && first; j--)
			first = !same_event(&defs->v[j - 1], &defs->v[i]);
		if (first)
			rc = unique_event(defs, i, taken, force, err);
	}
	return rc;
}

static int define_step(const struct tfs_probe_defs *defs, size_t i, struct tfs_plan *plan)
{
	const struct tfs_probe_def *def = &defs->v[i];
	const char *path = def->file == TFS_PROBE_KPROBES ? "kprobe_events" : "uprobe_events";
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	bool first = true;
	int rc;

	rc = tfs_probe_def_line(def, &text);
	if (!rc)
		rc = tfs_plan_append(plan, path, text.s);
	for (size_t j = i; j > 0 && first; j--)
		first = !same_event(&defs->v[j - 1], def);
	/* deleting the event takes all its places away */
	tfs_strbuf_reset(&text);
	if (!rc && first) {
		rc = tfs_strbuf_addf(&text, "-:%s/%s", def->group, def->event);
		if (!rc)
			rc = tfs_plan_undo_append(plan, path, text.s);
	}
	tfs_strbuf_reset(&text);
	if (!rc)
		rc = tfs_strbuf_addf(&text, "cannot define '%s:%s' on %s", def->group, def->event,
				     def->real);
	if (!rc)
		rc = tfs_plan_says(plan, text.s, NULL);
	tfs_strbuf_release(&text);
	return rc;
}

static bool same_path(const struct tfs_probe_defs *defs, size_t i)
{
	return i && defs->v[i - 1].path && !strcmp(defs->v[i].path, defs->v[i - 1].path);
}

/* The link of a program that has a blank in its path, before the first definition that uses it. */
static int link_step(const struct tfs_probe_defs *defs, size_t i, struct tfs_plan *plan)
{
	const char *path = defs->v[i].path;
	char *link = NULL;
	int rc;

	if (!path || !tfs_link_needed(path) || same_path(defs, i))
		return 0;
	rc = tfs_link_name(TFS_LINK_DIR, path, &link);
	if (!rc)
		rc = tfs_plan_link(plan, link, path);
	free(link);
	return rc;
}

int tfs_probe_define_plan(const struct tfs_probe_defs *defs, struct tfs_plan *plan)
{
	int rc = 0;

	for (size_t i = 0; i < defs->n && !rc; i++) {
		rc = link_step(defs, i, plan);
		if (!rc)
			rc = define_step(defs, i, plan);
	}
	return rc;
}
