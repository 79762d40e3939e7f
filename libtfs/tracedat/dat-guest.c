/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-guest.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "tracedat/dat-internal.h"

#define VCPU_SIZE 8

static void begin(const struct tfs_dat *dat, const struct tfs_dat_option *o, struct tfs_cursor *c)
{
	tfs_cursor_init(c, o->data.data, o->data.size,
			dat->info.big_endian != dat->swapped_options);
}

bool tfs_dat_trace_id(const struct tfs_dat *dat, uint64_t *id)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, TFS_DAT_TRACEID);
	struct tfs_cursor c;

	if (!o)
		return false;
	begin(dat, o, &c);
	return !tfs_cursor_u64(&c, id);
}

int tfs_dat_vcpu_pids(const struct tfs_dat *dat, uint64_t trace_id, int **pids, size_t *n)
{
	const struct tfs_dat_option *o;
	struct tfs_cursor c;
	const char *name;
	uint32_t count, cpu, pid;
	uint64_t id;

	*pids = NULL;
	*n = 0;
	for (size_t i = 0; i < tfs_dat_n_options(dat); i++) {
		o = tfs_dat_option(dat, i);
		if (o->id != TFS_DAT_GUEST)
			continue;
		begin(dat, o, &c);
		if (tfs_cursor_strz(&c, &name) || tfs_cursor_u64(&c, &id) || id != trace_id ||
		    tfs_cursor_u32(&c, &count) || count > tfs_cursor_left(&c) / VCPU_SIZE)
			continue;
		*pids = calloc(count ? count : 1, sizeof(**pids));
		if (!*pids)
			return -ENOMEM;
		while (*n < count && !tfs_cursor_u32(&c, &cpu) && !tfs_cursor_u32(&c, &pid))
			(*pids)[(*n)++] = (int)pid;
		return 0;
	}
	return 0;
}
