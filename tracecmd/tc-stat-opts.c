/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hist/fields.h"
#include "tc-stat-opts.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/macros.h"

#define REPEAT_MAX 1000000
/* A day */
#define MS_MAX (24 * 3600 * UINT64_C(1000))
/* More often, reading the counters would be what is counted. */
#define INTERVAL_MIN 10

#define AT(member) .offset = offsetof(struct stat_request, member)

/* A list with commas, as perf stat takes it */
static int on_event(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct stat_request *req = request;
	size_t i = req->words.n;
	int rc = *arg ? tfs_strvec_split(&req->words, arg, ",") : 0;

	(void)opt;
	if (rc)
		return tfs_err_set(err, rc, "cannot keep the events");
	if (i == req->words.n)
		return tfs_err_say(err, -EINVAL, "the name of an event is empty");
	for (; i < req->words.n && !rc; i++)
		rc = tc_clauses_event(&req->clauses, req->words.v[i], err);
	return rc;
}

static int on_filter(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct stat_request *req = request;

	(void)opt;
	return tc_clauses_filter(&req->clauses, arg, err);
}

/* Numbers are processes, as for perf stat; a word with a colon is a probe, as for tc-record. */
static int on_pid(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct stat_request *req = request;
	int rc;

	(void)opt;
	if (strchr(arg, ':'))
		return tc_clauses_probe(&req->clauses, arg, err);
	if (*arg && !isdigit((unsigned char)*arg)) {
		rc = tfs_err_say(err, -EINVAL, "'%s' is neither a pid nor a probe", arg);
		tfs_err_hint(err, "a probe is kprobe:FUNCTION or uprobe:FILE:FUNCTION");
		return rc;
	}
	return tfs_strvec_push(&req->target.pids, arg) ?
		       tfs_err_set(err, -ENOMEM, "cannot keep the pids") :
		       0;
}

static int on_by(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct stat_request *req = request;

	(void)opt;
	if (tfs_strvec_split(&req->by, arg, ","))
		return tfs_err_set(err, -ENOMEM, "cannot keep the fields");
	if (!req->by.n)
		return tfs_err_say(err, -EINVAL, "the name of a field is empty");
	if (req->by.n > TFS_HIST_FIELDS_MAX)
		return tfs_err_say(err, -E2BIG, "%zu fields are too many: the limit is %d",
				   req->by.n, TFS_HIST_FIELDS_MAX);
	return 0;
}

