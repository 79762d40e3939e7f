/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/output-dir.h"

#define OPEN_FLAGS (O_WRONLY | O_CLOEXEC | O_NOCTTY)

static int failed(const struct tfs_output_place *p, int rc, struct tfs_err *err)
{
	return tfs_err_set(err, rc, "cannot write '%s'", p->path);
}

static int refused(int rc, const char *path, const char *why, struct tfs_err *err)
{
	tfs_err_say(err, rc, "cannot write '%s': %s", path, why);
	tfs_err_hint(err, "name another file, or another directory");
	return rc;
}

static int link_refused(const char *path, struct tfs_err *err)
{
	return refused(-ELOOP, path,
		       "there is a symbolic link in the path, in a directory that other users may "
		       "write to",
		       err);
}

int tfs_output_place_open(const char *path, struct tfs_output_place *place, struct tfs_err *err)
{
	int rc = tfs_output_dir_open(path, &place->dir, &place->shared);

	place->path = path;
	place->name = tfs_output_dir_name(path);
	if (rc == -ELOOP)
		return link_refused(path, err);
	return rc ? failed(place, rc, err) : 0;
}

static bool is_mine(const struct stat *st)
{
	return st->st_uid == geteuid();
}

static bool is_standard(const struct stat *st)
{
	struct stat own;

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (!fstat(fd, &own) && own.st_dev == st->st_dev && own.st_ino == st->st_ino)
			return true;
	return false;
}

static int empty_it(int fd, const struct stat *st, int flags)
{
	return !(flags & O_APPEND) && S_ISREG(st->st_mode) ? ftruncate(fd, 0) : 0;
}

static int open_new(const struct tfs_output_place *p, int flags, mode_t mode)
{
	int fd = openat(p->dir, p->name, OPEN_FLAGS | O_CREAT | O_EXCL | flags, mode);

	return fd < 0 ? -errno : fd;
}

/*
 * The file that has the name already, unless it is a link. A pipe that nobody reads is waited for
 * where this user made it, or where others cannot have.
 */
static int open_old(const struct tfs_output_place *p, int flags)
{
	struct stat st;
	int fd = openat(p->dir, p->name, OPEN_FLAGS | O_NOFOLLOW | O_NONBLOCK | flags);

	if (fd < 0 && errno == ENXIO && !fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW)) {
		if (p->shared && !is_mine(&st))
			return -EPERM;
		fd = openat(p->dir, p->name, OPEN_FLAGS | O_NOFOLLOW | flags);
	}
	return fd < 0 ? -errno : fd;
}

/* A link, in a directory where nobody else could have put it; the file need not be there yet. */
static int open_link(const struct tfs_output_place *p, int flags, mode_t mode, int *out,
		     struct tfs_err *err)
{
	int fd = openat(p->dir, p->name, OPEN_FLAGS | O_CREAT | flags, mode), rc = 0;
	struct stat st;
	bool known = fd >= 0 && !fstat(fd, &st);

	if (known && S_ISREG(st.st_mode) && !is_mine(&st) && !is_standard(&st))
		rc = refused(-EPERM, p->path, "it is a symbolic link to a file of another user",
			     err);
	else if (!known || empty_it(fd, &st, flags))
		rc = failed(p, -errno, err);
	if (rc)
		tfs_close(&fd);
	else
		*out = fd;
	return rc;
}

/* Another user may have put it there, or read it. @fd is closed. */
static int open_strange(const struct tfs_output_place *p, int fd, const struct stat *st, int flags,
			mode_t mode)
{
	tfs_close(&fd);
	if (!S_ISREG(st->st_mode) || flags & O_APPEND)
		return -EPERM;
	if (unlinkat(p->dir, p->name, 0))
		return -errno;
	return open_new(p, flags, mode);
}

/* @fd: of a file that was there before; return: one to write to */
static int take_old(const struct tfs_output_place *p, int fd, int flags, mode_t mode)
{
	struct stat st;
	int rc = fstat(fd, &st) ? -errno : 0;

	if (!rc && p->shared && (!is_mine(&st) || (S_ISREG(st.st_mode) && st.st_nlink > 1)))
		return open_strange(p, fd, &st, flags, mode);
	if (!rc && fcntl(fd, F_SETFL, flags))
		rc = -errno;
	if (!rc && empty_it(fd, &st, flags))
		rc = -errno;
	if (rc)
		tfs_close(&fd);
	return rc ? rc : fd;
}

int tfs_output_file_open_at(const struct tfs_output_place *p, int flags, mode_t mode, int *out,
			    struct tfs_err *err)
{
	int fd;

	flags &= O_APPEND;
	fd = open_new(p, flags, mode);
	if (fd == -EEXIST) {
		fd = open_old(p, flags);
		if (fd >= 0)
			fd = take_old(p, fd, flags, mode);
	}
	if (fd == -ELOOP && p->shared)
		return link_refused(p->path, err);
	if (fd == -ELOOP)
		return open_link(p, flags, mode, out, err);
	if (fd == -EPERM && p->shared)
		return refused(
			fd, p->path,
			"it is another user's, or has another name, in a directory that other "
			"users may write to",
			err);
	if (fd < 0)
		return failed(p, fd, err);
	*out = fd;
	return 0;
}

int tfs_output_file_open(const char *path, int flags, mode_t mode, int *fd, struct tfs_err *err)
{
	struct tfs_output_place place;
	int rc = tfs_output_place_open(path, &place, err);

	if (rc)
		return rc;
	rc = tfs_output_file_open_at(&place, flags, mode, fd, err);
	tfs_close(&place.dir);
	return rc;
}
