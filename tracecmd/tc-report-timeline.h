/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_TIMELINE_H
#define TC_REPORT_TIMELINE_H

#include <stddef.h>

struct report_run;
struct tfs_err;
struct tfs_view;

/** report_open_timeline() - the page of --html; for the table in tc-report-views.c */

int report_open_timeline(const struct report_run *run, size_t n, struct tfs_view **view,
			 struct tfs_err *err);

#endif
