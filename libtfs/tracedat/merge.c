/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cpus.h"
#include "base/err.h"
#include "tracedat/blocks.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-time.h"
#include "tracedat/event-source.h"
#include "tracedat/record-run.h"
#include "tracedat/recording-source.h"

/* Up to here looking at every CPU is faster than keeping a heap in order. */
#define LINEAR_MAX 8

/* The records of one CPU of one buffer */
struct source {
	struct tfs_merge_cpu c;
	struct tfs_record ahead; /* the record after @c.rec that tfs_merge_peek() found */
	void *cpu;               /* the event source's */
	size_t index;            /* among the CPUs of its buffer */
	int64_t lost;            /* on pages without a record since the last record */
	bool in_page;
	bool dry;       /* has no record now, but may get one */
	bool complete;  /* nothing earlier than what is on the page can come from other CPUs */
	uint64_t asked; /* update of the event source after which that was last asked, plus one */
	bool peeked, has_ahead;
	bool missing; /* its rest is, which was not reported yet */
};

struct tfs_merge {
	struct tfs_merge_front f; /* f.live is a heap if there are many */
	struct tfs_dat *dat;
	struct tfs_dat_time *time;
	bool only_offset; /* f.offset is all that is done to a time stamp */
	struct source *sources;
	size_t n_sources;
	struct tfs_event_source *event_source;
	struct tfs_event_source *own_source; /* to be freed; NULL: the caller's is read */
	bool growing;
	uint64_t updates;      /* of @event_source, when it was last read */
	struct tfs_blocks own; /* holds the record given while a peek goes on */
	bool kept;             /* somebody else takes the blocks */
	bool tell_missing;     /* as tfs_merge_opts has it */
	size_t n_missing;      /* sources with @missing */
	struct tfs_err fault;  /* here, because it is too large to be cleared for each record */
};

static struct source *source(struct tfs_merge_cpu *c)
{
	return (struct source *)c;
}

static bool before(const struct tfs_merge_cpu *a, const struct tfs_merge_cpu *b)
{
	if (a->rec.ts != b->rec.ts)
		return a->rec.ts < b->rec.ts;
	return a->order < b->order;
}

static int64_t add_lost(int64_t a, int64_t b)
{
	if (a < 0 || b < 0 || a > INT64_MAX - b)
		return TFS_LOST_UNKNOWN;
	return a + b;
}

static int next_page(struct tfs_merge *m, struct source *s, struct tfs_err *err)
{
	const struct tfs_dat_info *info = &m->dat->info;
	const struct tfs_dat_buffer *buf = &m->dat->buffers[s->c.rec.buffer].pub;
	struct tfs_source_page page;
	int rc = m->event_source->ops->page(s->cpu, &page, err);

	if (rc <= 0)
		return rc;
	s->c.rec.offset = page.offset;
	s->c.limit = page.limit;
	s->complete = false;
	s->asked = 0;
	rc = tfs_page_init(&s->c.page, page.data, buf->page_size, info->kernel_long_size,
			   info->page_data_offset, info->big_endian);
	if (rc)
		return tfs_err_say(err, rc,
				   "CPU %u of buffer '%s': sub-buffer at offset %#" PRIx64
				   " says it holds more than it can",
				   s->c.rec.cpu, buf->name, s->c.rec.offset);
	/* Entries that the end of the file cuts are not there. */
	if ((const void *)s->c.page.end > page.end)
		s->c.page.end = (const void *)s->c.page.p > page.end ? s->c.page.p : page.end;
	s->lost = add_lost(s->lost, s->c.page.lost);
	s->c.page.lost = 0;
	s->in_page = true;
	return 1;
}

