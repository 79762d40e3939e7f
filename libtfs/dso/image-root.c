/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/image-internal.h"

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

/* What the kernel appends to the name of a file that has none any more. */
#define DELETED " (deleted)"

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

bool tfs_image_is_of_process(const char *path)
{
	size_t len = proc_length(path);

	return len && (is_proc_file(path, len) || !strncmp(path + len, "/root/", 6));
}

/* --symfs, as it is: of /proc/PID/root realpath(3) would make / */
static int use_symfs(struct tfs_image *img, const char *symfs, struct tfs_err *err)
{
	size_t len = proc_length(symfs);

	img->symfs = len && !strncmp(symfs + len, "/root", 5) ? strdup(symfs) :
								realpath(symfs, NULL);
	if (!img->symfs)
		return tfs_err_set(err, -errno, "cannot use '%s' as root", symfs);
	for (len = strlen(img->symfs); len && img->symfs[len - 1] == '/'; len--)
		img->symfs[len - 1] = '\0';
	return 0;
}

/* The root that @path is to be looked up below. *@rest: what is left of it; NULL: all, from here */
static int find_root(struct tfs_image *img, const char *path, const char *symfs, const char **rest,
		     struct tfs_err *err)
{
	size_t len = proc_length(path);
	int rc = 0;

	*rest = path;
	if (symfs) {
		rc = use_symfs(img, symfs, err);
	} else if (len && (is_proc_file(path, len) || !strncmp(path + len, "/root/", 6))) {
		if (asprintf(&img->symfs, "%.*s/root", (int)len, path) < 0) {
			img->symfs = NULL;
			return tfs_err_set(err, -ENOMEM, "cannot open '%s'", path);
		}
		img->ns = true;
		*rest = is_proc_file(path, len) ? NULL : path + len + 5;
		if (is_our_root(img->symfs)) {
			free(img->symfs);
			img->symfs = NULL;
			img->ns = false;
		}
	}
	if (!rc)
		rc = tfs_open_root(img->symfs, &img->root);
	if (rc && !(err && err->code))
		tfs_err_set(err, rc, "cannot open '%s'", path);
	return rc;
}

/* What the kernel calls an open file; yours. */
static char *link_text(int fd)
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
static char *inner_path(const struct tfs_image *img, const char *text)
{
	char *root = img->root == TFS_NO_ROOT ? NULL : link_text(img->root);
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
	size_t len = strlen(text), end = strlen(DELETED);

	*deleted = !st->st_nlink && len > end && !strcmp(text + len - end, DELETED);
	if (*deleted)
		text[len - end] = '\0';
}

/*
 * Names for what was found: the one to tell the kernel has to lead to the file from here.
 * @path: as it was given; @rest: what is below the root
 */
static int name_found(struct tfs_image *img, int fd, const char *path, const char *rest)
{
	char *text = link_text(fd), *below = NULL;
	struct stat st;
	int rc = -ENOMEM;

	if (!text || fstat(fd, &st))
		goto out;
	strip_deleted(text, &st, &img->deleted);
	img->inner = inner_path(img, text);
	if (!img->inner || (img->symfs && asprintf(&below, "%s%s", img->symfs, img->inner) < 0)) {
		below = NULL;
		goto out;
	}
	if (img->symfs && !img->ns) {
		img->path = strdup(img->inner);
		img->file = strdup(below);
	} else {
		if (!img->deleted && names(text, &st))
			img->path = strdup(text);
		else if (!img->deleted && names(below, &st))
			img->path = strdup(below);
		else if (!rest || !img->ns)
			img->path = rest ? realpath(path, NULL) : strdup(path);
		else if (asprintf(&img->path, "%s/%s", img->symfs, rest + (*rest == '/')) < 0)
			img->path = NULL;
		img->file = img->path ? strdup(img->path) : NULL;
	}
	rc = img->path && img->file ? 0 : -ENOMEM;
out:
	free(below);
	free(text);
	return rc;
}

int tfs_image_find_file(struct tfs_image *img, const char *path, const char *symfs, int *fd,
			struct tfs_err *err)
{
	const char *rest = path, *why;
	int found, rc = find_root(img, path, symfs, &rest, err);

	*fd = -1;
	if (rc)
		return rc;
	found = rest ? tfs_open_path_in(img->root, rest) : tfs_open_path_in(TFS_NO_ROOT, path);
	if (found < 0)
		return img->symfs ? tfs_err_set(err, found, "cannot open '%s' below '%s'",
						rest ? rest : path, img->symfs) :
				    tfs_err_set(err, found, "cannot open '%s'", path);
	rc = name_found(img, found, path, rest);
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
	return why ? tfs_err_say(err, -ENOEXEC, "cannot use '%s': %s", img->path, why) :
		     tfs_err_set(err, rc, "cannot open '%s'", img->path);
}

const char *tfs_image_file(const struct tfs_image *img)
{
	return img->file ? img->file : "";
}

const char *tfs_image_inner(const struct tfs_image *img)
{
	return img->inner ? img->inner : tfs_image_path(img);
}

bool tfs_image_is_deleted(const struct tfs_image *img)
{
	return img->deleted;
}
