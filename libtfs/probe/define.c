/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/define.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/digits.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strmap.h"
#include "base/strvec.h"
#include "probe/name.h"
#include "tracefs/link.h"
#include "tracefs/plan.h"

void tfs_probe_def_release(struct tfs_probe_def *def)
{
	free(def->group);
	free(def->event);
	free(def->path);
	free(def->location);
	free(def->args);
	free(def->shape);
	tfs_probe_means_release(&def->means);
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
	if (tfs_grow_one(&defs->v, defs->n)) {
		tfs_probe_def_release(def);
		return -ENOMEM;
	}
	defs->v[defs->n++] = *def;
	memset(def, 0, sizeof(*def));
	return 0;
}

int tfs_probe_defs_move(struct tfs_probe_defs *to, struct tfs_probe_defs *from)
{
	int rc = 0;

	if (!to->n) {
		struct tfs_probe_defs empty = *to;

		*to = *from;
		*from = empty;
	}
	for (size_t i = 0; i < from->n && !rc; i++)
		rc = tfs_probe_defs_take(to, &from->v[i]);
	tfs_probe_defs_release(from);
	return rc;
}

int tfs_probe_def_line(const struct tfs_probe_def *def, struct tfs_strbuf *sb)
{
	const char *const parts[] = { ":",
				      def->group,
				      "/",
				      def->event,
				      " ",
				      def->location,
				      def->args ? " " : "",
				      def->args ? def->args : "" };
	const struct tfs_probe_type_info *type = tfs_probe_type(def->type);
	int rc = tfs_strbuf_addc(sb, def->ret ? type->return_letter : type->letter);

	if (!rc && def->maxactive)
		rc = tfs_strbuf_addf(sb, "%u", def->maxactive);
	for (size_t i = 0; i < ARRAY_SIZE(parts) && !rc; i++)
		rc = tfs_strbuf_adds(sb, parts[i]);
	return rc;
}

/*
 * struct sibling - a definition among those of its event
 * @first: there is none before it
 * @next: the one after it, NONE if there is none
 */
struct sibling {
	bool first;
	size_t next;
};

#define NONE SIZE_MAX

/* struct arg - the name and type of an argument; not terminated. @name_len: 0, @type: NULL: none */
struct arg {
	const char *name, *type;
	size_t name_len, type_len;
};

/* @sb: set to "GROUP/EVENT" */
static int full_name(struct tfs_strbuf *sb, const char *group, const char *event)
{
	int rc;

	tfs_strbuf_reset(sb);
	rc = tfs_strbuf_adds(sb, group);
	if (!rc)
		rc = tfs_strbuf_addc(sb, '/');
	return rc ? rc : tfs_strbuf_adds(sb, event);
}

/* An event's places are those of one request that have its name. @out: one for each, free() */
static int find_siblings(const struct tfs_probe_defs *defs, struct sibling **out)
{
	struct sibling *siblings = calloc(defs->n + 1, sizeof(*siblings));
	struct tfs_strbuf key = TFS_STRBUF_INIT;
	struct tfs_strmap last = { 0 };
	int rc = siblings ? 0 : -ENOMEM;

	for (size_t i = 0; i < defs->n && !rc; i++) {
		const struct tfs_probe_def *def = &defs->v[i];
		char request[1 + TFS_DIGITS_MAX] = " ";
		const char *end = tfs_digits_dec(request + 1, def->request);
		size_t *before;

		siblings[i].next = NONE;
		rc = full_name(&key, def->group, def->event);
		if (!rc)
			rc = tfs_strbuf_add(&key, request, (size_t)(end - request));
		before = rc ? NULL : tfs_strmap_at(&last, key.s);
		if (!before) {
			rc = -ENOMEM;
			break;
		}
		/* a number and 1 */
		siblings[i].first = !*before;
		if (*before)
			siblings[*before - 1].next = i;
		*before = i + 1;
	}
	tfs_strmap_release(&last);
	tfs_strbuf_release(&key);
	if (rc)
		free(siblings);
	else
		*out = siblings;
	return rc;
}

/* Gives all places of an event, of which @i is the first, another name. */
static int rename_event(struct tfs_probe_defs *defs, const struct sibling *siblings, size_t i,
			const char *name)
{
	for (; i != NONE; i = siblings[i].next) {
		char *copy = strdup(name);

		if (!copy)
			return -ENOMEM;
		free(defs->v[i].event);
		defs->v[i].event = copy;
	}
	return 0;
}

/* Who uses a name already; 0 for a free one */
enum { DEFINED_ALREADY = 1, OF_THIS_REQUEST };

static int is_there_already(const struct tfs_probe_def *def, size_t by, struct tfs_err *err)
{
	if (by == OF_THIS_REQUEST) {
		tfs_err_say(err, -EEXIST, "two of the probes have the name '%s:%s'", def->group,
			    def->event);
		tfs_err_hint(err, "NAME=... gives one another, -f does so by itself");
		return -EEXIST;
	}
	tfs_err_say(err, -EEXIST, "there is an event '%s:%s' already", def->group, def->event);
	tfs_err_hint(err, "-f defines it under another name, NAME=... names it, -d deletes the "
			  "other");
	return -EEXIST;
}