static int next_record(struct tfs_merge *m, struct source *s, struct tfs_err *err)
{
	int rc;

	for (;;) {
		rc = s->in_page ? tfs_page_next(&s->c.page, &s->c.rec) : 0;
		if (rc < 0)
			return tfs_err_say(err, rc,
					   "CPU %u of buffer '%s': sub-buffer at offset %#" PRIx64
					   " has an entry that does not fit",
					   s->c.rec.cpu, m->dat->buffers[s->c.rec.buffer].name,
					   s->c.rec.offset);
		if (rc)
			break;
		s->in_page = false;
		rc = next_page(m, s, err);
		if (rc <= 0)
			return rc;
	}
	s->c.rec.room = (uint32_t)(s->c.limit - (const unsigned char *)s->c.rec.data);
	s->c.rec.lost = s->lost;
	s->lost = 0;
	s->c.rec.ts = m->only_offset ? s->c.rec.ts + m->f.offset :
				       tfs_dat_time_fix(m->time, s->c.rec.cpu, s->c.rec.ts);
	return 1;
}

/*
 * tfs_merge_next_fast() may take the records that follow on the page, as far as they are common
 * ones. A length that is not in words means a damaged page, whose rest it may not take. The
 * page of a growing source has to be complete. Then a record of another CPU that comes before one
 * on it is complete as well.
 */
