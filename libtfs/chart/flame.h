/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_FLAME_H
#define TFS_CHART_FLAME_H

#include <stdbool.h>

#include "chart/flame-look.h"
#include "stack/collect.h"

struct tfs_err;
struct tfs_view;

/** enum tfs_flame_file - what a flame graph can be written as */
enum tfs_flame_file { TFS_FLAME_HTML, TFS_FLAME_SVG };

/**
 * struct tfs_flame_opts - a flame graph to be written
 * @path: of the file
 * @file: a page or a picture
 * @collect: which stacks, of which recordings
 * @times: whether time stamps are nanoseconds: a page has the samples over time then
 * @quiet: the view has no text
 * @look: without @notes, @unit and @samples; with TFS_FLAME_DIFF, the last of the recordings is
 *	compared with the one before it
 */
struct tfs_flame_opts {
	const char *path;
	enum tfs_flame_file file;
	struct tfs_collect_opts collect;
	struct tfs_flame_look look;
	bool times, quiet;
};

/** tfs_flame_file() - what a name asks for by its end; 0 or -EINVAL with @err set. Pure */
int tfs_flame_file(const char *path, enum tfs_flame_file *file, struct tfs_err *err);

/**
 * tfs_flame_new() - draw stacks by how much they weigh
 *
 * The file has its name when it is complete; the view's text says what it holds and what it does
 * not. One view shows all recordings. The recordings, their
 * names and @path outlive the view. Return: 0 or
 * -errno with @err set, -ENOMEM without. Release with tfs_view_free().
 */
int tfs_flame_new(const struct tfs_flame_opts *opts, struct tfs_view **view, struct tfs_err *err);

#endif
