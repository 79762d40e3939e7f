/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-lost.h"

#include <errno.h>
#include <stddef.h>

#include "base/cursor.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"

#define ENTRY_SIZE 48

_Static_assert(sizeof(struct tfs_dat_lost) == ENTRY_SIZE, "an entry has no padding");

int tfs_dat_lost_begin(struct tfs_strbuf *payload)
{
	const uint32_t head[2] = { TFS_DAT_PRIVATE_MARK, ENTRY_SIZE };

	return tfs_strbuf_add(payload, head, sizeof(head));
}

int tfs_dat_lost_add(struct tfs_strbuf *payload, const struct tfs_dat_lost *lost)
{
	return tfs_strbuf_add(payload, lost, sizeof(*lost));
}

static int read_entry(const void *entry, bool big, struct tfs_dat_lost *lost)
{
	uint64_t *const counts[] = { &lost->events, &lost->overrun, &lost->commit_overrun,
				     &lost->dropped, &lost->unread };
	struct tfs_cursor c;
	int rc;

	tfs_cursor_init(&c, entry, ENTRY_SIZE, big);
	rc = tfs_cursor_u32(&c, &lost->cpu);
	if (!rc)
		rc = tfs_cursor_u32(&c, &lost->buffer);
	for (size_t i = 0; i < ARRAY_SIZE(counts) && !rc; i++)
		rc = tfs_cursor_u64(&c, counts[i]);
	return rc;
}

int tfs_dat_lost_find(const struct tfs_dat *dat, size_t buffer, unsigned int cpu,
		      struct tfs_dat_lost *lost)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, TFS_DAT_PRIVATE_LOST);
	struct tfs_cursor c;
	uint32_t size;
	const void *entry;

	if (!o)
		return 0;
	if (tfs_dat_private_cursor(o, tfs_dat_info(dat)->big_endian, &c) ||
	    tfs_cursor_u32(&c, &size) || size < ENTRY_SIZE)
		return -EBADMSG;
	while (tfs_cursor_left(&c)) {
		if (tfs_cursor_bytes(&c, size, &entry) || read_entry(entry, c.big, lost))
			return -EBADMSG;
		if (lost->cpu == cpu && lost->buffer == buffer)
			return 1;
	}
	return 0;
}
