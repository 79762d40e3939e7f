/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "data/dat-read.h"
#include "data/page.h"
#include "report/body.h"
#include "report/clock.h"
#include "report/fgraph.h"
#include "report/prefix.h"
#include "report/sink.h"
#include "report/trace.h"
#include "report/trace-internal.h"
#include "report/types.h"

/* Task columns are kept ready for this many pids; a power of two. */
#define TASKS 4096
#define TASK_TEXT 52
/* What CPU, flags and time take at most together. */
#define COLUMNS_MAX (16 + 16 + TFS_PREFIX_TIME_MAX)
#define UNKNOWN "[UNKNOWN EVENT]"

struct task {
	int pid;
	int len; /* 0: empty */
	char text[TASK_TEXT];
};

struct tfs_text {
	struct tfs_sink sink;
	struct tfs_trace *trace;
	struct tfs_out *out;
	struct tfs_text_opts opts;
	enum tfs_task_format task_format;
	enum tfs_time_format time_format;
	struct tfs_body *body;
	struct tfs_strbuf line;
	struct task *tasks;
	int name_width;      /* of the longest instance's name; -1 when there are none */
	bool buffer_printed; /* the line before said whose record comes */
};

static struct tfs_text *to_text(struct tfs_sink *sink)
{
	return (struct tfs_text *)sink;
}

static int name_width(const struct tfs_dat *dat)
{
	size_t n = tfs_dat_n_buffers(dat), i, len;
	int width = -1;

	for (i = 0; i < n; i++) {
		len = strlen(tfs_dat_buffer(dat, i)->name);
		if (len && (int)len > width)
			width = (int)len;
	}
	return width;
}

/* "  name: " before every line when the file has instances; blanks for the top buffer. */
static int put_buffer(struct tfs_text *t, uint32_t buffer)
{
	const char *name = tfs_dat_buffer(t->trace->dat, buffer)->name;

	if (t->name_width < 0)
		return 0;
	return tfs_strbuf_addf(&t->line, "%*s%s", t->name_width, name, *name ? ": " : "  ");
}

static int flush_line(struct tfs_text *t)
{
	int rc = tfs_out_write(t->out, t->line.s, t->line.len);

	tfs_strbuf_reset(&t->line);
	return rc;
}

static int fail(struct tfs_text *t, int rc, struct tfs_err *err)
{
	if (!rc)
		return 0;
	/* A reader that went away (-EPIPE) is no failure to talk about; the caller decides. */
	if (tfs_out_error(t->out))
		return tfs_err_set(err, tfs_out_error(t->out), "cannot write the report");
	return tfs_err_set(err, rc, "cannot format the report");
}

static int begin(struct tfs_sink *sink, struct tfs_err *err)
{
	struct tfs_text *t = to_text(sink);
	int rc = tfs_out_printf(t->out, "cpus=%u\n", tfs_dat_info(t->trace->dat)->cpus);

	return fail(t, rc, err);
}

static int lost(struct tfs_sink *sink, const struct tfs_record *rec, struct tfs_err *err)
{
	struct tfs_text *t = to_text(sink);
	int rc = put_buffer(t, rec->buffer);

	if (!rc && rec->lost > 0)
		rc = tfs_strbuf_addf(&t->line, "CPU:%u [%" PRId64 " EVENTS DROPPED]\n", rec->cpu,
				     rec->lost);
	else if (!rc)
		rc = tfs_strbuf_addf(&t->line, "CPU:%u [EVENTS DROPPED]\n", rec->cpu);
	if (!rc)
		rc = flush_line(t);
	t->buffer_printed = true;
	return fail(t, rc, err);
}

/* "comm-pid ": kept once the name is known, for libtraceevent may still learn an unknown one. */
static int put_task(struct tfs_text *t, int pid)
{
	struct task *task = &t->tasks[(unsigned int)pid % TASKS];
	const char *comm;
	char *p;
	int rc;

	if (task->len && task->pid == pid)
		return tfs_strbuf_add(&t->line, task->text, (size_t)task->len);
	comm = tfs_trace_comm(t->trace, pid);
	if (strlen(comm) + TFS_PREFIX_TASK_MAX <= TASK_TEXT && strcmp(comm, "<...>")) {
		p = tfs_prefix_task(task->text, comm, pid, t->task_format);
		task->len = (int)(p - task->text);
		task->pid = pid;
		return tfs_strbuf_add(&t->line, task->text, (size_t)task->len);
	}
	rc = tfs_strbuf_grow(&t->line, strlen(comm) + TFS_PREFIX_TASK_MAX);
	if (rc)
		return rc;
	p = tfs_prefix_task(t->line.s + t->line.len, comm, pid, t->task_format);
	t->line.len = (size_t)(p - t->line.s);
	return 0;
}

/* Between CPU and time: the latency column; hexadecimal flags with -R. */
static int put_flags(struct tfs_text *t, const struct tfs_record *rec)
{
	const char *text;
	size_t len;
	int rc;

	if (t->opts.no_flags && !t->opts.latency)
		return 0;
	if (t->opts.raw)
		return tfs_strbuf_addf(&t->line, "-0x%x",
				       tfs_trace_record_flags(t->trace, rec) & 0xff);
	rc = tfs_body_flags(t->body, rec, &text, &len);
	if (!rc && !t->opts.latency)
		rc = tfs_strbuf_addc(&t->line, ' ');
	return rc ? rc : tfs_strbuf_add(&t->line, text, len);
}

