/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/kernel-view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/out.h"
#include "decode/clock.h"
#include "decode/event-text.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace-internal.h"
#include "decode/types.h"
#include "filter/select.h"
#include "pipeline/run.h"
#include "tracedat/dat-read.h"
#include "tracedat/merge.h"
#include "view/duration.h"
#include "view/kernel-internal.h"

/* Records within which a recording of function_graph has one of it */
#define GRAPH_WITHIN 65536

static struct tfs_kernel_view *to_view(struct tfs_sink *sink)
{
	return (struct tfs_kernel_view *)sink;
}

static int write_text(struct tfs_kernel_view *v, struct tfs_strbuf *text, int rc,
		      struct tfs_err *err)
{
	if (rc)
		return tfs_err_set(err, rc, "cannot format the report");
	rc = text->len ? tfs_out_write(v->out, text->s, text->len) : 0;
	tfs_strbuf_reset(text);
	return rc ? tfs_err_set(err, rc, "cannot write the report") : 0;
}

/* The columns of the latency format, by the release */
static int put_columns(const struct tfs_kernel_style *style, struct tfs_strbuf *out)
{
	const char *pad = style->pid_width > 5 ? "  " : "", *bar = style->migrate ? "|" : "";
	int rc = tfs_strbuf_addf(out,
				 "#                  %s_------=> CPU#            \n"
				 "#                 %s/ _-----=> irqs-off%s\n"
				 "#                %s| / _----=> need-resched    \n"
				 "#                %s|| / _---=> hardirq/softirq \n"
				 "#                %s||| / _--=> preempt-depth   \n",
				 pad, pad, style->bh ? "/BH-disabled" : "        ", pad, pad, pad);

	if (!rc && style->migrate)
		rc = tfs_strbuf_addf(out, "#                %s|||| / _-=> migrate-disable \n", pad);
	if (!rc)
		rc = tfs_strbuf_addf(out,
				     "#                %s||||%s /     delay           \n"
				     "#  cmd     pid   %s|||||%s time  |   caller     \n"
				     "#     \\   /      %s|||||%s  \\    |    /       \n",
				     pad, bar, pad, bar, pad, bar);
	return rc;
}

/* Latencies, the count of entries and the task that a latency tracer stopped at are left out. */
static int put_latency_head(const struct tfs_kernel_view *v, struct tfs_strbuf *out)
{
	const char *release = tfs_kernel_release(v->printer.trace);
	size_t len = release ? strcspn(release, " ") : 0;

	return tfs_strbuf_addf(
		out,
		"# %s latency trace v1.1.5 on %.*s\n"
		"# --------------------------------------------------------------------\n"
		"#\n",
		v->graph ? "function_graph" : "nop", (int)len, release ? release : "");
}

static int begin(struct tfs_sink *sink, struct tfs_err *err)
{
	struct tfs_kernel_view *v = to_view(sink);
	int rc = 0;

	if (!v->graph && !v->latency)
		return write_text(v, &v->line, tfs_kernel_head(&v->style, &v->line), err);
	rc = tfs_strbuf_addf(&v->line, "# tracer: %s\n#\n", v->graph ? "function_graph" : "nop");
	if (!rc && v->latency)
		rc = put_latency_head(v, &v->line);
	if (!rc)
		rc = v->graph ? tfs_kernel_graph_head(v, &v->line) :
				put_columns(&v->style, &v->line);
	return write_text(v, &v->line, rc, err);
}

static int text(struct tfs_sink *sink, const char *s, size_t len, struct tfs_err *err)
{
	struct tfs_kernel_view *v = to_view(sink);

	return write_text(v, &v->line, tfs_strbuf_add(&v->line, s, len), err);
}

static uint64_t to_usecs(uint64_t ns)
{
	return (ns + 500) / 1000;
}

/*
 * "    comm-pid     CPUflags TIME" and, of nanoseconds, a mark for the time up to the next line,
 * which is not known yet.
 */
static int put_latency_line(struct tfs_kernel_view *v, const struct tfs_event *event)
{
	struct tfs_strbuf *out = &v->line;
	uint64_t time = event->rec.ts - v->start;
	char flags[16];
	int rc;

	*tfs_kernel_flags(&v->style, event->flags, flags) = '\0';
	rc = tfs_strbuf_addf(out, "%8.8s-%-*d %3" PRIu32 "%s",
			     event->task ? event->task->comm : TFS_TASK_UNKNOWN, v->style.pid_width,
			     event->pid, event->rec.cpu, flags);
	if (!rc && v->printer.time_format == TFS_TIME_RAW)
		rc = tfs_strbuf_addf(out, " %4" PRIu64 ": ", time);
	else if (!rc)
		rc = tfs_strbuf_addf(out, " %4" PRIu64 "us", to_usecs(time));
	if (!rc && v->printer.time_format != TFS_TIME_RAW) {
		v->mark = out->len;
		v->held_ts = event->rec.ts;
		rc = tfs_strbuf_adds(out, " : ");
	}
	return rc ? rc : tfs_kernel_text(&v->printer, event, out);
}

