/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-opts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/num.h"
#include "decode/event-regex.h"
#include "tc-report-views.h"

#define DEFAULT_INPUT "trace.dat"

static int on_filter(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct report_request *req = request;
	int rc = tfs_strvec_push(&req->filters, arg);

	(void)opt;
	if (!rc && !req->negate)
		req->n_filters = req->filters.n;
	return rc ? tfs_err_set(err, rc, "cannot keep the filter") : 0;
}

static int add_input(struct report_request *req, const char *path, struct tfs_err *err)
{
	struct report_input *v = reallocarray(req->inputs, req->n_inputs + 1, sizeof(*v));

	if (!v)
		return tfs_err_set(err, -ENOMEM, "cannot prepare the report");
	req->inputs = v;
	v[req->n_inputs++] = (struct report_input){ path, req->ts_offset, 0 };
	return 0;
}

static int on_input(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	(void)opt;
	return add_input(request, arg, err);
}

/* --json[=text], --csv[=text] */
static int on_export(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	enum report_export rows = (enum report_export)opt->value;
	struct report_request *req = request;

	if (arg && strcmp(arg, "text"))
		return tfs_err_say(err, -EINVAL, "'%s': --%s takes nothing, or =text", arg,
				   opt->name);
	if (req->export && req->export != rows)
		return tfs_err_say(err, -EINVAL, "--json and --csv are two kinds of output");
	req->export = rows;
	req->export_text |= arg != NULL;
	return 0;
}

static int on_color(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	static const char *const names[] = {
		[REPORT_COLOR_AUTO] = "auto",
		[REPORT_COLOR_ALWAYS] = "always",
		[REPORT_COLOR_NEVER] = "never",
	};
	struct report_request *req = request;
	size_t i;

	(void)opt;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(arg ? arg : "always", names[i]) != 0)
			continue;
		req->color = (enum report_color)i;
		return 0;
	}
	return tfs_err_say(err, -EINVAL, "'%s' is not auto, always or never", arg);
}

/* Applies to the file before it; before the first file, to all. */
static int on_ts_offset(void *request, const struct tc_option *opt, const char *arg,
			struct tfs_err *err)
{
	struct report_request *req = request;
	int64_t *offset = req->n_inputs ? &req->inputs[req->n_inputs - 1].ts_offset :
					  &req->ts_offset;

	(void)opt;
	return tfs_parse_s64(arg, INT64_MIN, INT64_MAX, offset, err);
}

/* As in trace-cmd: after the second -i, for that file; else for all files without their own. */
static int on_ts2secs(void *request, const struct tc_option *opt, const char *arg,
		      struct tfs_err *err)
{
	struct report_request *req = request;
	double *unit = req->n_inputs > 1 ? &req->inputs[req->n_inputs - 1].ts_unit : &req->ts_unit;
	uint64_t hz;
	int rc = tfs_parse_u64(arg, 1, UINT64_MAX, &hz, err);

	(void)opt;
	if (!rc)
		*unit = 1e9 / (double)hz;
	return rc;
}

#define AT(member) .offset = offsetof(struct report_request, member)

static const char notices[] = "errors are always printed, and notices without -q";

