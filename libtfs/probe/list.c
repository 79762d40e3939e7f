/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/list.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "tracefs/file.h"
#include "tracefs/link.h"
#include "tracefs/plan.h"

static void release_event(struct tfs_probe_event *e)
{
	free(e->group);
	free(e->event);
	free(e->location);
	free(e->args);
	free(e->line);
}

void tfs_probe_events_release(struct tfs_probe_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		release_event(&events->v[i]);
	free(events->v);
	memset(events, 0, sizeof(*events));
}

/* 1: a probe, 0: something else, or -ENOMEM. */
static int parse_line(const char *line, size_t len, struct tfs_probe_event *e)
{
	const struct tfs_probe_type_info *type = tfs_probe_type(e->type);
	const char *end = line + len, *colon, *slash, *blank, *args;

	if (!len || !tfs_probe_type_has_letter(e->type, *line))
		return 0;
	blank = memchr(line, ' ', len);
	colon = memchr(line, ':', len);
	if (!colon || !blank || colon > blank)
		return 0;
	slash = memchr(colon, '/', (size_t)(blank - colon));
	if (!slash)
		return 0;
	e->ret = *line != type->letter;
	args = memchr(blank + 1, ' ', (size_t)(end - blank - 1));
	e->line = strndup(line, len);
	e->group = strndup(colon + 1, (size_t)(slash - colon - 1));
	e->event = strndup(slash + 1, (size_t)(blank - slash - 1));
	e->location = strndup(blank + 1, (size_t)((args ? args : end) - blank - 1));
	if (type->return_letter == type->letter && e->location)
		e->ret = strstr(e->location, "%return") != NULL;
	e->args = args ? strndup(args + 1, (size_t)(end - args - 1)) : strdup("");
	return e->line && e->group && e->event && e->location && e->args ? 1 : -ENOMEM;
}

int tfs_probe_events_parse(enum tfs_probe_type type, const char *text,
			   struct tfs_probe_events *events)
{
	const char *end;

	for (; *text; text = *end ? end + 1 : end) {
		struct tfs_probe_event e = { .type = type };
		int rc;

		end = strchrnul(text, '\n');
		rc = parse_line(text, (size_t)(end - text), &e);
		if (!rc)
			continue;
		if (rc < 0 || tfs_grow_one(&events->v, events->n)) {
			release_event(&e);
			return -ENOMEM;
		}
		events->v[events->n++] = e;
	}
	return 0;
}

static int append_type(enum tfs_probe_type type, const char *text, struct tfs_probe_events *events,
		       struct tfs_err *err)
{
	int rc = tfs_probe_events_parse(type, text, events);

	return rc ? tfs_err_set(err, rc, "cannot list the probes") : 0;
}

int tfs_probe_events_read(const struct tfs_root *root, struct tfs_probe_events *events,
			  struct tfs_err *err)
{
	static const enum tfs_probe_type own[] = { TFS_PROBE_KPROBE, TFS_PROBE_UPROBE };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	size_t found = 0;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(own) && !rc; i++) {
		const char *file = tfs_probe_type(own[i])->file;

		/* without either, reading the second says what is wrong */
		if (!tfs_file_exists(root, file) && (found || !i))
			continue;
		found++;
		tfs_strbuf_reset(&sb);
		rc = tfs_file_read(root, file, &sb, err);
		if (!rc)
			rc = append_type(own[i], sb.s, events, err);
	}
	/* the other types have no file of their own: the probes above are in this one once more */
	tfs_strbuf_reset(&sb);
	if (!rc && !tfs_file_read(root, "dynamic_events", &sb, NULL)) {
		for (size_t t = TFS_PROBE_UPROBE + 1; t < TFS_PROBE_TYPES && !rc; t++) {
			if (tfs_probe_type(t)->form != TFS_PROBE_FORM_NONE)
				rc = append_type(t, sb.s, events, err);
		}
	}
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_probe_events_names(const struct tfs_probe_events *events, struct tfs_strvec *names)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < events->n && !rc; i++) {
		tfs_strbuf_reset(&sb);
		rc = tfs_strbuf_addf(&sb, "%s/%s", events->v[i].group, events->v[i].event);
		if (!rc && !tfs_strvec_has(names, sb.s))
			rc = tfs_strvec_push(names, sb.s);
	}
	tfs_strbuf_release(&sb);
	return rc;
}

bool tfs_probe_event_matches(const struct tfs_probe_event *event, const char *glob)
{
	const char *colon = strchr(glob, ':');
	char *group;
	bool same;

	if (!colon)
		return !fnmatch(glob, event->event, 0);
	group = strndup(glob, (size_t)(colon - glob));
	if (!group)
		return false;
	same = !fnmatch(group, event->group, 0) && !fnmatch(colon + 1, event->event, 0);
	free(group);
	return same;
}

int tfs_probe_event_arg_names(const struct tfs_probe_event *event, struct tfs_strbuf *sb)
{
	const char *p = event->args, *end;
	int rc = 0;

	while (*p && !rc) {
		end = strchrnul(p, ' ');
		if (end > p) {
			const char *eq = memchr(p, '=', (size_t)(end - p));

			if (sb->len)
				rc = tfs_strbuf_addc(sb, ' ');
			if (!rc)
				rc = tfs_strbuf_add(sb, p, (size_t)((eq ? eq : end) - p));
		}
		p = *end ? end + 1 : end;
	}
	return rc;
}

