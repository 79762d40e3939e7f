/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/flame-html.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strmap.h"
#include "chart/colors.h"
#include "chart/flame-look.h"
#include "chart/flame-tree.h"
#include "chart/page.h"

static void add_rgb(struct tfs_json *j, uint32_t rgb)
{
	char text[8];

	snprintf(text, sizeof(text), "#%06" PRIx32, rgb & 0xffffff);
	tfs_json_text(j, NULL, text);
}

static const char *const themes[TFS_COLOR_THEMES] = {
	[TFS_COLOR_LIGHT] = "light",
	[TFS_COLOR_DARK] = "dark",
};

/* The label and the colors of each family */
static void add_families(struct tfs_json *j)
{
	tfs_json_open(j, "families", '[');
	for (unsigned int f = 0; f < tfs_color_families(); f++) {
		tfs_json_open(j, NULL, '{');
		tfs_json_text(j, "label", tfs_color_label(f));
		for (unsigned int t = 0; t < TFS_COLOR_THEMES; t++) {
			tfs_json_open(j, themes[t], '[');
			for (unsigned int shade = 0; shade < TFS_COLOR_SHADES; shade++)
				add_rgb(j, tfs_color_rgb(f, shade, (enum tfs_color_theme)t));
			tfs_json_close(j, ']');
		}
		tfs_json_close(j, '}');
	}
	tfs_json_close(j, ']');
}

/* The colors of changes, from the largest decrease to the largest increase */
static void add_steps(struct tfs_json *j)
{
	tfs_json_open(j, "steps", '{');
	for (unsigned int t = 0; t < TFS_COLOR_THEMES; t++) {
		tfs_json_open(j, themes[t], '[');
		for (int step = -TFS_COLOR_STEPS; step <= TFS_COLOR_STEPS; step++)
			add_rgb(j, tfs_color_step(step, (enum tfs_color_theme)t));
		tfs_json_close(j, ']');
	}
	tfs_json_close(j, '}');
}

static uint64_t first_sample(const struct tfs_flame_samples *s)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; s && i < s->n; i++)
		if (s->v[i].ts < first)
			first = s->v[i].ts;
	return first;
}

static int make_meta(const struct tfs_flame_tree *tree, const struct tfs_flame_look *look,
		     struct tfs_json *j)
{
	char factor[32], start[24];

	snprintf(factor, sizeof(factor), "%.17g",
		 look->flags & TFS_FLAME_SCALED ? tfs_flame_factor(tree) : 1);
	tfs_json_open(j, NULL, '{');
	tfs_json_text(j, "title", look->title);
	tfs_json_text(j, "unit", look->unit);
	tfs_json_text(j, "notes", look->notes);
	tfs_json_bool(j, "diff", look->flags & TFS_FLAME_DIFF);
	tfs_json_text(j, "factor", factor);
	if (look->samples && look->samples->n) {
		snprintf(start, sizeof(start), "%" PRIu64, first_sample(look->samples));
		tfs_json_text(j, "start", start);
		tfs_json_int(j, "unsampled", (long long)look->samples->left_out);
	}
	add_families(j);
	add_steps(j);
	tfs_json_close(j, '}');
	return j->rc;
}

/* The columns of nodes */
enum column { PARENT, NAME, SELF, SAMPLES, SELF_BEFORE, SAMPLES_BEFORE };

static uint64_t value(const struct tfs_flame_tree *tree, uint32_t i, enum column column)
{
	const struct tfs_flame_node *node = &tree->node[i];

	switch (column) {
	case PARENT:
		return i - node->parent;
	case NAME:
		return node->name;
	case SELF:
		return node->self[TFS_FLAME_AFTER];
	case SAMPLES:
		return node->samples[TFS_FLAME_AFTER];
	case SELF_BEFORE:
		return node->self[TFS_FLAME_BEFORE];
	case SAMPLES_BEFORE:
		return node->samples[TFS_FLAME_BEFORE];
	}
	return 0;
}

static int put_nodes(struct tfs_page *page, const struct tfs_flame_tree *tree, bool diff)
{
	static const struct {
		const char *name;
		unsigned int width;
		bool diff;
	} columns[] = {
		[PARENT] = { "parent", 4, false },
		[NAME] = { "name", 4, false },
		[SELF] = { "self", 8, false },
		[SAMPLES] = { "samples", 8, false },
		[SELF_BEFORE] = { "self-before", 8, true },
		[SAMPLES_BEFORE] = { "samples-before", 8, true },
	};
	uint64_t wide;
	uint32_t narrow;
	int rc = 0;

	for (size_t c = 0; c < ARRAY_SIZE(columns) && !rc; c++) {
		if (columns[c].diff && !diff)
			continue;
		rc = tfs_page_open(page, columns[c].name, columns[c].width);
		for (uint32_t i = 0; i < tree->n && !rc; i++) {
			wide = value(tree, i, (enum column)c);
			narrow = htole32((uint32_t)wide);
			wide = htole64(wide);
			rc = tfs_page_add(
				page, columns[c].width == 8 ? (void *)&wide : (void *)&narrow, 1);
		}
		if (!rc)
			rc = tfs_page_close(page);
	}
	return rc;
}

