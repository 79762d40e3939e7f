/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/heatmap-internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/strbuf-core.h"
#include "chart/page.h"

/* Time stamps do not fit a number of JavaScript: strings of digits */
static int put_meta(const struct heat_map *map, struct tfs_strbuf *sb)
{
	const struct heat_grid *g = &map->grid;
	int rc = tfs_strbuf_adds(sb, "{\"title\":");

	if (!rc)
		rc = tfs_json_string(sb, map->title, strlen(map->title));
	if (!rc)
		rc = tfs_strbuf_addf(sb,
				     ",\"first\":\"%" PRIu64 "\",\"width\":\"%" PRIu64
				     "\",\"columns\":%zu,\"total\":%" PRIu64 ",\"max\":\"%" PRIu64
				     "\",\"low\":%u,\"high\":%u,\"step\":\"%" PRIu64
				     "\",\"linear\":%d,\"linearRows\":%d,\"logRows\":%d,\"gaps\":[",
				     g->first, g->width, g->n, g->total, g->max, g->low, g->high,
				     g->step, map->linear, HEAT_LINEAR, HEAT_LOG);
	for (size_t i = 0; i < map->n_gaps && !rc; i++)
		rc = tfs_strbuf_addf(sb,
				     "%s{\"begin\":\"%" PRIu64 "\",\"end\":\"%" PRIu64
				     "\",\"count\":%" PRIu64 ",\"cpu\":%d,\"missing\":%d}",
				     i ? "," : "", map->gap[i].begin, map->gap[i].end,
				     map->gap[i].count, map->gap[i].cpu, map->gap[i].missing);
	return rc ? rc : tfs_strbuf_adds(sb, "]}");
}

static int put_bounds(struct tfs_page *page)
{
	uint64_t low[HEAT_LOG + 1];

	for (unsigned int i = 0; i <= HEAT_LOG; i++)
		low[i] = tfs_heat_low(i);
	return tfs_page_column(page, "bounds", 8, low, HEAT_LOG + 1);
}

/* 0 for an empty column */
static int put_percentile(struct tfs_page *page, const struct heat_grid *g, size_t i,
			  const char *name)
{
	int rc = tfs_page_open(page, name, 8);

	for (size_t c = 0; c < g->n && !rc; c++) {
		uint64_t value;

		tfs_heat_percentile(g, c, i, &value);
		rc = tfs_page_add(page, &value, 1);
	}
	return rc ? rc : tfs_page_close(page);
}

int tfs_heatmap_html(const struct heat_map *map, struct tfs_out *out)
{
	const struct heat_grid *g = &map->grid;
	struct tfs_strbuf meta = TFS_STRBUF_INIT;
	struct tfs_page *page = NULL;
	int rc = put_meta(map, &meta);

	if (!rc)
		rc = tfs_page_begin(out, &tfs_page_heatmap, map->title, meta.s, &page);
	if (!rc)
		rc = tfs_page_column(page, "log", 4, g->log, g->n * HEAT_LOG);
	if (!rc)
		rc = tfs_page_column(page, "linear", 4, g->linear, g->n * HEAT_LINEAR);
	if (!rc)
		rc = put_bounds(page);
	if (!rc)
		rc = put_percentile(page, g, 0, "p50");
	if (!rc)
		rc = put_percentile(page, g, 1, "p99");
	if (!rc)
		rc = tfs_page_end(page);
	tfs_page_free(page);
	tfs_strbuf_release(&meta);
	return rc;
}
