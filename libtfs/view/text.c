/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
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
#include "decode/wakeup.h"
#include "pipeline/view.h"
#include "printfmt/flags.h"
#include "printfmt/program.h"
#include "tracedat/dat-read.h"
#include "view/user-text.h"

/* Time stamps that are whole numbers fill their column from here on, up to the flags. */
#define RAW_FILLS 100000000000
/* " (+N)" */
#define DIFFERENCE_MAX 32
/* CPUs whose column is made once, and room for it; all of these are as long. */
#define CPU_TEXTS 256
#define CPU_TEXT_SIZE 16
#define COLOR_EVENT "\033[36m"
#define COLOR_LOSS "\033[1;31m"
#define COLOR_OFF "\033[m"
#define COLORS_MAX (sizeof(COLOR_EVENT) + sizeof(COLOR_OFF))
/* trace-cmd does not show those of lazy preemption. */
#define COMPAT_FLAGS 0xffff
/* What CPU, flags and time take at most together. */
#define COLUMNS_MAX (16 + 1 + TFS_FLAGS_MAX + TFS_PREFIX_TIME_MAX + DIFFERENCE_MAX + COLORS_MAX)
#define UNKNOWN "[UNKNOWN EVENT]"

struct tfs_text {
	struct tfs_view view;
	struct tfs_trace *trace;
	struct tfs_text_opts opts;
	enum tfs_task_format task_format;
	enum tfs_time_format time_format;
	int name_width; /* of the longest instance's name; -1 when there are none */
	bool apart;     /* never without a blank before the time stamp */
	bool fast_path; /* what put_fast() prints is what is asked for */
	char cpus[CPU_TEXTS][CPU_TEXT_SIZE];
	unsigned int cpu_len;
};

/* State of one thread. */
struct text_state {
	struct tfs_event_text *event_text;
	struct tfs_prefix_clock clock;
	unsigned int flags; /* the last ones, as they are shown */
	unsigned int flags_len;
	char flags_text[8];
};

static const struct tfs_text *to_text(const struct tfs_view *view)
{
	return (const struct tfs_text *)view;
}

int tfs_text_name_width(struct tfs_trace *trace)
{
	const struct tfs_dat *dat = tfs_trace_dat(trace);
	size_t n = tfs_dat_n_buffers(dat), i, len;
	int width = -1;

	for (i = 0; i < n; i++) {
		len = strlen(tfs_dat_buffer(dat, i)->name);
		if (len && (int)len > width)
			width = (int)len;
	}
	return width;
}

/*
 * "  name: " before every line when the file has instances; blanks for the top buffer, or the
 * file's name if there are several.
 */
static int put_name(const struct tfs_text *t, uint32_t buffer, struct tfs_strbuf *out)
{
	size_t start = out->len;
	const char *name;
	int rc;

	name = tfs_dat_buffer(tfs_trace_dat(t->trace), buffer)->name;
	if (!*name && t->opts.file)
		name = t->opts.file;
	rc = tfs_strbuf_addf(out, "%*s", t->name_width, name);
	if (!rc && tfs_trace_is_inert(t->trace))
		rc = tfs_inert_rest(out, start, TFS_INERT_NONE);
	return rc ? rc : tfs_strbuf_adds(out, *name ? ": " : "  ");
}

static inline int put_buffer(const struct tfs_text *t, uint32_t buffer, struct tfs_strbuf *out)
{
	return t->name_width < 0 ? 0 : put_name(t, buffer, out);
}

static int init(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	const struct tfs_text *t = to_text(view);
	int rc = 0;

	(void)err;
	if (t->opts.file)
		rc = tfs_strbuf_addf(out, "%*s: ", t->name_width, t->opts.file);
	return rc ? rc :
		    tfs_strbuf_addf(out, "cpus=%u\n", tfs_dat_info(tfs_trace_dat(t->trace))->cpus);
}

int tfs_text_loss(const struct tfs_record *rec, struct tfs_strbuf *out)
{
	if (rec->lost > 0)
		return tfs_strbuf_addf(out, "CPU:%u [%" PRId64 " EVENTS DROPPED]\n", rec->cpu,
				       rec->lost);
	return tfs_strbuf_addf(out, "CPU:%u [EVENTS DROPPED]\n", rec->cpu);
}

