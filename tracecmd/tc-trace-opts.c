/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-opts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "strace/expr.h"
#include "tc-trace-graph.h"
#include "tc-trace-strings.h"

#define KIB UINT64_C(1024)
/* A reader that is not scheduled for a moment loses nothing at a million events a second. */
#define BUFFER_BYTES (16 * KIB * KIB)
/* Calls that are only counted are read at once; what is written next is still in the caches. */
#define COUNT_BUFFER_BYTES (8 * KIB * KIB)
#define BUFFER_MAX (UINT64_C(1) << 40)
#define STRING_MAX (UINT64_C(1) << 20)
#define COLUMN_MAX 4096
#define AT(member) .offset = offsetof(struct trace_strace, member)

/* -t, -x, -q: more each time */
static int on_more(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	unsigned int *count = (unsigned int *)((char *)request + opt->offset);

	(void)arg;
	(void)err;
	++*count;
	return 0;
}

/* -y: the same as --decode-fds=path, twice: =all; later options override earlier ones */
static int on_decode(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct trace_strace *req = request;
	const char *expr = req->decodes++ ? "decode-fds=all" : "decode-fds=path";

	(void)opt;
	(void)arg;
	if (tfs_strvec_push(&req->exprs, expr))
		return tfs_err_set(err, -ENOMEM, "cannot read the options");
	return 0;
}

/* "KIND=ARG", whatever option it is from: @value is one of these. */
enum expr_option {
	EXPR_PLAIN,
	EXPR_TRACE,
	EXPR_STATUS,
	EXPR_SIGNAL,
	EXPR_FD,
	EXPR_QUIET,
	EXPR_RAW,
	EXPR_ABBREV,
	EXPR_VERBOSE,
	EXPR_DECODE_FDS,
	EXPR_DECODE_PIDS
};

static int on_expr(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	static const char *const kinds[] = {
		[EXPR_PLAIN] = "",
		[EXPR_TRACE] = "trace=",
		[EXPR_STATUS] = "status=",
		[EXPR_SIGNAL] = "signal=",
		[EXPR_FD] = "fd=",
		[EXPR_QUIET] = "quiet=",
		[EXPR_RAW] = "raw=",
		[EXPR_ABBREV] = "abbrev=",
		[EXPR_VERBOSE] = "verbose=",
		[EXPR_DECODE_FDS] = "decode-fds=",
		[EXPR_DECODE_PIDS] = "decode-pids=",
	};
	struct trace_strace *req = request;

	if (!arg)
		arg = "all";
	if (tfs_strvec_pushf(&req->exprs, "%s%s", kinds[opt->value], arg))
		return tfs_err_set(err, -ENOMEM, "cannot read the options");
	return 0;
}

/* strace takes the same for a call that it is to change as a whole option. */
static int on_impossible(void *request, const struct tc_option *opt, const char *arg,
			 struct tfs_err *err)
{
	(void)request;
	(void)opt;
	tfs_err_say(err, -EOPNOTSUPP, "calls cannot be changed: tracefs only looks on");
	tfs_err_hint(err, "strace can do it: strace --inject=%s", arg);
	return -EOPNOTSUPP;
}

/* "s", "ms", "us", "ns" */
static int parse_unit(const char *text, unsigned int *digits)
{
	static const struct {
		const char *name;
		unsigned int digits;
	} units[] = { { "s", 0 }, { "ms", 3 }, { "us", 6 }, { "ns", 9 } };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(text, units[i].name)) {
			*digits = units[i].digits;
			return 0;
		}
	return -EINVAL;
}

static int bad_unit(const char *text, struct tfs_err *err)
{
	return tfs_err_say(err, -EINVAL, "'%s' is not a precision: s, ms, us, ns", text);
}

static int on_relative(void *request, const struct tc_option *opt, const char *arg,
		       struct tfs_err *err)
{
	struct trace_strace *req = request;

