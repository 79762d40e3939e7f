/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/open-in.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "dso/debuginfod.h"
#include "dso/dso-elf.h"
#include "dso/dso.h"

/* Less of a path could be any project's: "src/main.c" below /usr/src is found, "main.c" is not. */
#define TAIL_PARTS_MIN 2

/* More than any source has, whoever or whatever wrote it. */
#define SOURCE_BYTES_MAX (64u << 20)
/* Packages' sources are some dozens below /usr/src. */
#define ENTRIES_MAX 4096

/*
 * struct search - the way to one file
 * @tried: paths that were opened
 */
struct search {
	struct tfs_dso *dso;
	const char *file;
	struct tfs_strbuf *sb;
	struct tfs_strvec tried;
};

/*
 * @below: the path is one below what stands for /
 * Return: -ENOENT also for a path that cannot be a source file, so that the search goes on.
 */
static int read_file(const struct search *s, bool below, const char *path)
{
	int rc = tfs_read_in(below ? tfs_dso_root(s->dso) : TFS_NO_ROOT, path, SOURCE_BYTES_MAX,
			     s->sb);

	return tfs_open_refused(rc) || rc == -ENOTDIR || rc == -ELOOP ? -ENOENT : rc;
}

static int try_file(struct search *s, bool below, const char *path)
{
	const char *root = below && tfs_dso_symfs(s->dso) ? tfs_dso_symfs(s->dso) : "";
	struct tfs_strbuf shown = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&shown, "%s%s", root, path);

	if (!rc && tfs_strvec_has(&s->tried, shown.s))
		rc = -ENOENT;
	if (!rc)
		rc = tfs_strvec_push(&s->tried, shown.s);
	tfs_strbuf_release(&shown);
	return rc ? rc : read_file(s, below, path);
}

/* "./", "../" and "//" take parts of a path back. Yours, NULL without memory. */
static char *normal(const char *path)
{
	struct tfs_strvec parts = TFS_STRVEC_INIT;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char *out = NULL;
	size_t n = 0;
	int rc = tfs_strvec_split(&parts, path, "/");

	for (size_t i = 0; i < parts.n && !rc; i++) {
		if (!strcmp(parts.v[i], "."))
			continue;
		if (!strcmp(parts.v[i], "..")) {
			n -= n > 0;
			continue;
		}
		char *swap = parts.v[n];

		parts.v[n++] = parts.v[i];
		parts.v[i] = swap;
	}
	for (size_t i = 0; i < n && !rc; i++)
		rc = tfs_strbuf_addf(&sb, "%s%s", i || *path == '/' ? "/" : "", parts.v[i]);
	if (!rc)
		rc = tfs_strbuf_detach(&sb, &out);
	tfs_strbuf_release(&sb);
	tfs_strvec_release(&parts);
	return rc ? NULL : out;
}

static size_t parts_of(const char *tail)
{
	size_t n = 1;

	for (; *tail; tail++)
		n += *tail == '/';
	return n;
}

/* Names in a directory, sorted; at most ENTRIES_MAX, as others may fill it. */
static int list_dir(int root, const char *path, struct tfs_strvec *out)
{
	int fd = tfs_open_dir_in(root, path), rc = 0;
	struct dirent *e;
	DIR *dir;

	if (fd < 0)
		return 0;
	dir = fdopendir(fd);
	if (!dir) {
		tfs_close(&fd);
		return 0;
	}
	while (!rc && out->n < ENTRIES_MAX && (e = readdir(dir)))
		if (*e->d_name != '.')
			rc = tfs_strvec_push(out, e->d_name);
	closedir(dir);
	tfs_strvec_sort(out);
	return rc;
}

/* DIR/NAME/TAIL for each name in DIR */
static int try_one_below(struct search *s, bool below, const char *dir, const char *tail)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	int rc = list_dir(below ? tfs_dso_root(s->dso) : TFS_NO_ROOT, dir, &names) ? -ENOMEM :
										     -ENOENT;

	for (size_t i = 0; i < names.n && rc == -ENOENT; i++) {
		tfs_strbuf_reset(&path);
		if (tfs_strbuf_addf(&path, "%s/%s/%s", dir, names.v[i], tail))
			rc = -ENOMEM;
		else
			rc = read_file(s, below, path.s);
	}
	tfs_strvec_release(&names);
	tfs_strbuf_release(&path);
	return rc;
}

