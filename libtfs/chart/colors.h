/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_COLORS_H
#define TFS_CHART_COLORS_H

#include <stdint.h>

#include "stack/fold.h"

struct tfs_err;

/**
 * enum tfs_colors - what decides the color of a frame
 * @TFS_COLORS_KIND: whether it is of the kernel, a program, made at run time, inlined
 * @TFS_COLORS_DSO: for frames of programs, the file they are in
 * @TFS_COLORS_ONE: nothing: all are of one family, which follows: TFS_COLORS_ONE + family
 */
enum tfs_colors { TFS_COLORS_KIND, TFS_COLORS_DSO, TFS_COLORS_ONE };

/** TFS_COLOR_SHADES - colors of a family, one of which a name always has */
#define TFS_COLOR_SHADES 8
/** TFS_COLOR_STEPS - colors from no change to the largest, in each direction */
#define TFS_COLOR_STEPS 5

/** enum tfs_color_theme - for a bright or a dark background */
enum tfs_color_theme { TFS_COLOR_LIGHT, TFS_COLOR_DARK, TFS_COLOR_THEMES };

/**
 * tfs_colors_parse() - a scheme by its name: "kind", "dso", or that of a family
 *
 * Return: 0; -EINVAL with @err set, which names all.
 */
int tfs_colors_parse(const char *text, unsigned int *scheme, struct tfs_err *err);

/** tfs_color_families() - how many there are */
unsigned int tfs_color_families(void);
/** tfs_color_label() - what its frames have in common, for a legend; NULL: nothing */
const char *tfs_color_label(unsigned int family);

/** tfs_color_family() - of a frame; below tfs_color_families() */
unsigned int tfs_color_family(unsigned int scheme, const struct tfs_fold_name *name);
/** tfs_color_shade() - of a frame: by its name alone, so that it is the same in every graph */
unsigned int tfs_color_shade(const struct tfs_fold_name *name);
/** tfs_color_rgb() - 0xRRGGBB */
uint32_t tfs_color_rgb(unsigned int family, unsigned int shade, enum tfs_color_theme theme);

/**
 * tfs_color_step() - the color of a change of weight, one that color-blind people see
 * @step: from -TFS_COLOR_STEPS, much lighter (blue), over 0, to TFS_COLOR_STEPS, heavier (orange)
 * Return: 0xRRGGBB
 */
uint32_t tfs_color_step(int step, enum tfs_color_theme theme);

#endif
