/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of trace_printk(). The text that is expected for plain conversions is what vsnprintf() of
 * the C library makes of the same arguments; for "%p" and its kin it is that of the kernel's
 * documentation (core-api/printk-formats). The arguments are packed by the rules of the kernel's
 * vbin_printf(): numbers by their size, aligned, those of eight bytes to four; strings as they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <event-parse.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "printfmt/env.h"
#include "printfmt/program.h"

#define ARGS 24
#define FUNCTION 0xffffffff81000010

static const char format[] = "name: bprint\nID: 6\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			     "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
			     "\tfield:const char * fmt;\toffset:16;\tsize:8;\tsigned:0;\n"
			     "\tfield:u32 buf[];\toffset:24;\tsize:0;\tsigned:0;\n\n"
			     "print fmt: \"%ps: %s\", (void *)REC->ip, REC->fmt\n";

struct fixture {
	struct tep_handle *tep;
	struct tfs_format_env env;
	struct tfs_program *program;
	const char *text; /* of the format that the record names */
	unsigned char data[512];
	size_t size;
};

static const char *symbol(const void *symbols, uint64_t addr, uint64_t *start)
{
	(void)symbols;
	*start = 0xffffffff81000000;
	return addr >= *start && addr < *start + 0x100 ? "do_it" : NULL;
}

static const char *printk(const void *context, uint64_t addr)
{
	const struct fixture *f = context;

	return addr == 0x1000 ? f->text : NULL;
}

static int set_up(void **state)
{
	static const char print[] = "\"%ps: %s\", (void *)REC->ip, REC->fmt";
	struct fixture *f = calloc(1, sizeof(*f));
	struct tfs_print_source source = { .text = print, .size = sizeof(print) - 1 };

	if (!f)
		return -1;
	*state = f;
	f->tep = tep_alloc();
	tep_set_file_bigendian(f->tep, TEP_LITTLE_ENDIAN);
	tep_set_long_size(f->tep, 8);
	if (tep_parse_event(f->tep, format, sizeof(format) - 1, "ftrace"))
		return -1;
	source.event = tep_find_event(f->tep, 6);
	f->env = (struct tfs_format_env){
		.long_size = 8, .symbol = symbol, .printk = printk, .printks = f
	};
	return tfs_program_compile_print(&source, &f->env, &f->program, NULL);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tfs_program_free(f->program);
	tep_free(f->tep);
	free(f);
	return 0;
}

/* --- packing */

static void begin(struct fixture *f, const char *text)
{
	memset(f->data, 0, sizeof(f->data));
	f->data[0] = 6;
	for (int i = 0; i < 8; i++)
		f->data[8 + i] = (unsigned char)(FUNCTION >> 8 * i);
	f->data[17] = 0x10;
	f->size = ARGS;
	f->text = text;
}

static void pack(struct fixture *f, uint64_t value, size_t size)
{
	while (f->size % (size == 8 ? 4 : size))
		f->size++;
	for (size_t i = 0; i < size; i++)
		f->data[f->size++] = (unsigned char)(value >> 8 * i);
}

static void pack_text(struct fixture *f, const char *s)
{
	memcpy(f->data + f->size, s, strlen(s) + 1);
	f->size += strlen(s) + 1;
}

/* Records have whole words. */
static void assert_text(struct fixture *f, const char *want)
{
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	char line[512];

	while (f->size % 4)
		f->size++;
	snprintf(line, sizeof(line), "do_it: %s", want);
	assert_int_equal(tfs_program_run(f->program, &out, f->data, f->size, sizeof(f->data)), 0);
	assert_string_equal(out.s, line);
	tfs_strbuf_release(&out);
}

/* Each letter of @sizes is an argument: its bytes, or a string. */
static void pack_all(struct fixture *f, const char *sizes, va_list ap)
{
	for (; *sizes; sizes++) {
		if (*sizes == 's')
			pack_text(f, va_arg(ap, const char *));
		else if (*sizes == '8')
			pack(f, va_arg(ap, uint64_t), 8);
		else
			pack(f, va_arg(ap, unsigned int), (size_t)(*sizes - '0'));
	}
}

__attribute__((format(printf, 3, 4))) static void
assert_as_printf(struct fixture *f, const char *sizes, const char *text, ...)
{
	char want[256];
	va_list ap;

	begin(f, text);
	va_start(ap, text);
	pack_all(f, sizes, ap);
	va_end(ap);
	va_start(ap, text);
	vsnprintf(want, sizeof(want), text, ap);
	va_end(ap);
	assert_text(f, want);
}

