/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/flame-layout.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "chart/flame-tree.h"

/* Where the next frame begins in each row, in weights */
struct cursor {
	uint64_t *at;
	enum tfs_flame_side side;
	double scale; /* pixels of a weight */
};

static bool has_vanished(const struct tfs_flame_node *node)
{
	return !node->total[TFS_FLAME_AFTER] && node->total[TFS_FLAME_BEFORE];
}

static struct tfs_flame_box place(struct cursor *c, const struct tfs_flame_node *node,
				  uint32_t index, uint32_t row)
{
	uint64_t start = c->at[row];

	c->at[row] += node->total[c->side];
	c->at[row + 1] = start + node->self[c->side];
	return (struct tfs_flame_box){
		.node = index,
		.row = row,
		.x = (double)start * c->scale,
		.width = (double)node->total[c->side] * c->scale,
	};
}

static double scale_of(const struct tfs_flame_tree *tree, enum tfs_flame_side side, double width)
{
	uint64_t total = tree->node->total[side];

	return total ? width / (double)total : 0;
}

/* All frames that have a weight, those that vanished at the end */
static size_t place_all(const struct tfs_flame_tree *tree, struct cursor *cursors,
			struct tfs_flame_box *box, size_t *n_vanished)
{
	const struct tfs_flame_node *node = tree->node;
	struct cursor *after = &cursors[TFS_FLAME_AFTER], *before = &cursors[TFS_FLAME_BEFORE];
	uint32_t outermost = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < tree->n; i++)
		if (node[i].total[TFS_FLAME_AFTER])
			box[n++] = place(after, &node[i], i, node[i].depth);
	*n_vanished = 0;
	for (uint32_t i = 0; i < tree->n; i++) {
		if (!has_vanished(&node[i]))
			continue;
		if (!i || !has_vanished(&node[node[i].parent]))
			outermost = node[i].depth;
		box[n + *n_vanished] = place(before, &node[i], i, node[i].depth - outermost);
		++*n_vanished;
	}
	return n;
}

static int widest_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x > y ? -1 : x < y;
}

/* Raises @min_width to where no more than @max frames are as wide. */
static int raise_min_width(const struct tfs_flame_box *box, size_t n, size_t max, double *min_width)
{
	double *width;
	size_t wide = 0;

	for (size_t i = 0; i < n; i++)
		wide += box[i].width >= *min_width;
	if (wide <= max)
		return 0;
	width = calloc(n, sizeof(*width));
	if (!width)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		width[i] = box[i].width;
	qsort(width, n, sizeof(*width), widest_first);
	/* frames of the same width stay together */
	while (max && width[max - 1] <= width[max])
		max--;
	*min_width = max ? width[max - 1] : width[0] * 2 + 1;
	free(width);
	return 0;
}

/* Keeps what is wide enough, and counts the rest. */
static size_t keep_wide(struct tfs_flame_layout *layout, const struct tfs_flame_tree *tree,
			struct tfs_flame_box *to, const struct tfs_flame_box *from, size_t n)
{
	const struct tfs_flame_node *node;
	uint64_t left = 0;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		node = &tree->node[from[i].node];
		if (from[i].width >= layout->min_width) {
			to[kept++] = from[i];
			continue;
		}
		layout->left_out++;
		left += node->self[TFS_FLAME_AFTER];
	}
	if (left)
		layout->left_share += (double)left / (double)tree->node->total[TFS_FLAME_AFTER];
	return kept;
}

static uint32_t rows_of(const struct tfs_flame_box *box, size_t n)
{
	uint32_t rows = 0;

	for (size_t i = 0; i < n; i++)
		if (box[i].row >= rows)
			rows = box[i].row + 1;
	return rows;
}

static double vanished_share(const struct tfs_flame_tree *tree)
{
	uint64_t vanished = 0;

	for (uint32_t i = 0; i < tree->n; i++)
		if (has_vanished(&tree->node[i]))
			vanished += tree->node[i].self[TFS_FLAME_BEFORE];
	return vanished ? (double)vanished / (double)tree->node->total[TFS_FLAME_BEFORE] : 0;
}

int tfs_flame_layout(const struct tfs_flame_tree *tree, double width, double min_width, size_t max,
		     struct tfs_flame_layout *out)
{
	struct cursor cursors[TFS_FLAME_SIDES];
	struct tfs_flame_box *box = calloc(tree->n, sizeof(*box));
	size_t rows = (size_t)tree->depth + 2, n = 0, n_vanished = 0;
	int rc = box ? 0 : -ENOMEM;

	*out = (struct tfs_flame_layout){ .min_width = min_width, .box = box };
	for (int side = 0; side < TFS_FLAME_SIDES; side++) {
		cursors[side].at = calloc(rows, sizeof(*cursors[side].at));
		cursors[side].side = (enum tfs_flame_side)side;
		cursors[side].scale = scale_of(tree, (enum tfs_flame_side)side, width);
		if (!cursors[side].at)
			rc = -ENOMEM;
	}
	if (!rc) {
		n = place_all(tree, cursors, box, &n_vanished);
		rc = raise_min_width(box, n + n_vanished, max, &out->min_width);
	}
	for (int side = 0; side < TFS_FLAME_SIDES; side++)
		free(cursors[side].at);
	if (rc) {
		tfs_flame_layout_release(out);
		return rc;
	}
	out->vanished_share = vanished_share(tree);
	out->n = keep_wide(out, tree, box, box, n);
	out->n_vanished = keep_wide(out, tree, box + out->n, box + n, n_vanished);
	out->rows = rows_of(box, out->n);
	out->rows_vanished = rows_of(box + out->n, out->n_vanished);
	return 0;
}

void tfs_flame_layout_release(struct tfs_flame_layout *layout)
{
	free(layout->box);
	layout->box = NULL;
}