	(void)opt;
	req->relative = true;
	return arg && parse_unit(arg, &req->relative_digits) ? bad_unit(arg, err) : 0;
}

static int on_durations(void *request, const struct tc_option *opt, const char *arg,
			struct tfs_err *err)
{
	struct trace_strace *req = request;

	(void)opt;
	req->durations = true;
	return arg && parse_unit(arg, &req->duration_digits) ? bad_unit(arg, err) : 0;
}

/* One of "none", "time", "unix", "us", "format:time", "precision:ns" */
static int take_time_word(struct trace_strace *req, const char *word)
{
	static const struct {
		const char *name;
		enum tfs_line_time time;
	} formats[] = {
		{ "none", TFS_LINE_TIME_NONE },
		{ "time", TFS_LINE_TIME_DAY },
		{ "unix", TFS_LINE_TIME_UNIX },
	};
	static const char format[] = "format:", precision[] = "precision:";

	if (!strncmp(word, format, strlen(format)))
		word += strlen(format);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(word, formats[i].name)) {
			req->time = formats[i].time;
			return 0;
		}
	if (!strncmp(word, precision, strlen(precision)))
		word += strlen(precision);
	return parse_unit(word, &req->time_digits);
}

static int on_absolute(void *request, const struct tc_option *opt, const char *arg,
		       struct tfs_err *err)
{
	struct trace_strace *req = request;
	struct tfs_strvec words = TFS_STRVEC_INIT;
	int rc = tfs_strvec_split(&words, arg ? arg : "time", ",");

	(void)opt;
	req->time = TFS_LINE_TIME_DAY;
	for (size_t i = 0; !rc && i < words.n; i++)
		if (take_time_word(req, words.v[i]))
			rc = tfs_err_say(err, -EINVAL,
					 "'%s' is not a format of time: none, time, unix; s, ms, "
					 "us, ns",
					 words.v[i]);
	tfs_strvec_release(&words);
	return rc;
}

/* "MS", as perf trace has it, or with a unit */
static int on_duration(void *request, const struct tc_option *opt, const char *arg,
		       struct tfs_err *err)
{
	struct trace_strace *req = request;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	const bool plain = arg[strspn(arg, "0123456789.")] == '\0';
	int rc = tfs_strbuf_addf(&text, "%s%s", arg, plain ? "ms" : "");

	(void)opt;
	if (!rc)
		rc = tfs_parse_duration(text.s, &req->min_duration, err);
	tfs_strbuf_release(&text);
	return rc;
}

static int on_names(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	static const char *const names[] = {
		[TFS_ARGS_ABBREV] = "abbrev",
		[TFS_ARGS_RAW] = "raw",
		[TFS_ARGS_VERBOSE] = "verbose",
	};
	struct trace_strace *req = request;

	(void)opt;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(arg, names[i])) {
			req->names = (enum tfs_args_names)i;
			return 0;
		}
	return tfs_err_say(err, -EINVAL, "'%s' is not a style of names: raw, abbrev, verbose", arg);
}

static int on_hex(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct trace_strace *req = request;

	(void)opt;
	if (!arg || !strcmp(arg, "non-ascii"))
		req->strings_hex = 1;
	else if (!strcmp(arg, "all"))
		req->strings_hex = 2;
	else if (!strcmp(arg, "none"))
		req->strings_hex = 0;
	else
		return tfs_err_say(err, -EINVAL,
				   "'%s': strings in hexadecimal are all, non-ascii, "
				   "none",
				   arg);
	return 0;
}

static int on_strings(void *request, const struct tc_option *opt, const char *arg,
		      struct tfs_err *err)
{
	enum strace_strings_from from = STRACE_STRINGS_AUTO;
	struct trace_strace *req = request;
	int rc = strace_strings_parse(arg, &from, err);

	(void)opt;
	req->strings = from;
	return rc;
}

