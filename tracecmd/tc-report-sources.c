/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-sources.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "cli/msg.h"
#include "clock/clock-map.h"
#include "main.h"
#include "config.h"
#include "decode/clock.h"
#include "decode/guests.h"
#include "decode/trace.h"
#include "filter/filter.h"
#include "filter/select.h"
#include "pipeline/order-check.h"
#include "pipeline/timestamp-check.h"
#include "tc-report-hosts.h"
#include "tc-report-opts.h"
#include "tc-report-views.h"
#include "tracedat/dat-complete.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-time.h"
#include "tracedat/event-source.h"
#include "tracedat/page.h"
#include "tracedat/recording-source.h"
#include "tracedat/seek.h"
#include "view/text.h"

/* With --follow a file may not be a recording yet for that many tenths of a second. */
#define FOLLOW_TRIES 50

const char *report_plugin_dir(const struct report_request *req)
{
	if (req->plugins && !strcmp(req->plugins, "tracecraft"))
		return PACKAGE_PLUGIN_DIR;
	return req->plugins;
}

/* Hints how to make a recording, for a path that has none */
static void hint_missing(const char *path, struct tfs_err *err)
{
	if (!strcmp(path, "-"))
		tfs_err_hint(err, "a recording is read from a file, not from a pipe: store it in "
				  "a regular file first");
	else
		tfs_err_hint(err,
			     "'tc-record -e sched -- COMMAND' makes one; -i reads another file");
}

/* Options that decide how events are parsed for the text view */
static unsigned int text_of(const struct report_request *req)
{
	if (req->view->flags & REPORT_TEXT)
		return TFS_TRACE_TIMES | (req->raw ? TFS_TRACE_FIELDS : 0) |
		       (req->nsecs ? TFS_TRACE_NSECS : 0) | (req->raw_ts ? TFS_TRACE_RAW_TS : 0);
	return 0;
}

static int open_trace(const struct report_request *req, const char *symbols, const char *path,
		      struct tfs_trace **trace, struct tfs_err *err)
{
	const struct tfs_trace_opts opts = {
		.no_plugins = req->no_plugins,
		.kernel = req->kernel,
		.local_plugins = req->local_plugins,
		.plugin_options = (const char *const *)req->plugin_options.v,
		.n_plugin_options = req->plugin_options.n,
		.raw_events = &req->raw_events,
		.plain_events = &req->plain_events,
		.plugin_dir = report_plugin_dir(req),
		.kallsyms = symbols,
		.compat = req->compat,
		.text = text_of(req),
	};
	int rc = tfs_trace_open(path, &opts, trace, err);

	if (rc == -ENOENT)
		hint_missing(path, err);
	else if (rc == -EBADMSG && !*err->hint)
		tfs_err_hint(err, "recordings are made by 'tc-record' and 'trace-cmd record'");
	return rc;
}

/* --ts-offset counts units of the clock, also where --ts2secs says what they are. */
static int64_t ts_offset(const struct report_input *input, double unit)
{
	return unit > 0 ? (int64_t)((double)input->ts_offset * unit) : input->ts_offset;
}

/*
 * A recorder that was just started has not written the head yet, one that is about to end is still
 * joining the data: both take a moment.
 */
static int open_growing(const struct report_request *req, const char *symbols, const char *path,
			struct tfs_trace **trace, struct tfs_event_source **source,
			struct tfs_err *err)
{
	const struct timespec pause = { .tv_nsec = 100000000 };
	unsigned int tries;
	int rc = -EAGAIN;

	for (tries = 0; rc && tries < FOLLOW_TRIES; tries += rc != -EAGAIN) {
		if (tries || *trace)
			nanosleep(&pause, NULL);
		tfs_trace_free(*trace);
		*trace = NULL;
		rc = open_trace(req, symbols, path, trace, err);
		if (rc && rc != -ENOENT && rc != -EBADMSG)
			break;
		if (rc)
			continue;
		rc = tfs_growing_source_open(tfs_trace_dat(*trace), 0, source, err);
		/* Complete: shown as always. */
		if (rc == -ENOENT) {
			tfs_err_clear(err);
			return 0;
		}
		if (rc != -EAGAIN)
			break;
	}
	return rc;
}

