/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_PROBE_H
#define TC_TRACE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/spec.h"
#include "probe/type.h"

struct tc_clauses;
struct trace_request;
struct tfs_err;
struct tfs_probe_defs;
struct tfs_root;
struct tfs_strvec;

/**
 * struct trace_probe - the parsed argument of -p; nothing is looked up
 * @exec: the program of a probe in user space, as typed; NULL for the kernel. Owned
 * @type: of the probe
 * @spec: point and arguments; @spec.ret for a return probe
 * @event: of a probe on a tracepoint or an event, in place of @spec: all that follows the first
 *	word. Owned
 *
 * A zeroed one is empty.
 */
struct trace_probe {
	char *exec;
	enum tfs_probe_type type;
	struct tfs_probe_spec spec;
	char *event;
};

/** trace_probe_release() - free what it owns; it is empty afterwards */
void trace_probe_release(struct trace_probe *probe);

/**
 * trace_probe_parse() - parse kprobe:POINT, kretprobe:POINT, fprobe:FUNC, fexit:FUNC,
 *	tprobe:TRACEPOINT, eprobe:SYSTEM:EVENT, uprobe:FILE:POINT or uretprobe:FILE:POINT, each
 *	with arguments after it; a backslash escapes a colon in FILE
 * @probe: empty; set on success only
 *
 * Pure. Return: 0; -EINVAL, also for a tracer's name; -ENOMEM.
 */
int trace_probe_parse(const char *text, struct trace_probe *probe, struct tfs_err *err);

/**
 * trace_probes_resolve() - resolve the -p options to definitions, in a private group
 * @req: its clauses, and where files of programs are
 * @group: their group, unless one was typed
 * @defs: appended to; names are unique among what tracefs has now, and
 *	tfs_probe_def.request is the index of the clause
 * @notices: lines about what is left out are appended
 *
 * Return: 0 or -errno with @err set.
 */
int trace_probes_resolve(const struct trace_request *req, const struct tfs_root *root,
			 const char *group, struct tfs_probe_defs *defs, struct tfs_strvec *notices,
			 struct tfs_err *err);

/**
 * trace_probes_name() - add the defined events to the clauses
 * @names: events that exist, as tfs_event_list() gives them; those of @defs are appended
 *
 * Return: 0 or -ENOMEM.
 */
int trace_probes_name(struct tc_clauses *clauses, const struct tfs_probe_defs *defs,
		      struct tfs_strvec *names);

#endif