const struct tc_option report_options[] = {
	{ .type = TC_OPT_GROUP, .help = "Selecting events" },
	{ 'i', "input", "FILE", "recording to read (trace.dat); several are merged by time",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_input, .complete = "file" },
	{ 0, "select", "GLOB", "only these events: EVENT, SYSTEM, SYSTEM:EVENT, globs", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(events), .complete = "event" },
	{ 'F', "filter", "EVENTS[:EXPR]", "only these events, whose fields satisfy EXPR",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_filter, .complete = "event" },
	{ 'v', "invert", NULL, "hide what the following -F filters match", TC_OPT_FLAG, TC_OPT_ONCE,
	  AT(negate) },
	{ 'T', "filter-test", NULL, "print how each -F is understood, instead of events",
	  TC_OPT_FLAG, AT(test_filters) },
	{ 'I', "no-hardirq", NULL, "hide events in hardware interrupts", TC_OPT_FLAG,
	  AT(no_hardirq) },
	{ 'S', "no-softirq", NULL, "hide events in software interrupts", TC_OPT_FLAG,
	  AT(no_softirq) },
	{ 'B', "buffer", "NAME", "only this instance; \"\" is the top buffer", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(buffers), .complete = "none" },
	{ 'C', "cpu", "LIST", "only these CPUs: 0-3,8", TC_OPT_CPUS, TC_OPT_REPEATS, AT(cpus),
	  .complete = "cpu" },
	{ 0, "host", "GLOB", "only the recordings of these hosts", TC_OPT_LIST, TC_OPT_REPEATS,
	  AT(hosts), .complete = "none" },
	{ 0, "pid", "LIST", "only events of these tasks or that name them", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(pids), .complete = "pid" },
	{ 0, "comm", "GLOB", "as --pid, for all tasks with a matching name", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(comms), .complete = "none" },
	{ 0, "children", NULL, "with --pid or --comm: also their children", TC_OPT_FLAG,
	  AT(children) },
	{ 0, "time", "RANGE", "only this time: FROM,TO; +5s, -5s; 10%-20%, 10%/2", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(times), .complete = "none" },
	{ 0, "after", "EVENTS[:EXPR]", "begin with the first event that matches, as in -F",
	  TC_OPT_STRING, AT(after), .complete = "event" },
	{ 0, "until", "EVENTS[:EXPR]", "end with the first event that matches, as in -F",
	  TC_OPT_STRING, AT(until), .complete = "event" },
	{ 0, "max-events", "N", "stop after N events", TC_OPT_U64, AT(max_events), .min = 1,
	  .complete = "none" },
	{ 0, "follow", NULL, "show a recording while it is being made, until it ends", TC_OPT_FLAG,
	  AT(follow) },
	{ 0, "fail-on-lost", NULL, "fail if any event was lost", TC_OPT_FLAG, AT(fail_on_lost) },
	{ .type = TC_OPT_TABLE, .table = report_view_options },
	{ .type = TC_OPT_GROUP, .help = "Output format" },
	{ 0, "kernel", NULL, "as in the kernel's file 'trace'", TC_OPT_FLAG, AT(kernel) },
	{ 'R', "raw", NULL, "all fields as name=value", TC_OPT_FLAG, AT(raw) },
	{ 'r', "raw-events", "REGEX", "these events as with -R; whole name of event or system",
	  TC_OPT_LIST, TC_OPT_REPEATS, AT(raw_events), .complete = "event" },
	{ 'n', "no-handler", "REGEX", "these events by their formats, not by plugins", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(plain_events), .complete = "event" },
	{ 'w', "wakeup", NULL, "how long tasks waited between wakeup and running", TC_OPT_FLAG,
	  AT(wakeup) },
	{ 'l', "latency-format", NULL, "the latency format", TC_OPT_FLAG, AT(latency) },
	{ 0, "no-flags", NULL, "no column of flags, as trace-cmd before 3.2", TC_OPT_FLAG,
	  AT(no_flags) },
	{ 0, "compat", NULL, "trace-cmd's text byte for byte, wrong values included", TC_OPT_FLAG,
	  AT(compat) },
	{ 0, "color", "WHEN", "color: auto (on a terminal), always, never", TC_OPT_CALL,
	  TC_OPT_REPEATS | TC_OPT_OPTIONAL_ARG, .call = on_color, .complete = "none" },
	{ 't', "nanoseconds", NULL, "time stamps with all digits", TC_OPT_FLAG, AT(nsecs) },
	{ 0, "raw-ts", NULL, "time stamps as recorded, uncorrected", TC_OPT_FLAG, AT(raw_ts) },
	{ 0, "nodate", NULL, "ignore the correction of tc-record --date", TC_OPT_FLAG,
	  AT(no_date) },
	{ 0, "user-symbols", NULL, "user stacks and uprobes with names of functions", TC_OPT_FLAG,
	  AT(user_symbols) },
	{ 0, "ts-diff", NULL, "after the time stamp, the time since the line before", TC_OPT_FLAG,
	  AT(ts_diff) },
	{ 0, "ts-check", NULL, "report time stamps that go backwards on a CPU", TC_OPT_FLAG,
	  AT(ts_check) },
	{ 0, "align-ts", NULL, "subtract the first event's time stamp", TC_OPT_FLAG, AT(align_ts) },
	{ 0, "ts2secs", "HZ", "convert time stamps of a clock with this frequency", TC_OPT_CALL,
	  TC_OPT_REPEATS, .call = on_ts2secs, .complete = "none" },
	{ 0, "ts-offset", "NS", "add this to all time stamps of the preceding FILE", TC_OPT_CALL,
	  TC_OPT_REPEATS, .call = on_ts_offset, .complete = "none" },
	{ 0, "no-clocks", NULL, "merge by time stamps as recorded, whatever clocks they are of",
	  TC_OPT_FLAG, AT(no_clocks) },
	{ 0, "messages", "SEND,RECEIVE,KEY",
	  "count receives that are shown before their sends: events with the same value of KEY",
	  TC_OPT_LIST, TC_OPT_REPEATS, AT(messages), .complete = "none" },
	{ 0, "json", "text", "one object per line; =text: with the event text", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG, .call = on_export, .value = REPORT_EXPORT_JSON, .complete = "none" },
	{ 0, "csv", "text", "comma-separated values; =text: event text, no fields", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG, .call = on_export, .value = REPORT_EXPORT_CSV, .complete = "none" },
	{ 0, "fields", "LIST", "these columns: time,cpu,comm,event,next_pid", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(fields), .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "Plugins and symbols" },
	{ 'N', "no-plugins", NULL, "load none", TC_OPT_FLAG, AT(no_plugins) },
	{ 'L', "local-plugins", NULL, "load only those in your home directory", TC_OPT_FLAG,
	  AT(local_plugins) },
	{ 'O', "plugin-option", "[PLUGIN:]OPTION[=VALUE]", "set a plugin's option", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(plugin_options), .complete = "none" },
	{ 0, "kallsyms", "FILE", "additional symbols, as in /proc/kallsyms", TC_OPT_STRING,
	  AT(kallsyms), .complete = "file" },
	{ 0, "plugins", "DIR", "also load those in DIR; \"tracecraft\": its own", TC_OPT_STRING,
	  AT(plugins), .complete = "file" },
	{ .type = TC_OPT_GROUP, .help = "Other options" },
	{ 'j', "jobs", "N", "number of threads (default: one per CPU, at most 8)", TC_OPT_U64,
	  AT(jobs), .min = 1, .max = 64, .complete = "none" },
	{ 0, "no-pager", NULL, "write to the terminal directly", TC_OPT_FLAG, AT(no_pager) },
	{ 0, "raw-output", NULL, "do not escape control characters on a terminal", TC_OPT_FLAG,
	  AT(raw_output) },
	{ 0, "escape", NULL, "escape them in pipes and files, too, and formulas in CSV",
	  TC_OPT_FLAG, AT(escape) },
	{ 'q', "quiet", NULL, "print errors only, no notices", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_WITHOUT('H', NULL, "--pair with --graph or --latency joins two events"),
	TC_OPT_WITHOUT('G', NULL, "--latency adds up the interrupts of all tasks"),
	TC_OPT_WITHOUT(0, "by-comm", "--flame and --folded add up tasks with the same name"),
	TC_OPT_WITHOUT('V', "verbose", notices),
	TC_OPT_WITHOUT(0, "debug", notices),
	TC_OPT_WITHOUT(0, "boundary", "--stat counts the bytes of sub-buffers"),
	TC_OPT_END_ANY_ORDER,
};

void report_release(void *request)
{
	struct report_request *req = request;

	tfs_strvec_release(&req->events);
	tfs_strvec_release(&req->pids);
	tfs_strvec_release(&req->comms);
	tfs_strvec_release(&req->filters);
	tfs_strvec_release(&req->buffers);
	tfs_strvec_release(&req->fields);
	tfs_strvec_release(&req->plugin_options);
	tfs_strvec_release(&req->times);
	tfs_strvec_release(&req->by);
	tfs_strvec_release(&req->hosts);
	tfs_strvec_release(&req->messages);
	tfs_strvec_release(&req->graph.funcs);
	tfs_strvec_release(&req->graph.callers);
	tfs_strvec_release(&req->graph.pairs);
	free(req->inputs);
	tfs_strvec_release(&req->raw_events);
	tfs_strvec_release(&req->plain_events);
}

/* -r, -n: a bad expression is refused before any recording is opened. */
static int check_expressions(const struct tfs_strvec *list, const char *option, struct tfs_err *err)
{
	struct tfs_event_regex re;
	int rc = 0;

	for (size_t i = 0; i < list->n && !rc; i++) {
		rc = tfs_event_regex_init(&re, list->v[i], '\n', TFS_REGEX_WHOLE, err);
		if (!rc)
			tfs_event_regex_release(&re);
	}
	if (rc)
		tfs_err_prefix(err, "%s", option);
	return rc;
}

/* With --graph an operand is a function, unless no function can have that name. */
static bool is_file(const struct report_request *req, const char *operand)
{
	size_t len = strlen(operand);

	return !req->view || !(req->view->flags & REPORT_NAMES) || strchr(operand, '/') ||
	       (len > 4 && !strcmp(operand + len - 4, ".dat"));
}

static int take_operand(struct report_request *req, const char *operand, struct tfs_err *err)
{
	int rc;

	if (is_file(req, operand))
		return add_input(req, operand, err);
	rc = tfs_strvec_split(&req->graph.funcs, operand, ",");
	return rc ? tfs_err_set(err, rc, "cannot keep the names") : 0;
}

/* Options for one recording only */
static int check_single(const struct report_request *req, struct tfs_err *err)
{
	if (req->wakeup && req->n_inputs > 1)
		return tfs_err_say(err, -EINVAL, "-w works for one recording at a time");
	if ((req->after || req->until) && req->n_inputs > 1)
		return tfs_err_say(err, -EINVAL, "%s works for one recording at a time",
				   req->after ? "--after" : "--until");
	if (req->messages.n && req->n_inputs < 2)
		return tfs_err_say(err, -EINVAL, "--messages compares several recordings");
	return 0;
}

int report_check(struct report_request *req, int argc, char **argv, struct tfs_err *err)
{
	int rc = 0;

	for (int i = 0; i < argc && !rc; i++)
		rc = take_operand(req, argv[i], err);
	req->named = req->n_inputs;
	if (!rc && !req->n_inputs)
		rc = add_input(req, DEFAULT_INPUT, err);
	if (!rc && req->stacks.diff)
		rc = add_input(req, req->stacks.diff, err);
	if (rc)
		return rc;
	rc = check_single(req, err);
	if (rc)
		return rc;
	if (req->user_symbols && req->raw)
		return tfs_err_say(err, -EINVAL, "--user-symbols has no meaning with -R");
	if (req->children && !req->pids.n && !req->comms.n)
		return tfs_err_say(err, -EINVAL, "--children needs --pid or --comm");
	if (req->follow && (req->n_inputs > 1 || req->times.n || req->align_ts ||
			    (req->view && !(req->view->flags & REPORT_FOLLOWS)))) {
		tfs_err_say(err, -EINVAL, "--follow shows the events of one recording");
		tfs_err_hint(
			err,
			"leave out --follow, or the other files, --time, --align-ts, --stat ...");
		return -EINVAL;
	}
	if (req->no_plugins && req->plugins)
		return tfs_err_say(err, -EINVAL, "-N loads no plugins, --plugins does");
	rc = check_expressions(&req->raw_events, "-r", err);
	if (!rc)
		rc = check_expressions(&req->plain_events, "-n", err);
	return rc ? rc : report_view_check(req, err);
}
