/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "data/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "data/dat-internal.h"
#include "data/dat-time.h"
#include "data/seek.h"
#include "data/stream.h"
#include "data/tail.h"

/* Up to here looking at every CPU is faster than keeping a heap in order. */
#define LINEAR_MAX 8

/* The records of one CPU of one buffer; @rec is the next one to give, or being given. */
struct source {
	struct tfs_record rec;
	struct tfs_record ahead; /* what tfs_merge_peek() found behind @rec */
	struct tfs_page page;
	struct tfs_stream *stream;
	size_t order;               /* among all sources: settles equal stamps */
	uint64_t start, size;       /* of its data in the file */
	const unsigned char *limit; /* of the memory behind the page */
	int64_t lost;               /* on pages without a record since the last record */
	bool in_page;
	bool dry; /* has no record now, but may get one */
	bool peeked, has_ahead;
};

struct tfs_merge {
	struct tfs_dat *dat;
	struct tfs_dat_time *time;
	bool only_offset;
	uint64_t offset;
	struct source *sources;
	size_t n_sources;
	struct source **live; /* those with a record left; a heap if there are many */
	size_t n_live;
	struct source *second; /* whose record comes when live[0] is done; NULL: nobody's */
	struct source *given;  /* whose record the caller has */
	struct tfs_blocks own; /* holds the record given while a peek goes on */
	struct tfs_tail *tail; /* NULL: nothing grows */
	uint64_t looks;        /* of @tail, when it was last read */
	bool kept;             /* somebody else takes the blocks */
	struct tfs_err fault;  /* here, because it is too large to be cleared for each record */
};

static bool before(const struct source *a, const struct source *b)
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
	const struct tfs_dat_buffer *buf = &m->dat->buffers[s->rec.buffer].pub;
	const void *page;
	int rc = tfs_stream_next(s->stream, &page, err);

	if (rc <= 0)
		return rc;
	s->rec.offset = tfs_stream_offset(s->stream);
	s->limit = tfs_stream_limit(s->stream);
	rc = tfs_page_init(&s->page, page, buf->page_size, info->kernel_long_size,
			   info->page_data_offset, info->big_endian);
	if (rc)
		return tfs_err_say(err, rc,
				   "CPU %u of buffer '%s': sub-buffer at offset %#" PRIx64
				   " says it holds more than it can",
				   s->rec.cpu, buf->name, s->rec.offset);
	s->lost = add_lost(s->lost, s->page.lost);
	s->page.lost = 0;
	s->in_page = true;
	return 1;
}

static int next_record(struct tfs_merge *m, struct source *s, struct tfs_err *err)
{
	int rc;

	for (;;) {
		rc = s->in_page ? tfs_page_next(&s->page, &s->rec) : 0;
		if (rc < 0)
			return tfs_err_say(err, rc,
					   "CPU %u of buffer '%s': sub-buffer at offset %#" PRIx64
					   " has an entry that does not fit",
					   s->rec.cpu, m->dat->buffers[s->rec.buffer].name,
					   s->rec.offset);
		if (rc)
			break;
		s->in_page = false;
		rc = next_page(m, s, err);
		if (rc <= 0)
			return rc;
	}
	s->rec.room = (uint32_t)(s->limit - (const unsigned char *)s->rec.data);
	s->rec.lost = s->lost;
	s->lost = 0;
	s->rec.ts = m->only_offset ? s->rec.ts + m->offset :
				     tfs_dat_time_fix(m->time, s->rec.cpu, s->rec.ts);
	return 1;
}

/* 1, 0 at the end of this CPU, also by damage; -errno when nothing can go on */
static int advance(struct tfs_merge *m, struct source *s, struct tfs_err *err)
{
	int rc = next_record(m, s, &m->fault);

	s->dry = !rc && m->tail;
	if (rc < 0 && rc != -ENOMEM) {
		s->in_page = false;
		tfs_dat_note_damage(m->dat, &m->fault);
		return 0;
	}
	if (rc < 0 && err)
		*err = m->fault;
	return rc;
}

static void sift_down(struct tfs_merge *m, size_t i)
{
	struct source *s = m->live[i];
	size_t child;

	while ((child = 2 * i + 1) < m->n_live) {
		if (child + 1 < m->n_live && before(m->live[child + 1], m->live[child]))
			child++;
		if (!before(m->live[child], s))
			break;
		m->live[i] = m->live[child];
		i = child;
	}
	m->live[i] = s;
}

