/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_TABLES_H
#define TC_REPORT_TABLES_H

#include <stddef.h>

struct report_run;
struct tfs_err;
struct tfs_view;

/* Views that are tables, for the table of views (tc-report-views.h): open as described there. */

int report_open_count(const struct report_run *run, size_t n, struct tfs_view **view,
		      struct tfs_err *err);
int report_open_latency(const struct report_run *run, size_t n, struct tfs_view **view,
			struct tfs_err *err);
int report_open_profile(const struct report_run *run, size_t n, struct tfs_view **view,
			struct tfs_err *err);
int report_open_syscalls(const struct report_run *run, size_t n, struct tfs_view **view,
			 struct tfs_err *err);
int report_open_flat(const struct report_run *run, size_t n, struct tfs_view **view,
		     struct tfs_err *err);
int report_open_wakeups(const struct report_run *run, size_t n, struct tfs_view **view,
			struct tfs_err *err);

#endif
