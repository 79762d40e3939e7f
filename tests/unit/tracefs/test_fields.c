/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tracefs/fields.h"

/* Lines of kernels: 6.1's, 6.18's, and what a damaged file could have */
static const char format[] =
	"name: x\nID: 5\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:const struct cpumask * mask;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:long last\n"
	"\tfield:];\toffset:1;\n"
	"\tfield:;\n"
	"print fmt: \"\\tfield:int no; offset:1;\"\n";

static void is_next(const char **text, const char *want)
{
	struct tfs_format_field f;
	char got[256];

	assert_true(tfs_format_next(text, &f));
	snprintf(got, sizeof(got), "%.*s|%.*s|%.*s %u+%u %d %d", (int)f.type_len, f.type,
		 (int)f.name_len, f.name, (int)f.array_len, f.array, f.offset, f.size, f.is_signed,
		 f.common);
	assert_string_equal(got, want);
}

static void fields_are_taken_apart(void **state)
{
	const char *text = format;
	struct tfs_format_field f;

	(void)state;
	is_next(&text, "unsigned short|common_type| 0+2 0 1");
	is_next(&text, "char|prev_comm|[16] 8+16 0 0");
	is_next(&text, "__data_loc char[]|name| 24+4 1 0");
	is_next(&text, "const struct cpumask *|mask| 32+8 0 0");
	assert_false(tfs_format_next(&text, &f));
	assert_false(tfs_format_next(&text, &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_taken_apart),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
