/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/kernel-view.h"

#include <inttypes.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "decode/clock.h"
#include "decode/event-text.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "filter/select.h"
#include "pipeline/run.h"
#include "tracedat/dat-read.h"
#include "tracedat/merge.h"
#include "view/duration.h"
#include "view/kernel-internal.h"

/* Records within which a recording of function_graph has one of it */
#define GRAPH_WITHIN 65536

static struct tfs_kernel_view *to_view(struct tfs_view *view)
{
	return (struct tfs_kernel_view *)view;
}

static const char lazy_columns[] = "#                    _--------=> CPU#            \n"
				   "#                   / _-------=> irqs-off/BH-disabled\n"
				   "#                  | / _------=> need-resched    \n"
				   "#                  || / _-----=> need-resched-lazy\n"
				   "#                  ||| / _----=> hardirq/softirq \n"
				   "#                  |||| / _---=> preempt-depth   \n"
				   "#                  ||||| / _--=> preempt-lazy-depth\n"
				   "#                  |||||| / _-=> migrate-disable \n"
				   "#                  ||||||| /     delay           \n"
				   "#  cmd     pid     |||||||| time  |   caller     \n"
				   "#     \\   /        ||||||||  \\    |    /       \n";

/* The columns of the latency format, by the release */
static int put_columns(const struct tfs_kernel_style *style, struct tfs_strbuf *out)
{
	const char *pad = style->pid_width > 5 ? "  " : "", *bar = style->migrate ? "|" : "";
	int rc;

	if (style->lazy_depth)
		return tfs_strbuf_adds(out, lazy_columns);
	rc = tfs_strbuf_addf(out,
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
	const char *release = tfs_trace_release(v->context.trace);
	size_t len = release ? strcspn(release, " ") : 0;

	return tfs_strbuf_addf(
		out,
		"# %s latency trace v1.1.5 on %.*s\n"
		"# --------------------------------------------------------------------\n"
		"#\n",
		v->graph ? "function_graph" : "nop", (int)len, release ? release : "");
}

static int init(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tfs_kernel_view *v = to_view(view);
	int rc = 0;

	(void)err;
	if (!v->graph && !v->latency)
		return tfs_kernel_head(&v->style, out);
	rc = tfs_strbuf_addf(out, "# tracer: %s\n#\n", v->graph ? "function_graph" : "nop");
	if (!rc && v->latency)
		rc = put_latency_head(v, out);
	if (rc)
		return rc;
	return v->graph ? tfs_kernel_graph_head(v, out) : put_columns(&v->style, out);
}

static int text(struct tfs_view *view, const char *s, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)err;
	return tfs_strbuf_add(out, s, len);
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
	if (!rc && v->context.time_format == TFS_TIME_RAW)
		rc = tfs_strbuf_addf(out, " %4" PRIu64 ": ", time);
	else if (!rc)
		rc = tfs_strbuf_addf(out, " %4" PRIu64 "us", to_usecs(time));
	if (!rc && v->context.time_format != TFS_TIME_RAW) {
		v->mark = out->len;
		v->held_ts = event->rec.ts;
		rc = tfs_strbuf_adds(out, " : ");
	}
	return rc ? rc : tfs_kernel_text(&v->context, event, out);
}

static int put_line(struct tfs_kernel_view *v, const struct tfs_event *event)
{
	int drawn = 0;

	v->mark = 0;
	if (v->graph)
		drawn = tfs_kernel_draw(v, event);
	if (drawn)
		return drawn < 0 ? drawn : 0;
	return v->latency ? put_latency_line(v, event) :
			    tfs_kernel_line(&v->context, event, &v->line);
}

