/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-top-opts.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "cli/clause.h"

#define KIB UINT64_C(1024)
/* A reader that is not scheduled for a moment loses nothing at a million events a second. */
#define BUFFER_BYTES (16 * KIB * KIB)
#define BUFFER_MAX (UINT64_C(1) << 40)
#define NS_PER_SEC UINT64_C(1000000000)
#define AT(member) .offset = offsetof(struct top_request, member)

static int on_event(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct top_request *req = request;

	(void)opt;
	return tc_clauses_event(&req->trace.clauses, arg, err);
}

static int on_event_filter(void *request, const struct tc_option *opt, const char *arg,
			   struct tfs_err *err)
{
	struct top_request *req = request;

	(void)opt;
	return tc_clauses_filter(&req->trace.clauses, arg, err);
}

static int on_probe(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct top_request *req = request;

	(void)opt;
	return tc_clauses_probe(&req->trace.clauses, arg, err);
}

static int on_key(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct top_request *req = request;

	(void)opt;
	req->by_given = true;
	return tfs_top_by_parse(arg, &req->by, err);
}

static int on_sort(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct top_request *req = request;

	(void)opt;
	req->sort_given = true;
	return tfs_top_column_parse(arg, &req->sort, err);
}

/* Seconds, as for top and perf top, or a number with a unit */
static int on_interval(void *request, const struct tc_option *opt, const char *arg,
		       struct tfs_err *err)
{
	struct top_request *req = request;
	int rc = tfs_parse_duration(arg, &req->interval, err);

	(void)opt;
	if (!rc && (req->interval < TOP_INTERVAL_MIN || req->interval > TOP_INTERVAL_MAX))
		rc = tfs_err_say(err, -ERANGE, "'%s': intervals are 10 ms to a day", arg);
	return rc;
}

