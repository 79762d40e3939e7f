/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/heatmap-internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/out.h"
#include "base/strbuf-core.h"
#include "chart/markup.h"

/* The plot, in pixels */
#define LEFT 80.0
#define TOP 50.0
#define WIDTH 1100.0
#define HEIGHT 480.0
#define LEVELS 16
/* A picture with more cells takes seconds to open: the emptiest are left out. */
#define CELLS_MAX 20000

/* One of the two layouts of rows */
struct rows {
	const uint32_t *cell;
	unsigned int stride, low, n;
	uint32_t largest;
	bool linear;
};

static struct rows rows_of(const struct heat_map *map)
{
	const struct heat_grid *g = &map->grid;

	if (map->linear)
		return (struct rows){ g->linear,   HEAT_LINEAR,       0,
				      HEAT_LINEAR, g->largest_linear, true };
	return (struct rows){
		g->log, HEAT_LOG, g->low, g->high - g->low + 1, g->largest_log, false
	};
}

static uint64_t low_of(const struct heat_grid *g, const struct rows *r, unsigned int row)
{
	return r->linear ? g->step * row : tfs_heat_low(row);
}

/* "1.5 us": three digits */
static int put_time(struct tfs_strbuf *sb, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double v = (double)ns;
	size_t u = 0;

	for (; v >= 1000 && u < 3; u++)
		v /= 1000;
	return tfs_strbuf_addf(sb, "%.*f %s", !u || v >= 100 ? 0 : v >= 10 ? 1 : 2, v, units[u]);
}

/* From purple to yellow: viridis, between five of its colors */
static void color_of(unsigned int level, unsigned int rgb[3])
{
	static const unsigned char stop[5][3] = { { 0x44, 0x01, 0x54 },
						  { 0x3b, 0x52, 0x8b },
						  { 0x21, 0x91, 0x8c },
						  { 0x5e, 0xc9, 0x62 },
						  { 0xfd, 0xe7, 0x25 } };
	unsigned int at = level * 4 * 256 / (LEVELS - 1), i = at / 256, f = at % 256;

	for (unsigned int c = 0; c < 3; c++)
		rgb[c] = i > 3 ? stop[4][c] :
				 (stop[i][c] * (256 - f) + stop[i + 1][c] * f + 128) / 256;
}

/* On a logarithmic scale: a single value differs from none. */
static unsigned int level_of(uint32_t n, uint32_t largest)
{
	/* A row of a quarter of an octave is a logarithm. */
	double share = largest > 1 ? (double)tfs_heat_row(n) / tfs_heat_row(largest) : 1;

	return (unsigned int)((0.15 + 0.85 * share) * (LEVELS - 1) + 0.5);
}

static double x_of(const struct heat_grid *g, uint64_t at)
{
	double x = at > g->first ? (double)(at - g->first) / ((double)g->width * (double)g->n) : 0;

	return LEFT + (x < 1 ? x : 1) * WIDTH;
}

static double y_of(const struct heat_grid *g, const struct rows *r, uint64_t value)
{
	unsigned int row = tfs_heat_row(value);
	uint64_t low = tfs_heat_low(row);
	double at;

	if (r->linear)
		at = (double)value / (double)g->step;
	else
		at = (double)row - r->low +
		     (double)(value - low) / ((double)tfs_heat_low(row + 1) - (double)low);
	if (at < 0)
		at = 0;
	return TOP + HEIGHT * (1 - (at < r->n ? at : r->n) / r->n);
}