/* @joined: it was drawn, only its loss is to be told */
static int put_event(struct tfs_kernel_view *v, const struct tfs_event *event, bool joined)
{
	int rc = event->lost ? tfs_kernel_loss(&event->rec, &v->line) : 0, drawn = 0;

	v->mark = 0;
	if (rc || !event->shown || joined)
		return rc;
	if (v->graph)
		drawn = tfs_kernel_draw(v, event);
	if (drawn)
		return drawn < 0 ? drawn : 0;
	return v->latency ? put_latency_line(v, event) :
			    tfs_kernel_line(&v->printer, event, &v->line);
}

/* What is held, with the mark for the time up to @ts */
static int write_held(struct tfs_kernel_view *v, uint64_t ts, struct tfs_err *err)
{
	if (!v->held.len)
		return 0;
	v->held.s[v->mark] = tfs_duration_mark(to_usecs(ts - v->held_ts) * 1000);
	return write_text(v, &v->held, 0, err);
}

static int event(struct tfs_sink *sink, const struct tfs_event *event, struct tfs_err *err)
{
	struct tfs_kernel_view *v = to_view(sink);
	bool joined = v->graph && tfs_kernel_joined(v, event);
	struct tfs_strbuf swap;
	int rc;

	/* the kernel has read it already: it is not what comes after the line that is held */
	if (joined && !event->lost)
		return 0;
	rc = write_held(v, event->rec.ts, err);
	if (rc)
		return rc;
	if (!v->begun && event->shown) {
		v->begun = true;
		v->start = event->rec.ts;
	}
	rc = put_event(v, event, joined);
	if (rc || !v->mark)
		return write_text(v, &v->line, rc, err);
	swap = v->held;
	v->held = v->line;
	v->line = swap;
	return 0;
}

static int end(struct tfs_sink *sink, struct tfs_err *err)
{
	struct tfs_kernel_view *v = to_view(sink);
	int rc = write_held(v, v->held_ts, err);

	if (!rc) {
		rc = tfs_out_flush(v->out);
		if (rc)
			tfs_err_set(err, rc, "cannot write the report");
	}
	return rc;
}

/* Digits of the number of the last CPU */
static int cpu_width(const struct tfs_dat *dat)
{
	uint32_t last = tfs_dat_info(dat)->cpus;
	int width = 1;

	last -= last > 0;
	for (size_t i = 0; i < tfs_dat_n_buffers(dat); i++) {
		const struct tfs_dat_buffer *b = tfs_dat_buffer(dat, i);

		for (size_t k = 0; k < b->n_cpus; k++)
			if (b->cpus[k].cpu > last)
				last = b->cpus[k].cpu;
	}
	for (; last > 9; last /= 10)
		width++;
	return width;
}

int tfs_kernel_view_new(struct tfs_trace *trace, const struct tfs_kernel_view_opts *opts,
			struct tfs_out *out, struct tfs_sink **sink)
{
	struct tfs_kernel_view *v = calloc(1, sizeof(*v));
	int rc;

	if (!v)
		return -ENOMEM;
	v->sink = (struct tfs_sink){
		.begin = begin, .event = event, .text = text, .end = end, .leaves = opts->graph
	};
	v->out = out;
	v->graph = opts->graph;
	v->latency = opts->latency;
	v->style = tfs_kernel_style(tfs_kernel_release(trace));
	v->printer =
		(struct tfs_kernel_printer){ .trace = trace,
					     .style = &v->style,
					     .time_format = tfs_trace_time_format(trace, false),
					     .clock = &v->clock };
	tfs_strbuf_init(&v->line);
	tfs_strbuf_init(&v->held);
	v->cpu_width = cpu_width(trace->dat);
	rc = tfs_event_text_new(trace, false, &v->printer.event_text);
	if (rc)
		tfs_kernel_view_free(&v->sink);
	else
		*sink = &v->sink;
	return rc;
}

void tfs_kernel_view_free(struct tfs_sink *sink)
{
	struct tfs_kernel_view *v = to_view(sink);

	if (!v)
		return;
	tfs_event_text_free(v->printer.event_text);
	tfs_strbuf_release(&v->line);
	tfs_strbuf_release(&v->held);
	free(v->cpus);
	free(v);
}

/* The number of an event of ftrace; -1: there is none */
static int id_of(const struct tfs_trace *trace, const char *name)
{
	for (size_t i = 0; i < trace->n_types; i++) {
		if (tfs_type_is_ftrace(&trace->types[i], name))
			return trace->types[i].id;
	}
	return -1;
}

int tfs_kernel_view_has_graph(struct tfs_trace *trace, const struct tfs_run_opts *opts,
			      struct tfs_err *err)
{
	static const struct tfs_merge_opts all;
	int entry = id_of(trace, "funcgraph_entry"), exit = id_of(trace, "funcgraph_exit");
	struct tfs_merge *m = NULL;
	struct tfs_record rec;
	bool found = false;
	int id, rc;

	if (entry < 0 || exit < 0)
		return 0;
	rc = tfs_merge_new(trace->dat, opts->merge ? opts->merge : &all, &m, err);
	for (size_t n = 0; !rc && !found && n < GRAPH_WITHIN; n++) {
		rc = tfs_merge_next(m, &rec, err);
		if (rc <= 0)
			break;
		rc = 0;
		if (opts->select && !tfs_select_wants_cpu(opts->select, &rec))
			continue;
		id = tfs_trace_record_id(trace, &rec);
		found = id == entry || id == exit;
	}
	tfs_merge_free(m);
	return rc < 0 ? rc : found;
}
