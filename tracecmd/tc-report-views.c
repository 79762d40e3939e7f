/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-views.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/out.h"
#include "base/strvec.h"
#include "decode/clock.h"
#include "decode/wakeup.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "tc-report-graph.h"
#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "view/bounds.h"
#include "view/combined.h"
#include "view/count.h"
#include "view/export.h"
#include "view/info.h"
#include "view/kernel-lines.h"
#include "view/kernel-view.h"
#include "view/stat.h"
#include "view/text.h"

/* More threads wait for the one that reads in order. */
#define JOBS_DEFAULT_MAX 8

/* Rows of the table. When options ask for several, the last of these is shown, as in trace-cmd. */
enum {
	TEXT,
	EXPORT,
	KERNEL,
	COUNT_BY,
	GRAPH,
	STAT,
	STAT_KERNEL,
	UNAME,
	VERSION,
	CPUS,
	EVENTS,
	PRINTK,
	FUNCTIONS,
	CHECK_EVENTS,
	FORMATS,
	ENDIAN,
	PAGE_SIZE,
};

/* Options that have no meaning with every view. */
enum report_layout {
	RAW = 1 << 0,
	LATENCY = 1 << 1,
	WAKEUP = 1 << 2,
	TS_DIFF = 1 << 3,
	NO_FLAGS = 1 << 4,
	COLOR = 1 << 5,
	JSON = 1 << 6,
	CSV = 1 << 7,
	EXPORT_TEXT = 1 << 8,
	FIELDS = 1 << 9,
	KERNEL_LINES = 1 << 10,
	COMPAT = 1 << 11,
	TIMES = 1 << 12,
	PLUGINS = 1 << 13,
	/* layouts of the text; of rows */
	TEXT_LAYOUTS = RAW | LATENCY | WAKEUP | TS_DIFF | NO_FLAGS,
	EXPORTS = JSON | CSV | EXPORT_TEXT | FIELDS,
};

static int open_text(const struct report_run *run, size_t n, struct tfs_view **view,
		     struct tfs_err *err)
{
	const struct report_request *req = run->req;
	const struct report_sources *s = run->sources;
	const struct tfs_text_opts opts = {
		.raw = req->raw,
		.latency = req->latency,
		.nsecs = req->nsecs,
		.no_flags = req->no_flags,
		.color = req->color == REPORT_COLOR_ALWAYS,
		.raw_ts = req->raw_ts,
		.file = s->n > 1 ? s->v[n].name : NULL,
		.name_width = s->name_width,
		.diff = req->ts_diff,
		.wakeup = run->wakeup,
	};

	(void)err;
	return tfs_text_new(run->traces[n], &opts, view);
}

static const enum tfs_export_style export_styles[] = {
	[REPORT_EXPORT_NONE] = TFS_EXPORT_TAB,
	[REPORT_EXPORT_JSON] = TFS_EXPORT_JSON,
	[REPORT_EXPORT_CSV] = TFS_EXPORT_CSV,
};

static int open_export(const struct report_run *run, size_t n, struct tfs_view **view,
		       struct tfs_err *err)
{
	const struct report_request *req = run->req;
	const struct tfs_export_opts opts = {
		.style = export_styles[req->export],
		.columns = &req->fields,
		.text = req->export_text,
		.inert = req->terminal,
		.raw_ts = req->raw_ts,
		.traces = run->traces,
		.n_traces = run->sources->n,
		.own = n,
		.file = run->sources->v[n].name,
	};

	return tfs_export_new(&opts, view, err);
}

static int open_count(const struct report_run *run, size_t n, struct tfs_view **view,
		      struct tfs_err *err)
{
	const struct report_sources *s = run->sources;
	const char **files = calloc(s->n, sizeof(char *));
	const struct tfs_count_opts opts = {
		.rows = {
			.style = export_styles[run->req->export],
			.columns = &run->req->by,
			.inert = run->req->terminal,
			.traces = run->traces,
			.n_traces = s->n,
		},
		.files = files,
		.top = run->req->top,
	};
	int rc;

	(void)n;
	if (!files)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		files[i] = s->v[i].name;
	rc = tfs_count_new(&opts, view, err);
	free(files);
	return rc;
}

/*
 * Lines that depend on others are a view of their own: the latency format, and calls of
 * function_graph, which a recording that is still being made may hold later only.
 */
