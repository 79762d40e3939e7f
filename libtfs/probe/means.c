/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/means.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/err.h"
#include "base/io.h"
#include "base/meaning-list.h"
#include "base/open-in.h"
#include "base/own.h"
#include "base/strbuf-core.h"
#include "base/strmap.h"
#include "base/strvec.h"
#include "probe/define.h"
#include "probe/list.h"
#include "tracefs/journal.h"

/* More than an event's definitions and enumerations come to. */
#define FILE_MAX ((uint64_t)16 << 20)
/* Begins a file; another version is not read. */
#define VERSION 1U

void tfs_probe_means_release(struct tfs_probe_means *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->v[i].arg);
		tfs_meaning_release(&m->v[i].means);
	}
	free(m->v);
	memset(m, 0, sizeof(*m));
}

int tfs_probe_means_add(struct tfs_probe_means *m, const char *arg, const struct tfs_meaning *means)
{
	struct tfs_probe_mean *mean;

	if (tfs_grow_one(&m->v, m->n))
		return -ENOMEM;
	mean = &m->v[m->n];
	*mean = (struct tfs_probe_mean){ .arg = strdup(arg) };
	if (!mean->arg)
		return -ENOMEM;
	m->n++;
	return tfs_meaning_copy(&mean->means, means);
}

static const struct tfs_meaning *find(const struct tfs_probe_means *m, const char *arg)
{
	for (size_t i = 0; i < m->n; i++) {
		if (!strcmp(m->v[i].arg, arg))
			return &m->v[i].means;
	}
	return NULL;
}

/*
 * struct event - the definitions of one event
 * @first: index of the first; @common: what all of them say
 */
struct event {
	char *name;
	struct tfs_probe_means common;
};

struct events {
	struct event *v;
	size_t n;
	struct tfs_strmap index;
};

static void events_release(struct events *events)
{
	for (size_t i = 0; i < events->n; i++) {
		free(events->v[i].name);
		tfs_probe_means_release(&events->v[i].common);
	}
	free(events->v);
	tfs_strmap_release(&events->index);
}

static int copy_means(struct tfs_probe_means *to, const struct tfs_probe_means *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->n && !rc; i++)
		rc = tfs_probe_means_add(to, from->v[i].arg, &from->v[i].means);
	return rc;
}

static int new_event(struct events *events, const char *name, const struct tfs_probe_def *def)
{
	struct event *event;
	int rc;

	if (tfs_grow_one(&events->v, events->n))
		return -ENOMEM;
	event = &events->v[events->n];
	*event = (struct event){ .name = strdup(name) };
	if (!event->name)
		return -ENOMEM;
	rc = tfs_strmap_put(&events->index, name, events->n++);
	return rc ? rc : copy_means(&event->common, &def->means);
}

static struct event *find_event(const struct events *events, const char *name)
{
	size_t at;

	return tfs_strmap_get(&events->index, name, &at) ? &events->v[at] : NULL;
}

/* One more place of the event: what it does not say as well is a number. */
static void keep_common(struct tfs_probe_means *common, const struct tfs_probe_def *def)
{
	const struct tfs_meaning *there;
	size_t i = 0;

	while (i < common->n) {
		there = find(&def->means, common->v[i].arg);
		if (there && tfs_meaning_same(there, &common->v[i].means)) {
			i++;
			continue;
		}
		free(common->v[i].arg);
		tfs_meaning_release(&common->v[i].means);
		common->v[i] = common->v[--common->n];
	}
}

static int collect(const struct tfs_probe_defs *defs, struct events *events)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < defs->n && !rc; i++) {
		const struct tfs_probe_def *def = &defs->v[i];
		struct event *known;

		tfs_strbuf_reset(&name);
		rc = tfs_strbuf_addf(&name, "%s:%s", def->group, def->event);
		if (rc)
			break;
		known = find_event(events, name.s);
		if (known)
			keep_common(&known->common, def);
		else
			rc = new_event(events, name.s, def);
	}
	tfs_strbuf_release(&name);
	return rc;
}

static int add_event(const struct event *e, struct tfs_strbuf *payload)
{
	int rc = 0;

	for (size_t i = 0; i < e->common.n && !rc; i++)
		rc = tfs_meaning_list_add(payload, e->name, e->common.v[i].arg,
					  &e->common.v[i].means);
	return rc;
}

