/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/split.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "decode/trace.h"
#include "filter/select.h"
#include "filter/time-range.h"
#include "rewrite/dat-out.h"
#include "rewrite/image.h"
#include "rewrite/page-build.h"
#include "tracedat/dat-read.h"
#include "tracedat/merge.h"
#include "tracedat/page.h"
#include "tracedat/stream.h"

#define MARKS_MAX ((uint64_t)1 << 24) /* of all pieces and CPUs */
#define ENTRY_HEAD 4

/*
 * The data of one CPU of one buffer
 * @keep: a bit for each record, @n of them
 * @gaps: numbers of records that are not kept, but a loss before which is
 * @marks: where each piece ends: the number of the first record that is not in it
 * @at: the number of the next record to be written; @next_gap: of @gaps
 * @pg: of the sub-buffer that @at is in, after its records before @at
 * @lost: before the next record that is kept
 */
struct cpu_split {
	unsigned int cpu;
	size_t buffer, index;
	unsigned char *keep;
	size_t keep_cap;
	uint64_t n;
	uint64_t *gaps;
	size_t n_gaps, cap_gaps;
	uint64_t *marks;
	size_t n_marks, cap_marks;
	struct tfs_stream *stream;
	struct tfs_page pg;
	uint64_t at;
	size_t next_gap;
	int64_t lost;
	bool in_page, ended;
};

struct tfs_split {
	struct tfs_dat *dat;
	struct tfs_split_opts opts;
	struct tfs_image image;
	struct cpu_split *cpus;
	size_t n_cpus;
	size_t *first_cpu; /* of each buffer, in @cpus */
	struct tfs_split_piece *pieces;
	size_t n_pieces, cap_pieces, written;
	/* While deciding */
	uint64_t bytes; /* of the piece */
	size_t range;   /* of the time, that the last record was in or before */
};

static int no_memory(struct tfs_err *err)
{
	return tfs_err_set(err, -ENOMEM, "cannot split the recording");
}

/* The CPUs of all buffers, in the order of the file */
static int list_cpus(struct tfs_split *s, struct tfs_err *err)
{
	const size_t n_buffers = tfs_dat_n_buffers(s->dat);
	size_t n = 0;

	for (size_t i = 0; i < n_buffers; i++)
		n += tfs_dat_buffer(s->dat, i)->n_cpus;
	s->cpus = calloc(n + 1, sizeof(*s->cpus));
	s->first_cpu = calloc(n_buffers + 1, sizeof(*s->first_cpu));
	if (!s->cpus || !s->first_cpu)
		return no_memory(err);
	for (size_t i = 0; i < n_buffers; i++) {
		const struct tfs_dat_buffer *b = tfs_dat_buffer(s->dat, i);

		if (b->text)
			return tfs_err_say(
				err, -EOPNOTSUPP,
				"'%s' holds the text of a latency tracer, and no records",
				tfs_dat_path(s->dat));
		for (size_t k = 0; k < b->n_cpus; k++) {
			if (k && b->cpus[k].cpu == b->cpus[k - 1].cpu)
				return tfs_err_say(err, -EBADMSG, "'%s': CPU %u is described twice",
						   tfs_dat_path(s->dat), b->cpus[k].cpu);
			s->cpus[s->n_cpus++] = (struct cpu_split){ .cpu = b->cpus[k].cpu,
								   .buffer = i,
								   .index = k };
		}
		s->first_cpu[i + 1] = s->n_cpus;
	}
	return 0;
}

static struct cpu_split *find_cpu(const struct tfs_split *s, const struct tfs_record *rec)
{
	struct cpu_split *v = s->cpus + s->first_cpu[rec->buffer];
	const size_t n = s->first_cpu[rec->buffer + 1] - s->first_cpu[rec->buffer];

	return &v[tfs_bisect(i, n, v[i].cpu < rec->cpu)];
}

static bool is_in_time(struct tfs_split *s, uint64_t ts)
{
	const struct tfs_time_ranges *t = s->opts.times;

	if (!t || !t->n)
		return true;
	/* Records come in order, but for those of clocks that go back. */
	if (s->range < t->n && ts > t->v[s->range].to)
		s->range++;
	if (s->range < t->n && ts >= t->v[s->range].from && ts <= t->v[s->range].to)
		return true;
	s->range = tfs_bisect(i, t->n, t->v[i].to < ts);
	return s->range < t->n && ts >= t->v[s->range].from;
}

static bool is_full(const struct tfs_split *s, const struct tfs_record *rec)
{
	const struct tfs_split_piece *p = &s->pieces[s->n_pieces - 1];

	switch (s->opts.by) {
	case TFS_SPLIT_TIME:
		return rec->ts >= p->first && rec->ts - p->first >= s->opts.every;
	case TFS_SPLIT_COUNT:
		return p->records >= s->opts.every;
	case TFS_SPLIT_SIZE:
		return p->records && s->bytes + rec->size + ENTRY_HEAD > s->opts.every;
	default:
		return false;
	}
}