static int open_kernel(const struct report_run *run, size_t n, struct tfs_view **view,
		       struct tfs_err *err)
{
	struct tfs_kernel_view_opts opts = { .latency = run->req->latency };
	const struct report_source *src = &run->sources->v[n];
	int rc;

	if (run->req->follow)
		return tfs_kernel_lines_new(src->trace, view);
	rc = tfs_kernel_view_has_graph(&src->input, err);
	if (rc < 0)
		return rc;
	opts.graph = rc;
	return opts.graph || opts.latency ? tfs_kernel_view_new(src->trace, &opts, view) :
					    tfs_kernel_lines_new(src->trace, view);
}

/* The kernel's lines are one layout of one recording. */
static int check_kernel(const struct report_request *req, struct tfs_err *err)
{
	if (req->latency && req->follow)
		return tfs_err_say(
			err, -EINVAL,
			"-l with --kernel marks a line by the next one's time; leave out "
			"--follow");
	if (req->n_inputs > 1)
		return tfs_err_say(err, -EINVAL, "--kernel shows one recording at a time");
	return 0;
}

static int check_export(const struct report_request *req, struct tfs_err *err)
{
	if (!req->export_text || !req->fields.n)
		return 0;
	tfs_err_say(err, -EINVAL, "%s=text has no meaning with --fields",
		    req->export == REPORT_EXPORT_JSON ? "--json" : "--csv");
	tfs_err_hint(err, "--fields=...,text");
	return -EINVAL;
}

static int open_stat(const struct report_run *run, size_t n, struct tfs_view **view,
		     struct tfs_err *err)
{
	(void)err;
	return tfs_stat_new(run->traces[n], (enum tfs_stat_kind)run->view->kind, view);
}

/* Information that needs no events */
static int show_info(const struct report_run *run, struct tfs_err *err)
{
	const char *events = run->view->kind == TFS_INFO_FORMATS ? run->req->formats : NULL;
	int rc = 0;

	for (size_t i = 0; i < run->sources->n && !rc; i++)
		rc = tfs_info_print(run->traces[i], (enum tfs_info)run->view->kind, events,
				    run->out, err);
	return rc;
}

static int show_cpus(const struct report_run *run, struct tfs_err *err)
{
	const struct report_request *req = run->req;
	struct tfs_bounds_opts bounds = {
		.first = req->first_event,
		.last = req->last_event,
		.nsecs = req->nsecs,
		.raw_ts = req->raw_ts,
		.no_date = req->no_date,
	};
	int rc = 0;

	for (size_t i = 0; i < run->sources->n && !rc; i++) {
		bounds.unit = run->sources->v[i].merge.unit;
		rc = tfs_bounds_print(run->traces[i], &bounds, run->out, err);
	}
	return rc;
}

static int check_events(const struct report_run *run, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < run->sources->n && !rc; i++)
		rc = tfs_info_check_events(run->traces[i], err);
	return rc;
}

#define STAT_ROW(name, flag, of_kind)                                                              \
	{                                                                                          \
		.option = name, .flags = flag, .without = EXPORTS | KERNEL_LINES, .kind = of_kind, \
		.open = open_stat                                                                  \
	}
#define INFO_ROW(name, flag, of_kind)                                                              \
	{                                                                                          \
		.option = name, .flags = flag, .without = EXPORTS | KERNEL_LINES, .kind = of_kind, \
		.show = show_info                                                                  \
	}

