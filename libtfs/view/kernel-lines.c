/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/kernel-lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/inert.h"
#include "base/strbuf.h"
#include "decode/clock.h"
#include "decode/event-text.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/prefix.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "pipeline/view.h"
#include "printfmt/flags.h"
#include "view/kernel-event.h"
#include "view/kernel-internal.h"

#define COMM_WIDTH 16
/* Room for the columns before an event, besides the task's name */
#define HEAD_MAX (COMM_WIDTH + TFS_PREFIX_TASK_MAX + 32 + TFS_PREFIX_TIME_MAX)

struct kernel_lines {
	struct tfs_view view;
	struct tfs_trace *trace;
	struct tfs_kernel_style style;
	enum tfs_time_format time_format;
};

struct kernel_state {
	struct tfs_event_text *event_text;
	struct tfs_prefix_clock clock;
};

/* include/linux/trace_events.h, enum trace_flag_type; the numbers are the kernel's ABI */
enum {
	IRQS_OFF = 1 << 0,
	IRQS_NOSUPPORT = 1 << 1, /* before 6.13 */
	NEED_RESCHED_LAZY = 1 << 1,
	NEED_RESCHED = 1 << 2,
	HARDIRQ = 1 << 3,
	SOFTIRQ = 1 << 4,
	PREEMPT_RESCHED = 1 << 5,
	NMI = 1 << 6,
	BH_OFF = 1 << 7,
};

static const struct kernel_lines *to_lines(const struct tfs_view *view)
{
	return (const struct kernel_lines *)view;
}

struct tfs_kernel_style tfs_kernel_style(const char *release)
{
	unsigned int version = tfs_release_version(release);

	return (struct tfs_kernel_style){
		.syscall_0x = version >= 6018,
		.lazy = version >= 6013,
		.bh = version >= 5017,
		.migrate = version >= 5016,
		.pid_width = version >= 5010 ? 7 : 5,
	};
}

struct tfs_kernel_style tfs_kernel_style_of(const struct tfs_trace *trace)
{
	struct tfs_kernel_style style = tfs_kernel_style(tfs_trace_release(trace));

	style.lazy_depth = tfs_trace_has_lazy(trace);
	return style;
}

/* With columns for lazy preemption, by the release */
static int put_lazy_head(const struct tfs_kernel_style *style, struct tfs_strbuf *out)
{
	const char *pad = style->pid_width > 5 ? "  " : "";

	return tfs_strbuf_addf(out,
			       "# tracer: nop\n"
			       "#\n"
			       "#                              %s_-------=> irqs-off%s\n"
			       "#                             %s/ _------=> need-resched\n"
			       "#                            %s| / _-----=> need-resched-lazy\n"
			       "#                            %s|| / _----=> hardirq/softirq\n"
			       "#                            %s||| / _---=> preempt-depth\n"
			       "#                            %s|||| / _--=> preempt-lazy-depth\n"
			       "#                            %s||||| / _-=> migrate-disable\n"
			       "#                            %s|||||| /     delay\n"
			       "#           TASK-PID   %sCPU#  |||||||  TIMESTAMP  FUNCTION\n"
			       "#              | |     %s  |   |||||||      |         |\n",
			       pad, style->bh ? "/BH-disabled" : "", pad, pad, pad, pad, pad, pad,
			       pad, pad, pad);
}

