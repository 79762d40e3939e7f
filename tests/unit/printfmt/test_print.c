/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print formats as the kernel prints them. Expected texts follow the kernel's documentation
 * (core-api/printk-formats), C's rules of arithmetic, and the formats of events, whose names are
 * beside them.
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
#include "base/meaning.h"
#include "base/strbuf-core.h"
#include "printfmt/env.h"
#include "printfmt/print-parse.h"
#include "printfmt/print-tree.h"
#include "printfmt/program.h"

#define ROOM 256

static const char head[] = "name: made\nID: 7\nformat:\n"
			   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
			   "\tfield:s8 a;\toffset:2;\tsize:1;\tsigned:1;\n"
			   "\tfield:u8 ua;\toffset:3;\tsize:1;\tsigned:0;\n"
			   "\tfield:s16 b;\toffset:4;\tsize:2;\tsigned:1;\n"
			   "\tfield:u16 ub;\toffset:6;\tsize:2;\tsigned:0;\n"
			   "\tfield:int c;\toffset:8;\tsize:4;\tsigned:1;\n"
			   "\tfield:unsigned int uc;\toffset:12;\tsize:4;\tsigned:0;\n"
			   "\tfield:long d;\toffset:16;\tsize:8;\tsigned:1;\n"
			   "\tfield:u64 ud;\toffset:24;\tsize:8;\tsigned:0;\n"
			   "\tfield:char name[8];\toffset:32;\tsize:8;\tsigned:0;\n"
			   "\tfield:u8 raw[16];\toffset:40;\tsize:16;\tsigned:0;\n"
			   "\tfield:__data_loc char[] str;\toffset:56;\tsize:4;\tsigned:0;\n"
			   "\tfield:__data_loc u16[] list;\toffset:60;\tsize:4;\tsigned:0;\n"
			   "\tfield:__rel_loc char[] rel;\toffset:64;\tsize:4;\tsigned:0;\n"
			   "\tfield:s16 m[3];\toffset:68;\tsize:6;\tsigned:1;\n"
			   "\tfield:bool yes;\toffset:74;\tsize:1;\tsigned:0;\n"
			   "\tfield:void * ptr;\toffset:80;\tsize:8;\tsigned:0;\n"
			   "\tfield:u8 cdw10[24];\toffset:112;\tsize:24;\tsigned:0;\n\n"
			   "print fmt: ";

struct fixture {
	struct tep_handle *tep;
	struct tep_event *event;
	bool meant;
	struct tfs_format_env env;
	unsigned char data[ROOM];
	size_t size;
};

static bool constant(const void *constants, const char *name, size_t len, uint64_t *value)
{
	(void)constants;
	*value = len == 2 ? 250 : 0x10;
	return (len == 2 && !memcmp(name, "HZ", 2)) || (len == 5 && !memcmp(name, "KNOWN", 5));
}

static const char *symbol(const void *symbols, uint64_t addr, uint64_t *start)
{
	(void)symbols;
	*start = 0xffffffff81000000;
	return addr >= *start && addr < *start + 0x100 ? "do_it" : NULL;
}

static void put(struct fixture *f, size_t at, uint64_t value, size_t size)
{
	/* Recordings of little-endian machines: byte by byte, for tests on any */
	for (size_t i = 0; i < size; i++)
		f->data[at + i] = (unsigned char)(value >> (8 * i));
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	if (!f)
		return -1;
	*state = f;
	f->tep = tep_alloc();
	tep_set_file_bigendian(f->tep, TEP_LITTLE_ENDIAN);
	tep_set_long_size(f->tep, 8);
	if (tfs_strbuf_addf(&text, "%s\"x\"\n", head) ||
	    tep_parse_event(f->tep, text.s, text.len, "made"))
		return -1;
	tfs_strbuf_release(&text);
	f->event = tep_find_event(f->tep, 7);
	f->env = (struct tfs_format_env){ .long_size = 8, .constant = constant, .symbol = symbol };
	put(f, 0, 7, 2);
	put(f, 2, (uint64_t)-5, 1);
	put(f, 3, 251, 1);
	put(f, 4, (uint64_t)-11, 2);
	put(f, 6, 65525, 2);
	put(f, 8, (uint64_t)-70000, 4);
	put(f, 12, 4000000000, 4);
	put(f, 16, (uint64_t)-5000000000, 8);
	put(f, 24, UINT64_MAX, 8);
	memcpy(f->data + 32, "task", 4);
	for (size_t i = 0; i < 16; i++)
		f->data[40 + i] = (unsigned char)(i * 17);
	put(f, 56, 6 << 16 | 96, 4);
	memcpy(f->data + 96, "hello", 6);
	put(f, 60, 4 << 16 | 104, 4);
	put(f, 104, 1, 2);
	put(f, 106, 65535, 2);
	put(f, 64, 4 << 16 | (108 - 68), 4);
	memcpy(f->data + 108, "rel", 4);
	put(f, 68, 0, 2);
	put(f, 70, (uint64_t)-123, 2);
	put(f, 72, 300, 2);
	f->data[74] = 1;
	put(f, 80, 0xffffffff81000012, 8);
	for (size_t i = 0; i < 24; i++)
		f->data[112 + i] = (unsigned char)i;
	f->size = 136;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tep_free(f->tep);
	free(f);
	return 0;
}

/*
 * uc: a name for each but 1; d: a floating-point number; ub, ud: bits with a sign, of ud some by
 * name
 */