static const struct report_view views[] = {
	[TEXT] = {
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_FOLLOWS | REPORT_INERT |
			 REPORT_TEXT,
		.open = open_text,
	},
	[EXPORT] = {
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_FOLLOWS | REPORT_INERT,
		.without = TEXT_LAYOUTS | COLOR,
		.check = check_export,
		.open = open_export,
	},
	[KERNEL] = {
		.option = "--kernel",
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_FOLLOWS | REPORT_INERT,
		.without = EXPORTS | (TEXT_LAYOUTS & ~LATENCY) | COLOR | COMPAT | TIMES |
			   PLUGINS,
		.check = check_kernel,
		.open = open_kernel,
	},
	[COUNT_BY] = {
		.option = "--count-by",
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_ONE_VIEW | REPORT_INERT |
			 REPORT_TYPED,
		.without = TEXT_LAYOUTS | COLOR | EXPORT_TEXT | FIELDS | KERNEL_LINES,
		.open = open_count,
	},
	[GRAPH] = {
		.option = "--graph",
		.flags = REPORT_EVENTS | REPORT_NAMES | REPORT_TYPED | REPORT_IRQS,
		.without = TEXT_LAYOUTS | EXPORT_TEXT | FIELDS | KERNEL_LINES,
		.check = report_graph_check,
		.show = report_graph_show,
	},
	[STAT] = STAT_ROW("--stat", REPORT_EVENTS, TFS_STAT_ALL),
	[STAT_KERNEL] = STAT_ROW("--stat=kernel", 0, TFS_STAT_KERNEL),
	[UNAME] = STAT_ROW("--uname", 0, TFS_STAT_UNAME),
	[VERSION] = STAT_ROW("--version", REPORT_NO_FILE, TFS_STAT_VERSION),
	[CPUS] = {
		.option = "--cpus",
		.without = EXPORTS | KERNEL_LINES,
		.show = show_cpus,
	},
	[EVENTS] = INFO_ROW("-E", 0, TFS_INFO_EVENTS),
	[PRINTK] = INFO_ROW("-P", 0, TFS_INFO_PRINTK),
	[FUNCTIONS] = INFO_ROW("-f", 0, TFS_INFO_FUNCTIONS),
	[CHECK_EVENTS] = {
		.option = "--check-events",
		.without = EXPORTS | KERNEL_LINES,
		.show = check_events,
	},
	[FORMATS] = INFO_ROW("--events", REPORT_TYPED, TFS_INFO_FORMATS),
	[ENDIAN] = INFO_ROW("-e", 0, TFS_INFO_ENDIAN),
	[PAGE_SIZE] = INFO_ROW("-p", 0, TFS_INFO_PAGE_SIZE),
};

static void ask(struct report_request *req, int view)
{
	if (!req->view || req->view < &views[view])
		req->view = &views[view];
}

/* The row's value is the view. */
static int on_view(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	(void)arg;
	(void)err;
	ask(request, opt->value);
	return 0;
}

static int on_stat(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	(void)opt;
	if (arg && strcmp(arg, "kernel")) {
		tfs_err_say(err, -EINVAL, "'%s' is not a kind of statistics", arg);
		tfs_err_hint(err, "--stat, or --stat=kernel for trace-cmd's text alone");
		return -EINVAL;
	}
	ask(request, arg ? STAT_KERNEL : STAT);
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

	ask(req, opt->value);
	return add_names(&req->by, arg, err);
}

static int on_graph(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct report_request *req = request;

	(void)opt;
	ask(req, GRAPH);
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
	ask(request, CPUS);
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
	ask(req, FORMATS);
	return 0;
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
	{ 0, "by-task", NULL, "each outermost call in one piece, not as the CPUs ran", TC_OPT_FLAG,
	  AT(graph.by_task) },
	{ 0, "summary", NULL, "a table of functions and their durations", TC_OPT_FLAG,
	  AT(graph.summary) },
	{ .type = TC_OPT_GROUP, .help = "Tables instead of events" },
	{ 0, "count-by", "FIELD,...", "how many events have the same: comm,event,next_pid",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_view_by, .value = COUNT_BY, .complete = "none" },
	{ 0, "top", "N", "only the first N rows of the table", TC_OPT_U64, AT(top), .min = 1,
	  .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "Information about the file" },
	{ 0, "uname", NULL, "the machine and the program that made the recording", TC_OPT_CALL,
	  .call = on_view, .value = UNAME },
	{ 0, "version", NULL, "the program that made FILE; without FILE, that of tc-report",
	  TC_OPT_CALL, .call = on_view, .value = VERSION },
	{ 'e', "endian", NULL, "byte order", TC_OPT_CALL, .call = on_view, .value = ENDIAN },
	{ 'p', "page-size", NULL, "size of the sub-buffers", TC_OPT_CALL, .call = on_view,
	  .value = PAGE_SIZE },
	{ 'f', "functions", NULL, "addresses and names of the kernel's functions", TC_OPT_CALL,
	  .call = on_view, .value = FUNCTIONS },
	{ 'P', "printk", NULL, "addresses and texts of trace_printk()", TC_OPT_CALL,
	  .call = on_view, .value = PRINTK },
	{ 'E', "list-events", NULL, "names of the events", TC_OPT_CALL, .call = on_view,
	  .value = EVENTS },
	{ 0, "events", NULL, "formats of the events", TC_OPT_CALL, .call = on_view,
	  .value = FORMATS },
	{ 0, "event", "REGEX", "formats of the events (SYSTEM:EVENT) that match", TC_OPT_CALL,
	  .call = on_event, .complete = "event" },
	{ 0, "check-events", NULL, "exit with a failure if a format cannot be parsed", TC_OPT_CALL,
	  .call = on_view, .value = CHECK_EVENTS },
	{ 0, "cpus", NULL, "CPUs that recorded something", TC_OPT_CALL, .call = on_view,
	  .value = CPUS },
	{ 0, "first-event", NULL, "as --cpus, with the time of each CPU's first event", TC_OPT_CALL,
	  AT(first_event), .call = on_bound },
	{ 0, "last-event", NULL, "as --cpus, with the time of each CPU's last event", TC_OPT_CALL,
	  AT(last_event), .call = on_bound },
	{ 0, "stat", "kernel", "statistics for each CPU; =kernel: only the kernel's", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG, .call = on_stat, .complete = "none" },
	TC_OPT_END,
};

