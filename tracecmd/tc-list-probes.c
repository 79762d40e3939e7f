/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/pattern.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "cli/print.h"
#include "probe/list.h"
#include "tc-list-opts.h"
#include "tc-list-show.h"
#include "tracefs/file.h"

#define PROGRAM "tc-list"

static void show_probe(struct list_show *show, const struct tfs_probe_event *e)
{
	struct tfs_json *j = &show->json;

	if (!show->req->json) {
		tc_print("%s\n", e->line);
		return;
	}
	tfs_json_open(j, NULL, '{');
	tfs_json_text(j, "type", tfs_probe_type(e->type)->name);
	tfs_json_bool(j, "return", e->ret);
	tfs_json_text(j, "group", e->group);
	tfs_json_text(j, "event", e->event);
	tfs_json_text(j, "place", e->location);
	tfs_json_text(j, "args", e->args);
	tfs_json_text(j, "definition", e->line);
	tfs_json_close(j, '}');
}

/* Is GROUP/EVENT, or GROUP:EVENT, meant? */
static int is_meant(const struct tfs_strvec *globs, const char *group, const char *event,
		    bool *meant, struct tfs_err *err)
{
	char name[160];
	int rc = 0;

	*meant = !globs->n;
	snprintf(name, sizeof(name), "%s:%s", group, event);
	for (size_t i = 0; i < globs->n && !rc; i++) {
		struct tfs_pattern p;

		rc = tfs_pattern_init(&p, globs->v[i], err);
		if (rc)
			break;
		if (p.kind == TFS_PATTERN_GLOB && !strchr(p.text, ':'))
			*meant = *meant || tfs_pattern_match(&p, event);
		else
			*meant = *meant || tfs_pattern_match(&p, name);
		tfs_pattern_release(&p);
	}
	return rc;
}

/*
 * struct other - "e:GROUP/EVENT SYSTEM.EVENT ARGS" or "s:EVENT FIELDS", which are at no place; a
 * synthetic event without a group is in that of the kernel's choice
 */
struct other {
	const struct tfs_probe_type_info *type;
	const char *line;
	char group[64], event[64];
};

static bool parse_other(const char *line, struct other *o)
{
	const char *name = strchr(line, ':');
	size_t len, slash;

	o->type = NULL;
	for (size_t t = 0; t < TFS_PROBE_TYPES; t++) {
		if (tfs_probe_type(t)->form == TFS_PROBE_FORM_NONE &&
		    tfs_probe_type_has_letter(t, *line))
			o->type = tfs_probe_type(t);
	}
	if (!o->type || !name)
		return false;
	len = strcspn(++name, " \t");
	slash = strcspn(name, "/");
	o->line = line;
	snprintf(o->group, sizeof(o->group), "%.*s", slash < len ? (int)slash : 9,
		 slash < len ? name : "synthetic");
	if (slash < len) {
		name += slash + 1;
		len -= slash + 1;
	}
	snprintf(o->event, sizeof(o->event), "%.*s", (int)len, name);
	return true;
}

static void show_other(struct list_show *show, const struct other *o)
{
	struct tfs_json *j = &show->json;

	if (!show->req->json) {
		tc_print("%s\n", o->line);
		return;
	}
	tfs_json_open(j, NULL, '{');
	tfs_json_text(j, "type", o->type->name);
	tfs_json_bool(j, "return", false);
	tfs_json_text(j, "group", o->group);
	tfs_json_text(j, "event", o->event);
	tfs_json_text(j, "definition", o->line);
	tfs_json_close(j, '}');
}

/* The synthetic events and eprobes; a kernel without dynamic_events has neither. */
static int show_others(struct list_show *show, size_t *n, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_strvec lines = TFS_STRVEC_INIT;
	struct other o;
	bool meant;
	int rc = 0;

	if (!tfs_file_read(show->root, "dynamic_events", &text, NULL))
		rc = tfs_strvec_split(&lines, text.s, "\n");
	for (size_t i = 0; i < lines.n && !rc; i++) {
		if (!parse_other(lines.v[i], &o))
			continue;
		rc = is_meant(&show->req->probe_globs, o.group, o.event, &meant, err);
		if (!rc && meant) {
			show_other(show, &o);
			++*n;
		}
	}
	tfs_strvec_release(&lines);
	tfs_strbuf_release(&text);
	return rc;
}

int list_probes(struct list_show *show, struct tfs_err *err)
{
	const struct list_request *req = show->req;
	struct tfs_probe_events events = { 0 };
	struct tfs_strvec names = TFS_STRVEC_INIT;
	const struct tfs_root *root;
	bool meant;
	size_t n = 0;
	int rc;

	rc = list_root(show, &root, err);
	if (!rc)
		rc = tfs_probe_events_read(root, &events, err);
	if (!rc && req->json)
		tfs_json_open(&show->json, "probes", '[');
	for (size_t i = 0; i < events.n && !rc; i++) {
		rc = is_meant(&req->probe_globs, events.v[i].group, events.v[i].event, &meant, err);
		if (!rc && meant) {
			show_probe(show, &events.v[i]);
			n++;
		}
	}
	if (!rc)
		rc = show_others(show, &n, err);
	if (!rc && req->json)
		tfs_json_close(&show->json, ']');
	if (!rc && !n && req->probe_globs.n) {
		rc = tfs_probe_events_names(&events, &names);
		rc = rc ? rc :
			  list_no_match("probe", req->probe_globs.v[0], &names,
					"tc-probe defines probes", err);
	} else if (!rc && !n && !req->json && !req->quiet) {
		tc_msg_notice(PROGRAM, "no probes are defined");
	}
	tfs_strvec_release(&names);
	tfs_probe_events_release(&events);
	return rc;
}
