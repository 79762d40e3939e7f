/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This program poses as a kernel: it has the symbols that a kernel's linker script sets, and
 * tables between them, as the assembler and the linker make them. Real kernels are asked by
 * tests/vm/t-probe-verdict.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "dso/dso.h"
#include "dso/kernel-text.h"
#include "dso/symbol.h"

#ifdef __x86_64__
__asm__(".macro k_func name\n"
	".type \\name, @function\n"
	"\\name:\n"
	".endm\n"
	".text\n"
	".balign 16\n"
	"k_func k_outside\n"
	"nop; ret\n"
	".balign 16\n"
	"k_func _stext\n"
	"ret\n"
	".balign 16\n"
	"k_func k_traced\n"
	"1: nop; nop\n"
	"2: jmp 3f\n"
	"3: nop; ud2; ret\n"
	".balign 16\n"
	"k_func k_notrace\n"
	"nop; ret\n"
	".balign 16\n"
	"k_func k_traced.cold\n"
	"nop; ret\n"
	".balign 16\n"
	"k_func k_gone.part.0.cold\n"
	"nop; ret\n"
	".balign 16\n"
	"k_func k_nokprobe\n"
	"4: nop; nop; ret\n"
	".balign 16\n"
	"k_func __noinstr_text_start\n"
	"k_func k_noinstr\n"
	"5: nop; ret\n"
	"k_func __noinstr_text_end\n"
	"ret\n"
	".balign 16\n"
	"k_func _etext\n"
	"ret\n"
	".data\n"
	".balign 8\n"
	"__start_mcount_loc: .quad 4b, 1b, 5b\n"
	"__stop_mcount_loc:\n"
	"__start_kprobe_blacklist: .quad k_nokprobe\n"
	"__stop_kprobe_blacklist:\n"
	"__start___jump_table: .long 2b - ., 3b - .\n"
	".quad 0\n"
	"__stop___jump_table:\n"
	/* more entries than there are in the file */
	"__start_static_call_sites: .quad 0\n"
	".set __stop_static_call_sites, __start_static_call_sites + 0x7fffffff\n"
	".text\n");
#endif

struct fixture {
	struct tfs_dso *dso;
};

static int setup(void **state)
{
	static const struct tfs_dso_options opts = { .kernel = true };
	static struct fixture f;

	*state = &f;
	return tfs_dso_open("/proc/self/exe", &opts, &f.dso, NULL);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_dso_free(f->dso);
	return 0;
}

/* Why a place is refused, "" if it is not. */
static const char *why(struct fixture *f, const char *name, uint64_t off)
{
	const struct tfs_symbol *const *found;
	const char *text;

	assert_int_equal(tfs_symbol_named(f->dso, name, &found), 1);
	text = tfs_kernel_text_refuses(f->dso, found[0]->addr + off);
	return text ? text : "";
}

static void functions_that_can_be_traced_can_be_probed(void **state)
{
	assert_string_equal(why(*state, "k_traced", 0), "");
	assert_string_equal(why(*state, "k_traced", 1), "");
}

static void functions_that_cannot_be_traced_are_refused(void **state)
{
	assert_non_null(strstr(why(*state, "k_notrace", 0), "not traced"));
	assert_non_null(strstr(why(*state, "k_notrace", 1), "not traced"));
}

static void a_part_is_judged_by_its_function(void **state)
{
	assert_string_equal(why(*state, "k_traced.cold", 0), "");
	assert_non_null(strstr(why(*state, "k_gone.part.0.cold", 0), "not traced"));
}

static void marked_functions_are_refused(void **state)
{
	assert_non_null(strstr(why(*state, "k_nokprobe", 1), "takes no probe"));
	assert_non_null(strstr(why(*state, "k_noinstr", 0), "instrumented"));
}

static void refuses_replaced_instructions(void **state)
{
	assert_non_null(strstr(why(*state, "k_traced", 2), "replaces"));
	assert_non_null(strstr(why(*state, "k_traced", 5), "BUG"));
}

static void addresses_outside_are_dropped(void **state)
{
	assert_non_null(strstr(why(*state, "k_outside", 0), "after boot"));
	assert_non_null(strstr(why(*state, "_etext", 0), "after boot"));
}

static bool poses(void)
{
	const struct tfs_symbol *const *found;
	struct tfs_dso *dso = NULL;
	bool is;

	if (tfs_dso_open("/proc/self/exe", NULL, &dso, NULL))
		return true;
	is = !tfs_dso_is_pie(dso) && tfs_symbol_named(dso, "__start_mcount_loc", &found) == 1;
	tfs_dso_free(dso);
	return is;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(functions_that_can_be_traced_can_be_probed),
		TEST(functions_that_cannot_be_traced_are_refused),
		TEST(a_part_is_judged_by_its_function),
		TEST(marked_functions_are_refused),
		TEST(refuses_replaced_instructions),
		TEST(addresses_outside_are_dropped),
	};

	if (!poses()) {
		printf("1..0 # SKIP it poses as a kernel for x86_64, at a fixed address\n");
		return 77;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