int tfs_probe_means_payload(const struct tfs_probe_defs *defs, struct tfs_strbuf *payload)
{
	struct events events = { 0 };
	int rc = collect(defs, &events);

	for (size_t i = 0; i < events.n && !rc; i++)
		rc = add_event(&events.v[i], payload);
	events_release(&events);
	return rc;
}

/* --- files: u32 version, u32 n, n times a definition (strz), and entries */

/*
 * A definition in the form it is compared in: the kernel pads the offsets that it was given
 * ("0x0000000000001370").
 */
static int add_definition(struct tfs_strbuf *sb, bool ret, const char *location, const char *args)
{
	int rc = tfs_strbuf_addc(sb, ret ? 'r' : 'p');

	while (*location && !rc) {
		rc = tfs_strbuf_addc(sb, *location);
		if (location[0] != '0' || location[1] != 'x') {
			location++;
			continue;
		}
		rc = rc ? rc : tfs_strbuf_addc(sb, 'x');
		for (location += 2; location[0] == '0' && isxdigit((unsigned char)location[1]);
		     location++)
			;
	}
	return rc ? rc : tfs_strbuf_addf(sb, " %s", args ? args : "");
}

/* Is "group:event" the name? */
static bool is_name(const char *name, const char *group, const char *event)
{
	size_t len = strlen(group);

	return !strncmp(group, name, len) && name[len] == ':' && !strcmp(event, name + len + 1);
}

static int make_text(const struct tfs_probe_defs *defs, const struct event *e,
		     struct tfs_strbuf *text)
{
	uint32_t head[] = { VERSION, 0 };
	int rc = tfs_strbuf_add(text, head, sizeof(head));

	for (size_t i = 0; i < defs->n && !rc; i++) {
		const struct tfs_probe_def *def = &defs->v[i];

		if (!is_name(e->name, def->group, def->event))
			continue;
		rc = add_definition(text, def->ret, def->location, def->args);
		if (!rc)
			rc = tfs_strbuf_add(text, "", 1);
		head[1]++;
	}
	if (!rc)
		memcpy(text->s, head, sizeof(head));
	if (!rc)
		rc = add_event(e, text);
	return rc;
}

static int make_dir(const char *dir)
{
	int rc = tfs_own_mkdir_both(dir);

	return rc ? rc : tfs_journal_open_dir(dir, NULL);
}

static int write_file(int dir, const char *name, const struct tfs_strbuf *text)
{
	int fd, rc;

	unlinkat(dir, name, 0);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	rc = tfs_write_all(fd, text->s, text->len);
	tfs_close(&fd);
	if (rc)
		unlinkat(dir, name, 0);
	return rc;
}

/* One event; @dir is opened for the first that has something to say. */
static int keep_event(const char *path, const struct tfs_probe_defs *defs, const struct event *e,
		      int *dir)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = 0;

	if (*dir < 0) {
		*dir = e->common.n ? make_dir(path) : tfs_journal_open_dir(path, NULL);
		if (*dir < 0)
			return e->common.n ? *dir : 0;
	}
	if (!e->common.n) {
		unlinkat(*dir, e->name, 0);
		return 0;
	}
	rc = make_text(defs, e, &text);
	if (!rc)
		rc = write_file(*dir, e->name, &text);
	tfs_strbuf_release(&text);
	return rc;
}

int tfs_probe_means_keep(const char *path, const struct tfs_probe_defs *defs, struct tfs_err *err)
{
	struct events events = { 0 };
	int dir = -1, rc = collect(defs, &events);

	for (size_t i = 0; i < events.n && !rc; i++)
		rc = keep_event(path, defs, &events.v[i], &dir);
	if (dir >= 0)
		tfs_close(&dir);
	events_release(&events);
	return rc ? tfs_err_set(err, rc, "cannot keep the names of values in '%s'", path) : 0;
}

void tfs_probe_means_forget(const char *path, const struct tfs_strvec *names)
{
	int dir = tfs_journal_open_dir(path, NULL);

	if (dir < 0)
		return;
	for (size_t i = 0; i < names->n; i++)
		unlinkat(dir, names->v[i], 0);
	tfs_close(&dir);
}