/* "comm-pid "; there is room for task_room() */
static char *put_task(const struct tfs_text *t, const struct tfs_event *event, char *p)
{
	const struct tfs_task *task = event->task;

	if (!task)
		return tfs_prefix_task(p, TFS_TASK_UNKNOWN, event->pid, t->task_format);
	if (t->task_format == TFS_TASK_LATENCY)
		return tfs_task_latency(task, p);
	return tfs_copy(p, task->column, task->column_len);
}

static char *put_cpu(const struct tfs_text *t, uint32_t cpu, char *p)
{
	if (cpu >= CPU_TEXTS)
		return tfs_prefix_cpu(p, cpu, t->task_format);
	memcpy(p, t->cpus[cpu], CPU_TEXT_SIZE);
	return p + t->cpu_len;
}

static size_t task_room(const struct tfs_event *event)
{
	size_t comm = event->task ? event->task->column_len : sizeof(TFS_TASK_UNKNOWN);

	return comm + TFS_PREFIX_TASK_MAX;
}

/* Hexadecimal flags of -R. */
static char *put_raw_flags(const struct tfs_event *event, char *p)
{
	p = memcpy(p, "-0x", 3);
	return tfs_digits_hex(p + 3, event->flags & 0xff, 0);
}

/* " (+N)", in microseconds from one rounded time stamp to the other, or in the clock's units */
static char *put_difference(const struct tfs_text *t, const struct tfs_event *event, char *p)
{
	uint64_t ts = event->rec.ts, before = event->before;
	char text[DIFFERENCE_MAX] = "";

	if (!t->opts.nsecs) {
		ts = (ts + 500) / 1000;
		before = (before + 500) / 1000;
	}
	if (before)
		snprintf(text, sizeof(text), "(+%" PRId64 ")", (int64_t)(ts - before));
	return p + snprintf(p, DIFFERENCE_MAX, " %-8s", text);
}

/* " name:" and blanks */
static char *put_event(const struct tfs_text *t, const struct tfs_event_type *type, char *p)
{
	size_t head = 1 + type->name_len;

	if (!t->opts.color)
		return tfs_copy(p, type->column, type->column_len);
	*p++ = ' ';
	p = mempcpy(p, COLOR_EVENT, strlen(COLOR_EVENT));
	p = mempcpy(p, type->name, type->name_len);
	p = mempcpy(p, COLOR_OFF, strlen(COLOR_OFF));
	return mempcpy(p, type->column + head, type->column_len - head);
}

/* The same where the name may be anything; the column is padded before that shows. */
static int add_inert_event(const struct tfs_text *t, const struct tfs_event_type *type,
			   struct tfs_strbuf *out)
{
	size_t head = 1 + type->name_len, start;
	int rc = tfs_strbuf_adds(out, t->opts.color ? " " COLOR_EVENT : " ");

	start = out->len;
	if (!rc)
		rc = tfs_strbuf_add(out, type->name, type->name_len);
	if (!rc)
		rc = tfs_inert_rest(out, start, TFS_INERT_NONE);
	if (!rc && t->opts.color)
		rc = tfs_strbuf_adds(out, COLOR_OFF);
	return rc ? rc : tfs_strbuf_add(out, type->column + head, type->column_len - head);
}

static void make_flags(struct text_state *state, unsigned int flags)
{
	state->flags = flags;
	state->flags_len =
		(unsigned int)(tfs_flags_put(state->flags_text, flags) - state->flags_text);
}

/* "d..2.", as it was for the record before as good as always; writes eight characters */
static inline char *put_flags(struct text_state *state, unsigned int flags, char *p)
{
	if (flags != state->flags)
		make_flags(state, flags);
	memcpy(p, state->flags_text, sizeof(state->flags_text));
	return p + state->flags_len;
}

static inline char *put_time(const struct tfs_text *t, struct text_state *state,
			     const struct tfs_event *event, char *p)
{
	if (t->time_format == TFS_TIME_USECS) {
		p = tfs_prefix_usecs(p, event->rec.ts, &state->clock);
	} else {
		if (t->apart && event->rec.ts >= RAW_FILLS)
			*p++ = ' ';
		p = tfs_prefix_clock(p, event->rec.ts, t->time_format, &state->clock);
	}
	return t->opts.diff ? put_difference(t, event, p) : p;
}

