/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_LINE_JSON_H
#define TFS_STRACE_LINE_JSON_H

#include <stdint.h>

struct tfs_args_opts;
struct tfs_call;
struct tfs_call_signal;
struct tfs_event;
struct tfs_strbuf;
struct tfs_task_end;

/*
 * Objects of JSON, one to a line, for programs: tc-trace(1) has their members. All return 0 or
 * -errno.
 */

/**
 * struct tfs_line_json_head - the members that all have
 * @ts: ns, in the trace's clock; @wall_offset: makes it ns since 1970, 0: not known
 * @tgid: 0: not known
 * @comm: NULL: not known
 */
struct tfs_line_json_head {
	uint64_t ts;
	int64_t wall_offset;
	int tid, tgid;
	const char *comm;
};

/**
 * tfs_line_json_call() - a call that has ended, or will not be seen to end
 * @text, @result: its arguments and its result as lines have them
 * @more: further members, each after a comma
 */
int tfs_line_json_call(const struct tfs_line_json_head *head, const struct tfs_call *call,
		       const struct tfs_strbuf *text, const struct tfs_strbuf *result,
		       const struct tfs_strbuf *more, struct tfs_strbuf *out);

/** tfs_line_json_signal() - a signal is delivered */
int tfs_line_json_signal(const struct tfs_line_json_head *head, const struct tfs_call_signal *sig,
			 struct tfs_strbuf *out);

/** tfs_line_json_end() - a thread ended */
int tfs_line_json_end(const struct tfs_line_json_head *head, const struct tfs_task_end *end,
		      struct tfs_strbuf *out);

/** tfs_line_json_event() - another event, and its text */
int tfs_line_json_event(const struct tfs_line_json_head *head, const struct tfs_event *event,
			const struct tfs_strbuf *text, struct tfs_strbuf *out);

/** tfs_line_json_lost() - events of a CPU were lost, or its last ones are missing */
int tfs_line_json_lost(const struct tfs_event *event, struct tfs_strbuf *out);

#endif
