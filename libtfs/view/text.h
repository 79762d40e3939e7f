/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_TEXT_H
#define TFS_VIEW_TEXT_H

#include <stdbool.h>

struct tfs_record;
struct tfs_strbuf;
struct tfs_trace;
struct tfs_user_text;
struct tfs_view;
struct tfs_wakeup;

/**
 * struct tfs_text_opts - which of trace-cmd report's layouts
 * @raw: fields as name=value (-R)
 * @latency: the latency format (-l)
 * @nsecs: nine digits after the point (-t)
 * @no_flags: no column of flags, as before trace-cmd 3.2
 * @raw_ts: time stamps as recorded
 * @color: names of events and losses in colours of the terminal (ECMA-48)
 * @diff: followed by the time since the line before (--ts-diff)
 * @wakeup: latencies of wakeups after sched_switch, and their sums at the end; or NULL
 * @user: shows addresses of programs by name; NULL: as they are. Not with @raw
 * @file: before each line, when several recordings are shown together; NULL: none
 * @name_width: of the longest name before a line, of this recording or another (with @file)
 */
struct tfs_text_opts {
	bool raw, latency, nsecs, no_flags, raw_ts, color, diff;
	const struct tfs_wakeup *wakeup;
	struct tfs_user_text *user;
	const char *file;
	int name_width;
};

/**
 * tfs_text_name_width() - of the longest name of an instance; -1 when there are none
 */
int tfs_text_name_width(struct tfs_trace *trace);

/**
 * tfs_text_new() - the text of trace-cmd report, one line a record
 * @trace: borrowed; outlives the view. Opened with tfs_trace_opts.text as @opts says: FIELDS for
 *	@raw, TIMES
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_text_new(struct tfs_trace *trace, const struct tfs_text_opts *opts, struct tfs_view **view);

/** tfs_text_loss() - append the line about events lost before @rec; 0 or -ENOMEM */
int tfs_text_loss(const struct tfs_record *rec, struct tfs_strbuf *out);

#endif
