/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_EVENT_H
#define TFS_TRACEFS_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strvec.h"

struct tfs_err;
struct tfs_root;

/**
 * struct tfs_event_spec - one -e with what belongs to it
 * @text: what was typed: "sched", "sched:*", "sched_switch", "sched:sched_sw*", "all". Without a
 *        colon (or slash) it names every system and every event that matches, as for trace-cmd
 * @filter: kernel filter for these events, NULL for none
 * @triggers: what the events are to do besides, in the words of the kernel's trigger files
 *	(Documentation/trace/events.rst, 6); owned
 * @exclude: events are switched off (what -v means to trace-cmd)
 * @probe: the events are not there yet: whoever defines them sets @matched, tfs_event_resolve()
 *         leaves it alone
 * @matched: "system:event" or, when a whole system matched, "system:*"; set by tfs_event_resolve()
 *
 * Owned by whoever made it; strings are borrowed but for @triggers and @matched (release them).
 */
struct tfs_event_spec {
	const char *text;
	const char *filter;
	struct tfs_strvec triggers;
	bool exclude;
	bool probe;
	struct tfs_strvec matched;
};

enum tfs_event_flags {
	TFS_EVENT_IGNORE_MISSING = 1 << 0, /* a spec that matches nothing is not an error */
};

/**
 * tfs_event_list() - every "system:event" that can be enabled, sorted
 *
 * From the directory tree events/, as the kernel offers it now. Events of the system "ftrace" have
 * no enable files (kernel/trace/trace_export.c); those of all others have.
 */
int tfs_event_list(const struct tfs_root *root, struct tfs_strvec *out, struct tfs_err *err);

/** tfs_event_systems() - append "SYSTEM:*" for each system of tfs_event_list() */
int tfs_event_systems(const struct tfs_root *root, struct tfs_strvec *out, struct tfs_err *err);

/**
 * tfs_event_resolve() - find what each spec names
 * @names: what tfs_event_list() gave
 * @missing: specs that matched nothing under TFS_EVENT_IGNORE_MISSING are added; may be NULL
 *
 * Pure. Return: 0; -ENOENT for the first spec that matches nothing, with near names in the hint.
 */
int tfs_event_resolve(struct tfs_event_spec *specs, size_t n, const struct tfs_strvec *names,
		      unsigned int flags, struct tfs_strvec *missing, struct tfs_err *err);

/**
 * tfs_event_of_trigger() - which event does a trigger switch on?
 * @out: "system:event" of "enable_event:system:event[:count] [if ...]" is added if it is not there
 *	yet; of other triggers, nothing (kernel: trace/events.rst, 6.1)
 *
 * Pure. Return: 0 or -ENOMEM.
 */
int tfs_event_of_trigger(const char *trigger, struct tfs_strvec *out);

#endif
