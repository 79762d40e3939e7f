/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "lib/fake.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"

static void a_private_instance_is_named_after_program_and_process(void **state)
{
	struct tfs_instance inst;
	char want[64];

	(void)state;
	snprintf(want, sizeof(want), "tc-record.%ld", (long)getpid());
	tfs_instance_private(&inst, "tc-record");
	assert_string_equal(inst.name, want);
	tfs_instance_private(&inst, "record");
	assert_string_equal(inst.name, want);
	snprintf(want, sizeof(want), "instances/tc-record.%ld/", (long)getpid());
	assert_string_equal(inst.prefix, want);
}

static void names_that_are_not_a_directory_are_refused(void **state)
{
	static const char *const bad[] = { "", ".", "..", "...", "a/b", "/", "../x" };
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_instance inst;
	char longest[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(tfs_instance_named(&inst, bad[i], &err), -EINVAL);
		assert_non_null(strstr(err.msg, "cannot name an instance: "));
	}
	memset(longest, 'a', sizeof(longest));
	longest[sizeof(inst.name)] = '\0';
	assert_int_equal(tfs_instance_named(&inst, longest, &err), -EINVAL);
	longest[sizeof(inst.name) - 1] = '\0';
	assert_int_equal(tfs_instance_named(&inst, longest, &err), 0);
	assert_int_equal(strlen(inst.prefix), strlen("instances/") + strlen(longest) + 1);
	assert_int_equal(tfs_instance_named(&inst, ".a", NULL), 0);
	assert_string_equal(inst.prefix, "instances/.a/");
}

static void a_path_that_does_not_fit_is_an_error(void **state)
{
	struct tfs_instance inst = { .name = "" };
	char buf[16];

	(void)state;
	assert_int_equal(tfs_instance_path(&inst, "tracing_on", buf, sizeof(buf)), 0);
	assert_string_equal(buf, "tracing_on");
	assert_int_equal(tfs_instance_named(&inst, "a", NULL), 0);
	assert_int_equal(tfs_instance_path(&inst, "xyz", buf, sizeof(buf)), 0);
	assert_string_equal(buf, "instances/a/xyz");
	assert_int_equal(tfs_instance_path(&inst, "xyz1", buf, sizeof(buf)), -ENAMETOOLONG);
}

static void a_planned_instance_does_not_trace_and_goes_again(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_instance inst;
	struct tfs_plan *plan;

	(void)state;
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(tfs_instance_named(&inst, "a", NULL), 0);
	assert_int_equal(tfs_instance_plan(&inst, plan), 0);
	assert_int_equal(tfs_plan_print(plan, TFS_PLAN_UNDO, &sb), 0);
	assert_string_equal(sb.s, "mkdir /sys/kernel/tracing/instances/a\n"
				  "echo 0 > /sys/kernel/tracing/instances/a/tracing_on\n"
				  "# undo\n"
				  "rmdir /sys/kernel/tracing/instances/a\n");
	tfs_plan_free(plan);
	tfs_strbuf_release(&sb);
}

static void a_shared_instance_gets_its_settings_back(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_instance inst;
	struct tfs_plan *plan;
	struct fake fake;
	char *before, *after;

	(void)state;
	fake_new(&fake, NULL);
	fake_put(&fake, "instances/a/tracing_on", "1\n");
	fake_put(&fake, "instances/a/trace_clock", "local [mono]\n");
	fake_put(&fake, "instances/a/set_event_pid", "12\n13\n");
	before = fake_state(&fake);
	assert_int_equal(tfs_instance_named(&inst, "b", NULL), 0);
	assert_false(tfs_instance_exists(fake.root, &inst));
	assert_int_equal(tfs_instance_named(&inst, "a", NULL), 0);
	assert_true(tfs_instance_exists(fake.root, &inst));
	inst.shared = true;
	assert_int_equal(tfs_plan_new(fake.root, &plan), 0);
	assert_int_equal(tfs_instance_plan(&inst, plan), 0);
	assert_int_equal(tfs_instance_write(&inst, "trace_clock", "boot", NULL, plan), 0);
	assert_int_equal(tfs_instance_append(&inst, "set_event_pid", "14", NULL, plan), 0);
	assert_int_equal(tfs_plan_apply(plan, &err), 0);
	assert_string_equal(fake_get(&fake, "instances/a/tracing_on"), "0\n");
	assert_string_equal(fake_get(&fake, "instances/a/trace_clock"), "boot\n");
	assert_string_equal(fake_get(&fake, "instances/a/set_event_pid"), "12\n13\n14\n");
	assert_int_equal(tfs_plan_rollback(plan, &err), 0);
	fake_put(&fake, "instances/a/trace_clock", "local [mono]\n");
	after = fake_state(&fake);
	assert_true(fake_same_state(before, after));
	tfs_plan_free(plan);
	tfs_strbuf_release(&sb);
	free(before);
	free(after);
	fake_free(&fake);
}

static void the_top_level_is_shared(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_instance top;
	struct tfs_plan *plan;

	(void)state;
	tfs_instance_top(&top);
	assert_true(top.shared);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(tfs_instance_plan(&top, plan), 0);
	assert_int_equal(tfs_instance_clear(&top, plan), 0);
	assert_int_equal(tfs_plan_print(plan, TFS_PLAN_UNDO, &sb), 0);
	assert_string_equal(sb.s, "echo 0 > /sys/kernel/tracing/tracing_on\n"
				  ": > /sys/kernel/tracing/trace\n"
				  "# undo\n"
				  "# write back what was there before: "
				  "/sys/kernel/tracing/tracing_on\n");
	tfs_plan_free(plan);
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_private_instance_is_named_after_program_and_process),
		cmocka_unit_test(names_that_are_not_a_directory_are_refused),
		cmocka_unit_test(a_path_that_does_not_fit_is_an_error),
		cmocka_unit_test(a_planned_instance_does_not_trace_and_goes_again),
		cmocka_unit_test(a_shared_instance_gets_its_settings_back),
		cmocka_unit_test(the_top_level_is_shared),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("instance", tests, NULL, NULL);
}
