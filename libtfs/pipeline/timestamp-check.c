/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline/timestamp-check.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "decode/trace.h"
#include "tracedat/dat-read.h"
#include "tracedat/page.h"

struct tfs_timestamp_check {
	struct tfs_timestamp_report report;
	size_t cpus;    /* of each buffer */
	uint64_t *last; /* by buffer, then CPU */
};

int tfs_timestamp_check_new(struct tfs_trace *trace, const struct tfs_timestamp_report *report,
			    struct tfs_timestamp_check **out)
{
	const struct tfs_dat *dat = tfs_trace_dat(trace);
	struct tfs_timestamp_check *check = calloc(1, sizeof(*check));

	*out = NULL;
	if (!check)
		return -ENOMEM;
	check->report = *report;
	/* No buffer has a CPU beyond these. */
	check->cpus = tfs_dat_info(dat)->cpus;
	check->last = calloc(tfs_dat_n_buffers(dat) * check->cpus + 1, sizeof(*check->last));
	if (!check->last) {
		free(check);
		return -ENOMEM;
	}
	*out = check;
	return 0;
}

void tfs_timestamp_check_free(struct tfs_timestamp_check *check)
{
	if (!check)
		return;
	free(check->last);
	free(check);
}

void tfs_timestamp_check_record(struct tfs_timestamp_check *check, const struct tfs_record *rec)
{
	uint64_t *last;

	if (rec->cpu >= check->cpus)
		return;
	last = &check->last[rec->buffer * check->cpus + rec->cpu];
	/* --align-ts and --ts-offset make stamps negative. */
	if (*last && (int64_t)(rec->ts - *last) < 0)
		check->report.call(check->report.context, rec, *last);
	*last = rec->ts;
}