/* live[0] is the first of all; find the one that comes behind it in a heap. */
static struct source *second_of_heap(const struct tfs_merge *m)
{
	if (m->n_live < 3)
		return m->n_live == 2 ? m->live[1] : NULL;
	return before(m->live[2], m->live[1]) ? m->live[2] : m->live[1];
}

/* Put the first into live[0], and find the second, looking at all. */
static void find_first(struct tfs_merge *m)
{
	struct source *first = m->n_live ? m->live[0] : NULL, *second = NULL, *s;
	size_t i, at = 0;

	for (i = 1; i < m->n_live; i++) {
		s = m->live[i];
		if (before(s, first)) {
			second = first;
			first = s;
			at = i;
		} else if (!second || before(s, second)) {
			second = s;
		}
	}
	if (at) {
		m->live[at] = m->live[0];
		m->live[0] = first;
	}
	m->second = second;
}

/* Restore the order when live[0] has another record or is new. */
static void settle(struct tfs_merge *m)
{
	if (m->n_live > LINEAR_MAX) {
		sift_down(m, 0);
		m->second = second_of_heap(m);
	} else {
		find_first(m);
	}
}

static void settle_all(struct tfs_merge *m)
{
	size_t i;

	if (m->n_live > LINEAR_MAX)
		for (i = m->n_live / 2; i-- > 0;)
			sift_down(m, i);
	settle(m);
}

static int add_source(struct tfs_merge *m, size_t buffer, size_t index, uint64_t from,
		      struct tfs_err *err)
{
	const struct tfs_dat_buffer *buf = tfs_dat_buffer(m->dat, buffer);
	struct source *s = &m->sources[m->n_sources];
	int rc;

	s->rec.cpu = buf->cpus[index].cpu;
	s->rec.buffer = (uint32_t)buffer;
	s->order = m->n_sources;
	s->start = buf->cpus[index].offset;
	s->size = buf->cpus[index].size;
	rc = tfs_stream_new(m->dat, buffer, index, &s->stream, err);
	if (rc)
		return rc;
	m->n_sources++;
	if (m->tail)
		tfs_stream_follow(s->stream, m->tail, buffer, index);
	if (from) {
		rc = tfs_seek_time(m->dat, buffer, index, m->time, from, s->stream);
		if (rc)
			return tfs_err_set(err, rc, "cannot read CPU %u", s->rec.cpu);
	}
	do
		rc = advance(m, s, err);
	while (rc > 0 && s->rec.ts < from);
	if (rc > 0)
		m->live[m->n_live++] = s;
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
		m->live = calloc(n + 1, sizeof(struct source *));
	}
	if (!m || !m->sources || !m->live) {
		tfs_err_set(err, rc, "cannot merge %zu CPUs", n);
		goto out;
	}
	time_opts = (struct tfs_dat_time_opts){ .raw = opts->raw_ts,
						.no_date = opts->no_date,
						.unit = opts->unit };
	rc = tfs_dat_time_new(dat, &time_opts, &m->time, err);
	if (rc)
		goto out;
	m->tail = opts->tail;
	m->only_offset = tfs_dat_time_is_offset(m->time, &m->offset);
	rc = add_sources(m, opts, err);
	if (rc)
		goto out;
	settle_all(m);
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
		tfs_stream_free(m->sources[i].stream);
	tfs_blocks_free(&m->own);
	tfs_dat_time_free(m->time);
	free(m->sources);
	free(m->live);
	free(m);
}

void tfs_merge_keep(struct tfs_merge *m, struct tfs_blocks *blocks)
{
	size_t i;

	m->kept = true;
	for (i = 0; i < m->n_sources; i++)
		tfs_stream_retire_to(m->sources[i].stream, blocks);
}

void tfs_merge_retire(struct tfs_merge *m)
{
	size_t i;

	for (i = 0; i < m->n_sources; i++)
		tfs_stream_retire(m->sources[i].stream);
}

/* Unless the caller does: from a peek until the next record, the one in hand stays where it is. */
static void hold(struct tfs_merge *m, struct source *s, struct tfs_blocks *blocks)
{
	if (m->kept)
		return;
	tfs_stream_retire_to(s->stream, blocks);
	if (!blocks)
		tfs_blocks_free(&m->own);
}

/* Go on from the record that the caller has had. */
static int step(struct tfs_merge *m, struct tfs_err *err)
{
	struct source *s = m->given;
	int rc;

	m->given = NULL;
	if (s->peeked) {
		rc = s->has_ahead;
		s->rec = s->ahead;
		s->peeked = false;
		hold(m, s, NULL);
	} else {
		rc = advance(m, s, err);
	}
	if (rc < 0)
		return rc;
	if (rc && (!m->second || before(s, m->second)))
		return 0;
	if (!rc)
		m->live[0] = m->live[--m->n_live];
	settle(m);
	return 0;
}

