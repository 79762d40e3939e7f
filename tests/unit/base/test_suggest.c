/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "lib/alloc_fail.h"

static const char events[] =
	"sched_switch sched_waking sched_wakeup sched_wakeup_new sched_process_exec "
	"irq_handler_entry irq_handler_exit mm_page_alloc mm_page_free do_sys_openat2 do_sys_poll "
	"output input";

/* Names near @typed among @names, joined with spaces, must be @want. */
static void near(const char *typed, const char *names, size_t max, const char *want)
{
	struct tfs_strvec all = TFS_STRVEC_INIT, found = TFS_STRVEC_INIT;
	char got[512] = "";
	size_t i;

	assert_int_equal(tfs_strvec_split(&all, names, " "), 0);
	assert_int_equal(tfs_suggest_names(typed, &all, max, &found), 0);
	for (i = 0; i < found.n; i++) {
		if (i)
			strncat(got, " ", sizeof(got) - strlen(got) - 1);
		strncat(got, found.v[i], sizeof(got) - strlen(got) - 1);
	}
	tfs_strvec_release(&all);
	tfs_strvec_release(&found);
	assert_string_equal(got, want);
}

static void a_typing_mistake_of_each_kind_is_similar(void **state)
{
	(void)state;
	near("sched_swich", events, 1, "sched_switch");
	near("sched_swwitch", events, 1, "sched_switch");
	near("sched_swatch", events, 1, "sched_switch");
	near("sched_siwtch", events, 1, "sched_switch");
	near("Sched_SWITCH", events, 1, "sched_switch");
	near("uotput", events, 1, "output");
}

static void swapped_neighbours_are_one_slip(void **state)
{
	(void)state;
	/* three letters allow one slip: as two replacements it would be out of reach */
	near("acb", "abc xyz", 3, "abc");
	near("bca", "abc xyz", 3, "");
}

static void a_third_of_the_length_is_the_limit(void **state)
{
	(void)state;
	near("abcdef", "abcdxy", 3, "abcdxy");
	near("abcdef", "abcxyz", 3, "");
	near("ab", "ac", 3, "");
	near("abc", "abx", 3, "abx");
	near("abcdefghi", "abcdefghi012", 3, "abcdefghi012");
}

static void best_come_first_and_no_more_than_asked(void **state)
{
	(void)state;
	/* 0 slips, 3 ("eup" for "ing"), 4 (of the 4 that 12 letters allow) */
	near("sched_wakeup", events, 10, "sched_wakeup sched_waking sched_wakeup_new");
	near("sched_wakeup", events, 2, "sched_wakeup sched_waking");
	near("sched_wakeup", events, 0, "");
	near("aaaaaa", "aaaabb aaaaab aaabab aaaaba", 2, "aaaaab aaaaba");
}

static void a_part_of_a_name_is_similar(void **state)
{
	(void)state;
	near("sys_op", events, 3, "do_sys_openat2");
	near("PAGE", events, 3, "mm_page_free mm_page_alloc");
	near("e", events, 3, "");
}

static void nothing_is_similar_to_an_empty_name(void **state)
{
	(void)state;
	near("", events, 3, "");
	near("abc", "", 3, "");
	near("zzzzzzzz", events, 3, "");
}

static void equal_names_are_given_once(void **state)
{
	(void)state;
	near("abcd", "abce abce abce abcf", 5, "abce abcf");
}

static void without_memory_it_says_so(void **state)
{
	struct tfs_strvec all = TFS_STRVEC_INIT, found = TFS_STRVEC_INIT;
	size_t n;
	int rc;

	(void)state;
	assert_int_equal(tfs_strvec_split(&all, events, " "), 0);
	for (n = 0;; n++) {
		tfs_strvec_release(&found);
		alloc_fail_at(n);
		rc = tfs_suggest_names("sched_wakeup", &all, 3, &found);
		if (!alloc_fail_off())
			break;
		assert_int_equal(rc, -ENOMEM);
	}
	assert_int_equal(rc, 0);
	assert_int_equal(found.n, 3);
	assert_true(n >= 4);
	tfs_strvec_release(&found);
	tfs_strvec_release(&all);
}

static void a_hint_asks_or_says_something_else(void **state)
{
	struct tfs_strvec all = TFS_STRVEC_INIT;
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(tfs_strvec_split(&all, "sched_switch sched_waking irq_entry", " "), 0);
	tfs_suggest_hint(&err, "sched_swich", &all, "tc-list lists them");
	assert_string_equal(err.hint, "did you mean 'sched_switch'?");
	tfs_suggest_hint(&err, "sched_", &all, "tc-list lists them");
	assert_string_equal(err.hint, "did you mean 'sched_switch', 'sched_waking'?");
	tfs_suggest_hint(&err, "zzzzzz", &all, "tc-list lists them");
	assert_string_equal(err.hint, "tc-list lists them");
	tfs_strvec_release(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_typing_mistake_of_each_kind_is_similar),
		cmocka_unit_test(swapped_neighbours_are_one_slip),
		cmocka_unit_test(a_third_of_the_length_is_the_limit),
		cmocka_unit_test(best_come_first_and_no_more_than_asked),
		cmocka_unit_test(a_part_of_a_name_is_similar),
		cmocka_unit_test(nothing_is_similar_to_an_empty_name),
		cmocka_unit_test(equal_names_are_given_once),
		cmocka_unit_test(without_memory_it_says_so),
		cmocka_unit_test(a_hint_asks_or_says_something_else),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
