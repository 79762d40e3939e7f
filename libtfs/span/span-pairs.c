/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/span-internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "decode/event-type.h"
#include "decode/trace.h"
#include "decode/value.h"

/* Slots of a pair; of more that are open at once the depth is not told apart. */
#define SLOTS_MAX 4096

/* Events that belong together although no name says so */
static const char *const usual_pairs[] = {
	"block:block_rq_issue..block:block_rq_complete,key=dev+sector",
	"timer:hrtimer_expire_entry..timer:hrtimer_expire_exit,key=hrtimer",
	"timer:timer_expire_entry..timer:timer_expire_exit,key=timer",
	"workqueue:workqueue_execute_start..workqueue:workqueue_execute_end,key=work",
};

/* An open span of a pair with keys */
struct async {
	struct span_link link; /* in the list of the CPU where it began */
	uint64_t hash;
	uint32_t pair;
	struct span_open open;
	uint32_t comm;
};

static struct async *to_async(struct span_link *link)
{
	return container_of(link, struct async, link);
}

static bool get_key(const struct tfs_event *event, const struct tfs_field *const *fields, size_t n,
		    uint64_t *key)
{
	struct tfs_value value;

	for (size_t i = 0; i < n; i++) {
		value = (struct tfs_value){ 0 };
		if (!tfs_fields_get(event->type->fields, fields[i], event->rec.data,
				    event->rec.size, &value))
			return false;
		*key = value.data ? tfs_hash64(*key, value.data, value.size) :
				    tfs_hash64(*key, &value.number, sizeof(value.number));
	}
	return true;
}

/* 0 or -ENOMEM; where there are too many, @slot is SLOTS_MAX. */
static int take_slot(struct span_slots *slots, uint16_t *slot)
{
	uint64_t *taken;
	size_t i;

	for (i = 0; i < slots->n && slots->taken[i] == UINT64_MAX; i++)
		;
	*slot = SLOTS_MAX;
	if (i == SLOTS_MAX / 64)
		return 0;
	if (i == slots->n) {
		taken = realloc(slots->taken, (i + 1) * sizeof(*taken));
		if (!taken)
			return -ENOMEM;
		slots->taken = taken;
		slots->taken[slots->n++] = 0;
	}
	for (uint16_t bit = 0;; bit++) {
		if (slots->taken[i] & UINT64_C(1) << bit)
			continue;
		slots->taken[i] |= UINT64_C(1) << bit;
		*slot = (uint16_t)(i * 64 + bit);
		return 0;
	}
}

