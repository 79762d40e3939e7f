/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/graph-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strvec.h"

/* Columns of the longest bar. */
#define BAR 40

void tfs_graph_sum_add(struct graph_func *f, const struct graph_end *end, const uint64_t *self,
		       bool again)
{
	const uint64_t duration = end->duration;
	struct graph_sum *s = &f->sum;

	s->calls++;
	s->counts |= end->counts;
	s->all += duration;
	if (!again)
		s->total += duration;
	if (self) {
		s->own_calls++;
		s->self += *self;
	}
	if (duration > s->max)
		s->max = duration;
	s->histogram[duration ? 64 - __builtin_clzll(duration) : 0]++;
}

static int by_total(const void *a, const void *b)
{
	const struct graph_func *const *f = a, *const *h = b;

	if ((*f)->sum.total != (*h)->sum.total)
		return (*f)->sum.total < (*h)->sum.total ? 1 : -1;
	return strcmp((*f)->name, (*h)->name);
}

static int put_time(struct tfs_strbuf *out, uint64_t time, bool counts)
{
	if (counts)
		return tfs_strbuf_addf(out, " %13" PRIu64, time);
	return tfs_strbuf_addf(out, " %9" PRIu64 ".%03" PRIu64, time / 1000, time % 1000);
}

static int put_row(struct tfs_strbuf *out, const struct graph_func *f)
{
	const struct graph_sum *s = &f->sum;
	int rc = tfs_strbuf_addf(out, "%10" PRIu64, s->calls);

	if (!rc)
		rc = put_time(out, s->total, s->counts);
	if (!rc)
		rc = s->own_calls ? put_time(out, s->self, s->counts) :
				    tfs_strbuf_addf(out, " %13s", "-");
	if (!rc)
		rc = put_time(out, s->all / s->calls, s->counts);
	if (!rc)
		rc = put_time(out, s->max, s->counts);
	return rc ? rc : tfs_strbuf_addf(out, "  %s\n", f->name);
}

/* The least duration that belongs to bucket @n. */
static uint64_t least(unsigned int n)
{
	return n ? UINT64_C(1) << (n - 1) : 0;
}

static int put_bucket(struct tfs_strbuf *out, const struct graph_func *f, unsigned int n,
		      uint64_t most)
{
	uint64_t calls = f->sum.histogram[n], from = least(n),
		 to = n < 64 ? least(n + 1) : UINT64_MAX;
	static const char bar[BAR + 1] = "########################################";
	int columns = (int)((double)calls * BAR / (double)most), rc;
	bool counts = f->sum.counts;

	if (counts)
		rc = tfs_strbuf_addf(out, "%13" PRIu64 " - %13" PRIu64, from, to);
	else
		rc = tfs_strbuf_addf(out, "%9" PRIu64 ".%03" PRIu64 " - %9" PRIu64 ".%03" PRIu64,
				     from / 1000, from % 1000, to / 1000, to % 1000);
	return rc ? rc :
		    tfs_strbuf_addf(out, " %s | %10" PRIu64 " | %-*.*s |\n", counts ? "  " : "us",
				    calls, BAR, columns, bar);
}

static int put_histogram(struct tfs_strbuf *out, const struct graph_func *f)
{
	const uint64_t *h = f->sum.histogram;
	unsigned int first = 0, last = TFS_GRAPH_BUCKETS - 1, i;
	uint64_t most = 0;
	int rc = tfs_strbuf_addf(out, "\n%s\n", f->name);

	while (!h[first])
		first++;
	while (!h[last])
		last--;
	for (i = first; i <= last; i++)
		most = h[i] > most ? h[i] : most;
	for (i = first; i <= last && !rc; i++)
		rc = put_bucket(out, f, i, most);
	return rc;
}

static int put_open(struct tfs_graph *g)
{
	int rc = 0;

	if (g->unfinished)
		rc = tfs_strbuf_addf(g->out, "# and %" PRIu64 " whose end was not recorded\n",
				     g->unfinished);
	if (!rc && g->unbegun)
		rc = tfs_strbuf_addf(g->out,
				     "# %" PRIu64 " of them without their beginning: what these "
				     "called is not known\n",
				     g->unbegun);
	return rc ? rc : tfs_graph_draw_lost(g);
}

/* @v: @n functions that were called */
static int put_head(struct tfs_strbuf *out, struct graph_func *const *v, size_t n)
{
	bool us = !n, counts = false;
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		us |= !v[i]->sum.counts;
		counts |= v[i]->sum.counts;
	}
	if (counts)
		rc = tfs_strbuf_adds(out, us ? "# whole numbers are in units of the trace clock, "
					       "others in microseconds\n" :
					       "# in units of the trace clock\n");
	if (!rc && counts)
		return tfs_strbuf_addf(out, "#%9s %13s %13s %13s %13s  %s\n", "CALLS", "TOTAL",
				       "SELF", "AVERAGE", "MAX", "FUNCTION");
	if (rc)
		return rc;
	return tfs_strbuf_addf(out, "#%9s %13s %13s %13s %13s  %s\n", "CALLS", "TOTAL us",
			       "SELF us", "AVERAGE us", "MAX us", "FUNCTION");
}

int tfs_graph_sum_put(struct tfs_graph *g)
{
	struct graph_func **v = calloc(g->funcs.n + 1, sizeof(struct graph_func *));
	size_t n = 0, i;
	int rc;

	if (!v)
		return -ENOMEM;
	for (i = 0; i < g->funcs.n; i++)
		if (g->funcs.v[i]->sum.calls)
			v[n++] = g->funcs.v[i];
	qsort(v, n, sizeof(struct graph_func *), by_total);
	rc = put_head(g->out, v, n);
	for (i = 0; i < n && !rc; i++)
		rc = put_row(g->out, v[i]);
	if (!rc)
		rc = put_open(g);
	for (i = 0; i < n && !rc; i++)
		if (!g->opts.funcs->n || v[i]->named)
			rc = put_histogram(g->out, v[i]);
	free(v);
	return rc;
}
