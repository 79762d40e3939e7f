/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dso/arch/machine.h"

/* From the machines' psABIs and the kernel's regoffset_table of each. */
static void registers_have_the_kernels_names(void **state)
{
	static const struct {
		unsigned int elf, bits;
		bool big;
		unsigned int number;
		const char *name;
	} want[] = {
		{ EM_X86_64, 64, false, 0, "ax" },    { EM_X86_64, 64, false, 1, "dx" },
		{ EM_X86_64, 64, false, 2, "cx" },    { EM_X86_64, 64, false, 3, "bx" },
		{ EM_X86_64, 64, false, 4, "si" },    { EM_X86_64, 64, false, 5, "di" },
		{ EM_X86_64, 64, false, 15, "r15" },  { EM_X86_64, 64, false, 16, NULL },
		{ EM_386, 32, false, 1, "cx" },       { EM_386, 32, false, 5, "bp" },
		{ EM_AARCH64, 64, false, 30, "x30" }, { EM_AARCH64, 64, false, 31, "sp" },
		{ EM_ARM, 32, false, 11, "fp" },      { EM_ARM, 32, false, 14, "lr" },
		{ EM_RISCV, 64, false, 10, "a0" },    { EM_RISCV, 64, false, 18, "s2" },
		{ EM_RISCV, 64, false, 31, "t6" },    { EM_S390, 64, true, 15, "r15" },
		{ EM_PPC64, 64, false, 31, "gpr31" }, { EM_PPC64, 64, false, 65, "link" },
		{ EM_PPC64, 64, false, 4000, NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct tfs_machine *m =
			tfs_machine_find(want[i].elf, want[i].bits, want[i].big);

		assert_non_null(m);
		if (want[i].name)
			assert_string_equal(tfs_machine_reg(m, want[i].number), want[i].name);
		else
			assert_null(tfs_machine_reg(m, want[i].number));
	}
}

static void distinguishes_floating_point_registers_from_unknown_ones(void **state)
{
	const struct tfs_machine *m = tfs_machine_find(EM_X86_64, 64, false);

	(void)state;
	assert_true(tfs_machine_is_fp(m, 17));
	assert_false(tfs_machine_is_fp(m, 16));
	assert_false(tfs_machine_is_fp(m, 5));
}

static void a_kernel_runs_programs_of_its_own_machine(void **state)
{
	const struct tfs_machine *i386 = tfs_machine_find(EM_386, 32, false);
	const struct tfs_machine *arm = tfs_machine_find(EM_ARM, 32, false);

	(void)state;
	assert_true(tfs_machine_runs_on(tfs_machine_find(EM_X86_64, 64, false), "x86_64"));
	assert_false(tfs_machine_runs_on(tfs_machine_find(EM_X86_64, 64, false), "i686"));
	assert_true(tfs_machine_runs_on(i386, "i686"));
	assert_true(tfs_machine_runs_on(i386, "x86_64"));
	assert_true(tfs_machine_runs_on(arm, "armv7l"));
	assert_false(tfs_machine_runs_on(arm, "aarch64"));
	assert_false(tfs_machine_runs_on(tfs_machine_find(EM_S390, 64, true), "ppc64le"));
}

static void the_kernels_additional_registers_have_names(void **state)
{
	(void)state;
	assert_true(tfs_machine_has(tfs_machine_find(EM_X86_64, 64, false), "ip"));
	assert_false(tfs_machine_has(tfs_machine_find(EM_X86_64, 64, false), "ds"));
	assert_true(tfs_machine_has(tfs_machine_find(EM_386, 32, false), "ds"));
	assert_true(tfs_machine_has(tfs_machine_find(EM_AARCH64, 64, false), "pstate"));
	assert_false(tfs_machine_has(tfs_machine_find(EM_AARCH64, 64, false), "lr pc"));
	assert_false(tfs_machine_has(tfs_machine_find(EM_S390, 64, true), ""));
}

static void an_unknown_machine_has_no_tables(void **state)
{
	(void)state;
	assert_null(tfs_machine_find(EM_VAX, 32, false));
	assert_null(tfs_machine_find(EM_X86_64, 32, false));
	assert_null(tfs_machine_find(EM_AARCH64, 64, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_have_the_kernels_names),
		cmocka_unit_test(distinguishes_floating_point_registers_from_unknown_ones),
		cmocka_unit_test(a_kernel_runs_programs_of_its_own_machine),
		cmocka_unit_test(the_kernels_additional_registers_have_names),
		cmocka_unit_test(an_unknown_machine_has_no_tables),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
