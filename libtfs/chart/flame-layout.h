/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_FLAME_LAYOUT_H
#define TFS_CHART_FLAME_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct tfs_flame_tree;

/**
 * struct tfs_flame_box - where a frame is drawn
 * @node: index of the tree's node
 * @row: 0 is the root, or the outermost frame of those that vanished
 * @x, @width: in pixels
 */
struct tfs_flame_box {
	uint32_t node, row;
	double x, width;
};

/**
 * struct tfs_flame_layout - the frames that are drawn, and what is known of those that are not
 * @box: @n frames of the tree; after them @n_vanished that only the recording before has, in
 *	widths of that one
 * @rows, @rows_vanished: rows that these take
 * @min_width: pixels below which frames were left out: what was asked for, or more
 * @left_out: frames that were
 * @left_share: what part of all weight has its innermost frame among them
 * @vanished_share: what part of the weight before vanished
 */
struct tfs_flame_layout {
	struct tfs_flame_box *box;
	size_t n, n_vanished;
	uint32_t rows, rows_vanished;
	double min_width, left_share, vanished_share;
	uint64_t left_out;
};

/**
 * tfs_flame_layout() - place the frames, callers below or above what they called
 * @width: pixels of the root
 * @min_width: frames that are narrower are left out
 * @max: frames at most: @min_width is raised until no more are left
 *
 * The frames that one called begin right of its own weight. Return: 0 or -ENOMEM. Release with
 * tfs_flame_layout_release().
 */
int tfs_flame_layout(const struct tfs_flame_tree *tree, double width, double min_width, size_t max,
		     struct tfs_flame_layout *out);
void tfs_flame_layout_release(struct tfs_flame_layout *layout);

#endif
