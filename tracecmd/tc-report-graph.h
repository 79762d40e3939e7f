/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_GRAPH_H
#define TC_REPORT_GRAPH_H

struct report_request;
struct report_sources;
struct tfs_err;
struct tfs_out;

/**
 * report_graph_show() - --graph, of each recording
 *
 * A name that no call was met of, but of one function that is called alike, stands for that, with a
 * notice. Return: 0; -ENOENT, -EINVAL or what reading and writing failed with, @err is set.
 */
int report_graph_show(const struct report_request *req, struct report_sources *s,
		      struct tfs_out *out, struct tfs_err *err);

#endif