/* Everything before the event text: room for all of it is made once. */
static int put_columns(const struct tfs_text *t, struct text_state *state,
		       const struct tfs_event *event, struct tfs_strbuf *out)
{
	const struct tfs_event_type *type = event->type;
	bool flags = t->opts.latency || !t->opts.no_flags, compat = tfs_trace_is_compat(t->trace);
	size_t room = task_room(event) + COLUMNS_MAX + type->column_len + TFS_COPY_SLACK;
	char *p;
	int rc = tfs_strbuf_room(out, room);

	if (rc)
		return rc;
	p = put_task(t, event, out->s + out->len);
	p = put_cpu(t, event->rec.cpu, p);
	if (flags && t->opts.raw) {
		p = put_raw_flags(event, p);
	} else if (flags) {
		if (!t->opts.latency)
			*p++ = ' ';
		p = put_flags(state, compat ? event->flags & COMPAT_FLAGS : event->flags, p);
		if (compat || tfs_trace_has_counts(t->trace))
			p = tfs_trace_put_counts(t->trace, &event->rec, p);
	}
	p = put_time(t, state, event, p);
	if (tfs_trace_is_inert(t->trace)) {
		out->len = (size_t)(p - out->s);
		return add_inert_event(t, type, out);
	}
	p = put_event(t, type, p);
	*p = '\0';
	out->len = (size_t)(p - out->s);
	return 0;
}

/* trace-cmd's text of a record that no format describes: every part of it is unknown. */
static int put_unknown(const struct tfs_text *t, const struct tfs_event *event,
		       struct tfs_strbuf *out)
{
	bool flags = t->opts.latency || !t->opts.no_flags;
	int rc = tfs_strbuf_adds(out, UNKNOWN);

	if (!rc && flags && t->opts.raw)
		rc = tfs_strbuf_addf(out, "-0x%x", event->flags & 0xff);
	else if (!rc && flags)
		rc = tfs_strbuf_adds(out, UNKNOWN);
	return rc ? rc : tfs_strbuf_addf(out, "%s (NULL): %14s%s", UNKNOWN, "", UNKNOWN);
}

static int put_record(const struct tfs_text *t, struct text_state *state,
		      const struct tfs_event *event, struct tfs_strbuf *out)
{
	int rc;

	if (!event->type) {
		rc = put_unknown(t, event, out);
		return rc ? rc : tfs_strbuf_addc(out, '\n');
	}
	rc = put_columns(t, state, event, out);
	if (!rc && t->opts.user && !t->opts.raw)
		rc = tfs_user_text_line(t->opts.user, state->event_text, event, out);
	if (rc)
		return rc < 0 ? rc : 0;
	return tfs_event_text_line(state->event_text, event, out);
}

static int put_loss(const struct tfs_text *t, const struct tfs_record *rec, struct tfs_strbuf *out)
{
	int rc = t->opts.color ? tfs_strbuf_adds(out, COLOR_LOSS) : 0;

	if (!rc)
		rc = tfs_text_loss(rec, out);
	if (rc || !t->opts.color)
		return rc;
	out->len--;
	return tfs_strbuf_adds(out, COLOR_OFF "\n");
}

/* At the end of the line that was put last */
static int put_latency(const struct tfs_wakeup *wakeup, const struct tfs_event *event,
		       struct tfs_strbuf *out)
{
	int rc;

	out->len--;
	rc = tfs_wakeup_put(wakeup, event->waited, out);
	return rc ? rc : tfs_strbuf_addc(out, '\n');
}

/*
 * Almost all lines in one go: the text is known to have room, and nothing is stored between its
 * parts. The same text as put_record()'s. 0, or 1 when nothing was done.
 */