static int put_columns(struct tfs_text *t, const struct tfs_record *rec,
		       const struct tfs_event_type *type)
{
	char *p;
	int rc;

	rc = put_task(t, tfs_trace_record_pid(t->trace, rec));
	if (!rc)
		rc = tfs_strbuf_grow(&t->line, COLUMNS_MAX);
	if (rc)
		return rc;
	p = tfs_prefix_cpu(t->line.s + t->line.len, rec->cpu, t->task_format);
	t->line.len = (size_t)(p - t->line.s);
	rc = put_flags(t, rec);
	if (!rc)
		rc = tfs_strbuf_grow(&t->line, TFS_PREFIX_TIME_MAX);
	if (rc)
		return rc;
	p = tfs_prefix_time(t->line.s + t->line.len, rec->ts, t->time_format);
	t->line.len = (size_t)(p - t->line.s);
	return tfs_strbuf_add(&t->line, type->column, type->column_len);
}

/* What trace-cmd makes of a record that no format describes: every part of it is unknown. */
static int put_unknown(struct tfs_text *t, const struct tfs_record *rec)
{
	int rc = tfs_strbuf_adds(&t->line, UNKNOWN);

	if (!rc && t->opts.raw)
		rc = put_flags(t, rec);
	else if (!rc && (t->opts.latency || !t->opts.no_flags))
		rc = tfs_strbuf_adds(&t->line, UNKNOWN);
	return rc ? rc : tfs_strbuf_addf(&t->line, "%s (NULL): %14s%s", UNKNOWN, "", UNKNOWN);
}

static int put_record(struct tfs_text *t, const struct tfs_record *rec, struct tfs_merge *merge)
{
	struct tfs_event_type *type;
	const char *text, *nul;
	size_t len;
	int rc;

	type = tfs_trace_event(t->trace, tfs_trace_record_id(t->trace, rec));
	if (!type)
		return put_unknown(t, rec);
	rc = put_columns(t, rec, type);
	if (!rc)
		rc = tfs_body_print(t->body, type, rec, merge, &text, &len);
	if (rc)
		return rc;
	/* One newline at the end is dropped; the line ends at a zero, as printf's strings do. */
	if (len && text[len - 1] == '\n')
		len--;
	nul = memchr(text, 0, len);
	return tfs_strbuf_add(&t->line, text, nul ? (size_t)(nul - text) : len);
}

static int record(struct tfs_sink *sink, const struct tfs_record *rec, struct tfs_merge *merge,
		  struct tfs_err *err)
{
	struct tfs_text *t = to_text(sink);
	int rc = 0;

	if (tfs_fgraph_joined(t->trace, rec)) {
		t->buffer_printed = false;
		return 0;
	}
	if (!t->buffer_printed)
		rc = put_buffer(t, rec->buffer);
	t->buffer_printed = false;
	if (!rc)
		rc = put_record(t, rec, merge);
	if (!rc)
		rc = tfs_strbuf_addc(&t->line, '\n');
	if (!rc)
		rc = flush_line(t);
	return fail(t, rc, err);
}

static int text(struct tfs_sink *sink, const char *s, size_t len, struct tfs_err *err)
{
	struct tfs_text *t = to_text(sink);

	int rc = tfs_out_write(t->out, s, len);

	/* trace-cmd ends with an empty line. */
	return fail(t, rc ? rc : tfs_out_puts(t->out, "\n"), err);
}

static int end(struct tfs_sink *sink, struct tfs_err *err)
{
	struct tfs_text *t = to_text(sink);

	return fail(t, tfs_out_flush(t->out), err);
}

int tfs_text_new(struct tfs_trace *trace, struct tfs_out *out, const struct tfs_text_opts *opts,
		 struct tfs_sink **sink)
{
	struct tfs_text *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->sink = (struct tfs_sink){ begin, record, lost, text, end };
	t->trace = trace;
	t->out = out;
	t->opts = *opts;
	t->name_width = name_width(trace->dat);
	t->task_format = opts->latency ? TFS_TASK_LATENCY : TFS_TASK_NORMAL;
	t->time_format = opts->raw_ts ? TFS_TIME_RAW : tfs_trace_time_format(trace, opts->nsecs);
	tfs_trace_set_repeat_time(opts->raw_ts                     ? "%d" :
				  t->time_format == TFS_TIME_RAW   ? "%12d" :
				  t->time_format == TFS_TIME_NSECS ? "%9.1d" :
								     "%6.1000d");
	tfs_strbuf_init(&t->line);
	t->tasks = calloc(TASKS, sizeof(*t->tasks));
	if (!t->tasks || tfs_body_new(trace, opts->raw, &t->body)) {
		tfs_text_free(&t->sink);
		return -ENOMEM;
	}
	*sink = &t->sink;
	return 0;
}

void tfs_text_free(struct tfs_sink *sink)
{
	struct tfs_text *t = to_text(sink);

	if (!t)
		return;
	tfs_body_free(t->body);
	tfs_strbuf_release(&t->line);
	free(t->tasks);
	free(t);
}
