/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_OPTS_H
#define TC_TRACE_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strvec.h"
#include "cli/clause.h"
#include "cli/opt.h"
#include "tracedat/compress.h"
#include "tracefs/func-filter.h"
#include "tracefs/instance.h"

struct tfs_err;

/*
 * The options that tc-record and tc-session start share, like trace-cmd record and start: what to
 * trace, which tasks, into which buffers. A program uses them with
 *
 *	struct my_request { struct trace_request trace; ... };		the first member
 *	{ .type = TC_OPT_TABLE, .table = trace_event_options },		in its own table
 *	trace_init(), trace_check(), trace_release()			from its own
 *
 * and then calls the functions of trace-plan.h in the order given there.
 */

/**
 * enum trace_buffer_flags - of a buffer that a program adds, trace_add_buffer()
 * @TRACE_BUFFER_COMMAND: COMMAND and what it starts is recorded into it, as with -F -c
 * @TRACE_BUFFER_ALL_TASKS: all tasks are, also with -F
 * @TRACE_BUFFER_RECORDER: the recorder is not excluded
 * @TRACE_BUFFER_AT_ONCE: its reader is woken by each event
 * @TRACE_BUFFER_PROCESSES: the pids are processes: their threads are meant, without -c too
 * @TRACE_BUFFER_LARGE_SUBBUFS: larger sub-buffers in a new instance's buffer of 1 MiB or more,
 *        where the kernel has them (6.8), because they take fewer reads
 * @TRACE_BUFFER_FIXED: its instance has memory of the kernel's command line and keeps its size
 * @TRACE_BUFFER_MARKERS: the kernel copies into it what programs write to trace_marker; set by
 *        trace_choose_instances()
 */
enum trace_buffer_flags {
	TRACE_BUFFER_COMMAND = 1 << 0,
	TRACE_BUFFER_ALL_TASKS = 1 << 1,
	TRACE_BUFFER_RECORDER = 1 << 2,
	TRACE_BUFFER_PROCESSES = 1 << 3,
	TRACE_BUFFER_AT_ONCE = 1 << 4,
	TRACE_BUFFER_LARGE_SUBBUFS = 1 << 5,
	TRACE_BUFFER_FIXED = 1 << 6,
	TRACE_BUFFER_MARKERS = 1 << 7,
};

/**
 * struct trace_buffer - one ring buffer and its options: an instance of tracefs
 *
 * Options belong to the preceding -B, or to the main buffer before the first -B.
 * @name: -B; NULL for the main buffer, "" for that of the top level
 * @first: index of its first clause among trace_request.clauses
 * @n: number of its clauses; set by trace_check()
 * @tracer: -p TRACER; NULL: none
 * @functions: -l, -n, -g, --module
 * @options: -O, and the option that -T stands for
 * @func_stack: --func-stack
 * @graph_depth: --max-graph-depth as typed; NULL: unchanged
 * @depth: set by trace_check()
 * @clock: -C; NULL: the main buffer's, else the kernel's default
 * @buffer_bytes: -b: per CPU; 0: the main buffer's
 * @subbuf_bytes: --subbuf-size; 0: the main buffer's, else the kernel's
 * @text_bytes: of each string in events of system calls (syscall_user_buf_size); 0: unchanged
 * @cpumask: -M as typed; NULL: none
 * @cpus: --cpus as typed; NULL: none
 * @mask: set by trace_check(): text for tracing_cpumask; NULL: unchanged. Owned
 * @pid_words: -P as typed
 * @pids: set by trace_check(): the numbers of @pid_words
 * @cgroups: --cgroup
 * @container: --container as typed; NULL: none
 * @container_pid: set by trace_check()
 * @inst: set by trace_choose_instances()
 * @tasks: set by trace_find_tasks(): threads to trace, none for all, as /proc shows them
 * @threads: the same, by the numbers that the kernel has for them
 * @joined: of the same, those that the kernel's lists lack: trace_joins_look()
 * @nobody: there are none yet; this program, whose events are left out, stands for them
 * @flags: enum trace_buffer_flags
 */
struct trace_buffer {
	const char *name;
	size_t first, n;
	const char *tracer;
	struct tfs_func_filter functions;
	struct tfs_strvec options;
	bool func_stack;
	const char *graph_depth;
	uint64_t depth;
	const char *clock;
	uint64_t buffer_bytes;
	uint64_t subbuf_bytes;
	uint64_t text_bytes;
	const char *cpumask;
	const char *cpus;
	char *mask;
	struct tfs_strvec pid_words;
	pid_t *pids;
	size_t n_pids;
	struct tfs_strvec cgroups;
	const char *container;
	pid_t container_pid;
	struct tfs_instance inst;
	struct tfs_strvec tasks, threads, joined;
	bool nobody;
	unsigned int flags;
};

