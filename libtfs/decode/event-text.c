/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/event-text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/inert.h"
#include "base/strbuf.h"
#include "decode/compat.h"
#include "decode/event.h"
#include "decode/fgraph.h"
#include "decode/printfmt.h"
#include "decode/trace-internal.h"
#include "decode/types.h"
#include "printfmt/native.h"
#include "printfmt/program.h"
#include "tracedat/page.h"

/* Bytes after a record that are copied too; a stray string nearly always ends within them. */
#define BEHIND 128

struct tfs_event_text {
	struct tfs_trace *trace;
	bool raw;
	struct trace_seq seq;
};

int tfs_event_text_new(struct tfs_trace *trace, enum tfs_event_text_style style,
		       struct tfs_event_text **out)
{
	struct tfs_event_text *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->trace = trace;
	b->raw = style == TFS_EVENT_TEXT_RAW;
	trace_seq_init(&b->seq);
	if (b->seq.state != TRACE_SEQ__GOOD) {
		tfs_event_text_free(b);
		return -ENOMEM;
	}
	*out = b;
	return 0;
}

void tfs_event_text_free(struct tfs_event_text *b)
{
	if (!b)
		return;
	trace_seq_destroy(&b->seq);
	free(b);
}

/*
 * libtraceevent trusts offsets and lengths inside a record. It gets a copy followed by zeros,
 * as many as it can reach.
 */
static void copy_record(struct tfs_trace *trace, const struct tfs_event_type *type,
			const struct tfs_record *rec, struct tep_record *out)
{
	size_t room = tfs_record_room(rec);
	unsigned int span = type ? type->span : 0, size = rec->size;
	size_t len = (size > span ? size : span) + BEHIND;

	/*
	 * -R shows more than the record: an array that the kernel cut short (kernel_stack's caller)
	 * in its full length, a string of length 0 up to the next zero byte.
	 */
	if (len > room)
		len = room;
	if (len > TFS_EVENT_SPAN_MAX)
		len = TFS_EVENT_SPAN_MAX;
	memcpy(trace->scratch, rec->data, len);
	if (trace->scratch_used > len)
		memset(trace->scratch + len, 0, trace->scratch_used - len);
	trace->scratch_used = len;
	if (type && size < type->least)
		size = type->least;
	if (size > TFS_EVENT_SPAN_MAX)
		size = TFS_EVENT_SPAN_MAX;
	*out = (struct tep_record){
		.ts = rec->ts,
		.offset = rec->offset,
		.cpu = (int)rec->cpu,
		.size = (int)size,
		.record_size = (int)rec->size,
		.data = trace->scratch,
		.ref_count = 1,
	};
}

/* Append what is in @b->seq, whose memory is given back when it is much. */
static int take(struct tfs_event_text *b, struct tfs_strbuf *out)
{
	size_t start = out->len, len = b->seq.len;
	bool good = b->seq.state == TRACE_SEQ__GOOD;
	int rc =
		good ? tfs_strbuf_add(out, b->seq.buffer, len < TFS_TEXT_MAX ? len : TFS_TEXT_MAX) :
		       -ENOMEM;

	if (!rc && len > TFS_TEXT_MAX)
		rc = tfs_text_cut(out, start);
	if (!good || b->seq.buffer_size > TFS_TEXT_MAX) {
		trace_seq_destroy(&b->seq);
		trace_seq_init(&b->seq);
	}
	return rc;
}

/* Is there code of ours for what a plugin prints of this record? */
static bool is_native(const struct tfs_event *event)
{
	const struct tfs_native *native = event->type->native;

	return native && tfs_native_takes(native, event->rec.size);
}

bool tfs_event_text_in_order(const struct tfs_event *event)
{
	return event->type->handled && !is_native(event);
}

/* The print format. 0, -ENOMEM, or 1 with nothing appended: this is for libtraceevent. */
static int print_format(const struct tfs_event *event, struct tfs_strbuf *out)
{
	const struct tfs_record *rec = &event->rec;

	if (!event->type->program)
		return 1;
	return tfs_program_run(event->type->program, out, rec->data, rec->size,
			       tfs_record_room(rec));
}

/* The text that a plugin prints; the same results */
static int print_natively(const struct tfs_event *event, struct tfs_strbuf *out)
{
	const struct tfs_native_rec rec = {
		.data = event->rec.data,
		.size = event->rec.size,
		.indent = event->indent,
		.exit = event->leaf.data,
		.exit_size = event->leaf.size,
	};
	size_t start = out->len;
	int rc;

	if (!event->type->native)
		return 1;
	rc = tfs_native_run(event->type->native, &rec, out);
	if (rc == TFS_NATIVE_NOT_ME)
		return 1;
	if (rc != TFS_NATIVE_FORMAT)
		return rc;
	rc = print_format(event, out);
	if (rc > 0 && out->len > start) {
		/* libtraceevent prints both. */
		out->len = start;
		out->s[start] = '\0';
	}
	return rc;
}

