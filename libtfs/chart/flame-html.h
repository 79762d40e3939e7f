/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_FLAME_HTML_H
#define TFS_CHART_FLAME_HTML_H

struct tfs_flame_look;
struct tfs_flame_tree;
struct tfs_out;

/**
 * tfs_flame_html() - write a page that draws all frames, to be zoomed, searched and turned round
 *
 * The page holds everything it needs (chart/page.h). Its columns, read by page/flame-data.js:
 * parent (index of the frame less that of its caller), name, self and samples of each frame, with
 * self-before and samples-before of a difference; names, dsos (texts, each with a zero), dso (index
 * from 1; 0: none), family and shade of each name;
 * sample-time (since the first) and sample-node, if times are known. Return: 0 or -errno.
 */
int tfs_flame_html(const struct tfs_flame_tree *tree, const struct tfs_flame_look *look,
		   struct tfs_out *out);

#endif
