/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-probe-list.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "cli/msg.h"
#include "cli/print.h"
#include "dso/dso.h"
#include "dso/symbol.h"
#include "dwarf/debuginfo.h"
#include "probe/list.h"
#include "probe/locate.h"
#include "tc-probe-opts.h"
#include "tracefs/link.h"
#include "tracefs/root.h"

#define PROGRAM "tc-probe"

/*
 * struct opened - the program looked into last: probes come in runs
 */
struct opened {
	char *path;
	struct tfs_dso *dso;
	struct tfs_debuginfo *dbg;
};

static struct tfs_dso *open_cached(struct opened *last, const char *path)
{
	struct tfs_dso *dso = NULL;
	char *copy;

	if (last->path && !strcmp(last->path, path))
		return last->dso;
	copy = strdup(path);
	if (copy && tfs_dso_open(copy, NULL, &dso, NULL))
		dso = NULL;
	tfs_debuginfo_free(last->dbg);
	tfs_dso_free(last->dso);
	free(last->path);
	last->path = copy;
	last->dso = dso;
	last->dbg = dso ? tfs_debuginfo_new(dso) : NULL;
	return dso;
}

/* When a probe was defined: its directory in tracefs was made then, or at its first look-up. */
static bool defined_at(const struct tfs_root *root, const struct tfs_probe_event *e,
		       struct statx_timestamp *at)
{
	char path[512];
	struct statx stx;

	snprintf(path, sizeof(path), "%s/events/%s/%s", tfs_root_path(root), e->group, e->event);
	if (statx(AT_FDCWD, path, 0, STATX_MTIME, &stx) || !(stx.stx_mask & STATX_MTIME))
		return false;
	*at = stx.stx_mtime;
	return true;
}

static bool is_later(const struct statx_timestamp *a, const struct statx_timestamp *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/*
 * The kernel keeps the file it was given, and shows only its path. The file at that path now is
 * another one if it was made later; NULL if nothing shows that it is.
 */
static const char *find_change(const char *path, const struct statx_timestamp *defined)
{
	static const struct {
		unsigned int mask;
		const char *text;
	} times[] = {
		{ STATX_BTIME, "was replaced after the probe was defined: the probe is on the file "
			       "before it, and processes that start now do not hit it" },
		{ STATX_MTIME,
		  "was written to after the probe was defined: what is at the probe's location "
		  "may be other code" },
		{ STATX_CTIME, "was renamed, linked or given another mode after the probe was "
			       "defined: it may be another file than the probe's" },
	};
	struct statx stx;

	if (statx(AT_FDCWD, path, 0, STATX_BASIC_STATS | STATX_BTIME, &stx))
		return errno == ENOENT ?
			       "was removed: only processes that still run it hit the probe" :
			       NULL;
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		const struct statx_timestamp *t = times[i].mask == STATX_BTIME ? &stx.stx_btime :
						  times[i].mask == STATX_MTIME ? &stx.stx_mtime :
										 &stx.stx_ctime;

		if (stx.stx_mask & times[i].mask && is_later(t, defined))
			return times[i].text;
	}
	return NULL;
}

/* Code at the location now: in a changed file perhaps none that can be probed. */
static void note_location(const struct tfs_probe_event *e, const char *offset,
			  struct tfs_debuginfo *dbg)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_probe_location location;

	if (!tfs_probe_location_parse(offset, &location) &&
	    tfs_probe_check_location(dbg, &location, 0, &err))
		tc_msg_notice(PROGRAM, "%s:%s: %s", e->group, e->event, err.msg);
}

static void note_change(const struct tfs_root *root, const struct tfs_probe_event *e,
			const char *path, const char *offset, struct opened *last)
{
	struct statx_timestamp defined;
	const char *text;

	text = defined_at(root, e, &defined) ? find_change(path, &defined) : NULL;
	if (!text)
		return;
	tc_msg_notice(PROGRAM, "%s:%s: '%s' %s", e->group, e->event, path, text);
	if (open_cached(last, path) && last->dbg)
		note_location(e, offset, last->dbg);
}