static int read_file(int dir, const char *name, struct tfs_strbuf *text)
{
	struct stat st;
	int fd, rc;

	/* not waited for, should it be a FIFO */
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !tfs_is_own(&st))
		rc = -EPERM;
	else
		rc = tfs_read_fd_max(fd, FILE_MAX, text);
	tfs_close(&fd);
	return rc;
}

static bool is_among(const struct tfs_strvec *definitions, const struct tfs_probe_event *e)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	bool is = !add_definition(&sb, e->ret, e->location, e->args) &&
		  tfs_strvec_has(definitions, sb.s);

	tfs_strbuf_release(&sb);
	return is;
}

/* Has the kernel this event, and every definition of it as it was when the file was written? */
static bool is_still(const struct tfs_probe_events *events, const char *name,
		     const struct tfs_strvec *definitions)
{
	size_t n = 0;

	for (size_t i = 0; i < events->n; i++) {
		const struct tfs_probe_event *e = &events->v[i];

		if (!is_name(name, e->group, e->event))
			continue;
		if (!is_among(definitions, e))
			return false;
		n++;
	}
	return n > 0;
}

static int read_definitions(struct tfs_cursor *c, struct tfs_strvec *out)
{
	uint32_t version, n;
	const char *text;
	int rc = 0;

	if (tfs_cursor_u32(c, &version) || tfs_cursor_u32(c, &n) || version != VERSION)
		return -EBADMSG;
	for (; n && !rc; n--) {
		if (tfs_cursor_strz(c, &text))
			return -EBADMSG;
		rc = tfs_strvec_push(out, text);
	}
	return rc;
}

/* Entries of this event alone: a file speaks for no other. */
static int add_entries(struct tfs_cursor *c, const char *name, struct tfs_strbuf *payload)
{
	const char *event, *field;
	struct tfs_meaning means;
	int rc;

	while ((rc = tfs_meaning_list_next(c, &event, &field, &means)) > 0) {
		if (!strcmp(event, name) && !tfs_meaning_is_plain(&means))
			rc = tfs_meaning_list_add(payload, event, field, &means);
		tfs_meaning_release(&means);
		if (rc < 0)
			break;
	}
	return rc;
}

static int load_file(int dir, const char *name, const struct tfs_probe_events *events,
		     struct tfs_strbuf *payload)
{
	struct tfs_strvec definitions = TFS_STRVEC_INIT;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_cursor c;
	int rc = read_file(dir, name, &text);

	if (!rc) {
		tfs_cursor_init(&c, text.s, text.len, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
		rc = read_definitions(&c, &definitions);
	}
	if (!rc && is_still(events, name, &definitions))
		rc = add_entries(&c, name, payload);
	tfs_strvec_release(&definitions);
	tfs_strbuf_release(&text);
	return rc == -ENOMEM ? rc : 0;
}

static bool is_recorded(const struct tfs_strvec *events, const char *name)
{
	for (size_t i = 0; i < events->n; i++) {
		const char *event = events->v[i], *colon = strchr(event, ':');
		size_t len = colon ? (size_t)(colon + 1 - event) : 0;

		if (!strcmp(event, name) ||
		    (len && !strcmp(colon, ":*") && !strncmp(event, name, len)))
			return true;
	}
	return false;
}

/* Names of the files of events that are recorded, in order. */
static int list_files(int dir, const struct tfs_strvec *events, struct tfs_strvec *names)
{
	int fd = dup(dir), rc = 0;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;

	if (!d && fd >= 0)
		tfs_close(&fd);
	while (d && !rc && (e = readdir(d))) {
		if (is_recorded(events, e->d_name))
			rc = tfs_strvec_push(names, e->d_name);
	}
	if (d)
		closedir(d);
	tfs_strvec_sort(names);
	return rc;
}

int tfs_probe_means_load(const char *path, const struct tfs_root *root,
			 const struct tfs_strvec *events, struct tfs_strbuf *payload)
{
	struct tfs_probe_events defined = { 0 };
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc, dir = tfs_journal_open_dir(path, NULL);

	if (dir < 0)
		return 0;
	rc = list_files(dir, events, &names);
	if (!rc && names.n && tfs_probe_events_read(root, &defined, NULL))
		tfs_probe_events_release(&defined);
	for (size_t i = 0; i < names.n && !rc; i++)
		rc = load_file(dir, names.v[i], &defined, payload);
	tfs_probe_events_release(&defined);
	tfs_strvec_release(&names);
	tfs_close(&dir);
	return rc;
}
