/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-private.h"

#include <errno.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/strbuf-core.h"
#include "tracedat/dat-read.h"

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
