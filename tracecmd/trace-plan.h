/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_PLAN_H
#define TC_TRACE_PLAN_H

#include <stddef.h>

#include "base/strvec.h"
#include "probe/define.h"
#include "trace-opts.h"

struct tfs_err;
struct tfs_plan;
struct tfs_root;

/*
 * From a checked request to the steps of a plan, in this order:
 *
 *	trace_find()	do the events, probes, ... exist?	reads tracefs
 *	trace_place()	which instance is each buffer?		reads tracefs
 *	trace_scope()	which threads? (trace-scope.h)		reads /proc
 *	trace_plan()	the steps that set everything up, tracing off
 *	trace_plan_start()	the steps that switch tracing on
 *
 * The first three change nothing, and the plans are pure; tfs_plan_apply() is what acts. A step's
 * undo is in the plan: a program whose tracing is to outlive it does not roll back.
 */

/**
 * struct trace_found - what the names of a request stand for
 * @names: events that exist, tfs_event_list(), with those of @defs
 * @defs: probes to define
 *
 * A zeroed one is empty.
 */
struct trace_found {
	struct tfs_strvec names;
	struct tfs_probe_defs defs;
};

void trace_found_release(struct trace_found *found);

/**
 * trace_find() - look up the events that the request names, and what its probes come to
 * @group: of the probes
 * @notices: lines for the user are appended: what was left out
 *
 * Return: 0; -ENOENT with near names when there is no such event; -errno.
 */
int trace_find(struct trace_request *req, const struct tfs_root *root, const char *group,
	       struct trace_found *found, struct tfs_strvec *notices, struct tfs_err *err);

/**
 * trace_place() - decide which instance each buffer is
 * @main_buffer: the instance of the main buffer
 *
 * Return: 0 or -errno with @err set.
 */
int trace_place(struct trace_request *req, const struct tfs_root *root,
		const struct tfs_instance *main_buffer, struct tfs_err *err);

/**
 * trace_plan() - the steps that make all buffers ready, tracing still off; pure but for @plan
 *
 * Return: 0 or -errno with @err set.
 */
int trace_plan(const struct trace_request *req, const struct trace_found *found,
	       struct tfs_plan *plan, struct tfs_err *err);

/**
 * trace_plan_start() - the steps that begin tracing; pure but for @plan
 * @own: threads that are not to be traced
 */
int trace_plan_start(const struct trace_request *req, const struct tfs_strvec *own,
		     struct tfs_plan *plan, struct tfs_err *err);

/**
 * trace_events() - what the buffers may hold, for the formats that go into a file
 * @out: the matches of every -e that switches events on are added; 0 or -ENOMEM
 */
int trace_events(const struct trace_request *req, struct tfs_strvec *out);

#endif
