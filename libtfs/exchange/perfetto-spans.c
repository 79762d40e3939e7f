/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/perfetto-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/strvec.h"
#include "decode/event-type.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/value.h"
#include "span/pairs.h"
#include "span/span.h"
#include "symbolize/symbolize.h"
#include "view/export-value.h"

/* Slices that readers do not make of ftrace's events: pairs, system calls of some machines */

enum { EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23 };
enum { EVENT_CALLSTACK = 56 };
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3 };
enum { ANNOTATION_UINT = 3, ANNOTATION_INT = 4, ANNOTATION_STRING = 6, ANNOTATION_POINTER = 7 };
enum { ANNOTATION_NAME = 10 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_THREAD = 4, TRACK_PARENT = 5 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

/* Kinds of tracks: with a number of the kind they are different */
enum { KEY_THREAD = 1, KEY_PAIR = 2 };

static uint64_t uuid_of(const struct perfetto_machine *m, uint64_t kind, uint64_t key)
{
	const uint64_t of[] = { kind, key };

	return tfs_hash64(m->uuid, of, sizeof(of));
}

int tfs_perfetto_tgid(const struct perfetto_machine *m, int tid, uint64_t ts)
{
	return m->symbolize ? tfs_symbolize_tgid(m->symbolize, tid, ts) : -1;
}

uint64_t tfs_perfetto_thread_uuid(const struct perfetto_machine *m, int tid)
{
	return uuid_of(m, KEY_THREAD, (uint32_t)tid);
}

/* Is it new? 1, 0, -ENOMEM */
static int add_track(struct perfetto_machine *m, uint64_t uuid)
{
	uint64_t hash = tfs_hash_int(uuid);

	if (tfs_hashmap_find(&m->own_tracks, hash, NULL, NULL))
		return 0;
	return tfs_hashmap_add(&m->own_tracks, hash, m) ? -ENOMEM : 1;
}

int tfs_perfetto_thread_track(struct perfetto *pf, struct perfetto_machine *m, int tid, int tgid,
			      const char *comm)
{
	uint64_t uuid = tfs_perfetto_thread_uuid(m, tid);
	int rc = add_track(m, uuid);
	struct tfs_proto *p;

	if (rc != 1)
		return rc;
	comm = tfs_trace_task_name(m->trace, tid, comm);
	if (!*comm)
		comm = TFS_TASK_UNKNOWN;
	tfs_strbuf_reset(&pf->scratch);
	rc = tfs_strbuf_addf(&pf->scratch, "%s-%d", comm, tid);
	if (rc)
		return rc;
	p = tfs_packets_begin(pf->packets, &m->tracks);
	tfs_proto_open(p, TFS_PACKET_TRACK_DESCRIPTOR);
	tfs_proto_uint(p, TRACK_UUID, uuid);
	if (tgid > 0 && tid > 0) {
		tfs_proto_open(p, TRACK_THREAD);
		tfs_proto_int(p, THREAD_PID, tgid);
		tfs_proto_int(p, THREAD_TID, tid);
		tfs_proto_string(p, THREAD_NAME, comm);
		tfs_proto_close(p);
	} else {
		tfs_proto_text(p, TRACK_NAME, pf->scratch.s, pf->scratch.len);
	}
	tfs_proto_close(p);
	return tfs_packets_end(pf->packets);
}

void tfs_perfetto_put_instant(struct tfs_proto *p, uint64_t uuid, const struct tfs_event_type *type,
			      uint64_t callstack)
{
	tfs_proto_open(p, TFS_PACKET_TRACK_EVENT);
	tfs_proto_uint(p, EVENT_TYPE, INSTANT);
	tfs_proto_uint(p, EVENT_TRACK, uuid);
	tfs_proto_text(p, EVENT_NAME, type->name, type->name_len);
	tfs_proto_uint(p, EVENT_CALLSTACK, callstack);
	tfs_proto_close(p);
}

/* A track for each slot of a pair whose slices may cross */
static int pair_track(struct perfetto *pf, struct perfetto_machine *m, const struct tfs_span *span,
		      uint64_t *uuid)
{
	struct tfs_proto *p;
	int rc;

	*uuid = uuid_of(m, KEY_PAIR, (uint64_t)span->pair << 32 | span->depth);
	rc = add_track(m, *uuid);
	if (rc != 1)
		return rc;
	p = tfs_packets_begin(pf->packets, &m->tracks);
	tfs_proto_open(p, TFS_PACKET_TRACK_DESCRIPTOR);
	tfs_proto_uint(p, TRACK_UUID, *uuid);
	tfs_proto_string(p, TRACK_NAME, span->name);
	tfs_proto_close(p);
	return tfs_packets_end(pf->packets);
}

static int put_argument(struct perfetto *pf, struct tfs_proto *p, const struct tfs_field *f,
			const struct tfs_value *v)
{
	int rc = 0;

	tfs_proto_open(p, EVENT_ANNOTATION);
	tfs_proto_text(p, ANNOTATION_NAME, f->name, f->name_len);
	if (f->means || f->array || f->kind > TFS_VALUE_ADDRESS) {
		tfs_strbuf_reset(&pf->scratch);
		rc = tfs_plain_value(&pf->scratch, f, v);
		tfs_proto_text(p, ANNOTATION_STRING, pf->scratch.s, pf->scratch.len);
	} else {
		tfs_proto_uint(p,
			       f->kind == TFS_VALUE_ADDRESS ? ANNOTATION_POINTER :
			       f->kind == TFS_VALUE_SIGNED  ? ANNOTATION_INT :
							      ANNOTATION_UINT,
			       v->number);
	}
	tfs_proto_close(p);
	return rc;
}

static int put_arguments(struct perfetto *pf, struct tfs_proto *p,
			 const struct tfs_span_record *record)
{
	const struct tfs_fields *fields = record && record->type ? record->type->fields : NULL;
	struct tfs_value v;
	int rc = 0;

	for (size_t i = 0; fields && i < fields->n && !rc; i++)
		if (tfs_fields_get(fields, &fields->field[i], record->data, record->size, &v))
			rc = put_argument(pf, p, &fields->field[i], &v);
	return rc;
}

/* A loss cut it, or one of its ends was not recorded. */
static void put_open(struct tfs_proto *p, const struct tfs_span *span)
{
	if (!(span->flags & TFS_SPAN_OPEN))
		return;
	tfs_proto_open(p, EVENT_ANNOTATION);
	tfs_proto_string(p, ANNOTATION_NAME,
			 span->flags & TFS_SPAN_CUT      ? "cut" :
			 span->flags & TFS_SPAN_NO_BEGIN ? "no_begin" :
							   "no_end");
	tfs_proto_uint(p, ANNOTATION_UINT, 1);
	tfs_proto_close(p);
}

static int on_span(void *ctx, const struct tfs_span *span)
{
	struct perfetto *pf = ctx;
	struct perfetto_machine *m = &pf->machine[span->input];
	uint64_t uuid = tfs_perfetto_thread_uuid(m, span->tid);
	struct tfs_proto *p;
	int rc = 0;

	/* Pairs that nobody asked for are those of probes: readers draw timers and the like. */
	if (span->flags & TFS_SPAN_KEYED && pf->usual_pairs)
		return 0;
	if (span->flags & TFS_SPAN_UNSELECTED ||
	    (span->kind == TFS_SPAN_SYSCALL && !m->own_syscalls))
		return 0;
	if (span->flags & TFS_SPAN_KEYED)
		rc = pair_track(pf, m, span, &uuid);
	else
		rc = tfs_perfetto_thread_track(
			pf, m, span->tid, tfs_perfetto_tgid(m, span->tid, span->begin), span->comm);
	if (rc)
		return rc;
	m->counts.spans++;
	for (int type = SLICE_BEGIN; type <= SLICE_END && !rc; type++) {
		p = tfs_packets_begin(pf->packets, &m->tracks);
		tfs_proto_uint(p, TFS_PACKET_TIMESTAMP,
			       type == SLICE_BEGIN ? span->begin : span->end);
		tfs_proto_open(p, TFS_PACKET_TRACK_EVENT);
		rc = put_arguments(pf, p, type == SLICE_BEGIN ? span->first : span->last);
		if (type == SLICE_BEGIN)
			put_open(p, span);
		tfs_proto_uint(p, EVENT_TYPE, (uint64_t)type);
		tfs_proto_uint(p, EVENT_TRACK, uuid);
		if (type == SLICE_BEGIN)
			tfs_proto_string(p, EVENT_NAME, span->name);
		tfs_proto_close(p);
		if (!rc)
			rc = tfs_packets_end(pf->packets);
	}
	return rc;
}

static const struct tfs_span_ops ops = { .span = on_span };

/* Are there pairs to look for? 1, 0, or what finding them failed with */
static int has_pairs(const struct tfs_perfetto_opts *opts, struct tfs_err *err)
{
	const struct tfs_strvec none = TFS_STRVEC_INIT;
	bool any = opts->pairs && opts->pairs->n;
	int rc = 0;

	for (size_t i = 0; i < opts->n && !rc && !any; i++) {
		struct tfs_pairs pairs = { 0 };

		rc = tfs_pairs_find(opts->traces[i], &none, &pairs, err);
		any = pairs.n;
		tfs_pairs_release(&pairs);
	}
	return rc ? rc : any;
}

int tfs_perfetto_spans_new(struct perfetto *pf, const struct tfs_perfetto_opts *opts,
			   struct tfs_err *err)
{
	const void **syscalls = pf->syscalls = calloc(opts->n, sizeof(*syscalls));
	struct tfs_spans_opts spans = {
		.traces = opts->traces,
		.n = opts->n,
		.pairs = opts->pairs,
		.syscall = opts->syscall,
		.syscalls = syscalls,
		.ops = &ops,
		.ctx = pf,
	};
	int rc = has_pairs(opts, err);

	if (!syscalls)
		return -ENOMEM;
	if (rc < 0)
		return rc;
	if (rc)
		spans.kinds |= 1u << TFS_SPAN_PAIR;
	for (size_t i = 0; opts->syscalls && i < opts->n; i++)
		syscalls[i] = opts->syscalls[i];
	for (size_t i = 0; i < pf->n; i++)
		if (pf->machine[i].own_syscalls)
			spans.kinds |= 1u << TFS_SPAN_SYSCALL;
	spans.records = spans.kinds;
	pf->usual_pairs = !opts->pairs || !opts->pairs->n;
	return spans.kinds ? tfs_spans_new(&spans, &pf->spans, err) : 0;
}