#define EXPR(name_, arg_, help_, flags_, value_)                               \
	{                                                                      \
		0, name_, arg_, help_, TC_OPT_CALL, (flags_) | TC_OPT_REPEATS, \
			.call = on_expr, .value = (value_), .complete = "none" \
	}
#define MORE(letter_, help_, member_)                                                     \
	{                                                                                 \
		letter_, NULL, NULL, help_, TC_OPT_CALL, TC_OPT_REPEATS, .call = on_more, \
									 AT(member_)      \
	}

static const struct tc_option select_options[] = {
	{ 'e', NULL, "EXPR",
	  "what is shown: trace=LIST, %CLASS, /REGEX, !LIST, status=, signal=, fd=, quiet=, raw=; "
	  "SYSTEM:EVENT",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_expr, .value = EXPR_PLAIN, .complete = "event" },
	EXPR("trace", "LIST", "as -e trace=LIST", 0, EXPR_TRACE),
	EXPR("status", "LIST", "as -e status=LIST", 0, EXPR_STATUS),
	EXPR("signal", "LIST", "as -e signal=LIST", 0, EXPR_SIGNAL),
	EXPR("trace-fds", "LIST", "as -e fd=LIST", 0, EXPR_FD),
	{ 'P', "trace-path", "PATH", "only calls with a descriptor of this file", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(paths), .complete = "file" },
	{ 0, "inject", "SET", "not possible; names the tool that can", TC_OPT_CALL, TC_OPT_REPEATS,
	  .call = on_impossible, .complete = "none" },
	{ 'z', "successful-only", NULL, "only calls that succeed", TC_OPT_FLAG, AT(successful) },
	{ 'Z', "failed-only", NULL, "only calls that fail", TC_OPT_FLAG, AT(failed) },
	{ 0, "duration", "TIME", "only calls that take at least this long, in ms or with a unit",
	  TC_OPT_CALL, TC_OPT_ONCE, .call = on_duration, .complete = "none" },
	{ 0, "graph", "FUNC", "calls of these functions of the kernel instead, and all they call",
	  TC_OPT_LIST, TC_OPT_REPEATS, AT(graph), .complete = "function" },
	{ 0, "max-events", "N", "end after N calls were shown", TC_OPT_U64, AT(max_events),
	  .min = 1, .complete = "none" },
	TC_OPT_END,
};

static const struct tc_option task_options[] = {
	{ 'p', "attach", "PID", "these processes: numbers, separated by commas or blanks",
	  TC_OPT_LIST, TC_OPT_REPEATS, AT(target.pids), .complete = "pid" },
	{ 0, "tid", "TID", "these threads", TC_OPT_LIST, TC_OPT_REPEATS, AT(target.tids),
	  .complete = "pid" },
	{ 0, "comm", "NAME", "tasks of this name; may have * and ?", TC_OPT_LIST, TC_OPT_REPEATS,
	  AT(target.comms), .complete = "none" },
	{ 0, "cgroup", "PATH", "tasks of this cgroup", TC_OPT_LIST, TC_OPT_REPEATS,
	  AT(target.cgroups), .complete = "file" },
	{ 0, "container", "PID", "tasks of the container of this process", TC_OPT_STRING,
	  AT(target.container), .complete = "pid" },
	{ 0, "all", NULL, "all tasks of the machine", TC_OPT_FLAG, AT(target.all) },
	{ 'f', "follow-forks", NULL,
	  "children, too (they always are); twice: a file for each "
	  "thread, FILE.TID",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_more, AT(follows) },
	{ 0, "no-children", NULL, "not the threads and processes that tasks create", TC_OPT_FLAG,
	  AT(target.no_children) },
	{ 0, "output-separately", NULL, "a file for each thread: FILE.TID", TC_OPT_FLAG,
	  AT(separate) },
	{ 'u', "user", "USER", "run COMMAND as this user", TC_OPT_STRING, AT(user),
	  .complete = "user" },
	{ 'E', "env", "VAR[=VALUE]", "set or remove a variable of COMMAND's environment",
	  TC_OPT_LIST, TC_OPT_REPEATS, AT(env), .complete = "none" },
	{ 0, "buffer-size", "SIZE", "ring buffer of each CPU, in KiB or with K, M, G (16M)",
	  TC_OPT_SIZE, AT(buffer_bytes), .min = 4 * KIB, .max = BUFFER_MAX, .unit = KIB,
	  .complete = "size" },
	TC_OPT_END,
};