/* See who has a record now of those that had none. */
static int refill(struct tfs_merge *m, struct tfs_err *err)
{
	struct source *s;
	int rc;

	m->looks = tfs_tail_looks(m->tail);
	for (s = m->sources; s < m->sources + m->n_sources; s++) {
		if (!s->dry)
			continue;
		rc = advance(m, s, err);
		if (rc < 0)
			return rc;
		if (rc)
			m->live[m->n_live++] = s;
	}
	settle_all(m);
	return 0;
}

/* May the first record be given, or does another CPU perhaps still write an earlier one? */
static int is_ripe(const struct tfs_merge *m)
{
	size_t i;

	if (tfs_tail_ended(m->tail))
		return 0;
	if (!m->n_live)
		return -EAGAIN;
	for (i = 0; i < m->n_sources; i++)
		if (m->sources[i].dry)
			return tfs_stream_settled(m->live[0]->stream) ? 0 : -EAGAIN;
	return 0;
}

/* live[0] has another record. Apart, as next_of_any() is. */
static __attribute__((noinline)) void give_other(struct tfs_merge *m, struct tfs_record *rec)
{
	settle(m);
	m->given = m->live[0];
	*rec = m->given->rec;
}

/*
 * The usual case: the CPU that gave the last record has one more on the same page, which as good
 * as always comes before all others'. It goes straight to where the caller wants it: what was just
 * stored in pieces is not to be had as a whole at once. false: nothing was done.
 */
static inline bool next_of_given(struct tfs_merge *m, struct tfs_record *rec)
{
	struct source *s = m->given;
	struct tfs_record next;

	if (!s || s->peeked || !s->in_page || !m->only_offset || m->tail)
		return false;
	if (!tfs_page_next_usual(&s->page, &next))
		return false;
	next.ts += m->offset;
	next.room = (uint32_t)(s->limit - (const unsigned char *)next.data);
	next.cpu = s->rec.cpu;
	next.buffer = s->rec.buffer;
	next.lost = s->lost;
	next.offset = s->rec.offset;
	s->lost = 0;
	if (!m->second || next.ts < m->second->rec.ts ||
	    (next.ts == m->second->rec.ts && s->order < m->second->order)) {
		*rec = next;
		return true;
	}
	s->rec = next;
	give_other(m, rec);
	return true;
}

/* Apart, so that the usual case saves no registers for it. */
static __attribute__((noinline)) int next_of_any(struct tfs_merge *m, struct tfs_record *rec,
						 struct tfs_err *err)
{
	int rc = m->given ? step(m, err) : 0;

	if (!rc && m->tail) {
		if (m->looks != tfs_tail_looks(m->tail))
			rc = refill(m, err);
		if (!rc)
			rc = is_ripe(m);
	}
	if (rc || !m->n_live)
		return rc;
	m->given = m->live[0];
	*rec = m->given->rec;
	return 1;
}

int tfs_merge_next(struct tfs_merge *m, struct tfs_record *rec, struct tfs_err *err)
{
	return next_of_given(m, rec) ? 1 : next_of_any(m, rec, err);
}

void tfs_merge_progress(const struct tfs_merge *m, uint64_t *done, uint64_t *total)
{
	uint64_t read;
	size_t i;

	for (i = 0; i < m->n_sources; i++) {
		const struct source *s = &m->sources[i];

		read = tfs_stream_position(s->stream) - s->start;
		*done += read < s->size ? read : s->size;
		*total += s->size;
	}
}

int tfs_merge_peek(struct tfs_merge *m, struct tfs_record *rec, struct tfs_err *err)
{
	struct source *s = m->given;
	struct tfs_record now;
	int rc;

	if (!s)
		return 0;
	if (!s->peeked) {
		now = s->rec;
		hold(m, s, &m->own);
		rc = advance(m, s, err);
		s->ahead = s->rec;
		s->rec = now;
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
	const struct source *s = m->given, *first = NULL;
	size_t i;
	int rc = tfs_merge_peek(m, rec, err);

	if (rc < 0 || !s)
		return rc;
	for (i = 0; i < m->n_live; i++) {
		const struct source *o = m->live[i];

		if (o == s || o->rec.buffer != s->rec.buffer)
			continue;
		if (!first || before(o, first))
			first = o;
	}
	if (first && (!rc || first->rec.ts < rec->ts ||
		      (first->rec.ts == rec->ts && first->order < s->order))) {
		*rec = first->rec;
		rc = 1;
	}
	return rc;
}