/*
 * The data of a recorder that was killed are beside the file. A search for a time in the file does
 * not find them there.
 */
static int open_abandoned(const struct report_request *req, struct tfs_trace *trace,
			  struct tfs_event_source **source, struct tfs_err *err)
{
	const char *path = tfs_dat_path(tfs_trace_dat(trace));
	struct tfs_err ignored = TFS_ERR_INIT;
	char *command;

	if (tfs_growing_source_open(tfs_trace_dat(trace), TFS_FOLLOW_ABANDONED, source, &ignored))
		return 0;
	if (req->times.n || req->align_ts) {
		tfs_err_say(err, -EINVAL, "'%s' is not complete: its recorder was killed", path);
		command = tfs_dat_completes(path);
		if (command)
			tfs_err_hint(err, "%s completes it", command);
		free(command);
		return err->code;
	}
	return tfs_event_source_update(*source, err);
}

/* --after and --until */
static int set_after_until(const struct report_request *req, struct report_source *src, int *status,
			   struct tfs_err *err)
{
	int rc = 0;

	if (req->after)
		rc = tfs_filter_new(src->trace, req->after, NULL, &src->after, err);
	if (!rc && req->until)
		rc = tfs_filter_new(src->trace, req->until, NULL, &src->until, err);
	if (rc && rc != -ENOMEM)
		*status = TC_EXIT_USAGE;
	src->input.after = src->after;
	src->input.until = src->until;
	return rc;
}

static void report_timestamp(void *context, const struct tfs_record *rec, uint64_t last)
{
	const struct report_source *src = context;
	const char *name = tfs_dat_buffer(tfs_trace_dat(src->trace), rec->buffer)->name;

	tc_msg_notice(tc_command.name,
		      "'%s'%s%s%s: CPU %u goes back in time from %" PRId64 " to %" PRId64
		      ", by %" PRIu64,
		      src->name, *name ? ", instance '" : "", name, *name ? "'" : "", rec->cpu,
		      (int64_t)last, (int64_t)rec->ts, last - rec->ts);
}

static int set_check(const struct report_request *req, struct report_source *src,
		     struct tfs_err *err)
{
	const struct tfs_timestamp_report report = { report_timestamp, src };
	int rc = req->ts_check ?
			 tfs_timestamp_check_new(src->trace, &report, &src->timestamp_check) :
			 0;

	src->input.timestamp_check = src->timestamp_check;
	return rc ? tfs_err_set(err, rc, "cannot prepare the report") : 0;
}

/* @missing: see struct tfs_select_opts */
static int new_selection(const struct report_request *req, struct tfs_trace *trace,
			 struct tfs_strvec *missing, struct tfs_select **out, struct tfs_err *err)
{
	const struct tfs_select_opts selection = {
		.events = &req->events,
		.filters = &req->filters,
		.n_filters = req->n_filters,
		.pids = &req->pids,
		.comms = &req->comms,
		.children = req->children,
		.buffers = &req->buffers,
		.cpus = &req->cpus,
		/* The view itself leaves out both ends of calls in interrupts. */
		.no_hardirq = req->no_hardirq && !(req->view->flags & REPORT_IRQS),
		.no_softirq = req->no_softirq && !(req->view->flags & REPORT_IRQS),
		.missing = missing,
	};

	return tfs_select_new(trace, &selection, out, err);
}

static int open_source(const struct report_request *req, const struct report_input *input,
		       struct report_sources *s, int *status, struct tfs_err *err)
{
	struct report_source *src = &s->v[s->n++];
	const char *slash = strrchr(input->path, '/');
	int rc;

	if (req->follow)
		rc = open_growing(req, s->symbols, input->path, &src->trace, &src->source, err);
	else
		rc = open_trace(req, s->symbols, input->path, &src->trace, err);
	if (!rc && !req->follow)
		rc = open_abandoned(req, src->trace, &src->source, err);
	if (rc)
		return rc;
	src->merge.source = src->source;
	src->input.trace = src->trace;
	src->input.source = src->source;
	src->file = slash ? slash + 1 : input->path;
	src->name = src->file;
	src->merge.raw_ts = req->raw_ts;
	src->merge.no_date = req->no_date;
	src->merge.unit = input->ts_unit > 0 ? input->ts_unit : req->ts_unit;
	src->input.merge = &src->merge;
	src->input.ts_offset = req->raw_ts ? 0 : ts_offset(input, src->merge.unit);
	rc = new_selection(req, src->trace, req->n_inputs > 1 ? &src->missing : NULL, &src->select,
			   err);
	if (rc && rc != -ENOMEM)
		*status = TC_EXIT_USAGE;
	src->input.select = src->select;
	if (!rc)
		rc = set_after_until(req, src, status, err);
	return rc ? rc : set_check(req, src, err);
}