static void allow_fast_path(struct tfs_merge *m, struct source *s)
{
	const struct tfs_page *page = &s->c.page;

	s->c.fast_end = NULL;
	if (s->in_page && m->only_offset && (!m->growing || s->complete) && !page->big &&
	    !page->lost && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		s->c.fast_end = page->end - (page->end - page->p) % 4;
}

/* The CPU recorded more than could be read. */
static void note_missing(struct tfs_merge *m, struct source *s)
{
	if (!m->tell_missing || s->missing)
		return;
	s->missing = true;
	m->n_missing++;
}

/* 1, 0 at the end of this CPU, also by damage; -errno when nothing can go on */
static int advance(struct tfs_merge *m, struct source *s, struct tfs_err *err)
{
	const bool grows = m->growing && !m->event_source->ended;
	int rc = next_record(m, s, &m->fault);

	allow_fast_path(m, s);
	s->dry = !rc && grows;
	if (rc < 0 && rc != -ENOMEM) {
		s->in_page = false;
		s->c.fast_end = NULL;
		tfs_dat_note_damage(m->dat, &m->fault);
		note_missing(m, s);
		return 0;
	}
	if (!rc && !grows && m->dat->buffers[s->c.rec.buffer].cpus[s->index].incomplete)
		note_missing(m, s);
	if (rc < 0 && err)
		*err = m->fault;
	return rc;
}

static void sift_down(struct tfs_merge *m, size_t i)
{
	struct tfs_merge_cpu *s = m->f.live[i];
	size_t child;

	while ((child = 2 * i + 1) < m->f.n_live) {
		if (child + 1 < m->f.n_live && before(m->f.live[child + 1], m->f.live[child]))
			child++;
		if (!before(m->f.live[child], s))
			break;
		m->f.live[i] = m->f.live[child];
		i = child;
	}
	m->f.live[i] = s;
}

/* live[0] is the first of all; find the one after it in a heap. */
static struct tfs_merge_cpu *second_of_heap(const struct tfs_merge *m)
{
	if (m->f.n_live < 3)
		return m->f.n_live == 2 ? m->f.live[1] : NULL;
	return before(m->f.live[2], m->f.live[1]) ? m->f.live[2] : m->f.live[1];
}

/* Put the first into live[0], and find the second, looking at all. */
static void find_first(struct tfs_merge *m)
{
	struct tfs_merge_cpu *first = m->f.n_live ? m->f.live[0] : NULL, *second = NULL, *s;
	size_t i, at = 0;

	for (i = 1; i < m->f.n_live; i++) {
		s = m->f.live[i];
		if (before(s, first)) {
			second = first;
			first = s;
			at = i;
		} else if (!second || before(s, second)) {
			second = s;
		}
	}
	if (at) {
		m->f.live[at] = m->f.live[0];
		m->f.live[0] = first;
	}
	m->f.second = second;
}

/* Restore the order when live[0] has another record or is new. */
static void restore_order(struct tfs_merge *m)
{
	if (m->f.n_live > LINEAR_MAX) {
		sift_down(m, 0);
		m->f.second = second_of_heap(m);
	} else {
		find_first(m);
	}
}

static void build_order(struct tfs_merge *m)
{
	size_t i;

	if (m->f.n_live > LINEAR_MAX)
		for (i = m->f.n_live / 2; i-- > 0;)
			sift_down(m, i);
	restore_order(m);
}

static int add_source(struct tfs_merge *m, size_t buffer, size_t index, uint64_t from,
		      struct tfs_err *err)
{
	const struct tfs_dat_buffer *buf = tfs_dat_buffer(m->dat, buffer);
	const struct tfs_event_source_ops *ops = m->event_source->ops;
	struct source *s = &m->sources[m->n_sources];
	int rc;

	s->c.rec.cpu = buf->cpus[index].cpu;
	s->c.rec.buffer = (uint32_t)buffer;
	s->c.order = m->n_sources;
	s->index = index;
	rc = ops->open(m->event_source, buffer, index, &s->cpu, err);
	if (rc)
		return rc;
	m->n_sources++;
	if (from && ops->seek) {
		rc = ops->seek(s->cpu, m->time, from);
		if (rc)
			return tfs_err_set(err, rc, "cannot read CPU %u", s->c.rec.cpu);
	}
	do
		rc = advance(m, s, err);
	while (rc > 0 && s->c.rec.ts < from);
	if (rc > 0)
		m->f.live[m->f.n_live++] = &s->c;
	return rc < 0 ? rc : 0;
}

static int add_sources(struct tfs_merge *m, const struct tfs_merge_opts *opts, struct tfs_err *err)
{
	const struct tfs_cpus *cpus = opts->cpus;
	size_t b, i;
	int rc;

	for (b = 0; b < tfs_dat_n_buffers(m->dat); b++) {
		const struct tfs_dat_buffer *buf = tfs_dat_buffer(m->dat, b);

		for (i = 0; i < buf->n_cpus; i++) {
			if (cpus && !tfs_cpus_has(cpus, buf->cpus[i].cpu))
				continue;
			rc = add_source(m, b, i, opts->from, err);
			if (rc)
				return rc;
		}
	}
	return 0;
}

static size_t count_sources(const struct tfs_dat *dat)
{
	size_t b, n = 0;

	for (b = 0; b < tfs_dat_n_buffers(dat); b++)
		n += tfs_dat_buffer(dat, b)->n_cpus;
	return n;
}

int tfs_merge_new(struct tfs_dat *dat, const struct tfs_merge_opts *opts, struct tfs_merge **out,
		  struct tfs_err *err)
{
	static const struct tfs_merge_opts no_opts;
	struct tfs_dat_time_opts time_opts;
	struct tfs_merge *m = calloc(1, sizeof(*m));
	size_t n = count_sources(dat);
	int rc = -ENOMEM;

	if (!opts)
		opts = &no_opts;
	if (m) {
		m->dat = dat;
		m->fault = TFS_ERR_INIT;
		m->sources = calloc(n + 1, sizeof(*m->sources));
		m->f.live = calloc(n + 1, sizeof(struct tfs_merge_cpu *));
	}
	if (!m || !m->sources || !m->f.live) {
		tfs_err_set(err, rc, "cannot merge %zu CPUs", n);
		goto out;
	}
	time_opts = (struct tfs_dat_time_opts){ .raw = opts->raw_ts,
						.no_date = opts->no_date,
						.unit = opts->unit,
						.map = opts->map,
						.map_offset = opts->map_offset };
	rc = tfs_dat_time_new(dat, &time_opts, &m->time, err);
	if (rc)
		goto out;
	m->event_source = opts->source;
	if (!m->event_source) {
		rc = tfs_recording_source_new(dat, &m->own_source, err);
		if (rc)
			goto out;
		m->event_source = m->own_source;
	}
	m->growing = tfs_event_source_is_growing(m->event_source);
	m->tell_missing = opts->missing;
	m->only_offset = tfs_dat_time_is_offset(m->time, &m->f.offset);
	rc = add_sources(m, opts, err);
	if (rc)
		goto out;
	build_order(m);
	*out = m;
	m = NULL;
out:
	tfs_merge_free(m);
	return rc;
}

void tfs_merge_free(struct tfs_merge *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->n_sources; i++)
		m->event_source->ops->close(m->sources[i].cpu);
	tfs_event_source_free(m->own_source);
	tfs_blocks_free(&m->own);
	tfs_dat_time_free(m->time);
	free(m->sources);
	free(m->f.live);
	free(m);
}

