/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "tc-probe-opts.h"

/* Parse and check the words of @line. */
static int ask_err(struct probe_request *req, const char *line, struct tfs_err *err)
{
	struct tfs_strvec words = TFS_STRVEC_INIT;
	struct tc_opt_result res;
	int rc;

	memset(req, 0, sizeof(*req));
	probe_init(req);
	assert_int_equal(tfs_strvec_push(&words, "tc-probe"), 0);
	assert_int_equal(tfs_strvec_split(&words, line, "|"), 0);
	rc = tc_opt_parse(probe_options, (int)words.n, words.v, req, &res, err);
	if (!rc)
		rc = probe_check(req, (int)words.n - res.first, words.v + res.first, err);
	assert_true(!rc || err->msg[0]);
	tfs_strvec_release(&words);
	return rc;
}

static int ask(struct probe_request *req, const char *line)
{
	struct tfs_err err = TFS_ERR_INIT;

	return ask_err(req, line, &err);
}

/* The message has @part in it. */
static void is_refused_with(const char *line, const char *part)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct probe_request req;

	if (ask_err(&req, line, &err) != -EINVAL)
		fail_msg("'%s' was taken", line);
	if (!strstr(err.msg, part))
		fail_msg("'%s': '%s' is not in '%s'", line, part, err.msg);
	probe_release(&req);
}

static void is_refused(const char *line)
{
	is_refused_with(line, "");
}

static void operands_are_one_definition(void **state)
{
	struct probe_request req;

	(void)state;
	assert_int_equal(ask(&req, "-x|prog|f|a|b->c"), 0);
	assert_int_equal(req.action, PROBE_ADD);
	assert_int_equal(req.add.n, 1);
	assert_string_equal(req.add.v[0], "f a b->c");
	probe_release(&req);
}

static void definitions_may_be_several(void **state)
{
	struct probe_request req;

	(void)state;
	assert_int_equal(ask(&req, "-x|prog|-D|f a|-D|g"), 0);
	assert_int_equal(req.action, PROBE_PRINT);
	assert_int_equal(req.print.n, 2);
	probe_release(&req);
	assert_int_equal(ask(&req, "-d|a*|-d|g:b"), 0);
	assert_int_equal(req.action, PROBE_DELETE);
	probe_release(&req);
}

static void filters_of_lists_may_be_left_out(void **state)
{
	struct probe_request req;

	(void)state;
	assert_int_equal(ask(&req, "-l"), 0);
	assert_int_equal(req.action, PROBE_LIST);
	probe_release(&req);
	assert_int_equal(ask(&req, "-l|g:*"), 0);
	assert_int_equal(req.action, PROBE_LIST);
	assert_non_null(req.list_glob);
	probe_release(&req);
	assert_int_equal(ask(&req, "-F|vfs_*"), 0);
	assert_int_equal(req.action, PROBE_FUNCS);
	assert_non_null(req.funcs_glob);
	probe_release(&req);
	assert_int_equal(ask(&req, "--funcs|--filter|vfs_*"), 0);
	assert_int_equal(req.action, PROBE_FUNCS);
	probe_release(&req);
}

static void variables_follow_the_point_that_is_explained(void **state)
{
	struct probe_request req;

	(void)state;
	assert_int_equal(ask(&req, "--explain|f|a|b"), 0);
	assert_int_equal(req.action, PROBE_EXPLAIN);
	assert_int_equal(req.names.n, 2);
	probe_release(&req);
	is_refused("--explain|f");
}

static void options_go_before_the_operands(void **state)
{
	struct probe_request req;

	(void)state;
	is_refused_with("-x|prog|f|-n", "'-n': options go before");
	is_refused("-x|prog|-F|mal*|--filter|free");
	is_refused_with("-F|malloc|-x|prog", "'-x': options go before");
	is_refused("--explain|f|a|-v");
	assert_int_equal(ask(&req, "-x|prog|f|-8(%bp)|n=-1(%di)"), 0);
	assert_string_equal(req.add.v[0], "f -8(%bp) n=-1(%di)");
	probe_release(&req);
}

