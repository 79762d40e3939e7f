/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/strbuf.h"

void tfs_close(int *fd)
{
	/* No retry: Linux has closed the descriptor also when it says EINTR (close(2)). */
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int tfs_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;
	ssize_t n;

	while (len) {
		n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EIO;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int tfs_pwrite_all(int fd, const void *data, size_t len, off_t off)
{
	const char *p = data;
	ssize_t n;

	while (len) {
		n = pwrite(fd, p, len, off);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EIO;
		p += n;
		off += n;
		len -= (size_t)n;
	}
	return 0;
}

int tfs_pread_all(int fd, void *data, size_t len, off_t off)
{
	char *p = data;
	ssize_t n;

	while (len) {
		n = pread(fd, p, len, off);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -ENODATA;
		p += n;
		off += n;
		len -= (size_t)n;
	}
	return 0;
}

int tfs_read_fd(int fd, struct tfs_strbuf *sb)
{
	size_t before = sb->len;
	ssize_t n;
	int rc;

	for (;;) {
		rc = tfs_strbuf_grow(sb, 4096);
		if (rc)
			break;
		n = read(fd, sb->s + sb->len, sb->cap - sb->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			rc = -errno;
		if (n <= 0)
			break;
		sb->len += (size_t)n;
	}
	if (rc)
		sb->len = before;
	if (sb->cap)
		sb->s[sb->len] = '\0';
	return rc;
}

int tfs_read_path(const char *path, struct tfs_strbuf *sb)
{
	int fd, rc;

	do {
		fd = open(path, O_RDONLY | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return -errno;
	rc = tfs_read_fd(fd, sb);
	tfs_close(&fd);
	return rc;
}

static int copy_by_hand(int in, off_t in_off, int out, size_t len)
{
	char buf[16384];
	size_t part;
	int rc = 0;

	while (!rc && len) {
		part = len < sizeof(buf) ? len : sizeof(buf);
		rc = tfs_pread_all(in, buf, part, in_off);
		if (!rc)
			rc = tfs_write_all(out, buf, part);
		in_off += (off_t)part;
		len -= part;
	}
	return rc;
}

/* Errors of copy_file_range(2) where read and write would still work. */
static bool not_this_way(int code)
{
	switch (code) {
	case EBADF:  /* @out is O_APPEND */
	case EINVAL: /* not regular files */
	case EISDIR:
	case ENOSYS:
	case EOPNOTSUPP:
	case EPERM: /* seccomp filters */
	case EXDEV:
		return true;
	default:
		return false;
	}
}

int tfs_copy_fd(int in, off_t in_off, int out, size_t len)
{
	ssize_t n;

	while (len) {
		n = copy_file_range(in, &in_off, out, NULL, len, 0);
		if (n < 0 && errno == EINTR)
			continue;
		/* 0 may be the end of the file, or a file of /proc that only looks empty */
		if (!n || (n < 0 && not_this_way(errno)))
			return copy_by_hand(in, in_off, out, len);
		if (n < 0)
			return -errno;
		len -= (size_t)n;
	}
	return 0;
}
