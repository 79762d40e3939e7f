/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_EVENT_PLAN_H
#define TFS_TRACEFS_EVENT_PLAN_H

#include <stddef.h>

#include "tracefs/event.h"

struct tfs_err;
struct tfs_instance;
struct tfs_plan;
struct tfs_strvec;

/**
 * tfs_event_plan() - add the steps that filter and enable the resolved specs in @inst
 *
 * Filters are written and triggers set before their events are enabled; an excluded spec
 * disables, and its triggers stay: they act on an event that is not recorded. A trigger is always
 * taken back (a histogram's variables would hold the instance). Triggers with a count come later:
 * tfs_event_plan_counted(). A whole system is
 * enabled by one write, "all" too; in a shared instance, where others' events have to be put back,
 * each event by its own.
 *
 * The filter of a whole system goes to each of its events: those that lack a field of it stay
 * unfiltered, as with events/SYS/filter, and that is a notice. (The kernel's own events/SYS/filter
 * accepts any text, also one that no event understands.) Where single events were named or matched,
 * each has to take the filter. Some of the events that a glob matches may refuse to be enabled;
 * that is a notice too unless all refuse.
 *
 * Pure but for @plan. Return: 0 or -ENOMEM.
 */
int tfs_event_plan(const struct tfs_event_spec *specs, size_t n, const struct tfs_strvec *names,
		   const struct tfs_instance *inst, struct tfs_plan *plan, struct tfs_err *err);

/**
 * tfs_event_plan_counted() - add the steps that set the triggers with a count: "stacktrace:3"
 *
 * For after tracing was switched on: the kernel counts also the events that occur while it is off,
 * and a trigger would be spent before anything is recorded.
 *
 * Pure but for @plan. Return: 0 or -ENOMEM.
 */
int tfs_event_plan_counted(const struct tfs_event_spec *specs, size_t n,
			   const struct tfs_strvec *names, const struct tfs_instance *inst,
			   struct tfs_plan *plan, struct tfs_err *err);

#endif
