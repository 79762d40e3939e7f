/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_HEATMAP_H
#define TFS_CHART_HEATMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "span/span.h"

struct tfs_err;
struct tfs_view;

/** TFS_HEATMAP_COLUMNS - columns, if nothing else is asked for, and at most */
#define TFS_HEATMAP_COLUMNS 200
#define TFS_HEATMAP_COLUMNS_MAX 2000

/** enum tfs_heatmap_file - what a heat map can be written as */
enum tfs_heatmap_file { TFS_HEATMAP_HTML, TFS_HEATMAP_SVG };

/**
 * struct tfs_heatmap_opts - how long something took, over time; borrowed while the view lives
 * @path: of the file; @file: a page or a picture
 * @spans: of the recordings, and pairs. Kinds and callbacks are the view's
 * @of: what to draw, as --latency names it: "read", or with its kind "syscall:read"; NULL: wakeups,
 *	or all pairs that @spans names
 * @title: of the picture; copied
 * @columns: 0: TFS_HEATMAP_COLUMNS
 * @linear: rows of the picture have equal heights in time; else they are quarters of an octave
 * @quiet: the view has no text
 * @values_max: so many values are kept until their place is known, 16 bytes each; of more, the
 *	events are needed again. 0: 4 million
 */
struct tfs_heatmap_opts {
	const char *path;
	enum tfs_heatmap_file file;
	struct tfs_spans_opts spans;
	const char *of, *title;
	size_t columns;
	bool linear, quiet;
	size_t values_max;
};

/** tfs_heatmap_file() - what a name asks for by its end; 0 or -EINVAL with @err set. Pure */
int tfs_heatmap_file(const char *path, enum tfs_heatmap_file *file, struct tfs_err *err);

/**
 * tfs_heatmap_new() - draw a heat map: columns are parts of the time, rows how long it took
 *
 * A value is in the column in which it ended. The file has its name when it is complete; the view's
 * text says what it holds. Return: 0; what tfs_spans_new() returns; -errno of the file. Release
 * with tfs_view_free().
 */
int tfs_heatmap_new(const struct tfs_heatmap_opts *opts, struct tfs_view **view,
		    struct tfs_err *err);

#endif
