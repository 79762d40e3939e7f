/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_TRACE_ASK_H
#define TESTS_TRACE_ASK_H

#include "base/err.h"
#include "base/strbuf-core.h"
#include "trace-opts.h"
#include "trace-plan.h"

/**
 * struct trace_ask - a request of a program that has nothing but the options of tracing
 * @names: irq:irq_handler_entry, sched:sched_switch, sched:sched_wakeup
 * @text: of the last trace_ask_plan()
 */
struct trace_ask {
	struct trace_request req;
	struct tfs_err err;
	struct trace_found found;
	struct tfs_strbuf text;
};

/** trace_ask_setup(), trace_ask_teardown() - for cmocka */
int trace_ask_setup(void **state);
int trace_ask_teardown(void **state);

/** trace_ask() - parse and check @words up to NULL; those after "--" are COMMAND */
int trace_ask(struct trace_ask *ask, const char *const *words);
#define ASK(ask, ...) trace_ask(ask, (const char *const[]){ __VA_ARGS__, NULL })

/**
 * trace_ask_plan() - the plan of what was asked, main buffer "x", as shell commands with undo
 * @thread: that the main buffer is restricted to; NULL: all
 */
const char *trace_ask_plan(struct trace_ask *ask, const char *thread);

#endif
