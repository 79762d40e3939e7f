/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline/timestamp-check.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "decode/trace.h"
#include "tracedat/dat-read.h"
#include "tracedat/page.h"

struct tfs_backwards {
	struct tfs_backwards_told told;
	size_t cpus;    /* of each buffer */
	uint64_t *last; /* by buffer, then CPU */
};

int tfs_backwards_new(struct tfs_trace *trace, const struct tfs_backwards_told *told,
		      struct tfs_backwards **out)
{
	const struct tfs_dat *dat = tfs_trace_dat(trace);
	struct tfs_backwards *b = calloc(1, sizeof(*b));

	*out = NULL;
	if (!b)
		return -ENOMEM;
	b->told = *told;
	/* No buffer has a CPU beyond these. */
	b->cpus = tfs_dat_info(dat)->cpus;
	b->last = calloc(tfs_dat_n_buffers(dat) * b->cpus + 1, sizeof(*b->last));
	if (!b->last) {
		free(b);
		return -ENOMEM;
	}
	*out = b;
	return 0;
}

void tfs_backwards_free(struct tfs_backwards *b)
{
	if (!b)
		return;
	free(b->last);
	free(b);
}

void tfs_backwards_look(struct tfs_backwards *b, const struct tfs_record *rec)
{
	uint64_t *last;

	if (rec->cpu >= b->cpus)
		return;
	last = &b->last[rec->buffer * b->cpus + rec->cpu];
	/* --align-ts and --ts-offset make stamps negative. */
	if (*last && (int64_t)(rec->ts - *last) < 0)
		b->told.call(b->told.context, rec, *last);
	*last = rec->ts;
}
