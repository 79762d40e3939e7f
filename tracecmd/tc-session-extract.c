/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-session-extract.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "cli/signals.h"
#include "cli/xalloc.h"
#include "record/meta.h"
#include "record/session.h"
#include "tc-session-instances.h"
#include "tc-session.h"
#include "trace-date.h"
#include "trace-opts.h"
#include "trace-session.h"
#include "trace-values.h"
#include "tracedat/compress.h"
#include "tracefs/event.h"
#include "tracefs/file.h"
#include "tracefs/journal.h"
#include "tracefs/plan.h"
#include "tracefs/tracing-on.h"

/*
 * struct extract_request - what becomes a file
 * @selection: the first member, see session_instance_options
 */
struct extract_request {
	struct session_selection selection;
	struct session_extract what;
	const char *compression;
	bool quiet;
};

static int on_mode(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct extract_request *req = request;

	(void)opt;
	return trace_mode(arg, &req->what.mode, err);
}

#define AT(member) .offset = offsetof(struct extract_request, member)

static const struct tc_option options[] = {
	{ 'o', "output", "FILE", "file to write (trace.dat)", TC_OPT_STRING, AT(what.output),
	  .complete = "file" },
	{ 's', "snapshot", NULL, "write the snapshot instead of the ring buffer", TC_OPT_FLAG,
	  AT(what.snapshot) },
	{ 0, "mode", "MODE", "permissions of FILE, in octal (0600)", TC_OPT_CALL, TC_OPT_ONCE,
	  .call = on_mode, .complete = "none" },
	{ 0, "compression", "NAME[:LEVEL]", "zstd, zlib or none", TC_OPT_STRING, AT(compression),
	  .complete = "compression" },
	{ 0, "date", NULL, "make reports show the time of day", TC_OPT_FLAG, AT(what.date) },
	{ .type = TC_OPT_TABLE, .table = session_instance_options },
	{ .type = TC_OPT_GROUP, .help = "Other options" },
	{ 'q', "quiet", NULL, "print errors only", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END,
};

static void init(void *request)
{
	struct extract_request *req = request;

	req->what.output = "trace.dat";
}

static int check(struct extract_request *req, struct tfs_err *err)
{
	if (!*req->what.output)
		return tfs_err_say(err, -EINVAL, "option -o: the file name is empty");
	return trace_compression(req->compression, &req->what.codec, &req->what.level, err);
}

/* Buffers as the file is to have them: the one without a name comes first. */
static struct tfs_session_buffer *make_buffers(const struct session_extract *what,
					       const struct session_instances *instances)
{
	struct tfs_session_buffer *b = xcalloc(instances->n, sizeof(*b));
	size_t n = 0;

	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < instances->n; i++) {
			const struct tfs_instance *inst = &instances->v[i].inst;

			if (!inst->name[0] == !pass)
				b[n++] = (struct tfs_session_buffer){
					.inst = inst,
					/* alone, it is shown as a recording is */
					.name = instances->n == 1 ? "" : inst->name,
					.snapshot = what->snapshot,
				};
		}
	}
	return b;
}

/*
 * Pauses tracing while the ring buffers are read, which would otherwise never end, and resumes it
 * where it was on. If this process is killed meanwhile, the next program of tracecraft resumes it.
 */
static int plan_pause(const struct session_instances *instances, struct tfs_plan *plan,
		      struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < instances->n && !rc; i++)
		rc = tfs_tracing_pause_plan(instances->root, &instances->v[i].inst, plan, err);
	return rc && !err->code ? tfs_err_set(err, rc, "cannot plan the extraction") : rc;
}

static void show_totals(const struct extract_request *req, const struct session_extracted *t)
{
	if (req->quiet)
		return;
	/* the kernel keeps no counters of a snapshot */
	if (req->what.snapshot)
		tc_msg_line(SESSION_PROGRAM ": the snapshot is in '%s'", req->what.output);
	else
		tc_msg_line(SESSION_PROGRAM ": %" PRIu64 " events are in '%s'%s", t->events,
			    req->what.output,
			    t->events ? "" : "; the ring buffer was empty, or was read before");
	if (t->lost)
		tc_msg_line(SESSION_PROGRAM ": %" PRIu64 " events before them were lost: the ring "
					    "buffer was full (start -b makes it larger)",
			    t->lost);
	if (t->taken)
		tc_msg_line(SESSION_PROGRAM ": another program read %" PRIu64
					    " events of it meanwhile: they are not in '%s'",
			    t->taken, req->what.output);
}

/* --date, by the clock of the first buffer */
static int compare_clocks(const struct session_instances *instances, struct tfs_journal *journal,
			  struct trace_date *date, struct tfs_err *err)
{
	struct tfs_strbuf clock = TFS_STRBUF_INIT;
	int rc = tfs_meta_clock(instances->root, &instances->v[0].inst, &clock, err);

	if (!rc)
		rc = trace_date(instances->root, clock.s, journal, date, err);
	tfs_strbuf_release(&clock);
	return rc;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * struct extraction - one run
 * @plan: pauses tracing
 * @began: when it did; 0: not yet
 */
struct extraction {
	const struct session_extract *what;
	const struct session_instances *instances;
	struct tfs_journal *journal;
	struct tfs_plan *plan;
	struct session_extracted *out;
	uint64_t began;
};

static int pause_tracing(struct extraction *e, struct tfs_err *err)
{
	if (e->began)
		return 0;
	e->began = now_ns();
	return tfs_plan_apply(e->plan, err);
}

static void resume_tracing(struct extraction *e, struct tfs_err *undo)
{
	if (!e->began)
		return;
	tfs_plan_rollback(e->plan, undo);
	e->out->pause_ns = e->what->running ? 0 : now_ns() - e->began;
	e->began = 0;
}

/*
 * Reads the ring buffers; tracing is paused only meanwhile. @read: set if anything was, even if not
 * all; @undo: failure to resume tracing
 */
static int read_buffers(struct extraction *e, struct tfs_session *s, bool *read,
			struct tfs_err *undo, struct tfs_err *err)
{
	int rc = pause_tracing(e, err);