/* A name that none of several recordings has is an error, as with one. */
static int check_missing(const struct report_request *req, const struct report_sources *s,
			 int *status, struct tfs_err *err)
{
	struct tfs_select *strict = NULL;
	size_t i, n;
	int rc = 0;

	for (i = 0; i < s->v[0].missing.n && !rc; i++) {
		for (n = 1; n < s->n; n++)
			if (!tfs_strvec_has(&s->v[n].missing, s->v[0].missing.v[i]))
				break;
		if (n == s->n)
			rc = new_selection(req, s->v[0].trace, NULL, &strict, err);
	}
	tfs_select_free(strict);
	if (rc)
		*status = TC_EXIT_USAGE;
	return rc;
}

/* trace-cmd takes the first recording for the host's. */
static int link_guests(const struct report_request *req, struct report_sources *s,
		       struct tfs_err *err)
{
	size_t hosts = req->compat ? 1 : s->n;
	int rc = 0;

	for (size_t host = 0; host < hosts; host++)
		for (size_t guest = 0; guest < s->n && !rc; guest++)
			if (guest != host)
				rc = tfs_guests_add(s->v[host].trace, s->v[guest].trace);
	return rc ? tfs_err_set(err, rc, "cannot prepare the report") : 0;
}

/* Further preparations for several recordings. */
static int combine(const struct report_request *req, struct report_sources *s, int *status,
		   struct tfs_err *err)
{
	struct report_source *src;
	int width;

	for (src = s->v; src < s->v + s->n; src++) {
		if (req->view->flags & REPORT_MERGED &&
		    tfs_dat_is_text(tfs_trace_dat(src->trace))) {
			*status = TC_EXIT_USAGE;
			tfs_err_say(err, -EINVAL,
				    "'%s' is a latency tracer's text: it cannot be merged by time",
				    tfs_dat_path(tfs_trace_dat(src->trace)));
			tfs_err_hint(err, "show it alone");
			return -EINVAL;
		}
		width = tfs_text_name_width(src->trace);
		if (src->name && (int)strlen(src->name) > width)
			width = (int)strlen(src->name);
		if (width > s->name_width)
			s->name_width = width;
	}
	return link_guests(req, s, err);
}

struct tfs_dat_time_opts report_source_time(const struct report_source *src)
{
	return (struct tfs_dat_time_opts){
		.raw = src->merge.raw_ts,
		.no_date = src->merge.no_date,
		.unit = src->merge.unit,
		.map = src->merge.map,
		.map_offset = src->merge.map_offset,
	};
}

/* When the recordings begin and end, as their time stamps are shown. */
static int find_range(const struct report_sources *s, struct tfs_time_range_clock *clock,
		      struct tfs_err *err)
{
	const struct report_source *src;
	struct tfs_bounds b = { 0 };
	int rc;

	for (src = s->v; src < s->v + s->n; src++) {
		const struct tfs_dat_time_opts opts = report_source_time(src);
		struct tfs_dat *dat = tfs_trace_dat(src->trace);
		struct tfs_dat_time *time = NULL;

		rc = tfs_dat_time_new(dat, &opts, &time, err);
		if (!rc)
			rc = tfs_seek_all_bounds(dat, time, &b, err);
		tfs_dat_time_free(time);
		if (rc < 0)
			return rc;
		if (!rc)
			continue;
		b.first += (uint64_t)src->input.ts_offset;
		b.last += (uint64_t)src->input.ts_offset;
		if (clock->empty || b.first < clock->first)
			clock->first = b.first;
		if (clock->empty || b.last > clock->last)
			clock->last = b.last;
		clock->empty = false;
	}
	return 0;
}

