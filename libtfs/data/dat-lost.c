/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "data/dat-lost.h"

#include <errno.h>
#include <stddef.h>

#include "base/cursor.h"
#include "base/strbuf.h"
#include "data/dat-read.h"

/* Begins private options: tells the byte order where the option was copied to another file. */
#define PRIVATE_MARK 0x01020304U
#define ENTRY_SIZE 48

_Static_assert(sizeof(struct tfs_dat_lost) == ENTRY_SIZE, "an entry has no padding");

int tfs_dat_lost_begin(struct tfs_strbuf *payload)
{
	const uint32_t head[2] = { PRIVATE_MARK, ENTRY_SIZE };

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
		rc = tfs_cursor_u32(&c, &lost->zero);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]) && !rc; i++)
		rc = tfs_cursor_u64(&c, counts[i]);
	return rc;
}

static int find_in(const struct tfs_blob *payload, bool big, unsigned int cpu,
		   struct tfs_dat_lost *lost)
{
	struct tfs_cursor c;
	uint32_t mark, size;
	const void *entry;

	tfs_cursor_init(&c, payload->data, payload->size, big);
	if (tfs_cursor_u32(&c, &mark))
		return -EBADMSG;
	if (mark != PRIVATE_MARK)
		c.big = big = !big;
	if (tfs_load_u32(payload->data, big) != PRIVATE_MARK || tfs_cursor_u32(&c, &size) ||
	    size < ENTRY_SIZE)
		return -EBADMSG;
	while (tfs_cursor_left(&c)) {
		if (tfs_cursor_bytes(&c, size, &entry) || read_entry(entry, big, lost))
			return -EBADMSG;
		if (lost->cpu == cpu)
			return 1;
	}
	return 0;
}

int tfs_dat_lost_find(const struct tfs_dat *dat, unsigned int cpu, struct tfs_dat_lost *lost)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, TFS_DAT_PRIVATE_LOST);

	return o ? find_in(&o->data, tfs_dat_info(dat)->big_endian, cpu, lost) : 0;
}
