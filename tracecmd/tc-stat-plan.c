/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-stat-plan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strmap.h"
#include "base/strvec.h"
#include "hist/fields.h"
#include "hist/kernel-hist.h"
#include "tc-stat-names.h"
#include "tc-stat-opts.h"
#include "trace-opts.h"
#include "trace-target.h"
#include "tracefs/event.h"

#define MIB (UINT64_C(1024) * 1024)
/* Two sub-buffers, soon full: counting what finds no room costs less than storing it. */
#define COUNTER_BYTES (8 * UINT64_C(1024))
/* Counters need no time stamps; jiffies are the cheapest. */
#define COUNTER_CLOCK "uptime"
/* A reader that is not scheduled for a moment loses nothing. */
#define READ_BYTES (8 * MIB)
/* 60 instances take seconds to make and to remove. */
#define BUFFERS_MAX 64

static int too_many(size_t n, struct tfs_err *err)
{
	int rc = tfs_err_say(err, -E2BIG,
			     "%zu events are named more than once, with other filters: the limit "
			     "is %d",
			     n, BUFFERS_MAX - 1);

	tfs_err_hint(err, "each takes a tracing instance; name fewer with -e");
	return rc;
}

/* The option that counts of instances alone cannot serve */
static const char *keyed_by(const struct stat_request *req)
{
	return req->per_thread ? "--per-thread" : req->by.n ? "--by" : NULL;
}

/* Histograms count on all CPUs, and filters of events are not theirs. */
static bool can_hist(const struct stat_request *req, const struct tfs_hist_fields *by)
{
	return req->by.n && by->kernel && !req->target.cpus && !req->target.comms.n;
}

/* @next: the number of the next instance. Events that were named before get one. */
static int choose_instances(struct stat_events *events, size_t next, struct tfs_err *err)
{
	struct tfs_strmap names = { 0 };
	const size_t first = next;
	int rc = 0;

	for (size_t i = 0; i < events->n && !rc; i++) {
		struct stat_event *e = &events->v[i];

		e->buffer = STAT_READ;
		if (e->probe)
			continue;
		if (tfs_strmap_get(&names, e->name, NULL))
			e->buffer = next++;
		else
			rc = tfs_strmap_put(&names, e->name, i);
	}
	tfs_strmap_release(&names);
	if (rc)
		return tfs_err_set(err, rc, "cannot list the events to count");
	return next > BUFFERS_MAX ? too_many(next - first, err) : 0;
}

/* Counters of an instance know no threads. */
static int refuse_own(const struct stat_events *events, const char *option, struct tfs_err *err)
{
	for (size_t i = 0; i < events->n; i++)
		if (events->v[i].buffer != STAT_READ)
			return tfs_err_say(
				err, -EINVAL,
				"'%s' is named more than once, with other filters, which "
				"excludes %s",
				events->v[i].name, option);
	return 0;
}

int stat_choose(const struct stat_request *req, const struct tfs_hist_fields *by,
		struct stat_events *events, enum stat_way *way, struct tfs_err *err)
{
	const char *option = keyed_by(req);
	int rc;

	if (events->n > STAT_OWN_MAX || option) {
		*way = can_hist(req, by) ? STAT_WAY_HIST : STAT_WAY_READ;
		rc = choose_instances(events, 1, err);
		return rc || !option ? rc : refuse_own(events, option, err);
	}
	*way = STAT_WAY_STATS;
	for (size_t i = 0; i < events->n; i++)
		events->v[i].buffer = i;
	return 0;
}

static int add_clause(struct trace_request *trace, const char *text, const char *filter, bool probe,
		      struct tfs_err *err)
{
	int rc = probe ? tc_clauses_probe(&trace->clauses, text, err) :
			 tc_clauses_event(&trace->clauses, text, err);

	return rc || !filter ? rc : tc_clauses_filter(&trace->clauses, filter, err);
}

static bool has_own(const struct stat_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		if (events->v[i].buffer != STAT_READ)
			return true;
	return false;
}

/* As they were typed, a whole system is enabled by one write. */
static int add_typed(const struct tc_clauses *typed, struct trace_request *trace,
		     struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < typed->n && !rc; i++)
		rc = add_clause(trace, typed->events[i].text, typed->events[i].filter,
				typed->events[i].probe, err);
	return rc;
}

static int add_read(const struct stat_request *req, const struct stat_events *events,
		    struct trace_request *trace, struct tfs_err *err)
{
	int rc = 0;

	trace->buffers[0].buffer_bytes = READ_BYTES;
	if (!has_own(events))
		return add_typed(&req->clauses, trace, err);
	for (size_t i = 0; i < events->n && !rc; i++) {
		const struct stat_event *e = &events->v[i];

		if (e->buffer == STAT_READ)
			rc = add_clause(trace, e->text, e->filter, e->probe, err);
	}
	return rc;
}

static int make_counter(struct trace_buffer *buf, struct tfs_err *err)
{
	int rc = tfs_strvec_push(&buf->options, "nooverwrite");

	buf->buffer_bytes = COUNTER_BYTES;
	buf->clock = COUNTER_CLOCK;
	return rc ? tfs_err_set(err, rc, "cannot plan to count") : 0;
}

static int add_own(const struct stat_events *events, struct trace_request *trace,
		   struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < events->n && !rc; i++) {
		const struct stat_event *e = &events->v[i];

		if (e->buffer == STAT_READ)
			continue;
		if (e->buffer)
			trace_add_buffer(trace, e->name);
		rc = make_counter(&trace->buffers[e->buffer], err);
		if (!rc)
			rc = add_clause(trace, e->text, e->filter, e->probe, err);
	}
	return rc;
}

/* The events are not recorded: they set off a trigger each. */
static int add_hist(const struct tfs_hist_fields *by, const struct stat_events *events,
		    struct trace_request *trace, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = 0;

	trace->buffers[0].buffer_bytes = COUNTER_BYTES;
	tc_clauses_exclude(&trace->clauses);
	for (size_t i = 0; i < events->n && !rc; i++) {
		const struct tfs_hist_event event = { .name = events->v[i].name,
						      .filter = events->v[i].filter };

		tfs_strbuf_reset(&text);
		rc = tfs_hist_trigger(by, &event, "", &text);
		if (rc)
			tfs_err_set(err, rc, "cannot count in histograms");
		if (!rc)
			rc = tc_clauses_event(&trace->clauses, events->v[i].text, err);
		if (!rc)
			rc = tc_clauses_trigger(&trace->clauses, text.s, err);
	}
	tfs_strbuf_release(&text);
	return rc;
}

int stat_plan(const struct stat_request *req, const struct tfs_hist_fields *by,
	      const struct stat_events *events, enum stat_way way, struct trace_request *trace,
	      struct tfs_err *err)
{
	int rc;

	*trace = (struct trace_request){ .command = req->command, .from_exec = true };
	trace_init(trace);
	if (way == STAT_WAY_HIST)
		rc = add_hist(by, events, trace, err);
	else if (way == STAT_WAY_READ)
		rc = add_read(req, events, trace, err);
	else
		rc = 0;
	if (!rc)
		rc = add_own(events, trace, err);
	if (!rc)
		rc = trace_target_set(&req->target, trace, err);
	return rc ? rc : trace_check(trace, err);
}
