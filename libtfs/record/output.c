/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/output-dir.h"
#include "record/remote.h"
#include "tracedat/dat-segments.h"

/* O_NONBLOCK: a named pipe is refused, not waited for. */
#define OUTPUT_FLAGS (O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
#define ALL_MODES (S_IRWXU | S_IRWXG | S_IRWXO)
#define ANOTHER_FILE "remove it, or name another file with -o"

/* A link is followed where nobody else could have put it; the file need not be there yet. */
static int open_link(struct tfs_output *o)
{
	o->linked = true;
	o->fd = openat(o->dir, o->name, OUTPUT_FLAGS | O_CREAT, TFS_OUTPUT_MODE);
	return o->fd < 0 ? -errno : 0;
}

static int link_refused(const struct tfs_output *o, struct tfs_err *err)
{
	tfs_err_say(err, -ELOOP,
		    "cannot record into '%s': there is a symbolic link in the path, in a "
		    "directory that other users may write to",
		    o->path);
	tfs_err_hint(err, "name the file itself with -o, or another directory");
	return -ELOOP;
}

static int open_or_create(struct tfs_output *o, struct tfs_err *err)
{
	bool shared;
	int rc = tfs_output_dir_open(o->path, &o->dir, &shared);

	if (rc == -ELOOP)
		return link_refused(o, err);
	if (rc)
		return tfs_err_set(err, rc, "cannot create '%s'", o->path);
	o->fd = openat(o->dir, o->name, OUTPUT_FLAGS | O_CREAT | O_EXCL, TFS_OUTPUT_MODE);
	o->created = o->fd >= 0;
	if (o->fd < 0 && errno == EEXIST)
		o->fd = openat(o->dir, o->name, OUTPUT_FLAGS | O_NOFOLLOW);
	rc = o->fd < 0 ? -errno : 0;
	if (rc == -ELOOP && shared)
		return link_refused(o, err);
	if (rc == -ELOOP)
		rc = open_link(o);
	return rc ? tfs_err_set(err, rc, "cannot create '%s'", o->path) : 0;
}

/* May the file itself be used? It may have been put there, or be open, for others to read. */
static bool is_ours_alone(const struct tfs_output *o, const struct stat *st)
{
	return st->st_uid == geteuid() && st->st_nlink <= 1 &&
	       !(st->st_mode & ALL_MODES & ~o->mode);
}

