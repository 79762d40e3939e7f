/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relay/receive-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32.h"
#include "base/err.h"
#include "base/io.h"
#include "tracedat/dat-complete.h"

#define MAGIC 0x6a727374u
/* Offset of the second place: larger than the first can be */
#define PLACE_BYTES ((off_t)4 << 20)

/* The beginning of a place, before the sources. Only this machine reads it. */
struct entry {
	uint32_t magic;
	uint32_t crc; /* of all after it, sources included */
	uint64_t generation;
	uint64_t n;
	struct relay_progress progress;
};

_Static_assert(sizeof(struct entry) + RELAY_SOURCES_MAX * sizeof(struct relay_source) <=
		       (size_t)PLACE_BYTES,
	       "an entry fits");

char *relay_journal_path(const char *file)
{
	char *path;

	return asprintf(&path, "%s" TFS_DAT_FLEET_JOURNAL, file) < 0 ? NULL : path;
}

int relay_journal_open(struct relay_journal *j, const char *file, bool create, struct tfs_err *err)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT | O_EXCL : 0);
	struct stat st;

	j->path = relay_journal_path(file);
	if (!j->path)
		return tfs_err_set(err, -ENOMEM, "cannot receive '%s'", file);
	if (create)
		unlink(j->path);
	j->fd = open(j->path, flags, 0600);
	if (j->fd < 0)
		return tfs_err_set(err, -errno, "cannot open '%s'", j->path);
	if (fstat(j->fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return tfs_err_say(err, -EPERM, "'%s' is not a file of this user", j->path);
	return 0;
}

static uint32_t checksum(const unsigned char *packet, size_t size)
{
	const size_t from = offsetof(struct entry, generation);

	return tfs_crc32(0, packet + from, size - from);
}

int relay_journal_write(struct relay_journal *j, const struct relay_progress *progress,
			const struct relay_source *sources, size_t n)
{
	const size_t size = sizeof(struct entry) + n * sizeof(*sources);
	struct entry e = {
		.magic = MAGIC,
		.generation = j->generation + 1,
		.n = n,
		.progress = *progress,
	};
	unsigned char *packet = malloc(size);
	int rc;

	if (!packet)
		return -ENOMEM;
	memcpy(packet, &e, sizeof(e));
	if (n)
		memcpy(packet + sizeof(e), sources, n * sizeof(*sources));
	e.crc = checksum(packet, size);
	memcpy(packet, &e, sizeof(e));
	rc = tfs_pwrite_all(j->fd, packet, size, e.generation & 1 ? PLACE_BYTES : 0);
	if (!rc)
		j->generation = e.generation;
	free(packet);
	return rc;
}

/* Return: 0 with the bytes of a place, free(); -EBADMSG, -ENOMEM */
static int read_place(const struct relay_journal *j, off_t at, struct entry *e,
		      unsigned char **packet)
{
	size_t size;
	int rc = tfs_pread_all(j->fd, e, sizeof(*e), at);

	if (rc || e->magic != MAGIC || e->n > RELAY_SOURCES_MAX)
		return -EBADMSG;
	size = sizeof(*e) + e->n * sizeof(struct relay_source);
	*packet = malloc(size);
	if (!*packet)
		return -ENOMEM;
	if (tfs_pread_all(j->fd, *packet, size, at) || checksum(*packet, size) != e->crc) {
		free(*packet);
		*packet = NULL;
		return -EBADMSG;
	}
	return 0;
}

int relay_journal_read(struct relay_journal *j, struct relay_progress *progress,
		       struct relay_source **sources, size_t *n)
{
	int rc = -EBADMSG;

	*sources = NULL;
	j->generation = 0;
	for (int i = 0; i < 2; i++) {
		unsigned char *packet = NULL;
		struct relay_source *list;
		struct entry e;

		if (read_place(j, i * PLACE_BYTES, &e, &packet) || e.generation <= j->generation)
			goto next;
		list = calloc(e.n + 1, sizeof(*list));
		if (!list)
			goto next;
		memcpy(list, packet + sizeof(e), e.n * sizeof(*list));
		free(*sources);
		*sources = list;
		*n = e.n;
		*progress = e.progress;
		j->generation = e.generation;
		rc = 0;
next:
		free(packet);
	}
	return rc;
}

void relay_journal_release(struct relay_journal *j)
{
	tfs_close(&j->fd);
	free(j->path);
	*j = RELAY_JOURNAL_INIT;
}
