/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/output-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

#define DIR_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)

const char *tfs_output_dir_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * The group does not count where it is this process's own: many systems give each user a group of
 * the same name, and make directories writable for it.
 */
static int is_shared(int fd, bool *shared)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	*shared = (st.st_uid && st.st_uid != geteuid()) || (st.st_mode & S_IWOTH) ||
		  ((st.st_mode & S_IWGRP) && st.st_gid != getegid());
	return 0;
}

/* *@fd becomes the directory @part (of @len bytes) in it. */
static int step(int *fd, const char *part, size_t len, bool shared)
{
	char name[NAME_MAX + 1];
	struct stat st;
	int next;

	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, part, len);
	name[len] = '\0';
	next = openat(*fd, name, DIR_FLAGS | (shared ? O_NOFOLLOW : 0));
	if (next < 0 && errno == ENOTDIR && shared &&
	    !fstatat(*fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode))
		return -ELOOP;
	if (next < 0)
		return -errno;
	tfs_close(fd);
	*fd = next;
	return 0;
}

int tfs_output_dir_open(const char *path, int *fd, bool *shared)
{
	const char *last = tfs_output_dir_name(path);
	size_t len;
	int rc;

	*fd = open(*path == '/' ? "/" : ".", DIR_FLAGS);
	if (*fd < 0)
		return -errno;
	rc = is_shared(*fd, shared);
	while (!rc && path < last) {
		len = strcspn(path, "/");
		if (len)
			rc = step(fd, path, len, *shared);
		if (!rc && len)
			rc = is_shared(*fd, shared);
		path += len + 1;
	}
	if (rc)
		tfs_close(fd);
	return rc;
}
