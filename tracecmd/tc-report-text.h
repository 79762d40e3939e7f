/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_TEXT_H
#define TC_REPORT_TEXT_H

#include <stddef.h>

#include "view/export.h"

struct report_request;
struct report_run;
struct tfs_err;
struct tfs_view;

/*
 * Views of events as text and rows, and information about the file, for the table of views
 * (tc-report-views.h): open, show and check as described there.
 */

/** report_user_texts_new() - for --user-symbols, if that was given; 0 or -errno with @err set */
int report_user_texts_new(struct report_run *run, struct tfs_err *err);
void report_user_texts_free(struct report_run *run);
/** report_user_texts_notice() - say which addresses have no names, and why not; not with -q */
void report_user_texts_notice(const struct report_run *run);

int report_open_text(const struct report_run *run, size_t n, struct tfs_view **view,
		     struct tfs_err *err);
int report_open_export(const struct report_run *run, size_t n, struct tfs_view **view,
		       struct tfs_err *err);
int report_open_kernel(const struct report_run *run, size_t n, struct tfs_view **view,
		       struct tfs_err *err);
int report_open_stat(const struct report_run *run, size_t n, struct tfs_view **view,
		     struct tfs_err *err);
int report_check_wide(const struct report_request *req, struct tfs_err *err);
int report_open_wide(const struct report_run *run, size_t n, struct tfs_view **view,
		     struct tfs_err *err);
int report_check_export(const struct report_request *req, struct tfs_err *err);
int report_check_kernel(const struct report_request *req, struct tfs_err *err);
int report_show_info(const struct report_run *run, struct tfs_err *err);
int report_show_cpus(const struct report_run *run, struct tfs_err *err);
int report_show_check_events(const struct report_run *run, struct tfs_err *err);

/** report_export_style() - what --json and --csv ask for; a table or tabs without them */
enum tfs_export_style report_export_style(const struct report_request *req);

#endif
