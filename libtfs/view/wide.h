/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_WIDE_H
#define TFS_VIEW_WIDE_H

#include <stdbool.h>

#include "view/wide-row.h"

struct tfs_err;
struct tfs_view;

/**
 * struct tfs_wide_opts - rows of the table "events" as text
 * @csv: RFC 4180 with names of columns first, instead of an object of JSON a line
 * @inert: for a terminal: see base/inert.h
 * @input: the recordings
 */
struct tfs_wide_opts {
	bool csv, inert;
	struct tfs_wide_input input;
};

/**
 * tfs_wide_new() - a row for each record and each loss, all with the same columns (wide-row.h)
 * @view: release with tfs_view_free()
 *
 * One view shows all recordings. Return: 0; -EOPNOTSUPP, with @err set, for a latency tracer's
 * text, which has no columns; -ENOMEM.
 */
int tfs_wide_new(const struct tfs_wide_opts *opts, struct tfs_view **view, struct tfs_err *err);

#endif