/* FUNC+OFF in PATH, where the file can be read. */
static void print_uprobe(const struct tfs_probe_event *e, const char *path, const char *offset,
			 struct opened *last)
{
	const struct tfs_symbol *sym;
	struct tfs_dso *dso;
	uint64_t off, addr;

	off = strtoull(offset, NULL, 16);
	dso = open_cached(last, path);
	if (!dso || tfs_dso_address(dso, off, &addr))
		sym = NULL;
	else
		sym = tfs_symbol_at(dso, addr);
	if (sym && addr == sym->addr)
		tc_print("%s", sym->name);
	else if (sym)
		tc_print("%s+%" PRIu64, sym->name, addr - sym->addr);
	else
		tc_print("0x%" PRIx64, off);
	tc_print("%s in %s", e->ret ? "%return" : "", path);
}

/*
 * The file of a uprobe as it was asked for, which a link may stand for, and where in it the probe
 * is; *@path NULL: it is not a uprobe.
 */
static int find_file(const struct tfs_probe_event *e, char **path, const char **offset)
{
	const char *colon = strrchr(e->location, ':');
	char *shown;
	int rc;

	*path = NULL;
	if (e->type != TFS_PROBE_UPROBE || !colon)
		return 0;
	*offset = colon + 1;
	shown = strndup(e->location, (size_t)(colon - e->location));
	rc = shown ? tfs_link_target(TFS_LINK_DIR, shown, path) : -ENOMEM;
	if (rc == -ENOENT) {
		*path = shown;
		return 0;
	}
	free(shown);
	return rc;
}

static int print_location(const struct tfs_probe_event *e, struct opened *last)
{
	const char *offset;
	char *path;
	int rc = find_file(e, &path, &offset);

	if (!rc && path)
		print_uprobe(e, path, offset, last);
	else if (!rc)
		tc_print("%s", e->location);
	free(path);
	return rc;
}

static int print_event(const struct tfs_probe_event *e, struct opened *last)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	char full[160];
	int rc = tfs_probe_event_arg_names(e, &names);

	if (rc)
		return rc;
	snprintf(full, sizeof(full), "%s:%s", e->group, e->event);
	tc_print("  %-20s (on ", full);
	rc = print_location(e, last);
	tc_print("%s%s)\n", names.len ? " with " : "", names.s);
	tfs_strbuf_release(&names);
	return rc;
}

/* After the list, where it is not between the lines. */
static int note_changes(const struct tfs_root *root, const struct tfs_probe_event *e,
			struct opened *last)
{
	const char *offset;
	char *path;
	int rc = find_file(e, &path, &offset);

	if (!rc && path)
		note_change(root, e, path, offset, last);
	free(path);
	return rc;
}

static bool is_wanted(const struct probe_request *req, const struct tfs_probe_event *e)
{
	return !req->list_glob || tfs_probe_event_matches(e, req->list_glob);
}

int probe_list(const struct probe_request *req, struct tfs_err *err)
{
	struct tfs_probe_events events = { 0 };
	struct opened last = { 0 };
	struct tfs_root *root = NULL;
	size_t listed = 0;
	int rc = tfs_root_open(NULL, &root, err);

	if (!rc)
		rc = tfs_probe_events_read(root, &events, err);
	for (size_t i = 0; i < events.n && !rc; i++) {
		if (!is_wanted(req, &events.v[i]))
			continue;
		rc = print_event(&events.v[i], &last);
		listed++;
	}
	for (size_t i = 0; i < events.n && !rc && !req->quiet; i++) {
		if (is_wanted(req, &events.v[i]))
			rc = note_changes(root, &events.v[i], &last);
	}
	if (!rc && req->list_glob && !listed) {
		rc = tfs_err_say(err, -ENOENT, "there is no probe '%s'", req->list_glob);
		tfs_err_hint(err, "-l lists those that are defined");
	}
	tfs_debuginfo_free(last.dbg);
	tfs_dso_free(last.dso);
	free(last.path);
	tfs_probe_events_release(&events);
	tfs_root_free(root);
	if (rc && !err->code)
		tfs_err_set(err, rc, "cannot list the probes");
	return rc;
}
