/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-private.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/strbuf-core.h"
#include "tracedat/dat-internal.h"

int tfs_dat_private_begin(struct tfs_strbuf *payload)
{
	const uint32_t mark = TFS_DAT_PRIVATE_MARK;

	return tfs_strbuf_add(payload, &mark, sizeof(mark));
}

int tfs_dat_private_cursor(const struct tfs_dat_option *o, bool big, struct tfs_cursor *c)
{
	uint32_t mark;

	tfs_cursor_init(c, o->data.data, o->data.size, big);
	if (tfs_cursor_u32(c, &mark))
		return -EBADMSG;
	if (mark == TFS_DAT_PRIVATE_MARK)
		return 0;
	c->big = !big;
	return tfs_load_u32(o->data.data, !big) == TFS_DAT_PRIVATE_MARK ? 0 : -EBADMSG;
}

int tfs_dat_private_take(const struct tfs_dat *dat, size_t bytes)
{
	const size_t room = TFS_DAT_PRIVATE_BYTES_MAX - (size_t)dat->option_bytes;

	if (bytes > room)
		return -E2BIG;
	if (atomic_fetch_add(dat->kept, bytes) <= room - bytes)
		return 0;
	tfs_dat_private_give(dat, bytes);
	return -E2BIG;
}

void tfs_dat_private_give(const struct tfs_dat *dat, size_t bytes)
{
	atomic_fetch_sub(dat->kept, bytes);
}