/* The number of a file, from 1 on; its path is appended to @paths when it is new. */
static int number_dso(struct tfs_strmap *numbers, struct tfs_strbuf *paths, const char *dso,
		      uint32_t *number)
{
	size_t *known;

	*number = 0;
	if (!dso)
		return 0;
	known = tfs_strmap_at(numbers, dso);
	if (!known)
		return -ENOMEM;
	if (!*known) {
		*known = numbers->map.n;
		if (tfs_strbuf_add(paths, dso, strlen(dso) + 1))
			return -ENOMEM;
	}
	*number = htole32((uint32_t)*known);
	return 0;
}

static int put_dsos(struct tfs_page *page, const struct tfs_flame_tree *tree)
{
	struct tfs_strbuf paths = TFS_STRBUF_INIT;
	struct tfs_strmap numbers = { .map = { .n = 0 } };
	uint32_t number;
	int rc = tfs_page_open(page, "dso", sizeof(number));

	for (uint32_t i = 0; i < tree->n_names && !rc; i++) {
		rc = number_dso(&numbers, &paths, tree->name[i].dso, &number);
		if (!rc)
			rc = tfs_page_add(page, &number, 1);
	}
	if (!rc)
		rc = tfs_page_close(page);
	if (!rc)
		rc = tfs_page_column(page, "dsos", 1, paths.s, paths.len);
	tfs_strbuf_release(&paths);
	tfs_strmap_release(&numbers);
	return rc;
}

static int put_colors(struct tfs_page *page, const struct tfs_flame_tree *tree, unsigned int scheme)
{
	unsigned char byte;
	int rc = tfs_page_open(page, "family", 1);

	for (uint32_t i = 0; i < tree->n_names && !rc; i++) {
		byte = (unsigned char)tfs_color_family(scheme, &tree->name[i]);
		rc = tfs_page_add(page, &byte, 1);
	}
	if (!rc)
		rc = tfs_page_close(page);
	if (!rc)
		rc = tfs_page_open(page, "shade", 1);
	for (uint32_t i = 0; i < tree->n_names && !rc; i++) {
		byte = (unsigned char)tfs_color_shade(&tree->name[i]);
		rc = tfs_page_add(page, &byte, 1);
	}
	return rc ? rc : tfs_page_close(page);
}

/* The time of each sample, less that of the first of all, and the frame it ended in */
static int put_samples(struct tfs_page *page, const struct tfs_flame_tree *tree,
		       const struct tfs_flame_samples *s, uint64_t start)
{
	uint64_t ts;
	uint32_t node;
	int rc = tfs_page_open(page, "sample-time", sizeof(ts));

	for (size_t i = 0; i < s->n && !rc; i++) {
		ts = htole64(s->v[i].ts - start);
		rc = tfs_page_add(page, &ts, 1);
	}
	if (!rc)
		rc = tfs_page_close(page);
	if (!rc)
		rc = tfs_page_open(page, "sample-node", sizeof(node));
	for (size_t i = 0; i < s->n && !rc; i++) {
		node = s->v[i].node < tree->n_fold ? tree->of_fold[s->v[i].node] : 0;
		node = htole32(node);
		rc = tfs_page_add(page, &node, 1);
	}
	return rc ? rc : tfs_page_close(page);
}

static int put_names(struct tfs_page *page, const struct tfs_flame_tree *tree)
{
	int rc = tfs_page_open(page, "names", 1);

	for (uint32_t i = 0; i < tree->n_names && !rc; i++) {
		rc = tfs_page_add(page, tree->name[i].text, tree->name[i].len);
		if (!rc)
			rc = tfs_page_add(page, "", 1);
	}
	return rc ? rc : tfs_page_close(page);
}

int tfs_flame_html(const struct tfs_flame_tree *tree, const struct tfs_flame_look *look,
		   struct tfs_out *out)
{
	struct tfs_json meta = TFS_JSON_INIT;
	struct tfs_page *page = NULL;
	int rc = make_meta(tree, look, &meta);

	if (!rc)
		rc = tfs_page_begin(out, &tfs_page_flame, look->title, meta.text.s, &page);
	if (!rc)
		rc = put_nodes(page, tree, look->flags & TFS_FLAME_DIFF);
	if (!rc)
		rc = put_names(page, tree);
	if (!rc)
		rc = put_dsos(page, tree);
	if (!rc)
		rc = put_colors(page, tree, look->scheme);
	if (!rc && look->samples && look->samples->n)
		rc = put_samples(page, tree, look->samples, first_sample(look->samples));
	if (!rc)
		rc = tfs_page_end(page);
	tfs_page_free(page);
	tfs_json_release(&meta);
	return rc;
}
