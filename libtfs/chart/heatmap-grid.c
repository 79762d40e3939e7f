/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/heatmap-internal.h"

#include <errno.h>
#include <stdlib.h>

/* 2^(k/4) as 64-bit fractions of 2: where the rows of an octave begin */
static const uint64_t quarter[4] = {
	UINT64_C(0x8000000000000000),
	UINT64_C(0x9837f0518db8a96f),
	UINT64_C(0xb504f333f9de6484),
	UINT64_C(0xd744fccad69d6af4),
};

unsigned int tfs_heat_row(uint64_t value)
{
	unsigned int e, sub = 3;

	if (!value)
		return 0;
	e = 63 - (unsigned int)__builtin_clzll(value);
	while (value << (63 - e) < quarter[sub])
		sub--;
	return 4 * e + sub;
}

/* Rounded up: the row begins with the first integer that is not below its bound. */
uint64_t tfs_heat_low(unsigned int row)
{
	unsigned int e = row / 4;
	uint64_t bound;

	if (!row)
		return 0;
	if (row >= HEAT_LOG)
		return UINT64_MAX;
	bound = quarter[row % 4];
	return (bound >> (63 - e)) + (e < 63 && bound << (e + 1) != 0);
}

int tfs_heat_grid_new(struct heat_grid *g, uint64_t first, uint64_t last, uint64_t max,
		      size_t columns)
{
	*g = (struct heat_grid){ .first = first, .last = last, .max = max, .n = columns };
	g->width = (last - first) / columns + 1;
	g->step = max / HEAT_LINEAR + 1;
	g->low = HEAT_LOG;
	g->log = calloc(columns * HEAT_LOG, sizeof(*g->log));
	g->linear = calloc(columns * HEAT_LINEAR, sizeof(*g->linear));
	g->column = calloc(columns, sizeof(*g->column));
	return g->log && g->linear && g->column ? 0 : -ENOMEM;
}

void tfs_heat_grid_release(struct heat_grid *g)
{
	for (size_t i = 0; g->column && i < g->n; i++)
		tfs_percentiles_release(&g->column[i]);
	free(g->column);
	free(g->log);
	free(g->linear);
	*g = (struct heat_grid){ 0 };
}

static void count(uint32_t *cell, uint32_t *largest)
{
	if (*cell < UINT32_MAX && ++*cell > *largest)
		*largest = *cell;
}

int tfs_heat_grid_add(struct heat_grid *g, uint64_t at, uint64_t value)
{
	size_t column = at > g->first ? (size_t)((at - g->first) / g->width) : 0;
	unsigned int row = tfs_heat_row(value);
	uint64_t linear = value / g->step;

	/* Times that run backwards are near. */
	if (column >= g->n)
		column = g->n - 1;
	count(&g->log[column * HEAT_LOG + row], &g->largest_log);
	count(&g->linear[column * HEAT_LINEAR + (linear < HEAT_LINEAR ? linear : HEAT_LINEAR - 1)],
	      &g->largest_linear);
	if (row < g->low)
		g->low = row;
	if (row > g->high)
		g->high = row;
	g->total++;
	return tfs_percentiles_add(&g->column[column], value);
}

int tfs_heat_grid_end(struct heat_grid *g)
{
	static const unsigned int percents[HEAT_PERCENTS] = { 50000, 99000 };
	int rc = 0;

	for (size_t i = 0; i < g->n && rc >= 0; i++)
		rc = tfs_percentiles_rank(&g->column[i], percents, HEAT_PERCENTS);
	return rc < 0 ? rc : 0;
}

bool tfs_heat_percentile(const struct heat_grid *g, size_t column, size_t i, uint64_t *value)
{
	bool exact;

	*value = tfs_percentiles_value(&g->column[column], i, &exact);
	return g->column[column].h.stats.n > 0;
}