static const struct tfs_meaning *means(const void *context, const char *field)
{
	static struct tfs_meaning_name names[] = {
		{ .value = 0, .name = (char *)"OFF" },
		{ .value = 4000000000, .name = (char *)"LARGE" },
		{ .value = 0xfffffffffffffff5, .name = (char *)"not cut to two bytes" },
	};
	static struct tfs_meaning_name low[] = { { .value = 6, .name = (char *)"LOW" } };
	static const struct tfs_meaning all[] = {
		{ .kind = TFS_MEANS_NAME, .n = 3, .names = names },
		{ .kind = TFS_MEANS_FLOAT },
		{ .kind = TFS_MEANS_NUMBER, .bits = 5 },
		{ .kind = TFS_MEANS_NAME, .bits = 3, .n = 1, .names = low },
	};

	(void)context;
	if (!strcmp(field, "uc") || !strcmp(field, "b"))
		return &all[0];
	if (!strcmp(field, "ub") || !strcmp(field, "ud"))
		return &all[field[1] == 'b' ? 2 : 3];
	return !strcmp(field, "d") || !strcmp(field, "ua") ? &all[1] : NULL;
}

/* What @print comes to for the record; "refused: why" where there is no program */
static char *printed(struct fixture *f, const char *print)
{
	struct tfs_print_source source = { .event = f->event,
					   .text = print,
					   .size = strlen(print),
					   .means = f->meant ? means : NULL };
	struct tfs_program *program = NULL;
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	const char *why = NULL;
	char *text = NULL;
	int rc;

	rc = tfs_program_compile_print(&source, &f->env, &program, &why);
	if (rc)
		rc = tfs_strbuf_addf(&out, "refused: %s", why ? why : "?");
	else if (tfs_program_run(program, &out, f->data, f->size, ROOM))
		rc = tfs_strbuf_adds(&out, "not printed");
	tfs_program_free(program);
	if (!rc)
		rc = tfs_strbuf_detach(&out, &text);
	tfs_strbuf_release(&out);
	return rc ? NULL : text;
}

static void expect_at(struct fixture *f, const char *print, const char *want, int line)
{
	char *got = printed(f, print), copy[512];

	snprintf(copy, sizeof(copy), "%s", got ? got : "no memory");
	free(got);
	_assert_string_equal(copy, want, __FILE__, line);
}

#define expect(f, print, want) expect_at(f, print, want, __LINE__)

static void signs_are_those_of_the_field_s_type(void **state)
{
	struct fixture *f = *state;

	expect(f, "\"%d %d\", REC->a, REC->b", "-5 -11");
	expect(f, "\"%d %u\", REC->ua, REC->ub", "251 65525");
	expect(f, "\"%d %u %ld %lld\", REC->c, REC->uc, REC->d, REC->d",
	       "-70000 4000000000 -5000000000 -5000000000");
	expect(f, "\"%x %hx %hhx\", REC->b, REC->b, REC->b", "fffffff5 fff5 f5");
	expect(f, "\"%lld %llu\", (s64)REC->c, REC->ud", "-70000 18446744073709551615");
	expect(f, "\"%d\", REC->uc", "-294967296");
	expect(f, "\"%hhd %hd %hhu\", REC->ua, REC->ub, REC->c", "-5 -11 144");
}

static void numbers_are_computed_by_c_s_rules(void **state)
{
	struct fixture *f = *state;

	expect(f, "\"%d %d %d\", REC->c / 3, REC->c % 3, REC->c >> 4", "-23333 -1 -4375");
	expect(f, "\"%u\", REC->uc + REC->uc", "3705032704");
	expect(f, "\"%d\", REC->c < 0 ? 1 : 2", "1");
	/* A signed int and an unsigned one are compared unsigned. */
	expect(f, "\"%d\", REC->c < 1U", "0");
	expect(f, "\"%d\", REC->c < REC->d", "0");
	expect(f, "\"%d\", REC->a < REC->uc", "0");
	expect(f, "\"%d\", REC->a < REC->ua", "1");
	expect(f, "\"%d %d\", 2 + 3 * 4, (2 + 3) * 4", "14 20");
	expect(f, "\"%d\", 10 - 3 - 2", "5");
	expect(f, "\"%d\", 1 ? 0 ? 3 : 4 : 5", "4");
	expect(f, "\"%x\", REC->ua & ~0x1 ^ 3 | 0x100", "1f9");
	expect(f, "\"%lx %x\", 1UL << 40, 1 << 31", "10000000000 80000000");
	expect(f, "\"%d %d\", (bool)REC->ud, !REC->yes", "1 0");
	expect(f, "\"%llx\", (u64)(u32)REC->d", "d5fa0e00");
	expect(f, "\"%d\", -REC->b", "11");
	expect(f, "\"%zu\", sizeof(u64) + sizeof(unsigned short)", "10");
	expect(f, "\"%d\", '\\n'", "10");
	expect(f, "\"%zu %zu %zu\", sizeof(REC->m), sizeof(REC->m[0]), sizeof(REC->ptr)", "6 2 8");
	/* mm_page_alloc_extfrag of Linux 6.12 ends so; libtraceevent prints 10 */
	expect(f,
	       "\"%d\", REC->b < (((unsigned int)(9)) < ((unsigned int)(10)) ? "
	       "((unsigned int)(9)) : ((unsigned int)(10)))",
	       "0");
}

