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
#include "base/strvec.h"
#include "lib/fake.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"
#include "tracefs/trace-option.h"

static void options_are_those_of_the_directory(void **state)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_err err = TFS_ERR_INIT;
	struct fake fake;

	(void)state;
	fake_new(&fake, "x86_64-6.12");
	assert_int_equal(tfs_trace_option_list(fake.root, &names, &err), 0);
	assert_int_equal(tfs_trace_option_check("funcgraph-tail", &names, &err), 0);
	assert_int_equal(tfs_trace_option_check("nofuncgraph-tail", &names, &err), 0);
	assert_int_equal(tfs_trace_option_check("nostacktrcae", &names, &err), -ENOENT);
	assert_string_equal(err.msg, "tracing has no option 'stacktrcae' in this kernel");
	assert_non_null(strstr(err.hint, "'stacktrace'"));
	tfs_strvec_release(&names);
	fake_free(&fake);
}

static void no_before_an_option_switches_it_off(void **state)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_instance inst;
	struct tfs_plan *plan;

	(void)state;
	assert_int_equal(tfs_strvec_push(&names, "graph-time"), 0);
	/* a name that begins with "no" itself */
	assert_int_equal(tfs_strvec_push(&names, "nohup"), 0);
	assert_int_equal(tfs_instance_named(&inst, "a", NULL), 0);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(tfs_trace_option_plan(&inst, "graph-time", &names, plan), 0);
	assert_int_equal(tfs_trace_option_plan(&inst, "nograph-time", &names, plan), 0);
	assert_int_equal(tfs_trace_option_plan(&inst, "nohup", &names, plan), 0);
	assert_int_equal(tfs_trace_option_plan(&inst, "nonohup", &names, plan), 0);
	assert_int_equal(tfs_plan_print(plan, 0, &sb), 0);
	assert_string_equal(sb.s, "echo 1 > /sys/kernel/tracing/instances/a/options/graph-time\n"
				  "echo 0 > /sys/kernel/tracing/instances/a/options/graph-time\n"
				  "echo 1 > /sys/kernel/tracing/instances/a/options/nohup\n"
				  "echo 0 > /sys/kernel/tracing/instances/a/options/nohup\n");
	tfs_plan_free(plan);
	tfs_strvec_release(&names);
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_those_of_the_directory),
		cmocka_unit_test(no_before_an_option_switches_it_off),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
