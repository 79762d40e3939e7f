/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace_ask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracefs/event.h"
#include "tracefs/plan.h"

static const struct tc_option options[] = {
	{ .type = TC_OPT_TABLE, .table = trace_event_options },
	{ .type = TC_OPT_TABLE, .table = trace_task_options },
	{ .type = TC_OPT_TABLE, .table = trace_buffer_options },
	TC_OPT_END,
};

int trace_ask_setup(void **state)
{
	struct trace_ask *ask = calloc(1, sizeof(*ask));
	struct tfs_strvec *names;
	int rc;

	if (!ask)
		return -1;
	*state = ask;
	ask->err = TFS_ERR_INIT;
	tfs_strbuf_init(&ask->text);
	names = &ask->found.names;
	rc = tfs_strvec_push(names, "irq:irq_handler_entry");
	if (!rc)
		rc = tfs_strvec_push(names, "sched:sched_switch");
	if (!rc)
		rc = tfs_strvec_push(names, "sched:sched_wakeup");
	return rc;
}

int trace_ask_teardown(void **state)
{
	struct trace_ask *ask = *state;

	trace_release(&ask->req);
	trace_found_release(&ask->found);
	tfs_strbuf_release(&ask->text);
	free(ask);
	return 0;
}

int trace_ask(struct trace_ask *ask, const char *const *words)
{
	char *argv[64] = { (char *)"tc-test" };
	struct tc_opt_result res;
	int argc = 1, rc;

	trace_release(&ask->req);
	memset(&ask->req, 0, sizeof(ask->req));
	trace_init(&ask->req);
	ask->err = TFS_ERR_INIT;
	while (words[argc - 1]) {
		argv[argc] = (char *)words[argc - 1];
		argc++;
	}
	rc = tc_opt_parse(options, argc, argv, &ask->req, &res, &ask->err);
	/* a pointer into @argv, for its being there */
	ask->req.command = res.first < argc ? argv + res.first : NULL;
	if (!rc)
		rc = trace_check(&ask->req, &ask->err);
	ask->req.command = NULL;
	return rc;
}

const char *trace_ask_plan(struct trace_ask *ask, const char *thread)
{
	const struct tc_clauses *c = &ask->req.clauses;
	struct tfs_instance inst;
	struct tfs_plan *plan;

	assert_int_equal(tfs_instance_named(&inst, "x", NULL), 0);
	assert_int_equal(trace_choose_instances(&ask->req, NULL, NULL, &inst, &ask->err), 0);
	if (thread)
		assert_int_equal(tfs_strvec_push(&ask->req.buffers[0].threads, thread), 0);
	assert_int_equal(tfs_event_resolve(c->events, c->n, &ask->found.names, 0, NULL, NULL), 0);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(trace_plan(&ask->req, &ask->found, plan, &ask->err), 0);
	tfs_strbuf_reset(&ask->text);
	assert_int_equal(tfs_plan_print(plan, TFS_PLAN_UNDO, &ask->text), 0);
	tfs_plan_free(plan);
	return ask->text.s;
}
