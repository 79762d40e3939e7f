/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline/run.h"

#include <errno.h>

#include "base/err.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "pipeline/batch.h"
#include "pipeline/merged-sources.h"
#include "pipeline/view.h"
#include "pipeline/worker-pool.h"
#include "tracedat/dat-read.h"
#include "tracedat/event-source.h"
#include "tracedat/merge.h"
#include "tracedat/record-run.h"

/* In order, progress is reported after so many events; of workers after each batch. */
#define PROGRESS_EVENTS 1024
/* In order, text is written when there is so much. */
#define TEXT_BYTES ((size_t)64 << 10)

/* The buffer that holds a latency tracer's text instead of records; the number of buffers: none. */
static size_t text_buffer(const struct tfs_dat *dat)
{
	size_t n = tfs_dat_n_buffers(dat), i;

	for (i = 0; i < n && !tfs_dat_buffer(dat, i)->text; i++)
		;
	return i;
}

/* @sb gets the text up to the first fault, which is noted as damage. */
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

static void report_progress(const struct tfs_merged_sources *sources,
			    const struct tfs_run_progress *progress)
{
	uint64_t done, total;

	if (!progress)
		return;
	tfs_merged_sources_progress(sources, &done, &total);
	progress->call(progress->context, done, total);
}

/* The caller decides whether a closed pipe (-EPIPE) is worth a message. */
static int written(int rc, struct tfs_err *err)
{
	return rc ? tfs_err_set(err, rc, "cannot write the report") : 0;
}

/* Write and empty @sb, unless printing into it failed with @rc. */
static int put(struct tfs_out *out, struct tfs_strbuf *sb, int rc, struct tfs_err *err)
{
	if (rc)
		return tfs_err_set(err, rc, "cannot format the report");
	rc = tfs_out_write(out, sb->s, sb->len);
	tfs_strbuf_reset(sb);
	return written(rc, err);
}

static int show_text(struct tfs_dat *dat, size_t buffer, struct tfs_view *view,
		     struct tfs_strbuf *made, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = read_text(dat, buffer, &sb, err), rc2 = 0;

	if (view->ops->text && sb.len)
		rc2 = view->ops->text(view, sb.s, sb.len, made, rc ? NULL : err);
	tfs_strbuf_release(&sb);
	return rc ? rc : rc2;
}

/* All events so far are shown: flush them, and wait for more. */
static int wait_for_more(const struct tfs_merged_sources *sources, struct tfs_out *out,
			 const struct tfs_run_opts *opts, struct tfs_err *err)
{
	int rc = written(tfs_out_flush(out), err);

	report_progress(sources, opts->progress);
	return rc ? rc : tfs_event_source_wait(opts->inputs->source, err);
}

/* Fills batches: see struct tfs_worker_pool_source */
struct supply {
	struct tfs_merged_sources *sources;
	struct tfs_out *out;
	const struct tfs_run_opts *opts;
};

/* The thread that waits for more is alone: all earlier events are printed. */
static int fill_batch(void *context, struct tfs_batch *batch, struct tfs_err *err)
{
	struct supply *s = context;
	int rc;

	do
		rc = tfs_merged_sources_batch(s->sources, batch, err);
	while (rc == -EAGAIN && !(rc = wait_for_more(s->sources, s->out, s->opts, err)));
	if (rc > 0)
		report_progress(s->sources, s->opts->progress);
	return rc;
}

static int show_in_workers(struct tfs_view *view, struct tfs_out *out,
			   const struct tfs_run_opts *opts, struct tfs_err *err)
{
	struct supply supply = { .out = out, .opts = opts };
	const struct tfs_worker_pool_source source = { fill_batch, &supply };
	int rc = tfs_merged_sources_new(opts, view->flags, &supply.sources, err);

	if (!rc)
		rc = tfs_worker_pool_run(&source, view, out, opts->inputs->source ? 1 : opts->jobs,
					 err);
	tfs_merged_sources_free(supply.sources);
	return rc;
}

/* A view that is shown events in order, one at a time or (@runs) runs of records */
struct in_order {
	struct tfs_view *view;
	struct tfs_merged_sources *sources;
	bool runs;
	struct tfs_event event;
	struct tfs_strbuf text;
};