/* Writes held lines, with the mark for the time up to @ts */
static int put_held(struct tfs_kernel_view *v, uint64_t ts, struct tfs_strbuf *out)
{
	int rc;

	if (!v->held.len)
		return 0;
	v->held.s[v->mark] = tfs_duration_mark(to_usecs(ts - v->held_ts) * 1000);
	rc = tfs_strbuf_add(out, v->held.s, v->held.len);
	tfs_strbuf_reset(&v->held);
	return rc;
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	int rc = put_held(to_view(view), event->rec.ts, out);

	(void)state;
	return rc ? rc : tfs_kernel_loss(&event->rec, out);
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct tfs_kernel_view *v = to_view(view);
	struct tfs_strbuf swap;
	int rc;

	(void)state;
	/* the kernel has read it already: it is not what comes after the line that is held */
	if (v->graph && tfs_kernel_joined(v, event))
		return 0;
	rc = put_held(v, event->rec.ts, out);
	if (!v->begun) {
		v->begun = true;
		v->start = event->rec.ts;
	}
	if (!rc)
		rc = put_line(v, event);
	if (rc)
		return rc;
	if (!v->mark) {
		rc = tfs_strbuf_add(out, v->line.s, v->line.len);
		tfs_strbuf_reset(&v->line);
		return rc;
	}
	swap = v->held;
	v->held = v->line;
	v->line = swap;
	return 0;
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tfs_kernel_view *v = to_view(view);

	(void)err;
	return put_held(v, v->held_ts, out);
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

static void free_view(struct tfs_view *view)
{
	struct tfs_kernel_view *v = to_view(view);

	tfs_event_text_free(v->context.event_text);
	tfs_strbuf_release(&v->line);
	tfs_strbuf_release(&v->held);
	free(v->cpus);
	free(v);
}

static const struct tfs_view_ops ops = {
	.init = init,
	.event = event,
	.lost = lost,
	.text = text,
	.end = end,
	.free = free_view,
};

int tfs_kernel_view_new(struct tfs_trace *trace, const struct tfs_kernel_view_opts *opts,
			struct tfs_view **view)
{
	struct tfs_kernel_view *v = calloc(1, sizeof(*v));
	int rc;

	if (!v)
		return -ENOMEM;
	v->view.ops = &ops;
	v->view.flags = opts->graph ? TFS_VIEW_LEAVES : 0;
	v->graph = opts->graph;
	v->latency = opts->latency;
	v->style = tfs_kernel_style_of(trace);
	v->context = (struct tfs_kernel_context){ .trace = trace,
						  .style = &v->style,
						  .time_format = tfs_trace_time_format(
							  trace, TFS_TIME_USECS),
						  .clock = &v->clock };
	tfs_strbuf_init(&v->line);
	tfs_strbuf_init(&v->held);
	v->cpu_width = cpu_width(tfs_trace_dat(trace));
	rc = tfs_event_text_new(trace, TFS_EVENT_TEXT_FORMATTED, &v->context.event_text);
	if (rc)
		tfs_view_free(&v->view);
	else
		*view = &v->view;
	return rc;
}

/* The number of an event of ftrace; -1: there is none */
static int id_of(const struct tfs_trace *trace, const char *name)
{
	for (size_t i = 0; i < tfs_trace_index(trace)->n; i++) {
		if (tfs_type_is_ftrace(&tfs_trace_index(trace)->types[i], name))
			return tfs_trace_index(trace)->types[i].id;
	}
	return -1;
}

int tfs_kernel_view_has_graph(const struct tfs_run_input *input, struct tfs_err *err)
{
	static const struct tfs_merge_opts all;
	struct tfs_trace *trace = input->trace;
	int entry = id_of(trace, "funcgraph_entry"), exit = id_of(trace, "funcgraph_exit");
	struct tfs_merge *m = NULL;
	struct tfs_record rec;
	bool found = false;
	int id, rc;

	if (entry < 0 || exit < 0)
		return 0;
	rc = tfs_merge_new(tfs_trace_dat(trace), input->merge ? input->merge : &all, &m, err);
	for (size_t n = 0; !rc && !found && n < GRAPH_WITHIN; n++) {
		rc = tfs_merge_next(m, &rec, err);
		if (rc <= 0)
			break;
		rc = 0;
		if (input->select && !tfs_select_wants_cpu(input->select, &rec))
			continue;
		id = tfs_trace_record_id(trace, &rec);
		found = id == entry || id == exit;
	}
	tfs_merge_free(m);
	return rc < 0 ? rc : found;
}
