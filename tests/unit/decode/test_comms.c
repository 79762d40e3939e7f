/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <event-parse.h>

#include "decode/comms.h"
#include "lib/their_leaks.h"

static const int pids[] = { 0, 1, 2, 3, 4, 5, -7, 4711, INT_MAX, INT_MIN };

/* libtraceevent's table after its own reading and after ours */
static void compare(const char *text)
{
	struct tep_handle *theirs = tep_alloc(), *ours = tep_alloc();
	size_t i;

	assert_non_null(theirs);
	assert_non_null(ours);
	tep_parse_saved_cmdlines(theirs, text);
	assert_int_equal(tfs_comms_load(ours, text), 0);
	for (i = 0; i < sizeof(pids) / sizeof(*pids); i++) {
		const char *want = tep_data_comm_from_pid(theirs, pids[i]);
		const char *got = tep_data_comm_from_pid(ours, pids[i]);

		if (strcmp(want, got))
			print_message("# of pid %d in \"%s\"\n", pids[i], text);
		assert_string_equal(got, want);
	}
	tep_free(theirs);
	tep_free(ours);
}

static void names_are_those_libtraceevent_reads(void **state)
{
	struct tep_handle *tep = tep_alloc();

	(void)state;
	assert_non_null(tep);
	assert_int_equal(tfs_comms_load(tep, "1 systemd\n4711 kworker/0:1 x\n"), 0);
	assert_string_equal(tep_data_comm_from_pid(tep, 1), "systemd");
	assert_string_equal(tep_data_comm_from_pid(tep, 4711), "kworker/0:1 x");
	assert_string_equal(tep_data_comm_from_pid(tep, 2), "<...>");
	tep_free(tep);
	compare("1 systemd\n4711 kworker/0:1 x\n");
	compare("1 one\n2 two");
	compare("1 one\n1 again\n");
	compare("");
}

/* Blanks, signs, numbers of all sizes, and lines after which nothing is read. */
static void odd_lines_are_read_in_the_same_way(void **state)
{
	static const char *const lines[] = {
		"",
		" 2 blank",
		"\t2\ttab",
		"2  two blanks",
		"2 ends in blank ",
		"2 cr\r",
		"+2 plus",
		"-7 minus",
		"- 7 apart",
		"2",
		"2 ",
		"2\t\v\f ",
		"2name",
		"2-name",
		"name",
		"0x2 hex",
		"02 octal",
		"2147483647 max",
		"2147483648 beyond",
		"4294967298 wraps to 2",
		"-2147483648 min",
		"9223372036854775807 long",
		"9223372036854775808 too long",
		"99999999999999999999999 far too long",
		"  ",
		"2 \xff\xfe",
		"2 %s %n",
	};
	char text[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		snprintf(text, sizeof(text), "1 before\n%s\n3 after\n4 last\n", lines[i]);
		compare(text);
		compare(lines[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_libtraceevent_reads),
		cmocka_unit_test(odd_lines_are_read_in_the_same_way),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