/* Marks on all CPUs where the present piece ends. */
static int end_piece(struct tfs_split *s, struct tfs_err *err)
{
	if (s->n_pieces >= TFS_SPLIT_PIECES_MAX || s->n_pieces * s->n_cpus > MARKS_MAX) {
		tfs_err_say(err, -E2BIG, "more than %zu pieces", s->n_pieces);
		tfs_err_hint(err, "make the pieces larger, or choose a part with --time");
		return -E2BIG;
	}
	for (size_t i = 0; i < s->n_cpus; i++) {
		struct cpu_split *c = &s->cpus[i];

		if (tfs_grow(&c->marks, &c->cap_marks, c->n_marks + 1))
			return no_memory(err);
		c->marks[c->n_marks++] = c->n;
	}
	return 0;
}

/* @first: where its time begins, which with @every is not that of its first record */
static int begin_piece(struct tfs_split *s, uint64_t first, struct tfs_err *err)
{
	int rc = s->n_pieces ? end_piece(s, err) : 0;

	if (!rc && tfs_grow(&s->pieces, &s->cap_pieces, s->n_pieces + 1))
		rc = no_memory(err);
	if (rc)
		return rc;
	s->pieces[s->n_pieces++] = (struct tfs_split_piece){ .first = first };
	s->bytes = 0;
	return 0;
}

static int keep(struct tfs_split *s, const struct tfs_record *rec, struct tfs_err *err)
{
	struct tfs_split_piece *p = s->n_pieces ? &s->pieces[s->n_pieces - 1] : NULL;
	uint64_t first = rec->ts;
	int rc = 0;

	if (p && s->opts.by == TFS_SPLIT_TIME && rec->ts >= p->first)
		first = rec->ts - (rec->ts - p->first) % s->opts.every;
	if (!p || is_full(s, rec))
		rc = begin_piece(s, first, err);
	if (rc)
		return rc;
	p = &s->pieces[s->n_pieces - 1];
	p->records++;
	p->last = rec->ts;
	s->bytes += rec->size + ENTRY_HEAD;
	return 0;
}

static int decide(struct tfs_split *s, const struct tfs_record *rec, struct tfs_err *err)
{
	struct tfs_select *select = s->opts.select;
	struct cpu_split *c = find_cpu(s, rec);
	const bool in_time = is_in_time(s, rec->ts);
	/* Asked about all, since it follows who is whose child. */
	const bool wanted = !select || tfs_select_match(select, rec);
	int rc = 0;

	if (tfs_grow(&c->keep, &c->keep_cap, (size_t)(c->n / 8 + 1)))
		return no_memory(err);
	if (!(c->n % 8))
		c->keep[c->n / 8] = 0;
	if (in_time && wanted) {
		rc = keep(s, rec, err);
		c->keep[c->n / 8] |= (unsigned char)(1u << c->n % 8);
	} else if (in_time && rec->lost && (!select || tfs_select_wants_cpu(select, rec))) {
		if (tfs_grow(&c->gaps, &c->cap_gaps, c->n_gaps + 1))
			return no_memory(err);
		c->gaps[c->n_gaps++] = c->n;
	}
	c->n++;
	return rc;
}

static int decide_all(struct tfs_split *s, struct tfs_err *err)
{
	struct tfs_merge *m = NULL;
	struct tfs_record rec;
	int rc = tfs_merge_new(s->dat, &(struct tfs_merge_opts){ 0 }, &m, err), got = 0;

	while (!rc && (got = tfs_merge_next(m, &rec, err)) > 0)
		rc = decide(s, &rec, err);
	if (!rc)
		rc = got;
	tfs_merge_free(m);
	if (!rc && !s->n_pieces)
		rc = begin_piece(s, 0, err);
	return rc ? rc : end_piece(s, err);
}

int tfs_split_new(struct tfs_trace *trace, const struct tfs_split_opts *opts,
		  struct tfs_split **out, struct tfs_err *err)
{
	struct tfs_split *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return no_memory(err);
	s->dat = tfs_trace_dat(trace);
	s->opts = *opts;
	if (opts->select && tfs_select_is_all(opts->select))
		s->opts.select = NULL;
	rc = tfs_image_read(s->dat, &s->image, err);
	if (!rc)
		rc = list_cpus(s, err);
	if (!rc)
		rc = decide_all(s, err);
	if (rc)
		tfs_split_free(s);
	else
		*out = s;
	return rc;
}

void tfs_split_free(struct tfs_split *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_cpus; i++) {
		free(s->cpus[i].keep);
		free(s->cpus[i].gaps);
		free(s->cpus[i].marks);
		tfs_stream_free(s->cpus[i].stream);
	}
	free(s->cpus);
	free(s->first_cpu);
	free(s->pieces);
	tfs_image_release(&s->image);
	free(s);
}

size_t tfs_split_pieces(const struct tfs_split *s)
{
	return s->n_pieces;
}

const struct tfs_split_piece *tfs_split_piece(const struct tfs_split *s, size_t n)
{
	return &s->pieces[n];
}