/* Documentation/core-api/printk-formats.rst, "Error Pointers" */
static void pointers_that_are_errors_have_their_names(void **state)
{
	struct fixture *f = *state;

	expect(f, "\"%pe\", (void *)-2", "-ENOENT");
	expect(f, "\"%pe|%pe\", (void *)-133L, (void *)-517L", "-EHWPOISON|-EPROBE_DEFER");
	expect(f, "\"[%10pe] [%-10pe]\", (void *)-5L, (void *)-12L", "[      -EIO] [-ENOMEM   ]");
	/* 41, 200 and 520 are nobody's */
	expect(f, "\"%pe %pe %pe\", (void *)-41L, (void *)-200L, (void *)-520L", "-41 -200 -520");
	expect(f, "\"%pe\", REC->ptr", "0xffffffff81000012");
	put(f, 80, (uint64_t)-22, 8);
	expect(f, "\"%pe\", REC->ptr", "-EINVAL");
	put(f, 80, (uint64_t)-4096, 8);
	expect(f, "\"%pe\", REC->ptr", "0xfffffffffffff000");
}

/* include/trace/stages/stage3_trace_output.h */
static void dynamic_arrays_are_shown_whole(void **state)
{
	struct fixture *f = *state;

	expect(f, "\"%s\", __print_dynamic_array(list, 2)", "{0x1,0xffff}");
	expect(f, "\"%s\", __print_dynamic_array(list, sizeof(u8))", "{0x1,0x0,0xff,0xff}");
	expect(f, "\"%s\", __print_dynamic_array(list, 3)",
	       "refused: elements that are not numbers");
}

/*
 * lib/hexdump.c: rows of 16 or 32 bytes; groups are numbers of the machine, unless bytes are left
 * over; characters begin in the column after a full row. A newline is in front.
 */
static void dumps_are_the_kernels(void **state)
{
	struct fixture *f = *state;

	expect(f, "\"%s\", __print_hex_dump(\"\", DUMP_PREFIX_NONE, 16, 1, REC->raw, 16, false)",
	       "\n00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff\n");
	expect(f, "\"%s\", __print_hex_dump(\"\", DUMP_PREFIX_NONE, 16, 4, REC->raw, 16, false)",
	       "\n33221100 77665544 bbaa9988 ffeeddcc\n");
	expect(f, "\"%s\", __print_hex_dump(\"\", 0, 16, 8, REC->raw, sizeof(REC->raw), 0)",
	       "\n7766554433221100 ffeeddccbbaa9988\n");
	/* seven bytes are not groups of four */
	expect(f, "\"%s\", __print_hex_dump(\"\", 0, 16, 4, REC->raw, 7, 0)",
	       "\n00 11 22 33 44 55 66\n");
	expect(f,
	       "\"%s\", __print_hex_dump(\"p \", DUMP_PREFIX_OFFSET, 16, 2, REC->cdw10, "
	       "sizeof(REC->cdw10), false)",
	       "\np 00000000: 0100 0302 0504 0706 0908 0b0a 0d0c 0f0e\n"
	       "p 00000010: 1110 1312 1514 1716\n");
	expect(f, "\"%s\", __print_hex_dump(\"\", 0, 32, 1, REC->cdw10, 24, false)",
	       "\n00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 16 17\n");
	expect(f,
	       "\"%u byte(s)%s\", __get_dynamic_array_len(str), __print_hex_dump(\"\", 0, 16, 1, "
	       "__get_dynamic_array(str), __get_dynamic_array_len(str), true)",
	       "6 byte(s)\n68 65 6c 6c 6f 00                                hello.\n");
	expect(f, "\"<%s>\", __print_hex_dump(\"\", 0, 16, 1, REC->raw, 0, false)", "<\n>");
	expect(f, "\"%s\", __print_hex_dump(\"\", 1, 16, 1, REC->raw, 4, false)",
	       "refused: a dump with addresses");
	expect(f, "\"%s\", __print_hex_dump(\"\", 0, 16, 1, REC->raw, 17, false)", "not printed");
}

static void blocks_have_names_of_their_own(void **state)
{
	struct fixture *f = *state;

	/* dma_map_sg */
	expect(f,
	       "\"%d\", ({ int __x = (REC->b); int __y = (128); "
	       "((__x) < (__y) ? (__x) : (__y)); })",
	       "-11");
	/* kvm_mmu_get_page: level 5, 2 of the access, direct; bits as <asm/kvm_host.h> has them */
	put(f, 12, 5 | 1 << 7 | 2 << 8, 4);
	expect(f,
	       "\"%s %s\", ({ const char *saved_ptr = trace_seq_buffer_ptr(p); static const char "
	       "*access_str[] = { \"---\", \"--x\", \"w--\" }; union kvm_mmu_page_role role; "
	       "role.word = REC->uc; trace_seq_printf(p, \"l%u %u-byte%s %s\" \" %snxe%c\", "
	       "role.level, role.has_4_byte_gpte ? 4 : 8, role.direct ? \" direct\" : \"\", "
	       "access_str[role.access], role.efer_nx ? \"\" : \"!\", 0); saved_ptr; }), \"new\"",
	       "l5 8-byte direct w-- !nxe new");
}

static void columns_are_the_kernel_s(void **state)
{
	struct fixture *f = *state;

	/* number() of lib/vsprintf.c always writes 0x, and the digit of a zero */
	expect(f, "\"%#x %#lx %#o\", REC->m[0], 0UL, 0", "0x0 0x0 0");
	expect(f, "\"%#010x|%#x\", REC->ua, REC->ua", "0x000000fb|0xfb");
	expect(f, "\"%.0d|%5d|%-5d|%05d|%+d|% d\", 0, 42, 42, -42, 42, 42",
	       "0|   42|42   |-0042|+42| 42");
	expect(f, "\"%08.3d|%8.3d\", 7, 7", "00000007|     007");
	expect(f, "\"%-8s|%8s|%.2s\", REC->name, REC->name, REC->name", "task    |    task|ta");
	expect(f, "\"%.*s|%*d\", 3, REC->name, 4, 7", "tas|   7");
	expect(f, "\"%X %o %c%c%%\", REC->ua, 8, 'o', 107", "FB 10 ok%");
	expect(f,
	       "\"%-9s|%9s|\", __print_flags(REC->ua, \"|\", { 1, \"A\" }, { 2, \"B\" }), "
	       "__print_symbolic(REC->yes, { 1, \"one\" })",
	       "A|B|0xf8 |      one|");
	expect(f, "\"%s\" \" tail\\n\", \"a\" \"b\"", "ab tail\n");
}

