/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "lib/fake.h"
#include "tracefs/func-filter.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"

struct fixture {
	struct fake fake;
	struct tfs_func_filter filter;
	struct tfs_err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	*state = f;
	f->err = TFS_ERR_INIT;
	fake_new(&f->fake, NULL);
	fake_put(&f->fake, "available_filter_functions",
		 "vfs_read\nvfs_readv\nvfs_write\next4_read [ext4]\next4_readdir [ext4]\n"
		 "nfs_read [nfs4]\n");
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_func_filter_release(&f->filter);
	fake_free(&f->fake);
	free(f);
	return 0;
}

static void only(struct fixture *f, const char *text)
{
	assert_int_equal(tfs_strvec_push(&f->filter.only, text), 0);
}

static int resolve(struct fixture *f)
{
	return tfs_func_filter_resolve(&f->filter, f->fake.root, &f->err);
}

static void a_regular_expression_becomes_the_names_that_it_matches(void **state)
{
	struct fixture *f = *state;

	only(f, "^vfs_(read|write)");
	only(f, "v*_x");
	only(f, "_readdir$");
	assert_int_equal(resolve(f), 0);
	assert_int_equal(f->filter.only.n, 5);
	assert_string_equal(f->filter.only.v[0], "vfs_read");
	assert_string_equal(f->filter.only.v[1], "vfs_readv");
	assert_string_equal(f->filter.only.v[2], "vfs_write");
	/* a glob is the kernel's to match */
	assert_string_equal(f->filter.only.v[3], "v*_x");
	assert_string_equal(f->filter.only.v[4], "ext4_readdir");
}

static void a_module_is_where_names_are_looked_for(void **state)
{
	struct fixture *f = *state;

	f->filter.module = "ext4";
	only(f, "read$");
	assert_int_equal(resolve(f), 0);
	assert_int_equal(f->filter.only.n, 1);
	assert_string_equal(f->filter.only.v[0], "ext4_read");
	only(f, "nfs_read");
	assert_int_equal(resolve(f), -ENOENT);
	assert_non_null(strstr(f->err.msg, "'nfs_read'"));
	assert_non_null(strstr(f->err.msg, "in module ext4"));
}

static void an_unknown_name_gets_suggestions(void **state)
{
	struct fixture *f = *state;

	only(f, "vfs_raed");
	assert_int_equal(resolve(f), -ENOENT);
	assert_non_null(strstr(f->err.hint, "'vfs_read'"));
}

static void reports_a_wrong_expression(void **state)
{
	struct fixture *f = *state;

	only(f, "^vfs_(");
	assert_int_equal(resolve(f), -EINVAL);
	assert_non_null(strstr(f->err.msg, "'^vfs_('"));
	tfs_strvec_release(&f->filter.only);
	only(f, "^nothing$");
	assert_int_equal(resolve(f), -ENOENT);
}

/* Kernels that let nobody list their functions may still take them. */
static void without_a_list_only_expressions_fail(void **state)
{
	struct fixture *f = *state;

	fake_run((const char *const[]){ "rm", fake_path(&f->fake, "available_filter_functions"),
					NULL });
	only(f, "vfs_raed");
	assert_int_equal(resolve(f), 0);
	only(f, "^vfs");
	assert_int_equal(resolve(f), -ENOENT);
	assert_non_null(strstr(f->err.msg, "available_filter_functions"));
}

static const char *planned(struct fixture *f, struct tfs_strbuf *sb)
{
	struct tfs_instance inst;
	struct tfs_plan *plan;

	assert_int_equal(tfs_instance_named(&inst, "a", NULL), 0);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(tfs_func_filter_plan(&f->filter, &inst, plan), 0);
	tfs_strbuf_reset(sb);
	assert_int_equal(tfs_plan_print(plan, 0, sb), 0);
	tfs_plan_free(plan);
	return sb->s;
}

static void the_first_name_empties_the_list(void **state)
{
	struct fixture *f = *state;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	only(f, "vfs_read");
	only(f, "vfs_*");
	assert_int_equal(tfs_strvec_push(&f->filter.except, "vfs_write"), 0);
	assert_int_equal(tfs_strvec_push(&f->filter.graph, "ksys_read"), 0);
	f->filter.module = "m";
	assert_string_equal(
		planned(f, &sb),
		"echo vfs_read:mod:m > /sys/kernel/tracing/instances/a/set_ftrace_filter\n"
		"echo 'vfs_*:mod:m' >> /sys/kernel/tracing/instances/a/set_ftrace_filter\n"
		"echo vfs_write:mod:m > /sys/kernel/tracing/instances/a/set_ftrace_notrace\n"
		"echo ksys_read > /sys/kernel/tracing/set_graph_function\n");
	tfs_func_filter_release(&f->filter);
	f->filter.module = "m";
	assert_string_equal(planned(f, &sb), "echo :mod:m > /sys/kernel/tracing/instances/a/"
					     "set_ftrace_filter\n");
	tfs_strbuf_release(&sb);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_regular_expression_becomes_the_names_that_it_matches),
		TEST(a_module_is_where_names_are_looked_for),
		TEST(an_unknown_name_gets_suggestions),
		TEST(reports_a_wrong_expression),
		TEST(without_a_list_only_expressions_fail),
		TEST(the_first_name_empties_the_list),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
