/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_SESSION_START_H
#define TC_SESSION_START_H

#include <stdbool.h>

#include "trace-opts.h"

/**
 * struct session_start_request - what is to be traced: the request of session_start
 * @trace: the first member, see trace-opts.h
 * @user: COMMAND runs as this user; NULL: as the caller
 * @top: at the top level rather than in an instance
 * @fork: COMMAND is not waited for
 * @dry_run: print the plan only
 * @quiet: print errors only
 */
struct session_start_request {
	struct trace_request trace;
	const char *user;
	bool top, fork, dry_run, quiet;
};

#endif