static void tables_are_printed_as_the_kernel_s_helpers_do(void **state)
{
	struct fixture *f = *state;

	/* trace_print_flags_seq(): nothing for 0, what is left in hexadecimal */
	expect(f, "\"[%s]\", __print_flags(REC->m[0], \"|\", { 1, \"A\" })", "[]");
	expect(f,
	       "\"%s\", __print_flags(REC->ua, \",\", { 0xf0, \"F\" }, "
	       "{ 0x10, \"G\" }, { 8, \"H\" })",
	       "F,H,0x3");
	expect(f, "\"%s\", __print_flags(0x80, \"|\", { 1, \"A\" })", "0x80");
	/* A name that is known, one that is not, and an end */
	expect(f, "\"%s\", __print_flags(0x30, \"|\", { KNOWN, \"K\" }, { NEVER, \"N\" })",
	       "K|0x20");
	expect(f, "\"%s\", __print_flags(2, \"|\", { 2, \"B\" }, { 0, ((void *)0) }, { 1, \"A\" })",
	       "B");
	expect(f,
	       "\"%s %s\", __print_symbolic(1, { 1, \"one\" }, { 1, \"uno\" }), "
	       "__print_symbolic(REC->ua, { 1, \"one\" })",
	       "one 0xfb");
	expect(f, "\"%s\", __print_symbolic(REC->c, { -70000, \"minus\" })", "minus");
	expect(f, "\"%s\", __print_symbolic(REC->ua, { })", "0xfb");
	expect(f, "\"%s\", __print_symbolic_u64(REC->ud, { -1ULL, \"all\" })", "all");
	expect(f, "\"%s\", mc_event_error_type(REC->yes)", "Uncorrected");
	expect(f, "\"%u\", jiffies_to_msecs(REC->ua)", "1004");
}

static void arrays_are_printed_as_the_kernel_s_helpers_do(void **state)
{
	struct fixture *f = *state;

	expect(f, "\"%s\", __print_array(REC->m, 3, sizeof(s16))", "{0x0,0xff85,0x12c}");
	expect(f,
	       "\"%s\", __print_array(__get_dynamic_array(list), __get_dynamic_array_len(list) / "
	       "sizeof(u16), sizeof(u16))",
	       "{0x1,0xffff}");
	expect(f, "\"%s|%s\", __print_hex(REC->raw, 3), __print_hex_str(REC->raw, 3)",
	       "00 11 22|001122");
	/* The format of a probe's argument m=%di:s16[3] */
	expect(f, "\"m={%d,%d,%d}\", REC->m[0], REC->m[1], REC->m[2]", "m={0,-123,300}");
	expect(f, "\"%s\", __print_list(REC->m, 2, \"%d\")", "{0,-123}");
	expect(f, "\"%d %u\", ((s16 *)__get_dynamic_array(list))[1], *(u8 *)(&REC->raw[2])",
	       "-1 34");
	expect(f, "\"%s\", __get_bitmask(list)", "ffff0001");
	expect(f, "\"%*pb|%*pbl\", 10, REC->raw + 1, 16, &REC->raw[1]", "211|0,4,9,13");
	expect(f, "\"%u\", __get_dynamic_array_len(list)", "4");
}

static void text_comes_from_the_record(void **state)
{
	struct fixture *f = *state;

	expect(f, "\"%s %s %s\", REC->name, __get_str(str), __get_rel_str(rel)", "task hello rel");
	expect(f, "\"%s %s\", (char *)REC->name + 1, __get_str(str) + 2", "ask llo");
	expect(f, "\"%s%s\", __get_str(str)[0] ? \" \" : \"\", __get_str(str)", " hello");
	expect(f, "\"%s\", REC->yes ? __get_str(str) : \"none\"", "hello");
	expect(f, "\"%s\", ((void *)0)", "(null)");
	expect(f, "\"%s\", (const char *[]){ \"no\", \"yes\" }[REC->yes]", "yes");
}

/* A probe's, as print_type_string() of Linux's kernel/trace/trace_probe.c shows them */
static void strings_that_a_probe_could_not_read_are_faults(void **state)
{
	static const char probe[] =
		"name: probed\nID: 8\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:unsigned long __probe_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:__data_loc char[] str;\toffset:56;\tsize:4;\tsigned:0;\n\n"
		"print fmt: \"x\"\n";
	const char *one = "\"s=\\\"%s\\\" b\", __get_str(str)";
	struct fixture *f = *state;

	put(f, 56, 96, 4);
	expect(f, one, "s=\"\" b");
	assert_int_equal(tep_parse_event(f->tep, probe, sizeof(probe) - 1, "probes"), 0);
	f->event = tep_find_event(f->tep, 8);
	expect(f, one, "s=(fault) b");
	expect(f, "\"\\\"%s\\\"\", __get_str(str)", "(fault)");
	expect(f, "\"{\\\"%s\\\",\\\"%s\\\"}\", __get_str(str), __get_str(str)",
	       "{(fault),(fault)}");
	put(f, 56, 6 << 16 | 96, 4);
	expect(f, one, "s=\"hello\" b");
	/* an empty one that was read: its zero character */
	put(f, 56, 1 << 16 | 101, 4);
	expect(f, one, "s=\"\" b");
}