struct asked {
	const char *option;
	unsigned int bit; /* enum report_layout */
	bool on;
};

/* The first option given that has no meaning with @without; NULL: none */
static const char *find_meaningless(const struct report_request *req, unsigned int without)
{
	const struct asked layouts[] = {
		{ "-R", RAW, req->raw },
		{ "-l", LATENCY, req->latency },
		{ "-w", WAKEUP, req->wakeup },
		{ "--ts-diff", TS_DIFF, req->ts_diff },
		{ "--no-flags", NO_FLAGS, req->no_flags },
		{ "--color", COLOR, req->color == REPORT_COLOR_ALWAYS },
		{ "--json=text", EXPORT_TEXT,
		  req->export_text && req->export == REPORT_EXPORT_JSON },
		{ "--csv=text", EXPORT_TEXT, req->export_text && req->export == REPORT_EXPORT_CSV },
		{ "--json", JSON, req->export == REPORT_EXPORT_JSON },
		{ "--csv", CSV, req->export == REPORT_EXPORT_CSV },
		{ "--fields", FIELDS, req->fields.n },
		{ "--kernel", KERNEL_LINES, req->kernel },
		{ "--compat", COMPAT, req->compat },
		{ "-t", TIMES, req->nsecs },
		{ "--raw-ts", TIMES, req->raw_ts },
		{ "-r", PLUGINS, req->raw_events.n },
		{ "-n", PLUGINS, req->plain_events.n },
		{ "-L", PLUGINS, req->local_plugins },
		{ "-O", PLUGINS, req->plugin_options.n },
		{ "--plugins", PLUGINS, req->plugins },
	};

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].on && layouts[i].bit & without)
			return layouts[i].option;
	return NULL;
}

/* Options that belong to a view */
static int check_owners(const struct report_request *req, struct tfs_err *err)
{
	const struct report_graph *g = &req->graph;
	const struct {
		const char *option;
		int view;
		bool on;
	} own[] = {
		{ "--caller", GRAPH, g->callers.n }, { "--pair", GRAPH, g->pairs.n },
		{ "--depth", GRAPH, g->depth },      { "--min-duration", GRAPH, g->min_duration },
		{ "--by-task", GRAPH, g->by_task },  { "--summary", GRAPH, g->summary },
	};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (own[i].on && req->view != &views[own[i].view])
			return tfs_err_say(err, -EINVAL, "%s has a meaning only with %s",
					   own[i].option, views[own[i].view].option);
	return 0;
}

/* The name of the view in messages: for an export the option that asks for it */
static const char *option_of(const struct report_request *req)
{
	if (req->view->option)
		return req->view->option;
	return req->export == REPORT_EXPORT_JSON ? "--json" :
	       req->export == REPORT_EXPORT_CSV  ? "--csv" :
						   "--fields";
}

int report_view_check(struct report_request *req, struct tfs_err *err)
{
	const char *other;
	int rc;

	if (!req->view)
		ask(req, req->kernel ? KERNEL : req->export || req->fields.n ? EXPORT : TEXT);
	rc = check_owners(req, err);
	if (rc)
		return rc;
	other = find_meaningless(req, req->view->without);
	if (other)
		return tfs_err_say(err, -EINVAL, "%s has no meaning with %s", other,
				   option_of(req));
	return req->view->check ? req->view->check(req, err) : 0;
}

