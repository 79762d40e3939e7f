/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "cli/print.h"
#include "lib/capture.h"

static void formatted(void *arg)
{
	tc_print("a %s,\tb %d\n", (const char *)arg, 7);
	fflush(stdout);
}

static void line(void *arg)
{
	tc_print_line(arg);
	fflush(stdout);
}

static void prints(void (*print)(void *), const char *text, const char *want)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(capture_run(print, (void *)text, STDOUT_FILENO, -1, &sb), 0);
	assert_string_equal(sb.s, want);
	tfs_strbuf_release(&sb);
}

static void text_is_printed_as_it_is(void **state)
{
	(void)state;
	prints(formatted, "ns::f<int>(\xc3\xa9)", "a ns::f<int>(\xc3\xa9),\tb 7\n");
	prints(line, "%s%n", "%s%n\n");
}

static void nothing_acts_on_the_terminal(void **state)
{
	(void)state;
	prints(formatted, "\033[31mred\b\x7f\r", "a ?[31mred???,\tb 7\n");
	/* U+009b begins what ESC [ does */
	prints(line,
	       "f\xc2\x9b"
	       "2J",
	       "f??2J\n");
}

/* A name, of a file for one, is part of a line: it begins none, and does not turn it around. */
static void a_name_does_not_make_a_line(void **state)
{
	(void)state;
	prints(formatted, "x\nb.dat: sound", "a x?b.dat: sound,\tb 7\n");
	/* whatever else is in it */
	prints(formatted, "\1\2\n\4\n",
	       "a ???"
	       "??,\tb 7\n");
	prints(formatted, "f\xe2\x80\xaeg", "a f???g,\tb 7\n");
}

static void a_byte_of_no_character_does_not_act_either(void **state)
{
	(void)state;
	/* 0x9b alone begins it in ISO 8859, where 0xe4 is a letter */
	prints(line,
	       "f\x9b"
	       "2J\xe4",
	       "f?2J\xe4\n");
	prints(line, "\xc4\x9b\xe4\xb8\x9b\xf0\x9f\x9b\x91\x9b",
	       "\xc4\x9b\xe4\xb8\x9b\xf0\x9f\x9b\x91?\n");
}

static void a_line_stays_one(void **state)
{
	(void)state;
	prints(line, "f\ng\th", "f?g?h\n");
}

static void long_text_is_whole(void **state)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT, want = TFS_STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 5000; i++)
		assert_int_equal(tfs_strbuf_addc(&text, 'x'), 0);
	assert_int_equal(tfs_strbuf_addf(&want, "a %s,\tb 7\n", text.s), 0);
	prints(formatted, text.s, want.s);
	tfs_strbuf_release(&text);
	tfs_strbuf_release(&want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_printed_as_it_is),
		cmocka_unit_test(nothing_acts_on_the_terminal),
		cmocka_unit_test(a_name_does_not_make_a_line),
		cmocka_unit_test(a_byte_of_no_character_does_not_act_either),
		cmocka_unit_test(a_line_stays_one),
		cmocka_unit_test(long_text_is_whole),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