static void pointers_show_the_text_they_point_to(void **state)
{
	struct fixture *f = *state;

	expect(f, "\"%p %pK %px\", REC->ptr, REC->ptr, REC->ptr",
	       "0xffffffff81000012 0xffffffff81000012 0xffffffff81000012");
	expect(f, "\"%ps %pS %pS\", REC->ptr, REC->ptr, (void *)REC->uc",
	       "do_it do_it+0x12 0xee6b2800");
	expect(f, "\"%pI4 %pi4\", REC->raw, REC->raw + 4", "0.17.34.51 068.085.102.119");
	expect(f, "\"%pI6c\", REC->raw", "11:2233:4455:6677:8899:aabb:ccdd:eeff");
	expect(f, "\"%pM %pm %pMR\", REC->raw, REC->raw, REC->raw",
	       "00:11:22:33:44:55 001122334455 55:44:33:22:11:00");
	expect(f, "\"%pU %pUL\", REC->raw, REC->raw",
	       "00112233-4455-6677-8899-aabbccddeeff 33221100-5544-7766-8899-AABBCCDDEEFF");
	expect(f, "\"%3ph %4phC %*phN\", REC->raw, REC->raw, 2, REC->raw",
	       "00 11 22 00:11:22:33 0011");
	put(f, 40, 2, 2);
	expect(f, "\"%pISpc %pISc\", REC->raw, (struct sockaddr *)REC->raw",
	       "68.85.102.119:8755 68.85.102.119");
	put(f, 40, 99, 2);
	expect(f, "\"%pISpc\", REC->raw", "(einval)");
	f->env.kernel_text = true;
	expect(f, "\"%p %p\", REC->ptr, (void *)0x12", "ffffffff81000012 0000000000000012");
}

static void functions_of_the_kernel_are_known(void **state)
{
	struct fixture *f = *state;

	/* xen_mmu_set_pte: a long long of 16 digits, twice */
	expect(f,
	       "\"ptep %p pteval %0*llx (raw %0*llx)\", REC->ptr, (int)8 * 2, (unsigned long long)"
	       "pte_val(native_make_pte(REC->uc)), (int)8 * 2, (unsigned long long)REC->uc",
	       "ptep 0xffffffff81000012 pteval 00000000ee6b2800 (raw 00000000ee6b2800)");
	expect(f, "\"%llx %llx\", pgd_val(native_make_pgd(REC->ud)), pmd_val(native_make_pmd(3))",
	       "ffffffffffffffff 3");
	expect(f, "\"%lld\", (long long)pud_val(native_make_pud(REC->a))", "-5");
	expect(f, "\"%d\", pte_val()", "refused: a function that is not known");
	/* A plugin has the names of hypercalls. */
	expect(f, "\"op %u%s\", REC->ua, xen_hypercall_name(REC->ua)",
	       "refused: a function that is not known");
	f->event->flags |= TEP_EVENT_FL_FAILED;
	/* xen_mc_entry: the number is there already */
	expect(f, "\"op %u%s args [%lx]\", REC->ua, xen_hypercall_name(REC->ua), REC->ud",
	       "op 251 args [ffffffffffffffff]");
	/* nvme_sq, of a namespace and of the controller */
	expect(f, "\"nvme%d: %sqid=%d\", 0, nvme_trace_disk_name(p, REC->name), REC->ua",
	       "nvme0: disk=task, qid=251");
	put(f, 32, 0, 4);
	expect(f, "\"nvme%d: %sqid=%d\", 0, nvme_trace_disk_name(p, REC->name), REC->ua",
	       "nvme0: qid=251");
	expect(f, "\"%s\", nvme_trace_disk_name(p)", "nvme_trace_disk_name()");
	/* prq_report */
	expect(f, "\"%s\", decode_prq_descriptor(__get_str(str), 256, REC->ua, REC->ud, 0, 1)",
	       "dw0=0xfb dw1=0xffffffffffffffff dw2=0x0 dw3=0x1");
}

/* The values of uc, ua, b, c and d are in set_up(). */
static void unknown_functions_are_shown_as_calls(void **state)
{
	struct fixture *f = *state;

	expect(f, "\"%s\", foo(REC->uc)", "refused: a function that is not known");
	f->event->flags |= TEP_EVENT_FL_FAILED;
	/* xhci_handle_transfer; the first two arguments are a buffer in the record and its size */
	expect(f,
	       "\"%s: %s\", __print_symbolic(REC->yes, { 1, \"BULK\" }), "
	       "xhci_decode_trb(__get_str(str), 500, REC->uc, 0, REC->yes, 0x401)",
	       "BULK: xhci_decode_trb(0xee6b2800, 0, 1, 0x401)");
	expect(f, "\"%s|%s\", foo(p, REC->ua), foo()", "foo(0xfb)|foo()");
	expect(f, "\"%d %lx %c.\", foo(REC->b), bar(REC->c), foo(REC->yes)",
	       "foo(-11) bar(-70000) foo(1).");
	expect(f, "\"[%24s] [%-12d]\", foo(REC->ua), foo(1)",
	       "[               foo(0xfb)] [foo(1)      ]");
	expect(f, "\"%s\", foo(REC->name, __get_str(rel), BAR, \"x\")",
	       "foo(\"task\", \"rel\", BAR, \"x\")");
	expect(f, "\"%s\", foo(__get_dynamic_array(list), 4 / 2, REC->m)",
	       "foo({0x1,0xffff}, 2, {0x0,0xff85,0x12c})");
	expect(f, "\"%s\", foo(REC->ptr, (u8)(REC->c + 1))", "foo(0xffffffff81000012, 0x91)");
	expect(f, "\"%d\", foo(REC->yes) + REC->ua * 2", "foo(1) + 0x1f6");
	expect(f, "\"%s\", foo(REC->yes) ? \"yes\" : \"no\"", "foo(1) ? \"yes\" : \"no\"");
	expect(f, "\"%s\", !foo(1) ?: bar(-foo(2))[3]", "!foo(1) ?: bar(-foo(2))[3]");
	expect(f, "\"%s\", foo(__print_symbolic(REC->yes, { 1, \"BULK\" }))", "foo(BULK)");
	/* Not a function, but as little known */
	expect(f, "\"%d %d\", REC->ua, UNKNOWN", "251 UNKNOWN");
	expect(f, "\"%d %d\", REC->ptr->x, REC->ua", "0xffffffff81000012->x 251");
	expect(f, "\"%y %d\", REC->yes, REC->ua", "1 251");
}