static const struct tc_option line_options[] = {
	MORE('t', "the time of day; -tt: with microseconds; -ttt: seconds since 1970", stamps),
	{ 0, "absolute-timestamps", "FORMAT", "time, unix or none; s, ms, us or ns", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG | TC_OPT_REPEATS, .call = on_absolute, .complete = "none" },
	{ 'r', NULL, NULL, "the time since the line before", TC_OPT_FLAG, AT(relative) },
	{ 0, "relative-timestamps", "PRECISION", "the same; s, ms, us or ns", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG, .call = on_relative, .complete = "none" },
	{ 'T', NULL, NULL, "how long each call took", TC_OPT_FLAG, AT(durations) },
	{ 0, "syscall-times", "PRECISION", "the same; s, ms, us or ns", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG, .call = on_durations, .complete = "none" },
	{ 'k', "stack-trace", NULL, "the user stack of each call", TC_OPT_FLAG, AT(stacks) },
	{ 0, "why", NULL, "a line after each call that waited: for what, and who woke it",
	  TC_OPT_FLAG, AT(why) },
	{ 'N', "argument-names", NULL, "names of arguments", TC_OPT_FLAG, AT(parameters) },
	{ 'v', "no-abbrev", NULL, "say where paths and strings come from", TC_OPT_FLAG,
	  AT(whole_structs) },
	{ 's', "string-limit", "N", "bytes of a string that are shown (32)", TC_OPT_U64,
	  AT(max_string), .max = STRING_MAX, .complete = "none" },
	{ 0, "strings", "SOURCE",
	  "what paths and strings come from: auto, kernel, kprobe, eprobe, uprobe, memory, none",
	  TC_OPT_CALL, TC_OPT_ONCE, .call = on_strings, .complete = "none" },
	{ 'y', NULL, NULL, "files of descriptors; -yy: protocols of sockets, too", TC_OPT_CALL,
	  TC_OPT_REPEATS, .call = on_decode },
	EXPR("decode-fds", "LIST", "path, socket, none", TC_OPT_OPTIONAL_ARG, EXPR_DECODE_FDS),
	MORE('x', "strings with odd bytes in hexadecimal; -xx: all strings", strings_hex),
	{ 0, "strings-in-hex", "WHICH", "all, non-ascii, none", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG | TC_OPT_REPEATS, .call = on_hex, .complete = "none" },
	{ 'a', "columns", "N", "column of the result (40)", TC_OPT_U64, AT(column),
	  .max = COLUMN_MAX, .complete = "none" },
	{ 'X', "const-print-style", "STYLE", "numbers with names: raw, abbrev or verbose",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_names, .complete = "none" },
	{ 'Y', NULL, NULL, "the name of each task", TC_OPT_FLAG, AT(comms) },
	EXPR("decode-pids", "LIST", "comm, none", 0, EXPR_DECODE_PIDS),
	TC_OPT_END,
};