/* Show what comes next. 1, and what the view returned in *@shown; 0 at the end, -errno */
static int show_next(struct in_order *s, int *shown, struct tfs_err *err)
{
	struct tfs_record_run run;
	int rc;

	if (!s->runs) {
		rc = tfs_merged_sources_next(s->sources, &s->event, err);
		if (rc > 0)
			*shown = tfs_view_show(s->view, NULL, &s->event, &s->text);
		return rc;
	}
	rc = tfs_merged_sources_run(s->sources, &run, &s->event, err);
	if (rc == TFS_MERGE_MISSING)
		*shown = tfs_view_show(s->view, NULL, &s->event, &s->text);
	else if (rc > 0)
		*shown = s->view->ops->run(s->view, &run, &s->text);
	return rc;
}

/* The caller frees @*kept after the view's end: events that it still holds name their tasks. */
static int show_in_order(struct tfs_view *view, struct tfs_out *out,
			 const struct tfs_run_opts *opts, struct tfs_merged_sources **kept,
			 struct tfs_err *err)
{
	struct in_order s = { .view = view, .text = TFS_STRBUF_INIT };
	unsigned int n = 0;
	int rc, rc2 = 0;

	rc = tfs_merged_sources_new(opts, view->flags, &s.sources, err);
	*kept = s.sources;
	if (!rc)
		s.runs = view->flags & TFS_VIEW_RUNS && tfs_merged_sources_has_runs(s.sources);
	while (!rc) {
		rc = show_next(&s, &rc2, err);
		if (rc == -EAGAIN && opts->inputs->source) {
			rc = put(out, &s.text, 0, err);
			rc = rc ? rc : wait_for_more(s.sources, out, opts, err);
			continue;
		}
		if (rc <= 0)
			break;
		rc = rc2;
		if (rc || s.text.len >= TEXT_BYTES)
			rc = put(out, &s.text, rc, err);
		if (++n % PROGRESS_EVENTS == 0)
			report_progress(s.sources, opts->progress);
	}
	/* Text printed before a failure is still written. */
	rc2 = put(out, &s.text, 0, rc ? NULL : err);
	tfs_strbuf_release(&s.text);
	return rc ? rc : rc2;
}

/* Write the output of one of the view's functions; if it failed with @rc, it has set @err. */
static int put_made(struct tfs_out *out, struct tfs_strbuf *sb, int rc, struct tfs_err *err)
{
	return rc && rc != -ENOMEM ? rc : put(out, sb, rc, err);
}

/* Where end() writes to */
struct target {
	struct tfs_out *out;
	struct tfs_err *err;
};

static int write_part(void *ctx, struct tfs_strbuf *sb)
{
	struct target *to = ctx;

	return put(to->out, sb, 0, to->err);
}

int tfs_run(struct tfs_view *view, struct tfs_out *out, const struct tfs_run_opts *opts,
	    struct tfs_err *err)
{
	const struct tfs_view_ops *ops = view->ops;
	struct tfs_trace *trace = opts->inputs->trace;
	struct tfs_dat *dat = tfs_trace_dat(trace);
	struct tfs_merged_sources *kept = NULL;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct target target = { out, err };
	const struct tfs_view_writer writer = { write_part, &target };
	size_t text = text_buffer(dat);
	int rc = 0;

	if (ops->init)
		rc = put_made(out, &sb, ops->init(view, &sb, err), err);
	if (!rc && text < tfs_dat_n_buffers(dat))
		rc = put_made(out, &sb, show_text(dat, text, view, &sb, err), err);
	else if (!rc && ops->event)
		rc = view->flags & TFS_VIEW_WORKERS ? show_in_workers(view, out, opts, err) :
						      show_in_order(view, out, opts, &kept, err);
	if (!rc && ops->end)
		rc = put_made(out, &sb, tfs_view_end(view, &writer, &sb, err), err);
	tfs_merged_sources_free(kept);
	if (rc)
		tfs_out_flush(out);
	else
		rc = written(tfs_out_flush(out), err);
	if (!rc)
		rc = tfs_trace_check_memory(trace, err);
	tfs_strbuf_release(&sb);
	return rc;
}