static unsigned int jobs(const struct report_request *req)
{
	cpu_set_t mine;
	long n;

	if (req->jobs)
		return (unsigned int)req->jobs;
	/* A machine may have more processors than the set has room for. */
	n = sched_getaffinity(0, sizeof(mine), &mine) ? sysconf(_SC_NPROCESSORS_ONLN) :
							CPU_COUNT(&mine);
	if (n < 1)
		n = 1;
	return n > JOBS_DEFAULT_MAX ? JOBS_DEFAULT_MAX : (unsigned int)n;
}

/* The views of all recordings, as one */
static int open_merged(const struct report_run *run, struct tfs_view **out, struct tfs_err *err)
{
	size_t n = run->view->flags & REPORT_ONE_VIEW ? 1 : run->sources->n;
	struct tfs_view **v = calloc(n, sizeof(struct tfs_view *));
	int rc = v ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !rc; i++)
		rc = run->view->open(run, i, &v[i], err);
	if (!rc && n > 1)
		rc = tfs_combined_new(v, n, out);
	else if (!rc)
		*out = v[0];
	for (size_t i = 0; rc && v && i < n; i++)
		tfs_view_free(v[i]);
	free(v);
	return rc;
}

static int show_merged(struct report_run *run, struct tfs_err *err)
{
	const struct report_source *first = &run->sources->v[0];
	struct tfs_run_input *inputs = calloc(run->sources->n, sizeof(*inputs));
	struct tfs_run_opts opts = run->sources->run;
	/* trace-cmd takes them for nanoseconds. */
	bool counts = !run->req->compat &&
		      tfs_trace_counts(first->trace, first->merge.raw_ts, first->merge.unit);
	struct tfs_wakeup *wakeup = NULL;
	struct tfs_view *view = NULL;
	int rc = inputs ? 0 : -ENOMEM;

	opts.inputs = inputs;
	opts.jobs = jobs(run->req);
	for (; !rc && opts.n < run->sources->n; opts.n++)
		inputs[opts.n] = run->sources->v[opts.n].input;
	if (!rc && run->req->wakeup)
		rc = tfs_wakeup_new(first->trace, counts ? TFS_WAKEUP_COUNTS : TFS_WAKEUP_TIMES,
				    &wakeup);
	if (!rc)
		run->wakeup = inputs[0].wakeup = wakeup;
	if (!rc)
		rc = open_merged(run, &view, err);
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot prepare the report");
	else if (!rc)
		rc = tfs_run(view, run->out, &opts, err);
	tfs_view_free(view);
	tfs_wakeup_free(wakeup);
	free(inputs);
	return rc;
}

/* One recording after the other */
static int show_each(const struct report_run *run, struct tfs_err *err)
{
	struct report_sources *s = run->sources;
	struct tfs_view *view = NULL;
	struct tfs_run_opts opts = s->run;
	int rc = 0;

	opts.n = 1;

	for (size_t i = 0; i < s->n && !rc; i++) {
		if (s->n > 1)
			rc = tfs_out_printf(run->out, "%*s: ", s->name_width, s->v[i].name);
		if (rc)
			return tfs_err_set(err, rc, "cannot write the report");
		opts.inputs = &s->v[i].input;
		view = NULL;
		rc = run->view->open(run, i, &view, err);
		if (rc == -ENOMEM)
			tfs_err_set(err, rc, "cannot prepare the report");
		else if (!rc)
			rc = tfs_run(view, run->out, &opts, err);
		tfs_view_free(view);
	}
	return rc;
}

int report_view_show(const struct report_request *req, struct report_sources *s,
		     struct tfs_out *out, struct tfs_err *err)
{
	struct tfs_trace **traces = calloc(s->n, sizeof(struct tfs_trace *));
	struct report_run run = {
		.req = req, .sources = s, .out = out, .view = req->view, .traces = traces
	};
	int rc;

	if (!traces)
		return tfs_err_set(err, -ENOMEM, "cannot prepare the report");
	for (size_t i = 0; i < s->n; i++)
		traces[i] = s->v[i].trace;
	rc = req->view->show                  ? req->view->show(&run, err) :
	     req->view->flags & REPORT_MERGED ? show_merged(&run, err) :
						show_each(&run, err);
	free(traces);
	return rc;
}