void tfs_merge_keep(struct tfs_merge *m, struct tfs_blocks *blocks)
{
	size_t i;

	m->kept = true;
	for (i = 0; i < m->n_sources; i++)
		m->event_source->ops->retire_to(m->sources[i].cpu, blocks);
}

void tfs_merge_retire(struct tfs_merge *m)
{
	size_t i;

	for (i = 0; i < m->n_sources; i++)
		m->event_source->ops->retire(m->sources[i].cpu);
}

/* Unless the caller does: from a peek until the next record, the one in hand stays where it is. */
static void hold(struct tfs_merge *m, struct source *s, struct tfs_blocks *blocks)
{
	if (m->kept)
		return;
	m->event_source->ops->retire_to(s->cpu, blocks);
	if (!blocks)
		tfs_blocks_free(&m->own);
}

/* Go on from the record that the caller has had. */
static int step(struct tfs_merge *m, struct tfs_err *err)
{
	struct source *s = source(m->f.given);
	int rc;

	m->f.given = NULL;
	if (s->peeked) {
		rc = s->has_ahead;
		s->c.rec = s->ahead;
		s->peeked = false;
		allow_fast_path(m, s);
		hold(m, s, NULL);
	} else {
		rc = advance(m, s, err);
	}
	if (rc < 0)
		return rc;
	if (rc && (!m->f.second || before(&s->c, m->f.second)))
		return 0;
	if (!rc)
		m->f.live[0] = m->f.live[--m->f.n_live];
	restore_order(m);
	return 0;
}

/* See who has a record now of those that had none. */
static int refill(struct tfs_merge *m, struct tfs_err *err)
{
	struct source *s;
	int rc;

	m->updates = m->event_source->updates;
	for (s = m->sources; s < m->sources + m->n_sources; s++) {
		if (!s->dry)
			continue;
		rc = advance(m, s, err);
		if (rc < 0)
			return rc;
		if (rc)
			m->f.live[m->f.n_live++] = &s->c;
	}
	build_order(m);
	return 0;
}

/* Is the page of this CPU complete? It may become so with each update of the source. */
static bool is_complete(struct tfs_merge *m, struct source *s)
{
	const struct tfs_event_source *from = m->event_source;

	if (s->complete || s->asked == from->updates + 1)
		return s->complete;
	s->asked = from->updates + 1;
	s->complete = from->ended || from->ops->is_complete(s->cpu);
	if (s->complete)
		allow_fast_path(m, s);
	return s->complete;
}

/* May the first record be given, or can another CPU still have an earlier one? 0 or -EAGAIN */
static int is_ripe(struct tfs_merge *m)
{
	const bool ended = m->event_source->ended;

	if (!m->f.n_live)
		return ended ? 0 : -EAGAIN;
	if (is_complete(m, source(m->f.live[0])) || ended)
		return 0;
	for (size_t i = 0; i < m->n_sources; i++)
		if (m->sources[i].dry)
			return -EAGAIN;
	return 0;
}

/* The whole of @c's record. */
static void unfold(const struct tfs_merge *m, struct tfs_merge_cpu *c)
{
	if (c->lazy)
		tfs_merge_take(&m->f, c, &c->rec);
	c->lazy = false;
}

struct tfs_merge_cpu *tfs_merge_go_over(struct tfs_merge *m)
{
	restore_order(m);
	return m->f.live[0];
}