static void numbers_are_as_printf_prints_them(void **state)
{
	struct fixture *f = *state;

	assert_as_printf(f, "14", "h=%hhx u=%u", 0xff, 7u);
	assert_as_printf(f, "114", "%hhd %hhu %d", -1, 255, 3);
	assert_as_printf(f, "224", "%hd %hu %d", -2, 65534, 5);
	assert_as_printf(f, "21418", "%hx %hhx %x %hhi %lx", 0xabcd, 0xef, 0xdeadbeef, -128, -1L);
	assert_as_printf(f, "44444", "%d %i %u %o %X", -5, 6, 4000000000u, 0755u, 0xbeefu);
	assert_as_printf(f, "8888", "%ld %lu %lx %lo", -1L, 2UL, 3UL, 8UL);
	assert_as_printf(f, "888", "%lld %llu %llx", -1LL, 2ULL, 3ULL);
	assert_as_printf(f, "884", "%zu %td %d", (size_t)77, (ptrdiff_t)-3, 9);
	assert_as_printf(f, "488", "%d %zd %zx", 1, (ssize_t)-1, (size_t)255);
	assert_as_printf(f, "444444", "%+d %+d % d % d %#x %#o", 5, -5, 6, -6, 255u, 8u);
	assert_as_printf(f, "44444", "[%5d] [%-5d] [%05d] [%-+5d] [%+05d]", 42, 42, 42, 42, 42);
	assert_as_printf(f, "4444", "[%.3d] [%6.3d] [%-6.3d] [%08x]", 7, 7, 7, 0xabcu);
	assert_as_printf(f, "48", "[%#10x] [%-#18lx]", 0x1234u, 0x5678UL);
}

static void widths_may_be_arguments(void **state)
{
	struct fixture *f = *state;

	assert_as_printf(f, "444", "[%*d] %d", 6, 42, 9);
	assert_as_printf(f, "444", "[%*d] %d", -6, 42, 9);
	assert_as_printf(f, "444", "[%-*d] %d", 6, 42, 9);
	assert_as_printf(f, "444", "[%.*d] %d", 4, 42, 9);
	assert_as_printf(f, "4444", "[%*.*d] %d", 6, 4, 42, 9);
	assert_as_printf(f, "44s4", "[%*.*s] %d", 6, 2, "abc", 9);
	assert_as_printf(f, "4s4", "[%*s] %d", 7, "abc", 9);
	assert_as_printf(f, "4s4", "[%.*s] %d", 2, "abc", 9);
	assert_as_printf(f, "414", "[%*c] %d", 3, 'x', 9);
}

static void characters_and_strings_are_as_printf_prints_them(void **state)
{
	struct fixture *f = *state;

	assert_as_printf(f, "114", "%c%c %d", 'A', 'B', 9);
	assert_as_printf(f, "114", "[%3c] [%-3c] %d", 'A', 'B', 9);
	assert_as_printf(f, "s4", "[%s] %d", "", 9);
	assert_as_printf(f, "s4", "[%-10s] %d", "left", 9);
	assert_as_printf(f, "s4", "[%10s] %d", "right", 9);
	assert_as_printf(f, "s4", "[%.2s] %d", "cut", 9);
	assert_as_printf(f, "ss18", "%s%s%c%lx", "odd", "lengths", 'z', 0x123456789abcUL);
	assert_as_printf(f, "s2s4", "%s %hd %s %d", "a", -3, "bc", 9);
	assert_as_printf(f, "4", "100%% %d%%", 9);
	assert_as_printf(f, "", "nothing");
}

/* --- pointers */

static void assert_pointer(struct fixture *f, const char *text, uint64_t value, const char *want)
{
	begin(f, text);
	pack(f, value, 8);
	pack(f, 9, 4);
	assert_text(f, want);
}

static void addresses_are_not_hashed(void **state)
{
	struct fixture *f = *state;

	assert_pointer(f, "%p %d", 0xffffffff81000110, "0xffffffff81000110 9");
	assert_pointer(f, "%pK %d", 0xffffffff81000110, "0xffffffff81000110 9");
	assert_pointer(f, "%px %d", 0xffffffff81000110, "ffffffff81000110 9");
	assert_pointer(f, "%px %d", 0x1234, "0000000000001234 9");
	assert_pointer(f, "[%20px] %d", 0xffffffff81000110, "[    ffffffff81000110] 9");
	assert_pointer(f, "[%20p] %d", 0xffffffff81000110, "[  0xffffffff81000110] 9");
	assert_pointer(f, "%p, %d", 0xffffffff81000110, "0xffffffff81000110, 9");
}

