/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-file-select.h"

#include <errno.h>

#include "base/err.h"
#include "decode/clock.h"
#include "decode/prefix.h"
#include "decode/trace.h"
#include "filter/select.h"
#include "filter/time-range.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-time.h"
#include "tracedat/seek.h"

#define AT(member) .offset = offsetof(struct file_selection, member)

static int on_filter(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct file_selection *s = request;
	int rc = tfs_strvec_push(&s->filters, arg);

	(void)opt;
	if (!rc && !s->negate)
		s->n_filters = s->filters.n;
	return rc ? tfs_err_set(err, rc, "cannot keep the filter") : 0;
}

const struct tc_option file_selection_options[] = {
	{ 0, "time", "RANGE", "only this time: FROM,TO; +5s, -5s; 10%-20%, 10%/2", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(times), .complete = "none" },
	{ 0, "select", "GLOB", "only these events: EVENT, SYSTEM, SYSTEM:EVENT, globs", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(events), .complete = "event" },
	{ 'F', "filter", "EVENTS[:EXPR]", "only these events, whose fields satisfy EXPR",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_filter, .complete = "event" },
	{ 'v', "invert", NULL, "leave out what the following -F filters match", TC_OPT_FLAG,
	  TC_OPT_ONCE, AT(negate) },
	{ 'B', "buffer", "NAME", "only this instance; \"\" is the top buffer", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(buffers), .complete = "none" },
	{ 'C', "cpu", "LIST", "only these CPUs: 0-3,8", TC_OPT_CPUS, TC_OPT_REPEATS, AT(cpus),
	  .complete = "cpu" },
	{ 0, "pid", "LIST", "only events of these tasks or that name them", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(pids), .complete = "pid" },
	{ 0, "comm", "GLOB", "as --pid, for all tasks with a matching name", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(comms), .complete = "none" },
	{ 0, "children", NULL, "with --pid or --comm: also their children", TC_OPT_FLAG,
	  AT(children) },
	TC_OPT_END,
};

void file_selection_release(struct file_selection *s)
{
	tfs_strvec_release(&s->times);
	tfs_strvec_release(&s->events);
	tfs_strvec_release(&s->filters);
	tfs_strvec_release(&s->pids);
	tfs_strvec_release(&s->comms);
	tfs_strvec_release(&s->buffers);
}

int file_selection_new(const struct file_selection *s, struct tfs_trace *trace,
		       struct tfs_select **select, struct tfs_err *err)
{
	const struct tfs_select_opts opts = {
		.events = &s->events,
		.filters = &s->filters,
		.n_filters = s->n_filters,
		.pids = &s->pids,
		.comms = &s->comms,
		.children = s->children,
		.buffers = &s->buffers,
		.cpus = &s->cpus,
	};

	return tfs_select_new(trace, &opts, select, err);
}

int file_selection_times(const struct file_selection *s, struct tfs_trace *trace,
			 struct tfs_time_ranges *ranges, struct tfs_err *err)
{
	struct tfs_time_range_clock clock = {
		.format = tfs_trace_time_format(trace, TFS_TIME_USECS),
	};
	struct tfs_dat *dat = tfs_trace_dat(trace);
	struct tfs_dat_time *time = NULL;
	struct tfs_bounds b = { 0 };
	int rc;

	*ranges = (struct tfs_time_ranges){ 0 };
	if (!s->times.n)
		return 0;
	rc = tfs_dat_time_new(dat, &(struct tfs_dat_time_opts){ 0 }, &time, err);
	if (!rc)
		rc = tfs_seek_all_bounds(dat, time, &b, err);
	tfs_dat_time_free(time);
	if (rc < 0)
		return rc;
	clock.empty = !rc;
	clock.first = b.first;
	clock.last = b.last;
	rc = tfs_time_ranges_parse(&s->times, &clock, ranges, err);
	if (rc)
		tfs_err_prefix(err, "--time");
	return rc;
}

int file_selection_check(const struct tfs_select *select, struct tfs_err *err)
{
	struct tfs_strvec pids = TFS_STRVEC_INIT;
	int rc = tfs_select_unmatched_pids(select, &pids);

	if (rc)
		tfs_err_set(err, rc, "cannot select tasks");
	else if (pids.n)
		rc = tfs_err_say(err, -ENOENT, "--pid: the recording has no task %s", pids.v[0]);
	tfs_strvec_release(&pids);
	return rc;
}
