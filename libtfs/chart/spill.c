/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

#define FIRST_ROOM ((size_t)64 << 10)

int tfs_temp_file(void)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	if (!dir || *dir != '/')
		dir = "/var/tmp";
	fd = open(dir, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd < 0 ? -errno : fd;
	if (snprintf(path, sizeof(path), "%s/tracecraft.XXXXXX", dir) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

void tfs_spill_release(struct tfs_spill *s)
{
	free(s->mem);
	tfs_close(&s->fd);
	*s = TFS_SPILL_INIT(s->limit);
}

static int flush(struct tfs_spill *s)
{
	int rc = 0;

	if (s->fd < 0) {
		s->fd = tfs_temp_file();
		if (s->fd < 0) {
			rc = s->fd;
			s->fd = -1;
			return rc;
		}
	}
	rc = tfs_pwrite_all(s->fd, s->mem, s->used, (off_t)s->file);
	if (rc)
		return rc;
	s->file += s->used;
	s->used = 0;
	return 0;
}

/* Room for at least one more byte. */
static int grow(struct tfs_spill *s)
{
	size_t room = s->room ? 2 * s->room : FIRST_ROOM;
	unsigned char *mem;

	if (s->room >= s->limit)
		return flush(s);
	if (room > s->limit)
		room = s->limit;
	mem = realloc(s->mem, room);
	if (!mem)
		return -ENOMEM;
	s->mem = mem;
	s->room = room;
	return 0;
}

int tfs_spill_add(struct tfs_spill *s, const void *data, size_t len)
{
	const unsigned char *from = data;
	size_t part;
	int rc;

	while (len) {
		if (s->used == s->room) {
			rc = grow(s);
			if (rc)
				return rc;
		}
		part = s->room - s->used;
		if (part > len)
			part = len;
		memcpy(s->mem + s->used, from, part);
		s->used += part;
		from += part;
		len -= part;
	}
	return 0;
}

uint64_t tfs_spill_size(const struct tfs_spill *s)
{
	return s->file + s->used;
}

int tfs_spill_read(const struct tfs_spill *s, uint64_t at, void *data, size_t len)
{
	unsigned char *to = data;
	size_t part = 0;
	int rc;

	if (at < s->file) {
		part = s->file - at < len ? (size_t)(s->file - at) : len;
		rc = tfs_pread_all(s->fd, to, part, (off_t)at);
		if (rc)
			return rc;
	}
	if (part < len)
		memcpy(to + part, s->mem + (at + part - s->file), len - part);
	return 0;
}
