/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/open-in.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf-core.h"

/* As many symbolic links as the kernel follows, and directories as a path can have. */
#define LINKS_MAX 40
#define DEPTH_MAX 256

static int try_open(int dir, const char *path, int flags)
{
	int fd;

	do {
		fd = openat(dir, path, flags | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

int tfs_open_root(const char *root, int *fd)
{
	int rc;

	*fd = TFS_NO_ROOT;
	if (!root || !*root)
		return 0;
	rc = try_open(AT_FDCWD, root, O_PATH | O_DIRECTORY);
	if (rc < 0)
		return rc;
	*fd = rc;
	return 0;
}

/* --- step by step --- */

/*
 * struct walk - a path on its way
 * @dir: directories entered so far; the first is the root, which is not ours to close
 * @rest: what is still to be walked, of which @at is next
 */
struct walk {
	int dir[DEPTH_MAX];
	size_t depth;
	unsigned int links;
	char *rest;
	const char *at;
};

static void leave(struct walk *w)
{
	if (w->depth > 1)
		tfs_close(&w->dir[--w->depth]);
}

/* Puts a link's target before the rest of the path; an absolute one starts at the root again. */
static int follow(struct walk *w, int link)
{
	char text[PATH_MAX], *rest;
	ssize_t n = readlinkat(link, "", text, sizeof(text));

	if (n < 0)
		return -errno;
	if (!n || (size_t)n == sizeof(text))
		return -ENAMETOOLONG;
	if (++w->links > LINKS_MAX || strlen(w->at) > PATH_MAX)
		return -ELOOP;
	/* what is left begins with '/', or there is none */
	if (asprintf(&rest, "%.*s%s", (int)n, text, w->at) < 0)
		return -ENOMEM;
	while (*text == '/' && w->depth > 1)
		leave(w);
	free(w->rest);
	w->rest = rest;
	w->at = rest;
	return 0;
}

/* One part of the path; @fd: what it is, -1 if it was a directory or a link to go through */
static int step(struct walk *w, const char *name, bool last, int *fd)
{
	struct stat st;
	int found, rc = 0;

	*fd = -1;
	if (!strcmp(name, ".."))
		leave(w);
	if (!strcmp(name, "..") || !strcmp(name, "."))
		return 0;
	found = try_open(w->dir[w->depth - 1], name, O_PATH | O_NOFOLLOW);
	if (found < 0)
		return found;
	if (fstat(found, &st))
		rc = -errno;
	else if (S_ISLNK(st.st_mode))
		rc = follow(w, found);
	else if (!S_ISDIR(st.st_mode) && !last)
		rc = -ENOTDIR;
	else if (S_ISDIR(st.st_mode) && w->depth == DEPTH_MAX)
		rc = -ENAMETOOLONG;
	else if (S_ISDIR(st.st_mode)) {
		w->dir[w->depth++] = found;
		return 0;
	} else {
		*fd = found;
		return 0;
	}
	tfs_close(&found);
	return rc;
}

static int walk(struct walk *w, int *fd)
{
	char name[NAME_MAX + 1];
	int rc = 0;

	while (!rc && *fd < 0) {
		size_t len;

		w->at += strspn(w->at, "/");
		len = strcspn(w->at, "/");
		if (!len)
			break;
		if (len > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, w->at, len);
		name[len] = '\0';
		w->at += len;
		/* with a '/' after it, it has to be a directory */
		rc = step(w, name, !*w->at, fd);
	}
	return rc;
}

static int open_by_steps(int root, const char *path)
{
	struct walk w = { .dir = { root }, .depth = 1, .rest = *path ? strdup(path) : NULL };
	int fd = -1, rc;

	if (!w.rest)
		return *path ? -ENOMEM : -ENOENT;
	w.at = w.rest;
	rc = walk(&w, &fd);
	/* a directory: the last one entered */
	if (!rc && fd < 0) {
		fd = fcntl(w.dir[w.depth - 1], F_DUPFD_CLOEXEC, 0);
		rc = fd < 0 ? -errno : 0;
	}
	while (w.depth > 1)
		leave(&w);
	free(w.rest);
	return rc ? rc : fd;
}

int tfs_open_path_in(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	int fd;

	if (root == TFS_NO_ROOT)
		return try_open(AT_FDCWD, path, O_PATH);
	do {
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	} while (fd < 0 && (errno == EINTR || errno == EAGAIN));
	if (fd >= 0)
		return fd;
	/* a kernel before 5.6, or a filter of system calls that was made for one */
	if (errno == ENOSYS || errno == EPERM)
		return open_by_steps(root, path);
	return -errno;
}

/* --- what was found --- */

/* The kernel itself serves files there, and reading them may have effects. */
static bool is_of_kernel(int fd)
{
	static const long kernels[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC,         DEBUGFS_MAGIC,  TRACEFS_MAGIC,
		SECURITYFS_MAGIC, SELINUX_MAGIC,       SMACK_MAGIC,    CGROUP_SUPER_MAGIC,
		BPF_FS_MAGIC,     CGROUP2_SUPER_MAGIC, PSTOREFS_MAGIC, DEVPTS_SUPER_MAGIC,
		NSFS_MAGIC,       EFIVARFS_MAGIC,      BINFMTFS_MAGIC,
	};
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		if ((long)fs.f_type == kernels[i])
			return true;
	return false;
}

/* By the descriptor, so that no name is looked up again. Without /proc that cannot be. */
static int open_again(int found, int flags)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", found);
	return try_open(AT_FDCWD, link, O_RDONLY | O_NONBLOCK | O_NOCTTY | flags);
}

int tfs_open_found(int found, uint64_t max)
{
	struct stat st;

	if (fstat(found, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode) || is_of_kernel(found))
		return -EINVAL;
	if ((uint64_t)st.st_size > max)
		return -EFBIG;
	return open_again(found, 0);
}

int tfs_open_in(int root, const char *path, uint64_t max)
{
	int found = tfs_open_path_in(root, path), fd;

	if (found < 0)
		return found;
	fd = tfs_open_found(found, max);
	tfs_close(&found);
	return fd;
}

int tfs_open_dir_in(int root, const char *path)
{
	int found = tfs_open_path_in(root, path), fd;

	if (found < 0)
		return found;
	fd = open_again(found, O_DIRECTORY);
	tfs_close(&found);
	return fd;
}

int tfs_read_fd_max(int fd, uint64_t max, struct tfs_strbuf *sb)
{
	size_t before = sb->len;
	char part[16384];
	ssize_t n;
	int rc = 0;

	do {
		n = read(fd, part, sizeof(part));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			rc = -errno;
		else if (sb->len - before + (size_t)n > max)
			rc = -EFBIG;
		else
			rc = tfs_strbuf_add(sb, part, (size_t)n);
	} while (!rc && n);
	if (rc && sb->s) {
		sb->len = before;
		sb->s[before] = '\0';
	}
	return rc;
}

int tfs_read_in(int root, const char *path, uint64_t max, struct tfs_strbuf *sb)
{
	int fd = tfs_open_in(root, path, max), rc;

	if (fd < 0)
		return fd;
	rc = tfs_read_fd_max(fd, max, sb);
	tfs_close(&fd);
	return rc;
}

const char *tfs_open_refused(int code)
{
	switch (code) {
	case -EISDIR:
		return "it is a directory";
	case -EINVAL:
		return "it is not a regular file";
	case -EFBIG:
		return "it is too large";
	default:
		return NULL;
	}
}
