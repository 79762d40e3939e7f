/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "cli/msg.h"
#include "decode/clock.h"
#include "decode/trace.h"
#include "decode/wakeup.h"
#include "main.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "strace/call-abi.h"
#include "symbolize/symbolize.h"
#include "tc-report-hosts.h"
#include "tc-report-notices.h"
#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "tc-report-syscalls.h"
#include "tc-report-text.h"
#include "tc-report-views.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-time.h"
#include "view/combined.h"

/* More threads wait for the one that reads in order. */
#define JOBS_DEFAULT_MAX 8

static unsigned int jobs(const struct report_request *req)
{
	cpu_set_t mine;
	long n;

	if (req->jobs)
		return (unsigned int)req->jobs;
	/* A machine may have more processors than the set has room for. */
	n = sched_getaffinity(0, sizeof(mine), &mine) ? sysconf(_SC_NPROCESSORS_ONLN) :
							CPU_COUNT(&mine);
	if (n < 1)
		n = 1;
	return n > JOBS_DEFAULT_MAX ? JOBS_DEFAULT_MAX : (unsigned int)n;
}

/* The views of all recordings, as one */
static int open_merged(const struct report_run *run, struct tfs_view **out, struct tfs_err *err)
{
	size_t n = run->view->flags & REPORT_ONE_VIEW ? 1 : run->sources->n;
	struct tfs_view **v = calloc(n, sizeof(struct tfs_view *));
	int rc = v ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !rc; i++)
		rc = run->view->open(run, i, &v[i], err);
	if (!rc && n > 1)
		rc = tfs_combined_new(v, n, out);
	else if (!rc)
		*out = v[0];
	for (size_t i = 0; rc && v && i < n; i++)
		tfs_view_free(v[i]);
	free(v);
	return rc;
}

/* Print what people should know besides what was shown. */
static int print_notes(const struct report_request *req, const struct tfs_view *view,
		       struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char *line, *next;
	int rc;

	if (req->quiet || !view->ops->notes)
		return 0;
	rc = view->ops->notes(view, &sb);
	for (line = sb.s; !rc && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		tc_msg_notice(tc_command.name, "%s", line);
	}
	tfs_strbuf_release(&sb);
	return rc ? tfs_err_set(err, rc, "cannot complete the report") : 0;
}

/*
 * Losses, where the output has no place for them: -q does not silence these. Views of stacks have
 * notes of what is missing at the end.
 */
static void report_losses(const struct report_run *run)
{
	const struct tfs_run_losses *losses = &run->sources->losses;
	bool table = run->req->view->flags & REPORT_TABLE;
	uint64_t more = 0;

	if (!report_view_lacks_losses(run->req))
		return;
	for (size_t i = 0; i < run->sources->n; i++)
		more += tfs_dat_more_cpus(tfs_trace_dat(run->traces[i]));
	if (losses->counted)
		tc_msg_notice(tc_command.name, "%" PRIu64 " events%s were lost", losses->counted,
			      losses->uncounted ? " and more" : "");
	else if (losses->uncounted)
		tc_msg_notice(tc_command.name,
			      "events were lost, the kernel did not count how many");
	if (table && losses->missing)
		tc_msg_notice(tc_command.name,
			      "%" PRIu64 " CPU%s last events; how many is not known",
			      losses->missing,
			      losses->missing == 1 ? " lacks its" : "s lack their");
	if (table && more)
		tc_msg_notice(tc_command.name,
			      "%" PRIu64
			      " recording%s may have had more CPUs, of which nothing is left",
			      more, more == 1 ? "" : "s");
}

/* Once, or until the view has seen enough; losses and time stamps are checked once. */
static int run_view(struct tfs_view *view, struct tfs_out *out, const struct tfs_run_opts *opts,
		    struct tfs_run_input *inputs, struct tfs_err *err)
{
	struct tfs_run_opts more = *opts;
	int rc = tfs_run(view, out, opts, err);

	more.losses = NULL;
	for (size_t i = 0; i < opts->n; i++)
		inputs[i].timestamp_check = NULL;
	while (!rc && view->again)
		rc = tfs_run(view, out, &more, err);
	return rc;
}

