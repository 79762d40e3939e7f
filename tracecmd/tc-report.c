/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "cli/live.h"
#include "cli/msg.h"
#include "cli/pager.h"
#include "cli/signals.h"
#include "main.h"
#include "decode/trace.h"
#include "filter/filter.h"
#include "filter/select.h"
#include "tc-report-hint.h"
#include "tc-report-notices.h"
#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "tc-report-target.h"
#include "tc-report-views.h"
#include "tracedat/dat-read.h"

/* A line on the terminal for who waits, from the first second on, four times a second. */
#define PROGRESS_FIRST_NS 1000000000
#define PROGRESS_NEXT_NS 250000000

struct progress {
	int64_t next; /* when the line is due */
	bool shown;
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void on_progress(void *context, uint64_t done, uint64_t total)
{
	struct progress *p = context;
	int64_t now = now_ns();

	if (!total || now < p->next)
		return;
	tc_live_line("%" PRIu64 "%% of %" PRIu64 " MiB read", done * 100 / total, total >> 20);
	p->next = now + PROGRESS_NEXT_NS;
	p->shown = true;
}

/* Not where the text itself scrolls by; a pager has the terminal for itself. */
static bool wants_progress(const struct report_request *req)
{
	return !req->quiet && tc_live_can() && !isatty(STDOUT_FILENO);
}

static int show_with_progress(const struct report_request *req, struct report_sources *s,
			      struct tfs_out *out, struct tfs_err *err)
{
	struct progress p = { .next = now_ns() + PROGRESS_FIRST_NS };
	const struct tfs_run_progress progress = { on_progress, &p };
	int rc;

	if (wants_progress(req))
		s->run.progress = &progress;
	rc = report_view_show(req, s, out, err);
	s->run.progress = NULL;
	if (p.shown)
		tc_live_end();
	return rc;
}

static int describe_filters(const struct report_sources *s, struct tfs_out *out,
			    struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const struct tfs_filter *f;
	size_t n, i;
	int rc = 0;

	for (n = 0; n < s->n; n++)
		for (i = 0; !rc && (f = tfs_select_filter(s->v[n].select, i)); i++)
			rc = tfs_filter_describe(f, &sb);
	if (!rc)
		rc = tfs_out_write(out, sb.s, sb.len);
	if (!rc)
		rc = tfs_out_flush(out);
	tfs_strbuf_release(&sb);
	return rc ? tfs_err_set(err, rc, "cannot write the report") : 0;
}

/*
 * Text of strangers goes to a terminal. Lines of records have colours: inert before that. Rows see
 * to it themselves, with the names of tasks.
 */
static void make_inert(const struct report_request *req, struct report_sources *s,
		       struct tfs_out *out)
{
	for (size_t i = 0; i < s->n && !req->export && !req->fields.n && !req->by.n; i++)
		tfs_trace_set_inert(s->v[i].trace);
	tfs_out_set_inert(out, !(req->view->flags & REPORT_INERT));
}

/* A pager that quits early is not a failure. */
static int show_paged(const struct report_request *req, struct report_sources *s,
		      struct tfs_err *err)
{
	struct tfs_out *out = NULL;
	pid_t pager;
	int rc;

	pager = req->no_pager ? 0 : tc_pager_start();
	rc = tfs_out_new(STDOUT_FILENO, &out);
	if (!rc && req->terminal)
		make_inert(req, s, out);
	if (rc)
		tfs_err_set(err, rc, "cannot write the report");
	else if (req->test_filters && req->filters.n)
		rc = describe_filters(s, out, err);
	else if (pager)
		rc = report_view_show(req, s, out, err);
	else
		rc = show_with_progress(req, s, out, err);
	tfs_out_free(out);
	tc_pager_wait(pager);
	if (rc == -EPIPE && pager) {
		tfs_err_clear(err);
		rc = 0;
	}
	return rc;
}

/* The kernel has a file "trace" for each of its buffers. */
static int check_buffers(const struct report_request *req, const struct report_sources *s,
			 struct tfs_err *err)
{
	size_t n = tfs_dat_n_buffers(tfs_trace_dat(s->v[0].trace));

	if (!req->kernel || n <= 1 || req->buffers.n == 1)
		return 0;
	tfs_err_say(err, -EINVAL, "'%s' has %zu buffers, and --kernel shows one", s->v[0].name, n);
	tfs_err_hint(err, "-B NAME chooses one");
	return -EINVAL;
}

/* Text that no recording is needed for. Return: the exit status */
static int show_nothing_read(const struct report_request *req, struct tfs_err *err)
{
	struct report_run run = { .req = req, .view = req->view };
	int rc = tfs_out_new(STDOUT_FILENO, &run.out);

	rc = rc ? tfs_err_set(err, rc, "cannot write") : req->view->show(&run, err);
	tfs_out_free(run.out);
	return !rc ? TC_EXIT_OK : rc == -EINVAL ? TC_EXIT_USAGE : TC_EXIT_FAILED;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct report_request *req = request;
	struct report_sources s = { 0 };
	int rc, status;

	if (report_check(req, argc, argv, err))
		return TC_EXIT_USAGE;
	if (report_check_target(req, err))
		return TC_EXIT_USAGE;
	if (req->view->flags & REPORT_NO_FILE && !req->named) {
		tc_command_print_version();
		return TC_EXIT_OK;
	}
	if (req->view->flags & REPORT_NO_RECORDING)
		return show_nothing_read(req, err);
	/* A pager will stand between us and the terminal. */
	req->terminal = req->escape || (!req->raw_output && isatty(STDOUT_FILENO));
	if (req->color == REPORT_COLOR_AUTO && tc_live_color(STDOUT_FILENO))
		req->color = REPORT_COLOR_ALWAYS;
	/* As tc-record: a script that runs it in the background bounds it by a signal. */
	if (req->follow)
		tc_signals_accept();
	rc = report_sources_open(req, &s, &status, err);
	if (rc)
		goto out;
	if (check_buffers(req, &s, err)) {
		status = TC_EXIT_USAGE;
		goto out;
	}
	report_notices(req, &s);
	rc = show_paged(req, &s, err);
	/* An expression for events, a column or a function is wrong, or not in the recording. */
	if ((req->view->flags & REPORT_TYPED || req->fields.n) && (rc == -EINVAL || rc == -ENOENT))
		status = TC_EXIT_USAGE;
	if (!rc)
		rc = report_sources_check(req, &s, err);
	if (!rc && req->view->flags & REPORT_EVENTS) {
		rc = report_sources_check_pids(&s, err);
		if (rc == -ENOENT)
			status = TC_EXIT_USAGE;
	}
	if (!rc) {
		status = TC_EXIT_OK;
		report_hint(req, &s);
	}
out:
	report_sources_release(&s);
	return status;
}

const struct tc_command tc_command = {
	.name = "tc-report",
	.summary = "show a recording as text",
	.operands = "[FILE]...",
	.options = report_options,
	.request_size = sizeof(struct report_request),
	.run = run,
	.release = report_release,
};
