/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-recorder.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/strbuf-core.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"

int tfs_dat_recorder_put(struct tfs_strbuf *payload, const uint32_t *tids, size_t n)
{
	int rc = tfs_dat_private_begin(payload);

	return rc || !n ? rc : tfs_strbuf_add(payload, tids, n * sizeof(*tids));
}

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int tfs_dat_recorder_get(const struct tfs_dat *dat, struct tfs_dat_recorder **out)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, TFS_DAT_PRIVATE_RECORDER);
	struct tfs_dat_recorder *r;
	struct tfs_cursor c;
	uint32_t tid;

	*out = NULL;
	if (!o || tfs_dat_private_cursor(o, tfs_dat_info(dat)->big_endian, &c))
		return 0;
	r = malloc(sizeof(*r) + tfs_cursor_left(&c));
	if (!r)
		return -ENOMEM;
	/* The idle tasks are nobody's. */
	for (r->n = 0; !tfs_cursor_u32(&c, &tid);)
		if (tid)
			r->tids[r->n++] = tid;
	qsort(r->tids, r->n, sizeof(*r->tids), compare);
	*out = r;
	return 0;
}

bool tfs_dat_recorder_has(const struct tfs_dat_recorder *r, uint32_t one, uint32_t other)
{
	return r && bsearch(&one, r->tids, r->n, sizeof(one), compare) &&
	       bsearch(&other, r->tids, r->n, sizeof(other), compare);
}