/* --align-ts: the first record of all is at 0. */
static int align(const struct report_request *req, struct report_sources *s, struct tfs_err *err)
{
	struct tfs_time_range_clock clock = { .empty = true };
	int rc;

	if (!req->align_ts || req->raw_ts)
		return 0;
	rc = find_range(s, &clock, err);
	for (size_t i = 0; i < s->n && !rc && !clock.empty; i++)
		s->v[i].input.ts_offset -= (int64_t)clock.first;
	return rc;
}

static int set_time_ranges(const struct report_request *req, struct report_sources *s, int *status,
			   struct tfs_err *err)
{
	struct tfs_time_range_clock clock = {
		.empty = true,
		.format = req->raw_ts ?
				  TFS_TIME_RAW :
				  tfs_trace_time_format(s->v[0].trace, req->nsecs ? TFS_TIME_NSECS :
										    TFS_TIME_USECS),
	};
	int rc;

	if (!req->times.n)
		return 0;
	rc = find_range(s, &clock, err);
	if (!rc) {
		rc = tfs_time_ranges_parse(&req->times, &clock, &s->ranges, err);
		if (rc && rc != -ENOMEM)
			*status = TC_EXIT_USAGE;
		if (rc)
			tfs_err_prefix(err, "--time");
	}
	for (size_t i = 0; i < s->n; i++)
		s->v[i].input.ranges = &s->ranges;
	return rc;
}

int report_sources_open(const struct report_request *req, struct report_sources *s, int *status,
			struct tfs_err *err)
{
	int rc = 0;

	*status = TC_EXIT_FAILED;
	s->v = calloc(req->n_inputs, sizeof(*s->v));
	if (!s->v)
		return tfs_err_set(err, -ENOMEM, "cannot prepare the report");
	if (req->kallsyms)
		rc = tfs_trace_read_symbols(req->kallsyms, &s->symbols, err);
	for (size_t i = 0; i < req->n_inputs && !rc; i++) {
		rc = open_source(req, &req->inputs[i], s, status, err);
		if (!rc)
			rc = report_hosts_keep(req, s, err);
	}
	if (!rc)
		rc = report_hosts_name(req, s, status, err);
	if (!rc && req->n_inputs > 1)
		rc = check_missing(req, s, status, err);
	if (!rc && s->n > 1)
		rc = combine(req, s, status, err);
	if (!rc)
		rc = report_hosts_clocks(req, s, err);
	if (!rc)
		rc = align(req, s, err);
	if (!rc)
		rc = report_hosts_order(req, s, status, err);
	if (!rc)
		rc = set_time_ranges(req, s, status, err);
	s->run.max_events = req->max_events;
	s->run.losses = req->fail_on_lost || report_view_lacks_losses(req) ? &s->losses : NULL;
	s->run.order = s->order;
	return rc;
}

void report_source_release(struct report_source *src)
{
	tfs_event_source_free(src->source);
	tfs_select_free(src->select);
	tfs_strvec_release(&src->missing);
	tfs_filter_free(src->after);
	tfs_filter_free(src->until);
	tfs_timestamp_check_free(src->timestamp_check);
	tfs_clock_map_free(src->map);
	free(src->label);
	tfs_trace_free(src->trace);
}

void report_sources_release(struct report_sources *s)
{
	tfs_order_check_free(s->order);
	for (size_t i = 0; i < s->n; i++)
		report_source_release(&s->v[i]);
	tfs_strvec_release(&s->clocks);
	tfs_strvec_release(&s->others);
	tfs_time_ranges_release(&s->ranges);
	free(s->symbols);
	free(s->v);
}

static int damage_of(const struct report_source *src, struct tfs_err *err)
{
	const struct tfs_dat *dat = tfs_trace_dat(src->trace);
	const struct tfs_err *damage = tfs_dat_damage(dat);

	if (!damage)
		return 0;
	*err = *damage;
	tfs_err_prefix(err, "'%s' is damaged", tfs_dat_path(dat));
	return err->code ? err->code : -EBADMSG;
}

struct noted {
	const struct tfs_select *select;
	uint64_t sum;
};

static void add_noted(void *context, const struct tfs_dat_lost *lost)
{
	struct noted *noted = context;
	const struct tfs_record any = { .cpu = lost->cpu, .buffer = lost->buffer };

	if (tfs_select_wants_cpu(noted->select, &any))
		noted->sum += tfs_dat_lost_sum(lost);
}

