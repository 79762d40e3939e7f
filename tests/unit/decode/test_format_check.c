/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "decode/format-check.h"

#define HEADER                                                                   \
	"name: x\nID: 1\nformat:\n"                                              \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n" \
	"\tfield:unsigned long a;\toffset:8;\tsize:8;\tsigned:0;\n"              \
	"\tfield:__data_loc cpumask_t mask;\toffset:16;\tsize:4;\tsigned:0;\n"   \
	"\tfield:char b[16];\toffset:20;\tsize:16;\tsigned:0;\n\nprint fmt: "

static int check(const char *print)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	size_t end;
	int rc;

	assert_int_equal(tfs_strbuf_addf(&sb, "%s%s\n", HEADER, print), 0);
	assert_int_equal(tfs_format_check_fields(sb.s, sb.len), 0);
	rc = tfs_format_check_print(sb.s, sb.len, &end);
	if (rc)
		assert_int_equal(end, strlen(HEADER) - strlen("print fmt: "));
	else
		assert_true(end == sb.len || end == strlen(HEADER) - strlen("print fmt: "));
	tfs_strbuf_release(&sb);
	return rc;
}

/* Print formats of Linux 6.1, shortened. */
static void formats_of_kernels_pass(void **state)
{
	static const char *const prints[] = {
		"\"%s\", REC->b",
		"\"comm=%s pid=%d\", REC->b, (int)REC->a",
		"\"%d,%d %s\", ((unsigned int) ((REC->a) >> 20)), REC->a & 0xfffff, REC->b",
		("\"x=%s\", (REC->a & (((0x0000 | 0x0001) + 1) << 1) - 1) ? "
		 "__print_flags(REC->a & 3, \"|\", { 0x0001, \"S\" }, { 0x0002, \"D\" }) : \"R\""),
		"\"%s\", __print_symbolic(REC->a, { 0, \"A\" }, { 1, \"B\" })",
		"\"%s\", __print_hex((const u8 *)REC->b, 16)",
		"\"%s\", __print_array(REC->b, 16, sizeof(u8))",
		"\"%p %pS %pI4\", REC->a, (void *)REC->a, REC->b",
		"\"age=%lu\", (jiffies - REC->a) / 250",
		"\"%s\", REC->a == (u64)-1 ? \"none\" : __get_str(b)",
		"\"mask %s\", __get_cpumask(mask)",
		"\"%c\", REC->b[0] ? REC->b[0] : '?'",
		"\"-\" \"two pieces\" , REC->a",
		"\"id %08llx %16.16llx\", (unsigned long long)REC->a, REC->a",
		"\"%s\", REC->a ? REC->a == 1 ? \"x\" : \"y\" : \"z\"",
		"\"no arguments\"",
		"\"version 1234567890\"",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(prints) / sizeof(*prints); i++)
		assert_int_equal(check(prints[i]), 0);
}

static void damage_is_refused(void **state)
{
	static const char *const prints[] = {
		"\"%s",
		"%s\", REC->b",
		"\"%s\", (REC->b",
		"\"%s\", REC->b)",
		"\"%s\", REC->",
		"\"%s\", REC->a >>",
		"\"%s\", REC->a ? 1",
		"\"%s\", REC->a : 1",
		"\"%s\", { 0, \"A\" ",
		"\"%s\",, REC->a",
		"\"%s\" REC->a",
		"\"%s\", __print_flags(REC->none, \"|\", { 1, \"A\" })",
		"\"%s\", __print_symbolic(REC->none, { 1, \"A\" })",
		"\"%s\", __get_cpumask(none)",
		"\"%999999999d\", REC->a",
		"\"%.99999d\", REC->a",
		"\"%s\", \"open",
		"\"%s\", 'x",
		"\"%s\", @",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(prints) / sizeof(*prints); i++)
		assert_int_equal(check(prints[i]), -EBADMSG);
}

/* libtraceevent 1.7 computes constants when it parses, and an unknown name as 0. */
static void libtraceevent_never_divides_by_zero(void **state)
{
	static const char *const fine[] = {
		"\"%lu\", REC->a / 1000L",
		"\"%lu\", REC->a % 64, REC->a",
		"\"%lu\", __get_dynamic_array_len(mask) / sizeof(unsigned int)",
		"\"%lu\", 100 / REC->a",
		"\"%lu\", 100 / (REC->a + 1)",
		"\"%lu\", REC->a / __get_dynamic_array_len(mask)",
	};
	static const char *const refused[] = {
		"\"%u\", REC->b[2]->depth",
		"\"%u\", REC->b[2].depth",
		"\"%d\", 1 / 0",
		"\"%d\", 1 % 0x0",
		"\"%d\", 1 / 00",
		"\"%d\", 1 / HZ",
		"\"%s\", __g%t_str(name)",
		"\"%d\", 1 / (0)",
		"\"%d\", 1 / (1 - 1)",
		"\"%d\", 1 / -0",
		"\"%d\", 1 / (1 ? 0 : REC->a)",
		"\"%d\", 1 / sizeof(REC->b)",
		"\"%d\", 1 / (u8)256",
		"\"%d\", REC->a / (0 && REC->a)",
		"\"%d\", 1 / 1 0",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
		assert_int_equal(check(fine[i]), 0);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_int_equal(check(refused[i]), -EBADMSG);
}

static void deep_nesting_is_refused(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int i;

	(void)state;
	tfs_strbuf_adds(&sb, "\"%d\", ");
	for (i = 0; i < 100000; i++)
		tfs_strbuf_addc(&sb, '(');
	assert_int_equal(check(sb.s), -EBADMSG);
	tfs_strbuf_reset(&sb);
	tfs_strbuf_adds(&sb, "\"%d\", 1");
	for (i = 0; i < 100000; i++)
		tfs_strbuf_adds(&sb, "+1");
	assert_int_equal(check(sb.s), -EBADMSG);
	tfs_strbuf_release(&sb);
}

static void fields_must_be_of_the_kernels_form(void **state)
{
	static const char *const bad[] = {
		"",
		"name: x\n",
		"name: \nID: 1\nformat:\n",
		"name: x\nID: y\nformat:\n",
		"name: x\nID: 1\nformat:\n\tfield:int a;\toffset:-8;\tsize:4;\n",
		"name: x\nID: 1\nformat:\n\tfield:int a;\toffset:8;\tsize:99999999;\n",
		"name: x\nID: 1\nformat:\n\tfield:int a;\toffset:8;\n",
		"name: x\nID: 1\nformat:\n\tfield:int a[;\toffset:8;\tsize:4;\n",
		"name: x\nID: 1\nformat:\n\tfield:;\toffset:8;\tsize:4;\n",
		"name: x\nID: 1\nformat:\n\tfield:int \"a;\toffset:8;\tsize:4;\n",
		"name: x\nID: 1\nformat:\nrubbish\n",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(tfs_format_check_fields(bad[i], strlen(bad[i])), -EBADMSG);
	assert_int_equal(tfs_format_check_fields("name: x\nID: 1\nformat:\n", 22), 0);
	assert_int_equal(tfs_format_check_fields("name: x\nID: 1\0format:\n", 22), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_of_kernels_pass),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(libtraceevent_never_divides_by_zero),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(fields_must_be_of_the_kernels_form),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
