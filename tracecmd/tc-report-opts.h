/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_OPTS_H
#define TC_REPORT_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpus.h"
#include "base/strvec.h"
#include "cli/opt.h"

struct report_view;
struct tfs_err;

/** struct report_input - a file to read, its --ts-offset in nanoseconds and its --ts2secs or 0 */
struct report_input {
	const char *path;
	int64_t ts_offset;
	double ts_unit;
};

/** enum report_export - a row a record for other programs */
enum report_export {
	REPORT_EXPORT_NONE,
	REPORT_EXPORT_JSON,
	REPORT_EXPORT_CSV,
};

/** enum report_color - --color */
enum report_color {
	REPORT_COLOR_AUTO,
	REPORT_COLOR_ALWAYS,
	REPORT_COLOR_NEVER,
};

/**
 * struct report_graph - what --graph is to show
 * @funcs: --graph's names, and operands; @callers: --caller; @pairs: --pair
 * @min_duration: --min-duration in ns
 * @depth: --depth; 0: all
 * @by_task: --by-task
 * @summary: --summary
 */
struct report_graph {
	struct tfs_strvec funcs, callers, pairs;
	uint64_t min_duration, depth;
	bool by_task, summary;
};

/**
 * struct report_stacks - which stacks are folded, and how they are shown
 * @diff: --diff: the recording to compare with, the last of the inputs; NULL: not given
 * @weight: --weight; NULL: not given
 * @title: --title; NULL: not given
 * @colors: --colors: a scheme of chart/colors.h
 * @off_cpu: enum tfs_off_cpu of --off-cpu, if @is_off_cpu
 * @scale: --normalize
 * @root: enum tfs_collect_root of --by-pid, --by-tid
 * @no_annotate: --no-annotate
 * @addrs: --addrs
 * @ns_per_unit: --countname of times; 0: not given
 */
struct report_stacks {
	const char *diff, *weight, *title;
	unsigned int colors, off_cpu, root;
	bool is_off_cpu, scale;
	bool no_annotate, addrs;
	uint64_t ns_per_unit;
};

/**
 * struct report_request - what tc-report's arguments ask for
 *
 * Filled by tc_opt_parse() with report_options, then report_check(); nothing of it touches the
 * system. Strings are borrowed from argv.
 * @inputs, @n_inputs: -i and the operands; the default is "trace.dat"
 * @named: a file was given
 * @times: --time as typed
 * @after, @until: --after, --until as typed; NULL: not given
 * @max_events: --max-events; 0: no limit
 * @fail_on_lost: --fail-on-lost
 * @follow: --follow
 * @first_event, @last_event: --first-event, --last-event
 * @events, @pids, @comms: --select, --pid, --comm as typed
 * @filters: -F; the first @n_filters came before -v (@negate)
 * @test_filters: -T
 * @children: --children
 * @buffers: -B
 * @no_hardirq, @no_softirq: -I, -S
 * @cpus: --cpu; empty: all
 * @hosts: --host as typed
 * @messages: --messages as typed
 * @no_clocks: --no-clocks
 * @view: the last of the table that an option asks for; NULL: none does, until report_check()
 * @other_view: another one that cannot be shown beside it, and was asked for as well; NULL: none
 * @graph: --graph and what belongs to it
 * @stacks: --flame and what belongs to views of stacks
 * @by: arguments of --count-by and of views like it
 * @sort: --sort; NULL: the table's own order
 * @top: --top; 0: all
 * @histogram: --histogram
 * @of, @columns, @linear: --of, --columns, --linear; NULL, 0: not given
 * @to: file that the view writes; "-": standard output
 * @output, @compression, @schema: -o, --compression, --schema; NULL: not given
 * @old_stacks: --old-stacks
 * @max_page: --max-page in bytes; 0: as many as usual
 * @formats: --event; NULL: all
 * @kallsyms: --kallsyms
 * @export: --json, --csv; with @fields alone columns with tabs between them
 * @export_text: --json=text, --csv=text
 * @fields: --fields as typed
 * @kernel: --kernel
 * @raw: -R
 * @latency: -l
 * @nsecs: -t
 * @no_flags: --no-flags
 * @compat: --compat
 * @color: --color
 * @raw_ts: --raw-ts
 * @user_symbols: --user-symbols
 * @no_date: --nodate
 * @ts_unit: --ts2secs of files without their own: nanoseconds of a unit of the clock; 0: not given
 * @ts_diff: --ts-diff
 * @align_ts: --align-ts
 * @ts_check: --ts-check
 * @wakeup: -w
 * @raw_events, @plain_events: -r, -n
 * @ts_offset: --ts-offset of files that are named later
 * @no_plugins: -N
 * @local_plugins: -L
 * @plugin_options: -O
 * @plugins: --plugins as typed; NULL: none
 * @jobs: -j; 0: as many as processors
 * @no_pager: --no-pager
 * @raw_output: --raw-output; @escape: --escape; @terminal: without the former, and what is shown
 *	goes to a terminal, or is made as if
 * @quiet: -q
 */
struct report_request {
	struct report_input *inputs;
	size_t n_inputs;
	bool named;
	struct tfs_strvec times;
	const char *after, *until;
	uint64_t max_events;
	bool fail_on_lost;
	bool follow;
	bool first_event, last_event;
	struct tfs_strvec events, pids, comms, filters, buffers;
	size_t n_filters;
	bool negate, test_filters;
	bool children;
	bool no_hardirq, no_softirq;
	struct tfs_cpus cpus;
	struct tfs_strvec hosts, messages;
	bool no_clocks;
	const struct report_view *view, *other_view;
	struct report_graph graph;
	struct report_stacks stacks;
	struct tfs_strvec by;
	const char *sort;
	uint64_t top;
	bool histogram;
	const char *of;
	uint64_t columns;
	bool linear;
	const char *to, *output, *compression, *schema;
	bool old_stacks;
	uint64_t max_page;
	const char *formats;
	const char *kallsyms;
	enum report_export export;
	bool export_text;
	struct tfs_strvec fields;
	bool kernel;
	bool raw;
	bool latency;
	bool nsecs;
	bool no_flags;
	bool compat;
	enum report_color color;
	bool raw_ts;
	bool no_date;
	double ts_unit;
	bool ts_diff, align_ts, ts_check;
	bool wakeup;
	bool user_symbols;
	struct tfs_strvec raw_events, plain_events;
	int64_t ts_offset;
	bool no_plugins;
	bool local_plugins;
	struct tfs_strvec plugin_options;
	const char *plugins;
	uint64_t jobs;
	bool no_pager, raw_output, escape, terminal;
	bool quiet;
};

/** report_options - tc-report's option table, over struct report_request */
extern const struct tc_option report_options[];

/** report_release() - free what the request owns (for struct tc_command) */
void report_release(void *request);

/**
 * report_check() - everything that can be wrong with a request, in one place; pure
 * @argc: number of operands
 * @argv: the operands: files; borrowed
 *
 * Return: 0, -EINVAL or -ENOMEM with @err set.
 */
int report_check(struct report_request *req, int argc, char **argv, struct tfs_err *err);

#endif