static int put_head(const struct heat_map *map, struct tfs_strbuf *sb)
{
	unsigned int rgb[3];
	int rc = tfs_strbuf_addf(
		sb,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		"role=\"img\">\n"
		"<style>\n:root{color-scheme:light dark;--t:#18181b;--g:#71717a;--b:#fff}\n"
		"@media(prefers-color-scheme:dark){:root{--t:#f4f4f5;--g:#a1a1aa;--b:#18181b}}\n"
		"svg{background:var(--b);font:12px sans-serif}text{fill:var(--t)}\n"
		".a{stroke:var(--g);stroke-width:.5}.gap{fill:url(#h)}\n"
		".p50,.p99{fill:none;stroke-width:1.5;stroke:#d55e00}.p99{stroke-dasharray:4 2}\n",
		LEFT + WIDTH + 50, TOP + HEIGHT + 60);

	for (unsigned int i = 0; i < LEVELS && !rc; i++) {
		color_of(i, rgb);
		rc = tfs_strbuf_addf(sb, ".c%u{fill:#%02x%02x%02x}\n", i, rgb[0], rgb[1], rgb[2]);
	}
	if (!rc)
		rc = tfs_strbuf_addf(
			sb,
			"</style>\n<defs><pattern id=\"h\" width=\"6\" height=\"6\" "
			"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
			"<rect width=\"2\" height=\"6\" fill=\"#ee6677\"/></pattern></defs>\n"
			"<text x=\"%.0f\" y=\"28\" font-size=\"17\">",
			LEFT);
	if (!rc)
		rc = tfs_markup_text(sb, map->title, strlen(map->title), 0);
	if (!rc)
		rc = tfs_strbuf_adds(sb, " (");
	if (!rc)
		rc = tfs_markup_count(sb, map->grid.total);
	return rc ? rc : tfs_strbuf_adds(sb, ")</text>\n");
}

