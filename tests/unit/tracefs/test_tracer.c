/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "lib/fake.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"
#include "tracefs/tracer.h"

static void an_unknown_tracer_gets_suggestions(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct fake fake;

	(void)state;
	fake_new(&fake, "x86_64-6.12");
	assert_int_equal(tfs_tracer_check(fake.root, "function_graph", &err), 0);
	assert_int_equal(tfs_tracer_check(fake.root, "functoin", &err), -ENOENT);
	assert_string_equal(err.msg, "this kernel has no tracer 'functoin'");
	assert_non_null(strstr(err.hint, "'function'"));
	fake_free(&fake);
}

/* Whatever the version: what an instance lists is what instances may have. */
static void an_instance_shows_the_files_that_instances_have(void **state)
{
	struct fake fake;

	(void)state;
	fake_new(&fake, "x86_64-6.12");
	fake_put(&fake, "instances/theirs/available_tracers", "function nop\n");
	assert_int_equal(tfs_tracer_find(fake.root, NULL, "function"), TFS_TRACER_ANYWHERE);
	assert_int_equal(tfs_tracer_find(fake.root, NULL, "function_graph"), TFS_TRACER_TOP);
	fake_put(&fake, "instances/theirs/available_tracers", "function_graph function nop\n");
	assert_int_equal(tfs_tracer_find(fake.root, NULL, "function_graph"), TFS_TRACER_ANYWHERE);
	fake_free(&fake);
}

static void a_latency_tracer_begins_with_no_latency(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_instance inst;
	struct tfs_plan *plan;

	(void)state;
	assert_true(tfs_tracer_is_latency("wakeup_rt"));
	assert_false(tfs_tracer_is_latency("function"));
	assert_true(tfs_tracer_is_function("function_graph"));
	assert_false(tfs_tracer_is_function("blk"));
	assert_int_equal(tfs_instance_named(&inst, "a", NULL), 0);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(tfs_tracer_plan(&inst, "irqsoff", plan), 0);
	assert_int_equal(tfs_plan_print(plan, 0, &sb), 0);
	assert_string_equal(sb.s,
			    "echo 0 > /sys/kernel/tracing/instances/a/tracing_max_latency\n"
			    "echo irqsoff > /sys/kernel/tracing/instances/a/current_tracer\n");
	tfs_plan_free(plan);
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unknown_tracer_gets_suggestions),
		cmocka_unit_test(an_instance_shows_the_files_that_instances_have),
		cmocka_unit_test(a_latency_tracer_begins_with_no_latency),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