static void give_slot(struct span_slots *slots, uint16_t slot)
{
	if (slot / 64u < slots->n)
		slots->taken[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

/* @a is freed. */
static int end_async(struct tfs_spans *s, struct span_scope *scope, struct async *a,
		     const struct span_close *how, const struct tfs_event *last)
{
	struct tfs_span_record end;
	struct tfs_span span = {
		.kind = TFS_SPAN_PAIR,
		.flags = a->open.flags | how->flag | TFS_SPAN_KEYED,
		.cpu = a->open.cpu,
		.end_cpu = last ? (int)last->rec.cpu : a->open.cpu,
		.tid = a->open.tid,
		.end_tid = last ? last->pid : a->open.tid,
		.name_id = a->open.name,
		.comm_id = a->comm,
		.pair = a->pair,
		.depth = a->open.depth,
		.begin = a->open.begin,
		.end = how->ts,
		.first = a->open.kept ? &a->open.kept->rec : NULL,
	};
	int rc;

	if (last) {
		end = tfs_span_record(last);
		span.last = &end;
	}
	rc = tfs_span_emit(s, scope, &span);
	tfs_hashmap_remove(&scope->async, a->hash, a);
	a->link.prev->next = a->link.next;
	a->link.next->prev = a->link.prev;
	give_slot(&s->slots[a->pair], a->open.depth);
	free(a->open.kept);
	free(a);
	return rc;
}

int tfs_span_close_async(struct tfs_spans *s, struct span_scope *scope, struct span_cpu *cpu,
			 const struct span_close *how)
{
	int rc = 0;

	while (cpu->async.next != &cpu->async && !rc)
		rc = end_async(s, scope, to_async(cpu->async.next), how, NULL);
	return rc;
}

void tfs_span_async_release(struct tfs_spans *s, struct span_scope *scope)
{
	struct async *a;
	size_t i;

	(void)s;
	tfs_hashmap_for_each(&scope->async, i, a)
	{
		free(a->open.kept);
		free(a);
	}
	tfs_hashmap_release(&scope->async);
}

static int begin_async(struct tfs_spans *s, const struct span_at *at, const struct span_pair *p,
		       uint64_t hash, const struct span_task *task)
{
	struct async *a = calloc(1, sizeof(*a));
	uint16_t slot = SLOTS_MAX;
	int rc = a ? take_slot(&s->slots[p->id], &slot) : -ENOMEM;

	if (!rc)
		rc = tfs_span_keep(s, TFS_SPAN_PAIR, at->event, &a->open.kept);
	if (!rc)
		rc = tfs_hashmap_add(&at->scope->async, hash, a);
	if (rc) {
		give_slot(&s->slots[p->id], slot);
		free(a ? a->open.kept : NULL);
		free(a);
		return rc;
	}
	a->hash = hash;
	a->pair = p->id;
	a->comm = task->name;
	a->open.begin = at->ts;
	a->open.name = p->name;
	a->open.cpu = at->cpu->nr;
	a->open.tid = task->pid;
	a->open.flags = at->event->selected ? 0 : TFS_SPAN_UNSELECTED;
	a->open.depth = slot;
	a->link.prev = &at->cpu->async;
	a->link.next = at->cpu->async.next;
	at->cpu->async.next->prev = &a->link;
	at->cpu->async.next = &a->link;
	return 0;
}

/* The last beginning of a key counts. */
static int keyed(struct tfs_spans *s, const struct span_at *at, const struct span_pair *p,
		 const struct span_task *task, bool ends)
{
	const struct span_close how = { .flag = ends ? 0 : TFS_SPAN_NO_END, .ts = at->ts };
	uint64_t hash = tfs_hash64(TFS_HASH64_INIT, &p->id, sizeof(p->id));
	struct async *a;
	int rc = 0;

	if (!get_key(at->event, ends ? p->as->end_key : p->as->begin_key, p->as->n_keys, &hash))
		return 0;
	hash = tfs_hash_int(hash);
	a = tfs_hashmap_find(&at->scope->async, hash, NULL, NULL);
	/* Its own end says nothing of an event that several things end with. */
	if (a)
		rc = end_async(s, at->scope, a, &how, ends ? at->event : NULL);
	return rc || ends ? rc : begin_async(s, at, p, hash, task);
}

static int begin(struct tfs_spans *s, const struct span_at *at, const struct span_pair *p,
		 struct span_task *task)
{
	struct span_open open = {
		.begin = at->ts,
		.key = p->id,
		.name = p->name,
		.cpu = at->cpu->nr,
		.tid = task->pid,
		.kind = TFS_SPAN_PAIR,
		.flags = at->event->selected ? 0 : TFS_SPAN_UNSELECTED,
		.depth = tfs_span_depth(task->calls),
	};
	const struct span_close all = { .flag = TFS_SPAN_NO_END, .ts = at->ts, .cpu = at->cpu->nr };
	struct span_stack *st = &task->calls->pairs;
	int rc = 0;

	while (st->n >= SPAN_OPEN_MAX && !rc)
		rc = tfs_span_end_call(s, at->scope, task, &st->v[--st->n], &all, NULL);
	if (!rc)
		rc = tfs_span_keep(s, TFS_SPAN_PAIR, at->event, &open.kept);
	if (!rc)
		rc = tfs_span_push(st, &open);
	if (rc)
		free(open.kept);
	return rc;
}

static int end(struct tfs_spans *s, const struct span_at *at, const struct span_pair *p,
	       struct span_task *task)
{
	const struct span_close now = { .ts = at->ts, .cpu = at->cpu->nr };
	const struct span_close missed = { .flag = TFS_SPAN_NO_END,
					   .ts = at->ts,
					   .cpu = at->cpu->nr };
	struct span_stack *st = &task->calls->pairs;
	struct span_open open;
	size_t i = st->n;
	int rc = 0;

	while (i && st->v[i - 1].key != p->id)
		i--;
	if (!i) {
		const uint64_t since = tfs_span_unbegun(task, at->ts);

		rc = begin(s, at, p, task);
		if (rc)
			return rc;
		i = st->n;
		st->v[i - 1].flags |= TFS_SPAN_NO_BEGIN;
		st->v[i - 1].begin = since;
	}
	while (p->nests && st->n > i && !rc)
		rc = tfs_span_end_call(s, at->scope, task, &st->v[--st->n], &missed, NULL);
	if (rc)
		return rc;
	open = st->v[i - 1];
	memmove(&st->v[i - 1], &st->v[i], (st->n - i) * sizeof(*st->v));
	st->n--;
	return tfs_span_end_call(s, at->scope, task, &open, &now, at->event);
}

int tfs_span_pairs(struct tfs_spans *s, const struct span_at *at)
{
	struct span_task *task;
	const struct span_pair *p;
	int rc;

	task = tfs_span_task(s, at, at->event->pid);
	if (!task || !tfs_span_calls(s, task))
		return -ENOMEM;
	tfs_span_task_seen(task, at->cpu);
	rc = tfs_span_task_known(s, task, at->event);
	for (p = at->type->ends; p && !rc; p = p->next_end)
		rc = p->as->n_keys ? keyed(s, at, p, task, true) : end(s, at, p, task);
	for (p = at->type->begins; p && !rc; p = p->next_begin)
		rc = p->as->n_keys ? keyed(s, at, p, task, false) : begin(s, at, p, task);
	tfs_span_calls_done(s, task);
	return rc;
}

/* The pair's number, by the events' names. 0 or -ENOMEM */
static int number_pair(struct tfs_spans *s, const struct tfs_event_type *begin,
		       const struct tfs_event_type *end, uint32_t *id)
{
	char text[512];
	uint32_t name;
	int rc;

	snprintf(text, sizeof(text), "%s:%.*s:%s:%.*s", begin->system, (int)begin->name_len,
		 begin->name, end->system, (int)end->name_len, end->name);
	/* Short where that says as much. */
	if (!strcmp(begin->system, end->system))
		snprintf(text, sizeof(text), "%.*s:%.*s", (int)begin->name_len, begin->name,
			 (int)end->name_len, end->name);
	rc = tfs_span_name(s, text, sizeof(text), &name);
	for (*id = 0; !rc && *id < s->n_pairs; ++*id)
		if (s->pair_names[*id] == s->names[name])
			return 0;
	if (rc || tfs_grow(&s->pair_names, &s->alloc_pairs, s->n_pairs + 1) ||
	    tfs_grow(&s->slots, &s->alloc_slots, s->n_pairs + 1))
		return -ENOMEM;
	s->slots[s->n_pairs] = (struct span_slots){ 0 };
	s->pair_names[s->n_pairs++] = s->names[name];
	return 0;
}

static int add_pair(struct tfs_spans *s, struct span_input *in, struct span_pair *p,
		    const struct tfs_pair *as)
{
	const struct tfs_event_type *begin = &tfs_trace_index(in->trace)->types[as->begin];
	const struct tfs_event_type *end = &tfs_trace_index(in->trace)->types[as->end];
	size_t skip = as->syscall == TFS_PAIR_SYSCALL ? strlen("sys_enter_") : 0;
	int rc = number_pair(s, begin, end, &p->id);

	if (!rc)
		rc = tfs_span_name(s, begin->name + skip, begin->name_len - skip, &p->name);
	if (rc)
		return rc;
	p->as = as;
	p->nests = !s->opts.pairs || !s->opts.pairs->n;
	p->next_begin = in->types[as->begin].begins;
	in->types[as->begin].begins = p;
	p->next_end = in->types[as->end].ends;
	in->types[as->end].ends = p;
	return 0;
}

/* The pairs of one text in all recordings; of several recordings not each has all events. */
static int find_text(struct tfs_spans *s, const char *text, struct tfs_err *err)
{
	struct tfs_strvec one = TFS_STRVEC_INIT;
	struct span_input *in;
	bool found = false;
	int rc = tfs_strvec_push(&one, text);

	for (in = s->inputs; in < s->inputs + s->opts.n && (!rc || rc == -ENOENT); in++) {
		rc = tfs_pairs_find(in->trace, &one, &in->pairs, err);
		found |= !rc;
	}
	tfs_strvec_release(&one);
	if (rc != -ENOENT || !found)
		return rc;
	tfs_err_clear(err);
	return 0;
}

/* Those that need no option */
static int find_usual(struct tfs_spans *s, struct tfs_err *err)
{
	const struct tfs_strvec none = TFS_STRVEC_INIT;
	struct span_input *in;
	int rc = 0;

	for (in = s->inputs; in < s->inputs + s->opts.n && !rc; in++)
		rc = tfs_pairs_find(in->trace, &none, &in->pairs, err);
	for (size_t i = 0; i < ARRAY_SIZE(usual_pairs) && !rc; i++) {
		rc = find_text(s, usual_pairs[i], NULL);
		if (rc == -ENOENT)
			rc = 0;
	}
	return rc;
}

static int find_pairs(struct tfs_spans *s, struct tfs_err *err)
{
	const struct tfs_strvec *texts = s->opts.pairs;
	int rc = 0;

	if (!texts || !texts->n)
		return find_usual(s, err);
	for (size_t i = 0; i < texts->n && !rc; i++)
		rc = find_text(s, texts->v[i], err);
	return rc;
}

int tfs_span_pairs_new(struct tfs_spans *s, struct tfs_err *err)
{
	int rc = tfs_span_wants(s, TFS_SPAN_PAIR) ? find_pairs(s, err) : 0;
	struct span_input *in;

	for (in = s->inputs; in < s->inputs + s->opts.n && !rc; in++) {
		in->pair = calloc(in->pairs.n + 1, sizeof(*in->pair));
		if (!in->pair)
			rc = -ENOMEM;
		for (size_t i = 0; i < in->pairs.n && !rc; i++)
			rc = add_pair(s, in, &in->pair[i], &in->pairs.v[i]);
		if (rc)
			tfs_err_set(err, rc, "cannot prepare the report");
	}
	return rc;
}

void tfs_span_pairs_release(struct tfs_spans *s)
{
	for (size_t i = 0; s->inputs && i < s->opts.n; i++) {
		free(s->inputs[i].pair);
		tfs_pairs_release(&s->inputs[i].pairs);
	}
	for (size_t i = 0; i < s->n_pairs; i++)
		free(s->slots[i].taken);
	free(s->slots);
	free(s->pair_names);
}
