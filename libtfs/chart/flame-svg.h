/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_FLAME_SVG_H
#define TFS_CHART_FLAME_SVG_H

struct tfs_flame_look;
struct tfs_flame_tree;
struct tfs_out;
struct tfs_strbuf;

/** TFS_FLAME_SVG_MAX - frames in a picture at most; browsers take seconds for more */
#define TFS_FLAME_SVG_MAX 10000
/** TFS_FLAME_SVG_WIDTH - pixels of a picture; the outermost frame is 20 narrower */
#define TFS_FLAME_SVG_WIDTH 1200
/** TFS_FLAME_SVG_MIN_WIDTH - pixels of the narrowest frame */
#define TFS_FLAME_SVG_MIN_WIDTH 0.1

/**
 * tfs_flame_svg() - draw a picture without scripts: any viewer shows it, and the full name of a
 * frame with its weight where the mouse is
 * @said: appended to: what was left out, a line; unchanged if all is there
 *
 * Return: 0 or -ENOMEM; errors of @out stay there.
 */
int tfs_flame_svg(const struct tfs_flame_tree *tree, const struct tfs_flame_look *look,
		  struct tfs_out *out, struct tfs_strbuf *said);

#endif