/* <linux/string_choices.h>, <linux/math64.h>, <linux/byteorder/generic.h>, <linux/err.h> */
static void pure_functions_are_computed(void **state)
{
	struct fixture *f = *state;

	expect(f, "\"%s %s\", str_yes_no(REC->yes), str_yes_no(!REC->yes)", "yes no");
	expect(f, "\"%s %s %s\", str_on_off(REC->yes), str_enabled_disabled(0), str_up_down(1)",
	       "on disabled up");
	expect(f, "\"[%4s] [%-4s]\", str_on_off(REC->yes), str_read_write(0)", "[  on] [write]");
	expect(f,
	       "\"%d bit%s, %d bit%s\", REC->yes, str_plural(REC->yes), REC->ua, "
	       "str_plural(REC->ua)",
	       "1 bit, 251 bits");
	expect(f, "\"%lld %lld\", div_s64(REC->d, 1000), div_s64(REC->d, -7)",
	       "-5000000 714285714");
	expect(f, "\"%llu %llu\", div_u64(REC->ud, 10), div64_u64(REC->ud, REC->ua)",
	       "1844674407370955161 73493004277727297");
	expect(f, "\"%u %x %x\", ntohs(0x3500), ntohl(0x0a00000b), htons(REC->ub)",
	       "53 b00000a f5ff");
	expect(f, "\"%x %x %llx\", be16_to_cpu(0x1234), __be32_to_cpu(1), le64_to_cpu(REC->d)",
	       "3412 1000000 fffffffed5fa0e00");
	expect(f, "\"%x %x\", le16_to_cpup(REC->raw + 1), be32_to_cpup(&REC->raw[4])",
	       "2211 44556677");
	expect(f, "\"%lld %lld\", ktime_to_us(REC->d), ktime_to_ms(REC->d)", "-5000000 -5000");
	expect(f,
	       "\"%d %d %ld %d\", IS_ERR(REC->ptr), IS_ERR((void *)-2), PTR_ERR((void *)-2), "
	       "IS_ERR_OR_NULL(0)",
	       "0 1 -2 1");
	expect(f, "\"%u\", from_kuid(&init_user_ns, REC->ua)", "251");
	/* An argument may have a name that the body has, too. */
	expect(f, "\"%d\", ({ int a = 5; int b = REC->ua; div_s64(b, a); })", "50");
	expect(f, "\"%d\", div_s64(REC->ua)", "refused: a name that is not known");
	f->event->flags |= TEP_EVENT_FL_FAILED;
	expect(f, "\"%d %s\", div_s64(foo(1), 10), str_yes_no(foo(2))",
	       "div_s64(foo(1), 10) str_yes_no(foo(2))");
}

/* trace_events_synth.c: a function a line, up to a zero; some kernels record their number first. */
static void stacks_have_a_function_a_line(void **state)
{
	struct fixture *f = *state;

	put(f, 60, 24u << 16 | 112, 4);
	put(f, 112, 0xffffffff81000012, 8);
	put(f, 120, 0xffffffff81000001, 8);
	put(f, 128, 0, 8);
	expect(f, "\"s=%s\", __get_stacktrace(list)", "s=STACK:\n=> do_it+0x12\n=> do_it+0x1\n");
	put(f, 128, 0x1234, 8);
	expect(f, "\"s=%s\", __get_stacktrace(list)",
	       "s=STACK:\n=> do_it+0x12\n=> do_it+0x1\n=> 0x1234\n");
	put(f, 112, 2, 8);
	expect(f, "\"s=%s.\", __get_stacktrace(list)", "s=STACK:\n=> do_it+0x1\n=> 0x1234\n.");
	put(f, 60, 20u << 16 | 116, 4);
	put(f, 116, 0xffffffff81000001, 8);
	put(f, 124, 0xffffffff81000002, 8);
	expect(f, "\"s=%s\", __get_stacktrace(list)", "s=STACK:\n=> do_it+0x1\n=> do_it+0x2\n");
	put(f, 60, 0, 4);
	expect(f, "\"s=%s\", __get_stacktrace(list)", "s=STACK:\n");
	expect(f, "\"s=%s\", __get_stacktrace(other)", "refused: an unusual dynamic field");
}

/*
 * landlock_check_rule_inode and landlock_add_rule_path_beneath of Linux 7.3; the texts are those of
 * such a kernel (golden/tc-report/landlock has more).
 */
