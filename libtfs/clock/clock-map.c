/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "clock/clock-map.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/macros.h"
#include "clock/clock-line.h"

/* Looks between two nodes, as parts of 8: what the bound is there */
static const unsigned int looks[] = { 1, 2, 4, 6, 7 };

/* A moment. @bound: the greatest from here to the next one */
struct node {
	uint64_t local, time, bound;
};

struct tfs_clock_map {
	struct node *v;
	size_t n;
};

/* The two lines, and what is added to the bound */
struct pair {
	const struct tfs_clock_line *from, *to;
	uint64_t extra;
};

static int by_local(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return x->local < y->local ? -1 : x->local > y->local;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* The true map at @local; *@bound: the @from line's */
static uint64_t exact(const struct pair *pair, uint64_t local, uint64_t *bound)
{
	struct tfs_clock_sample s, back;

	tfs_clock_line_at(pair->from, local, &s);
	*bound = s.bound == UINT64_MAX ? s.bound : sum(s.bound, pair->extra);
	if (!pair->to)
		return local;
	tfs_clock_line_back(pair->to, s.ref, &back);
	return back.local;
}

static uint64_t between(const struct node *a, const struct node *b, uint64_t local)
{
	double span = (double)(b->local - a->local), part = (double)(local - a->local);
	int64_t gain = (int64_t)((b->time - b->local) - (a->time - a->local));

	if (span <= 0)
		return a->time;
	/* Offsets as whole numbers: only what changes between two nodes is a fraction. */
	return local + (a->time - a->local) + (uint64_t)(int64_t)((double)gain * part / span);
}

/* The bound of all times between two nodes, and how far interpolation is from the line itself */
static void bound_between(const struct pair *pair, struct node *a, const struct node *b)
{
	uint64_t local, time, off, bound;

	exact(pair, a->local, &a->bound);
	exact(pair, b->local, &bound);
	if (bound > a->bound)
		a->bound = bound;
	for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
		local = a->local + (b->local - a->local) / 8 * looks[i];
		time = exact(pair, local, &bound);
		off = time - between(a, b, local);
		if ((int64_t)off < 0)
			off = 0 - off;
		bound = sum(bound, off);
		if (bound > a->bound)
			a->bound = bound;
	}
}

static void add(struct tfs_clock_map *map, const struct tfs_clock_span *span, uint64_t local)
{
	/* Beyond the span is nothing to be shown. */
	if (local >= span->first && local <= span->last)
		map->v[map->n++].local = local;
}

/* Times do not decrease, also where a clock was set back. */
static void fill(struct tfs_clock_map *map, const struct pair *pair)
{
	size_t n = 0;

	qsort(map->v, map->n, sizeof(*map->v), by_local);
	for (size_t i = 0; i < map->n; i++)
		if (!n || map->v[n - 1].local != map->v[i].local)
			map->v[n++] = map->v[i];
	map->n = n;
	for (size_t i = 0; i < n; i++) {
		struct node *node = &map->v[i];

		node->time = exact(pair, node->local, &node->bound);
		if (i && node->time < node[-1].time) {
			node->bound = sum(node->bound, node[-1].time - node->time);
			node->time = node[-1].time;
		}
	}
	for (size_t i = 0; i + 1 < n; i++)
		bound_between(pair, &map->v[i], &map->v[i + 1]);
}

int tfs_clock_map_new(const struct tfs_clock_line *from, const struct tfs_clock_line *to,
		      const struct tfs_clock_span *span, uint64_t extra, struct tfs_clock_map **out)
{
	const struct pair pair = { from, to, extra };
	/* The last time may be before the first where a clock goes back. */
	const struct tfs_clock_span times = {
		span->first < span->last ? span->first : span->last,
		span->first < span->last ? span->last : span->first,
	};
	size_t n_from = tfs_clock_line_n(from), n_to = to ? tfs_clock_line_n(to) : 0;
	struct tfs_clock_map *map = calloc(1, sizeof(*map));
	struct tfs_clock_sample s;

	if (map)
		map->v = calloc(2 * n_from + n_to + 2, sizeof(*map->v));
	if (!map || !map->v) {
		tfs_clock_map_free(map);
		return -ENOMEM;
	}
	add(map, &times, times.first);
	add(map, &times, times.last);
	for (size_t i = 0; i < n_from; i++) {
		uint64_t here = tfs_clock_line_local(from, i);

		add(map, &times, here);
		/* The bound is greatest in the middle. */
		if (i + 1 < n_from)
			add(map, &times, here + (tfs_clock_line_local(from, i + 1) - here) / 2);
	}
	for (size_t i = 0; i < n_to; i++) {
		tfs_clock_line_at(to, tfs_clock_line_local(to, i), &s);
		tfs_clock_line_back(from, s.ref, &s);
		add(map, &times, s.local);
	}
	fill(map, &pair);
	*out = map;
	return 0;
}

void tfs_clock_map_free(struct tfs_clock_map *map)
{
	if (!map)
		return;
	free(map->v);
	free(map);
}

uint64_t tfs_clock_map_time(const struct tfs_clock_map *map, uint64_t local)
{
	size_t i = tfs_bisect(k, map->n, map->v[k].local <= local);
	const struct node *near = &map->v[i ? i - 1 : 0];

	if (!i || i == map->n)
		return local + (near->time - near->local);
	return between(near, near + 1, local);
}

uint64_t tfs_clock_map_bound(const struct tfs_clock_map *map, uint64_t time)
{
	size_t i = tfs_bisect(k, map->n, map->v[k].time <= time);

	return map->v[i ? i - 1 : 0].bound;
}

uint64_t tfs_clock_map_worst(const struct tfs_clock_map *map)
{
	uint64_t worst = 0;

	for (size_t i = 0; i < map->n; i++)
		if (map->v[i].bound > worst)
			worst = map->v[i].bound;
	return worst;
}

bool tfs_clock_map_node(const struct tfs_clock_map *map, size_t i, uint64_t *local, uint64_t *time)
{
	if (i >= map->n)
		return false;
	*local = map->v[i].local;
	*time = map->v[i].time;
	return true;
}

int64_t tfs_clock_map_shift(const struct tfs_clock_map *map)
{
	return (int64_t)(map->v[0].time - map->v[0].local);
}

double tfs_clock_map_drift(const struct tfs_clock_map *map)
{
	const struct node *a = &map->v[0], *b = &map->v[map->n - 1];
	int64_t gain = (int64_t)((b->time - b->local) - (a->time - a->local));

	return b->local > a->local ? (double)gain / (double)(b->local - a->local) * 1e9 : 0;
}
