/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/print.h"
#include "cli/xalloc.h"
#include "format/event-format.h"
#include "tc-list-opts.h"
#include "tc-list-show.h"
#include "tracefs/event-pattern.h"
#include "tracefs/event.h"
#include "tracefs/file.h"

#define MISSING \
	"tc-list -s lists the systems; some events come with modules that are not loaded now"

/* Suggests events, with or without their system, and systems. */
static int no_event(const char *text, const struct tfs_strvec *names, struct tfs_err *err)
{
	struct tfs_strvec all = TFS_STRVEC_INIT;
	int rc = 0;

	for (size_t i = 0; i < names->n && !rc; i++) {
		size_t len = strcspn(names->v[i], ":");

		rc = tfs_strvec_push(&all, strchr(text, ':') ? names->v[i] : names->v[i] + len + 1);
		if (!rc && (!i || strncmp(names->v[i], names->v[i - 1], len + 1) != 0))
			rc = tfs_strvec_pushn(&all, names->v[i], len);
	}
	rc = list_no_match("event", text, &all, MISSING, err);
	tfs_strvec_release(&all);
	return rc;
}

/* Marks the names that @text matches in @hit. */
static int match(const char *text, const struct tfs_strvec *names, bool *hit, struct tfs_err *err)
{
	struct tfs_event_pattern p;
	bool any = false;
	int rc = tfs_event_pattern_init(&p, text, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < names->n; i++) {
		if (tfs_event_pattern_match(&p, names->v[i]))
			any = hit[i] = true;
	}
	rc = any ? 0 : no_event(p.text, names, err);
	tfs_event_pattern_release(&p);
	return rc;
}

static void print_format(const struct tfs_strbuf *format, const char *system, bool full)
{
	size_t len;
	const char *print = tfs_event_format_print(format->s, format->len, &len);

	tc_print("system: %s\n", system);
	if (!full && print) {
		char *fields = xstrdup(format->s);

		fields[print - strlen("\nprint fmt:") - format->s] = '\0';
		tc_print("%s", fields);
		tc_print("\n");
		free(fields);
	} else {
		tc_print("%s", format->s);
	}
}

static void json_slice(struct tfs_json *j, const char *key, const char *s, size_t len)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	if (tfs_strbuf_add(&sb, s, len))
		j->rc = -ENOMEM;
	else
		tfs_json_text(j, key, sb.s);
	tfs_strbuf_release(&sb);
}

static void json_field(struct tfs_json *j, const struct tfs_format_field *f)
{
	struct tfs_strbuf type = TFS_STRBUF_INIT;

	tfs_json_open(j, NULL, '{');
	json_slice(j, "name", f->name, f->name_len);
	if (tfs_strbuf_add(&type, f->type, f->type_len) ||
	    tfs_strbuf_add(&type, f->array, f->array_len))
		j->rc = -ENOMEM;
	tfs_json_text(j, "type", type.s);
	tfs_json_int(j, "offset", f->offset);
	tfs_json_int(j, "size", f->size);
	tfs_json_bool(j, "signed", f->is_signed);
	tfs_json_bool(j, "common", f->common);
	tfs_json_close(j, '}');
	tfs_strbuf_release(&type);
}

static void json_format(struct tfs_json *j, const struct tfs_strbuf *format, bool full)
{
	const char *at = format->s, *end = format->s + format->len, *print;
	struct tfs_event_format header;
	struct tfs_format_field f;
	size_t len;

	if (!tfs_event_format_parse(format->s, format->len, &header))
		tfs_json_int(j, "id", header.id);
	tfs_json_open(j, "fields", '[');
	while (tfs_format_next(&at, end, &f))
		json_field(j, &f);
	tfs_json_close(j, ']');
	print = full ? tfs_event_format_print(format->s, format->len, &len) : NULL;
	if (print) {
		print += *print == ' ';
		json_slice(j, "print_fmt", print, strcspn(print, "\n"));
	}
}

/* A filter or trigger file without one holds "none" or comments. */
static bool is_unset(const char *text)
{
	return !*text || *text == '#' || !strncmp(text, "none\n", 5);
}

/*
 * struct event_text - content of the files of one event; empty if not requested
 */
struct event_text {
	struct tfs_strbuf format, filter, trigger;
};

static int read_one(const struct tfs_root *root, const char *dir, const char *file,
		    struct tfs_strbuf *sb, struct tfs_err *err)
{
	char path[512];

	snprintf(path, sizeof(path), "events/%s/%s", dir, file);
	return tfs_file_read(root, path, sb, err);
}

/* Events that take no filter or triggers have no such file. */
static int read_set(const struct tfs_root *root, const char *dir, const char *file,
		    struct tfs_strbuf *sb, struct tfs_err *err)
{
	struct tfs_err why = TFS_ERR_INIT;
	int rc = read_one(root, dir, file, sb, &why);

	if (rc && rc != -ENOENT && err)
		*err = why;
	return rc == -ENOENT ? 0 : rc;
}

static int read_event(struct list_show *show, const char *name, struct event_text *t,
		      struct tfs_err *err)
{
	const struct tfs_root *root;
	char dir[256], *colon;
	int rc = list_root(show, &root, err);

	tfs_strbuf_reset(&t->format);
	tfs_strbuf_reset(&t->filter);
	tfs_strbuf_reset(&t->trigger);
	snprintf(dir, sizeof(dir), "%s", name);
	colon = strchr(dir, ':');
	if (colon)
		*colon = '/';
	if (!rc && show->req->fields)
		rc = read_one(root, dir, "format", &t->format, err);
	if (!rc && show->req->filters)
		rc = read_set(root, dir, "filter", &t->filter, err);
	if (!rc && show->req->triggers)
		rc = read_set(root, dir, "trigger", &t->trigger, err);
	return rc;
}

