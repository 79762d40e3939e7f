/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_COMBINED_H
#define TFS_VIEW_COMBINED_H

#include <stddef.h>

struct tfs_view;

/**
 * tfs_combined_new() - one view of several recordings: each one's events go to its own view
 * @views: of one kind, by the events' @input, that run in workers; owned by the result, but not
 *	after a failure
 * @out: release with tfs_view_free()
 *
 * Their texts at the beginning and at the end come in their order. Return: 0 or
 * -ENOMEM.
 */
int tfs_combined_new(struct tfs_view *const *views, size_t n, struct tfs_view **out);

#endif
