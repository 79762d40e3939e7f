/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso-internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/open-in.h"
#include "dso/dso.h"

/* "/proc/PID" that @path begins with: its length, 0 if it does not. */
static size_t proc_length(const char *path)
{
	static const char proc[] = "/proc/";
	size_t len = strlen(proc), digits;

	if (strncmp(path, proc, len) != 0)
		return 0;
	digits = strspn(path + len, "0123456789");
	if (!digits && !strncmp(path + len, "self/", 5))
		digits = 4;
	return digits && path[len + digits] == '/' ? len + digits : 0;
}

/* Whether @path is a link of /proc to the very file that a process runs or has mapped. */
static bool is_proc_file(const char *path, size_t len)
{
	return !strcmp(path + len, "/exe") || !strncmp(path + len, "/map_files/", 11);
}

static bool same_file(const char *a, const char *b)
{
	struct stat one, other;

	return !stat(a, &one) && !stat(b, &other) && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

/* Does a process see the files that we see, by the same paths? */
static bool is_our_root(const char *root)
{
	size_t len = strlen(root) - strlen("/root");
	char *ns = NULL;
	bool ours;

	if (asprintf(&ns, "%.*s/ns/mnt", (int)len, root) < 0)
		return false;
	ours = same_file(root, "/") && same_file(ns, "/proc/self/ns/mnt");
	free(ns);
	return ours;
}

bool tfs_dso_is_of_process(const char *path)
{
	size_t len = proc_length(path);

	return len && (is_proc_file(path, len) || !strncmp(path + len, "/root/", 6));
}

/* --symfs, as it is: of /proc/PID/root realpath(3) would make / */
static int use_symfs(struct tfs_dso *dso, const char *symfs, struct tfs_err *err)
{
	size_t len = proc_length(symfs);

	dso->symfs = len && !strncmp(symfs + len, "/root", 5) ? strdup(symfs) :
								realpath(symfs, NULL);
	if (!dso->symfs)
		return tfs_err_set(err, -errno, "cannot use '%s' as root", symfs);
	for (len = strlen(dso->symfs); len && dso->symfs[len - 1] == '/'; len--)
		dso->symfs[len - 1] = '\0';
	return 0;
}

/* The root that @path is to be looked up below. *@rest: what is left of it; NULL: all, from here */
static int find_root(struct tfs_dso *dso, const char *path, const char *symfs, const char **rest,
		     struct tfs_err *err)
{
	size_t len = proc_length(path);
	int rc = 0;

	*rest = path;
	if (symfs) {
		rc = use_symfs(dso, symfs, err);
	} else if (len && (is_proc_file(path, len) || !strncmp(path + len, "/root/", 6))) {
		if (asprintf(&dso->symfs, "%.*s/root", (int)len, path) < 0) {
			dso->symfs = NULL;
			return tfs_err_set(err, -ENOMEM, "cannot open '%s'", path);
		}
		dso->ns = true;
		*rest = is_proc_file(path, len) ? NULL : path + len + 5;
		if (is_our_root(dso->symfs)) {
			free(dso->symfs);
			dso->symfs = NULL;
			dso->ns = false;
		}
	}
	if (!rc)
		rc = tfs_open_root(dso->symfs, &dso->root);
	if (rc && !(err && err->code))
		tfs_err_set(err, rc, "cannot open '%s'", path);
	return rc;
}

char *tfs_dso_link_text(int fd)
{
	char link[32], text[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, text, sizeof(text) - 1);
	return n < 0 ? NULL : strndup(text, (size_t)n);
}

static bool names(const char *path, const struct stat *st)
{
	struct stat other;

	return path && !stat(path, &other) && other.st_dev == st->st_dev &&
	       other.st_ino == st->st_ino;
}

/*
 * The path below the root: @text is as seen from here, and of another mount namespace as from
 * there
 */
static char *inner_path(const struct tfs_dso *dso, const char *text)
{
	char *root = dso->root == TFS_NO_ROOT ? NULL : tfs_dso_link_text(dso->root);
	size_t len = root ? strlen(root) : 0;
	char *inner;

	if (len > 1 && !strncmp(text, root, len) && text[len] == '/')
		text += len;
	inner = strdup(text);
	free(root);
	return inner;
}

/* @text without what says that the file has no name any more; *@deleted: it was there */
static void strip_deleted(char *text, const struct stat *st, bool *deleted)
{
	size_t len = strlen(text), end = strlen(TFS_DSO_DELETED);

	*deleted = !st->st_nlink && len > end && !strcmp(text + len - end, TFS_DSO_DELETED);
	if (*deleted)
		text[len - end] = '\0';
}

/*
 * Names for what was found: the one given to the kernel has to lead to the file from here.
 * @path: as it was given; @rest: what is below the root
 */
static int name_found(struct tfs_dso *dso, int fd, const char *path, const char *rest)
{
	char *text = tfs_dso_link_text(fd), *below = NULL;
	struct stat st;
	int rc = -ENOMEM;

	if (!text || fstat(fd, &st))
		goto out;
	strip_deleted(text, &st, &dso->deleted);
	dso->inner = inner_path(dso, text);
	if (!dso->inner || (dso->symfs && asprintf(&below, "%s%s", dso->symfs, dso->inner) < 0)) {
		below = NULL;
		goto out;
	}
	if (dso->symfs && !dso->ns) {
		dso->path = strdup(dso->inner);
		dso->file = strdup(below);
	} else {
		if (!dso->deleted && names(text, &st))
			dso->path = strdup(text);
		else if (!dso->deleted && names(below, &st))
			dso->path = strdup(below);
		else if (!rest || !dso->ns)
			dso->path = rest ? realpath(path, NULL) : strdup(path);
		else if (asprintf(&dso->path, "%s/%s", dso->symfs, rest + (*rest == '/')) < 0)
			dso->path = NULL;
		dso->file = dso->path ? strdup(dso->path) : NULL;
	}
	rc = dso->path && dso->file ? 0 : -ENOMEM;
out:
	free(below);
	free(text);
	return rc;
}

int tfs_dso_find_file(struct tfs_dso *dso, const char *path, const char *symfs, int *fd,
		      struct tfs_err *err)
{
	const char *rest = path, *why;
	int found, rc = find_root(dso, path, symfs, &rest, err);

	*fd = -1;
	if (rc)
		return rc;
	found = rest ? tfs_open_path_in(dso->root, rest) : tfs_open_path_in(TFS_NO_ROOT, path);
	if (found < 0)
		return dso->symfs ? tfs_err_set(err, found, "cannot open '%s' below '%s'",
						rest ? rest : path, dso->symfs) :
				    tfs_err_set(err, found, "cannot open '%s'", path);
	rc = name_found(dso, found, path, rest);
	if (rc) {
		tfs_close(&found);
		return tfs_err_set(err, rc, "cannot open '%s'", path);
	}
	*fd = tfs_open_found(found, TFS_NO_LIMIT);
	tfs_close(&found);
	if (*fd >= 0)
		return 0;
	rc = *fd;
	*fd = -1;
	why = tfs_open_refused(rc);
	return why ? tfs_err_say(err, -ENOEXEC, "cannot use '%s': %s", dso->path, why) :
		     tfs_err_set(err, rc, "cannot open '%s'", dso->path);
}

const char *tfs_dso_file(const struct tfs_dso *dso)
{
	return dso->file ? dso->file : "";
}

const char *tfs_dso_inner(const struct tfs_dso *dso)
{
	return dso->inner ? dso->inner : tfs_dso_path(dso);
}

bool tfs_dso_is_deleted(const struct tfs_dso *dso)
{
	return dso->deleted;
}
