/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_SPANS_H
#define TC_REPORT_SPANS_H

#include "span/span.h"

struct report_run;

/**
 * report_spans_opts() - spans of the recordings of a report: traces, pairs, names of system calls
 *
 * Kinds and callbacks are for the view to fill in. All that it points to lives as long as @run.
 */
struct tfs_spans_opts report_spans_opts(const struct report_run *run);

#endif