const struct tc_option stat_options[] = {
	{ .type = TC_OPT_GROUP, .help = "Events" },
	{ 'e', "event", "EVENT,...", "events to count: SYSTEM:EVENT, a system, a glob", TC_OPT_CALL,
	  TC_OPT_REPEATS, .call = on_event, .complete = "event" },
	{ 'f', "filter", "FILTER", "count the events of the preceding -e or -p only where it holds",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_filter, .complete = "none" },
	{ 'p', "pid", "PID|PROBE",
	  "count in these processes, or count a probe: kprobe:FUNC or uprobe:FILE:FUNC",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_pid, .complete = "pid" },
	{ 0, "syscalls", NULL, "count system calls and their errors: the table of strace -c",
	  TC_OPT_FLAG, AT(syscalls) },
	{ 0, "time", NULL, "--syscalls: also how long they take", TC_OPT_FLAG, AT(times) },
	{ .type = TC_OPT_GROUP, .help = "Selecting tasks and CPUs" },
	{ 't', "tid", "TID", "only these threads; takes a list with commas", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(target.tids), .complete = "pid" },
	{ 'a', "all-cpus", NULL, "all tasks, also with COMMAND", TC_OPT_FLAG, AT(target.all) },
	{ 'C', "cpu", "CPUS", "all tasks, only on these CPUs: 0-3,8", TC_OPT_STRING, TC_OPT_ONCE,
	  AT(target.cpus), .complete = "cpu" },
	{ 0, "cgroup", "PATH", "only tasks in this cgroup and those below it, and their children",
	  TC_OPT_LIST, TC_OPT_REPEATS, AT(target.cgroups), .complete = "cgroup" },
	{ 0, "container", "PID", "only tasks in the pid namespace of this process", TC_OPT_STRING,
	  TC_OPT_ONCE, AT(target.container), .complete = "pid" },
	{ 0, "comm", "NAME", "only tasks with this name, which may be a glob", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(target.comms), .complete = "none" },
	{ 'i', "no-inherit", NULL, "not the threads and children that the tasks create",
	  TC_OPT_FLAG, AT(target.no_children) },
	{ 0, "user", "USER", "run COMMAND as this user", TC_OPT_STRING, AT(user),
	  .complete = "user" },
	{ .type = TC_OPT_GROUP, .help = "Times" },
	{ 'I', "interval-print", "MS", "print the counts of every MS milliseconds", TC_OPT_U64,
	  AT(interval_ms), .min = INTERVAL_MIN, .max = MS_MAX, .complete = "none" },
	{ 0, "interval-count", "N", "-I: end after N intervals", TC_OPT_U64, AT(intervals),
	  .min = 1, .complete = "none" },
	{ 0, "timeout", "MS", "end after MS milliseconds", TC_OPT_U64, AT(timeout_ms), .min = 1,
	  .max = MS_MAX, .complete = "none" },
	{ 'r', "repeat", "N", "run COMMAND N times: print means and their standard errors",
	  TC_OPT_U64, AT(repeat), .min = 1, .max = REPEAT_MAX, .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "Output" },
	{ 'A', "no-aggr", NULL, "a row for each CPU", TC_OPT_FLAG, AT(per_cpu) },
	{ 0, "per-thread", NULL, "a row for each thread that has the event", TC_OPT_FLAG,
	  AT(per_thread) },
	{ 0, "by", "FIELD,...", "a row for each combination of values of fields of the event",
	  TC_OPT_CALL, TC_OPT_ONCE, .call = on_by, .complete = "none" },
	{ 0, "top", "N",
	  "--per-thread, --by: only the N rows with the largest counts of each event", TC_OPT_U64,
	  AT(top), .min = 1, .complete = "none" },
	{ 'x', "field-separator", "SEP", "columns of perf stat -x, with SEP between them",
	  TC_OPT_STRING, TC_OPT_ONCE, AT(separator), .complete = "none" },
	{ 'j', "json-output", NULL, "a JSON object a line, as perf stat -j", TC_OPT_FLAG,
	  AT(json) },
	{ 'o', "output", "FILE", "print to FILE instead of standard error", TC_OPT_STRING,
	  TC_OPT_ONCE, AT(output), .complete = "file" },
	{ 0, "log-fd", "FD", "print to this descriptor instead of standard error", TC_OPT_U64,
	  AT(log_fd), .min = 1, .max = INT_MAX, .complete = "none" },
	{ 0, "append", NULL, "-o: add to FILE", TC_OPT_FLAG, AT(append) },
	{ 'v', "verbose", NULL, "say how the events are counted", TC_OPT_FLAG, AT(verbose) },
	{ 'q', "quiet", NULL, "print no notices", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END,
};

void stat_release(void *request)
{
	struct stat_request *req = request;

	tc_clauses_release(&req->clauses);
	tfs_strvec_release(&req->words);
	tfs_strvec_release(&req->by);
	trace_target_release(&req->target);
}

static int check_output(struct stat_request *req, struct tfs_err *err)
{
	if (req->json && req->separator)
		return tfs_err_say(err, -EINVAL, "options -j and -x exclude each other");
	if (req->separator && (!*req->separator || strpbrk(req->separator, "\n\"")))
		return tfs_err_say(err, -EINVAL, "option -x: '%s' is not a separator",
				   req->separator);
	if (req->output && req->log_fd)
		return tfs_err_say(err, -EINVAL, "options -o and --log-fd exclude each other");
	/* As for perf stat: with --log-fd the shell has opened the file, to append or not. */
	if (req->append && !req->output && !req->log_fd)
		return tfs_err_say(err, -EINVAL, "option --append needs -o");
	req->style = req->json ? STAT_JSON : req->separator ? STAT_CSV : STAT_TEXT;
	/* A program that reads the rows takes each line for one. */
	if (req->style != STAT_TEXT && !req->output && stat_rows_fd(req) == STDERR_FILENO)
		req->quiet = true;
	return 0;
}

int stat_rows_fd(const struct stat_request *req)
{
	return req->log_fd ? (int)req->log_fd : STDERR_FILENO;
}

static int check_times(const struct stat_request *req, struct tfs_err *err)
{
	if (req->repeat && !req->command)
		return tfs_err_say(err, -EINVAL, "option -r needs a COMMAND to repeat");
	if (req->repeat && (req->interval_ms || req->timeout_ms))
		return tfs_err_say(err, -EINVAL, "option -r excludes -I and --timeout");
	if (req->intervals && !req->interval_ms)
		return tfs_err_say(err, -EINVAL, "option --interval-count needs -I");
	return 0;
}

/* The table has a layout of its own, and is printed once. */
static int check_syscalls(const struct stat_request *req, struct tfs_err *err)
{
	const struct {
		bool given;
		const char *option;
	} others[] = {
		{ req->clauses.n, "-e and probes" },
		{ req->per_cpu, "-A" },
		{ req->per_thread, "--per-thread" },
		{ req->by.n, "--by" },
		{ req->separator, "-x" },
		{ req->interval_ms, "-I" },
		{ req->repeat, "-r" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].given)
			return tfs_err_say(err, -EINVAL, "option --syscalls excludes %s",
					   others[i].option);
	return 0;
}

/* Rows for CPUs, threads or values */
static int check_rows(const struct stat_request *req, struct tfs_err *err)
{
	const char *option = req->by.n ? "--by" : req->per_thread ? "--per-thread" : NULL;
	const char *other = req->per_cpu                 ? "-A" :
			    req->repeat                  ? "-r" :
			    req->by.n && req->per_thread ? "--per-thread" :
							   NULL;

	if (option && other)
		return tfs_err_say(err, -EINVAL, "option %s excludes %s", option, other);
	if (req->top && !option)
		return tfs_err_say(err, -EINVAL, "option --top needs --per-thread or --by");
	return 0;
}

static int check_events(const struct stat_request *req, struct tfs_err *err)
{
	int rc;

	if (req->syscalls)
		return check_syscalls(req, err);
	if (req->times)
		return tfs_err_say(err, -EINVAL, "option --time needs --syscalls");
	if (req->clauses.n)
		return 0;
	rc = tfs_err_say(err, -EINVAL, "nothing to count");
	tfs_err_hint(err, "name events with -e, for example -e sched:sched_switch, or a probe with "
			  "-p, for example -p kprobe:vfs_read; tc-list -e lists events; "
			  "--syscalls counts system calls");
	return rc;
}

int stat_check(struct stat_request *req, int argc, char **argv, struct tfs_err *err)
{
	int rc;

	if (argc > 0 && !*argv[0])
		return tfs_err_say(err, -EINVAL, "COMMAND is empty");
	req->command = argc > 0 ? argv : NULL;
	if (req->user && !req->command)
		return tfs_err_say(err, -EINVAL, "option --user needs a COMMAND to run");
	rc = check_events(req, err);
	if (!rc)
		rc = check_rows(req, err);
	if (!rc)
		rc = check_output(req, err);
	return rc ? rc : check_times(req, err);
}
