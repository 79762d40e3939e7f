/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_ARROW_H
#define TFS_EXCHANGE_ARROW_H

#include "view/wide-row.h"

struct tfs_err;
struct tfs_view;

/**
 * struct tfs_arrow_opts - what is written; borrowed while the view lives
 * @path: the file; "-" is standard output
 * @flags: enum tfs_arrow_flags (exchange/arrow-ipc.h)
 * @input: the recordings
 */
struct tfs_arrow_opts {
	const char *path;
	unsigned int flags;
	struct tfs_wide_input input;
};

/**
 * tfs_arrow_view_new() - the table "events" (view/wide-row.h) as a stream of Apache Arrow
 *
 * A row for each record and each loss. Memory does not grow with the recording. One view writes all
 * recordings. Return: 0; -EOPNOTSUPP for a latency tracer's text, or another -errno, with @err set;
 * -ENOMEM. Release with tfs_view_free(), which removes a file that is not complete.
 */
int tfs_arrow_view_new(const struct tfs_arrow_opts *opts, struct tfs_view **view,
		       struct tfs_err *err);

#endif
