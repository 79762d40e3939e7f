/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TOP_OPTS_H
#define TC_TOP_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/opt.h"
#include "top/column.h"
#include "trace-opts.h"
#include "trace-target.h"

/** TOP_INTERVAL_MIN - the shortest interval in nanoseconds: what is read at once */
#define TOP_INTERVAL_MIN UINT64_C(10000000)
/** TOP_INTERVAL_MAX - the longest: a day */
#define TOP_INTERVAL_MAX (UINT64_C(86400) * 1000000000)

/**
 * struct top_request - what tc-top's arguments ask for
 * @trace: what to trace, when it is not @input
 * @target: which tasks
 * @input: -i; NULL: trace
 * @by: -k; @by_given: it was given. Set by top_check()
 * @sort: -s; @sort_given: it was given; @reverse: -r
 * @interval: -d, in nanoseconds
 * @pages: -n; 0: no limit
 * @top: --top; 0: all
 * @filter: --filter; NULL: none
 * @task: --task; 0: all
 * @user: --user
 * @record: --record; NULL: only when a key asks for it
 * @buffer_bytes: -b
 * @calls: raw_syscalls is traced because nothing else was asked for
 */
struct top_request {
	struct trace_request trace;
	struct trace_target target;
	const char *input;
	enum tfs_top_by by;
	bool by_given;
	enum tfs_top_column sort;
	bool sort_given, reverse;
	uint64_t interval, pages, top, task, buffer_bytes;
	const char *filter, *user, *record;
	bool batch, plain, ascii, cumulative, quiet;
	bool calls;
};

extern const struct tc_option top_options[];

void top_init(void *request);
void top_release(void *request);
/**
 * top_check() - what the options mean together; pure
 * @argc, @argv: COMMAND
 *
 * Return: 0; -EINVAL or -ENOMEM with @err set.
 */
int top_check(struct top_request *req, int argc, char **argv, struct tfs_err *err);

#endif