static void symbols_and_errors_have_names(void **state)
{
	struct fixture *f = *state;

	assert_pointer(f, "%ps %d", 0xffffffff8100001f, "do_it 9");
	assert_pointer(f, "%pS %d", 0xffffffff8100001f, "do_it+0x1f 9");
	assert_pointer(f, "%pSR %d", 0xffffffff8100001f, "do_it+0x1f 9");
	assert_pointer(f, "[%-8ps] %d", 0xffffffff8100001f, "[do_it   ] 9");
	assert_pointer(f, "%pF %d", 0xffffffff8100001f, "do_it+0x1f 9");
	assert_pointer(f, "%pf %d", 0xffffffff8100001f, "do_it 9");
	assert_pointer(f, "%pS %d", 0x10, "0x10 9");
	assert_pointer(f, "%pe %d", (uint64_t)-2, "-ENOENT 9");
	assert_pointer(f, "[%10pe] %d", (uint64_t)-12, "[   -ENOMEM] 9");
	assert_pointer(f, "%pe %d", 0xffffffff81000110, "0xffffffff81000110 9");
}

/* The kernel makes these texts when it records: they are in the record, in their columns. */
static void other_pointers_are_text_already(void **state)
{
	static const struct {
		const char *conversion, *text;
	} rows[] = {
		{ "pB", "prev_fn_of_callback+0x88/0x88" },
		{ "pR", "[mem 0x60000000-0x6fffffff flags 0x2200]" },
		{ "pr", "[mem 0x60000000-0x6fffffff 64bit pref]" },
		{ "pra", "[range 0x0000000060000000-0x000000006fffffff]" },
		{ "pa", "0x0123456789abcdef" },
		{ "pad", "0x01234567" },
		{ "pap", "0x01234567" },
		{ "*pE", "\\x1b\\n" },
		{ "*pEhp", "1\\x01\\x12" },
		{ "*ph", "00 01 02" },
		{ "3phC", "00:01:02" },
		{ "3phD", "00-01-02" },
		{ "3phN", "000102" },
		{ "pM", "00:01:02:03:04:05" },
		{ "pMR", "05:04:03:02:01:00" },
		{ "pMF", "00-01-02-03-04-05" },
		{ "pm", "000102030405" },
		{ "pmR", "050403020100" },
		{ "pI4", "1.2.3.4" },
		{ "pi4", "001.002.003.004" },
		{ "pI4h", "1.2.3.4" },
		{ "pI6", "0001:0002:0003:0004:0005:0006:0007:0008" },
		{ "pi6", "00010002000300040005000600070008" },
		{ "pI6c", "1:2:3:4:5:6:7:8" },
		{ "pIS", "1.2.3.4" },
		{ "pISpc", "[1:2:3:4:5:6:7:8]:12345" },
		{ "pUb", "00010203-0405-0607-0809-0a0b0c0d0e0f" },
		{ "pUL", "03020100-0504-0706-0809-0A0B0C0D0E0F" },
		{ "pd", "name" },
		{ "pd4", "a/b/c/name" },
		{ "pD2", "dir/file" },
		{ "pg", "sda1" },
		{ "pV", "a text of its own" },
		{ "pOF", "/foo/bar@0" },
		{ "pOFcc", "foo,device:bar" },
		{ "pfw", "\\_SB.PCI0.CIO2.port@1" },
		{ "pfwP", "port@1" },
		{ "pt", "(einval)" },
		{ "ptR", "2018-11-26T13:09:40" },
		{ "ptTs", "1970-01-01 00:00:01" },
		{ "pC", "clock" },
		{ "*pb", "ff,00000001" },
		{ "*pbl", "0,3-6,8-10" },
		{ "pGp", "0x17ffffc0002036(referenced|uptodate|lru)" },
		{ "pGg", "GFP_USER|GFP_DMA32|GFP_NOWARN" },
		{ "pGv", "read|exec|mayread|maywrite" },
		{ "pNF", "0x000000000000c000" },
		{ "p4cc", "BG12 little-endian (0x32314742)" },
		{ "pA", "written in Rust" },
		{ "10pI4", "   1.2.3.4" },
	};
	struct fixture *f = *state;
	char text[64], want[128];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(text, sizeof(text), "a=%%%s, %%d", rows[i].conversion);
		snprintf(want, sizeof(want), "a=%s, 9", rows[i].text);
		begin(f, text);
		if (*rows[i].conversion == '*')
			pack(f, 3, 4);
		pack_text(f, rows[i].text);
		pack(f, 9, 4);
		assert_text(f, want);
	}
	begin(f, "%pe %d");
	pack_text(f, "-ENOENT");
	pack(f, 9, 4);
	assert_text(f, "-ENOENT 9");
}