/*
 * The recorder's counts (see struct tfs_dat_lost) include events lost after the last record. They
 * are for whole CPUs: for a part of the time only the sub-buffers have counts.
 */
static uint64_t noted_losses(const struct report_request *req, const struct report_sources *s)
{
	uint64_t sum = 0;

	if (req->times.n || req->max_events || req->after || req->until)
		return 0;
	for (size_t n = 0; n < s->n; n++) {
		struct noted noted = { .select = s->v[n].select };

		tfs_dat_lost_each(tfs_trace_dat(s->v[n].trace), add_noted, &noted);
		sum += noted.sum;
	}
	return sum;
}

/* Did others change a ring buffer, so that more is missing than was counted? */
static bool is_disturbed(const struct report_sources *s)
{
	bool any = false;

	for (size_t n = 0; n < s->n; n++)
		any |= tfs_dat_lost_all(tfs_trace_dat(s->v[n].trace)).signs != 0;
	return any;
}

static int report_losses(const struct report_request *req, const struct report_sources *s,
			 struct tfs_err *err)
{
	uint64_t noted = noted_losses(req, s);

	if (!s->losses.any && !noted && is_disturbed(s))
		return tfs_err_say(err, -ENODATA, "events were lost; how many is not known");
	if (!s->losses.any && !noted)
		return 0;
	if (noted >= s->losses.counted && noted)
		return tfs_err_say(err, -ENODATA, "%" PRIu64 " events were lost", noted);
	if (s->losses.missing && !s->losses.counted && !s->losses.uncounted)
		return tfs_err_say(err, -ENODATA,
				   "%" PRIu64 " CPU%s last events; how many is not known",
				   s->losses.missing,
				   s->losses.missing == 1 ? " lacks its" : "s lack their");
	if (s->losses.counted)
		return tfs_err_say(err, -ENODATA, "%" PRIu64 " events%s were lost",
				   s->losses.counted, s->losses.uncounted ? " and more" : "");
	return tfs_err_say(err, -ENODATA, "events were lost, the kernel did not count how many");
}

int report_sources_check_pids(const struct report_sources *s, struct tfs_err *err)
{
	struct tfs_strvec unmet = TFS_STRVEC_INIT, more = TFS_STRVEC_INIT;
	int rc = tfs_select_unmatched_pids(s->v[0].select, &unmet);

	/* Text of a latency tracer has no records. */
	if (tfs_dat_is_text(tfs_trace_dat(s->v[0].trace)))
		tfs_strvec_release(&unmet);
	for (size_t i = 1; i < s->n && !rc; i++)
		rc = tfs_select_unmatched_pids(s->v[i].select, &more);
	for (size_t i = 0; i < unmet.n && !rc; i++) {
		size_t found = 1;

		for (size_t k = 0; k < more.n; k++)
			found += !strcmp(unmet.v[i], more.v[k]);
		if (found < s->n)
			continue;
		rc = tfs_err_say(err, -ENOENT, "'%s': no event of a task with this pid was found",
				 unmet.v[i]);
		tfs_err_hint(err, "'--fields=pid,comm | sort -u' lists the tasks of a recording");
	}
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot look for tasks");
	tfs_strvec_release(&unmet);
	tfs_strvec_release(&more);
	return rc;
}

int report_sources_check(const struct report_request *req, const struct report_sources *s,
			 struct tfs_err *err)
{
	struct tfs_err next = TFS_ERR_INIT;
	int rc = 0, rc2;

	for (size_t i = 0; i < s->n; i++) {
		rc2 = tfs_trace_check_memory(s->v[i].trace, &next);
		if (!rc2)
			rc2 = damage_of(&s->v[i], &next);
		if (!rc2)
			continue;
		if (rc)
			tc_msg_error(tc_command.name, err);
		*err = next;
		rc = rc2;
	}
	if (!req->fail_on_lost)
		return rc;
	rc2 = report_losses(req, s, &next);
	if (rc && rc2)
		tc_msg_error(tc_command.name, err);
	if (rc2)
		*err = next;
	return rc ? rc : rc2;
}
