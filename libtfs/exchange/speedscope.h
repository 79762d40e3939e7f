/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_SPEEDSCOPE_H
#define TFS_EXCHANGE_SPEEDSCOPE_H

#include "stack/collect.h"

struct tfs_err;
struct tfs_view;

/**
 * struct tfs_speedscope_opts - what is written
 * @path: the file; "-" is standard output
 * @collect: which stacks; its arrays and strings outlive the view
 */
struct tfs_speedscope_opts {
	const char *path;
	struct tfs_collect_opts collect;
};

/**
 * tfs_speedscope_new() - a file for speedscope (https://www.speedscope.app)
 *
 * A profile for each task, as the collection names them, with the weights of different stacks; the
 * heaviest one is shown first. Times are in ns. Frames have their files, but no lines.
 * Return: what tfs_collect_new() returns, or -errno with @err set. Release with tfs_view_free(),
 * which removes a file that is not complete.
 */
int tfs_speedscope_new(const struct tfs_speedscope_opts *opts, struct tfs_view **view,
		       struct tfs_err *err);

#endif
