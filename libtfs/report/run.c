/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/run.h"

#include <errno.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "data/dat-read.h"
#include "data/merge.h"
#include "report/select.h"
#include "report/sink.h"
#include "report/trace.h"

static int run_text(struct tfs_dat *dat, size_t buffer, struct tfs_sink *sink, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_err fault = TFS_ERR_INIT;
	int rc = tfs_dat_text(dat, buffer, &sb, &fault), rc2;

	/* What was read before a fault is shown all the same. */
	rc2 = sink->text && sb.len ? sink->text(sink, sb.s, sb.len, err) : 0;
	if (!rc2 && rc == -EBADMSG)
		tfs_dat_note_damage(dat, &fault);
	else if (!rc2 && rc) {
		if (err)
			*err = fault;
		rc2 = rc;
	}
	tfs_strbuf_release(&sb);
	return rc2;
}

static int run_records(struct tfs_trace *trace, struct tfs_sink *sink,
		       const struct tfs_run_opts *opts, struct tfs_err *err)
{
	struct tfs_merge *merge = NULL;
	struct tfs_record rec;
	int rc;

	rc = tfs_merge_new(tfs_trace_dat(trace), opts->merge, &merge, err);
	while (!rc) {
		rc = tfs_merge_next(merge, &rec, err);
		if (rc <= 0)
			break;
		rec.ts += (uint64_t)opts->ts_offset;
		rc = rec.lost && (!opts->select || tfs_select_cpu(opts->select, rec.cpu)) ?
			     sink->lost(sink, &rec, err) :
			     0;
		if (!rc && (!opts->select || tfs_select_match(opts->select, &rec)))
			rc = sink->record(sink, &rec, merge, err);
	}
	tfs_merge_free(merge);
	return rc;
}

int tfs_run(struct tfs_trace *trace, struct tfs_sink *sink, const struct tfs_run_opts *opts,
	    struct tfs_err *err)
{
	struct tfs_dat *dat = tfs_trace_dat(trace);
	size_t n = tfs_dat_n_buffers(dat), i;
	int rc, rc2;

	rc = sink->begin(sink, err);
	for (i = 0; i < n && !tfs_dat_buffer(dat, i)->text; i++)
		;
	if (!rc && i < n)
		rc = run_text(dat, i, sink, err);
	else if (!rc && sink->record)
		rc = run_records(trace, sink, opts, err);
	rc2 = sink->end(sink, rc ? NULL : err);
	return rc ? rc : rc2;
}
