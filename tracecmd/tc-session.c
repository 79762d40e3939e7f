/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-session.h"

#include <stddef.h>

#include "cli/opt.h"
#include "main.h"

static const struct tc_option no_options[] = { TC_OPT_END };

static const struct tc_command *const verbs[] = {
	&session_start,  &session_stop,    &session_restart,  &session_status,
	&session_show,   &session_extract, &session_snapshot, &session_dump,
	&session_flight, &session_clear,   &session_reset,    NULL,
};

static const struct tc_foreign_verb foreign[] = {
	{ "set", "a session is not changed: reset it, and start it with other options" },
	{ "stack",
	  "write 1 or 0 to /proc/sys/kernel/stack_tracer_enabled, read stack_trace in tracefs" },
	{ "stream", "start, show --events and reset; or tc-record, and tc-report --follow" },
	{ "record", "tc-record" },
	{ "report", "tc-report" },
	{ "list", "tc-list" },
	{ "profile", "tc-record, and tc-report --profile" },
	{ "restore", "tc-record --recover" },
	{ NULL, NULL },
};

const struct tc_command tc_command = {
	.name = SESSION_PROGRAM,
	.summary = "trace into the kernel's ring buffer, without a file, and look at it",
	.options = no_options,
	.verbs = verbs,
	.foreign = foreign,
};
