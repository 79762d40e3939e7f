/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/pattern.h"

static void means(const char *text, const char *name, bool want)
{
	struct tfs_pattern p;

	assert_int_equal(tfs_pattern_init(&p, text, NULL), 0);
	if (tfs_pattern_match(&p, name) != want)
		fail_msg("'%s' %s '%s'", text, want ? "does not mean" : "means", name);
	tfs_pattern_release(&p);
}

static void a_word_is_found_anywhere_in_any_case(void **state)
{
	(void)state;
	means("switch", "sched:sched_switch", true);
	means("SWITCH", "sched:sched_switch", true);
	means("swich", "sched:sched_switch", false);
	means("", "anything", true);
}

static void a_glob_is_for_the_whole_name(void **state)
{
	(void)state;
	means("sched_*", "sched_switch", true);
	means("sched_*", "pre_sched_switch", false);
	means("vfs_rea[dl]", "vfs_read", true);
	means("vfs_rea[dl]", "vfs_readv", false);
	means("vfs_rea?", "vfs_read", true);
}

static void characters_that_no_glob_has_mean_a_regular_expression(void **state)
{
	(void)state;
	means("^sched", "sched:sched_switch", true);
	means("^switch", "sched:sched_switch", false);
	means("SWITCH$", "sched:sched_switch", true);
	means("s.*_w", "sched:sched_waking", true);
	means("ext4_\\(da_\\)\\?write", "ext4_da_write", true);
	/* basic: a brace of its own is one */
	means("a(b.", "a(bc", true);
}

static void a_malformed_expression_is_an_error(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_pattern p;

	(void)state;
	assert_int_equal(tfs_pattern_init(&p, "a\\(b", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'a\\(b' is not a regular expression"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_is_found_anywhere_in_any_case),
		cmocka_unit_test(a_glob_is_for_the_whole_name),
		cmocka_unit_test(characters_that_no_glob_has_mean_a_regular_expression),
		cmocka_unit_test(a_malformed_expression_is_an_error),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
