/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_SLICES_H
#define TFS_CHART_SLICES_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct tfs_slice - a span as the timeline draws it
 * @row: where; below the number of rows given to tfs_slices_sort()
 * @name: what is drawn, see chart/timeline-rows.h
 * @begin, @dur: ns, from the first event on
 * @cpu: where it began
 * @flags: enum tfs_span_flags
 */
struct tfs_slice {
	uint32_t row;
	uint32_t name;
	uint64_t begin, dur;
	uint32_t cpu;
	uint32_t flags;
};

/**
 * struct tfs_slices - slices of all rows in the order they come, to be read row by row
 *
 * In memory up to a number of slices; then sorted runs of as many in a temporary file. One thread.
 */
struct tfs_slices;

/** TFS_SLICES_MEMORY - slices that are kept in memory: 32 MB */
#define TFS_SLICES_MEMORY ((size_t)1 << 20)

/** tfs_slices_new() - @memory: slices to keep in memory. 0 or -ENOMEM */
int tfs_slices_new(size_t memory, struct tfs_slices **out);
void tfs_slices_free(struct tfs_slices *s);
/** tfs_slices_add() - 0 or -errno */
int tfs_slices_add(struct tfs_slices *s, const struct tfs_slice *slice);
/** tfs_slices_sort() - nothing is added any more; 0 or -errno */
int tfs_slices_sort(struct tfs_slices *s, uint32_t rows);
/**
 * tfs_slices_row() - slices of a row, as they were added, some at a time
 * @func: gets them; 0 to go on
 * Return: 0, -errno, or what @func returned.
 */
int tfs_slices_row(struct tfs_slices *s, uint32_t row,
		   int (*func)(void *ctx, const struct tfs_slice *v, size_t n), void *ctx);

#endif