int tfs_kernel_head(const struct tfs_kernel_style *style, struct tfs_strbuf *out)
{
	/* when the PID's column grew, the gap after the flags shrank */
	bool wide = style->pid_width > 5;
	const char *pad = wide ? "  " : "", *bar = style->migrate ? "|" : "";
	const char *gap = style->migrate ? "  " : wide ? "   " : "    ";
	int rc;

	if (style->lazy_depth)
		return put_lazy_head(style, out);
	rc = tfs_strbuf_addf(out,
			     "# tracer: nop\n"
			     "#\n"
			     "#                              %s_-----=> irqs-off%s\n"
			     "#                             %s/ _----=> need-resched\n"
			     "#                            %s| / _---=> hardirq/softirq\n"
			     "#                            %s|| / _--=> preempt-depth\n",
			     pad, style->bh ? "/BH-disabled" : "", pad, pad, pad);
	if (!rc && style->migrate)
		rc = tfs_strbuf_addf(
			out, "#                            %s||| / _-=> migrate-disable\n", pad);
	if (!rc)
		rc = tfs_strbuf_addf(out,
				     "#                            %s|||%s /     delay\n"
				     "#           TASK-PID   %sCPU#  ||||%s%sTIMESTAMP  FUNCTION\n"
				     "#              | |     %s  |   ||||%s%s   |         |\n",
				     pad, bar, pad, bar, gap, pad, bar, gap);
	return rc;
}

static char irqs_of(const struct tfs_kernel_style *style, unsigned int flags)
{
	bool bh_off = flags & BH_OFF && !(flags & TFS_FLAGS_OLD_LAZY);

	if (flags & IRQS_OFF)
		return bh_off ? 'D' : 'd';
	if (bh_off)
		return 'b';
	return flags & IRQS_NOSUPPORT && !style->lazy ? 'X' : '.';
}

static char resched_of(const struct tfs_kernel_style *style, unsigned int flags)
{
	/* by need-resched, lazy, preempt-resched */
	static const char letters[] = ".plLnNbB";
	unsigned int i = (flags & NEED_RESCHED ? 4U : 0) |
			 (flags & NEED_RESCHED_LAZY && style->lazy ? 2U : 0) |
			 (flags & PREEMPT_RESCHED ? 1U : 0);

	if (flags & TFS_FLAGS_LAZY)
		i &= flags & TFS_FLAGS_OLD_LAZY ? 5U : 4U; /* the rest is in the next column */
	return letters[i];
}

static char context_of(unsigned int flags)
{
	/* by NMI, hard and soft interrupt */
	static const char letters[] = ".shHzzZZ";
	unsigned int i = (flags & NMI ? 4U : 0) | (flags & HARDIRQ ? 2U : 0) |
			 (flags & SOFTIRQ ? 1U : 0);

	return letters[i];
}

static char digit(unsigned int n)
{
	return ".123456789abcdef"[n & 15];
}

char *tfs_kernel_flags(const struct tfs_kernel_style *style, unsigned int flags, char *p)
{
	unsigned int count = flags >> 8 & 0xff;

	*p++ = irqs_of(style, flags);
	*p++ = resched_of(style, flags);
	if (flags & TFS_FLAGS_LAZY)
		*p++ = tfs_flags_lazy(flags);
	*p++ = context_of(flags);
	if (!style->migrate && count > 15 && !(flags & TFS_FLAGS_LAZY))
		return tfs_digits_hex(p, count, 0);
	*p++ = digit(count);
	if (flags & TFS_FLAGS_LAZY)
		*p++ = digit(flags >> TFS_FLAGS_LAZY_COUNT);
	if (style->migrate || flags & TFS_FLAGS_LAZY)
		*p++ = digit(tfs_flags_migrate(flags));
	return p;
}

static int put_stamp(const struct tfs_trace *trace, uint64_t ts, struct tfs_strbuf *out)
{
	uint64_t us = (ts + 500) / 1000;

	if (tfs_trace_time_format(trace, TFS_TIME_USECS) == TFS_TIME_RAW)
		return tfs_strbuf_addf(out, " %12" PRIu64, ts);
	return tfs_strbuf_addf(out, " %5" PRIu64 ".%06" PRIu64, us / 1000000, us % 1000000);
}

static int init(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	(void)err;
	return tfs_kernel_head(&to_lines(view)->style, out);
}

int tfs_kernel_loss(const struct tfs_record *rec, struct tfs_strbuf *out)
{
	if (rec->lost > 0)
		return tfs_strbuf_addf(out, "CPU:%u [LOST %" PRId64 " EVENTS]\n", rec->cpu,
				       rec->lost);
	return tfs_strbuf_addf(out, "CPU:%u [LOST EVENTS]\n", rec->cpu);
}