static int unique_event(struct tfs_probe_defs *defs, const struct sibling *siblings, size_t i,
			struct tfs_strmap *taken, bool force, struct tfs_err *err)
{
	struct tfs_probe_def *def = &defs->v[i];
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	char next[TFS_PROBE_NAME_MAX + 1];
	size_t *by = NULL;
	int rc;

	rc = full_name(&name, def->group, def->event);
	if (!rc && !(by = tfs_strmap_at(taken, name.s)))
		rc = -ENOMEM;
	if (!rc && *by && !force) {
		tfs_strbuf_release(&name);
		return is_there_already(def, *by, err);
	}
	if (!rc && *by) {
		rc = tfs_probe_name_next(def->group, def->event, taken, next);
		if (!rc)
			rc = rename_event(defs, siblings, i, next);
		if (!rc)
			rc = full_name(&name, def->group, next);
		if (!rc)
			rc = tfs_strmap_put(taken, name.s, OF_THIS_REQUEST);
	} else if (!rc) {
		*by = OF_THIS_REQUEST;
	}
	tfs_strbuf_release(&name);
	return rc ? tfs_err_set(err, rc, "cannot name the event '%s'", def->event) : 0;
}

/* The next argument of *@args, and its name and type; false: there is none */
static bool next_arg(const char **args, struct arg *arg)
{
	const char *s = *args + strspn(*args, " \t"), *colon;
	size_t len = strcspn(s, " \t"), name = strcspn(s, "= \t");

	colon = memrchr(s, ':', len);
	*arg = (struct arg){ .name = s, .name_len = name < len ? name : 0 };
	arg->type = colon ? colon + 1 : NULL;
	arg->type_len = colon ? (size_t)(s + len - arg->type) : 0;
	*args = s + len;
	return len > 0;
}

/* Do the arguments of two places have the same names and types? The kernel has a type for none. */
static bool same_args(const char *a, const char *b)
{
	struct arg x, y;
	bool more_a, more_b;

	a = a ? a : "";
	b = b ? b : "";
	while ((more_a = next_arg(&a, &x)) & (more_b = next_arg(&b, &y))) {
		if (x.name_len != y.name_len || memcmp(x.name, y.name, x.name_len) != 0)
			return false;
		if (x.type && y.type &&
		    (x.type_len != y.type_len || memcmp(x.type, y.type, x.type_len) != 0))
			return false;
	}
	return more_a == more_b;
}

/*
 * As the kernel does it for a further place of an event (kernel/trace/trace_uprobe.c,
 * append_trace_uprobe()): all are entries or all are returns, with the same arguments, and none is
 * there twice. Only the last one of a plan would be refused, after the others were defined.
 */
static int check_place(const struct tfs_probe_def *first, const struct tfs_probe_def *def,
		       struct tfs_strmap *lines, struct tfs_err *err)
{
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	int rc = tfs_probe_def_line(def, &line);

	if (!rc && tfs_strmap_get(lines, line.s, NULL))
		rc = tfs_err_say(err, -EEXIST, "'%s:%s' has the same place twice: %s", def->group,
				 def->event, def->location);
	else if (!rc && (first->ret != def->ret || !same_args(first->args, def->args)))
		rc = tfs_err_say(err, -EEXIST, "'%s:%s' has places with different arguments: %s",
				 def->group, def->event, def->location);
	if (!rc)
		rc = tfs_strmap_put(lines, line.s, 1);
	tfs_strbuf_release(&line);
	return rc;
}

static int check_places(const struct tfs_probe_defs *defs, const struct sibling *siblings,
			struct tfs_err *err)
{
	struct tfs_strmap lines = { 0 };
	int rc = 0;

	for (size_t i = 0; i < defs->n && !rc; i++)
		for (size_t k = i; siblings[i].first && k != NONE && !rc; k = siblings[k].next)
			rc = check_place(&defs->v[i], &defs->v[k], &lines, err);
	tfs_strmap_release(&lines);
	return rc;
}

int tfs_probe_defs_unique(struct tfs_probe_defs *defs, const struct tfs_strvec *taken,
			  unsigned int flags, struct tfs_err *err)
{
	struct tfs_strmap names = { 0 };
	struct sibling *siblings = NULL;
	int rc = find_siblings(defs, &siblings);

	for (size_t i = 0; i < taken->n && !rc; i++)
		rc = tfs_strmap_put(&names, taken->v[i], DEFINED_ALREADY);
	if (rc)
		tfs_err_set(err, rc, "cannot name the events");
	else
		rc = check_places(defs, siblings, err);
	for (size_t i = 0; i < defs->n && !rc; i++)
		if (siblings[i].first)
			rc = unique_event(defs, siblings, i, &names, flags & TFS_PROBE_RENAME, err);
	free(siblings);
	tfs_strmap_release(&names);
	return rc;
}

static int define_step(const struct tfs_probe_def *def, bool first, struct tfs_plan *plan)
{
	const char *path = tfs_probe_type(def->type)->file;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc;

	rc = tfs_probe_def_line(def, &text);
	if (!rc)
		rc = tfs_plan_append(plan, path, text.s);
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
	struct sibling *siblings = NULL;
	int rc = find_siblings(defs, &siblings);

	for (size_t i = 0; i < defs->n && !rc; i++) {
		rc = link_step(defs, i, plan);
		if (!rc)
			rc = define_step(&defs->v[i], siblings[i].first, plan);
	}
	free(siblings);
	return rc;
}
