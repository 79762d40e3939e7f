/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-keep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/time.h"
#include "record/session.h"
#include "record/threads.h"
#include "trace-live.h"
#include "trace-plan.h"
#include "trace-session.h"
#include "trace-values.h"

/* The file of a killed program lacks at most so much. */
#define FLUSH_NS ((uint64_t)NS_PER_SEC)

struct trace_keep {
	struct trace_live *live;
	struct tfs_session *session;
	uint64_t flushed_ns;
};

/* The meaning of probes' numbers is an option of the file. */
static int new_session(struct trace_live *live, const char *program,
		       const struct tfs_session_opts *opts, struct tfs_session **out,
		       struct tfs_err *err)
{
	struct trace_values values = { .payload = TFS_STRBUF_INIT };
	struct tfs_session_opts so = *opts;
	int rc = trace_values_find(so.root, &trace_live_found(live)->defs, so.events, &values, err);

	so.options = &values.option;
	so.n_options = values.payload.len ? 1 : 0;
	if (!rc)
		rc = trace_session_new(&so, program, trace_live_journal(live), out, err);
	tfs_strbuf_release(&values.payload);
	return rc;
}

int trace_keep_new(struct trace_live *live, const struct tfs_instance *inst, const char *program,
		   const char *output, struct trace_keep **out, struct tfs_err *err)
{
	const struct tfs_session_buffer buffer = { .inst = inst, .name = "" };
	const struct tfs_session_opts so = {
		.root = trace_live_root(live),
		.buffers = &buffer,
		.n_buffers = 1,
		.output = output,
		.codec = tfs_codec_default(),
		.events = trace_live_events(live),
		.symbols = TFS_SYMBOLS_USED,
		.fed = true,
	};
	struct trace_keep *k = calloc(1, sizeof(*k));
	int rc;

	if (!k)
		return tfs_err_set(err, -ENOMEM, "cannot record");
	k->live = live;
	k->flushed_ns = trace_live_now_ns();
	rc = new_session(live, program, &so, &k->session, err);
	if (!rc)
		rc = tfs_session_start(k->session, err);
	if (rc) {
		tfs_session_discard(k->session);
		free(k);
		return rc;
	}
	*out = k;
	return 0;
}

int trace_keep_page(struct trace_keep *k, unsigned int cpu, const void *page, struct tfs_err *err)
{
	return tfs_session_add(k->session, cpu, page, err);
}

int trace_keep_tick(struct trace_keep *k, struct tfs_err *err)
{
	const uint64_t now = trace_live_now_ns();

	if (now < k->flushed_ns + FLUSH_NS)
		return 0;
	k->flushed_ns = now;
	return tfs_session_flush(k->session, err);
}

struct tfs_session *trace_keep_session(const struct trace_keep *k)
{
	return k->session;
}

int trace_keep_end(struct trace_keep *k, struct tfs_strbuf *said, struct tfs_err *err)
{
	struct tfs_session_totals totals;
	struct tfs_err own = TFS_ERR_INIT;
	struct tfs_strvec threads = TFS_STRVEC_INIT;
	int rc, finished;

	tfs_session_signs(k->session, trace_live_signs(k->live));
	rc = tfs_session_stop(k->session, &own);

	/* Those that trace_live_start() has left out; without memory nobody knows. */
	if (!tfs_threads_add("self", &threads))
		trace_session_own(k->session, &threads);
	tfs_strvec_release(&threads);
	finished = tfs_session_finish(k->session, &totals, rc ? NULL : &own);

	if (!finished &&
	    tfs_strbuf_addf(said, "%" PRIu64 " events in %s", totals.events, totals.path) &&
	    !own.code)
		finished = tfs_err_set(&own, -ENOMEM, "cannot say what was recorded");
	tfs_session_free(k->session);
	free(k);
	if (own.code)
		*err = own;
	return rc ? rc : finished;
}