static void texts_of_landlock_are_the_kernel_s(void **state)
{
	static const char names[] =
		"\"grants=%s\", ({ static const struct trace_print_flags __layer_names[] = { "
		"{ (1ULL << 0), \"execute\" }, { (1ULL << 1), \"write_file\" }, "
		"{ (1ULL << 2), \"read_file\" } }; __trace_landlock_print_layers( p, "
		"__get_dynamic_array(list), __get_dynamic_array_len(list) / sizeof(u16), "
		"__layer_names, (sizeof(__layer_names) / sizeof((__layer_names)[0]) + ((int)sizeof("
		"struct {_Static_assert(!(!(!__builtin_types_compatible_p(typeof((__layer_names)), "
		"typeof(&(__layer_names)[0])))), \"must be array\");})))); })";
	struct fixture *f = *state;

	put(f, 60, 6u << 16 | 112, 4);
	put(f, 112, 6, 2);
	put(f, 114, 0, 2);
	put(f, 116, 9, 2);
	expect(f, names, "grants={write_file|read_file,,execute|0x8}");
	put(f, 60, 112, 4);
	expect(f, names, "grants={}");
	expect(f, "\"%s.\", __trace_print_untrusted_str(p, __get_str(str), 5)", "hello.");
	put(f, 56, 12u << 16 | 112, 4);
	memcpy(f->data + 112, "a \"\\\n\t\001\303'\0\033\0", 12);
	expect(f,
	       "\"%s\", __trace_print_untrusted_str(p, __get_str(str), "
	       "__get_dynamic_array_len(str) - 1)",
	       "a\\040\\\"\\\\\\n\\t\\001\\303\\047\\000\\e");
}

/* A type that no field has is not known; nor is one of another structure. */
static void sizes_are_known_of_types_that_fields_have(void **state)
{
	struct fixture *f = *state;

	expect(f, "\"%zu %zu\", sizeof(s8), sizeof(void *)", "1 8");
	expect(f, "\"%zu\", sizeof(other_t)", "refused: a name that is not known");
}

/* mm_shrink_slab_start: "ent" is the struct trace_entry of the common fields. */
static void members_of_ent_are_common_fields(void **state)
{
	struct fixture *f = *state;

	expect(f, "\"%d\", REC->ent.type", "7");
	expect(f, "\"%d\", REC->ent.nothing", "refused: a member of a structure");
}

static void commands_of_nvme_are_bytes(void **state)
{
	static const char print[] =
		"\"cmd=(%s %s)\", ((REC->ua) == nvme_fabrics_command ? __print_symbolic(REC->ub, "
		"{ nvme_fabrics_type_connect, \"connect\" }) : ((REC->yes) ? "
		"__print_symbolic(REC->ua, { nvme_cmd_read, \"read\" }) : "
		"__print_symbolic(REC->ua, { KNOWN, \"known\" }))), "
		"((REC->ua) == nvme_fabrics_command ? "
		"nvme_trace_parse_fabrics_cmd(p, REC->ub, REC->cdw10) : ((REC->yes) ? "
		"nvme_trace_parse_nvm_cmd(p, REC->ua, REC->cdw10) : "
		"nvme_trace_parse_admin_cmd(p, REC->ua, REC->cdw10)))";
	struct fixture *f = *state;

	f->event->flags |= TEP_EVENT_FL_FAILED;
	/* Names that the recording does not have leave the number. */
	expect(f, print,
	       "cmd=(0xfb cdw10=00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 "
	       "16 17)");
	put(f, 74, 0, 1);
	put(f, 3, 0x10, 1);
	expect(f, print,
	       "cmd=(known cdw10=00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 "
	       "16 17)");
	put(f, 3, 0x7f, 1);
	expect(f, print,
	       "cmd=(0xfff5 specific=00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 "
	       "14 15 16 17)");
}

static void constants_that_never_change_are_known(void **state)
{
	struct fixture *f = *state;

	/* xen_mc_extend_args, xen_mc_flush_reason, xen_mc_batch; <asm/xen/trace_types.h> */
	expect(f,
	       "\"%s\", REC->yes == XEN_MC_XE_OK ? \"OK\" : REC->yes == XEN_MC_XE_BAD_OP ? "
	       "\"BAD_OP\" : REC->yes == XEN_MC_XE_NO_SPACE ? \"NO_SPACE\" : \"???\"",
	       "BAD_OP");
	expect(f,
	       "\"%d %d %d %d\", XEN_MC_FL_NONE, XEN_MC_FL_BATCH, XEN_MC_FL_ARGS, "
	       "XEN_MC_FL_CALLBACK",
	       "0 1 2 3");
	expect(f,
	       "\"%d %d %d %d\", PARAVIRT_LAZY_MMU, XEN_LAZY_MMU, PARAVIRT_LAZY_CPU, "
	       "XEN_LAZY_CPU",
	       "1 1 2 2");
}

static void fields_outside_the_record_are_refused(void **state)
{
	struct fixture *f = *state;

	expect(f, "\"%d\", NEVER", "refused: a name that is not known");
	expect(f, "\"%d\", unheard_of(REC->a)", "refused: a function that is not known");
	expect(f, "\"%d\", REC->nothing", "refused: a field is missing");
	expect(f, "\"%d\", ((struct page *)REC->ptr)->flags", "refused: a member of a structure");
	expect(f, "\"%d\", *(int *)REC->ptr", "refused: memory that is not in the record");
	expect(f, "\"%pI4\", REC->ptr", "refused: memory that is not in the record");
	expect(f, "\"%d %d\", REC->a", "refused: an argument is missing");
	expect(f, "\"%d\", 1 / 0", "refused: a division by zero");
	expect(f, "\"%d\", REC->ua / REC->m[0]", "not printed");
	expect(f, "\"%u\", REC->raw[REC->uc]", "not printed");
	expect(f, "\"%n\", REC->a", "refused: an unusual conversion");
}