static const struct tc_option summary_options[] = {
	{ 'c', "summary-only", NULL, "count calls, errors and times, and show a table at the end",
	  TC_OPT_FLAG, AT(summary_only) },
	{ 'C', "summary", NULL, "lines, and the table at the end", TC_OPT_FLAG, AT(summary) },
	{ 'w', "summary-wall-clock", NULL, "times from entry to exit (they always are)",
	  TC_OPT_FLAG, AT(wall) },
	{ 'S', "summary-sort-by", "COLUMN", "sort the table: time, calls, errors, name, ...",
	  TC_OPT_STRING, AT(sort), .complete = "none" },
	{ 'U', "summary-columns", "COLUMNS", "columns of the table", TC_OPT_STRING, AT(columns),
	  .complete = "none" },
	{ 0, "by-task", NULL, "a table for each thread", TC_OPT_FLAG, AT(by_task) },
	TC_OPT_END,
};

static const struct tc_option query_options[] = {
	{ 0, "sql", "QUERY",
	  "a table of any events: SELECT FIELD, COUNT(*) FROM EVENT [JOIN ... ON ...] [WHERE ...]",
	  TC_OPT_STRING, TC_OPT_ONCE, AT(sql), .complete = "none" },
	TC_OPT_END,
};

static const struct tc_option output_options[] = {
	{ 'i', "input", "FILE", "show a recording (trace.dat) instead of tracing", TC_OPT_STRING,
	  TC_OPT_ONCE, AT(input), .complete = "file" },
	{ 'o', "output", "FILE", "write to FILE, or to a command: '|CMD'", TC_OPT_STRING,
	  AT(output), .complete = "file" },
	{ 0, "record", "FILE", "also record what is traced, for -i and tc-report", TC_OPT_STRING,
	  TC_OPT_ONCE, AT(record), .complete = "file" },
	{ 0, "immediate", NULL, "show each call at once, not up to 20 ms later; costs more",
	  TC_OPT_FLAG, AT(immediate) },
	{ 'A', "output-append-mode", NULL, "append to FILE", TC_OPT_FLAG, AT(append) },
	{ 'j', "json", NULL, "one JSON object to a line for each call; with -c for each row",
	  TC_OPT_FLAG, AT(json) },
	MORE('q', "no messages; -qq: no exits either", quiets),
	EXPR("quiet", "LIST", "as -e quiet=LIST", TC_OPT_OPTIONAL_ARG, EXPR_QUIET),
	TC_OPT_END,
};

#define STRACE(letter_, name_, help_) TC_OPT_WITHOUT_OF("strace", letter_, name_, help_)

/* Calls are changed, programs stopped, or their memory read, which takes ptrace(2). */
static const char no_stop[] = "programs are never stopped here, so there is nothing to set";
static const char no_change[] = "calls cannot be changed: tracefs only looks on, strace can do it";
static const char no_memory[] = "memory of programs is not in the events: strace shows it; -s N "
				"is how many bytes of known strings are shown";
static const char no_structs[] = "structures are in memory, which is not traced: strace shows them";

