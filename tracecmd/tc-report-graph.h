/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_GRAPH_H
#define TC_REPORT_GRAPH_H

struct report_request;
struct report_run;
struct tfs_err;

/**
 * report_graph_show() - --graph, of each recording
 *
 * A name that was not called stands for the one function with a similar name that was, with a
 * notice. Return: 0; -ENOENT, -EINVAL or what reading and writing failed with, @err is set.
 */
int report_graph_show(const struct report_run *run, struct tfs_err *err);

/** report_graph_check() - --graph's own options; pure; 0, or -EINVAL or -ENOMEM with @err set */
int report_graph_check(const struct report_request *req, struct tfs_err *err);

#endif