static int check_file(struct tfs_output *o, struct tfs_err *err)
{
	struct stat st;

	if (fstat(o->fd, &st))
		return tfs_err_set(err, -errno, "cannot create '%s'", o->path);
	if (!S_ISREG(st.st_mode)) {
		tfs_err_say(err, -EINVAL, "cannot record into '%s': it is not a regular file",
			    o->path);
		tfs_err_hint(err, "a trace file is completed at its beginning: "
				  "name a regular file with -o");
		return -EINVAL;
	}
	/* A file system without locks does not prevent recording. */
	if (flock(o->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return tfs_err_say(err, -EBUSY, "cannot record into '%s': another recording does",
				   o->path);
	if (o->linked && st.st_uid != geteuid()) {
		tfs_err_say(err, -EPERM,
			    "cannot record into '%s': it is a symbolic link to a file of "
			    "another user",
			    o->path);
		tfs_err_hint(err, ANOTHER_FILE);
		return -EPERM;
	}
	o->empty = !st.st_size;
	o->replace = !o->created && !o->linked && !is_ours_alone(o, &st);
	return 0;
}

int tfs_output_open(struct tfs_output *o, const char *path, unsigned int mode, struct tfs_err *err)
{
	int rc;

	*o = TFS_OUTPUT_INIT;
	o->mode = mode ? mode : TFS_OUTPUT_MODE;
	o->path = strdup(path);
	if (!o->path)
		return tfs_err_set(err, -ENOMEM, "cannot create '%s'", path);
	o->name = tfs_output_dir_name(o->path);
	rc = open_or_create(o, err);
	if (!rc)
		rc = check_file(o, err);
	if (rc)
		tfs_output_discard(o);
	if (rc)
		tfs_output_release(o);
	return rc;
}

int tfs_output_open_remote(struct tfs_output *o, const char *name,
			   const struct tfs_record_remote *remote, struct tfs_err *err)
{
	int rc;

	*o = TFS_OUTPUT_INIT;
	o->remote = remote;
	o->path = strdup(name);
	o->name = o->path;
	if (!o->path)
		return tfs_err_set(err, -ENOMEM, "cannot record for '%s'", name);
	o->fd = memfd_create("tc-record", MFD_CLOEXEC);
	if (o->fd >= 0)
		return 0;
	rc = tfs_err_set(err, -errno, "cannot record for '%s'", name);
	tfs_output_release(o);
	return rc;
}

static int set_mode(const struct tfs_output *o, struct tfs_err *err)
{
	struct stat st;

	if (fstat(o->fd, &st))
		return tfs_err_set(err, -errno, "cannot write '%s'", o->path);
	if ((st.st_mode & ALL_MODES) == o->mode || !fchmod(o->fd, o->mode))
		return 0;
	/* FAT has one mode for all files: who chose it decided who reads them. */
	if (o->mode == TFS_OUTPUT_MODE)
		return 0;
	return tfs_err_set(err, -errno, "cannot give '%s' the mode %04o", o->path, o->mode);
}

/* A new file under another name, which takes the name of the old one. *@fd: of the new one */
static int make_anew(const struct tfs_output *o, const char *hidden, int *fd)
{
	const int flags = OUTPUT_FLAGS | O_CREAT | O_EXCL;
	int rc;

	*fd = openat(o->dir, hidden, flags, TFS_OUTPUT_MODE);
	if (*fd < 0 && errno == EEXIST && !unlinkat(o->dir, hidden, 0))
		*fd = openat(o->dir, hidden, flags, TFS_OUTPUT_MODE);
	if (*fd < 0)
		return -errno;
	if (flock(*fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		rc = -EBUSY;
	else
		rc = renameat(o->dir, hidden, o->dir, o->name) ? -errno : 0;
	if (rc)
		unlinkat(o->dir, hidden, 0);
	return rc;
}

static int replace(struct tfs_output *o, struct tfs_err *err)
{
	char *hidden = NULL;
	int fd = -1, rc;

	if (asprintf(&hidden, ".%s.%ld.new", o->name, (long)getpid()) < 0)
		return tfs_err_set(err, -ENOMEM, "cannot create '%s'", o->path);
	rc = make_anew(o, hidden, &fd);
	free(hidden);
	if (rc) {
		tfs_close(&fd);
		tfs_err_set(err, rc, "cannot replace '%s'", o->path);
		tfs_err_hint(err, "it is another user's, or others may read it: " ANOTHER_FILE);
		return rc;
	}
	tfs_close(&o->fd);
	o->fd = fd;
	o->replace = false;
	return 0;
}

int tfs_output_begin(struct tfs_output *o, struct tfs_err *err)
{
	int rc = 0;

	if (o->remote)
		return 0;
	if (o->replace)
		rc = replace(o, err);
	/* Only if need be: what was made empty ext4 begins to write to the disk at its close. */
	else if (!o->empty && ftruncate(o->fd, 0))
		rc = tfs_err_set(err, -errno, "cannot write '%s'", o->path);
	return rc ? rc : set_mode(o, err);
}

/* Does the name stand for the file that is open? */
static bool is_in_place(const struct tfs_output *o)
{
	struct stat file, name;

	return !fstat(o->fd, &file) &&
	       !fstatat(o->dir, o->name, &name, o->linked ? 0 : AT_SYMLINK_NOFOLLOW) &&
	       file.st_dev == name.st_dev && file.st_ino == name.st_ino;
}

int tfs_output_check(const struct tfs_output *o, struct tfs_err *err)
{
	if (o->remote || is_in_place(o))
		return 0;
	tfs_err_say(err, -ESTALE,
		    "'%s' was removed or replaced while it was recorded into: the recording is "
		    "not there",
		    o->path);
	tfs_err_hint(err, "record into a directory that nobody else changes");
	return -ESTALE;
}

void tfs_output_release(struct tfs_output *o)
{
	tfs_close(&o->fd);
	tfs_close(&o->dir);
	free(o->path);
	*o = TFS_OUTPUT_INIT;
}

void tfs_output_discard(const struct tfs_output *o)
{
	if (o->path && o->created && is_in_place(o))
		unlinkat(o->dir, o->name, 0);
}

int tfs_output_temp(const struct tfs_output *o, const char *buffer, unsigned int cpu, int *fd,
		    struct tfs_err *err)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
	char *path;
	const char *name;
	struct stat st;
	int rc = 0;

	if (o->remote)
		return o->remote->open_cpu(o->remote->context, cpu, fd, err);
	path = tfs_dat_segment_path(o->path, buffer, cpu);
	if (!path)
		return tfs_err_set(err, -ENOMEM, "cannot create a temporary file for CPU %u", cpu);
	name = path + (o->name - o->path);
	*fd = openat(o->dir, name, flags, 0600);
	if (*fd < 0 && errno == EEXIST && !fstatat(o->dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
	    S_ISREG(st.st_mode) && !unlinkat(o->dir, name, 0))
		*fd = openat(o->dir, name, flags, 0600);
	if (*fd < 0) {
		rc = tfs_err_set(err, -errno, "cannot create '%s'", path);
		if (rc == -EEXIST || rc == -EPERM || rc == -EACCES)
			tfs_err_hint(err, "the data of each CPU need a file of such a name while "
					  "recording: " ANOTHER_FILE);
	}
	free(path);
	return rc;
}

void tfs_output_unlink_temp_of(const struct tfs_output *o, const char *path, const char *buffer,
			       unsigned int cpu)
{
	char *name = tfs_dat_segment_path(path, buffer, cpu);

	if (name)
		unlinkat(o->dir, tfs_output_dir_name(name), 0);
	free(name);
}

void tfs_output_unlink_temp(const struct tfs_output *o, const char *buffer, unsigned int cpu)
{
	if (o->path && !o->remote)
		tfs_output_unlink_temp_of(o, o->path, buffer, cpu);
}

bool tfs_output_is_taken(const struct tfs_output *o, const char *path)
{
	return !faccessat(o->dir, tfs_output_dir_name(path), F_OK, AT_SYMLINK_NOFOLLOW);
}

int tfs_output_move(struct tfs_output *o, const char *path, struct tfs_err *err)
{
	const char *to = tfs_output_dir_name(path);
	char *name = strdup(path);
	int rc = name ? 0 : -ENOMEM;

	if (!rc && renameat2(o->dir, o->name, o->dir, to, RENAME_NOREPLACE))
		rc = -errno;
	/* The file system cannot check this itself: nobody else makes such names at this moment. */
	if (rc == -EINVAL && faccessat(o->dir, to, F_OK, 0))
		rc = renameat(o->dir, o->name, o->dir, to) ? -errno : 0;
	if (rc) {
		free(name);
		return tfs_err_set(err, rc, "cannot rename '%s' to '%s'", o->path, path);
	}
	free(o->path);
	o->path = name;
	o->name = tfs_output_dir_name(name);
	return tfs_output_check(o, err);
}

/* A file @to without a trace file beside it is a stray: a recorder was killed before the rename. */
static int link_anew(const struct tfs_output *o, const char *from, const char *to)
{
	struct stat st;
	int rc = linkat(o->dir, from, o->dir, to, 0) ? -errno : 0;

	if (rc == -EEXIST && !fstatat(o->dir, to, &st, AT_SYMLINK_NOFOLLOW) &&
	    S_ISREG(st.st_mode) && !unlinkat(o->dir, to, 0))
		rc = linkat(o->dir, from, o->dir, to, 0) ? -errno : 0;
	return rc == -EPERM || rc == -ENOSYS || rc == -EMLINK ? -EOPNOTSUPP : rc;
}

int tfs_output_link_temp(const struct tfs_output *o, const char *path, const char *buffer,
			 unsigned int cpu, struct tfs_err *err)
{
	char *old = tfs_dat_segment_path(o->path, buffer, cpu);
	char *new = tfs_dat_segment_path(path, buffer, cpu);
	int rc = old && new ? link_anew(o, tfs_output_dir_name(old), tfs_output_dir_name(new)) :
			      -ENOMEM;

	if (rc)
		tfs_err_set(err, rc, "cannot give the data of CPU %u the name '%s'", cpu,
			    new ? new : path);
	free(old);
	free(new);
	return rc;
}

int tfs_output_move_temp(const struct tfs_output *o, const char *from, const char *buffer,
			 unsigned int cpu, struct tfs_err *err)
{
	char *old = tfs_dat_segment_path(from, buffer, cpu);
	char *new = tfs_dat_segment_path(o->path, buffer, cpu);
	int rc = old && new ? 0 : -ENOMEM;

	if (!rc && renameat(o->dir, tfs_output_dir_name(old), o->dir, tfs_output_dir_name(new)))
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
