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
 * These functions turn a checked request into a plan, called in this order:
 *
 *	trace_find()			look up events, probes, ...	reads tracefs
 *	trace_choose_instances()	choose the buffers' instances	reads tracefs
 *	trace_find_tasks()		find threads (trace-tasks.h)	reads /proc
 *	trace_plan()			steps to set everything up, with tracing off
 *	trace_plan_start()		steps to turn tracing on
 *
 * They change nothing but the plan; tfs_plan_apply() changes the system. Each step has its undo: a
 * program whose tracing outlives it does not roll the plan back.
 */

/**
 * struct trace_found - what the names of a request resolve to
 * @names: events that exist, tfs_event_list(), with those of @defs
 * @defs: probes to define
 * @options: available trace options, tfs_trace_option_list(); empty unless the request sets some
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
 * trace_find() - look up the events, tracers, functions and options of the request, and resolve its
 *	probes
 * @group: group of the probes
 * @notices: lines for the user about what was left out are appended
 *
 * Return: 0; -ENOENT with suggestions when there is no such thing; -errno.
 */
int trace_find(struct trace_request *req, const struct tfs_root *root, const char *group,
	       struct trace_found *found, struct tfs_strvec *notices, struct tfs_err *err);

/**
 * trace_choose_instances() - choose an instance for each buffer
 * @root: NULL: look nothing up, every buffer is new
 * @journal: for an instance that may be created temporarily, to see its files; NULL for none
 * @main_buffer: the instance of the main buffer, unless its tracer exists only at the top level
 *
 * The top level is used only while nobody else traces there.
 * Return: 0; -EBUSY; -EINVAL when a -B has a tracer that exists only at
 * the top level; -errno.
 */
int trace_choose_instances(struct trace_request *req, const struct tfs_root *root,
			   struct tfs_journal *journal, const struct tfs_instance *main_buffer,
			   struct tfs_err *err);

/**
 * trace_plan() - add the steps that set up all buffers, with tracing off; changes only @plan
 *
 * Return: 0 or -errno with @err set.
 */
int trace_plan(const struct trace_request *req, const struct trace_found *found,
	       struct tfs_plan *plan, struct tfs_err *err);

/**
 * trace_plan_start() - add the steps that turn tracing on; changes only @plan
 * @own: threads to exclude from tracing
 */
int trace_plan_start(const struct trace_request *req, const struct trace_found *found,
		     const struct tfs_strvec *own, struct tfs_plan *plan, struct tfs_err *err);

/** trace_turns_off() - do triggers or function commands of the request turn tracing off? */
bool trace_turns_off(const struct trace_request *req);
/**
 * trace_switch_off() - turn tracing off in every buffer, as soon as can be; goes on after a failure
 *
 * Return: 0 or the first -errno.
 */
int trace_switch_off(const struct trace_request *req, const struct tfs_root *root,
		     struct tfs_err *err);

/** trace_has_functions() - does the buffer's tracer trace functions (set_ftrace_pid applies)? */
bool trace_has_functions(const struct trace_buffer *buf);

/**
 * trace_events() - events that the buffers may hold, whose formats go into a file
 * @out: the matches of every -e that enables events are added, and events that triggers enable
 *
 * Return: 0 or -ENOMEM.
 */
int trace_events(const struct trace_request *req, struct tfs_strvec *out);

#endif