static int put_label(struct tfs_strbuf *sb, double x, double y, const char *anchor)
{
	return tfs_strbuf_addf(sb, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
}

static int put_axes(const struct heat_grid *g, const struct rows *r, struct tfs_strbuf *sb)
{
	unsigned int step = r->linear ? 10 : r->n > 48 ? 8 : 4;
	int rc = 0;

	for (unsigned int i = r->low % step ? step - r->low % step : 0; i <= r->n && !rc;
	     i += step) {
		double y = TOP + HEIGHT * (1 - (double)i / r->n);

		rc = tfs_strbuf_addf(sb, "<path class=\"a\" d=\"M%.0f %.1fh%.0f\"/>", LEFT - 4, y,
				     WIDTH + 4);
		if (!rc)
			rc = put_label(sb, LEFT - 8, y + 4, "end");
		if (!rc)
			rc = put_time(sb, low_of(g, r, r->low + i));
		if (!rc)
			rc = tfs_strbuf_adds(sb, "</text>\n");
	}
	for (unsigned int i = 0; i <= 10 && !rc; i++) {
		uint64_t at = g->first + (uint64_t)((double)g->width * (double)g->n * i / 10);

		rc = put_label(sb, LEFT + WIDTH * i / 10, TOP + HEIGHT + 18, "middle");
		if (!rc)
			rc = tfs_strbuf_addf(sb, "%.3f</text>\n", (double)at / 1e9);
	}
	return rc;
}

static int put_cell(const struct heat_map *map, const struct rows *r, size_t column,
		    unsigned int row, uint64_t below, struct tfs_strbuf *sb)
{
	const struct heat_grid *g = &map->grid;
	uint32_t n = r->cell[column * r->stride + row];
	double all = (double)g->column[column].h.stats.n, h = HEIGHT / r->n,
	       w = WIDTH / (double)g->n;
	uint64_t from = g->first + g->width * column;
	int rc = tfs_strbuf_addf(sb,
				 "<rect class=\"c%u\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
				 "height=\"%.2f\"><title>%.6f s to %.6f s, ",
				 level_of(n, r->largest), LEFT + w * (double)column,
				 TOP + HEIGHT - h * (row - r->low + 1), w, h, (double)from / 1e9,
				 (double)(from + g->width) / 1e9);

	if (!rc)
		rc = put_time(sb, low_of(g, r, row));
	if (!rc)
		rc = tfs_strbuf_adds(sb, " to ");
	if (!rc)
		rc = put_time(sb, low_of(g, r, row + 1));
	return rc ? rc :
		    tfs_strbuf_addf(sb,
				    ": %u (%.1f%% of this time, %.1f%% took no longer)"
				    "</title></rect>\n",
				    n, 100 * n / all, 100 * (double)(below + n) / all);
}

/* The smallest count of a cell that is drawn, so that there are not too many */
static uint32_t least_of(const struct heat_grid *g, const struct rows *r)
{
	uint32_t least = 1;
	size_t cells;

	for (;; least *= 2) {
		cells = 0;
		for (size_t i = 0; i < g->n * r->stride; i++)
			cells += r->cell[i] >= least;
		if (cells <= CELLS_MAX || least > UINT32_MAX / 2)
			return least;
	}
}

static int put_cells(const struct heat_map *map, const struct rows *r, uint32_t least,
		     struct tfs_out *out, struct tfs_strbuf *sb)
{
	const struct heat_grid *g = &map->grid;
	int rc = 0;

	for (size_t column = 0; column < g->n && !rc; column++) {
		uint64_t below = 0;

		for (unsigned int row = r->low; row < r->low + r->n && !rc; row++) {
			uint32_t n = r->cell[column * r->stride + row];

			if (n >= least)
				rc = put_cell(map, r, column, row, below, sb);
			below += n;
		}
		if (!rc)
			rc = tfs_out_write(out, sb->s, sb->len);
		tfs_strbuf_reset(sb);
	}
	return rc;
}

static int put_lines(const struct heat_grid *g, const struct rows *r, struct tfs_strbuf *sb)
{
	static const char *const names[HEAT_PERCENTS] = { "p50", "p99" };
	uint64_t value;
	int rc = 0;

	for (size_t i = 0; i < HEAT_PERCENTS && !rc; i++) {
		char move = 'M';

		rc = tfs_strbuf_addf(sb, "<path class=\"%s\" d=\"", names[i]);
		for (size_t c = 0; c < g->n && !rc; c++) {
			if (!tfs_heat_percentile(g, c, i, &value))
				continue;
			rc = tfs_strbuf_addf(sb, "%c%.1f %.1f", move,
					     LEFT + WIDTH * ((double)c + 0.5) / (double)g->n,
					     y_of(g, r, value));
			move = 'L';
		}
		if (!rc)
			rc = tfs_strbuf_addf(sb, "\"><title>%s</title></path>\n", names[i]);
	}
	return rc;
}

static int put_gaps(const struct heat_map *map, struct tfs_strbuf *sb)
{
	int rc = 0;

	for (size_t i = 0; i < map->n_gaps && !rc; i++) {
		const struct heat_gap *gap = &map->gap[i];
		double x = x_of(&map->grid, gap->begin), end = x_of(&map->grid, gap->end);

		rc = tfs_strbuf_addf(sb,
				     "<rect class=\"gap\" x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" "
				     "height=\"%.0f\"><title>CPU %d %s",
				     x, TOP, end - x > 1 ? end - x : 1, HEIGHT, gap->cpu,
				     gap->missing ? "lacks its last " : "lost ");
		if (!rc && gap->count)
			rc = tfs_strbuf_addf(sb, "%" PRIu64 " ", gap->count);
		if (!rc)
			rc = tfs_strbuf_adds(sb, "events</title></rect>\n");
	}
	return rc;
}

static int put_foot(uint32_t least, struct tfs_strbuf *sb)
{
	int rc = put_label(sb, LEFT, TOP + HEIGHT + 44, "start");

	if (!rc)
		rc = tfs_strbuf_adds(sb, "time (s) of the end; lines: p50, dashed p99; hatched: "
					 "events were lost");
	if (!rc && least > 1)
		rc = tfs_strbuf_addf(sb, "; cells with less than %u are left out", least);
	return rc ? rc : tfs_strbuf_adds(sb, "</text>\n</svg>\n");
}

int tfs_heatmap_svg(const struct heat_map *map, struct tfs_out *out)
{
	const struct rows r = rows_of(map);
	const uint32_t least = least_of(&map->grid, &r);
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = put_head(map, &sb);

	if (!rc)
		rc = put_axes(&map->grid, &r, &sb);
	if (!rc)
		rc = put_cells(map, &r, least, out, &sb);
	if (!rc)
		rc = put_lines(&map->grid, &r, &sb);
	if (!rc)
		rc = put_gaps(map, &sb);
	if (!rc)
		rc = put_foot(least, &sb);
	if (!rc)
		rc = tfs_out_write(out, sb.s, sb.len);
	tfs_strbuf_release(&sb);
	return rc;
}