/* DIR/TAIL, and with @one_below DIR/NAME/TAIL. */
static int try_below(struct search *s, bool below, const char *dir, const char *tail,
		     bool one_below)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&path, "%s/%s", dir, tail);

	if (!rc)
		rc = try_file(s, below, path.s);
	if (rc == -ENOENT && one_below)
		rc = try_one_below(s, below, dir, tail);
	tfs_strbuf_release(&path);
	return rc;
}

/* The whole path below @dir, then ever less of its beginning, down to @least parts. */
static int try_tails(struct search *s, bool below, const char *dir, size_t least, bool one_below)
{
	const char *tail = s->file;
	int rc = -ENOENT;

	while (rc == -ENOENT && tail) {
		while (*tail == '/')
			tail++;
		if (parts_of(tail) < least)
			break;
		rc = try_below(s, below, dir, tail, one_below);
		tail = strchr(tail, '/');
	}
	return rc;
}

/* The other root first. Paths in a program from a container are only valid inside it. */
static int try_standard_dirs(struct search *s)
{
	static const char *const dirs[] = { "/usr/src/debug", "/usr/src" };
	bool other = tfs_dso_root(s->dso) != TFS_NO_ROOT;
	int rc = -ENOENT;

	if (other)
		rc = try_below(s, true, "", *s->file == '/' ? s->file + 1 : s->file, false);
	if (rc == -ENOENT && !tfs_dso_is_in_namespace(s->dso))
		rc = try_file(s, false, s->file);
	/* a build that hides where it was made leaves paths from the top of the sources */
	if (rc == -ENOENT && !tfs_dso_is_in_namespace(s->dso) && *s->file != '/')
		rc = try_tails(s, false, ".", TAIL_PARTS_MIN, false);
	for (size_t i = 0; i < ARRAY_SIZE(dirs) && rc == -ENOENT; i++) {
		if (other)
			rc = try_tails(s, true, dirs[i], TAIL_PARTS_MIN, true);
		if (rc == -ENOENT)
			rc = try_tails(s, false, dirs[i], TAIL_PARTS_MIN, true);
	}
	return rc;
}

static int try_servers(struct search *s)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	int fd, rc;

	if (!urls || !*urls || !*tfs_dso_build_id(s->dso) || *s->file != '/')
		return -ENOENT;
	fd = tfs_debuginfod_find(tfs_dso_build_id(s->dso), s->file);
	rc = fd < 0 ? fd : tfs_read_fd_max(fd, SOURCE_BYTES_MAX, s->sb);
	if (fd >= 0)
		tfs_close(&fd);
	if (rc == -ENOENT && tfs_strvec_push(&s->tried, "the servers of DEBUGINFOD_URLS"))
		rc = -ENOMEM;
	return rc;
}

static void say_tried(const struct search *s, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < s->tried.n && !rc; i++)
		rc = tfs_strbuf_addf(&sb, TFS_ERR_ROW "%s", s->tried.v[i]);
	if (!rc)
		tfs_err_hint(err, "-s says where the sources are; tried:%s", sb.s);
	tfs_strbuf_release(&sb);
}

int tfs_source_read(struct tfs_dso *dso, const char *file, const char *dir, struct tfs_strbuf *sb,
		    struct tfs_err *err)
{
	struct search s = { .dso = dso, .sb = sb, .tried = TFS_STRVEC_INIT };
	char *path = normal(file);
	int rc = -ENOMEM;

	if (path) {
		s.file = path;
		rc = dir ? try_tails(&s, false, dir, 1, false) : try_standard_dirs(&s);
		if (rc == -ENOENT && !dir)
			rc = try_servers(&s);
	}
	if (rc) {
		tfs_err_set(err, rc, "cannot read the source '%s'", file);
		say_tried(&s, err);
	}
	tfs_strvec_release(&s.tried);
	free(path);
	return rc;
}
