/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/out-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/out.h"
#include "base/output-dir.h"
#include "base/output-file.h"

#define FILE_MODE 0666 /* and the umask */
#define TRIES 100      /* names that others may have taken */

struct tfs_out_file {
	struct tfs_out *out;
	char *path;       /* as it is called in messages */
	const char *name; /* of the file in its directory, in path; NULL: it is written directly */
	char *temp;       /* its name until it is complete; NULL: it has none */
	int dir, fd;      /* -1: none, or not ours to close */
};

static int failed(const struct tfs_out_file *f, int rc, struct tfs_err *err)
{
	return tfs_err_set(err, rc, "cannot write '%s'", f->path);
}

/* The next name to try; the last one is forgotten. */
static int next_temp(struct tfs_out_file *f, unsigned int try)
{
	free(f->temp);
	f->temp = NULL;
	if (asprintf(&f->temp, ".%.200s.%d-%u", f->name, (int)getpid(), try) < 0) {
		f->temp = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* Where files without a name do not exist: one with another name. */
static int open_temp(struct tfs_out_file *f)
{
	unsigned int i;
	int rc = -EEXIST;

	for (i = 0; i < TRIES && rc == -EEXIST; i++) {
		if (next_temp(f, i))
			return -ENOMEM;
		f->fd = openat(f->dir, f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
		rc = f->fd < 0 ? -errno : 0;
	}
	if (rc) {
		free(f->temp);
		f->temp = NULL;
	}
	return rc;
}

/* A file of its own: what has the name stays until the new one takes it. */
static int open_beside(struct tfs_out_file *f, int dir, struct tfs_err *err)
{
	int rc;

	f->name = tfs_output_dir_name(f->path);
	f->dir = dir;
	if (!*f->name)
		return failed(f, -EISDIR, err);
	f->fd = openat(f->dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, FILE_MODE);
	rc = f->fd < 0 ? open_temp(f) : 0;
	return rc ? failed(f, rc, err) : 0;
}

static int open_file(struct tfs_out_file *f, struct tfs_err *err)
{
	struct tfs_output_place place;
	struct stat st;
	int rc;

	if (!strcmp(f->path, "-")) {
		f->fd = dup(STDOUT_FILENO);
		return f->fd < 0 ? failed(f, -errno, err) : 0;
	}
	rc = tfs_output_place_open(f->path, &place, err);
	if (rc)
		return rc;
	if (fstatat(place.dir, place.name, &st, AT_SYMLINK_NOFOLLOW) || S_ISREG(st.st_mode))
		return open_beside(f, place.dir, err);
	/* A pipe, a device, or a link to one (/dev/stdout) */
	rc = tfs_output_file_open_at(&place, O_TRUNC, FILE_MODE, &f->fd, err);
	tfs_close(&place.dir);
	return rc;
}

int tfs_out_file_open(const char *path, struct tfs_out_file **out, struct tfs_err *err)
{
	struct tfs_out_file *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return tfs_err_set(err, -ENOMEM, "cannot write '%s'", path);
	f->dir = -1;
	f->fd = -1;
	f->path = strdup(path);
	rc = f->path ? open_file(f, err) : tfs_err_set(err, -ENOMEM, "cannot write '%s'", path);
	if (!rc && tfs_out_new(f->fd, &f->out))
		rc = failed(f, -ENOMEM, err);
	if (rc)
		tfs_out_file_free(f);
	else
		*out = f;
	return rc;
}

struct tfs_out *tfs_out_file_out(struct tfs_out_file *f)
{
	return f->out;
}

int tfs_out_file_fd(const struct tfs_out_file *f)
{
	return f->fd;
}

bool tfs_out_file_is_new(const struct tfs_out_file *f)
{
	return f->name;
}

/* Give a file without a name one, so that it can be renamed. */
static int link_temp(struct tfs_out_file *f)
{
	char fd_path[32];
	unsigned int i;
	int rc = -EEXIST;

	snprintf(fd_path, sizeof(fd_path), "/proc/self/fd/%d", f->fd);
	for (i = 0; i < TRIES && rc == -EEXIST; i++) {
		if (next_temp(f, i))
			return -ENOMEM;
		rc = 0;
		if (linkat(AT_FDCWD, fd_path, f->dir, f->temp, AT_SYMLINK_FOLLOW))
			rc = -errno;
	}
	if (rc) {
		free(f->temp);
		f->temp = NULL;
	}
	return rc;
}

int tfs_out_file_commit(struct tfs_out_file *f, struct tfs_err *err)
{
	int rc = tfs_out_flush(f->out);

	if (!rc && f->name && !f->temp)
		rc = link_temp(f);
	if (!rc && f->temp && renameat(f->dir, f->temp, f->dir, f->name))
		rc = -errno;
	if (rc)
		return failed(f, rc, err);
	free(f->temp);
	f->temp = NULL;
	return 0;
}

void tfs_out_file_free(struct tfs_out_file *f)
{
	if (!f)
		return;
	if (f->temp)
		unlinkat(f->dir, f->temp, 0);
	tfs_out_free(f->out);
	tfs_close(&f->fd);
	tfs_close(&f->dir);
	free(f->temp);
	free(f->path);
	free(f);
}
