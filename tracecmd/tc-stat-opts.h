/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_STAT_OPTS_H
#define TC_STAT_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strvec.h"
#include "cli/clause.h"
#include "cli/opt.h"
#include "trace-target.h"

struct tfs_err;

/** enum stat_style - how counts are printed */
enum stat_style { STAT_TEXT, STAT_CSV, STAT_JSON };

/**
 * struct stat_request - the command line of tc-stat
 * @clauses: -e, -p with a probe, -f; a list of -e is split into one each
 * @words: the words of those lists
 * @target: tasks and CPUs
 * @command: COMMAND and its arguments, NULL-terminated; NULL: none
 * @user: run COMMAND as this user
 * @interval_ms: -I; 0: only at the end
 * @intervals: --interval-count; 0: no limit
 * @timeout_ms: --timeout; 0: none
 * @repeat: -r; 0: once, without deviations
 * @separator: -x; NULL: none
 * @output: -o; NULL: standard error
 * @log_fd: --log-fd; 0: none
 * @append: --append
 * @syscalls, @times: --syscalls, --time
 * @per_thread: --per-thread; @by: the fields of --by; @top: --top, 0: all rows
 * @json, @per_cpu, @verbose, @quiet: -j, -A, -v, -q; stat_check() sets @quiet where rows for
 *	programs go to standard error
 * @style: set by stat_check()
 */
struct stat_request {
	struct tc_clauses clauses;
	struct tfs_strvec words;
	struct trace_target target;
	char **command;
	const char *user;
	uint64_t interval_ms;
	uint64_t intervals;
	uint64_t timeout_ms;
	uint64_t repeat;
	const char *separator;
	const char *output;
	uint64_t log_fd;
	bool append;
	bool syscalls, times;
	bool per_thread;
	struct tfs_strvec by;
	uint64_t top;
	bool json, per_cpu, verbose, quiet;
	enum stat_style style;
};

extern const struct tc_option stat_options[];

void stat_release(void *request);

/** stat_check() - everything that needs no look at the system; 0 or -errno with @err set */
int stat_check(struct stat_request *req, int argc, char **argv, struct tfs_err *err);

/** stat_rows_fd() - the descriptor that rows go to, unless there is an @output */
int stat_rows_fd(const struct stat_request *req);

#endif
