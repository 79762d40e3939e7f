/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-opts.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"

#define DEFAULT_INPUT "trace.dat"

static int on_stat(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct report_request *req = request;

	(void)opt;
	if (arg && strcmp(arg, "kernel")) {
		tfs_err_say(err, -EINVAL, "'%s' is not a kind of statistics", arg);
		tfs_err_hint(err, "--stat, or --stat=kernel for trace-cmd's text alone");
		return -EINVAL;
	}
	if (req->view != REPORT_UNAME)
		req->view = arg ? REPORT_STAT_KERNEL : REPORT_STAT;
	return 0;
}

static int on_uname(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct report_request *req = request;

	(void)opt;
	(void)arg;
	(void)err;
	req->view = REPORT_UNAME;
	return 0;
}

static int on_ts_offset(void *request, const struct tc_option *opt, const char *arg,
			struct tfs_err *err)
{
	struct report_request *req = request;

	(void)opt;
	return tfs_parse_s64(arg, INT64_MIN, INT64_MAX, &req->ts_offset, err);
}

#define AT(member) .offset = offsetof(struct report_request, member)

const struct tc_option report_options[] = {
	{ .type = TC_OPT_GROUP, .help = "What to show" },
	{ 'i', "input", "FILE", "recording to read (trace.dat); also as the operand", TC_OPT_STRING,
	  AT(input), .complete = "file" },
	{ 0, "events", "GLOB", "only these: event, system, SYSTEM:EVENT, globs", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(events), .complete = "event" },
	{ 0, "cpu", "LIST", "only these CPUs: 0-3,8", TC_OPT_CPUS, TC_OPT_REPEATS, AT(cpus),
	  .complete = "cpu" },
	{ 0, "pid", "LIST", "only what these tasks did or had done to them", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(pids), .complete = "pid" },
	{ 0, "comm", "GLOB", "as --pid, for all tasks of these names", TC_OPT_LIST, TC_OPT_REPEATS,
	  AT(comms), .complete = "none" },
	{ 0, "stat", "kernel", "statistics of each CPU; =kernel: the kernel's alone", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG, .call = on_stat, .complete = "none" },
	{ 0, "uname", NULL, "the machine and program that made the recording", TC_OPT_CALL,
	  .call = on_uname },
	{ .type = TC_OPT_GROUP, .help = "How to show it" },
	{ 'R', "raw", NULL, "all fields as name=value", TC_OPT_FLAG, AT(raw) },
	{ 'l', "latency", NULL, "the latency format", TC_OPT_FLAG, AT(latency) },
	{ 0, "no-flags", NULL, "without the column of flags, as trace-cmd before 3.2", TC_OPT_FLAG,
	  AT(no_flags) },
	{ 't', "nanoseconds", NULL, "time stamps with all digits", TC_OPT_FLAG, AT(nsecs) },
	{ 0, "raw-ts", NULL, "time stamps as recorded, without any correction", TC_OPT_FLAG,
	  AT(raw_ts) },
	{ 0, "nodate", NULL, "without the correction that tc-record --date notes", TC_OPT_FLAG,
	  AT(no_date) },
	{ 0, "ts-offset", "NS", "add this to every time stamp", TC_OPT_CALL, .call = on_ts_offset,
	  .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "Plugins" },
	{ 'N', "no-plugins", NULL, "load none", TC_OPT_FLAG, AT(no_plugins) },
	{ 'L', "local-plugins", NULL, "load those in your home directory only", TC_OPT_FLAG,
	  AT(local_plugins) },
	{ 'O', "plugin-option", "[PLUGIN:]OPTION[=VALUE]", "set a plugin's option", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(plugin_options), .complete = "none" },
	{ 0, "plugins", "DIR", "load those in DIR too; \"tracecraft\": those that came with it",
	  TC_OPT_STRING, AT(plugins), .complete = "file" },
	{ .type = TC_OPT_GROUP, .help = "Else" },
	{ 0, "no-pager", NULL, "write to the terminal directly", TC_OPT_FLAG, AT(no_pager) },
	{ 'q', "quiet", NULL, "print errors only, no notices", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END_ANY_ORDER,
};

void report_release(void *request)
{
	struct report_request *req = request;

	tfs_strvec_release(&req->events);
	tfs_strvec_release(&req->pids);
	tfs_strvec_release(&req->comms);
	tfs_strvec_release(&req->plugin_options);
}

int report_check(struct report_request *req, int argc, char **argv, struct tfs_err *err)
{
	if (argc > 1) {
		tfs_err_say(err, -EINVAL, "'%s': one recording at a time", argv[1]);
		return -EINVAL;
	}
	if (argc && req->input) {
		tfs_err_say(err, -EINVAL, "'%s': the recording was named already with -i '%s'",
			    argv[0], req->input);
		return -EINVAL;
	}
	if (argc)
		req->input = argv[0];
	if (!req->input)
		req->input = DEFAULT_INPUT;
	if (req->no_plugins && req->plugins)
		return tfs_err_say(err, -EINVAL, "-N loads no plugins, --plugins does");
	return 0;
}
