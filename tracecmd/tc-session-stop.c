/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tc-session-instances.h"
#include "tc-session.h"

/*
 * The verbs that are one write to each buffer: stop, restart and clear.
 */

static const struct tc_option where_options[] = {
	{ .type = TC_OPT_TABLE, .table = session_instance_options }, TC_OPT_END
};

/**
 * struct each - what a verb writes
 * @file: of each buffer
 * @flags: SESSION_*, which buffers
 */
struct each {
	const char *file, *text;
	unsigned int flags;
};

/* Writes to all instances; @err is the first failure. */
static int write_each(void *request, const struct each *each, int argc, char **argv,
		      struct tfs_err *err)
{
	struct session_instances instances = { 0 };
	int status = session_open(request, each->flags, argc, argv, &instances, err);
	bool found = status == TC_EXIT_OK;

	for (size_t i = 0; i < instances.n && found; i++) {
		if (session_write(&instances, &instances.v[i], each->file, each->text,
				  status == TC_EXIT_OK ? err : NULL))
			status = TC_EXIT_FAILED;
	}
	session_close(&instances);
	return status;
}

static int run_stop(void *request, int argc, char **argv, struct tfs_err *err)
{
	const struct each each = { .file = "tracing_on", .text = "0\n" };

	return write_each(request, &each, argc, argv, err);
}

static int run_restart(void *request, int argc, char **argv, struct tfs_err *err)
{
	const struct each each = { .file = "tracing_on", .text = "1\n" };

	return write_each(request, &each, argc, argv, err);
}

/* Opened to be written anew, trace empties the ring buffer. */
static int run_clear(void *request, int argc, char **argv, struct tfs_err *err)
{
	const struct each each = { .file = "trace", .text = "", .flags = SESSION_ALL_WITH_TOP };

	return write_each(request, &each, argc, argv, err);
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
