/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/wakeup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "decode/event.h"
#include "decode/trace-internal.h"
#include "decode/types.h"

/* Priorities below are real-time tasks'. */
#define PRIO_NORMAL 100

struct field {
	unsigned int offset, size; /* size 0: there is none */
};

/* A task that was woken and does not run yet; @used once the slot was taken by @pid. */
struct waiting {
	uint32_t pid;
	bool used, woken;
	uint64_t since;
};

struct sum {
	uint64_t total, count;
	uint64_t max, max_at, min, min_at;
};

struct tfs_wakeup {
	bool big, counts;
	int wakeup, wakeup_new, sched_switch; /* ids; -1: none */
	struct field pid, success, new_pid, new_success, next_pid, next_prio;
	struct waiting *tasks; /* open addressing, @cap a power of two, never full */
	size_t n, cap;
	struct sum all, rt;
};

static struct field find_field(const struct tfs_event_type *t, const char *name)
{
	const struct tep_format_field *f = tep_find_field(t->tep, name);

	if (!f || (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8))
		return (struct field){ 0 };
	return (struct field){ (unsigned int)f->offset, (unsigned int)f->size };
}

static const struct tfs_event_type *find_event(struct tfs_trace *trace, const char *name)
{
	size_t i;

	for (i = 0; i < trace->index.n; i++) {
		const struct tfs_event_type *t = &trace->index.types[i];

		if (!strcmp(t->system, "sched") && t->name_len == strlen(name) &&
		    !strncmp(t->name, name, t->name_len))
			return tfs_trace_event(trace, t->id);
	}
	return NULL;
}

static void find_events(struct tfs_wakeup *w, struct tfs_trace *trace)
{
	const struct tfs_event_type *wakeup = find_event(trace, "sched_wakeup");
	const struct tfs_event_type *next = find_event(trace, "sched_switch");
	const struct tfs_event_type *fork = find_event(trace, "sched_wakeup_new");

	w->wakeup = w->wakeup_new = w->sched_switch = -1;
	if (!wakeup || !next)
		return;
	w->pid = find_field(wakeup, "pid");
	w->success = find_field(wakeup, "success");
	w->next_pid = find_field(next, "next_pid");
	w->next_prio = find_field(next, "next_prio");
	if (!w->pid.size || !w->next_pid.size || !w->next_prio.size)
		return;
	w->wakeup = wakeup->id;
	w->sched_switch = next->id;
	if (!fork)
		return;
	w->new_pid = find_field(fork, "pid");
	w->new_success = find_field(fork, "success");
	w->wakeup_new = fork->id;
}

int tfs_wakeup_new(struct tfs_trace *trace, enum tfs_wakeup_unit unit, struct tfs_wakeup **out)
{
	struct tfs_wakeup *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->big = tfs_dat_info(trace->dat)->big_endian;
	w->counts = unit == TFS_WAKEUP_COUNTS;
	w->all.min = w->rt.min = UINT64_MAX;
	w->cap = 256;
	w->tasks = calloc(w->cap, sizeof(*w->tasks));
	if (!w->tasks) {
		free(w);
		return -ENOMEM;
	}
	find_events(w, trace);
	*out = w;
	return 0;
}

void tfs_wakeup_free(struct tfs_wakeup *w)
{
	if (!w)
		return;
	free(w->tasks);
	free(w);
}

/* False: the record has no such field */
static bool read_field(const struct tfs_wakeup *w, const struct tfs_record *rec, struct field f,
		       uint64_t *value)
{
	const unsigned char *p = (const unsigned char *)rec->data + f.offset;

	if (!f.size || f.offset > rec->size || f.size > rec->size - f.offset)
		return false;
	switch (f.size) {
	case 1:
		*value = *p;
		return true;
	case 2:
		*value = tfs_load_u16(p, w->big);
		return true;
	case 4:
		*value = tfs_load_u32(p, w->big);
		return true;
	default:
		*value = tfs_load_u64(p, w->big);
		return true;
	}
}

static struct waiting *slot_of(struct waiting *tasks, size_t cap, uint32_t pid)
{
	size_t i = (size_t)(pid * 2654435761U) & (cap - 1);

	while (tasks[i].used && tasks[i].pid != pid)
		i = (i + 1) & (cap - 1);
	return &tasks[i];
}

static int grow(struct tfs_wakeup *w)
{
	size_t cap = 2 * w->cap, i;
	struct waiting *tasks = calloc(cap, sizeof(*tasks));

	if (!tasks)
		return -ENOMEM;
	for (i = 0; i < w->cap; i++)
		if (w->tasks[i].used)
			*slot_of(tasks, cap, w->tasks[i].pid) = w->tasks[i];
	free(w->tasks);
	w->tasks = tasks;
	w->cap = cap;
	return 0;
}

