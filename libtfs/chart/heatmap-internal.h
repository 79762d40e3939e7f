/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_HEATMAP_INTERNAL_H
#define TFS_CHART_HEATMAP_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/percentiles.h"
#include "chart/heatmap.h"

struct tfs_out;
struct tfs_strbuf;

/** HEAT_LINEAR - rows of equal height */
#define HEAT_LINEAR 50
/** HEAT_LOG - rows of a quarter of an octave: of 64-bit values */
#define HEAT_LOG 256
/** HEAT_PERCENTS - percentiles of each column that are drawn: p50 and p99 */
#define HEAT_PERCENTS 2

/**
 * struct heat_grid - how many values are in each cell
 * @first, @last: of the time that the columns cover, @n of them, each @width ns
 * @max: the largest value; @step: height of a linear row
 * @log, @linear: counts, HEAT_LOG or HEAT_LINEAR rows of a column, one column after the other
 * @column: all values of a column
 * @total: all values; @largest_log, @largest_linear: the fullest cell
 * @low, @high: rows of @log that are used
 */
struct heat_grid {
	uint64_t first, last, width;
	size_t n;
	uint64_t max, step;
	uint32_t *log, *linear;
	struct tfs_percentiles *column;
	uint64_t total;
	uint32_t largest_log, largest_linear;
	unsigned int low, high;
};

/** struct heat_gap - events were lost; or, if they are @missing, the last ones of the CPU */
struct heat_gap {
	uint64_t begin, end, count;
	uint32_t input;
	int cpu;
	bool missing;
};

/** struct heat_map - what is drawn */
struct heat_map {
	struct heat_grid grid;
	struct heat_gap *gap;
	size_t n_gaps, alloc_gaps, n_missing;
	const char *title;
	bool linear;
};

/* chart/heatmap-grid.c */

/** tfs_heat_grid_new() - empty cells for values up to @max from @first to @last. 0 or -ENOMEM */
int tfs_heat_grid_new(struct heat_grid *g, uint64_t first, uint64_t last, uint64_t max,
		      size_t columns);
void tfs_heat_grid_release(struct heat_grid *g);
/** tfs_heat_grid_add() - a value that ended at @at. 0 or -ENOMEM */
int tfs_heat_grid_add(struct heat_grid *g, uint64_t at, uint64_t value);
/** tfs_heat_grid_end() - all values are there. 0 or -ENOMEM */
int tfs_heat_grid_end(struct heat_grid *g);
/** tfs_heat_row() - the row of a value among HEAT_LOG */
unsigned int tfs_heat_row(uint64_t value);
/** tfs_heat_low() - the smallest value of a row, up to HEAT_LOG: then the first beyond */
uint64_t tfs_heat_low(unsigned int row);
/** tfs_heat_percentile() - @i of HEAT_PERCENTS of a column; false: it is empty */
bool tfs_heat_percentile(const struct heat_grid *g, size_t column, size_t i, uint64_t *value);

/* chart/heatmap-svg.c, chart/heatmap-html.c: 0 or -errno */

int tfs_heatmap_svg(const struct heat_map *map, struct tfs_out *out);
int tfs_heatmap_html(const struct heat_map *map, struct tfs_out *out);

#endif
