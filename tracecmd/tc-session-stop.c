/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cli/msg.h"
#include "tc-session-instances.h"
#include "tc-session.h"
#include "tracefs/tracing-on.h"

/*
 * The verbs that do one thing to each buffer: stop, restart and clear.
 */

static const struct tc_option where_options[] = {
	{ .type = TC_OPT_TABLE, .table = session_instance_options }, TC_OPT_END
};

typedef int each_func(const struct session_instances *instances, const struct session_instance *p,
		      struct tfs_err *err);

/* For all instances; @err is the first failure. @flags: SESSION_*, which ones */
static int for_each(void *request, each_func *func, unsigned int flags, int argc, char **argv,
		    struct tfs_err *err)
{
	struct session_instances instances = { 0 };
	int status = session_open(request, flags, argc, argv, &instances, err);
	bool found = status == TC_EXIT_OK;

	for (size_t i = 0; i < instances.n && found; i++) {
		if (func(&instances, &instances.v[i], status == TC_EXIT_OK ? err : NULL))
			status = TC_EXIT_FAILED;
	}
	session_close(&instances);
	return status;
}

/* Those that tc-session start asked for come back with restart. */
static int stop(const struct session_instances *instances, const struct session_instance *p,
		struct tfs_err *err)
{
	bool copied;
	int rc = tfs_tracing_off(instances->root, &p->inst, &copied, err);

	if (copied && !session_has_markers(p))
		tc_msg_notice(SESSION_PROGRAM,
			      "'%s': the option copy_trace_marker is off now: with it, each write "
			      "to trace_marker would fail while tracing is off",
			      p->inst.name);
	return rc;
}

static int restart(const struct session_instances *instances, const struct session_instance *p,
		   struct tfs_err *err)
{
	return tfs_tracing_on(instances->root, &p->inst, session_has_markers(p), err);
}

/* Opened to be written anew, trace empties the ring buffer. */
static int clear(const struct session_instances *instances, const struct session_instance *p,
		 struct tfs_err *err)
{
	return session_write(instances, p, "trace", "", err);
}

static int run_stop(void *request, int argc, char **argv, struct tfs_err *err)
{
	return for_each(request, stop, 0, argc, argv, err);
}

static int run_restart(void *request, int argc, char **argv, struct tfs_err *err)
{
	return for_each(request, restart, 0, argc, argv, err);
}

static int run_clear(void *request, int argc, char **argv, struct tfs_err *err)
{
	return for_each(request, clear, SESSION_ALL_WITH_TOP, argc, argv, err);
}

const struct tc_command session_stop = {
	.name = SESSION_PROGRAM,
	.verb = "stop",
	.summary = "stop writing to the ring buffer; all settings stay",
	.options = where_options,
	.request_size = sizeof(struct session_selection),
	.run = run_stop,
	.release = session_selection_release,
};

const struct tc_command session_restart = {
	.name = SESSION_PROGRAM,
	.verb = "restart",
	.summary = "resume after a stop",
	.options = where_options,
	.request_size = sizeof(struct session_selection),
	.run = run_restart,
	.release = session_selection_release,
};

const struct tc_command session_clear = {
	.name = SESSION_PROGRAM,
	.verb = "clear",
	.summary = "empty the ring buffer; tracing goes on",
	.options = where_options,
	.request_size = sizeof(struct session_selection),
	.run = run_clear,
	.release = session_selection_release,
};
