/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_FLAT_H
#define TFS_VIEW_FLAT_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/collect.h"
#include "view/export.h"

struct tfs_err;
struct tfs_view;

/**
 * struct tfs_flat_opts - a flat profile
 * @collect: which stacks, of which recordings; its arrays outlive the view
 * @style: TFS_EXPORT_TAB is a table with a heading
 * @inert: for a terminal
 * @sort, @top: as struct tfs_table_opts has them; by default by the weight of a function alone
 */
struct tfs_flat_opts {
	struct tfs_collect_opts collect;
	enum tfs_export_style style;
	bool inert;
	const char *sort;
	uint64_t top;
};

/**
 * tfs_flat_new() - functions of stacks: the weight of each alone, and with what it called
 *
 * A function that calls itself counts once in a stack. One view shows all recordings. Nothing is
 * shown before the last event. Return: 0; what tfs_table_new() and tfs_collect_new() return.
 * Release with tfs_view_free().
 */
int tfs_flat_new(const struct tfs_flat_opts *opts, struct tfs_view **view, struct tfs_err *err);

#endif