/* Options of strace's up to 7.2 */
static const struct tc_option absent_options[] = {
	STRACE('b', "detach-on",
	       "programs are never stopped, so nothing is gained by letting go of them; "
	       "--no-children leaves out what they start"),
	STRACE('D', "daemonize",
	       "programs that are traced do not notice it, whoever their parent is; setsid(1) "
	       "takes tc-trace away from the terminal"),
	STRACE('I', "interruptible", no_stop),
	STRACE('O', "summary-syscall-overhead",
	       "programs are never stopped, so there is no such "
	       "overhead to be subtracted from times"),
	STRACE(0, "seccomp-bpf",
	       "the kernel leaves out all calls but those of -e trace=LIST; if "
	       "they are rare, strace -f --seccomp-bpf costs less"),
	STRACE(0, "kill-on-exit", "programs go on without tc-trace: kill(1) ends them"),
	STRACE(0, "fault", no_change),
	STRACE(0, "read", no_memory),
	STRACE(0, "write", no_memory),
	STRACE(0, "abbrev", no_structs),
	STRACE(0, "verbose", no_structs),
	STRACE(0, "raw", "-e raw=LIST prints arguments as numbers"),
	STRACE(0, "kvm", "-e kvm:kvm_exit shows why virtual CPUs exit"),
	STRACE(0, "instruction-pointer",
	       "events of calls do not have it: -k shows the functions that made a call"),
	STRACE('n', "syscall-number",
	       "lines have names only: ausyscall(8) lists numbers and names"),
	STRACE(0, "stack-trace-frame-limit", "-k shows eight functions at most"),
	STRACE(0, "syscall-limit", "--max-events N ends after so many calls"),
	STRACE(0, "silent", "it is called --quiet, -q"),
	STRACE(0, "silence", "it is called --quiet, -q"),
	STRACE(0, "pidns-translation", "pids are those of the first pid namespace"),
	STRACE(0, "always-show-pid", "-f -o FILE and -j have the pid of each call"),
	STRACE(0, "namespace", "pids are those of the first pid namespace"),
	STRACE(0, "secontext", "events do not have it: ls -Z and ps -Z show contexts"),
	STRACE(0, "argv0", "a shell can set it: bash -c 'exec -a NAME PROGRAM'"),
	STRACE(0, "color", "lines have no colours"),
	STRACE('F', NULL, "children are always followed"),
	STRACE('d', "debug", "-v prints where paths and strings come from"),
	STRACE('V', NULL, "--version prints the version"),
	STRACE(0, "tips", "man tc-trace has examples, and a section COMING FROM STRACE"),
	TC_OPT_END,
};

const struct tc_option strace_options[] = {
	{ .type = TC_OPT_GROUP, .help = "Selecting calls" },
	{ .type = TC_OPT_TABLE, .table = select_options },
	{ .type = TC_OPT_GROUP, .help = "Selecting tasks" },
	{ .type = TC_OPT_TABLE, .table = task_options },
	{ .type = TC_OPT_GROUP, .help = "Lines" },
	{ .type = TC_OPT_TABLE, .table = line_options },
	{ .type = TC_OPT_GROUP, .help = "Summary" },
	{ .type = TC_OPT_TABLE, .table = summary_options },
	{ .type = TC_OPT_GROUP, .help = "Queries" },
	{ .type = TC_OPT_TABLE, .table = query_options },
	{ .type = TC_OPT_GROUP, .help = "Input and output" },
	{ .type = TC_OPT_TABLE, .table = output_options },
	{ .type = TC_OPT_TABLE, .table = absent_options },
	TC_OPT_END,
};

void strace_init(void *request)
{
	struct trace_strace *req = request;

	trace_init(&req->trace);
	req->max_string = TFS_ARGS_STRING;
	req->column = TFS_LINE_COLUMN;
	req->relative_digits = 6;
	req->duration_digits = 6;
}

void strace_release(void *request)
{
	struct trace_strace *req = request;

	trace_release(&req->trace);
	trace_target_release(&req->target);
	tfs_strvec_release(&req->exprs);
	tfs_strvec_release(&req->paths);
	tfs_strvec_release(&req->env);
	tfs_strvec_release(&req->graph);
}

/* strace takes blanks between processes, too: -p "$(pidof cat)". */
static int split_pids(struct tfs_strvec *pids)
{
	struct tfs_strvec words = TFS_STRVEC_INIT;
	int rc = 0;

	for (size_t i = 0; !rc && i < pids->n; i++)
		rc = tfs_strvec_split(&words, pids->v[i], ", \t\n");
	tfs_strvec_release(pids);
	*pids = words;
	return rc;
}

/* As it is, and as the kernel calls it; it may also be one of another host. */
static int add_path(struct tfs_expr *expr, const char *path, struct tfs_err *err)
{
	char *real = realpath(path, NULL);
	int rc = tfs_expr_add_path(expr, path);

	if (!rc && real && strcmp(real, path) != 0)
		rc = tfs_expr_add_path(expr, real);
	free(real);
	return rc ? tfs_err_set(err, rc, "cannot read the options") : 0;
}

