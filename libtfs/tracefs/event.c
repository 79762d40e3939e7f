/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/event.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/suggest.h"
#include "tracefs/file.h"
#include "tracefs/root.h"

#define NEAR_NAMES 4

static bool may_be_dir(const struct dirent *ent)
{
	return ent->d_name[0] != '.' && (ent->d_type == DT_DIR || ent->d_type == DT_UNKNOWN);
}

/* Open the directory @name in @at for reading; *dir is NULL if it is none or vanished just now. */
static int open_dir(int at, const char *name, DIR **dir)
{
	int fd, rc;

	*dir = NULL;
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOTDIR || errno == ENOENT ? 0 : -errno;
	*dir = fdopendir(fd);
	if (*dir)
		return 0;
	rc = -errno;
	tfs_close(&fd);
	return rc;
}

/* Those of the system "ftrace" are there for their formats. Looking takes longer than listing. */
static bool can_be_enabled(int system_fd, const char *system, const struct dirent *event)
{
	char enable[NAME_MAX + sizeof("/enable")];

	if (event->d_type == DT_DIR && strcmp(system, "ftrace") != 0)
		return true;
	snprintf(enable, sizeof(enable), "%s/enable", event->d_name);
	return !faccessat(system_fd, enable, F_OK, 0);
}

/* Thousands of times before a recording begins, so without printf. */
static int add_event(struct tfs_strvec *out, const char *system, const char *event)
{
	char name[2 * NAME_MAX + sizeof(":")];
	char *p = stpcpy(name, system);

	*p++ = ':';
	return tfs_strvec_pushn(out, name, (size_t)(stpcpy(p, event) - name));
}

/* Add the events of @system, a directory in @events_fd. */
static int list_system(int events_fd, const char *system, struct tfs_strvec *out)
{
	struct dirent *ent;
	DIR *dir;
	int rc;

	rc = open_dir(events_fd, system, &dir);
	if (rc || !dir)
		return rc;
	while (!rc && (ent = readdir(dir))) {
		if (!may_be_dir(ent))
			continue;
		if (can_be_enabled(dirfd(dir), system, ent))
			rc = add_event(out, system, ent->d_name);
	}
	closedir(dir);
	return rc;
}

int tfs_event_list(const struct tfs_root *root, struct tfs_strvec *out, struct tfs_err *err)
{
	struct dirent *ent;
	DIR *dir = NULL;
	int fd, rc;

	rc = tfs_file_open(root, "events", O_RDONLY | O_DIRECTORY, &fd, err);
	if (rc)
		return rc;
	dir = fdopendir(fd);
	if (!dir) {
		rc = tfs_err_set(err, -errno, "cannot list '%s/events'", tfs_root_path(root));
		tfs_close(&fd);
		return rc;
	}
	while (!rc && (ent = readdir(dir))) {
		if (!may_be_dir(ent))
			continue;
		rc = list_system(fd, ent->d_name, out);
		if (rc)
			tfs_err_set(err, rc, "cannot list '%s/events/%s'", tfs_root_path(root),
				    ent->d_name);
	}
	closedir(dir);
	tfs_strvec_sort(out);
	return rc;
}

int tfs_event_systems(const struct tfs_root *root, struct tfs_strvec *out, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	const char *last = "";
	int rc = tfs_event_list(root, &names, err);

	for (size_t i = 0; i < names.n && !rc; i++) {
		size_t len = strcspn(names.v[i], ":") + 1;

		if (!strncmp(last, names.v[i], len))
			continue;
		last = names.v[i];
		rc = tfs_strvec_pushf(out, "%.*s*", (int)len, last);
		if (rc)
			tfs_err_set(err, rc, "cannot list the events");
	}
	tfs_strvec_release(&names);
	return rc;
}

/*
 * struct pattern - a spec taken apart
 * @system: pattern for systems; @event: for events, NULL when only one word was typed
 */
struct pattern {
	struct tfs_strbuf system;
	const char *event;
};

static bool is_all(const char *text)
{
	return !strcmp(text, "all") || !strcmp(text, "*") || !strcmp(text, "*:*") ||
	       !strcmp(text, "*/*");
}

