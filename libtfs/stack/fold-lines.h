/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_FOLD_LINES_H
#define TFS_STACK_FOLD_LINES_H

#include <stddef.h>
#include <stdint.h>

struct tfs_fold;

/** enum tfs_fold_text - how folded text is written */
enum tfs_fold_text {
	TFS_FOLD_ANNOTATE = 1 << 0, /* names with their suffix */
};

/** tfs_fold_line_func - a line of folded text, @len bytes with its newline; 0 or -errno */
typedef int tfs_fold_line_func(void *ctx, const char *line, size_t len);

/**
 * tfs_fold_lines() - "frame;frame;... WEIGHT\n" for each node with weight, sorted by their bytes
 * @flags: enum tfs_fold_text
 * @divisor: of weights, which are rounded down or up so that they add up to the rounded sum: those
 *	with the largest rests up; lines that become 0 are left out
 *
 * Return: 0, -ENOMEM, or what @line failed with.
 */
int tfs_fold_lines(const struct tfs_fold *fold, unsigned int flags, uint64_t divisor,
		   tfs_fold_line_func *line, void *ctx);

#endif
