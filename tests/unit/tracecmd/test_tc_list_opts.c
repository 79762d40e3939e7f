/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "tc-list-opts.h"

/* Parse and check the words of @line. */
static int ask(struct list_request *req, const char *line, struct tfs_err *err)
{
	struct tfs_strvec words = TFS_STRVEC_INIT;
	struct tc_opt_result res;
	int rc;

	memset(req, 0, sizeof(*req));
	assert_int_equal(tfs_strvec_push(&words, "tc-list"), 0);
	assert_int_equal(tfs_strvec_split(&words, line, " "), 0);
	rc = tc_opt_parse(list_options, (int)words.n, words.v, req, &res, err);
	if (!rc)
		rc = list_check(req, (int)words.n - res.first, words.v + res.first, err);
	assert_true(!rc || err->msg[0]);
	tfs_strvec_release(&words);
	return rc;
}

static void takes(struct list_request *req, const char *line)
{
	struct tfs_err err = TFS_ERR_INIT;

	if (ask(req, line, &err))
		fail_msg("'%s': %s", line, err.msg);
}

static void refuses(const char *line, const char *part)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct list_request req;

	if (ask(&req, line, &err) != -EINVAL)
		fail_msg("'%s' was taken", line);
	if (!strstr(err.msg, part))
		fail_msg("'%s': '%s' is not in '%s'", line, part, err.msg);
	list_release(&req);
}

static void is_event(const char *line, const char *glob, const char *second)
{
	struct list_request req;

	takes(&req, line);
	assert_true(req.events && req.any);
	assert_int_equal(req.event_globs.n, second ? 2 : 1);
	assert_string_equal(req.event_globs.v[0], glob);
	if (second)
		assert_string_equal(req.event_globs.v[1], second);
	list_release(&req);
}

static void a_pattern_may_stand_anywhere(void **state)
{
	(void)state;
	is_event("-esched", "sched", NULL);
	is_event("-e sched", "sched", NULL);
	is_event("-e sched -F", "sched", NULL);
	is_event("-e -F sched", "sched", NULL);
	is_event("--events=sched", "sched", NULL);
	is_event("sched", "sched", NULL);
	is_event("sched irq", "sched", "irq");
	is_event("-esched irq", "sched", "irq");
	is_event("-F sched", "sched", NULL);
	is_event("-R -l sched", "sched", NULL);
}

static void functions_and_probes_take_patterns_too(void **state)
{
	struct list_request req;

	(void)state;
	takes(&req, "-f vfs_* --proto");
	assert_true(req.funcs && req.proto && !req.events);
	assert_string_equal(req.func_globs.v[0], "vfs_*");
	list_release(&req);
	takes(&req, "--proto vfs_read");
	assert_true(req.funcs && !req.events);
	assert_string_equal(req.func_globs.v[0], "vfs_read");
	list_release(&req);
	takes(&req, "--probes a:b");
	assert_true(req.probes && !req.events);
	assert_string_equal(req.probe_globs.v[0], "a:b");
	list_release(&req);
}

static void nothing_asked_for_is_the_overview(void **state)
{
	struct list_request req;

	(void)state;
	takes(&req, "");
	assert_false(req.any);
	takes(&req, "--json");
	assert_false(req.any);
	takes(&req, "-p");
	assert_true(req.any && req.tracers);
}

static void nonsense_is_refused(void **state)
{
	(void)state;
	refuses("-e -f sched", "more than one");
	refuses("-t sched", "only events, functions and probes");
	refuses("--full", "--full needs");
	refuses("-t --full", "--full needs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pattern_may_stand_anywhere),
		cmocka_unit_test(functions_and_probes_take_patterns_too),
		cmocka_unit_test(nothing_asked_for_is_the_overview),
		cmocka_unit_test(nonsense_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
