/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_FOLDED_H
#define TFS_EXCHANGE_FOLDED_H

#include <stdint.h>

#include "stack/collect.h"

struct tfs_err;
struct tfs_view;

/** enum tfs_folded_flags - how stacks are written */
enum tfs_folded_flags {
	TFS_FOLDED_ANNOTATE = 1 << 0, /* "_[k]" after functions of the kernel, and so on */
	TFS_FOLDED_INERT = 1 << 1,    /* for a terminal: nothing in it acts on that */
	TFS_FOLDED_SCALED = 1 << 2,   /* of a difference: both sides have the same total */
};

/**
 * struct tfs_folded_opts - folded stacks to be written
 * @path: of the file; "-": standard output
 * @collect: which stacks, of which recordings; its arrays outlive the view
 * @flags: enum tfs_folded_flags
 * @ns_per_unit: weights that are times are divided by this; 0: 1
 */
struct tfs_folded_opts {
	const char *path;
	struct tfs_collect_opts collect;
	unsigned int flags;
	uint64_t ns_per_unit;
};

/**
 * tfs_folded_new() - "comm;outer;inner WEIGHT" lines, as programs that draw flame graphs read them
 *
 * One view for all recordings. Nothing is written before the last event; the file has its name when
 * it is complete. Return: what tfs_collect_new() and tfs_out_file_open() return. Release with
 * tfs_view_free().
 */
int tfs_folded_new(const struct tfs_folded_opts *opts, struct tfs_view **view, struct tfs_err *err);

#endif