	if (!rc)
		rc = tfs_session_start(s, err);
	*read = !rc;
	if (!rc)
		rc = tfs_session_stop(s, err);
	resume_tracing(e, undo);
	return rc;
}

static int write_session(struct extraction *e, struct tfs_session *s, struct tfs_err *err)
{
	struct tfs_session_totals totals = { 0 };
	struct tfs_err undo = TFS_ERR_INIT;
	bool read = false;
	int rc = read_buffers(e, s, &read, &undo, err), late = rc;

	/* The events that were read are no longer in the ring buffer. */
	if (read)
		late = tfs_session_finish(s, &totals, rc ? NULL : err);
	e->out->events = totals.events;
	e->out->lost = totals.lost;
	e->out->taken = totals.taken;
	e->out->bytes = late ? 0 : totals.output_bytes;
	if (late)
		tfs_session_discard(s);
	else
		tfs_session_free(s);
	rc = rc ? rc : late;
	if (!undo.code)
		return rc;
	if (rc)
		tc_msg_error(SESSION_PROGRAM, &undo);
	else
		*err = undo;
	return rc ? rc : undo.code;
}

static int write_file(struct extraction *e, const struct trace_date *date, struct tfs_err *err)
{
	const struct session_extract *what = e->what;
	struct tfs_strvec events = TFS_STRVEC_INIT;
	struct tfs_session_opts so = {
		.root = e->instances->root,
		.n_buffers = e->instances->n,
		.output = what->output,
		.mode = what->mode,
		.codec = what->codec,
		.level = what->level,
		.cap_bytes = what->cap_bytes,
		.events = &events,
	};
	struct tfs_session_buffer *buffers = make_buffers(what, e->instances);
	struct trace_values values = { .payload = TFS_STRBUF_INIT };
	struct tfs_session_option own[2];
	struct tfs_session *s = NULL;
	int rc;

	so.buffers = buffers;
	so.options = own;
	/* Any event may have been enabled while the ring buffer was filled. */
	rc = tfs_event_systems(so.root, &events, err);
	if (!rc)
		rc = trace_values_find(so.root, NULL, &events, &values, err);
	if (!rc && what->date)
		own[so.n_options++] = date->option;
	if (!rc && values.payload.len)
		own[so.n_options++] = values.option;
	if (!rc)
		rc = trace_session_new(&so, SESSION_PROGRAM, e->journal, &s, err);
	if (!rc)
		rc = write_session(e, s, err);
	free(buffers);
	tfs_strbuf_release(&values.payload);
	tfs_strvec_release(&events);
	return rc;
}

int session_extract_file(const struct session_extract *what,
			 const struct session_instances *instances, struct session_extracted *out,
			 struct tfs_err *err)
{
	struct extraction e = { .what = what, .instances = instances, .out = out };
	struct tfs_err undo = TFS_ERR_INIT;
	struct trace_date date;
	sigset_t before;
	int rc;

	memset(out, 0, sizeof(*out));
	rc = tfs_plan_new(instances->root, &e.plan);
	if (rc)
		return tfs_err_set(err, rc, "cannot plan the extraction");
	rc = what->running ? 0 : plan_pause(instances, e.plan, err);
	if (rc)
		goto out;
	/* not having a journal is not reported: little is changed, for a short time */
	if (!tfs_journal_open(TFS_JOURNAL_DIR, SESSION_PROGRAM, instances->root, &e.journal, NULL))
		tfs_plan_set_journal(e.plan, e.journal);
	tc_signals_block(&before);
	if (what->date)
		rc = compare_clocks(instances, e.journal, &date, err);
	if (!rc && what->at_once)
		rc = pause_tracing(&e, err);
	if (!rc)
		rc = write_file(&e, &date, err);
	/* if the file could not be made */
	resume_tracing(&e, &undo);
	if (undo.code)
		tc_msg_error(SESSION_PROGRAM, &undo);
	tfs_journal_done(e.journal);
	tc_signals_unblock(&before);
out:
	tfs_plan_free(e.plan);
	return rc;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct extract_request *req = request;
	struct session_instances instances = { 0 };
	struct session_extracted got = { 0 };
	struct tfs_plan *claims = NULL;
	int status;

	if (check(req, err))
		return TC_EXIT_USAGE;
	status = session_open(&req->selection, 0, argc, argv, &instances, err);
	if (status == TC_EXIT_OK && !req->what.snapshot && session_claim(&instances, &claims, err))
		status = TC_EXIT_FAILED;
	if (status == TC_EXIT_OK && session_extract_file(&req->what, &instances, &got, err))
		status = TC_EXIT_FAILED;
	if (status == TC_EXIT_OK)
		show_totals(req, &got);
	tfs_plan_free(claims);
	session_close(&instances);
	return status;
}

const struct tc_command session_extract = {
	.name = SESSION_PROGRAM,
	.verb = "extract",
	.summary = "move the content of the ring buffer into a trace file",
	.options = options,
	.request_size = sizeof(struct extract_request),
	.init = init,
	.run = run,
	.release = session_selection_release,
};