static void an_operand_too_many_is_named(void **state)
{
	static const char *const lines[] = {
		"-D|f|spare", "-d|f|spare", "-l|f|spare", "-F|f|spare",
		"-V|f|spare", "-L|f|spare", "-a|f|spare", "--apply|f|spare",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		is_refused_with(lines[i], "'spare'");
}

static void single_options_are_given_once(void **state)
{
	(void)state;
	is_refused_with("-x|prog|-x|other|f", "'prog' and 'other'");
	is_refused_with("-V|f|--vars|g", "'f' and 'g'");
	is_refused("-l|-l");
}

static void conflicting_options_are_refused(void **state)
{
	(void)state;
	is_refused("-q");
	is_refused("-l|f|g");
	is_refused("-a|f|-l");
	is_refused("-a|f|g");
	is_refused("-x|a|-k|b|f");
	is_refused("-x|a|-m|b|f");
	is_refused("-x|a|-m|b|-k|c|f");
	is_refused("--target-ns|1|f");
	is_refused("--externs|-a|f");
	is_refused("--filter|x|-l");
	is_refused("-n|-l");
	is_refused("-x|prog|-l");
	is_refused("-k|vmlinux|-d|g:*");
}

static void a_module_may_have_its_kernel_beside_it(void **state)
{
	struct probe_request req;

	(void)state;
	assert_int_equal(ask(&req, "-k|vmlinux|-m|xfs|-D|f"), 0);
	assert_int_equal(req.action, PROBE_PRINT);
	assert_true(req.module && req.vmlinux);
	probe_release(&req);
}

static void a_plan_is_of_definitions(void **state)
{
	struct probe_request req;

	(void)state;
	assert_int_equal(ask(&req, "-x|prog|--plan|f.plan|-a|f"), 0);
	assert_int_equal(req.action, PROBE_PLAN);
	probe_release(&req);
	assert_int_equal(ask(&req, "-x|prog|--plan|f.plan|-D|f"), 0);
	assert_int_equal(req.action, PROBE_PLAN);
	probe_release(&req);
	assert_int_equal(ask(&req, "--apply|f.plan|-n|-x|prog"), 0);
	assert_int_equal(req.action, PROBE_APPLY);
	probe_release(&req);
	is_refused("--plan|f.plan");
	is_refused("--plan|f.plan|-l");
	is_refused("--plan|f.plan|-n|-a|f");
	is_refused("--apply|f.plan|-a|f");
	is_refused("--apply|f.plan|-k|vmlinux");
	is_refused("--plan|f.plan|--apply|g.plan|-a|f");
}

static void one_process_says_where_files_are(void **state)
{
	struct probe_request req;

	(void)state;
	assert_int_equal(ask(&req, "--pid|1|-D|main"), 0);
	assert_int_equal(req.pid, 1);
	probe_release(&req);
	is_refused("--pid|1|--target-ns|2|-x|a|-D|main");
	is_refused("--pid|1|--symfs|/|-x|a|-D|main");
	is_refused("--pid|1|-m|xfs|-D|main");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_are_one_definition),
		cmocka_unit_test(definitions_may_be_several),
		cmocka_unit_test(filters_of_lists_may_be_left_out),
		cmocka_unit_test(variables_follow_the_point_that_is_explained),
		cmocka_unit_test(options_go_before_the_operands),
		cmocka_unit_test(an_operand_too_many_is_named),
		cmocka_unit_test(single_options_are_given_once),
		cmocka_unit_test(conflicting_options_are_refused),
		cmocka_unit_test(a_module_may_have_its_kernel_beside_it),
		cmocka_unit_test(a_plan_is_of_definitions),
		cmocka_unit_test(one_process_says_where_files_are),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