/* One step deletes all places of an event; the lines that define them again are its undo. */
static int delete_event(const struct tfs_probe_events *events, size_t first, struct tfs_plan *plan)
{
	const struct tfs_probe_event *e = &events->v[first];
	const char *path = tfs_probe_type(e->type)->file;
	struct tfs_strbuf text = TFS_STRBUF_INIT, undo = TFS_STRBUF_INIT;
	int rc;

	rc = tfs_strbuf_addf(&text, "-:%s/%s", e->group, e->event);
	if (!rc)
		rc = tfs_plan_append(plan, path, text.s);
	for (size_t i = first; i < events->n && !rc; i++) {
		const struct tfs_probe_event *o = &events->v[i];

		if (strcmp(o->group, e->group) != 0 || strcmp(o->event, e->event) != 0)
			continue;
		rc = tfs_strbuf_addf(&undo, "%s%s", undo.len ? "\n" : "", o->line);
	}
	if (!rc)
		rc = tfs_plan_undo_append(plan, path, undo.s);
	tfs_strbuf_reset(&text);
	if (!rc)
		rc = tfs_strbuf_addf(&text, "cannot delete '%s:%s'", e->group, e->event);
	if (!rc)
		rc = tfs_plan_says(plan, text.s, NULL);
	tfs_strbuf_release(&undo);
	tfs_strbuf_release(&text);
	return rc;
}

static int no_such(const struct tfs_probe_events *events, const char *glob, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT, near = TFS_STRVEC_INIT;

	tfs_err_say(err, -ENOENT, "there is no probe '%s'", glob);
	for (size_t i = 0; i < events->n; i++) {
		if (tfs_strvec_pushf(&names, "%s:%s", events->v[i].group, events->v[i].event))
			break;
	}
	if (!tfs_suggest_names(glob, &names, 1, &near) && near.n)
		tfs_err_hint(err, "did you mean '%s'?", near.v[0]);
	else
		tfs_err_hint(err, "-l lists those that are defined");
	tfs_strvec_release(&near);
	tfs_strvec_release(&names);
	return -ENOENT;
}

/* PATH of PATH:0xOFFSET; yours, NULL without memory */
static char *path_of(const struct tfs_probe_event *e)
{
	const char *colon = strrchr(e->location, ':');

	return strndup(e->location, colon ? (size_t)(colon - e->location) : strlen(e->location));
}

static bool stays(const struct tfs_probe_event *e, const struct tfs_strvec *deleted)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	bool is = tfs_strbuf_addf(&name, "%s:%s", e->group, e->event) ||
		  !tfs_strvec_has(deleted, name.s);

	tfs_strbuf_release(&name);
	return is;
}

/* Links of what is deleted, unless an event that stays is on one. */
static int drop_links(const struct tfs_probe_events *events, const struct tfs_strvec *deleted,
		      struct tfs_plan *plan)
{
	struct tfs_strvec unused = TFS_STRVEC_INIT, used = TFS_STRVEC_INIT;
	char *target = NULL;
	int rc = 0;

	for (size_t i = 0; i < events->n && !rc; i++) {
		struct tfs_strvec *to = stays(&events->v[i], deleted) ? &used : &unused;
		char *path = path_of(&events->v[i]);

		rc = path ? 0 : -ENOMEM;
		if (!rc && !strncmp(path, TFS_LINK_DIR, strlen(TFS_LINK_DIR)) &&
		    !tfs_strvec_has(to, path))
			rc = tfs_strvec_push(to, path);
		free(path);
	}
	for (size_t i = 0; i < unused.n && !rc; i++) {
		if (tfs_strvec_has(&used, unused.v[i]))
			continue;
		rc = tfs_link_target(TFS_LINK_DIR, unused.v[i], &target);
		if (!rc) {
			rc = tfs_plan_unlink(plan, unused.v[i], target);
			free(target);
		} else if (rc == -ENOENT) {
			rc = 0;
		}
	}
	tfs_strvec_release(&unused);
	tfs_strvec_release(&used);
	return rc;
}

int tfs_probe_delete_plan(const struct tfs_probe_events *events, const struct tfs_strvec *globs,
			  struct tfs_plan *plan, struct tfs_strvec *deleted, struct tfs_err *err)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t g = 0; g < globs->n && !rc; g++) {
		bool any = false;

		for (size_t i = 0; i < events->n && !rc; i++) {
			if (!tfs_probe_event_matches(&events->v[i], globs->v[g]))
				continue;
			any = true;
			tfs_strbuf_reset(&name);
			rc = tfs_strbuf_addf(&name, "%s:%s", events->v[i].group,
					     events->v[i].event);
			if (rc || tfs_strvec_has(deleted, name.s))
				continue;
			rc = tfs_strvec_push(deleted, name.s);
			if (!rc)
				rc = delete_event(events, i, plan);
		}
		if (!rc && !any) {
			tfs_strbuf_release(&name);
			return no_such(events, globs->v[g], err);
		}
	}
	if (!rc)
		rc = drop_links(events, deleted, plan);
	tfs_strbuf_release(&name);
	return rc ? tfs_err_set(err, rc, "cannot plan what to delete") : 0;
}