static int wake(struct tfs_wakeup *w, const struct tfs_record *rec, struct field pid,
		struct field success)
{
	struct waiting *task;
	uint64_t value;

	/* Old kernels also report wakeups that did not succeed. */
	if (read_field(w, rec, success, &value) && !value)
		return 0;
	if (!read_field(w, rec, pid, &value))
		return 0;
	if (2 * w->n >= w->cap && grow(w))
		return -ENOMEM;
	task = slot_of(w->tasks, w->cap, (uint32_t)value);
	w->n += !task->used;
	*task = (struct waiting){
		.pid = (uint32_t)value, .used = true, .woken = true, .since = rec->ts
	};
	return 0;
}

static void add(struct sum *s, uint64_t waited, uint64_t at)
{
	s->total += waited;
	s->count++;
	if (waited > s->max) {
		s->max = waited;
		s->max_at = at;
	}
	if (waited < s->min) {
		s->min = waited;
		s->min_at = at;
	}
}

static void run(struct tfs_wakeup *w, struct tfs_event *event)
{
	struct waiting *task;
	uint64_t prio, pid;

	if (!read_field(w, &event->rec, w->next_prio, &prio) ||
	    !read_field(w, &event->rec, w->next_pid, &pid))
		return;
	task = slot_of(w->tasks, w->cap, (uint32_t)pid);
	if (!task->woken)
		return;
	task->woken = false;
	event->woken = true;
	event->waited = event->rec.ts - task->since;
	add(&w->all, event->waited, event->rec.ts);
	if (prio < PRIO_NORMAL)
		add(&w->rt, event->waited, event->rec.ts);
}

int tfs_wakeup_look(struct tfs_wakeup *w, struct tfs_event *event)
{
	int id = event->type ? event->type->id : -1;

	event->woken = false;
	if (id < 0)
		return 0;
	if (id == w->wakeup)
		return wake(w, &event->rec, w->pid, w->success);
	if (id == w->wakeup_new)
		return wake(w, &event->rec, w->new_pid, w->new_success);
	if (id == w->sched_switch)
		run(w, event);
	return 0;
}

/* "7.125 usecs", or units of the clock */
static int put_latency(const struct tfs_wakeup *w, uint64_t value, struct tfs_strbuf *out)
{
	if (w->counts)
		return tfs_strbuf_addf(out, "%" PRIu64, value);
	return tfs_strbuf_addf(out, "%" PRIu64 ".%03" PRIu64 " usecs", value / 1000, value % 1000);
}

int tfs_wakeup_put(const struct tfs_wakeup *w, uint64_t waited, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_adds(out, " Latency: ");

	return rc ? rc : put_latency(w, waited, out);
}

/* trace-cmd rounds the decimals without carrying. */
static int put_extreme(const struct tfs_wakeup *w, const char *name, uint64_t value, uint64_t at,
		       struct tfs_strbuf *out)
{
	const uint64_t second = NS_PER_SEC;
	int rc = tfs_strbuf_addf(out, "%s Latency: ", name);

	if (!rc)
		rc = put_latency(w, value, out);
	if (rc)
		return rc;
	if (w->counts)
		return tfs_strbuf_addf(out, " at timestamp: %" PRIu64 "\n", at);
	return tfs_strbuf_addf(out, " at timestamp: %" PRIu64 ".%06" PRIu64 "\n", at / second,
			       (at + 500) % second / 1000);
}

static int put_sum(const struct tfs_wakeup *w, const struct sum *s, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_adds(out, "\nAverage wakeup latency: ");

	if (!rc)
		rc = put_latency(w, s->total / s->count, out);
	if (!rc)
		rc = tfs_strbuf_addc(out, '\n');
	if (!rc)
		rc = put_extreme(w, "Maximum", s->max, s->max_at, out);
	if (!rc)
		rc = put_extreme(w, "Minimum", s->min, s->min_at, out);
	return rc ? rc : tfs_strbuf_addc(out, '\n');
}

int tfs_wakeup_sum(const struct tfs_wakeup *w, struct tfs_strbuf *out)
{
	int rc = w->all.count ? put_sum(w, &w->all, out) : 0;

	if (rc || !w->rt.count)
		return rc;
	rc = tfs_strbuf_adds(out, "RT task timings:\n");
	return rc ? rc : put_sum(w, &w->rt, out);
}
