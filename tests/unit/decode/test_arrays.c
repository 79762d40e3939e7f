/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "decode/arrays.h"

#define HEAD                                                                     \
	"name: e\nID: 1\nformat:\n"                                              \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n" \
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"

static void becomes(const char *text, const char *want)
{
	struct tfs_strbuf out = TFS_STRBUF_INIT;

	assert_int_equal(tfs_arrays_rewrite(text, strlen(text), TFS_ARRAY_PRINT_ARRAY, &out), 0);
	assert_string_equal(out.s, want);
	tfs_strbuf_release(&out);
}

static void stays(const char *text)
{
	struct tfs_strbuf out = TFS_STRBUF_INIT;

	assert_int_equal(tfs_arrays_rewrite(text, strlen(text), TFS_ARRAY_PRINT_ARRAY, &out),
			 -ENOENT);
	assert_int_equal(out.len, 0);
	tfs_strbuf_release(&out);
}

static void characters_are_text_of_the_length_beside_them(void **state)
{
	(void)state;
	becomes(HEAD "\tfield:u8 s[];\toffset:16;\tsize:3;\tsigned:0;\n"
		     "\tfield:s64 s_len;\toffset:24;\tsize:8;\tsigned:1;\n\n"
		     "print fmt: \"(%lx) s={'%c','%c','%c'} s_len=%Ld\", REC->__probe_ip, "
		     "REC->s[0], REC->s[1], REC->s[2], REC->s_len\n",
		HEAD "\tfield:u8 s[3];\toffset:16;\tsize:3;\tsigned:0;\n"
		     "\tfield:s64 s_len;\toffset:24;\tsize:8;\tsigned:1;\n\n"
		     "print fmt: \"(%lx) s=\\\"%.*s\\\" s_len=%Ld\", REC->__probe_ip, "
		     "REC->s_len > 3 ? 3 : REC->s_len, REC->s, REC->s_len\n");
}

static void characters_without_a_length_end_with_the_array(void **state)
{
	(void)state;
	becomes(HEAD "\tfield:u8 s[2];\toffset:16;\tsize:2;\tsigned:0;\n\n"
		     "print fmt: \"(%lx) s={'%c','%c'} t=%d\", REC->__probe_ip, REC->s[0], "
		     "REC->s[1], REC->t\n",
		HEAD "\tfield:u8 s[2];\toffset:16;\tsize:2;\tsigned:0;\n\n"
		     "print fmt: \"(%lx) s=\\\"%s\\\" t=%d\", REC->__probe_ip, REC->s, REC->t\n");
}

static void numbers_are_as_many_as_their_length(void **state)
{
	(void)state;
	becomes(HEAD "\tfield:s32 v[];\toffset:16;\tsize:8;\tsigned:1;\n"
		     "\tfield:s64 v_len;\toffset:24;\tsize:8;\tsigned:1;\n\n"
		     "print fmt: \"(%lx) v={%d,%d} v_len=%Ld\", REC->__probe_ip, REC->v[0], "
		     "REC->v[1], REC->v_len\n",
		HEAD "\tfield:s32 v[2];\toffset:16;\tsize:8;\tsigned:1;\n"
		     "\tfield:s64 v_len;\toffset:24;\tsize:8;\tsigned:1;\n\n"
		     "print fmt: \"(%lx) v=%s v_len=%Ld\", REC->__probe_ip, __print_array(REC->v, "
		     "REC->v_len > 2 ? 2 : REC->v_len, 4), REC->v_len\n");
}

static void numbers_are_listed_as_the_kernel_prints_each(void **state)
{
	static const char text[] = HEAD
		"\tfield:s32 v[];\toffset:16;\tsize:8;\tsigned:1;\n"
		"\tfield:s64 v_len;\toffset:24;\tsize:8;\tsigned:1;\n\n"
		"print fmt: \"(%lx) v={%d,%d} v_len=%Ld\", REC->__probe_ip, REC->v[0], "
		"REC->v[1], REC->v_len\n";
	struct tfs_strbuf out = TFS_STRBUF_INIT;

	(void)state;
	assert_int_equal(tfs_arrays_rewrite(text, sizeof(text) - 1, TFS_ARRAY_PRINT_LIST, &out), 0);
	assert_non_null(strstr(out.s, "__print_list(REC->v, REC->v_len > 2 ? 2 : REC->v_len, "
				      "\"%d\"), REC->v_len\n"));
	tfs_strbuf_release(&out);
}

/* As Linux 6.18 describes strs=+0(%si):ustring[2] */
static void strings_of_an_array_are_fields(void **state)
{
	static const char text[] = HEAD
		"\tfield:__data_loc char[][2] strs;\toffset:70;\tsize:8;\tsigned:1;\n"
		"\tfield:u8 c;\toffset:78;\tsize:1;\tsigned:0;\n\nprint fmt: \"%c\", REC->c\n";
	static const char want[] = HEAD
		"\tfield:__data_loc char[] strs;\toffset:70;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc char[] strs;\toffset:74;\tsize:4;\tsigned:1;\n"
		"\tfield:u8 c;\toffset:78;\tsize:1;\tsigned:0;\n\nprint fmt: \"%c\", REC->c\n";
	static const char odd[] =
		"\tfield:__data_loc char[][2] strs;\toffset:70;\tsize:7;\tsigned:1;\n";
	struct tfs_strbuf out = TFS_STRBUF_INIT;

	(void)state;
	assert_int_equal(tfs_arrays_split(text, sizeof(text) - 1, &out), 0);
	assert_string_equal(out.s, want);
	tfs_strbuf_reset(&out);
	assert_int_equal(tfs_arrays_split(odd, sizeof(odd) - 1, &out), 0);
	assert_string_equal(out.s, odd);
	tfs_strbuf_reset(&out);
	assert_int_equal(tfs_arrays_split(HEAD, sizeof(HEAD) - 1, &out), -ENOENT);
	assert_int_equal(out.len, 0);
	tfs_strbuf_release(&out);
}

static void arrays_without_a_length_are_left_alone(void **state)
{
	(void)state;
	stays(HEAD "\tfield:s32 v[];\toffset:16;\tsize:8;\tsigned:1;\n\n"
		   "print fmt: \"(%lx) v={%d,%d}\", REC->__probe_ip, REC->v[0], REC->v[1]\n");
	stays(HEAD "\nprint fmt: \"(%lx) a=%d\", REC->__probe_ip, REC->a\n");
	stays("");
}

static void lists_that_are_not_the_kernels_are_left_alone(void **state)
{
	(void)state;
	stays("print fmt: \"={'%c'}\", REC->s[0]\n");
	stays("print fmt: \"s={'%c'\", REC->s[0]\n");
	stays("print fmt: \"s={'%c','%c'}\", REC->s[1], REC->s[0]\n");
	stays("print fmt: \"s={}\", REC->s\n");
	stays("print fmt: \"s={");
	stays("\tfield:u8 s[];\toffset:1;\tsize:99999999999999999999;\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters_are_text_of_the_length_beside_them),
		cmocka_unit_test(characters_without_a_length_end_with_the_array),
		cmocka_unit_test(numbers_are_as_many_as_their_length),
		cmocka_unit_test(numbers_are_listed_as_the_kernel_prints_each),
		cmocka_unit_test(strings_of_an_array_are_fields),
		cmocka_unit_test(arrays_without_a_length_are_left_alone),
		cmocka_unit_test(lists_that_are_not_the_kernels_are_left_alone),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
