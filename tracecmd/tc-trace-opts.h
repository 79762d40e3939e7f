/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_PROGRAM_OPTS_H
#define TC_TRACE_PROGRAM_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strvec.h"
#include "cli/opt.h"
#include "strace/args.h"
#include "strace/line.h"
#include "trace-opts.h"
#include "trace-target.h"

struct tfs_err;
struct tfs_expr;

/**
 * struct trace_strace - what tc-trace's arguments ask for
 *
 * Filled by tc_opt_parse() with strace_options, then strace_check(). Strings are borrowed.
 * @trace: what is traced; used live only
 * @target: -p, --tid, --comm, --cgroup, --container, -a's long name
 * @input: -i; NULL: live
 * @exprs: -e, --trace and the like as "KIND=VALUE"; @paths: -P
 * @stamps: -t; @strings_hex: -x; @quiets: -q; @follows: -f; @decodes: -y: how often they were given
 * @relative, @durations, @syscall_numbers, @parameters: -r, -T, -n, -N
 * @whole_structs, @comms: -v (says where strings come from), -Y
 * @time, @time_digits: of @stamps, or --absolute-timestamps
 * @relative_digits, @duration_digits: of -r, -T
 * @names: -X
 * @successful, @failed: -z, -Z
 * @min_duration: --duration in ns; @max_events: 0: no limit
 * @summary_only, @summary: -c, -C; @wall: -w; @sort, @columns: -S, -U; @by_task: --by-task
 * @max_string, @column: -s, -a
 * @stacks: -k
 * @output: -o; NULL: standard error, or standard output
 * @record: --record: the file; NULL: what is shown is not recorded
 * @append: -A
 * @separate: -ff
 * @json: -j
 * @user: -u; @env: -E
 * @buffer_bytes: -b, for each CPU
 * @why: --why
 * @strings: --strings: enum strace_strings_from (tc-trace-strings.h)
 * @immediate: --immediate
 * @sql: --sql; NULL: none
 * @graph: --graph: functions of the kernel, instead of system calls
 */
struct trace_strace {
	struct trace_request trace;
	struct trace_target target;
	const char *input;
	struct tfs_strvec exprs, paths, env;
	unsigned int stamps, strings_hex, quiets, follows, decodes;
	bool relative, durations, syscall_numbers, parameters, whole_structs, comms;
	enum tfs_line_time time;
	unsigned int time_digits, relative_digits, duration_digits;
	enum tfs_args_names names;
	bool successful, failed;
	uint64_t min_duration, max_events;
	bool summary_only, summary, wall, by_task;
	const char *sort, *columns;
	uint64_t max_string, column;
	bool stacks;
	const char *output, *record;
	bool append, separate;
	bool json;
	const char *user;
	uint64_t buffer_bytes;
	bool why, immediate;
	unsigned int strings;
	const char *sql;
	struct tfs_strvec graph;
};

/** strace_options - tc-trace's option table, over struct trace_strace */
extern const struct tc_option strace_options[];

/** strace_init(), strace_release() - for struct tc_command */
void strace_init(void *request);
void strace_release(void *request);

/**
 * strace_check() - everything that can be wrong with a request without a look at the system
 * @argc, @argv: operands: COMMAND
 * @expr: initialised; what -e, -P, -z, -Z, -q and -y say
 *
 * Return: 0; -EINVAL and what tfs_expr_add() returns, with @err set; -ENOMEM.
 */
int strace_check(struct trace_strace *req, int argc, char **argv, struct tfs_expr *expr,
		 struct tfs_err *err);

/** strace_read_exprs() - what -e, -P, -z, -Z, -q and -y say, into @expr, once more for its ABI */
int strace_read_exprs(const struct trace_strace *req, struct tfs_expr *expr, struct tfs_err *err);

#endif
