/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/source.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "sym/image-internal.h"

/* Less of a path could be any project's: "src/main.c" below /usr/src is found, "main.c" is not. */
#define TAIL_PARTS_MIN 2

/*
 * struct search - the way to one file
 * @tried: paths that were opened
 */
struct search {
	struct tfs_image *img;
	const char *file;
	struct tfs_strbuf *sb;
	struct tfs_strvec tried;
};

static int try_file(struct search *s, const char *path)
{
	struct stat st;
	int rc;

	if (tfs_strvec_has(&s->tried, path))
		return -ENOENT;
	rc = tfs_strvec_push(&s->tried, path);
	if (rc)
		return rc;
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return -ENOENT;
	return tfs_read_path(path, s->sb);
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

/* Characters that glob(3) would take for its own. */
static int add_literal(struct tfs_strbuf *sb, const char *s)
{
	int rc = 0;

	for (; *s && !rc; s++) {
		if (strchr("*?[\\", *s))
			rc = tfs_strbuf_addc(sb, '\\');
		if (!rc)
			rc = tfs_strbuf_addc(sb, *s);
	}
	return rc;
}

/* DIR/TAIL, and with @one_below DIR/NAME/TAIL. */
static int try_below(struct search *s, const char *dir, const char *tail, bool one_below)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	glob_t found = { 0 };
	int rc = tfs_strbuf_addf(&path, "%s/%s", dir, tail);

	if (!rc)
		rc = try_file(s, path.s);
	if (rc != -ENOENT || !one_below)
		goto out;
	tfs_strbuf_reset(&path);
	if (add_literal(&path, dir) || tfs_strbuf_adds(&path, "/*/") || add_literal(&path, tail)) {
		rc = -ENOMEM;
		goto out;
	}
	if (!glob(path.s, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc && rc == -ENOENT; i++)
			rc = try_file(s, found.gl_pathv[i]);
		globfree(&found);
	}
out:
	tfs_strbuf_release(&path);
	return rc;
}

/* The whole path below @dir, then ever less of its beginning, down to @least parts. */
static int try_tails(struct search *s, const char *dir, size_t least, bool one_below)
{
	const char *tail = s->file;
	int rc = -ENOENT;

	while (rc == -ENOENT && tail) {
		while (*tail == '/')
			tail++;
		if (parts_of(tail) < least)
			break;
		rc = try_below(s, dir, tail, one_below);
		tail = strchr(tail, '/');
	}
	return rc;
}

static int try_usual(struct search *s)
{
	static const char *const dirs[] = { "/usr/src/debug", "/usr/src" };
	const char *root = s->img->symfs;
	char *dir = NULL;
	int rc = -ENOENT;

	if (root)
		rc = try_below(s, root, *s->file == '/' ? s->file + 1 : s->file, false);
	if (rc == -ENOENT)
		rc = try_file(s, s->file);
	/* a build that hides where it was made leaves paths from the top of the sources */
	if (rc == -ENOENT && *s->file != '/')
		rc = try_tails(s, ".", TAIL_PARTS_MIN, false);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]) && rc == -ENOENT; i++) {
		if (root && *root) {
			if (asprintf(&dir, "%s%s", root, dirs[i]) < 0)
				return -ENOMEM;
			rc = try_tails(s, dir, TAIL_PARTS_MIN, true);
			free(dir);
		}
		if (rc == -ENOENT)
			rc = try_tails(s, dirs[i], TAIL_PARTS_MIN, true);
	}
	return rc;
}

/* --- servers: libdebuginfod is opened when it is wanted, as libdwfl opens it --- */

static int ask_servers(struct search *s, void *lib)
{
	void *(*begin)(void);
	int (*find)(void *client, const unsigned char *id, int len, const char *name, char **path);
	void (*end)(void *client);
	void *client = NULL;
	int fd, rc = -ENOENT;

	*(void **)&begin = dlsym(lib, "debuginfod_begin");
	*(void **)&find = dlsym(lib, "debuginfod_find_source");
	*(void **)&end = dlsym(lib, "debuginfod_end");
	if (begin && find && end)
		client = begin();
	if (!client)
		return -ENOENT;
	/* a length of 0 says that the build-id is text */
	fd = find(client, (const unsigned char *)s->img->build_id, 0, s->file, NULL);
	if (fd >= 0) {
		rc = tfs_read_fd(fd, s->sb);
		close(fd);
	}
	end(client);
	return rc;
}

static int try_servers(struct search *s)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	void *lib;
	int rc;

	if (!urls || !*urls || !s->img->build_id || *s->file != '/')
		return -ENOENT;
	lib = dlopen("libdebuginfod.so.1", RTLD_LAZY);
	if (!lib)
		return -ENOENT;
	rc = ask_servers(s, lib);
	dlclose(lib);
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

int tfs_source_read(struct tfs_image *img, const char *file, const char *dir, struct tfs_strbuf *sb,
		    struct tfs_err *err)
{
	struct search s = { .img = img, .sb = sb, .tried = TFS_STRVEC_INIT };
	char *path = normal(file);
	int rc = -ENOMEM;

	if (path) {
		s.file = path;
		rc = dir ? try_tails(&s, dir, 1, false) : try_usual(&s);
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