static int put_fast(const struct tfs_text *t, struct text_state *state,
		    const struct tfs_event *event, struct tfs_strbuf *out)
{
	const struct tfs_event_type *type = event->type;
	const struct tfs_program *program = type->program;
	const struct tfs_task *task = event->task;
	const struct tfs_record *rec = &event->rec;
	size_t start = out->len, text_at;
	char *p;

	if (!program || rec->cpu >= CPU_TEXTS ||
	    tfs_strbuf_room(out, task->column_len + type->room + COLUMNS_MAX + TFS_COPY_SLACK + 1))
		return 1;
	p = tfs_copy(out->s + start, task->column, task->column_len);
	memcpy(p, t->cpus[rec->cpu], CPU_TEXT_SIZE);
	p += t->cpu_len;
	if (!t->opts.no_flags) {
		*p++ = ' ';
		p = put_flags(state, event->flags, p);
	}
	p = tfs_prefix_usecs(p, rec->ts, &state->clock);
	p = tfs_copy(p, type->column, type->column_len);
	text_at = (size_t)(p - out->s);
	p = tfs_program_put(program, out, p, rec->data, rec->size, tfs_record_room(rec));
	if (!p) {
		out->len = start;
		out->s[start] = '\0';
		return 1;
	}
	out->len = (size_t)(p - out->s);
	if (out->len == text_at || p[-1] != '\n')
		out->s[out->len++] = '\n';
	out->s[out->len] = '\0';
	return 0;
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	const struct tfs_text *t = to_text(view);
	int rc = 0;

	if (event->fast_path && t->fast_path && !put_fast(t, state, event, out))
		return 0;
	if (!event->after_loss)
		rc = put_buffer(t, event->rec.buffer, out);
	if (!rc)
		rc = put_record(t, state, event, out);
	return rc || !event->woken ? rc : put_latency(t->opts.wakeup, event, out);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	const struct tfs_text *t = to_text(view);
	int rc = put_buffer(t, event->rec.buffer, out);

	(void)state;
	return rc ? rc : put_loss(t, &event->rec, out);
}

/* A latency tracer's; trace-cmd ends with an empty line. */
static int text(struct tfs_view *view, const char *s, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	size_t start = out->len;
	int rc = tfs_strbuf_add(out, s, len);

	(void)err;
	if (!rc && tfs_trace_is_inert(to_text(view)->trace))
		rc = tfs_inert_rest(out, start, TFS_INERT_ALL);
	return rc ? rc : tfs_strbuf_addc(out, '\n');
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	const struct tfs_text *t = to_text(view);

	(void)err;
	return t->opts.wakeup ? tfs_wakeup_sum(t->opts.wakeup, out) : 0;
}

static int thread_begin(struct tfs_view *view, void **state)
{
	const struct tfs_text *t = to_text(view);
	struct text_state *s = calloc(1, sizeof(*s));
	int rc = s ? tfs_event_text_new(t->trace,
					t->opts.raw ? TFS_EVENT_TEXT_RAW : TFS_EVENT_TEXT_FORMATTED,
					&s->event_text) :
		     -ENOMEM;

	if (!rc)
		make_flags(s, 0);
	*state = s;
	return rc;
}

static int thread_end(struct tfs_view *view, void *state)
{
	struct text_state *s = state;

	(void)view;
	if (s)
		tfs_event_text_free(s->event_text);
	free(s);
	return 0;
}

static void free_text(struct tfs_view *view)
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
	.end = end,
	.free = free_text,
};

int tfs_text_new(struct tfs_trace *trace, const struct tfs_text_opts *opts, struct tfs_view **view)
{
	struct tfs_text *t = calloc(1, sizeof(*t));
	uint32_t cpu;

	if (!t)
		return -ENOMEM;
	t->view.ops = &ops;
	t->view.flags = TFS_VIEW_WORKERS | (opts->raw ? TFS_VIEW_OWN_NAMES : TFS_VIEW_EVENT_TEXT);
	t->trace = trace;
	t->opts = *opts;
	t->name_width = opts->file ? opts->name_width : tfs_text_name_width(trace);
	t->task_format = opts->latency ? TFS_TASK_LATENCY : TFS_TASK_NORMAL;
	t->time_format = opts->raw_ts ? TFS_TIME_RAW :
					tfs_trace_time_format(trace, opts->nsecs ? TFS_TIME_NSECS :
										   TFS_TIME_USECS);
	t->apart = t->time_format == TFS_TIME_RAW && !tfs_trace_is_compat(trace);
	t->fast_path = t->time_format == TFS_TIME_USECS && t->task_format == TFS_TASK_NORMAL &&
		       t->name_width < 0 && !tfs_trace_has_counts(trace) && !opts->raw &&
		       !opts->color && !opts->diff && !opts->user && !tfs_trace_is_inert(trace);
	for (cpu = 0; cpu < CPU_TEXTS; cpu++)
		t->cpu_len = (unsigned int)(tfs_prefix_cpu(t->cpus[cpu], cpu, t->task_format) -
					    t->cpus[cpu]);
	*view = &t->view;
	return 0;
}