/* --- where the kernel prints something else than C, and where nothing can be printed */

static void kernel_differs_from_c(void **state)
{
	struct fixture *f = *state;

	begin(f, "%#x [%.0d] [%07.3d] [%.*d]");
	pack(f, 0, 4);
	pack(f, 0, 4);
	pack(f, 7, 4);
	pack(f, (uint64_t)-1, 4);
	pack(f, 5, 4);
	assert_text(f, "0x0 [0] [0000007] [5]");
}

static void unknown_conversion_leaves_the_rest_as_it_stands(void **state)
{
	struct fixture *f = *state;

	begin(f, "a=%d b=%f c=%d");
	pack(f, 1, 4);
	pack(f, 2, 4);
	assert_text(f, "a=1 b=%f c=%d");
	f->env.kernel_text = true;
	assert_text(f, "a=1 b=");
	f->env.kernel_text = false;
	begin(f, "a=%d %n %d");
	pack(f, 1, 4);
	assert_text(f, "a=1 %n %d");
	begin(f, "50%");
	assert_text(f, "50%");
	begin(f, "%5.");
	assert_text(f, "%5.");
}

static void missing_arguments_leave_the_rest_as_it_stands(void **state)
{
	struct fixture *f = *state;

	begin(f, "a=%d b=%lx c=%s");
	pack(f, 1, 4);
	pack(f, 2, 4);
	assert_text(f, "a=1 b=%lx c=%s");
	begin(f, "%*d");
	assert_text(f, "%*d");
	begin(f, "s=%s");
	memcpy(f->data + f->size, "abcd", 4);
	f->size += 4;
	assert_text(f, "s=abcd");
	begin(f, "%s|%s|%d");
	assert_text(f, "||%d");
}

static void bad_format_does_not_spoil_the_next(void **state)
{
	struct fixture *f = *state;

	begin(f, "%y");
	assert_text(f, "%y");
	assert_as_printf(f, "4", "n=%d", 8);
}

static void format_may_be_missing(void **state)
{
	struct fixture *f = *state;

	begin(f, NULL);
	pack(f, 1, 4);
	assert_text(f, "(NO FORMAT FOUND at 1000)");
}

static void escapes_of_printk_formats_are_resolved(void **state)
{
	struct fixture *f = *state;

	begin(f, "a\\tb\\n\\\"%d\\\" \\x \\");
	pack(f, 5, 4);
	assert_text(f, "a\tb\n\"5\" \\x \\");
}

static void columns_have_a_limit(void **state)
{
	struct fixture *f = *state;
	struct tfs_strbuf out = TFS_STRBUF_INIT;

	begin(f, "%*d");
	pack(f, INT32_MAX, 4);
	pack(f, 1, 4);
	assert_int_equal(tfs_program_run(f->program, &out, f->data, f->size, f->size), 0);
	assert_int_equal(out.len, strlen("do_it: ") + 4096);
	tfs_strbuf_release(&out);
}

/* 32-bit kernels */
static void longs_have_four_bytes(void **state)
{
	struct fixture *f = *state;

	f->env.long_size = 4;
	begin(f, "%ld %lu %zu %lld %px %pe %d");
	pack(f, (uint64_t)-1, 4);
	pack(f, (uint64_t)-1, 4);
	pack(f, 5, 4);
	pack(f, (uint64_t)-1, 8);
	pack(f, 0xc0001234, 4);
	pack(f, (uint64_t)-2, 4);
	pack(f, 9, 4);
	assert_text(f, "-1 4294967295 5 -1 c0001234 -ENOENT 9");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(numbers_are_as_printf_prints_them),
		TEST(widths_may_be_arguments),
		TEST(characters_and_strings_are_as_printf_prints_them),
		TEST(addresses_are_not_hashed),
		TEST(symbols_and_errors_have_names),
		TEST(other_pointers_are_text_already),
		TEST(kernel_differs_from_c),
		TEST(unknown_conversion_leaves_the_rest_as_it_stands),
		TEST(missing_arguments_leave_the_rest_as_it_stands),
		TEST(bad_format_does_not_spoil_the_next),
		TEST(format_may_be_missing),
		TEST(escapes_of_printk_formats_are_resolved),
		TEST(columns_have_a_limit),
		TEST(longs_have_four_bytes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
