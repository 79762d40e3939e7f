/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_NOTICES_H
#define TC_REPORT_NOTICES_H

struct report_request;
struct report_sources;

/**
 * report_notices() - what was asked for and is not there, and may be a slip of the hand; and what
 * other programs did to the ring buffers of the recordings
 *
 * On standard error, unless with -q; the report is made all the same.
 */
void report_notices(const struct report_request *req, const struct report_sources *s);

/** report_lacks() - after a report with texts: which would be others, had plugins been loaded */
void report_lacks(const struct report_request *req, const struct report_sources *s);

#endif