int strace_read_exprs(const struct trace_strace *req, struct tfs_expr *expr, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < req->exprs.n; i++)
		rc = tfs_expr_add(expr, req->exprs.v[i], err);
	for (size_t i = 0; !rc && i < req->paths.n; i++)
		rc = add_path(expr, req->paths.v[i], err);
	if (!rc && (req->successful || req->failed))
		expr->statuses = (req->successful ? TFS_EXPR_SUCCESSFUL : 0u) |
				 (req->failed ? TFS_EXPR_FAILED : 0u);
	if (req->quiets)
		expr->quiet |= TFS_EXPR_QUIET_ATTACH | TFS_EXPR_QUIET_PERSONALITY;
	if (req->quiets > 1)
		expr->quiet |= TFS_EXPR_QUIET_EXIT;
	if (req->quiets > 2)
		expr->quiet = TFS_EXPR_QUIET_ALL;
	if (!rc && (req->summary_only || req->summary) && expr->statuses != TFS_EXPR_ANY_STATUS)
		return tfs_err_say(err, -EINVAL,
				   "option %s counts all calls: it excludes -e status=",
				   req->summary ? "-C" : "-c");
	return rc;
}

/* The first option that has no meaning for a recording */
static const char *find_live_option(const struct trace_strace *req)
{
	const struct {
		bool given;
		const char *name;
	} live[] = {
		{ req->trace.command != NULL, "COMMAND" },
		{ req->target.container != NULL, "--container" },
		{ req->target.cgroups.n > 0, "--cgroup" },
		{ req->target.all, "--all" },
		{ req->user != NULL, "--user" },
		{ req->env.n > 0, "--env" },
		{ req->record != NULL, "--record" },
		{ req->strings != STRACE_STRINGS_AUTO, "--strings" },
		{ req->immediate, "--immediate" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(live); i++)
		if (live[i].given)
			return live[i].name;
	return NULL;
}

static int check_source(const struct trace_strace *req, struct tfs_err *err)
{
	const char *live = req->input ? find_live_option(req) : NULL;

	if (live)
		return tfs_err_say(err, -EINVAL, "option -i shows a recording: no %s with it",
				   live);
	if ((req->user || req->env.n) && !req->trace.command)
		return tfs_err_say(err, -EINVAL, "option %s needs a COMMAND to run",
				   req->user ? "--user" : "--env");
	return 0;
}

static int check_output(const struct trace_strace *req, struct tfs_err *err)
{
	const bool table = req->summary_only || req->summary;

	if (req->separate && !req->output)
		return tfs_err_say(err, -EINVAL, "option -ff needs -o: it makes files FILE.TID");
	if (req->separate && (*req->output == '|' || table))
		return tfs_err_say(err, -EINVAL, "options -ff and %s exclude each other",
				   req->summary_only ? "-c" :
				   req->summary      ? "-C" :
						       "-o '|CMD'");
	if (req->output && !req->output[*req->output == '|'])
		return tfs_err_say(err, -EINVAL, "option -o: the file name is empty");
	if (req->record && !*req->record)
		return tfs_err_say(err, -EINVAL, "option --record: the file name is empty");
	if (req->record && req->output && !strcmp(req->record, req->output))
		return tfs_err_say(err, -EINVAL, "options -o and --record name the same file");
	return 0;
}

static int check_summary(const struct trace_strace *req, struct tfs_err *err)
{
	const bool some = req->successful || req->failed || req->min_duration;

	if ((req->summary_only || req->summary) && some)
		return tfs_err_say(err, -EINVAL,
				   "option %s counts all calls: it excludes -z, -Z and --duration",
				   req->summary ? "-C" : "-c");
	if (req->summary_only && req->summary)
		return tfs_err_say(err, -EINVAL, "options -c and -C exclude each other");
	if (req->summary_only && (req->why || req->stacks))
		return tfs_err_say(err, -EINVAL, "option %s is about single calls: no -c with it",
				   req->why ? "--why" : "-k");
	return 0;
}

static int check_conflicts(const struct trace_strace *req, struct tfs_err *err)
{
	int rc = check_source(req, err);

	if (!rc)
		rc = check_output(req, err);
	if (!rc)
		rc = strace_graph_check(req, err);
	return rc ? rc : check_summary(req, err);
}

/* Letters that are given several times have the meaning that strace gives them. */
static void count_letters(struct trace_strace *req)
{
	if (req->stamps) {
		req->time = req->stamps > 2 ? TFS_LINE_TIME_UNIX : TFS_LINE_TIME_DAY;
		req->time_digits = req->stamps > 1 ? 6 : 0;
	}
	if (req->strings_hex > 2)
		req->strings_hex = 2;
	if (req->follows > 1)
		req->separate = true;
}

static int check_target(struct trace_strace *req, struct tfs_err *err)
{
	if (req->input || req->trace.command || req->target.all ||
	    trace_target_has_tasks(&req->target))
		return 0;
	tfs_err_say(err, -EINVAL, "what is to be traced is missing");
	tfs_err_hint(err, "tc-trace COMMAND, tc-trace -p PID, tc-trace --all, or tc-trace -i FILE");
	return -EINVAL;
}

/* Expressions that tfs_expr_add() reads and this program has no use for */
static int check_exprs(const struct tfs_expr *expr, struct tfs_err *err)
{
	const char *structs = expr->given & 1u << TFS_EXPR_ABBREV  ? "abbrev" :
			      expr->given & 1u << TFS_EXPR_VERBOSE ? "verbose" :
								     NULL;

	if (structs) {
		tfs_err_say(err, -EOPNOTSUPP,
			    "option -e: no %s=: structures are in memory, which is not traced",
			    structs);
		tfs_err_hint(err, "strace shows structures: strace -e %s=LIST", structs);
		return -EOPNOTSUPP;
	}
	return 0;
}

/* A query is about events, and makes a table. */
static int check_sql(const struct trace_strace *req, struct tfs_err *err)
{
	const struct {
		bool given;
		const char *option;
	} others[] = {
		{ req->input, "-i" },
		{ req->record, "--record" },
		{ req->exprs.n || req->paths.n, "-e and what selects calls" },
		{ req->successful || req->failed || req->min_duration || req->max_events,
		  "what selects calls" },
		{ req->summary_only || req->summary || req->by_task, "-c and -C" },
		{ req->separate, "-ff" },
		{ req->stacks, "-k" },
		{ req->why, "--why" },
		{ req->graph.n, "--graph" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].given)
			return tfs_err_say(err, -EINVAL, "option --sql excludes %s",
					   others[i].option);
	if (req->user && !req->trace.command)
		return tfs_err_say(err, -EINVAL, "option --user needs a COMMAND to run");
	return 0;
}

int strace_check(struct trace_strace *req, int argc, char **argv, struct tfs_expr *expr,
		 struct tfs_err *err)
{
	int rc;

	if (argc > 0 && !*argv[0])
		return tfs_err_say(err, -EINVAL, "COMMAND is empty");
	req->trace.command = argc > 0 ? argv : NULL;
	count_letters(req);
	if (!req->buffer_bytes)
		req->buffer_bytes = req->summary_only ? COUNT_BUFFER_BYTES : BUFFER_BYTES;
	if (split_pids(&req->target.pids) || split_pids(&req->target.tids))
		return tfs_err_set(err, -ENOMEM, "cannot read the options");
	if (req->sql)
		return check_sql(req, err);
	rc = check_target(req, err);
	if (!rc)
		rc = check_conflicts(req, err);
	if (!rc)
		rc = strace_read_exprs(req, expr, err);
	return rc ? rc : check_exprs(expr, err);
}