const struct tc_option top_options[] = {
	{ .type = TC_OPT_GROUP, .help = "Selecting events" },
	{ 'e', "event", "EVENT", "event, system, glob, SYSTEM:EVENT (default: system calls)",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_event, .complete = "event" },
	{ 'f', "event-filter", "FILTER", "the kernel's filter for the preceding -e or --probe",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_event_filter, .complete = "none" },
	{ 0, "probe", "PROBE", "define a probe: kprobe:FUNC or uprobe:FILE:FUNC, with arguments",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_probe, .complete = "record-probe" },
	{ 'i', "input", "FILE", "play a recording instead", TC_OPT_STRING, AT(input),
	  .complete = "file" },
	{ 'k', "key", "KEY", "a row for each event, task, syscall, symbol, file, cgroup, stack",
	  TC_OPT_CALL, .call = on_key, .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "Whom to look at (default: everything)" },
	{ 'p', "pid", "PID", "these processes, and what they start", TC_OPT_LIST, TC_OPT_REPEATS,
	  AT(target.pids), .complete = "pid" },
	{ 't', "tid", "TID", "these threads", TC_OPT_LIST, TC_OPT_REPEATS, AT(target.tids),
	  .complete = "pid" },
	{ 0, "comm", "NAME", "tasks of this name; * and ? as in globs", TC_OPT_LIST, TC_OPT_REPEATS,
	  AT(target.comms), .complete = "none" },
	{ 0, "cgroup", "PATH", "tasks in this cgroup and those below it", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(target.cgroups), .complete = "cgroup" },
	{ 0, "container", "PID", "tasks in the pid namespace of this process", TC_OPT_STRING,
	  AT(target.container), .complete = "pid" },
	{ 0, "cpus", "CPUS", "only these CPUs: 0-3,8", TC_OPT_STRING, AT(target.cpus),
	  .complete = "cpu" },
	{ 'a', "all", NULL, "all tasks, also with COMMAND", TC_OPT_FLAG, AT(target.all) },
	{ 0, "no-children", NULL, "not what these tasks start", TC_OPT_FLAG,
	  AT(target.no_children) },
	{ 0, "user", "USER", "run COMMAND as this user", TC_OPT_STRING, AT(user),
	  .complete = "user" },
	{ .type = TC_OPT_GROUP, .help = "The table" },
	{ 's', "sort", "COLUMN",
	  "sort by rate, rate10, total, share, time, mean, p99, max, errors, comm, name",
	  TC_OPT_CALL, .call = on_sort, .complete = "none" },
	{ 'r', "reverse", NULL, "the smallest first", TC_OPT_FLAG, AT(reverse) },
	{ 'd', "interval", "TIME", "seconds between pages, or a number with ms, s, m (1)",
	  TC_OPT_CALL, .call = on_interval, .complete = "none" },
	{ 'n', "pages", "N", "end after so many pages", TC_OPT_U64, AT(pages), .min = 1,
	  .complete = "none" },
	{ 0, "filter", "TEXT", "only rows whose names match: a part, a glob, a regular expression",
	  TC_OPT_STRING, AT(filter), .complete = "none" },
	{ 0, "task", "TID", "count only what this task does", TC_OPT_U64, AT(task), .min = 1,
	  .max = INT_MAX, .complete = "pid" },
	{ 0, "top", "N", "at most so many rows on a page", TC_OPT_U64, AT(top), .min = 1,
	  .complete = "none" },
	{ 0, "cumulative", NULL, "times and errors since the start; rows stay", TC_OPT_FLAG,
	  AT(cumulative) },
	{ 0, "batch", NULL, "print page after page, with all rows and columns", TC_OPT_FLAG,
	  AT(batch) },
	{ 0, "plain", NULL, "print page after page, in the size of the terminal", TC_OPT_FLAG,
	  AT(plain) },
	{ 0, "ascii", NULL, "print other characters of names as \\xNN", TC_OPT_FLAG, AT(ascii) },
	{ .type = TC_OPT_GROUP, .help = "Other options" },
	{ 0, "record", "FILE", "record the events, too: a trace.dat for tc-report and -i",
	  TC_OPT_STRING, AT(record), .complete = "file" },
	{ 'b', "buffer-size", "SIZE", "of each CPU's ring buffer, in KiB or with K, M, G (16M)",
	  TC_OPT_SIZE, AT(buffer_bytes), .min = 4 * KIB, .max = BUFFER_MAX, .unit = KIB,
	  .complete = "size" },
	{ 'q', "quiet", NULL, "print only errors besides the table", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END,
};

void top_init(void *request)
{
	struct top_request *req = request;

	trace_init(&req->trace);
	req->interval = NS_PER_SEC;
	req->buffer_bytes = BUFFER_BYTES;
}

void top_release(void *request)
{
	struct top_request *req = request;

	trace_target_release(&req->target);
	trace_release(&req->trace);
}

/* The kind of rows if it was not given, and the events that are traced for it */
static int choose_events(struct top_request *req, struct tfs_err *err)
{
	bool events = req->trace.clauses.n > 0;
	int rc = 0;

	if (!req->by_given)
		req->by = events || req->input ? TFS_TOP_EVENT : TFS_TOP_SYSCALL;
	if (req->input)
		return 0;
	if (!events && (req->by == TFS_TOP_SYMBOL || req->by == TFS_TOP_FILE)) {
		tfs_err_say(err, -EINVAL, "-k %s needs -e", tfs_top_by_name(req->by));
		tfs_err_hint(err, req->by == TFS_TOP_FILE ? "-e filemap" : "-e kmem");
		return -EINVAL;
	}
	req->calls = !events || req->by == TFS_TOP_SYSCALL;
	if (req->calls)
		rc = tc_clauses_event(&req->trace.clauses, "raw_syscalls", err);
	if (!rc && req->by == TFS_TOP_TASK)
		rc = tc_clauses_event(&req->trace.clauses, "sched:sched_switch", err);
	if (!rc && req->by == TFS_TOP_STACK)
		rc = tfs_strvec_push(&req->trace.buffers[0].options, "stacktrace");
	return rc;
}

static bool traces(const struct top_request *req, int argc)
{
	return argc || req->trace.clauses.n || trace_target_has_tasks(&req->target) ||
	       req->target.all || req->target.cpus || req->user || req->record;
}

int top_check(struct top_request *req, int argc, char **argv, struct tfs_err *err)
{
	int rc;

	if (req->input && traces(req, argc)) {
		tfs_err_say(err, -EINVAL,
			    "-i plays a recording: events and tasks to trace, and "
			    "COMMAND, have no meaning with it");
		tfs_err_hint(err, "--task and --filter select what is shown");
		return -EINVAL;
	}
	if (req->batch && req->plain)
		return tfs_err_say(err, -EINVAL, "--batch and --plain are two ways to print");
	rc = choose_events(req, err);
	if (rc)
		return rc;
	if (!(tfs_top_columns(req->by) & 1u << req->sort))
		return tfs_err_say(err, -EINVAL, "rows by %s have no column '%s'",
				   tfs_top_by_name(req->by), tfs_top_column_name(req->sort));
	if (req->input)
		return 0;
	req->trace.command = argc ? argv : NULL;
	req->trace.from_exec = true;
	req->trace.buffers[0].buffer_bytes = req->buffer_bytes;
	rc = trace_target_set(&req->target, &req->trace, err);
	return rc ? rc : trace_check(&req->trace, err);
}
