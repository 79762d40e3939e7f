/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_EXCHANGE_H
#define TC_REPORT_EXCHANGE_H

#include <stddef.h>

struct report_request;
struct report_run;
struct tfs_err;
struct tfs_view;

/* Constructors of files for other programs, for the table of views: see struct report_view */

int report_open_chrome(const struct report_run *run, size_t n, struct tfs_view **view,
		       struct tfs_err *err);
int report_open_perfetto(const struct report_run *run, size_t n, struct tfs_view **view,
			 struct tfs_err *err);
int report_check_arrow(const struct report_request *req, struct tfs_err *err);
int report_open_arrow(const struct report_run *run, size_t n, struct tfs_view **view,
		      struct tfs_err *err);
int report_check_schema(const struct report_request *req, struct tfs_err *err);
int report_show_schema(const struct report_run *run, struct tfs_err *err);
int report_open_speedscope(const struct report_run *run, size_t n, struct tfs_view **view,
			   struct tfs_err *err);
int report_open_folded(const struct report_run *run, size_t n, struct tfs_view **view,
		       struct tfs_err *err);
int report_open_perf_script(const struct report_run *run, size_t n, struct tfs_view **view,
			    struct tfs_err *err);

#endif
