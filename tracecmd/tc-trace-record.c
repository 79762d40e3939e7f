/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "base/time.h"
#include "cli/msg.h"
#include "record/session.h"
#include "tc-trace-opts.h"
#include "tc-trace-proc.h"
#include "trace-live.h"
#include "trace-plan.h"
#include "trace-session.h"
#include "trace-values.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-records.h"

#define PROGRAM "tc-trace"
/* The file of a killed program lacks at most so much. */
#define FLUSH_NS ((uint64_t)NS_PER_SEC)

struct strace_record {
	struct tfs_session *session;
	bool quiet;
	uint64_t flushed_ns;
};

/* The meaning of probes' numbers is an option of the file. */
static int new_session(struct trace_live *live, const struct tfs_session_opts *opts,
		       struct tfs_session **out, struct tfs_err *err)
{
	struct trace_values values = { .payload = TFS_STRBUF_INIT };
	struct tfs_session_opts so = *opts;
	int rc = trace_values_find(so.root, &trace_live_found(live)->defs, so.events, &values, err);

	so.options = &values.option;
	so.n_options = values.payload.len ? 1 : 0;
	if (!rc)
		rc = trace_session_new(&so, PROGRAM, trace_live_journal(live), out, err);
	tfs_strbuf_release(&values.payload);
	return rc;
}

int strace_record_new(const struct trace_strace *req, struct trace_live *live,
		      struct strace_record **out, struct tfs_err *err)
{
	const struct tfs_session_buffer buffer = {
		.inst = &req->trace.buffers[0].inst,
		.name = "",
	};
	const struct tfs_session_opts so = {
		.root = trace_live_root(live),
		.buffers = &buffer,
		.n_buffers = 1,
		.output = req->record,
		.codec = tfs_codec_default(),
		.events = trace_live_events(live),
		.symbols = TFS_SYMBOLS_USED,
		.fed = true,
	};
	struct strace_record *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return tfs_err_set(err, -ENOMEM, "cannot record");
	r->quiet = req->quiets;
	r->flushed_ns = trace_live_now_ns();
	rc = new_session(live, &so, &r->session, err);
	if (!rc)
		rc = tfs_session_start(r->session, err);
	if (rc) {
		tfs_session_discard(r->session);
		free(r);
		return rc;
	}
	*out = r;
	return 0;
}

int strace_record_page(struct strace_record *r, unsigned int cpu, const void *page,
		       struct tfs_err *err)
{
	return tfs_session_add(r->session, cpu, page, err);
}

int strace_record_tick(struct strace_record *r, struct tfs_err *err)
{
	const uint64_t now = trace_live_now_ns();

	if (now < r->flushed_ns + FLUSH_NS)
		return 0;
	r->flushed_ns = now;
	return tfs_session_flush(r->session, err);
}

const struct tfs_dat_clock *strace_record_clock(const struct strace_record *r)
{
	return tfs_session_started(r->session);
}

/* Rather the events without it than neither */
static void add_proc(struct strace_record *r, const struct strace_proc *proc)
{
	const struct tfs_strbuf *kept = proc ? strace_proc_kept(proc) : NULL;
	struct tfs_strbuf packed = TFS_STRBUF_INIT;

	if (kept && !tfs_strbuf_add(&packed, kept->s, kept->len) &&
	    !tfs_dat_records_pack(&packed)) {
		const struct tfs_session_option option = {
			.id = TFS_DAT_PRIVATE_CALLS,
			.data = packed.s,
			.size = packed.len,
		};

		tfs_session_option(r->session, &option);
	}
	tfs_strbuf_release(&packed);
}

int strace_record_end(struct strace_record *r, const struct strace_proc *proc, int rc,
		      struct tfs_err *err)
{
	struct tfs_session_totals totals;
	struct tfs_err own = TFS_ERR_INIT;
	int stopped = tfs_session_stop(r->session, &own), finished;

	add_proc(r, proc);
	finished = tfs_session_finish(r->session, &totals, stopped ? NULL : &own);
	if (!finished && !r->quiet)
		tc_msg_notice(PROGRAM, "%" PRIu64 " events in %s", totals.events, totals.path);
	tfs_session_free(r->session);
	free(r);
	if (!rc && own.code)
		*err = own;
	return rc ? rc : own.code;
}
