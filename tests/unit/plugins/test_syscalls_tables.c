/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of plugin_syscalls against what kernels themselves and strace say: see the first lines
 * of the files in data/.
 */
#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <trace-seq.h>

#include "syscalls/abi.h"
#include "syscalls/decode.h"
#include "syscalls/tables.h"

#define MAX_WORDS 8
#define LINE_SIZE 512

/* struct word_file - reads the lines of a file of data/ as words */
struct word_file {
	FILE *file;
	const char *name;
	char line[LINE_SIZE];
	char *words[MAX_WORDS];
	size_t n_words;
	unsigned int n_lines;
};

static void word_file_open(struct word_file *f, const char *name)
{
	const char *src = getenv("TC_SRCDIR");
	char path[4096];

	memset(f, 0, sizeof(*f));
	f->name = name;
	snprintf(path, sizeof(path), "%s/tests/unit/plugins/data/%s", src ? src : ".", name);
	f->file = fopen(path, "r");
	if (!f->file)
		fail_msg("cannot open '%s': %s", path, strerror(errno));
}

static bool word_file_next(struct word_file *f)
{
	char *word, *rest;

	do {
		if (!fgets(f->line, sizeof(f->line), f->file)) {
			fclose(f->file);
			return false;
		}
	} while (f->line[0] == '#');
	f->n_lines++;
	f->n_words = 0;
	for (word = strtok_r(f->line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		assert_true(f->n_words < MAX_WORDS);
		f->words[f->n_words++] = word;
	}
	return true;
}

static bool has_parameters(const struct sys_proto *proto, char *const *names, size_t n)
{
	size_t i;

	if (proto->raw || proto->n_args != n)
		return false;
	for (i = 0; i < n; i++)
		if (strcmp(proto->args[i].name, names[i]) != 0)
			return false;
	return true;
}

static void check_events(const char *name, unsigned int at_least)
{
	struct word_file f;
	size_t i;

	word_file_open(&f, name);
	while (word_file_next(&f)) {
		bool found = false;

		for (i = 0; i < sys_n_protos && !found; i++)
			found = strcmp(sys_protos[i].event, f.words[0]) == 0 &&
				has_parameters(&sys_protos[i], f.words + 1, f.n_words - 1);
		if (!found)
			fail_msg("%s: no prototype with the parameters of %s", f.name, f.words[0]);
	}
	assert_true(f.n_lines >= at_least);
}

static void parameters_are_those_of_the_kernels_own_events(void **state)
{
	(void)state;
	check_events("events-x86_64-6.18.txt", 360);
	check_events("events-arm64-6.1.txt", 300);
	check_events("events-s390x-6.1.txt", 343);
	check_events("events-ppc64le-6.1.txt", 356);
}

static void check_numbers(const char *abi_name, unsigned int at_least)
{
	const enum sys_abi abi = sys_abi_parse(abi_name);
	struct word_file f;
	char name[64];

	assert_int_not_equal(abi, SYS_ABI_NONE);
	snprintf(name, sizeof(name), "numbers-%s.txt", abi_name);
	word_file_open(&f, name);
	while (word_file_next(&f)) {
		int64_t nr = strtoll(f.words[0], NULL, 10);
		const struct sys_entry *entry;
		enum sys_abi got;

		got = sys_abi_of_id(abi == SYS_ABI_X32 ? SYS_ABI_X86_64 : abi, &nr);
		assert_int_equal(got, abi);
		entry = sys_abi_lookup(abi, nr);
		if (!entry)
			fail_msg("%s: no call %s", abi_name, f.words[0]);
		if (strcmp(entry->name, f.words[1]) != 0 &&
		    strcmp(entry->proto->event, f.words[1]) != 0)
			fail_msg("%s: %s is %s, not %s", abi_name, f.words[0], f.words[1],
				 entry->name);
	}
	assert_true(f.n_lines >= at_least);
}

static void numbers_are_those_that_kernels_recorded(void **state)
{
	(void)state;
	check_numbers("x86_64", 60);
	check_numbers("arm64", 38);
	check_numbers("s390x", 38);
	check_numbers("ppc64le", 38);
}

static void numbers_are_those_of_strace(void **state)
{
	(void)state;
	check_numbers("i386", 430);
	check_numbers("x32", 340);
}

static bool has_word(const char *text, const char *word)
{
	const size_t size = strlen(word);
	const char *at = text;

	for (; (at = strstr(at, word)); at += size)
		if ((at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
		    !isalnum((unsigned char)at[size]) && at[size] != '_')
			return true;
	return false;
}

static void values_have_the_names_that_strace_prints(void **state)
{
	uint64_t regs[SYS_MAX_ARGS];
	struct trace_seq s;
	struct word_file f;
	size_t i;

	(void)state;
	word_file_open(&f, "values-x86_64.txt");
	trace_seq_init(&s);
	while (word_file_next(&f)) {
		const struct sys_entry *entry =
			sys_abi_lookup(SYS_ABI_X86_64, strtoll(f.words[0], NULL, 10));

		assert_non_null(entry);
		assert_int_equal(f.n_words, SYS_MAX_ARGS + 2);
		for (i = 0; i < SYS_MAX_ARGS; i++)
			regs[i] = strtoull(f.words[i + 1], NULL, 16);
		trace_seq_reset(&s);
		sys_print_args(&s, SYS_ABI_X86_64, entry->proto, regs, SYS_MAX_ARGS);
		trace_seq_terminate(&s);
		if (!has_word(s.buffer, f.words[SYS_MAX_ARGS + 1]))
			fail_msg("%s(%s) has no %s", entry->name, s.buffer,
				 f.words[SYS_MAX_ARGS + 1]);
	}
	trace_seq_destroy(&s);
	assert_true(f.n_lines > 1000);
}

static void newer_calls_have_one_number_everywhere(void **state)
{
	const struct sys_entry *entry, *first;
	size_t abi;
	int64_t nr;

	(void)state;
	/* scripts/syscall.tbl: from 424 on, a new call gets the same number on all architectures */
	for (nr = 424; nr <= 469; nr++) {
		first = sys_abi_lookup(SYS_ABI_X86_64, nr);
		assert_non_null(first);
		for (abi = 0; abi < SYS_N_ABIS; abi++) {
			entry = sys_abi_lookup((enum sys_abi)abi, nr);
			if (entry)
				assert_string_equal(entry->name, first->name);
			else if (nr != 447) /* memfd_secret is not on all */
				fail_msg("ABI %zu has no %s", abi, first->name);
		}
	}
}

static void every_entry_is_found_by_its_number(void **state)
{
	size_t abi, i;

	(void)state;
	for (abi = 0; abi < SYS_N_ABIS; abi++) {
		const struct sys_table *table = &sys_tables[abi];

		assert_true(table->n > 300);
		for (i = 0; i < table->n; i++)
			assert_ptr_equal(sys_abi_lookup((enum sys_abi)abi, table->entries[i].nr),
					 &table->entries[i]);
		assert_null(sys_abi_lookup((enum sys_abi)abi, -1));
		assert_null(sys_abi_lookup((enum sys_abi)abi, INT64_MAX));
	}
	assert_null(sys_abi_lookup(SYS_ABI_NONE, 0));
}

static void machines_are_known_by_uname_and_by_name(void **state)
{
	(void)state;
	assert_int_equal(sys_abi_parse("x86_64"), SYS_ABI_X86_64);
	assert_int_equal(sys_abi_parse("aarch64"), SYS_ABI_ARM64);
	assert_int_equal(sys_abi_parse("armv7l"), SYS_ABI_ARM);
	assert_int_equal(sys_abi_parse("i686"), SYS_ABI_I386);
	assert_int_equal(sys_abi_parse("ppc64le"), SYS_ABI_PPC64LE);
	assert_int_equal(sys_abi_parse("riscv64"), SYS_ABI_RISCV64);
	assert_int_equal(sys_abi_parse("s390x"), SYS_ABI_S390X);
	assert_int_equal(sys_abi_parse("pdp11"), SYS_ABI_NONE);
	assert_int_equal(sys_abi_parse(""), SYS_ABI_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_are_those_of_the_kernels_own_events),
		cmocka_unit_test(numbers_are_those_that_kernels_recorded),
		cmocka_unit_test(numbers_are_those_of_strace),
		cmocka_unit_test(values_have_the_names_that_strace_prints),
		cmocka_unit_test(newer_calls_have_one_number_everywhere),
		cmocka_unit_test(every_entry_is_found_by_its_number),
		cmocka_unit_test(machines_are_known_by_uname_and_by_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