static void print_event(const struct list_request *req, const char *name,
			const struct event_text *t)
{
	char system[64];

	snprintf(system, sizeof(system), "%.*s", (int)strcspn(name, ":"), name);
	if (req->fields)
		print_format(&t->format, system, req->full);
	else
		tc_print_line(name);
	if (req->filters)
		tc_print("%s", t->filter.s);
	if (req->triggers)
		tc_print("%s", t->trigger.s);
	if (req->filters || req->triggers)
		tc_print("\n");
}

static void json_event(struct list_show *show, const char *name, const struct event_text *t)
{
	const struct list_request *req = show->req;
	size_t len = strcspn(name, ":");
	struct tfs_json *j = &show->json;

	tfs_json_open(j, NULL, '{');
	json_slice(j, "system", name, len);
	tfs_json_text(j, "name", name + len + 1);
	if (req->fields)
		json_format(j, &t->format, req->full);
	if (req->filters && is_unset(t->filter.s))
		tfs_json_text(j, "filter", NULL);
	else if (req->filters)
		json_slice(j, "filter", t->filter.s, strcspn(t->filter.s, "\n"));
	if (req->triggers) {
		tfs_json_open(j, "triggers", '[');
		for (const char *p = t->trigger.s; *p && *p != '#';
		     p += strcspn(p, "\n"), p += !!*p)
			json_slice(j, NULL, p, strcspn(p, "\n"));
		tfs_json_close(j, ']');
	}
	tfs_json_close(j, '}');
}

/* Without a pattern, -l and -R show only events that have a filter or trigger. */
static bool is_shown(const struct list_request *req, const struct event_text *t)
{
	if (req->event_globs.n || req->fields || (!req->filters && !req->triggers))
		return true;
	return (req->filters && !is_unset(t->filter.s)) ||
	       (req->triggers && !is_unset(t->trigger.s));
}

static int show_event(struct list_show *show, const char *name, struct tfs_err *err)
{
	struct event_text t = { TFS_STRBUF_INIT, TFS_STRBUF_INIT, TFS_STRBUF_INIT };
	struct tfs_err why = TFS_ERR_INIT;
	int rc = read_event(show, name, &t, &why);

	/* skip events that were removed meanwhile */
	if (rc == -ENOENT)
		rc = 0;
	else if (rc && err)
		*err = why;
	else if (is_shown(show->req, &t) && show->req->json)
		json_event(show, name, &t);
	else if (is_shown(show->req, &t))
		print_event(show->req, name, &t);
	tfs_strbuf_release(&t.format);
	tfs_strbuf_release(&t.filter);
	tfs_strbuf_release(&t.trigger);
	return rc;
}

int list_events(struct list_show *show, struct tfs_err *err)
{
	const struct tfs_strvec *globs = &show->req->event_globs;
	struct tfs_strvec names = TFS_STRVEC_INIT;
	const struct tfs_root *root;
	bool *hit = NULL;
	int rc;

	rc = list_root(show, &root, err);
	if (!rc)
		rc = tfs_event_list(root, &names, err);
	if (!rc) {
		hit = calloc(names.n + 1, sizeof(*hit));
		rc = hit ? 0 : tfs_err_set(err, -ENOMEM, "cannot list events");
	}
	for (size_t i = 0; i < globs->n && hit && !rc; i++)
		rc = match(globs->v[i], &names, hit, err);
	if (show->req->json && !rc)
		tfs_json_open(&show->json, "events", '[');
	for (size_t i = 0; i < names.n && hit && !rc; i++) {
		if (!globs->n || hit[i])
			rc = show_event(show, names.v[i], err);
	}
	if (show->req->json && !rc)
		tfs_json_close(&show->json, ']');
	free(hit);
	tfs_strvec_release(&names);
	return rc;
}

static size_t count_of(const struct tfs_strvec *events, const char *system)
{
	size_t len = strlen(system), n = 0;

	for (size_t i = 0; i < events->n; i++)
		n += !strncmp(events->v[i], system, len) && events->v[i][len] == ':';
	return n;
}

int list_systems(struct list_show *show, struct tfs_err *err)
{
	struct tfs_strvec systems = TFS_STRVEC_INIT, events = TFS_STRVEC_INIT;
	const struct tfs_root *root;
	int rc;

	rc = list_root(show, &root, err);
	if (!rc)
		rc = tfs_file_list(root, "events", TFS_LIST_DIRS, &systems, err);
	if (!rc && (show->req->json || show->req->full))
		rc = tfs_event_list(root, &events, err);
	if (show->req->json && !rc)
		tfs_json_open(&show->json, "systems", '[');
	for (size_t i = 0; i < systems.n && !rc; i++) {
		if (show->req->json) {
			tfs_json_open(&show->json, NULL, '{');
			tfs_json_text(&show->json, "name", systems.v[i]);
			tfs_json_int(&show->json, "events",
				     (long long)count_of(&events, systems.v[i]));
			tfs_json_close(&show->json, '}');
		} else if (show->req->full) {
			tc_print("%-24s %5zu\n", systems.v[i], count_of(&events, systems.v[i]));
		} else {
			tc_print_line(systems.v[i]);
		}
	}
	if (show->req->json && !rc)
		tfs_json_close(&show->json, ']');
	tfs_strvec_release(&systems);
	tfs_strvec_release(&events);
	return rc;
}
