/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#include "printfmt/printks.h"
#include "printfmt/symbols.h"

/* libtraceevent's table and ours, of the same text. */
struct fixture {
	struct tep_handle *tep;
	struct tfs_symbols *symbols;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->tep = tep_alloc();
	tep_set_loglevel(TEP_LOG_NONE);
	*state = f;
	return f->tep ? tfs_symbols_new(&f->symbols) : -1;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tfs_symbols_free(f->symbols);
	tep_free(f->tep);
	free(f);
	return 0;
}

static void load(struct fixture *f, const char *text)
{
	tep_parse_kallsyms(f->tep, text);
	assert_int_equal(tfs_symbols_add(f->symbols, text, strlen(text)), 0);
}

static void compare_at(struct fixture *f, uint64_t addr)
{
	const char *theirs = tep_find_function(f->tep, addr);
	uint64_t start = 0;
	const char *ours = tfs_symbols_find(f->symbols, addr, &start);

	if (!theirs) {
		assert_null(ours);
		return;
	}
	assert_non_null(ours);
	assert_string_equal(ours, theirs);
	assert_int_equal(start, tep_find_function_address(f->tep, addr));
}

static void compare_around(struct fixture *f, const uint64_t *addrs, size_t n)
{
	size_t i;
	int d;

	for (i = 0; i < n; i++)
		for (d = -3; d <= 3; d++)
			compare_at(f, addrs[i] + (uint64_t)d);
}

static void names_are_those_libtraceevent_finds(void **state)
{
	static const uint64_t addrs[] = {
		0,
		3,
		0x1000,
		0x1010,
		0x1020,
		0x2000,
		0xffffffff81000000,
		0xffffffffc0000000,
		0xffffffffffffffff,
	};
	struct fixture *f = *state;

	load(f, "0000000000001000 T first\n"
		"0000000000001010 t twice\n"
		"0000000000001010 T again\n"
		"0000000000001010 W thrice\n"
		"0000000000001018 t $a.1\n"
		"0000000000000003 A offset\n"
		"0000000000000005 a per_cpu\n"
		"0000000000002000 D data\n"
		"ffffffff81000000 T _stext\n"
		"ffffffffc0000000 t of_module\t[mod]\n"
		"0000000000001020 t unsorted\n");
	compare_around(f, addrs, ARRAY_SIZE(addrs));
}

/* As the kernel writes them: by address, several at some. */
static void lines_that_are_sorted_make_the_same_table(void **state)
{
	static const uint64_t addrs[] = { 0x1000, 0x1010, 0x1020, 0x2000, 0xffffffff81000000 };
	struct fixture *f = *state;

	load(f, "0000000000001000 T first\n"
		"0000000000001010 t twice\n"
		"0000000000001010 T again\n"
		"0000000000001010 W thrice\n"
		"0000000000001020 t one_more\n"
		"0000000000001020 t and_its_end\n"
		"0000000000002000 D data\n"
		"ffffffff81000000 T _stext\n"
		"ffffffff81000000 T _text\n");
	compare_around(f, addrs, ARRAY_SIZE(addrs));
}

static void lines_of_two_texts_make_one_table(void **state)
{
	static const uint64_t addrs[] = { 0x1000, 0x1010, 0x2000 };
	struct fixture *f = *state;

	load(f, "0000000000001000 T first\n"
		"0000000000001010 t twice\n"
		"0000000000001010 T again\n"
		"0000000000002000 D data\n");
	load(f, "0000000000001010 T fourth\n"
		"0000000000001018 T after\n");
	compare_around(f, addrs, ARRAY_SIZE(addrs));
}

/* As the kernel writes them: its own by address, and modules' as they are loaded. */
static void lines_of_modules_come_where_their_addresses_are(void **state)
{
	static const uint64_t addrs[] = { 0x1000,
					  0x1010,
					  0x1020,
					  0x2000,
					  0xffffffffc0000100,
					  0xffffffffc0000200,
					  0xffffffffc0000210 };
	struct fixture *f = *state;

	load(f, "0000000000001000 T first\n"
		"0000000000001010 t twice\n"
		"0000000000001010 T again\n"
		"ffffffffc0000200 t second\t[second]\n"
		"ffffffffc0000210 t its_last\t[second]\n"
		"ffffffffc0000100 t third\t[third]\n"
		"ffffffffc0000200 d at_the_first_of_all\t[third]\n"
		"0000000000001010 t once_more\t[below]\n"
		"0000000000001008 t between\t[below]\n");
	compare_around(f, addrs, ARRAY_SIZE(addrs));
}