static bool is_glob(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

/* An empty part means any, as for the kernel's set_event. */
static int pattern_init(struct pattern *p, const char *text)
{
	size_t len = strcspn(text, ":/");

	tfs_strbuf_init(&p->system);
	p->event = NULL;
	if (text[len]) {
		p->event = text[len + 1] ? text + len + 1 : "*";
		if (!len)
			return tfs_strbuf_addc(&p->system, '*');
	}
	return tfs_strbuf_add(&p->system, text, len);
}

static bool matches(const char *pattern, const char *name)
{
	return !fnmatch(pattern, name, 0);
}

/* Copy the system of "system:event" into @sb; the event's name is what follows the colon. */
static int system_of(const char *name, struct tfs_strbuf *sb, const char **event)
{
	size_t len = strcspn(name, ":");

	*event = name[len] ? name + len + 1 : "";
	tfs_strbuf_reset(sb);
	return tfs_strbuf_add(sb, name, len);
}

/*
 * Add what @p matches to @out. @names are sorted, so a system's events stand together: the whole
 * system is added once, at its first event.
 */
static int match_names(const struct pattern *p, const struct tfs_strvec *names,
		       struct tfs_strvec *out)
{
	bool whole = p->event && !strcmp(p->event, "*");
	struct tfs_strbuf system = TFS_STRBUF_INIT, last = TFS_STRBUF_INIT;
	const char *event;
	bool hit = false;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < names->n; i++) {
		rc = system_of(names->v[i], &system, &event);
		if (rc)
			break;
		if (!i || strcmp(system.s, last.s) != 0) {
			hit = matches(p->system.s, system.s);
			tfs_strbuf_reset(&last);
			rc = tfs_strbuf_adds(&last, system.s);
			if (!rc && hit && (whole || !p->event))
				rc = tfs_strvec_pushf(out, "%s:*", system.s);
		}
		if (rc || whole || (hit && !p->event))
			continue;
		if (p->event ? hit && matches(p->event, event) : matches(p->system.s, event))
			rc = tfs_strvec_push(out, names->v[i]);
	}
	tfs_strbuf_release(&system);
	tfs_strbuf_release(&last);
	return rc;
}

/* Names that @p could have meant, written as the user did, with or without a system. */
static int candidates(const struct pattern *p, const struct tfs_strvec *names,
		      struct tfs_strvec *out)
{
	struct tfs_strbuf system = TFS_STRBUF_INIT;
	const char *event;
	bool new_system;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < names->n; i++) {
		if (p->event) {
			rc = tfs_strvec_push(out, names->v[i]);
			continue;
		}
		rc = system_of(names->v[i], &system, &event);
		if (!rc)
			rc = tfs_strvec_push(out, event);
		new_system = !i || strncmp(names->v[i - 1], names->v[i], system.len + 1) != 0;
		if (!rc && new_system)
			rc = tfs_strvec_push(out, system.s);
	}
	tfs_strbuf_release(&system);
	return rc;
}

static void hint_near(const struct tfs_strvec *near, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const char *between = "";
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < near->n; i++) {
		rc = tfs_strbuf_addf(&sb, "%s'%s'", between, near->v[i]);
		between = i + 2 < near->n ? ", " : " or ";
	}
	if (!rc)
		tfs_err_hint(err, "did you mean %s?", sb.s);
	tfs_strbuf_release(&sb);
}

static int no_such_event(const char *text, const struct pattern *p, const struct tfs_strvec *names,
			 struct tfs_err *err)
{
	struct tfs_strvec all = TFS_STRVEC_INIT, near = TFS_STRVEC_INIT;
	int rc = 0;

	tfs_err_say(err, -ENOENT, "no event or system of this kernel is called '%s'", text);
	if (is_glob(text))
		tfs_err_say(err, -ENOENT, "no event or system of this kernel matches '%s'", text);
	else
		rc = candidates(p, names, &all);
	if (!rc)
		rc = tfs_suggest_names(text, &all, NEAR_NAMES, &near);
	if (!rc && near.n)
		hint_near(&near, err);
	else
		tfs_err_hint(err, "tc-list -e lists what there is; some events "
				  "come with modules that are not loaded now");
	tfs_strvec_release(&all);
	tfs_strvec_release(&near);
	return -ENOENT;
}

static int resolve_one(struct tfs_event_spec *spec, const struct tfs_strvec *names,
		       struct tfs_err *err)
{
	struct pattern p;
	int rc;

	tfs_strvec_release(&spec->matched);
	rc = pattern_init(&p, is_all(spec->text) ? "*:*" : spec->text);
	if (!rc)
		rc = match_names(&p, names, &spec->matched);
	if (rc)
		tfs_err_set(err, rc, "cannot look for event '%s'", spec->text);
	else if (!spec->matched.n)
		rc = no_such_event(spec->text, &p, names, err);
	tfs_strbuf_release(&p.system);
	return rc;
}

int tfs_event_resolve(struct tfs_event_spec *specs, size_t n, const struct tfs_strvec *names,
		      unsigned int flags, struct tfs_strvec *missing, struct tfs_err *err)
{
	bool ignore = flags & TFS_EVENT_IGNORE_MISSING;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < n; i++) {
		if (specs[i].probe)
			continue;
		rc = resolve_one(&specs[i], names, ignore ? NULL : err);
		if (rc != -ENOENT || !ignore)
			continue;
		rc = missing ? tfs_strvec_push(missing, specs[i].text) : 0;
	}
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot look for events");
	return rc;
}

int tfs_event_of_trigger(const char *trigger, struct tfs_strvec *out)
{
	static const char prefix[] = "enable_event:";
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	size_t system, event;
	int rc = 0;

	if (strncmp(trigger, prefix, strlen(prefix)) != 0)
		return 0;
	trigger += strlen(prefix);
	system = strcspn(trigger, ":");
	if (!trigger[system])
		return 0;
	event = strcspn(trigger + system + 1, ": \t");
	rc = tfs_strbuf_add(&name, trigger, system + 1 + event);
	if (!rc && !tfs_strvec_has(out, name.s))
		rc = tfs_strvec_push(out, name.s);
	tfs_strbuf_release(&name);
	return rc;
}
