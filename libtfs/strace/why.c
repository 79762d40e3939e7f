/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/macros.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "decode/value.h"

/* The kernel's enum trace_flag_type: in a hard or soft interrupt, or an NMI */
#define IN_INTERRUPT (0x08u | 0x10u | 0x40u)

/* Names of tasks that woke others; beyond that all are forgotten */
#define NAMES_MAX 4096

enum role {
	ROLE_UNKNOWN, /* not looked at yet */
	ROLE_OTHER,
	ROLE_WAKING,
	ROLE_ISSUE,
	ROLE_COMPLETE,
	ROLE_FAULT,
};

struct type {
	enum role role;
	const struct tfs_fields *fields;
	const struct tfs_field *dev, *sector, *bytes, *rwbs;
};

/* A task that woke another one */
struct name {
	int tid;
	char comm[TFS_CALL_COMM];
};

/* @event: while one is handed over */
struct tfs_why {
	struct tfs_why_opts opts;
	struct tfs_spans *spans;
	struct type *types;
	struct tfs_hashmap calls; /* struct tfs_why_call, by tid */
	struct tfs_hashmap names; /* struct name, by tid */
	const struct tfs_event *event;
};

static enum role find_role(const struct tfs_event_type *type)
{
	static const struct {
		const char *system, *name;
		enum role role;
	} roles[] = {
		{ "sched", "sched_waking", ROLE_WAKING },
		{ "sched", "sched_wakeup", ROLE_WAKING },
		{ "block", "block_rq_issue", ROLE_ISSUE },
		{ "block", "block_rq_complete", ROLE_COMPLETE },
		{ "exceptions", "page_fault_user", ROLE_FAULT },
		{ "exceptions", "page_fault_kernel", ROLE_FAULT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		if (type->name_len == strlen(roles[i].name) &&
		    !memcmp(type->name, roles[i].name, type->name_len) &&
		    !strcmp(type->system, roles[i].system))
			return roles[i].role;
	return ROLE_OTHER;
}

static const struct tfs_field *find(const struct tfs_fields *fields, const char *name)
{
	return tfs_fields_find(fields, name, strlen(name));
}

static struct type *type_of(struct tfs_why *why, const struct tfs_event_type *type)
{
	struct type *t = &why->types[type->index];

	if (t->role != ROLE_UNKNOWN)
		return t;
	t->role = type->fields ? find_role(type) : ROLE_OTHER;
	t->fields = type->fields;
	if (t->role == ROLE_ISSUE || t->role == ROLE_COMPLETE) {
		t->dev = find(t->fields, "dev");
		t->sector = find(t->fields, "sector");
		t->bytes = find(t->fields, "bytes");
		t->rwbs = find(t->fields, "rwbs");
	}
	return t;
}

static bool number(const struct type *t, const struct tfs_field *f, const struct tfs_event *event,
		   uint64_t *out)
{
	struct tfs_value v;

	if (!f || !tfs_fields_get(t->fields, f, event->rec.data, event->rec.size, &v))
		return false;
	*out = v.number;
	return true;
}

static struct tfs_why_call *find_call(const struct tfs_why *why, int tid)
{
	return tfs_hashmap_int(&why->calls, (uint32_t)tid);
}

static void free_names(struct tfs_why *why)
{
	struct name *name;
	size_t i;

	tfs_hashmap_for_each(&why->names, i, name) free(name);
	tfs_hashmap_release(&why->names);
}

/* Without memory it is not known. */
static void set_name(struct tfs_why *why, int tid, char comm[TFS_CALL_COMM])
{
	struct name *name = tfs_hashmap_int(&why->names, (uint32_t)tid);

	if (!name) {
		if (why->names.n >= NAMES_MAX)
			free_names(why);
		name = calloc(1, sizeof(*name));
		if (!name)
			return;
		name->tid = tid;
		why->opts.comm(why->opts.ctx, tid, name->comm);
		if (tfs_hashmap_add(&why->names, tfs_hash_int((uint32_t)tid), name)) {
			free(name);
			return;
		}
	}
	memcpy(comm, name->comm, sizeof(name->comm));
}

static void add_waker(struct tfs_why *why, struct tfs_why_call *call)
{
	const struct tfs_event *event = why->event;
	const bool interrupt = event->flags & IN_INTERRUPT;
	struct tfs_why_waker *w;

	call->wakeups++;
	for (size_t i = 0; i < call->n_wakers; i++)
		if (call->wakers[i].tid == event->pid && call->wakers[i].interrupt == interrupt) {
			call->wakers[i].n++;
			return;
		}
	if (call->n_wakers == TFS_WHY_MAX)
		return;
	w = &call->wakers[call->n_wakers++];
	*w = (struct tfs_why_waker){ .tid = event->pid, .interrupt = interrupt, .n = 1 };
	set_name(why, event->pid, w->comm);
}

static bool ends_by_waking(const struct tfs_why *why, const struct tfs_span *span)
{
	return span->last && why->event && why->event->type &&
	       why->types[why->event->type->index].role == ROLE_WAKING;
}

/*
 * A task was in a state up to now: spans come when they end, and before the call does. Where the
 * kernel did not record that it ran again, the time until then is not known.
 */
static int on_span(void *ctx, const struct tfs_span *span)
{
	struct tfs_why *why = ctx;
	struct tfs_why_call *call = find_call(why, span->tid);
	const bool woken = ends_by_waking(why, span);

	if (!call || span->end <= call->begin)
		return 0;
	/* It ran when it made the call: the end of what it was in before was not recorded. */
	if (span->state != TFS_TASK_RUNNING && span->begin < call->begin)
		return 0;
	call->is_out = span->state == TFS_TASK_RUNNING || woken;
	if (span->state == TFS_TASK_RUNNING)
		return 0;
	if (span->flags & TFS_SPAN_OPEN)
		call->is_partial = true;
	if (span->flags & TFS_SPAN_NO_END)
		return 0;
	call->ns[span->state] += span->end - span->begin;
	call->n[span->state]++;
	if (woken)
		add_waker(why, call);
	return 0;
}

static void issue(struct tfs_why *why, const struct type *t, const struct tfs_event *event)
{
	struct tfs_why_call *call = find_call(why, event->pid);
	struct tfs_why_request *r;
	uint64_t dev = 0, sector = 0, bytes = 0;
	struct tfs_value rwbs;

	if (!call || event->flags & IN_INTERRUPT || !number(t, t->dev, event, &dev) ||
	    !number(t, t->sector, event, &sector))
		return;
	number(t, t->bytes, event, &bytes);
	call->bytes += bytes;
	if (call->n_requests++ >= TFS_WHY_MAX)
		return;
	r = &call->requests[call->n_requests - 1];
	*r = (struct tfs_why_request){ .dev = (uint32_t)dev,
				       .bytes = (uint32_t)bytes,
				       .sector = sector,
				       .issued = event->rec.ts };
	if (t->rwbs && tfs_fields_get(t->fields, t->rwbs, event->rec.data, event->rec.size, &rwbs))
		memcpy(r->rwbs, rwbs.data,
		       rwbs.size < sizeof(r->rwbs) ? rwbs.size : sizeof(r->rwbs) - 1);
}

static void complete_in(struct tfs_why_call *call, uint32_t dev, uint64_t sector, uint64_t ts)
{
	const size_t n = call->n_requests < TFS_WHY_MAX ? call->n_requests : TFS_WHY_MAX;

	for (size_t i = 0; i < n; i++) {
		struct tfs_why_request *r = &call->requests[i];

		if (r->is_complete || r->dev != dev || r->sector != sector || ts < r->issued)
			continue;
		r->is_complete = true;
		r->ns = ts - r->issued;
		return;
	}
}

/* Whoever runs then: few calls are open at a time, and fewer have requests. */
static void complete(struct tfs_why *why, const struct type *t, const struct tfs_event *event)
{
	struct tfs_why_call *call;
	uint64_t dev, sector;
	size_t i;

	if (!number(t, t->dev, event, &dev) || !number(t, t->sector, event, &sector))
		return;
	tfs_hashmap_for_each(&why->calls, i, call)
		complete_in(call, (uint32_t)dev, sector, event->rec.ts);
}

static void fault(struct tfs_why *why, const struct tfs_event *event)
{
	struct tfs_why_call *call = find_call(why, event->pid);

	if (call && !(event->flags & IN_INTERRUPT))
		call->faults++;
}

int tfs_why_event(struct tfs_why *why, const struct tfs_event *event)
{
	const struct type *t = event->type ? type_of(why, event->type) : NULL;
	int rc;

	why->event = event;
	rc = tfs_spans_event(why->spans, event);
	why->event = NULL;
	if (rc || !t)
		return rc;
	if (t->role == ROLE_ISSUE)
		issue(why, t, event);
	else if (t->role == ROLE_COMPLETE)
		complete(why, t, event);
	else if (t->role == ROLE_FAULT)
		fault(why, event);
	return 0;
}

int tfs_why_lost(struct tfs_why *why, const struct tfs_event *event)
{
	struct tfs_why_call *call;
	size_t i;

	tfs_hashmap_for_each(&why->calls, i, call) call->is_partial = true;
	return tfs_spans_lost(why->spans, event);
}

int tfs_why_enter(struct tfs_why *why, int tid, uint64_t begin, uint64_t now)
{
	struct tfs_why_call *call = find_call(why, tid);

	if (!call) {
		call = malloc(sizeof(*call));
		if (!call || tfs_hashmap_add(&why->calls, tfs_hash_int((uint32_t)tid), call)) {
			free(call);
			return -ENOMEM;
		}
	}
	*call = (struct tfs_why_call){ .tid = tid, .begin = begin, .is_partial = now > begin };
	return 0;
}

const struct tfs_why_call *tfs_why_call(const struct tfs_why *why, int tid, uint64_t begin)
{
	struct tfs_why_call *call = find_call(why, tid);

	if (!call || call->begin != begin)
		return NULL;
	call->is_partial |= call->is_out;
	return call;
}

void tfs_why_leave(struct tfs_why *why, int tid)
{
	struct tfs_why_call *call = find_call(why, tid);

	if (!call)
		return;
	tfs_hashmap_remove(&why->calls, tfs_hash_int((uint32_t)tid), call);
	free(call);
}

int tfs_why_new(const struct tfs_why_opts *opts, struct tfs_why **out)
{
	static const struct tfs_span_ops ops = { .span = on_span };
	struct tfs_why *why = calloc(1, sizeof(*why));
	struct tfs_spans_opts spans = { .n = 1, .kinds = 1u << TFS_SPAN_STATE, .ops = &ops };
	int rc = -ENOMEM;

	if (!why)
		return -ENOMEM;
	why->opts = *opts;
	spans.traces = &why->opts.trace;
	spans.ctx = why;
	why->types = calloc(tfs_trace_index(opts->trace)->n + 1, sizeof(*why->types));
	if (why->types)
		rc = tfs_spans_new(&spans, &why->spans, NULL);
	if (rc)
		tfs_why_free(why);
	else
		*out = why;
	return rc;
}

void tfs_why_free(struct tfs_why *why)
{
	struct tfs_why_call *call;
	size_t i;

	if (!why)
		return;
	tfs_hashmap_for_each(&why->calls, i, call) free(call);
	tfs_hashmap_release(&why->calls);
	free_names(why);
	tfs_spans_free(why->spans);
	free(why->types);
	free(why);
}
