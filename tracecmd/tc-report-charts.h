/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_CHARTS_H
#define TC_REPORT_CHARTS_H

#include <stddef.h>

struct report_request;
struct report_run;
struct tfs_err;
struct tfs_view;

/** report_parse_off_cpu() - the argument of --off-cpu, an enum tfs_off_cpu; 0 or -EINVAL */
int report_parse_off_cpu(const char *text, unsigned int *out, struct tfs_err *err);

/* The rows of --flame */
int report_check_flame(const struct report_request *req, struct tfs_err *err);
int report_open_flame(const struct report_run *run, size_t n, struct tfs_view **view,
		      struct tfs_err *err);

/* The rows of --heatmap */
int report_check_heatmap(const struct report_request *req, struct tfs_err *err);
int report_open_heatmap(const struct report_run *run, size_t n, struct tfs_view **view,
			struct tfs_err *err);

#endif
