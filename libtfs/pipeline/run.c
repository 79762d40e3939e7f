/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline/run.h"

#include <errno.h>
#include <time.h>

#include "base/err.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "pipeline/batch.h"
#include "pipeline/merged-sources.h"
#include "pipeline/printer.h"
#include "pipeline/sink.h"
#include "pipeline/worker-pool.h"
#include "tracedat/dat-read.h"
#include "tracedat/follow.h"

/* After so many events a sink's run tells its progress; a printer's does after each batch. */
#define SINK_EVENTS 1024
/* How often it is looked whether a recording that is being made has grown. */
#define LOOK_AGAIN_NS 50000000

/* The buffer that holds a latency tracer's text instead of records; the number of buffers: none. */
static size_t text_buffer(const struct tfs_dat *dat)
{
	size_t n = tfs_dat_n_buffers(dat), i;

	for (i = 0; i < n && !tfs_dat_buffer(dat, i)->text; i++)
		;
	return i;
}

/* What could be read before a fault is in @sb all the same; the fault is noted as damage. */
static int read_text(struct tfs_dat *dat, size_t buffer, struct tfs_strbuf *sb, struct tfs_err *err)
{
	struct tfs_err fault = TFS_ERR_INIT;
	int rc = tfs_dat_text(dat, buffer, sb, &fault);

	if (rc == -EBADMSG) {
		tfs_dat_note_damage(dat, &fault);
		return 0;
	}
	if (rc && err)
		*err = fault;
	return rc;
}

static int sink_text(struct tfs_dat *dat, size_t buffer, struct tfs_sink *sink, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = read_text(dat, buffer, &sb, err), rc2;

	rc2 = sink->text && sb.len ? sink->text(sink, sb.s, sb.len, rc ? NULL : err) : 0;
	tfs_strbuf_release(&sb);
	return rc ? rc : rc2;
}

static void report_progress(const struct tfs_merged_sources *sources,
			    const struct tfs_run_progress *progress)
{
	uint64_t done, total;

	if (!progress)
		return;
	tfs_merged_sources_progress(sources, &done, &total);
	progress->call(progress->context, done, total);
}

static int sink_events(struct tfs_trace *trace, struct tfs_sink *sink,
		       const struct tfs_run_opts *opts, struct tfs_err *err)
{
	struct tfs_run_opts run = *opts;
	struct tfs_merged_sources *sources = NULL;
	struct tfs_event event;
	unsigned int n = 0;
	int rc;

	run.unselected = sink->all;
	run.leaves = sink->leaves;
	rc = tfs_merged_sources_new(trace, &run, false, &sources, err);
	while (!rc) {
		rc = tfs_merged_sources_next(sources, &event, err);
		if (rc <= 0)
			break;
		rc = sink->event(sink, &event, err);
		if (++n % SINK_EVENTS == 0)
			report_progress(sources, opts->progress);
	}
	tfs_merged_sources_free(sources);
	return rc;
}

int tfs_run_sink(struct tfs_trace *trace, struct tfs_sink *sink, const struct tfs_run_opts *opts,
		 struct tfs_err *err)
{
	struct tfs_dat *dat = tfs_trace_dat(trace);
	size_t text = text_buffer(dat);
	int rc, rc2;

	rc = sink->begin(sink, err);
	if (!rc && text < tfs_dat_n_buffers(dat))
		rc = sink_text(dat, text, sink, err);
	else if (!rc && sink->event)
		rc = sink_events(trace, sink, opts, err);
	rc2 = sink->end(sink, rc ? NULL : err);
	if (!rc && !rc2)
		rc = tfs_trace_check_memory(trace, err);
	return rc ? rc : rc2;
}

/* A reader that went away (-EPIPE) is no failure to talk about; the caller decides. */
static int written(int rc, struct tfs_err *err)
{
	return rc ? tfs_err_set(err, rc, "cannot write the report") : 0;
}

/* Hand on what is in @sb; @rc: of making it */
static int put(struct tfs_out *out, struct tfs_strbuf *sb, int rc, struct tfs_err *err)
{
	if (rc)
		return tfs_err_set(err, rc, "cannot format the report");
	rc = tfs_out_write(out, sb->s, sb->len);
	tfs_strbuf_reset(sb);
	return written(rc, err);
}

static int print_text(struct tfs_dat *dat, size_t buffer, const struct tfs_printer *p,
		      struct tfs_out *out, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT, made = TFS_STRBUF_INIT;
	int rc = read_text(dat, buffer, &sb, err), rc2 = 0;

	if (p->text && sb.len) {
		rc2 = p->text(p, sb.s, sb.len, &made);
		rc2 = put(out, &made, rc2, rc ? NULL : err);
	}
	tfs_strbuf_release(&made);
	tfs_strbuf_release(&sb);
	return rc ? rc : rc2;
}

/* Everything there is was shown: let it be seen, and see what comes. */
static int wait_for_more(struct tfs_follow *follow, struct tfs_out *out, struct tfs_err *err)
{
	const struct timespec pause = { .tv_nsec = LOOK_AGAIN_NS };
	int rc = written(tfs_out_flush(out), err);

	if (rc)
		return rc;
	nanosleep(&pause, NULL);
	return tfs_follow_update(follow, err);
}

/* What fills batches: see struct tfs_worker_pool_source */
struct supply {
	struct tfs_merged_sources *sources;
	struct tfs_out *out;
	const struct tfs_run_opts *opts;
};

/* Who waits for more is alone: everything before was printed. */
static int fill_batch(void *context, struct tfs_batch *batch, struct tfs_err *err)
{
	struct supply *s = context;
	int rc;

	do
		rc = tfs_merged_sources_batch(s->sources, batch, err);
	while (rc == -EAGAIN && !(rc = wait_for_more(s->opts->follow, s->out, err)));
	if (rc > 0)
		report_progress(s->sources, s->opts->progress);
	return rc;
}

static int print_events(struct tfs_trace *trace, const struct tfs_printer *p, struct tfs_out *out,
			const struct tfs_run_opts *opts, struct tfs_err *err)
{
	struct supply supply = { .out = out, .opts = opts };
	const struct tfs_worker_pool_source source = { fill_batch, &supply };
	int rc = tfs_merged_sources_new(trace, opts, p->event_texts, &supply.sources, err);

	if (!rc)
		rc = tfs_worker_pool_run(&source, p, out, opts->follow ? 1 : opts->jobs, err);
	tfs_merged_sources_free(supply.sources);
	return rc;
}

int tfs_run_printer(struct tfs_trace *trace, const struct tfs_printer *p, struct tfs_out *out,
		    const struct tfs_run_opts *opts, struct tfs_err *err)
{
	struct tfs_dat *dat = tfs_trace_dat(trace);
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	size_t text = text_buffer(dat);
	int rc = 0;

	if (p->head)
		rc = put(out, &sb, p->head(p, &sb), err);
	if (!rc && text < tfs_dat_n_buffers(dat))
		rc = print_text(dat, text, p, out, err);
	else if (!rc)
		rc = print_events(trace, p, out, opts, err);
	if (!rc && p->tail)
		rc = put(out, &sb, p->tail(p, &sb), err);
	if (rc)
		tfs_out_flush(out);
	else
		rc = written(tfs_out_flush(out), err);
	if (!rc)
		rc = tfs_trace_check_memory(trace, err);
	tfs_strbuf_release(&sb);
	return rc;
}
