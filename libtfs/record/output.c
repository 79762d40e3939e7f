/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "data/dat-parts.h"

/* O_NONBLOCK: a named pipe is refused, not waited for. */
#define OUTPUT_FLAGS (O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

static int open_or_create(struct tfs_output *o)
{
	o->fd = open(o->path, OUTPUT_FLAGS | O_CREAT | O_EXCL, 0666);
	o->created = o->fd >= 0;
	if (o->fd < 0 && errno == EEXIST)
		o->fd = open(o->path, OUTPUT_FLAGS | O_CREAT, 0666);
	return o->fd < 0 ? -errno : 0;
}

int tfs_output_open(struct tfs_output *o, const char *path, struct tfs_err *err)
{
	struct stat st;
	int rc;

	*o = TFS_OUTPUT_INIT;
	o->path = strdup(path);
	if (!o->path)
		return tfs_err_set(err, -ENOMEM, "cannot create '%s'", path);
	rc = open_or_create(o);
	if (rc) {
		tfs_err_set(err, rc, "cannot create '%s'", path);
	} else if (fstat(o->fd, &st)) {
		rc = tfs_err_set(err, -errno, "cannot create '%s'", path);
	} else if (!S_ISREG(st.st_mode)) {
		rc = tfs_err_say(err, -EINVAL, "cannot record into '%s': it is no regular file",
				 path);
		tfs_err_hint(err, "a trace file is completed at its beginning: "
				  "name a regular file with -o");
	} else if (flock(o->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		/* A file system without locks is no reason not to record. */
		rc = tfs_err_say(err, -EBUSY, "cannot record into '%s': another recording does",
				 path);
	}
	o->empty = !rc && !st.st_size;
	if (rc && o->created)
		unlink(path);
	if (rc)
		tfs_output_release(o);
	return rc;
}

void tfs_output_release(struct tfs_output *o)
{
	tfs_close(&o->fd);
	free(o->path);
	*o = TFS_OUTPUT_INIT;
}

void tfs_output_discard(const struct tfs_output *o)
{
	if (o->path && o->created)
		unlink(o->path);
}

int tfs_output_temp(const struct tfs_output *o, const char *buffer, unsigned int cpu, int *fd,
		    struct tfs_err *err)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
	char *path = tfs_dat_part_path(o->path, buffer, cpu);
	struct stat st;
	int rc = 0;

	if (!path)
		return tfs_err_set(err, -ENOMEM, "cannot create a temporary file for CPU %u", cpu);
	*fd = open(path, flags, 0600);
	if (*fd < 0 && errno == EEXIST && !lstat(path, &st) && S_ISREG(st.st_mode) && !unlink(path))
		*fd = open(path, flags, 0600);
	if (*fd < 0)
		rc = tfs_err_set(err, -errno, "cannot create '%s'", path);
	free(path);
	return rc;
}

void tfs_output_unlink_temp(const struct tfs_output *o, const char *buffer, unsigned int cpu)
{
	char *path = tfs_dat_part_path(o->path, buffer, cpu);

	if (path)
		unlink(path);
	free(path);
}

int tfs_output_move(struct tfs_output *o, const char *path, struct tfs_err *err)
{
	char *name = strdup(path);
	int rc = name ? 0 : -ENOMEM;

	if (!rc && renameat2(AT_FDCWD, o->path, AT_FDCWD, path, RENAME_NOREPLACE))
		rc = -errno;
	/* Where the file system cannot tell: nobody else makes such names at this moment. */
	if (rc == -EINVAL && access(path, F_OK))
		rc = rename(o->path, path) ? -errno : 0;
	if (rc) {
		free(name);
		return tfs_err_set(err, rc, "cannot rename '%s' to '%s'", o->path, path);
	}
	free(o->path);
	o->path = name;
	return 0;
}

int tfs_output_move_temp(const struct tfs_output *o, const char *from, const char *buffer,
			 unsigned int cpu, struct tfs_err *err)
{
	char *old = tfs_dat_part_path(from, buffer, cpu);
	char *new = tfs_dat_part_path(o->path, buffer, cpu);
	int rc = old && new ? 0 : -ENOMEM;

	if (!rc && rename(old, new))
		rc = -errno;
	if (rc)
		tfs_err_set(err, rc, "cannot rename the data of CPU %u", cpu);
	free(old);
	free(new);
	return rc;
}

int tfs_output_reserve(struct tfs_output *o, uint64_t bytes, struct tfs_err *err)
{
	struct stat st;
	int rc;

	if (fstat(o->fd, &st))
		return tfs_err_set(err, -errno, "cannot write '%s'", o->path);
	do {
		rc = fallocate(o->fd, FALLOC_FL_KEEP_SIZE, st.st_size, (off_t)bytes) ? -errno : 0;
	} while (rc == -EINTR);
	if (rc == -EOPNOTSUPP || rc == -ENOSYS)
		return 0;
	return rc ? tfs_err_set(err, rc, "cannot reserve room in '%s'", o->path) : 0;
}

int tfs_output_trim(struct tfs_output *o, uint64_t *size, struct tfs_err *err)
{
	struct stat st;

	if (fstat(o->fd, &st))
		return tfs_err_set(err, -errno, "cannot write '%s'", o->path);
	*size = (uint64_t)st.st_size;
	/* To the size it has: that frees the blocks after the end. */
	if (ftruncate(o->fd, st.st_size))
		return tfs_err_set(err, -errno, "cannot write '%s'", o->path);
	return 0;
}
