/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_STACKS_H
#define TC_REPORT_STACKS_H

struct report_request;
struct report_run;
struct tfs_collect_opts;
struct tfs_err;

/** report_check_stacks() - what else can be wrong with a request for folded stacks; pure */
int report_check_stacks(const struct report_request *req, struct tfs_err *err);

/** report_collect_opts() - which stacks a view folds; arrays and strings are those of @run */
void report_collect_opts(const struct report_run *run, struct tfs_collect_opts *opts);

#endif