/* "            comm-pid     [cpu] " */
static char *put_task(const struct tfs_kernel_context *t, const struct tfs_event *event,
		      const char *comm, size_t len, char *p)
{
	char *start;

	for (size_t n = len; n < COMM_WIDTH; n++)
		*p++ = ' ';
	p = mempcpy(p, comm, len);
	*p++ = '-';
	start = p;
	p = tfs_digits_sdec(p, event->pid);
	while (p - start < t->style->pid_width)
		*p++ = ' ';
	*p++ = ' ';
	p = tfs_prefix_cpu(p, event->rec.cpu, TFS_TASK_NORMAL);
	*p++ = ' ';
	return p;
}

int tfs_kernel_text(const struct tfs_kernel_context *t, const struct tfs_event *event,
		    struct tfs_strbuf *out)
{
	const struct tfs_kernel_event ke = { t->trace, t->event_text, t->style, put_stamp };

	if (!event->type)
		return tfs_strbuf_addf(out, "Unknown type %d\n",
				       tfs_trace_record_id(t->trace, &event->rec));
	return tfs_kernel_event(&ke, event, out);
}

int tfs_kernel_line(const struct tfs_kernel_context *t, const struct tfs_event *event,
		    struct tfs_strbuf *out)
{
	const char *comm = event->task ? event->task->comm : TFS_TASK_UNKNOWN;
	size_t len = strlen(comm);
	char *p;
	int rc = tfs_strbuf_room(out, len + HEAD_MAX);

	if (rc)
		return rc;
	p = put_task(t, event, comm, len, out->s + out->len);
	p = tfs_kernel_flags(t->style, event->flags, p);
	if (t->time_format == TFS_TIME_RAW)
		*p++ = ' ';
	p = tfs_prefix_clock(p, event->rec.ts, t->time_format, t->clock);
	*p++ = ' ';
	*p = '\0';
	out->len = (size_t)(p - out->s);
	return tfs_kernel_text(t, event, out);
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	const struct kernel_lines *t = to_lines(view);
	struct kernel_state *s = state;
	const struct tfs_kernel_context context = { t->trace, &t->style, t->time_format,
						    s->event_text, &s->clock };

	return tfs_kernel_line(&context, event, out);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	(void)view;
	(void)state;
	return tfs_kernel_loss(&event->rec, out);
}

/* A latency tracer's text is what the file "trace" had. */
static int text(struct tfs_view *view, const char *s, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)err;
	return tfs_strbuf_add(out, s, len);
}

static int thread_begin(struct tfs_view *view, void **state)
{
	struct kernel_state *s = calloc(1, sizeof(*s));
	int rc = s ? tfs_event_text_new(to_lines(view)->trace, TFS_EVENT_TEXT_FORMATTED,
					&s->event_text) :
		     -ENOMEM;

	*state = s;
	return rc;
}

static int thread_end(struct tfs_view *view, void *state)
{
	struct kernel_state *s = state;

	(void)view;
	if (s)
		tfs_event_text_free(s->event_text);
	free(s);
	return 0;
}

static void free_lines(struct tfs_view *view)
{
	free(view);
}

static const struct tfs_view_ops ops = {
	.init = init,
	.thread_begin = thread_begin,
	.thread_end = thread_end,
	.event = event,
	.lost = lost,
	.text = text,
	.free = free_lines,
};

int tfs_kernel_lines_new(struct tfs_trace *trace, struct tfs_view **view)
{
	struct kernel_lines *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->view.ops = &ops;
	t->view.flags = TFS_VIEW_WORKERS | TFS_VIEW_EVENT_TEXT;
	t->trace = trace;
	t->style = tfs_kernel_style_of(trace);
	t->time_format = tfs_trace_time_format(trace, TFS_TIME_USECS);
	*view = &t->view;
	return 0;
}
