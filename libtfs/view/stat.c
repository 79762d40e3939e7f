/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/stat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "decode/clock.h"
#include "decode/event-text.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/prefix.h"
#include "decode/trace.h"
#include "pipeline/view.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-read.h"
#include "tracedat/stream.h"

/* Sums over the records of one CPU of one buffer. */
struct cpu_stat {
	uint64_t records, lost, first, last;
	uint64_t bytes; /* of sub-buffers, inflated */
	bool uncounted; /* lost events whose number the kernel did not keep */
	bool missing;   /* the last events are, whose number nobody knows */
};

/* How many types and records are printed in one way; a type may be printed in two. */
struct way_stat {
	uint64_t types, records;
};

struct tfs_stat {
	struct tfs_view view;
	struct tfs_trace *trace;
	struct tfs_strbuf *out; /* of end() */
	enum tfs_stat_kind kind;
	size_t *start; /* of each buffer's CPUs in @cpus */
	struct cpu_stat *cpus;
	struct cpu_stat *last; /* of the record before, and whose it is */
	uint32_t last_buffer, last_cpu;
	struct way_stat ways[TFS_EVENT_TEXT_WAYS];
	bool (*met)[TFS_EVENT_TEXT_WAYS]; /* by type: one of its records was printed so */
};

static struct tfs_stat *to_stat(struct tfs_view *view)
{
	return (struct tfs_stat *)view;
}

static struct cpu_stat *find(struct tfs_stat *s, const struct tfs_record *rec)
{
	const struct tfs_dat_buffer *b = tfs_dat_buffer(tfs_trace_dat(s->trace), rec->buffer);
	size_t i;

	if (s->last && s->last_buffer == rec->buffer && s->last_cpu == rec->cpu)
		return s->last;
	for (i = 0; i + 1 < b->n_cpus && b->cpus[i].cpu != rec->cpu; i++)
		;
	s->last = &s->cpus[s->start[rec->buffer] + i];
	s->last_buffer = rec->buffer;
	s->last_cpu = rec->cpu;
	return s->last;
}

static int init(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	(void)err;
	return tfs_strbuf_addf(out, "cpus=%u\n",
			       tfs_dat_info(tfs_trace_dat(to_stat(view)->trace))->cpus);
}

static int text(struct tfs_view *view, const char *t, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	int rc = tfs_strbuf_add(out, t, len);

	(void)view;
	(void)err;
	return rc ? rc : tfs_strbuf_addc(out, '\n');
}

static void count_way(struct tfs_stat *s, const struct tfs_event *event)
{
	enum tfs_event_text_way way = tfs_event_text_way(event);
	bool *met = &s->met[event->type->index][way];

	s->ways[way].records++;
	s->ways[way].types += !*met;
	*met = true;
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct cpu_stat *c = find(to_stat(view), &event->rec);

	(void)state;
	(void)out;
	if (event->missing)
		c->missing = true;
	else if (event->rec.lost > 0)
		c->lost += (uint64_t)event->rec.lost;
	else
		c->uncounted = true;
	return 0;
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct tfs_stat *s = to_stat(view);
	struct cpu_stat *c = find(s, &event->rec);

	(void)state;
	(void)out;
	if (!c->records++)
		c->first = event->rec.ts;
	c->last = event->rec.ts;
	if (event->type)
		count_way(s, event);
	return 0;
}

/* Whole sub-buffers, as they were before compression; damage ends the count. */
static int count_bytes(struct tfs_dat *dat, size_t buffer, size_t cpu, uint64_t *n)
{
	const struct tfs_dat_buffer *b = tfs_dat_buffer(dat, buffer);
	struct tfs_stream *stream = NULL;
	const void *page;
	int rc;

	*n = b->compressed ? 0 : b->cpus[cpu].size;
	if (!b->compressed)
		return 0;
	rc = tfs_stream_new(dat, buffer, cpu, &stream, NULL);
	if (!rc)
		for (; (rc = tfs_stream_next(stream, &page, NULL)) == 1; *n += b->page_size)
			;
	tfs_stream_free(stream);
	return rc == -ENOMEM ? rc : 0;
}

static int count_all_bytes(struct tfs_stat *s)
{
	struct tfs_dat *dat = tfs_trace_dat(s->trace);
	size_t b, i;
	int rc = 0;

	for (b = 0; b < tfs_dat_n_buffers(dat); b++)
		for (i = 0; i < tfs_dat_buffer(dat, b)->n_cpus && !rc; i++)
			rc = count_bytes(dat, b, i, &s->cpus[s->start[b] + i].bytes);
	return rc;
}

