/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "base/time.h"
#include "chart/colors.h"
#include "stack/collect.h"
#include "tc-report-charts.h"
#include "tc-report-opts.h"
#include "tc-report-views.h"

/* The row's value is the view. */
static int on_view(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	(void)arg;
	(void)err;
	report_view_ask(request, opt->value);
	return 0;
}

/* The row's value is the view, the argument its file. */
static int on_view_to(void *request, const struct tc_option *opt, const char *arg,
		      struct tfs_err *err)
{
	struct report_request *req = request;

	(void)err;
	report_view_ask(req, opt->value);
	req->to = arg ? arg : "-";
	return 0;
}

static int on_arrow(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct report_request *req = request;

	(void)err;
	report_view_ask(req, opt->value);
	req->to = arg;
	return 0;
}

static int on_schema(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct report_request *req = request;

	(void)err;
	report_view_ask(req, opt->value);
	req->schema = arg;
	return 0;
}

/* --by-pid, --by-tid: the row's value is what the first frame says. */
static int on_root(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct report_request *req = request;

	(void)arg;
	(void)err;
	req->stacks.root = opt->value;
	return 0;
}

static int on_countname(void *request, const struct tc_option *opt, const char *arg,
			struct tfs_err *err)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", NS_PER_USEC }, { "ms", NS_PER_MSEC } };
	struct report_request *req = request;

	(void)opt;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (!strcmp(arg, units[i].name)) {
			req->stacks.ns_per_unit = units[i].ns;
			return 0;
		}
	}
	return tfs_err_say(err, -EINVAL, "'%s' is not a unit of time: ns, us or ms", arg);
}

static int on_stat(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	(void)opt;
	if (arg && strcmp(arg, "kernel")) {
		tfs_err_say(err, -EINVAL, "'%s' is not a kind of statistics", arg);
		tfs_err_hint(err, "--stat, or --stat=kernel for trace-cmd's text alone");
		return -EINVAL;
	}
	report_view_ask(request, arg ? REPORT_VIEW_STAT_KERNEL : REPORT_VIEW_STAT);
	return 0;
}

/* Adds the names in @list, with commas between them, to @names. */
static int add_names(struct tfs_strvec *names, const char *list, struct tfs_err *err)
{
	int rc = tfs_strvec_split(names, list, ",");

	return rc ? tfs_err_set(err, rc, "cannot keep the names") : 0;
}

/* The row's value is the view, the argument names what belongs to it. */
static int on_view_by(void *request, const struct tc_option *opt, const char *arg,
		      struct tfs_err *err)
{
	struct report_request *req = request;

	report_view_ask(req, opt->value);
	if (!arg[strspn(arg, ",")])
		return tfs_err_say(err, -EINVAL, "it needs the name of a column or field");
	return add_names(&req->by, arg, err);
}

static int on_graph(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct report_request *req = request;

	(void)opt;
	report_view_ask(req, REPORT_VIEW_GRAPH);
	return arg ? add_names(&req->graph.funcs, arg, err) : 0;
}

static int on_caller(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct report_request *req = request;

	(void)opt;
	return add_names(&req->graph.callers, arg, err);
}

/* --first-event, --last-event: --cpus with the flag at the row's offset. */
static int on_bound(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	(void)arg;
	(void)err;
	report_view_ask(request, REPORT_VIEW_CPUS);
	*(bool *)((char *)request + opt->offset) = true;
	return 0;
}

static int on_event(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct report_request *req = request;

	(void)opt;
	(void)err;
	req->formats = arg;
	report_view_ask(req, REPORT_VIEW_FORMATS);
	return 0;
}

static int on_off_cpu(void *request, const struct tc_option *opt, const char *arg,
		      struct tfs_err *err)
{
	struct report_request *req = request;

	(void)opt;
	req->stacks.is_off_cpu = true;
	return arg ? report_parse_off_cpu(arg, &req->stacks.off_cpu, err) : 0;
}

static int on_colors(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct report_request *req = request;

	(void)opt;
	return tfs_colors_parse(arg, &req->stacks.colors, err);
}

#define AT(member) .offset = offsetof(struct report_request, member)

