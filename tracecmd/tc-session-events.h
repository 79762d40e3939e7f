/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_SESSION_EVENTS_H
#define TC_SESSION_EVENTS_H

#include <stdbool.h>

#include "base/strvec.h"
#include "view/export.h"

struct session_instance;
struct session_instances;
struct tfs_err;

/**
 * struct session_events - which events of a running instance are shown, and how; as in tc-report
 * @filters: -F; @names: --select; @pids: --pid; @comms: --comm
 * @cpus: -c, CPUs as typed; NULL: all
 * @export: rows instead of text, in @style; @export_text: with the print format's text
 * @raw: -R; @latency: -l; @nsecs: --nanoseconds
 * @raw_output: control characters as they are, on a terminal too
 */
struct session_events {
	struct tfs_strvec filters, names, pids, comms;
	const char *cpus;
	bool export, export_text;
	enum tfs_export_style style;
	bool raw, latency, nsecs;
	bool raw_output;
};

void session_events_release(struct session_events *events);
/**
 * session_events_show() - print the events of an instance as they come
 *
 * Until a signal comes that ends the program, tracing is off and everything was printed, or the
 * instance is removed, which a notice reports, as it does what was lost. The caller excluded this
 * process from the trace (session_exclude_begin()).
 *
 * Return: an exit status, with @err set unless it is TC_EXIT_OK.
 */
int session_events_show(const struct session_events *events,
			const struct session_instances *instances, const struct session_instance *p,
			struct tfs_err *err);

#endif