/* The kernel's counters: every CPUSTAT option, its terminating zero a newline. */
static int put_counters(struct tfs_stat *s)
{
	size_t n = tfs_dat_n_options(tfs_trace_dat(s->trace)), i;
	const struct tfs_dat_option *o;
	bool any = false;
	int rc = 0;

	for (i = 0; i < n && !rc; i++) {
		o = tfs_dat_option(tfs_trace_dat(s->trace), i);
		if (o->id != TFS_DAT_CPUSTAT || !o->data.size)
			continue;
		rc = tfs_strbuf_add(s->out, o->data.data, o->data.size - 1);
		if (!rc)
			rc = tfs_strbuf_adds(s->out, "\n");
		any = true;
	}
	return rc ? rc : tfs_strbuf_adds(s->out, any ? "\n" : " No stats in this file\n");
}

/*
 * Where the top buffer's data lie. trace-cmd inflates compressed data to a file of its own, which
 * begins with an empty page, and prints the offsets there.
 */
static int put_places(struct tfs_stat *s)
{
	const struct tfs_dat_buffer *b;
	uint64_t at, bytes;
	size_t n, i;
	int rc = 0;

	for (n = 0; n < tfs_dat_n_buffers(tfs_trace_dat(s->trace)); n++)
		if (!*tfs_dat_buffer(tfs_trace_dat(s->trace), n)->name)
			break;
	if (n == tfs_dat_n_buffers(tfs_trace_dat(s->trace)))
		return 0;
	b = tfs_dat_buffer(tfs_trace_dat(s->trace), n);
	at = b->page_size;
	for (i = 0; i < b->n_cpus && !rc; i++) {
		bytes = s->cpus[s->start[n] + i].bytes;
		rc = tfs_strbuf_addf(s->out,
				     "CPU%u data recorded at offset=0x%" PRIx64 "\n"
				     "    %" PRIu64 " bytes in size\n",
				     b->cpus[i].cpu, b->compressed ? at : b->cpus[i].offset, bytes);
		at += bytes;
	}
	return rc;
}

static int put_kernel(struct tfs_stat *s)
{
	int rc = tfs_strbuf_adds(
		s->out,
		"\nKernel buffer statistics:\n"
		"  Note: \"entries\" are the entries left in the kernel ring buffer and are not\n"
		"        recorded in the trace data. They should all be zero.\n\n");

	if (!rc)
		rc = put_counters(s);
	return rc ? rc : put_places(s);
}

static int put_stamp(struct tfs_stat *s, const struct cpu_stat *c, uint64_t ts)
{
	char buf[TFS_PREFIX_TIME_MAX];
	char *end = tfs_prefix_time(buf, ts, tfs_trace_time_format(s->trace, TFS_TIME_USECS));

	if (!c->records)
		return tfs_strbuf_addf(s->out, " %16s", "-");
	end[-1] = '\0'; /* the colon */
	return tfs_strbuf_addf(s->out, " %16s", buf);
}

static int put_row(struct tfs_stat *s, size_t buffer, size_t cpu)
{
	const struct tfs_dat_buffer *b = tfs_dat_buffer(tfs_trace_dat(s->trace), buffer);
	const struct cpu_stat *c = &s->cpus[s->start[buffer] + cpu];
	char n[24];
	char *end = tfs_prefix_number(n, c->lost, 0, ' ');
	int rc;

	*end = '\0';
	rc = tfs_strbuf_addf(s->out, "%-16s %4u %12" PRIu64 " %11s%c %14" PRIu64,
			     *b->name ? b->name : "(top)", b->cpus[cpu].cpu, c->records, n,
			     c->missing   ? '?' :
			     c->uncounted ? '+' :
					    ' ',
			     c->bytes);
	if (!rc)
		rc = put_stamp(s, c, c->first);
	if (!rc)
		rc = put_stamp(s, c, c->last);
	return rc ? rc : tfs_strbuf_adds(s->out, "\n");
}

/*
 * Pages say where events were lost, and not always how many. Where the recorder stored the kernel's
 * counters, those are the number.
 */
static void count_lost(struct tfs_stat *s, size_t buffer)
{
	const struct tfs_dat_buffer *b = tfs_dat_buffer(tfs_trace_dat(s->trace), buffer);
	struct cpu_stat *c = &s->cpus[s->start[buffer]];
	struct tfs_dat_lost lost;

	for (size_t i = 0; i < b->n_cpus; i++, c++) {
		if (tfs_dat_lost_find(tfs_trace_dat(s->trace), buffer, b->cpus[i].cpu, &lost) != 1)
			continue;
		c->lost = tfs_dat_lost_sum(&lost);
		c->uncounted = false;
	}
}