const struct tc_option report_view_options[] = {
	{ .type = TC_OPT_GROUP, .help = "Calls instead of events" },
	{ 0, "graph", "FUNC", "who called whom, for how long; only FUNC and what it called",
	  TC_OPT_CALL, TC_OPT_REPEATS | TC_OPT_OPTIONAL_ARG, .call = on_graph, .complete = "none" },
	{ 0, "caller", "FUNC", "only calls that FUNC made", TC_OPT_CALL, TC_OPT_REPEATS,
	  .call = on_caller, .complete = "none" },
	{ 0, "pair", "BEGIN:END", "these two events are a call's beginning and end", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(graph.pairs), .complete = "event" },
	{ 0, "depth", "N", "only N levels of calls", TC_OPT_U64, AT(graph.depth), .min = 1,
	  .complete = "none" },
	{ 0, "min-duration", "TIME", "only calls that took at least this long: 10us, 2ms",
	  TC_OPT_DURATION, AT(graph.min_duration), .complete = "none" },
	{ 0, "by-task", NULL, "each outermost call in one piece; --syscalls: rows of tasks",
	  TC_OPT_FLAG, AT(graph.by_task) },
	{ 0, "summary", NULL, "a table of functions and their durations", TC_OPT_FLAG,
	  AT(graph.summary) },
	{ .type = TC_OPT_GROUP, .help = "Tables instead of events" },
	{ 0, "count-by", "FIELD,...", "how many events have the same: comm,event,next_pid",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_view_by, .value = REPORT_VIEW_COUNT_BY,
	  .complete = "none" },
	{ 0, "syscalls", NULL, "system calls: time, calls, errors, as strace -c has them",
	  TC_OPT_CALL, .call = on_view, .value = REPORT_VIEW_SYSCALLS },
	{ 0, "wakeups", NULL, "who wakes whom, and how long it takes until the task runs",
	  TC_OPT_CALL, .call = on_view, .value = REPORT_VIEW_WAKEUPS },
	{ 0, "profile", NULL, "what tasks did: run time, waits by kind, wakeups, delays",
	  TC_OPT_CALL, .call = on_view, .value = REPORT_VIEW_PROFILE },
	{ 0, "flat", NULL, "functions of stacks: time in each alone, and with what it called",
	  TC_OPT_CALL, .call = on_view, .value = REPORT_VIEW_FLAT },
	{ 0, "latency", NULL, "how long things took: wakeups, interrupts, system calls, pairs",
	  TC_OPT_CALL, .call = on_view, .value = REPORT_VIEW_LATENCY },
	{ 0, "histogram", NULL, "with --latency: histograms by powers of two", TC_OPT_FLAG,
	  AT(histogram) },
	{ 0, "sort", "COLUMN,...", "sort the table by these columns; -COLUMN: reverse",
	  TC_OPT_STRING, AT(sort), .complete = "none" },
	{ 0, "top", "N", "only the first N rows of the table", TC_OPT_U64, AT(top), .min = 1,
	  .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "Pictures" },
	{ 0, "heatmap", "FILE", "draw how long something took over time: a page or a picture",
	  TC_OPT_CALL, TC_OPT_ONCE, .call = on_view_to, .value = REPORT_VIEW_HEATMAP,
	  .complete = "file" },
	{ 0, "of", "NAME", "with --heatmap: what took the time, as --latency names it",
	  TC_OPT_STRING, AT(of), .complete = "none" },
	{ 0, "columns", "N", "with --heatmap: columns: 200", TC_OPT_U64, AT(columns), .min = 1,
	  .max = 2000, .complete = "none" },
	{ 0, "linear", NULL, "with --heatmap: rows of equal height", TC_OPT_FLAG, AT(linear) },
	{ 0, "html", "FILE", "write a page with a row for each CPU and task, for any browser",
	  TC_OPT_CALL, TC_OPT_ONCE, .call = on_view_to, .value = REPORT_VIEW_HTML,
	  .complete = "file" },
	{ 0, "max-page", "SIZE", "leave out details where the page would be larger: 64M",
	  TC_OPT_SIZE, AT(max_page), .min = 1 << 16, .complete = "size" },
	{ .type = TC_OPT_GROUP, .help = "Files for other programs" },
	{ 0, "chrome", "FILE", "write FILE in the JSON format of chrome://tracing", TC_OPT_CALL,
	  TC_OPT_ONCE, .call = on_view_to, .value = REPORT_VIEW_CHROME, .complete = "file" },
	{ 0, "perfetto", "FILE", "write FILE for ui.perfetto.dev and trace_processor", TC_OPT_CALL,
	  TC_OPT_ONCE, .call = on_view_to, .value = REPORT_VIEW_PERFETTO, .complete = "file" },
	{ 0, "perf-script", "FILE", "events with their stacks as perf script prints samples",
	  TC_OPT_CALL, TC_OPT_OPTIONAL_ARG, .call = on_view_to, .value = REPORT_VIEW_PERF_SCRIPT,
	  .complete = "file" },
	{ 0, "speedscope", "FILE", "profiles of the stacks for speedscope", TC_OPT_CALL,
	  TC_OPT_ONCE, .call = on_view_to, .value = REPORT_VIEW_SPEEDSCOPE, .complete = "file" },
	{ 0, "wide", NULL, "with --json or --csv: rows of one table, the same for all recordings",
	  TC_OPT_CALL, .call = on_view, .value = REPORT_VIEW_WIDE },
	{ 0, "arrow", "DIR", "the table of events for databases; =DIR: a table for each event",
	  TC_OPT_CALL, TC_OPT_ONCE | TC_OPT_OPTIONAL_ARG, .call = on_arrow,
	  .value = REPORT_VIEW_ARROW, .complete = "file" },
	{ 'o', "output", "FILE", "with --arrow: write FILE instead of standard output",
	  TC_OPT_STRING, AT(output), .complete = "file" },
	{ 0, "schema", "ENGINE", "print SQL that loads the table: duckdb or clickhouse",
	  TC_OPT_CALL, TC_OPT_ONCE, .call = on_schema, .value = REPORT_VIEW_SCHEMA,
	  .complete = "duckdb clickhouse" },
	{ 0, "compression", "NAME", "with --arrow: zstd (default) or none", TC_OPT_STRING,
	  AT(compression), .complete = "none zstd" },
	{ 0, "old-stacks", NULL, "stacks as Perfetto before v58 takes them", TC_OPT_FLAG,
	  AT(old_stacks) },
	{ .type = TC_OPT_GROUP, .help = "Stacks instead of events" },
	{ 0, "flame", "FILE", "draw a flame graph: a page (.html) or a picture (.svg)", TC_OPT_CALL,
	  TC_OPT_ONCE, .call = on_view_to, .value = REPORT_VIEW_FLAME, .complete = "file" },
	{ 0, "folded", "FILE", "merged stacks as lines \"comm;outer;inner COUNT\"", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG, .call = on_view_to, .value = REPORT_VIEW_FOLDED,
	  .complete = "file" },
	{ 0, "off-cpu", "KIND", "the time off the CPU; =blocked, =runnable or =all", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG, .call = on_off_cpu, .complete = "blocked runnable all" },
	{ 0, "weight", "FIELD", "a stack weighs what this field of its event holds", TC_OPT_STRING,
	  AT(stacks.weight), .complete = "none" },
	{ 0, "diff", "AFTER", "compare with this recording", TC_OPT_STRING, AT(stacks.diff),
	  .complete = "file" },
	{ 0, "normalize", NULL, "with --diff, as if both weighed the same in all", TC_OPT_FLAG,
	  AT(stacks.scale) },
	{ 0, "title", "TEXT", "the heading of a picture or page", TC_OPT_STRING, AT(stacks.title),
	  .complete = "none" },
	{ 0, "colors", "BY", "what colors of frames say: kind (default), dso, or one: blue, ...",
	  TC_OPT_CALL, .call = on_colors, .complete = "kind dso" },
	{ 0, "by-pid", NULL, "stacks of each process: comm-PID", TC_OPT_CALL, .call = on_root,
	  .value = TFS_ROOT_PID },
	{ 0, "by-tid", NULL, "stacks of each task: comm-PID/TID", TC_OPT_CALL, .call = on_root,
	  .value = TFS_ROOT_TID },
	{ 0, "no-annotate", NULL,
	  "names without _[k] for the kernel, _[j] for JIT, _[i] for inlined", TC_OPT_FLAG,
	  AT(stacks.no_annotate) },
	{ 0, "addrs", NULL, "frames without a name with their address", TC_OPT_FLAG,
	  AT(stacks.addrs) },
	{ 0, "countname", "UNIT", "times in ns, us (default) or ms", TC_OPT_CALL,
	  .call = on_countname, .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "Information about the file" },
	{ 0, "uname", NULL, "the machine and the program that made the recording", TC_OPT_CALL,
	  .call = on_view, .value = REPORT_VIEW_UNAME },
	{ 0, "version", NULL, "the program that made FILE; without FILE, that of tc-report",
	  TC_OPT_CALL, .call = on_view, .value = REPORT_VIEW_VERSION },
	{ 'e', "endian", NULL, "byte order", TC_OPT_CALL, .call = on_view,
	  .value = REPORT_VIEW_ENDIAN },
	{ 'p', "page-size", NULL, "size of the sub-buffers", TC_OPT_CALL, .call = on_view,
	  .value = REPORT_VIEW_PAGE_SIZE },
	{ 'f', "functions", NULL, "addresses and names of the kernel's functions", TC_OPT_CALL,
	  .call = on_view, .value = REPORT_VIEW_FUNCTIONS },
	{ 'P', "printk", NULL, "addresses and texts of trace_printk()", TC_OPT_CALL,
	  .call = on_view, .value = REPORT_VIEW_PRINTK },
	{ 'E', "list-events", NULL, "names of the events", TC_OPT_CALL, .call = on_view,
	  .value = REPORT_VIEW_EVENTS },
	{ 0, "events", NULL, "formats of the events", TC_OPT_CALL, .call = on_view,
	  .value = REPORT_VIEW_FORMATS },
	{ 0, "event", "REGEX", "formats of the events (SYSTEM:EVENT) that match", TC_OPT_CALL,
	  .call = on_event, .complete = "event" },
	{ 0, "check-events", NULL, "exit with a failure if a format cannot be parsed", TC_OPT_CALL,
	  .call = on_view, .value = REPORT_VIEW_CHECK_EVENTS },
	{ 0, "cpus", NULL, "CPUs that recorded something", TC_OPT_CALL, .call = on_view,
	  .value = REPORT_VIEW_CPUS },
	{ 0, "first-event", NULL, "as --cpus, with the time of each CPU's first event", TC_OPT_CALL,
	  AT(first_event), .call = on_bound },
	{ 0, "last-event", NULL, "as --cpus, with the time of each CPU's last event", TC_OPT_CALL,
	  AT(last_event), .call = on_bound },
	{ 0, "stat", "kernel", "statistics for each CPU; =kernel: only the kernel's", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG, .call = on_stat, .complete = "none" },
	TC_OPT_END,
};