static void lines_of_another_text_come_among_the_first_ones(void **state)
{
	static const uint64_t addrs[] = { 0x800, 0x1000, 0x1010, 0x1018, 0x2000 };
	struct fixture *f = *state;

	load(f, "0000000000001000 T first\n"
		"0000000000001010 t twice\n"
		"0000000000001010 T again\n"
		"0000000000002000 t end\n"
		"0000000000001010 t of_module\t[mod]\n");
	load(f, "0000000000001018 t more\n"
		"0000000000002000 t and_more\n"
		"0000000000001010 t fifth\n"
		"0000000000000800 t lowest\n");
	compare_around(f, addrs, ARRAY_SIZE(addrs));
}

/* Names of all lengths, and digits that are not sixteen, in capitals, or run into the name. */
static void names_and_numbers_are_read_to_their_end(void **state)
{
	static const char name[] = "a_name_that_is_quite_long.isra.0";
	struct fixture *f = *state;
	char text[4096], *p = text;
	unsigned int i;

	for (i = 1; i < sizeof(name); i++)
		p += snprintf(p, 128, "%0*x t %.*s%s\n", 4 + (int)(i % 16), i * 0x100, (int)i, name,
			      i % 3 ? "" :
			      i % 2 ? "\t[mod]" :
				      " [mod]");
	snprintf(p, 128,
		 "00000000ABCDEF00 T CAPITALS\n"
		 "00000000abcdeg00 T not_a_digit\n");
	load(f, text);
	for (i = 1; i < sizeof(name); i++)
		compare_at(f, i * 0x100 + 3);
	compare_at(f, 0xabcdef00);
	compare_at(f, 0xabcde);
}

/* Every address of a group of equal ones, for which symbol is found. */
static void finds_the_same_name_among_equal_addresses(void **state)
{
	struct fixture *f = *state;
	char *text = calloc(1, 100000), *p = text;
	uint64_t seed = 7;
	int i;

	assert_non_null(text);
	for (i = 0; i < 1500; i++) {
		seed = seed * 6364136223846793005U + 1442695040888963407U;
		p += snprintf(p, 64, "%016x t f%d\n", (unsigned int)(seed >> 54), i);
	}
	load(f, text);
	/* Each time, also when it was found before and when its neighbours were. */
	for (i = 0; i < 3 * 1100; i++)
		compare_at(f, (uint64_t)(i % 1100));
	free(text);
}

static void lines_of_another_form_end_the_table(void **state)
{
	static const char *const texts[] = {
		"1000 T good\n\n2000 T after_empty\n",
		"1000 T good\nno line\n3000 T after\n",
		"1000 T good\n2000 T\n3000 T after\n",
		"1000 T good\n2000\n3000 T after\n",
		"1000 T good",
		"",
		"T",
		"\n\n",
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		static const uint64_t addrs[] = { 0x1000, 0x2000, 0x3000 };
		struct fixture f = { .tep = tep_alloc() };

		assert_int_equal(tfs_symbols_new(&f.symbols), 0);
		load(&f, texts[i]);
		compare_around(&f, addrs, 3);
		tfs_symbols_free(f.symbols);
		tep_free(f.tep);
	}
}

/* lib/vsprintf.c and kernel/kallsyms.c: a size reaches to the next address that is another */
static void places_have_a_size_and_a_module_and_are_of_functions(void **state)
{
	struct fixture *f = *state;
	const struct tfs_symbol_info *at;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	uint64_t start;
	unsigned int i;

	assert_int_equal(tfs_strbuf_adds(&text, "ffffffff81000000 T one\n"
						"ffffffff81000040 t two\n"
						"ffffffff81000040 t alias\n"),
			 0);
	for (i = 0; i < 40; i++)
		assert_int_equal(tfs_strbuf_addf(&text, "ffffffff81001%03x t f%u\n", i * 16, i), 0);
	assert_int_equal(tfs_strbuf_adds(&text, "ffffffff82000000 D __start_rodata\n"
						"ffffffffc0000000 t in_a_module\t[ext4]\n"
						"ffffffffc0000100 t last\t[ext4]\n"),
			 0);
	load(f, text.s);
	at = tfs_symbols_info(f->symbols, 0xffffffff81000012);
	assert_non_null(at);
	assert_string_equal(at->name, "one");
	assert_int_equal(at->name_len, 3);
	assert_int_equal(at->size, 0x40);
	assert_null(at->module);
	at = tfs_symbols_info(f->symbols, 0xffffffff81000050);
	assert_non_null(at);
	assert_int_equal(at->size, 0xfc0);
	at = tfs_symbols_info(f->symbols, 0xffffffffc0000001);
	assert_non_null(at);
	assert_int_equal(at->size, 0x100);
	assert_int_equal(at->module_len, 6);
	assert_memory_equal(at->module, "[ext4]", 6);
	/* iomap_iter's "ops %ps" on a kernel without CONFIG_KALLSYMS_ALL */
	assert_null(tfs_symbols_info(f->symbols, 0xffffffff82000780));
	assert_non_null(tfs_symbols_find(f->symbols, 0xffffffff82000780, &start));
	tfs_strbuf_release(&text);
}

