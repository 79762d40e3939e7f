/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "clock/clock-line.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

/* Samples on either side of a gap from which the rate in it is known. */
#define WINDOW 8
/* A difference of the clocks that a double does not hold exactly (2^53 ns) is not known. */
#define EXACT 9007199254740992.0
#define PPB 1e-9

/*
 * A sample. Its time and the difference of the clocks are relative to those of the first one, so
 * that a double holds them to the nanosecond for 104 days.
 */
struct node {
	uint64_t local;
	double x, lo, hi;
	double slope_lo, slope_hi; /* of the gap after it */
	bool breaks;               /* one of the clocks was set in the gap after it */
};

struct tfs_clock_line {
	uint64_t base; /* the first sample's reference minus local */
	struct node *v;
	size_t n, breaks;
	double rate, wander; /* limits; the wander as the samples show it */
};

struct range {
	double lo, hi;
};

static double most(double a, double b)
{
	return a > b ? a : b;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double size(double a)
{
	return a < 0 ? -a : a;
}

static double distance(uint64_t a, uint64_t b)
{
	return (double)(int64_t)(a - b);
}

static int by_local(const void *a, const void *b)
{
	const struct tfs_clock_sample *x = a, *y = b;

	return x->local < y->local ? -1 : x->local > y->local;
}

/* Samples of one local time are one node: they are all true, unless the clock was set. */
static void add_node(struct tfs_clock_line *line, const struct tfs_clock_sample *s)
{
	double middle = distance(s->ref - s->local, line->base);
	struct node *last = line->n ? &line->v[line->n - 1] : NULL;
	struct node node = {
		.local = s->local,
		.lo = middle - (double)s->bound,
		.hi = middle + (double)s->bound,
	};

	if (!last || last->local != s->local) {
		node.x = line->n ? distance(s->local, line->v[0].local) : 0;
		line->v[line->n++] = node;
	} else if (node.lo <= last->hi && node.hi >= last->lo) {
		last->lo = most(last->lo, node.lo);
		last->hi = least(last->hi, node.hi);
	} else {
		last->lo = least(last->lo, node.lo);
		last->hi = most(last->hi, node.hi);
	}
}

/* Narrow a node to @lo..@hi, unless that contradicts what is known of it. */
static bool narrow(struct node *node, double lo, double hi)
{
	lo = most(lo, node->lo);
	hi = least(hi, node->hi);
	if (!(lo <= hi))
		return false;
	node->lo = lo;
	node->hi = hi;
	return true;
}

/* Each node is where its neighbours can reach it with the slopes of the gaps. */
static void reach(struct tfs_clock_line *line)
{
	struct node *a, *b;

	for (size_t i = 0; i + 1 < line->n; i++) {
		a = &line->v[i];
		b = a + 1;
		if (!a->breaks && !narrow(b, a->lo + a->slope_lo * (b->x - a->x),
					  a->hi + a->slope_hi * (b->x - a->x)))
			continue;
	}
	for (size_t i = line->n; i > 1; i--) {
		a = &line->v[i - 2];
		b = a + 1;
		if (!a->breaks && !narrow(a, b->lo - a->slope_hi * (b->x - a->x),
					  b->hi - a->slope_lo * (b->x - a->x)))
			continue;
	}
}

/* Where the limit of the rate does not let both be true, one of the clocks was set. */
static void find_breaks(struct tfs_clock_line *line)
{
	for (size_t i = 0; i + 1 < line->n; i++) {
		struct node *a = &line->v[i], *b = a + 1;
		double step = line->rate * (b->x - a->x);

		a->slope_lo = -line->rate;
		a->slope_hi = line->rate;
		a->breaks = !narrow(b, a->lo - step, a->hi + step);
		line->breaks += a->breaks;
	}
	reach(line);
}

/* The samples around a gap that no break separates from it: [*first, *last] */
static void window(const struct tfs_clock_line *line, size_t gap, size_t *first, size_t *last)
{
	*first = gap;
	*last = gap + 1;
	while (*first && gap - *first < WINDOW && !line->v[*first - 1].breaks)
		--*first;
	while (*last + 1 < line->n && *last - gap < WINDOW && !line->v[*last].breaks)
		++*last;
}

/* The mean slope between any two samples is in a range: the greatest lower, the least upper end */
static struct range mean_slopes(const struct tfs_clock_line *line, size_t first, size_t last)
{
	struct range r = { -line->rate, line->rate };

	for (size_t i = first; i < last; i++)
		for (size_t k = i + 1; k <= last; k++) {
			const struct node *a = &line->v[i], *b = &line->v[k];

			r.lo = most(r.lo, (b->lo - a->hi) / (b->x - a->x));
			r.hi = least(r.hi, (b->hi - a->lo) / (b->x - a->x));
		}
	return r;
}

/*
 * Slopes differ by no more than the wander in a window, and so each is within that of all mean
 * slopes. Where mean slopes are further apart than that, the wander was greater: twice as much if
 * the rate changed in the middle of a gap.
 */
static void fit_slopes(struct tfs_clock_line *line)
{
	size_t first, last;
	struct range r;

	for (size_t i = 0; i + 1 < line->n; i++) {
		if (line->v[i].breaks)
			continue;
		window(line, i, &first, &last);
		r = mean_slopes(line, first, last);
		if (r.lo - r.hi > line->wander)
			line->wander = least(2 * (r.lo - r.hi), 2 * line->rate);
		line->v[i].slope_lo = r.lo;
		line->v[i].slope_hi = r.hi;
	}
	for (size_t i = 0; i + 1 < line->n; i++) {
		struct node *a = &line->v[i];

		a->slope_lo = most(a->slope_lo - line->wander, -line->rate);
		a->slope_hi = least(a->slope_hi + line->wander, line->rate);
	}
}

/*
 * Between two points the line leaves their chord by no more than a slope that changes once takes
 * it: wander * length * x * (1 - x).
 */
static struct range chord(const struct tfs_clock_line *line, const struct node *a,
			  const struct node *b, double x)
{
	double length = b->x - a->x, part = (x - a->x) / length;
	double bend = line->wander * length * part * (1 - part);

	return (struct range){ a->lo + (b->lo - a->lo) * part - bend,
			       a->hi + (b->hi - a->hi) * part + bend };
}

/* A wide sample among narrow ones is where their chords can be. */
static void narrow_by_chords(struct tfs_clock_line *line)
{
	size_t first, last;
	struct range r;

	for (size_t i = 1; i + 1 < line->n; i++) {
		if (line->v[i].breaks || line->v[i - 1].breaks)
			continue;
		window(line, i, &first, &last);
		for (size_t a = first; a < i; a++)
			for (size_t b = i + 1; b <= last; b++) {
				r = chord(line, &line->v[a], &line->v[b], line->v[i].x);
				if (!narrow(&line->v[i], r.lo, r.hi))
					continue;
			}
	}
}

int tfs_clock_line_new(const struct tfs_clock_sample *samples, size_t n,
		       const struct tfs_clock_limits *limits, struct tfs_clock_line **out)
{
	struct tfs_clock_line *line;
	struct tfs_clock_sample *sorted;

	if (!n)
		return -EINVAL;
	line = calloc(1, sizeof(*line));
	sorted = calloc(n, sizeof(*sorted));
	if (line)
		line->v = calloc(n, sizeof(*line->v));
	if (!line || !sorted || !line->v) {
		tfs_clock_line_free(line);
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = samples[i];
	qsort(sorted, n, sizeof(*sorted), by_local);
	line->base = sorted[0].ref - sorted[0].local;
	line->rate = limits->rate_ppb * PPB;
	line->wander = limits->wander_ppb * PPB;
	for (size_t i = 0; i < n; i++)
		add_node(line, &sorted[i]);
	free(sorted);
	find_breaks(line);
	fit_slopes(line);
	narrow_by_chords(line);
	reach(line);
	*out = line;
	return 0;
}

void tfs_clock_line_free(struct tfs_clock_line *line)
{
	if (!line)
		return;
	free(line->v);
	free(line);
}

/*
 * Beyond the samples the slope is what it was in the last gap, give or take the wander, and once
 * more the wander for each length of that gap. @by is how far after the node; negative: before it.
 */
static struct range beyond(const struct tfs_clock_line *line, const struct node *node,
			   const struct node *gap, double by)
{
	struct range r = { node->lo, node->hi };
	double length = size(by), bend;

	if (!gap) {
		r.lo -= line->rate * length;
		r.hi += line->rate * length;
		return r;
	}
	bend = line->wander * length * (1 + length / (2 * (gap[1].x - gap->x)));
	bend = least(bend, 2 * line->rate * length);
	r.lo += (by < 0 ? -gap->slope_hi : gap->slope_lo) * length - bend;
	r.hi += (by < 0 ? -gap->slope_lo : gap->slope_hi) * length + bend;
	return r;
}

/* The gap next to node @i on its own side of any break; NULL: there is none */
static const struct node *gap_before(const struct tfs_clock_line *line, size_t i)
{
	return i && !line->v[i - 1].breaks ? &line->v[i - 1] : NULL;
}

static const struct node *gap_after(const struct tfs_clock_line *line, size_t i)
{
	return i + 1 < line->n && !line->v[i].breaks ? &line->v[i] : NULL;
}

static struct range in_gap(const struct tfs_clock_line *line, size_t i, double x)
{
	const struct node *a = &line->v[i], *b = a + 1;
	struct range r, all;

	if (a->breaks) {
		r = beyond(line, a, gap_before(line, i), x - a->x);
		all = beyond(line, b, gap_after(line, i + 1), x - b->x);
		return (struct range){ least(r.lo, all.lo), most(r.hi, all.hi) };
	}
	all = chord(line, a, b, x);
	r.lo = most(a->lo + a->slope_lo * (x - a->x), b->lo - a->slope_hi * (b->x - x));
	r.hi = least(a->hi + a->slope_hi * (x - a->x), b->hi - a->slope_lo * (b->x - x));
	r.lo = most(r.lo, all.lo);
	r.hi = least(r.hi, all.hi);
	return r.lo <= r.hi ? r : all;
}

/* The difference of the clocks, relative to the base */
static struct range at(const struct tfs_clock_line *line, uint64_t local)
{
	double x = distance(local, line->v[0].local);
	size_t i = tfs_bisect(k, line->n, line->v[k].x <= x);

	if (!i)
		return beyond(line, line->v, gap_after(line, 0), x);
	if (i == line->n)
		return beyond(line, &line->v[i - 1], gap_before(line, i - 1), x - line->v[i - 1].x);
	return in_gap(line, i - 1, x);
}

void tfs_clock_line_at(const struct tfs_clock_line *line, uint64_t local,
		       struct tfs_clock_sample *out)
{
	struct range r = at(line, local);
	double middle = r.lo + (r.hi - r.lo) / 2, half = (r.hi - r.lo) / 2;

	*out = (struct tfs_clock_sample){ local, local + line->base, UINT64_MAX };
	if (!(size(middle) < EXACT && half < EXACT))
		return;
	out->ref += (uint64_t)(int64_t)middle;
	/* Both were cut to whole numbers. */
	out->bound = (uint64_t)half + 2;
}

void tfs_clock_line_back(const struct tfs_clock_line *line, uint64_t ref,
			 struct tfs_clock_sample *out)
{
	uint64_t local = ref - line->base;

	/* The difference changes by the rate at the most: each step is that much closer. */
	for (int i = 0; i < 4; i++) {
		tfs_clock_line_at(line, local, out);
		if (out->ref == ref)
			break;
		local += ref - out->ref;
	}
	out->local = local;
	out->ref = ref;
}

size_t tfs_clock_line_n(const struct tfs_clock_line *line)
{
	return line->n;
}

uint64_t tfs_clock_line_local(const struct tfs_clock_line *line, size_t i)
{
	return line->v[i].local;
}

size_t tfs_clock_line_breaks(const struct tfs_clock_line *line)
{
	return line->breaks;
}

bool tfs_clock_line_drift(const struct tfs_clock_line *line, double *ppb)
{
	double length = 0, gain = 0;

	for (size_t i = 0; i + 1 < line->n; i++) {
		const struct node *a = &line->v[i], *b = a + 1;

		if (a->breaks)
			continue;
		length += b->x - a->x;
		gain += (b->lo + b->hi - a->lo - a->hi) / 2;
	}
	*ppb = length > 0 ? gain / length / PPB : 0;
	return length > 0;
}