static bool is_kept(const struct cpu_split *c, uint64_t n)
{
	return c->keep[n / 8] & 1u << n % 8;
}

static int init_page(const struct tfs_split *s, const struct cpu_split *c, const void *page,
		     struct tfs_page *pg)
{
	return tfs_page_init(pg, page, s->image.buffers[c->buffer].page_size,
			     s->image.kernel_long_size, s->image.page_data_offset, s->image.big);
}

/* Is all of a sub-buffer, which begins with record @at of the CPU, in this piece, up to @end? */
static bool is_whole(const struct tfs_split *s, const struct cpu_split *c, const void *page,
		     uint64_t end)
{
	struct tfs_record rec;
	uint64_t n = c->at;
	struct tfs_page pg;
	int rc = init_page(s, c, page, &pg);

	while (!rc && (rc = tfs_page_next(&pg, &rec)) > 0 && n < end && is_kept(c, n)) {
		n++;
		rc = 0;
	}
	return !rc && n > c->at && !c->lost;
}

static int64_t add_losses(int64_t a, int64_t b)
{
	if (a == TFS_LOST_UNKNOWN || b == TFS_LOST_UNKNOWN || a > INT64_MAX - b)
		return TFS_LOST_UNKNOWN;
	return a + b;
}

/* Record @at of the CPU */
static int put_record(struct cpu_split *c, struct tfs_record *rec, struct tfs_page_build *b,
		      struct tfs_err *err)
{
	const uint64_t n = c->at++;
	int rc;

	if (is_kept(c, n)) {
		rec->lost = add_losses(c->lost, rec->lost);
		c->lost = 0;
		rc = tfs_page_build_add(b, rec, err);
		return rc;
	}
	if (c->next_gap < c->n_gaps && c->gaps[c->next_gap] == n) {
		c->lost = add_losses(c->lost, rec->lost);
		c->next_gap++;
	}
	return 0;
}

/* The next sub-buffer: 1, 0 at the end of what can be read. A whole one is written at once. */
static int next_page(const struct tfs_split *s, struct cpu_split *c, uint64_t end,
		     struct tfs_page_build *b, struct tfs_err *err)
{
	struct tfs_record rec;
	struct tfs_page pg;
	const void *page;
	int rc = tfs_stream_next(c->stream, &page, err);

	/* The damage was noted when the records were counted. */
	if (rc == -ENOMEM)
		return rc;
	if (rc <= 0 || init_page(s, c, page, &c->pg))
		return 0;
	c->in_page = true;
	if (!is_whole(s, c, page, end))
		return 1;
	rc = tfs_page_build_copy(b, page, err);
	pg = c->pg;
	while (!rc && tfs_page_next(&pg, &rec) > 0)
		c->at++;
	c->in_page = false;
	return rc ? rc : 1;
}

/* The records of one CPU up to @end */
static int write_records(const struct tfs_split *s, struct cpu_split *c, uint64_t end,
			 struct tfs_page_build *b, struct tfs_err *err)
{
	struct tfs_record rec;
	int rc = 0;

	while (!rc && c->at < end && !c->ended) {
		if (!c->in_page) {
			rc = next_page(s, c, end, b, err);
			c->ended = !rc;
			rc = rc < 0 ? rc : 0;
			continue;
		}
		rc = tfs_page_next(&c->pg, &rec);
		c->in_page = rc > 0;
		rc = rc > 0 ? put_record(c, &rec, b, err) : 0;
	}
	return rc ? rc : tfs_page_build_flush(b, err);
}

static int write_cpu(const struct tfs_split *s, struct cpu_split *c, struct tfs_dat_out *out,
		     struct tfs_err *err)
{
	const uint64_t end = c->marks[s->written];
	struct tfs_page_build b = { 0 };
	int rc = 0;

	if (c->at >= end)
		return 0;
	if (!c->stream)
		rc = tfs_stream_new(s->dat, c->buffer, c->index, &c->stream, err);
	if (!rc &&
	    tfs_page_build_init(&b, out, &s->image, c->cpu, s->image.buffers[c->buffer].page_size))
		rc = no_memory(err);
	if (!rc)
		rc = write_records(s, c, end, &b, err);
	tfs_page_build_release(&b);
	return rc;
}

int tfs_split_write(struct tfs_split *s, int fd, const struct tfs_dat_form *form,
		    struct tfs_err *err)
{
	struct tfs_dat_out *out = NULL;
	int rc = tfs_dat_out_new(fd, &s->image, form, &out, err);

	for (size_t i = 0; i < s->image.n_buffers && !rc; i++) {
		rc = tfs_dat_out_buffer(out, err);
		for (size_t k = s->first_cpu[i]; k < s->first_cpu[i + 1] && !rc; k++)
			rc = write_cpu(s, &s->cpus[k], out, err);
	}
	if (!rc)
		rc = tfs_dat_out_end(out, err);
	tfs_dat_out_free(out);
	s->written++;
	return rc;
}