static int show_merged(struct report_run *run, struct tfs_err *err)
{
	const struct report_source *first = &run->sources->v[0];
	struct tfs_run_input *inputs = calloc(run->sources->n, sizeof(*inputs));
	struct tfs_run_opts opts = run->sources->run;
	/* trace-cmd takes them for nanoseconds. */
	bool counts = !run->req->compat &&
		      tfs_trace_counts(first->trace, first->merge.raw_ts, first->merge.unit);
	struct tfs_wakeup *wakeup = NULL;
	struct tfs_view *view = NULL;
	int rc = inputs ? 0 : -ENOMEM;

	opts.inputs = inputs;
	opts.jobs = jobs(run->req);
	for (; !rc && opts.n < run->sources->n; opts.n++)
		inputs[opts.n] = run->sources->v[opts.n].input;
	if (!rc && run->req->wakeup)
		rc = tfs_wakeup_new(first->trace, counts ? TFS_WAKEUP_COUNTS : TFS_WAKEUP_TIMES,
				    &wakeup);
	if (!rc)
		run->wakeup = inputs[0].wakeup = wakeup;
	if (!rc)
		rc = report_user_texts_new(run, err);
	if (!rc)
		rc = report_hosts_heading(run, err);
	if (!rc)
		rc = open_merged(run, &view, err);
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot prepare the report");
	else if (!rc)
		rc = run_view(view, run->out, &opts, inputs, err);
	if (!rc)
		rc = print_notes(run->req, view, err);
	if (!rc && view->flags & TFS_VIEW_EVENT_TEXT)
		report_lacks(run->req, run->sources);
	if (!rc && !run->req->fail_on_lost)
		report_losses(run);
	tfs_view_free(view);
	if (!rc)
		report_hosts_notice(run->req, run->sources);
	if (!rc)
		report_user_texts_notice(run);
	report_user_texts_free(run);
	tfs_wakeup_free(wakeup);
	free(inputs);
	return rc;
}

/* One recording after the other */
static int show_each(const struct report_run *run, struct tfs_err *err)
{
	struct report_sources *s = run->sources;
	struct tfs_view *view = NULL;
	struct tfs_run_opts opts = s->run;
	int rc = 0;

	opts.n = 1;

	for (size_t i = 0; i < s->n && !rc; i++) {
		if (s->n > 1)
			rc = tfs_out_printf(run->out, "%*s: ", s->name_width, s->v[i].name);
		if (rc)
			return tfs_err_set(err, rc, "cannot write the report");
		opts.inputs = &s->v[i].input;
		view = NULL;
		rc = run->view->open(run, i, &view, err);
		if (rc == -ENOMEM)
			tfs_err_set(err, rc, "cannot prepare the report");
		else if (!rc)
			rc = tfs_run(view, run->out, &opts, err);
		tfs_view_free(view);
	}
	return rc;
}

/* Names of user addresses in each recording, from what it holds itself */
static int open_symbolize(const struct report_sources *s, struct tfs_symbolize ***out)
{
	struct tfs_symbolize **v = calloc(s->n, sizeof(struct tfs_symbolize *));
	int rc = v ? 0 : -ENOMEM;

	*out = v;
	for (size_t i = 0; i < s->n && !rc; i++) {
		const struct report_source *src = &s->v[i];
		const struct tfs_dat_time_opts time = report_source_time(src);
		const struct tfs_symbolize_opts opts = { .time = &time,
							 .ts_offset = src->input.ts_offset };

		rc = tfs_symbolize_new(src->trace, &opts, &v[i]);
	}
	return rc;
}

int report_view_show(const struct report_request *req, struct report_sources *s,
		     struct tfs_out *out, struct tfs_err *err)
{
	struct tfs_trace **traces = calloc(s->n, sizeof(struct tfs_trace *));
	const char **files = calloc(s->n, sizeof(char *));
	const char **hosts = calloc(s->n, sizeof(char *));
	const char **paths = calloc(s->n, sizeof(char *));
	const void **syscalls = calloc(s->n, sizeof(void *));
	uint64_t *bounds = calloc(s->n, sizeof(*bounds));
	struct tfs_symbolize **symbolize = NULL;
	struct report_run run = { .req = req, .sources = s, .out = out, .view = req->view };
	int rc = traces && files && hosts && paths && syscalls && bounds ? 0 : -ENOMEM;

	for (size_t i = 0; i < s->n && !rc; i++) {
		traces[i] = s->v[i].trace;
		files[i] = s->v[i].name;
		hosts[i] = s->v[i].host;
		paths[i] = s->v[i].file;
		if (req->view->flags & REPORT_SYSCALLS)
			s->v[i].abi = tfs_calls_abi(traces[i]);
		syscalls[i] = &s->v[i].abi;
		bounds[i] = s->v[i].bound;
	}
	if (!rc && req->view->flags & REPORT_SYMBOLIZE)
		rc = open_symbolize(s, &symbolize);
	run.traces = traces;
	run.files = files;
	run.hosts = hosts;
	run.paths = paths;
	run.syscalls = syscalls;
	run.bounds = bounds;
	run.symbolize = (const struct tfs_symbolize *const *)symbolize;
	if (rc)
		tfs_err_set(err, rc, "cannot prepare the report");
	else if (req->view->show)
		rc = req->view->show(&run, err);
	else
		rc = req->view->flags & REPORT_MERGED ? show_merged(&run, err) :
							show_each(&run, err);
	for (size_t i = 0; symbolize && i < s->n; i++)
		tfs_symbolize_free(symbolize[i]);
	free(symbolize);
	free(bounds);
	free(syscalls);
	free(paths);
	free(hosts);
	free(files);
	free(traces);
	return rc;
}
