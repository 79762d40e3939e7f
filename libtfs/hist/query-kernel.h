/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_HIST_QUERY_KERNEL_H
#define TFS_HIST_QUERY_KERNEL_H

#include <stddef.h>

struct tfs_err;
struct tfs_query;
struct tfs_root;

/** struct tfs_query_trigger - a trigger and the event that it is set on; both owned */
struct tfs_query_trigger {
	char *event;
	char *text;
};

/**
 * struct tfs_query_hists - how the kernel evaluates a query; zeroed: nothing
 * @synthetic: a line for dynamic_events that defines the event that a pair of events is; NULL
 *	without JOIN. Owned
 * @v: @n triggers, in the order in which they are to be set; the table is the histogram of the last
 */
struct tfs_query_hists {
	char *synthetic;
	struct tfs_query_trigger v[3];
	size_t n;
};

/**
 * tfs_query_compose() - the query as histograms of the kernel, with the help of libtracefs
 * @name: of the synthetic event
 *
 * Changes nothing. Return: 0; -EINVAL with @err set if libtracefs does not take the query; -errno.
 */
int tfs_query_compose(const struct tfs_query *query, const struct tfs_root *root, const char *name,
		      struct tfs_query_hists *out, struct tfs_err *err);
void tfs_query_hists_release(struct tfs_query_hists *hists);

#endif