static int put_table(struct tfs_stat *s)
{
	struct tfs_dat *dat = tfs_trace_dat(s->trace);
	bool uncounted = false, missing = false;
	size_t b, i;
	int rc;

	rc = tfs_strbuf_addf(s->out, "\nRecorded data:\n%-16s %4s %12s %11s  %14s %16s %16s\n",
			     "buffer", "CPU", "records", "lost", "bytes", "first", "last");
	for (b = 0; b < tfs_dat_n_buffers(dat) && !rc; b++) {
		count_lost(s, b);
		for (i = 0; i < tfs_dat_buffer(dat, b)->n_cpus && !rc; i++) {
			uncounted |= s->cpus[s->start[b] + i].uncounted;
			missing |= s->cpus[s->start[b] + i].missing;
			rc = put_row(s, b, i);
		}
	}
	if (!rc && uncounted)
		rc = tfs_strbuf_adds(s->out, "+ and more, which the kernel did not count\n");
	if (!rc && missing)
		rc = tfs_strbuf_adds(s->out, "? and the CPU's last events, which are not in the "
					     "file; how many is not known\n");
	return rc;
}

/* How records are printed, which decides the time that a report takes. */
static int put_ways(struct tfs_stat *s)
{
	static const char *const names[TFS_EVENT_TEXT_WAYS] = {
		"by compiled formats",
		"in place of plugins",
		"by libtraceevent",
	};
	const struct tfs_event_type *type;
	int rc, way;
	size_t i;

	rc = tfs_strbuf_addf(s->out, "\n%-21s %12s %11s\n", "Events printed:", "records",
			     "event types");
	for (way = 0; way < TFS_EVENT_TEXT_WAYS && !rc; way++)
		rc = tfs_strbuf_addf(s->out, "%-21s %12" PRIu64 " %11" PRIu64 "\n", names[way],
				     s->ways[way].records, s->ways[way].types);
	for (i = 0; i < tfs_trace_index(s->trace)->n && !rc; i++) {
		type = &tfs_trace_index(s->trace)->types[i];
		if (s->met[i][TFS_EVENT_TEXT_LIBRARY])
			rc = tfs_strbuf_addf(s->out, "  %.*s: %s\n", (int)type->name_len,
					     type->name,
					     type->refused ? type->refused : "a plugin prints it");
	}
	return rc;
}

static int put_option(struct tfs_stat *s, enum tfs_dat_id id)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(tfs_trace_dat(s->trace), id);

	/* Blobs end with a zero after their last byte. */
	return o ? tfs_strbuf_addf(s->out, "%s\n", o->data.data) : 0;
}

static int put_all(struct tfs_stat *s)
{
	int rc;

	if (s->kind == TFS_STAT_UNAME || s->kind == TFS_STAT_VERSION) {
		rc = s->kind == TFS_STAT_UNAME ? put_option(s, TFS_DAT_UNAME) : 0;
		return rc ? rc : put_option(s, TFS_DAT_VERSION);
	}
	rc = count_all_bytes(s);
	if (!rc)
		rc = put_kernel(s);
	if (!rc && s->kind == TFS_STAT_ALL)
		rc = put_table(s);
	return rc || s->kind != TFS_STAT_ALL ? rc : put_ways(s);
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tfs_stat *s = to_stat(view);

	(void)err;
	s->out = out;
	/* A latency tracer's text is all there is. */
	return tfs_dat_is_text(tfs_trace_dat(s->trace)) ? 0 : put_all(s);
}

static void free_stat(struct tfs_view *view)
{
	struct tfs_stat *s = to_stat(view);

	free(s->start);
	free(s->cpus);
	free(s->met);
	free(s);
}

/* Only the table of what was found needs the events. */
static const struct tfs_view_ops kernel_ops = {
	.init = init,
	.text = text,
	.end = end,
	.free = free_stat,
};

static const struct tfs_view_ops ops = {
	.init = init,
	.event = event,
	.lost = lost,
	.text = text,
	.end = end,
	.free = free_stat,
};

int tfs_stat_new(struct tfs_trace *trace, enum tfs_stat_kind kind, struct tfs_view **view)
{
	struct tfs_stat *s = calloc(1, sizeof(*s));
	size_t n = tfs_dat_n_buffers(tfs_trace_dat(trace)), cpus = 0, i;

	if (!s)
		return -ENOMEM;
	s->view.ops = kind == TFS_STAT_ALL ? &ops : &kernel_ops;
	s->view.flags = TFS_VIEW_MISSING;
	s->trace = trace;
	s->kind = kind;
	s->start = calloc(n + 1, sizeof(*s->start));
	for (i = 0; s->start && i < n; i++) {
		s->start[i] = cpus;
		cpus += tfs_dat_buffer(tfs_trace_dat(trace), i)->n_cpus;
	}
	s->cpus = calloc(cpus + 1, sizeof(*s->cpus));
	s->met = calloc(tfs_trace_index(trace)->n + 1, sizeof(*s->met));
	if (!s->start || !s->cpus || !s->met) {
		tfs_view_free(&s->view);
		return -ENOMEM;
	}
	*view = &s->view;
	return 0;
}