/* By libtraceevent, into @b->seq; under the trace's lock. */
static void print_by_library(struct tfs_event_text *b, const struct tfs_event *event)
{
	const struct tfs_event_type *type = event->type;
	struct tep_event *tep = type->tep;
	struct tep_record copy;

	if (type->looks_up)
		tfs_trace_load_symbols(b->trace);
	if (type->all)
		tfs_program_set_strings(type->all, tep, event->bytes);
	copy_record(b->trace, type, &event->rec, &copy);
	if (type->patches)
		tfs_compat_patch(b->trace, type, copy.data, (size_t)copy.size, b->raw);
	trace_seq_reset(&b->seq);
	tfs_fgraph_begin(b->trace, event);
	/* The short way to what tep_print_event() does first; it does the rest when that fails. */
	if (!b->raw && type->handled && tep->handler &&
	    !tep->handler(&b->seq, &copy, tep, tep->context))
		return;
	trace_seq_reset(&b->seq);
	if (type->risky && !tfs_printfmt_safe(tep, copy.data, TFS_SCRATCH_SIZE)) {
		trace_seq_puts(&b->seq, "[FAILED TO PARSE]");
		tep->flags |= (int)TEP_EVENT_FL_FAILED;
		tep_record_print_fields(&b->seq, &copy, tep);
		tep->flags &= ~(int)TEP_EVENT_FL_FAILED;
		return;
	}
	tep_print_event(b->trace->tep, &b->seq, &copy, "%s",
			b->raw ? TEP_PRINT_INFO_RAW : TEP_PRINT_INFO);
}

static int print_fields(const struct tfs_event *event, struct tfs_strbuf *out)
{
	const struct tfs_record *rec = &event->rec;

	return tfs_program_run_fields(event->type->all, out,
				      &(struct tfs_raw){ rec->data, rec->size, tfs_record_room(rec),
							 event->bytes });
}

/* By what libtfs/printfmt made of the event; the same results. */
static int print_compiled(const struct tfs_event_text *b, const struct tfs_event *event,
			  struct tfs_strbuf *out)
{
	const struct tfs_event_type *type = event->type;
	int rc;

	if (type->all && (b->raw || !type->handled))
		return print_fields(event, out);
	if (b->raw)
		return 1;
	if (!type->handled || type->relaid) {
		rc = print_format(event, out);
		if (rc <= 0 || !type->handled)
			return rc;
	}
	return print_natively(event, out);
}

enum tfs_event_text_way tfs_event_text_way(const struct tfs_event *event)
{
	const struct tfs_event_type *type = event->type;

	if (!type->handled)
		return type->all || type->program ? TFS_EVENT_TEXT_COMPILED :
						    TFS_EVENT_TEXT_LIBRARY;
	return is_native(event) ? TFS_EVENT_TEXT_NATIVE : TFS_EVENT_TEXT_LIBRARY;
}

/* @zeros: the text may have some; a compiled print format leaves such a record to libtraceevent */
static int print(struct tfs_event_text *b, const struct tfs_event *event, struct tfs_strbuf *out,
		 bool *zeros)
{
	int rc;

	*zeros = true;
	if (event->text)
		return tfs_strbuf_add(out, event->text, event->text_len);
	rc = print_compiled(b, event, out);
	*zeros = rc > 0 || event->type->all;
	if (rc <= 0)
		return rc;
	tfs_trace_lock(b->trace);
	if (b->trace->repeat_time)
		*b->trace->repeat_time_of_plugin = b->trace->repeat_time;
	tfs_trace_begin_library();
	print_by_library(b, event);
	rc = tfs_trace_end_library(b->trace) ? take(b, out) : -ENOMEM;
	tfs_trace_unlock(b->trace);
	return rc;
}

int tfs_event_text_print(struct tfs_event_text *b, const struct tfs_event *event,
			 struct tfs_strbuf *out)
{
	size_t start = out->len;
	bool zeros;
	int rc = print(b, event, out, &zeros);

	return rc || !b->trace->inert ? rc : tfs_inert_rest(out, start, TFS_INERT_LAST);
}

/* A user stack has room for 8 addresses; those that it does not fill are zero. */
static void drop_padding(struct tfs_strbuf *out, size_t start)
{
	static const char padding[] = "\n\t=> 0x0";
	const size_t n = sizeof(padding) - 1;

	while (out->len - start > n && !memcmp(out->s + out->len - n, padding, n))
		out->len -= n;
}

/* Looking for a zero in what was just written waits until it is: only where there may be one. */
int tfs_event_text_line(struct tfs_event_text *b, const struct tfs_event *event,
			struct tfs_strbuf *out)
{
	size_t start = out->len;
	bool zeros = false;
	int rc = 1;
	const char *nul;

	/* The fast path of most records; the general case follows. */
	if (!b->raw && !event->text && !event->type->handled && !event->type->all)
		rc = print_format(event, out);
	if (rc > 0)
		rc = print(b, event, out, &zeros);
	if (!rc)
		rc = tfs_strbuf_room(out, 1);
	if (rc)
		return rc;
	if (out->len > start && out->s[out->len - 1] == '\n')
		out->len--;
	nul = zeros ? memchr(out->s + start, 0, out->len - start) : NULL;
	if (nul)
		out->len = (size_t)(nul - out->s);
	if (event->type->padded && !b->raw)
		drop_padding(out, start);
	if (b->trace->inert &&
	    (tfs_inert_rest(out, start, TFS_INERT_LAST) || tfs_strbuf_room(out, 1)))
		return -ENOMEM;
	out->s[out->len++] = '\n';
	out->s[out->len] = '\0';
	return 0;
}