static int give_missing(struct tfs_merge *m, struct tfs_record *rec)
{
	struct source *s = m->sources;

	while (!s->missing)
		s++;
	s->missing = false;
	m->n_missing--;
	*rec = (struct tfs_record){
		.ts = m->only_offset ? s->c.page.ts + m->f.offset : s->c.rec.ts,
		.cpu = s->c.rec.cpu,
		.buffer = s->c.rec.buffer,
		.lost = TFS_LOST_UNKNOWN,
		.offset = s->c.rec.offset,
	};
	/* Not a sub-buffer could be read. */
	if (!s->c.limit)
		rec->ts = m->f.n_live ? m->f.live[0]->rec.ts : 0;
	return TFS_MERGE_MISSING;
}

/* Apart, so that the fast path saves no registers for it. */
static __attribute__((noinline)) int next_of_any(struct tfs_merge *m, struct tfs_record *rec,
						 struct tfs_err *err)
{
	int rc = m->f.given ? step(m, err) : 0;

	if (!rc && m->growing && m->updates != m->event_source->updates)
		rc = refill(m, err);
	if (!rc && m->n_missing)
		return give_missing(m, rec);
	if (!rc && m->growing)
		rc = is_ripe(m);
	if (rc || !m->f.n_live)
		return rc;
	m->f.given = m->f.live[0];
	unfold(m, m->f.given);
	*rec = m->f.given->rec;
	return 1;
}

int tfs_merge_next(struct tfs_merge *m, struct tfs_record *rec, struct tfs_err *err)
{
	return tfs_merge_next_fast(m, rec) ? 1 : next_of_any(m, rec, err);
}

/* The last time stamp that a record of @c may have for it to come before that of @second */
static uint64_t last_before(const struct tfs_merge_cpu *c, const struct tfs_merge_cpu *second)
{
	if (!second)
		return UINT64_MAX;
	return c->order < second->order ? second->rec.ts : second->rec.ts - 1;
}

int tfs_merge_run(struct tfs_merge *m, struct tfs_record_run *run, struct tfs_err *err)
{
	struct tfs_merge_cpu *c;
	int rc;

	rc = next_of_any(m, &run->first, err);
	run->has_first = rc == 1;
	run->page = NULL;
	if (rc != 1)
		return rc;
	c = m->f.given;
	run->offset = m->f.offset;
	run->until = last_before(c, m->f.second);
	/* In the order of time it may be that there is nothing before @second. */
	run->page = c->fast_end && run->until >= run->first.ts ? &c->page : NULL;
	run->end = c->fast_end;
	return 1;
}

void tfs_merge_progress(const struct tfs_merge *m, uint64_t *done, uint64_t *total)
{
	const struct tfs_event_source_ops *ops = m->event_source->ops;
	size_t i;

	for (i = 0; i < m->n_sources && ops->progress; i++)
		ops->progress(m->sources[i].cpu, done, total);
}

int tfs_merge_peek(struct tfs_merge *m, struct tfs_record *rec, struct tfs_err *err)
{
	struct source *s = source(m->f.given);
	struct tfs_record now;
	int rc;

	if (!s)
		return 0;
	if (!s->peeked) {
		now = s->c.rec;
		hold(m, s, &m->own);
		rc = advance(m, s, err);
		s->c.fast_end = NULL;
		s->ahead = s->c.rec;
		s->c.rec = now;
		if (rc < 0)
			return rc;
		s->peeked = true;
		s->has_ahead = rc;
	}
	if (s->has_ahead)
		*rec = s->ahead;
	return s->has_ahead;
}

int tfs_merge_peek_buffer(struct tfs_merge *m, struct tfs_record *rec, struct tfs_err *err)
{
	struct tfs_merge_cpu *s = m->f.given, *first = NULL;
	size_t i;
	int rc = tfs_merge_peek(m, rec, err);

	if (rc < 0 || !s)
		return rc;
	for (i = 0; i < m->f.n_live; i++) {
		struct tfs_merge_cpu *o = m->f.live[i];

		if (o == s || o->rec.buffer != s->rec.buffer)
			continue;
		if (!first || before(o, first))
			first = o;
	}
	if (first && (!rc || first->rec.ts < rec->ts ||
		      (first->rec.ts == rec->ts && first->order < s->order))) {
		unfold(m, first);
		*rec = first->rec;
		rc = 1;
	}
	return rc;
}
