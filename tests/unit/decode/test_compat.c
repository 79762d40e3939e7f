/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "decode/compat.h"

#define BEGIN                                                                 \
	"name: x\nID: 1\nformat:\n\tfield:long a%ld;\toffset:8;\tsize:4;\n\n" \
	"print fmt: "

static void becomes(const char *print, const char *want)
{
	struct tfs_strbuf in = TFS_STRBUF_INIT, out = TFS_STRBUF_INIT;

	assert_int_equal(tfs_strbuf_addf(&in, "%s%s", BEGIN, print), 0);
	assert_int_equal(tfs_compat_narrow_format(in.s, in.len, &out), 0);
	assert_int_equal(strncmp(out.s, BEGIN, strlen(BEGIN)), 0);
	assert_string_equal(out.s + strlen(BEGIN), want);
	tfs_strbuf_release(&in);
	tfs_strbuf_release(&out);
}

static void a_long_is_printed_as_an_int(void **state)
{
	(void)state;
	becomes("\"%ld %lu %lx %li %lX %lo\", REC->a\n", "\"%d %u %x %i %X %o\", REC->a\n");
	becomes("\"%-5ld|%08lx|%.3lu\"\n", "\"%-5d|%08x|%.3u\"\n");
	becomes("\"%zu %*ld\", REC->a\n", "\"%u %*d\", REC->a\n");
}

static void other_lengths_stay(void **state)
{
	(void)state;
	becomes("\"%d %lld %llu %Lx %hd %s %p %pS %c\"\n",
		"\"%d %lld %llu %Lx %hd %s %p %pS %c\"\n");
	becomes("\"%ls %lc\"\n", "\"%ls %lc\"\n");
}

static void text_and_arguments_stay(void **state)
{
	(void)state;
	becomes("\"100%% ld %%ld\\\"%ld\", \"%ld\"\n", "\"100%% ld %%ld\\\"%d\", \"%ld\"\n");
	becomes("\"%s\", REC->a ? \"%ld\" : \"%lu\"\n", "\"%s\", REC->a ? \"%ld\" : \"%lu\"\n");
}

static void a_format_in_pieces_is_rewritten_whole(void **state)
{
	(void)state;
	becomes("\"a %ld\" \"b %lu\"\n \"c %lx\", \"%ld\"\n",
		"\"a %d\" \"b %u\"\n \"c %x\", \"%ld\"\n");
}

static void a_broken_format_is_left_in_peace(void **state)
{
	(void)state;
	becomes("\"%l", "\"%l");
	becomes("\"%", "\"%");
	becomes("\"%l\", x", "\"%l\", x");
	becomes("\"\\", "\"\\");
	becomes("", "");
	becomes("REC->a %ld", "REC->a %ld");
}

static void a_text_without_print_format_stays(void **state)
{
	static const char text[] = "name: x %ld\n";
	struct tfs_strbuf out = TFS_STRBUF_INIT;

	(void)state;
	assert_int_equal(tfs_compat_narrow_format(text, sizeof(text) - 1, &out), 0);
	assert_string_equal(out.s, text);
	tfs_strbuf_release(&out);
}

/* The text is cut before a print format that is refused; nothing after it is read. */
static void nothing_beyond_the_size_is_read(void **state)
{
	static const char text[] = "name: x\nprint fmt: \"%ld\"\n";
	struct tfs_strbuf out = TFS_STRBUF_INIT;

	(void)state;
	assert_int_equal(tfs_compat_narrow_format(text, 8, &out), 0);
	assert_string_equal(out.s, "name: x\n");
	tfs_strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_is_printed_as_an_int),
		cmocka_unit_test(other_lengths_stay),
		cmocka_unit_test(text_and_arguments_stay),
		cmocka_unit_test(a_format_in_pieces_is_rewritten_whole),
		cmocka_unit_test(a_broken_format_is_left_in_peace),
		cmocka_unit_test(a_text_without_print_format_stays),
		cmocka_unit_test(nothing_beyond_the_size_is_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
