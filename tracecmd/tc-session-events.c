/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-session-events.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/io.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "cli/live.h"
#include "cli/msg.h"
#include "cli/signals.h"
#include "decode/trace.h"
#include "filter/select.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "record/live.h"
#include "tc-session-instances.h"
#include "tc-session.h"
#include "tracedat/event-source.h"
#include "tracedat/merge.h"
#include "view/text.h"

/* Objects in the order in which they are made */
struct stream {
	int signals;
	struct tfs_dat *dat; /* the trace's, once there is one */
	struct tfs_event_source *source;
	struct tfs_trace *trace;
	struct tfs_select *select;
	struct tfs_view *view;
	struct tfs_out *out;
};

void session_events_release(struct session_events *events)
{
	tfs_strvec_release(&events->filters);
	tfs_strvec_release(&events->names);
	tfs_strvec_release(&events->pids);
	tfs_strvec_release(&events->comms);
}

static int open_trace(struct stream *s, const struct session_instances *instances,
		      const struct session_instance *p, struct tfs_err *err)
{
	const struct tfs_live_opts opts = {
		.root = instances->root,
		.inst = &p->inst,
		.stop_fd = s->signals,
	};
	int rc = tfs_live_open(&opts, &s->dat, &s->source, err);

	return rc ? rc : tfs_trace_open_dat(s->dat, NULL, &s->trace, err);
}

static int new_view(const struct session_events *events, bool terminal, struct stream *s,
		    struct tfs_err *err)
{
	static const struct tfs_strvec all_columns;
	const struct tfs_export_opts rows = {
		.style = events->style,
		.columns = &all_columns,
		.text = events->export_text,
		.inert = terminal,
		.traces = &s->trace,
		.n_traces = 1,
	};
	const struct tfs_text_opts text = {
		.raw = events->raw,
		.latency = events->latency,
		.nsecs = events->nsecs,
		.color = tc_live_color(STDOUT_FILENO),
	};
	int rc;

	if (events->export)
		return tfs_export_new(&rows, &s->view, err);
	if (terminal)
		tfs_trace_set_inert(s->trace);
	rc = tfs_text_new(s->trace, &text, &s->view);
	return rc ? tfs_err_set(err, rc, "cannot show the events") : 0;
}

static int new_selection(const struct session_events *events, struct stream *s, int *status,
			 struct tfs_err *err)
{
	struct tfs_cpus cpus = { 0 };
	const struct tfs_select_opts opts = {
		.events = &events->names,
		.filters = &events->filters,
		.n_filters = events->filters.n,
		.pids = &events->pids,
		.comms = &events->comms,
		.cpus = &cpus,
	};
	int rc = events->cpus ? tfs_cpus_parse(events->cpus, &cpus, err) : 0;

	if (rc)
		tfs_err_prefix(err, "option -c");
	else
		rc = tfs_select_new(s->trace, &opts, &s->select, err);
	if (rc && rc != -ENOMEM)
		*status = TC_EXIT_USAGE;
	return rc;
}

static void report_end(const struct stream *s, const struct session_instance *p,
		       const struct tfs_run_losses *losses)
{
	const struct tfs_dat_lost lost = tfs_live_lost(s->source);
	struct tfs_strvec lines = TFS_STRVEC_INIT;
	struct tfs_strbuf title = TFS_STRBUF_INIT;

	if (!tfs_dat_lost_say(&lost, &lines))
		tc_msg_notices(SESSION_PROGRAM, &lines);
	tfs_strvec_release(&lines);
	if (tfs_live_was_removed(s->source) && !session_title(p, &title))
		tc_msg_notice(SESSION_PROGRAM, "%s was removed", title.s);
	tfs_strbuf_release(&title);
	if (losses->counted)
		tc_msg_notice(SESSION_PROGRAM, "%" PRIu64 " events%s were lost", losses->counted,
			      losses->uncounted ? " and more" : "");
	else if (losses->any)
		tc_msg_notice(SESSION_PROGRAM,
			      "events were lost, the kernel did not count how many");
}

static int show(struct stream *s, const struct session_instance *p, struct tfs_err *err)
{
	struct tfs_run_losses losses = { 0 };
	const struct tfs_merge_opts merge = { .source = s->source };
	const struct tfs_run_input input = {
		.trace = s->trace,
		.merge = &merge,
		.select = s->select,
		.source = s->source,
	};
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1, .losses = &losses };
	int rc = tfs_run(s->view, s->out, &run, err);

	report_end(s, p, &losses);
	return rc;
}

int session_events_show(const struct session_events *events,
			const struct session_instances *instances, const struct session_instance *p,
			struct tfs_err *err)
{
	const bool terminal = !events->raw_output && isatty(STDOUT_FILENO);
	struct stream s = { .signals = tc_signals_fd(err) };
	int status = TC_EXIT_FAILED, rc = s.signals < 0 ? s.signals : 0;

	if (!rc)
		rc = open_trace(&s, instances, p, err);
	if (!rc)
		rc = new_selection(events, &s, &status, err);
	if (!rc)
		rc = new_view(events, terminal, &s, err);
	if (!rc) {
		rc = tfs_out_new(STDOUT_FILENO, &s.out);
		if (rc)
			tfs_err_set(err, rc, "cannot show the events");
	}
	if (!rc)
		rc = show(&s, p, err);
	tfs_out_free(s.out);
	tfs_view_free(s.view);
	tfs_select_free(s.select);
	tfs_event_source_free(s.source);
	tfs_trace_free(s.trace);
	tfs_close(&s.signals);
	return rc ? status : TC_EXIT_OK;
}
