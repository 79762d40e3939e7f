/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_PLAN_H
#define TC_TRACE_PLAN_H

#include <stddef.h>

#include "base/strvec.h"
#include "probe/define.h"
#include "trace-opts.h"

struct tfs_err;
struct tfs_journal;
struct tfs_plan;
struct tfs_root;

/*
 * From a checked request to the steps of a plan, in this order:
 *
 *	trace_find()	do the events, probes, ... exist?	reads tracefs
 *	trace_choose_instances()	which instance is each buffer?		reads tracefs
 *	trace_find_tasks()	which threads? (trace-tasks.h)		reads /proc
 *	trace_plan()	the steps that set everything up, tracing off
 *	trace_plan_start()	the steps that switch tracing on
 *
 * The first three change nothing, and the plans are pure; tfs_plan_apply() is what acts. A step's
 * undo is in the plan: a program whose tracing is to outlive it does not roll back.
 */

/**
 * struct trace_found - what the names of a request resolve to
 * @names: events that exist, tfs_event_list(), with those of @defs
 * @defs: probes to define
 * @options: that tracing has, of tfs_trace_option_list(); looked for if any is asked for
 *
 * A zeroed one is empty.
 */
struct trace_found {
	struct tfs_strvec names;
	struct tfs_probe_defs defs;
	struct tfs_strvec options;
};

void trace_found_release(struct trace_found *found);

/**
 * trace_find() - look up the events, tracers, functions and options that the request names, and
 *	what its probes come to
 * @group: of the probes
 * @notices: lines for the user about what was left out are appended
 *
 * Return: 0; -ENOENT with suggestions when there is no such thing; -errno.
 */
int trace_find(struct trace_request *req, const struct tfs_root *root, const char *group,
	       struct trace_found *found, struct tfs_strvec *notices, struct tfs_err *err);

/**
 * trace_choose_instances() - decide which instance each buffer is
 * @root: NULL: nothing is looked up, and every buffer is new
 * @journal: an instance may be made, and removed, to see what it would have; NULL for none
 * @main_buffer: the instance of the main buffer, unless its tracer is there at the top level only
 *
 * The top level is used only while nobody else traces there.
 * Return: 0; -EBUSY; -EINVAL when a -B wants what is only there at
 * the top level; -errno.
 */
int trace_choose_instances(struct trace_request *req, const struct tfs_root *root,
			   struct tfs_journal *journal, const struct tfs_instance *main_buffer,
			   struct tfs_err *err);

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
int trace_plan_start(const struct trace_request *req, const struct trace_found *found,
		     const struct tfs_strvec *own, struct tfs_plan *plan, struct tfs_err *err);

/** trace_has_functions() - does the buffer's tracer trace functions? set_ftrace_pid restricts it */
bool trace_has_functions(const struct trace_buffer *buf);

/**
 * trace_events() - what the buffers may hold, for the formats that go into a file
 * @out: the matches of every -e that switches events on are added, and what triggers switch on;
 *	0 or -ENOMEM
 */
int trace_events(const struct trace_request *req, struct tfs_strvec *out);

#endif
