/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "tracefs/probe-list.h"
#include "tracefs/reason.h"
#include "tracefs/root.h"

/* How much of what could not be written a message shows. */
#define SHOWN_BYTES 100

static int dir_fd(const struct tfs_root *root)
{
	return root ? tfs_root_fd(root) : AT_FDCWD;
}

/* @path as a person would name it; cut if it is longer than any path. */
static const char *full_path(const struct tfs_root *root, const char *path, char buf[PATH_MAX])
{
	if (path[0] == '/' || !root)
		return path;
	if (snprintf(buf, PATH_MAX, "%s/%s", tfs_root_path(root), path) >= PATH_MAX)
		return path;
	return buf;
}

/* Record "cannot DO 'PATH': strerror" and the cause where it can be known. */
static int refused(const struct tfs_root *root, const char *what, const char *path, int rc,
		   struct tfs_err *err)
{
	char buf[PATH_MAX];
	const char *full = full_path(root, path, buf);

	if (!err)
		return rc;
	tfs_err_set(err, rc, "cannot %s '%s'", what, full);
	tfs_reason_add(root, full, rc, err);
	return rc;
}

static int refused_write(const struct tfs_root *root, const char *path, const char *text,
			 size_t len, int rc, struct tfs_err *err)
{
	char what[SHOWN_BYTES + 32];
	int shown;

	while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	shown = (int)(len < SHOWN_BYTES ? len : SHOWN_BYTES);
	snprintf(what, sizeof(what), "write '%.*s%s' to", shown, text,
		 len > SHOWN_BYTES ? "..." : "");
	refused(root, what, path, rc, err);
	if (rc == -EBUSY && err)
		tfs_reason_in_use(root, text, len, err);
	return rc;
}

static int open_at(const struct tfs_root *root, const char *path, int flags)
{
	int fd;

	do {
		fd = openat(dir_fd(root), path, flags | O_CLOEXEC | O_NOCTTY);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

/* A control file takes a value by one write; half of one is another value. */
static int write_once(int fd, const void *data, size_t len)
{
	ssize_t n;

	if (!len)
		return 0;
	do {
		n = write(fd, data, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

static int write_flags(enum tfs_write_mode mode)
{
	return O_WRONLY | (mode == TFS_WRITE_APPEND ? O_APPEND : O_TRUNC);
}

static int read_once(const struct tfs_root *root, const char *path, struct tfs_strbuf *sb,
		     struct tfs_err *err)
{
	int fd, rc;

	rc = tfs_file_open(root, path, O_RDONLY, &fd, err);
	if (rc)
		return rc;
	rc = tfs_read_fd(fd, sb);
	tfs_close(&fd);
	return rc ? refused(root, "read", path, rc, err) : 0;
}

/* Until two readings in a row agree, else all lines of all readings; see tracefs/probe-list.h. */
static int read_list(const struct tfs_root *root, const char *path, struct tfs_strbuf *sb,
		     struct tfs_err *err)
{
	struct tfs_strbuf last = TFS_STRBUF_INIT, next = TFS_STRBUF_INIT, all = TFS_STRBUF_INIT;
	bool agree = false;
	int rc = read_once(root, path, &last, err);

	for (int n = 1; n < TFS_PROBE_LIST_READINGS && !agree && !rc; n++) {
		tfs_strbuf_reset(&next);
		rc = read_once(root, path, &next, err);
		if (rc)
			break;
		agree = !strcmp(last.s, next.s);
		rc = tfs_probe_list_merge(&all, last.s);
		tfs_strbuf_reset(&last);
		if (!rc)
			rc = tfs_strbuf_add(&last, next.s, next.len);
	}
	if (!rc && !agree)
		rc = tfs_probe_list_merge(&last, all.s);
	if (!rc)
		rc = tfs_strbuf_add(sb, last.s, last.len);
	if (rc == -ENOMEM)
		refused(root, "read", path, rc, err);
	tfs_strbuf_release(&last);
	tfs_strbuf_release(&next);
	tfs_strbuf_release(&all);
	return rc;
}

int tfs_file_read(const struct tfs_root *root, const char *path, struct tfs_strbuf *sb,
		  struct tfs_err *err)
{
	return tfs_is_probe_list(path) ? read_list(root, path, sb, err) :
					 read_once(root, path, sb, err);
}

int tfs_file_write(const struct tfs_root *root, const char *path, enum tfs_write_mode mode,
		   const void *data, size_t len, struct tfs_err *err)
{
	int fd, rc;

	fd = open_at(root, path, write_flags(mode));
	if (fd < 0)
		return refused_write(root, path, data, len, fd, err);
	rc = write_once(fd, data, len);
	tfs_close(&fd);
	return rc ? refused_write(root, path, data, len, rc, err) : 0;
}

int tfs_fd_write_lines(int fd, const char *text)
{
	const char *end;
	int rc = 0;

	for (; !rc && *text; text = end) {
		end = strchrnul(text, '\n');
		if (*end)
			end++;
		rc = write_once(fd, text, (size_t)(end - text));
	}
	return rc;
}

int tfs_file_write_lines(const struct tfs_root *root, const char *path, enum tfs_write_mode mode,
			 const char *text, struct tfs_err *err)
{
	int fd, rc;

	fd = open_at(root, path, write_flags(mode));
	if (fd < 0)
		return refused_write(root, path, text, strlen(text), fd, err);
	rc = tfs_fd_write_lines(fd, text);
	tfs_close(&fd);
	return rc ? refused_write(root, path, text, strlen(text), rc, err) : 0;
}

int tfs_file_open(const struct tfs_root *root, const char *path, int flags, int *fd,
		  struct tfs_err *err)
{
	int rc = open_at(root, path, flags);

	if (rc < 0)
		return refused(root, "open", path, rc, err);
	*fd = rc;
	return 0;
}

int tfs_file_mkdir(const struct tfs_root *root, const char *path, struct tfs_err *err)
{
	/* tracefs sets the mode itself; it is for captured trees only */
	if (mkdirat(dir_fd(root), path, 0755))
		return refused(root, "make directory", path, -errno, err);
	return 0;
}

int tfs_file_rmdir(const struct tfs_root *root, const char *path, struct tfs_err *err)
{
	if (unlinkat(dir_fd(root), path, AT_REMOVEDIR))
		return refused(root, "remove directory", path, -errno, err);
	return 0;
}

bool tfs_file_exists(const struct tfs_root *root, const char *path)
{
	return !faccessat(dir_fd(root), path, F_OK, 0);
}

int tfs_file_list(const struct tfs_root *root, const char *path, enum tfs_list_kind kind,
		  struct tfs_strvec *out, struct tfs_err *err)
{
	const struct dirent *ent;
	int fd, rc;
	DIR *dir;

	rc = tfs_file_open(root, path, O_RDONLY | O_DIRECTORY, &fd, err);
	if (rc)
		return rc;
	dir = fdopendir(fd);
	if (!dir) {
		rc = refused(root, "list", path, -errno, err);
		tfs_close(&fd);
		return rc;
	}
	while (!rc && (ent = readdir(dir))) {
		bool is_dir = ent->d_type == DT_DIR;

		if (ent->d_name[0] != '.' && is_dir == (kind == TFS_LIST_DIRS))
			rc = tfs_strvec_push(out, ent->d_name);
	}
	closedir(dir);
	tfs_strvec_sort(out);
	return rc ? tfs_err_set(err, rc, "cannot list '%s'", path) : 0;
}
