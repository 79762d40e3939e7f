/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REPORT_TEXT_H
#define TFS_REPORT_TEXT_H

#include <stdbool.h>

struct tfs_out;
struct tfs_sink;
struct tfs_trace;

/**
 * struct tfs_text_opts - which of trace-cmd report's layouts
 * @raw: fields as name=value (-R)
 * @latency: the latency format (-l)
 * @nsecs: nine digits after the point (-t)
 * @no_flags: no column of flags, as before trace-cmd 3.2
 * @raw_ts: time stamps as recorded
 */
struct tfs_text_opts {
	bool raw, latency, nsecs, no_flags, raw_ts;
};

/**
 * tfs_text_new() - the text of trace-cmd report, one line a record
 * @trace, @out: borrowed; outlive the sink
 * @sink: release with tfs_text_free()
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_text_new(struct tfs_trace *trace, struct tfs_out *out, const struct tfs_text_opts *opts,
		 struct tfs_sink **sink);
void tfs_text_free(struct tfs_sink *sink);

#endif