static void broken_formats_are_refused(void **state)
{
	static const char *const broken[] = {
		"",
		"x",
		"\"%d",
		"\"%d\", ",
		"\"%d\", (",
		"\"%d\", 1 +",
		"\"%d\", 1 ? 2",
		"\"%d\", [1]",
		"\"%d\" REC->a",
		"\"%d\", REC->",
		"\"%d\", 1 2",
		"\"%d\", ({ int x = 1; })",
		"\"%d\", ({ x; )",
		"\"%d\", sizeof()",
		"\"%d\", 08x",
		"\"%s\", {1, ",
		"\"%d\", @",
		"\"%d\", '",
		"\"%d\", 1)",
		"\"%d\", a[",
	};
	struct fixture *f = *state;
	char *got;

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		got = printed(f, broken[i]);
		assert_non_null(got);
		assert_memory_equal(got, "refused", 7);
		free(got);
	}
}

/* @n times @open, a 1, @n times @close: the stack and the time that are taken are bounded */
static void nested(struct fixture *f, const char *open, const char *close, size_t n)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char *got;
	size_t i;
	int rc = tfs_strbuf_adds(&text, "\"%d\", ");

	for (i = 0; i < n && !rc; i++)
		rc = tfs_strbuf_adds(&text, open);
	if (!rc)
		rc = tfs_strbuf_adds(&text, "1");
	for (i = 0; i < n && !rc; i++)
		rc = tfs_strbuf_adds(&text, close);
	got = rc ? NULL : printed(f, text.s);
	tfs_strbuf_release(&text);
	assert_non_null(got);
	assert_memory_equal(got, "refused", 7);
	free(got);
}

static void depth_and_size_are_bounded(void **state)
{
	struct fixture *f = *state;

	nested(f, "(", ")", 100000);
	nested(f, "-", "", 100000);
	nested(f, "(u8)", "", 100000);
	nested(f, "REC->a + ", "", 100000);
	nested(f, "1 ? ", " : 2", 100000);
	nested(f, "x[", "]", 100000);
	nested(f, "f(", ")", 100000);
	nested(f, "({ ", "; })", 100000);
	expect(f, "\"%99999d\", 1", "refused: a column too wide");
}

static void numbers_that_stand_for_something_are_printed_as_that(void **state)
{
	struct fixture *f = *state;

	f->meant = true;
	expect(f, "\"m=%u\", REC->uc", "m=LARGE");
	/* what the kernel has before a number of a probe goes with it */
	expect(f, "\"m=0x%x n=0x%x\", REC->uc, REC->c", "m=LARGE n=0xfffeee90");
	put(f, 12, 0, 4);
	expect(f, "\"m=0x%x\", REC->uc", "m=OFF");
	put(f, 12, 17, 4);
	expect(f, "\"m=0x%x m=%u 100%%\", REC->uc, REC->uc", "m=0x11 m=17 100%");
	/* of two bytes, of which no name has the value */
	expect(f, "\"m=%d\", REC->b", "m=-11");
	/* -2.5 */
	put(f, 16, 0xc004000000000000, 8);
	expect(f, "\"d=0x%Lx %s\", REC->d, REC->name", "d=-2.5 task");
	expect(f, "\"%lld\", REC->d + 0", "-4610560118520545280");
	/* one byte is not a floating-point number */
	expect(f, "\"%u\", REC->ua", "251");
}

static void bits_have_the_sign_that_the_recording_gives_them(void **state)
{
	struct fixture *f = *state;

	f->meant = true;
	put(f, 6, 25, 2);
	expect(f, "\"b=%u x=0x%x\", REC->ub, REC->ub", "b=-7 x=-7");
	put(f, 6, 15, 2);
	expect(f, "\"b=%u\", REC->ub", "b=15");
	put(f, 24, 6, 8);
	expect(f, "\"m=%Lu\", REC->ud", "m=LOW");
	put(f, 24, 7, 8);
	expect(f, "\"m=%Lu\", REC->ud", "m=-1");
	put(f, 24, 3, 8);
	expect(f, "\"m=%Lu\", REC->ud", "m=3");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(signs_are_those_of_the_field_s_type),
		TEST(numbers_are_computed_by_c_s_rules),
		TEST(pointers_that_are_errors_have_their_names),
		TEST(dynamic_arrays_are_shown_whole),
		TEST(dumps_are_the_kernels),
		TEST(blocks_have_names_of_their_own),
		TEST(columns_are_the_kernel_s),
		TEST(tables_are_printed_as_the_kernel_s_helpers_do),
		TEST(arrays_are_printed_as_the_kernel_s_helpers_do),
		TEST(text_comes_from_the_record),
		TEST(strings_that_a_probe_could_not_read_are_faults),
		TEST(pointers_show_the_text_they_point_to),
		TEST(functions_of_the_kernel_are_known),
		TEST(unknown_functions_are_shown_as_calls),
		TEST(pure_functions_are_computed),
		TEST(stacks_have_a_function_a_line),
		TEST(texts_of_landlock_are_the_kernel_s),
		TEST(sizes_are_known_of_types_that_fields_have),
		TEST(members_of_ent_are_common_fields),
		TEST(commands_of_nvme_are_bytes),
		TEST(constants_that_never_change_are_known),
		TEST(fields_outside_the_record_are_refused),
		TEST(broken_formats_are_refused),
		TEST(depth_and_size_are_bounded),
		TEST(numbers_that_stand_for_something_are_printed_as_that),
		TEST(bits_have_the_sign_that_the_recording_gives_them),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
