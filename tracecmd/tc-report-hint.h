/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_HINT_H
#define TC_REPORT_HINT_H

struct report_request;
struct report_sources;

/**
 * report_hint() - after text on a terminal: a line that names the views that the recordings have
 * data for
 *
 * Only if no option asked for a view, and not with -q. By the types of the events that were shown,
 * so call it after the report.
 */
void report_hint(const struct report_request *req, const struct report_sources *s);

#endif
