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
#include "base/strbuf.h"
#include "fs/instance.h"
#include "fs/plan.h"

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

static void names_that_are_no_directory_are_refused(void **state)
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
	struct tfs_instance inst = { "", "" };
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
	struct tfs_instance inst, top = { "", "" };
	struct tfs_plan *plan;

	(void)state;
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(tfs_instance_named(&inst, "a", NULL), 0);
	assert_int_equal(tfs_instance_plan(&inst, plan), 0);
	/* the top level is there already */
	assert_int_equal(tfs_instance_plan(&top, plan), 0);
	assert_int_equal(tfs_plan_print(plan, TFS_PLAN_UNDO, &sb), 0);
	assert_string_equal(sb.s, "mkdir /sys/kernel/tracing/instances/a\n"
				  "echo 0 > /sys/kernel/tracing/instances/a/tracing_on\n"
				  "# undo\n"
				  "rmdir /sys/kernel/tracing/instances/a\n");
	tfs_plan_free(plan);
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_private_instance_is_named_after_program_and_process),
		cmocka_unit_test(names_that_are_no_directory_are_refused),
		cmocka_unit_test(a_path_that_does_not_fit_is_an_error),
		cmocka_unit_test(a_planned_instance_does_not_trace_and_goes_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("instance", tests, NULL, NULL);
}