/* get_symbol_pos() of the kernel goes back to the first of several at one address */
static void the_kernel_names_the_first_of_several_symbols(void **state)
{
	static const uint64_t addrs[] = { 0x2000, 0x2010 };
	struct fixture *f = *state;
	uint64_t start;

	tfs_symbols_prefer_first(f->symbols);
	load(f, "1000 T before\n2000 T __do_sys_a\n2000 T __ia32_sys_a\n2000 T __x64_sys_a\n"
		"3000 T after\n");
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(tfs_symbols_find(f->symbols, addrs[i], &start), "__do_sys_a");
		assert_int_equal(start, 0x2000);
	}
	assert_string_equal(tfs_symbols_find(f->symbols, 0x1fff, &start), "before");
}

static void a_name_has_the_address_of_its_first_symbol(void **state)
{
	struct fixture *f = *state;
	uint64_t addr = 0;

	load(f, "3000 T b\n2000 T a\n1000 T b\n");
	assert_true(tfs_symbols_address(f->symbols, "b", &addr));
	assert_int_equal(addr, 0x1000);
	assert_true(tfs_symbols_address(f->symbols, "a", &addr));
	assert_int_equal(addr, 0x2000);
	assert_false(tfs_symbols_address(f->symbols, "c", &addr));
	assert_false(tfs_symbols_address(f->symbols, "c", &addr));
	/* A name that was missing is found once its symbol is added. */
	load(f, "4000 T c\n");
	assert_true(tfs_symbols_address(f->symbols, "c", &addr));
	assert_int_equal(addr, 0x4000);
	assert_false(tfs_symbols_address(f->symbols, "", &addr));
}

static void strings_of_the_kernel_lose_quotes_and_newline(void **state)
{
	static const char first[] = "\"tick\\n\"", second[] = "\"no newline\"", third[] = "bare\\n";
	struct tfs_printks *p;

	(void)state;
	assert_int_equal(tfs_printks_new(&p), 0);
	assert_int_equal(tfs_printks_add(p, 300, first, sizeof(first) - 1), 0);
	assert_int_equal(tfs_printks_add(p, 100, second, sizeof(second) - 1), 0);
	assert_int_equal(tfs_printks_add(p, 200, third, sizeof(third) - 1), 0);
	tfs_printks_sort(p);
	assert_string_equal(tfs_printks_find(p, 300), "tick");
	assert_string_equal(tfs_printks_find(p, 100), "no newline");
	assert_string_equal(tfs_printks_find(p, 200), "bare\\n");
	assert_null(tfs_printks_find(p, 299));
	assert_null(tfs_printks_find(p, 301));
	tfs_printks_free(p);
}

/* From the highest address down: to move all before each would take hours. */
#define PRINTKS 2000000

static void strings_may_come_in_any_order(void **state)
{
	struct tfs_printks *p;
	char text[16];
	int i;

	(void)state;
	assert_int_equal(tfs_printks_new(&p), 0);
	for (i = PRINTKS; i; i--) {
		snprintf(text, sizeof(text), "%d", i);
		assert_int_equal(tfs_printks_add(p, (uint64_t)i * 8, text, strlen(text)), 0);
	}
	/* The last of two symbols at one address counts. */
	assert_int_equal(tfs_printks_add(p, 16, "again", 5), 0);
	assert_int_equal(tfs_printks_add(p, 16, "at last", 7), 0);
	tfs_printks_sort(p);
	assert_string_equal(tfs_printks_find(p, 8), "1");
	assert_string_equal(tfs_printks_find(p, 16), "at last");
	assert_string_equal(tfs_printks_find(p, (uint64_t)PRINTKS * 8), "2000000");
	assert_string_equal(tfs_printks_find(p, 8 * 12345), "12345");
	assert_null(tfs_printks_find(p, 12));
	tfs_printks_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			places_have_a_size_and_a_module_and_are_of_functions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_are_those_libtraceevent_finds, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(lines_that_are_sorted_make_the_same_table, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(lines_of_modules_come_where_their_addresses_are,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(lines_of_another_text_come_among_the_first_ones,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(lines_of_two_texts_make_one_table, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(names_and_numbers_are_read_to_their_end, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(finds_the_same_name_among_equal_addresses, set_up,
						tear_down),
		cmocka_unit_test(lines_of_another_form_end_the_table),
		cmocka_unit_test_setup_teardown(the_kernel_names_the_first_of_several_symbols,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_name_has_the_address_of_its_first_symbol, set_up,
						tear_down),
		cmocka_unit_test(strings_of_the_kernel_lose_quotes_and_newline),
		cmocka_unit_test(strings_may_come_in_any_order),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
