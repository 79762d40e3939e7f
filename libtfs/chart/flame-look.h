/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_FLAME_LOOK_H
#define TFS_CHART_FLAME_LOOK_H

#include <stddef.h>
#include <stdint.h>

/**
 * enum tfs_flame_flags - what is drawn
 * @TFS_FLAME_DIFF: two sides: widths of the one after, colors by change
 * @TFS_FLAME_SCALED: weights before are multiplied to have the total of those after
 */
enum tfs_flame_flags { TFS_FLAME_DIFF = 1 << 0, TFS_FLAME_SCALED = 1 << 1 };

/**
 * struct tfs_flame_samples - when stacks were recorded
 * @v: @n samples in any order; @node is that of the fold after, @ts is in nanoseconds
 * @left_out: later samples that are not among them
 */
struct tfs_flame_samples {
	struct tfs_flame_sample {
		uint64_t ts;
		uint32_t node;
	} * v;
	size_t n, alloc;
	uint64_t left_out;
};

/**
 * struct tfs_flame_look - how a flame graph is drawn, and what is written beside it
 * @title: any bytes
 * @unit: of weights: "samples", "ns"
 * @notes: what is unknown or was left out, a sentence a line; "" for nothing
 * @scheme: see tfs_colors_parse()
 * @flags: enum tfs_flame_flags
 * @samples: for a page, which shows them over time; NULL: not known
 */
struct tfs_flame_look {
	const char *title, *unit, *notes;
	unsigned int scheme, flags;
	const struct tfs_flame_samples *samples;
};

#endif