/**
 * struct trace_request - the options that select what to trace
 *
 * Filled by tc_opt_parse(), then trace_check(), which do not change the system. Strings are
 * borrowed from argv.
 * @target_ns: process in whose root and mount namespace FILE of -p is looked up, 0 for none
 * @maxactive: number of calls that return probes of the kernel follow at a time; 0: its default
 * @clauses: -e, -p with a probe, -f, -R, -v; of all buffers, in the order typed
 * @buffers: the main buffer, then one for each -B; owned
 * @n_buffers: at least 1 after trace_init()
 * @ignore_missing: -i
 * @no_function: -d: latency tracers do not trace functions
 * @no_ftrace: -D: function tracing is disabled on the whole system
 * @keep_before: -K: the ring buffer of an existing instance is not emptied
 * @cmdlines_size: --cmdlines-size; 0: unchanged
 * @no_filter: --no-filter: the recorder is traced, too
 * @children: -c
 * @only_command: -F
 * @from_exec: where COMMAND alone is traced, begin with its exec, without the calls that lead to it
 * @command: COMMAND and its arguments, NULL-terminated; NULL: none. Set before trace_check()
 * @synthetic: "s:NAME TYPE FIELD; ...", an event to define for this run; NULL: none
 * @markers: what programs write to trace_marker is recorded, where an instance can have it
 * @pid_option: what messages call the option that names tasks; NULL: "-P"
 * @joins: the program looks for tasks that come into its cgroups and containers: they may be empty
 */
struct trace_request {
	struct tc_clauses clauses;
	uint64_t target_ns;
	uint64_t maxactive;
	struct trace_buffer *buffers;
	size_t n_buffers;
	bool ignore_missing;
	bool no_function;
	bool no_ftrace;
	bool keep_before;
	uint64_t cmdlines_size;
	bool no_filter;
	bool from_exec;
	bool children;
	bool only_command;
	char **command;
	const char *synthetic;
	bool markers;
	const char *pid_option;
	bool joins;
};

/** trace_event_options - rows for a program's table: events, tracers and probes */
extern const struct tc_option trace_event_options[];
/** trace_task_options - rows for a program's table: tasks and CPUs */
extern const struct tc_option trace_task_options[];
/** trace_buffer_options - rows for a program's table: ring buffers and clocks */
extern const struct tc_option trace_buffer_options[];

/** trace_init() - defaults; @req is zeroed */
void trace_init(struct trace_request *req);
/** trace_release() - free what the request owns */
void trace_release(struct trace_request *req);

/**
 * trace_add_buffer() - add a buffer, to which the clauses added from then on belong
 * @name: borrowed
 *
 * Before trace_check(). Return: the last one of @req, whose instance is not set; borrowed, valid
 * until the next call.
 */
struct trace_buffer *trace_add_buffer(struct trace_request *req, const char *name);

/** trace_pid_option() - what messages call the option that names tasks */
const char *trace_pid_option(const struct trace_request *req);

/** trace_has_default_size() - has the buffer the size that it has without -b? */
bool trace_has_default_size(const struct trace_buffer *buf);

/** trace_wants_command() - is COMMAND one of the tasks that the buffer is restricted to? */
bool trace_wants_command(const struct trace_request *req, const struct trace_buffer *buf);

/** trace_follows() - are children of the buffer's tasks recorded, too? */
bool trace_follows(const struct trace_request *req, const struct trace_buffer *buf);

/** trace_find_top() - the buffer of the top level (-B ''); NULL: there is none */
struct trace_buffer *trace_find_top(const struct trace_request *req);

/** trace_is_used() - is anything recorded in the buffer? The main buffer may be unused */
bool trace_is_used(const struct trace_request *req, const struct trace_buffer *buf);

/**
 * trace_check() - check everything in a request that needs no look at the system; pure
 *
 * Return: 0; -EINVAL, -ERANGE or -ENOMEM with @err set.
 */
int trace_check(struct trace_request *req, struct tfs_err *err);

/**
 * trace_mode() - permissions of a file, as chmod(1) takes them in octal: 640, 0640
 *
 * Return: 0, or -EINVAL with @err set.
 */
int trace_mode(const char *text, unsigned int *mode, struct tfs_err *err);

/**
 * trace_compression() - parse the argument of --compression
 * @text: as typed; NULL: the default
 * @level: 0: the codec's default
 *
 * Return: 0, or as tfs_codec_parse() with @err naming the option.
 */
int trace_compression(const char *text, enum tfs_codec_id *codec, int *level, struct tfs_err *err);

#endif
