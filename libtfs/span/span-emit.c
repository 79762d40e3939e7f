/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/span-internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

struct tfs_span_record tfs_span_record(const struct tfs_event *event)
{
	return (struct tfs_span_record){ event->type, event->rec.data, event->rec.size };
}

int tfs_span_keep(const struct tfs_spans *s, enum tfs_span_kind kind, const struct tfs_event *event,
		  struct span_kept **kept)
{
	struct span_kept *k;

	*kept = NULL;
	if (!(s->opts.records & 1u << kind))
		return 0;
	k = malloc(sizeof(*k) + event->rec.size);
	if (!k)
		return -ENOMEM;
	memcpy(k->data, event->rec.data, event->rec.size);
	k->rec = (struct tfs_span_record){ event->type, k->data, event->rec.size };
	*kept = k;
	return 0;
}

int tfs_span_push(struct span_stack *st, const struct span_open *open)
{
	if (tfs_grow(&st->v, &st->alloc, st->n + 1))
		return -ENOMEM;
	st->v[st->n++] = *open;
	return 0;
}

static void count(struct tfs_spans *s, const struct tfs_span *span)
{
	if (!(span->flags & TFS_SPAN_OPEN) || span->flags & TFS_SPAN_UNSELECTED)
		return;
	s->counts.cut += !!(span->flags & TFS_SPAN_CUT);
	s->counts.no_begin += !!(span->flags & TFS_SPAN_NO_BEGIN);
	s->counts.no_end += !!(span->flags & TFS_SPAN_NO_END);
}

int tfs_span_emit(struct tfs_spans *s, const struct span_scope *scope, struct tfs_span *span)
{
	span->input = scope->input;
	span->buffer = scope->buffer;
	span->name = s->names[span->name_id];
	span->comm = s->names[span->comm_id];
	if (span->end < span->begin) {
		span->end = span->begin;
		/* Who was about to run on a CPU is cut at the CPU's last event. */
		s->counts.negative += !(span->flags & TFS_SPAN_CUT);
	}
	if (span->kind != TFS_SPAN_GRAPH)
		span->duration = span->self = span->end - span->begin;
	count(s, span);
	return s->opts.ops->span(s->opts.ctx, span);
}
