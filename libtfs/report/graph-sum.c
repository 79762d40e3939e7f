/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/graph-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "base/strvec.h"

/* Columns of the longest bar. */
#define BAR 40

void tfs_graph_sum_add(struct graph_func *f, uint64_t duration, const uint64_t *self, bool again)
{
	struct graph_sum *s = &f->sum;

	s->calls++;
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

static int put_us(struct tfs_out *out, uint64_t ns)
{
	return tfs_out_printf(out, " %9" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
}

static int put_row(struct tfs_out *out, const struct graph_func *f)
{
	const struct graph_sum *s = &f->sum;
	int rc = tfs_out_printf(out, "%10" PRIu64, s->calls);

	if (!rc)
		rc = put_us(out, s->total);
	if (!rc)
		rc = s->own_calls ? put_us(out, s->self) : tfs_out_printf(out, " %13s", "-");
	if (!rc)
		rc = put_us(out, s->all / s->calls);
	if (!rc)
		rc = put_us(out, s->max);
	return rc ? rc : tfs_out_printf(out, "  %s\n", f->name);
}

/* The least duration that belongs to bucket @n. */
static uint64_t least(unsigned int n)
{
	return n ? UINT64_C(1) << (n - 1) : 0;
}

static int put_bucket(struct tfs_out *out, unsigned int n, uint64_t calls, uint64_t most)
{
	static const char bar[BAR + 1] = "########################################";
	uint64_t from = least(n), to = n < 64 ? least(n + 1) : UINT64_MAX;
	int columns = (int)((double)calls * BAR / (double)most);

	return tfs_out_printf(out,
			      "%9" PRIu64 ".%03" PRIu64 " - %9" PRIu64 ".%03" PRIu64
			      " us | %10" PRIu64 " | %-*.*s |\n",
			      from / 1000, from % 1000, to / 1000, to % 1000, calls, BAR, columns,
			      bar);
}

static int put_histogram(struct tfs_out *out, const struct graph_func *f)
{
	const uint64_t *h = f->sum.histogram;
	unsigned int first = 0, last = TFS_GRAPH_BUCKETS - 1, i;
	uint64_t most = 0;
	int rc = tfs_out_printf(out, "\n%s\n", f->name);

	while (!h[first])
		first++;
	while (!h[last])
		last--;
	for (i = first; i <= last; i++)
		most = h[i] > most ? h[i] : most;
	for (i = first; i <= last && !rc; i++)
		rc = put_bucket(out, i, h[i], most);
	return rc;
}

static int put_open(struct tfs_graph *g)
{
	int rc = 0;

	if (g->unfinished)
		rc = tfs_out_printf(g->out, "# and %" PRIu64 " whose end was not recorded\n",
				    g->unfinished);
	if (!rc && g->unbegun)
		rc = tfs_out_printf(g->out,
				    "# %" PRIu64 " of them without their beginning: what these "
				    "called is not known\n",
				    g->unbegun);
	return rc ? rc : tfs_graph_draw_lost(g);
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
	rc = tfs_out_printf(g->out, "#%9s %13s %13s %13s %13s  %s\n", "CALLS", "TOTAL us",
			    "SELF us", "AVERAGE us", "MAX us", "FUNCTION");
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
