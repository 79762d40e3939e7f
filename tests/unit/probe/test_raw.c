/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "probe/features.h"
#include "base/strvec.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "dso/arch/machine.h"
#include "probe/raw.h"

static void becomes(const struct tfs_machine *m, const char *expr, const char *want)
{
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	struct tfs_err err = TFS_ERR_INIT;

	if (tfs_probe_raw_add(m, expr, &out, &err))
		fail_msg("%s: %s", expr, err.msg);
	assert_string_equal(out.s, want);
	tfs_strbuf_release(&out);
}

static void is_refused(const struct tfs_machine *m, const char *expr, const char *hint)
{
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	struct tfs_err err = TFS_ERR_INIT;

	assert_int_equal(tfs_probe_raw_add(m, expr, &out, &err), -EINVAL);
	assert_non_null(strstr(err.hint, hint));
	tfs_strbuf_release(&out);
}

static void constants_that_the_kernel_knows_are_unchanged(void **state)
{
	const struct tfs_machine *x86 = tfs_machine_find(EM_X86_64, 64, false);

	(void)state;
	becomes(x86, "%di", "%di");
	becomes(x86, "+8(-16(%sp))", "+8(-16(%sp))");
	becomes(x86, "$stack3", "$stack3");
	becomes(x86, "%orig_ax", "%orig_ax");
	becomes(tfs_machine_find(EM_AARCH64, 64, false), "%pc", "%pc");
	becomes(NULL, "%anything", "%anything");
}

static void registers_of_another_machine_are_refused(void **state)
{
	const struct tfs_machine *x86 = tfs_machine_find(EM_X86_64, 64, false);

	(void)state;
	is_refused(x86, "%x0", "%di");
	is_refused(x86, "+0(%xmm0)", "%di");
	is_refused(tfs_machine_find(EM_AARCH64, 64, false), "%di", "%x0");
	is_refused(x86, "%a_name_that_is_far_longer_than_any", "%di");
}

static void assemblers_names_are_answered_with_the_kernels(void **state)
{
	const struct tfs_machine *x86 = tfs_machine_find(EM_X86_64, 64, false);

	(void)state;
	is_refused(x86, "%rdi", "did you mean '%di'?");
	is_refused(x86, "%eax", "did you mean '%ax'?");
	is_refused(x86, "%r8d", "did you mean '%r8'?");
	is_refused(tfs_machine_find(EM_AARCH64, 64, false), "%w3", "did you mean '%x3'?");
	is_refused(tfs_machine_find(EM_PPC64, 64, false), "%r3", "did you mean '%gpr3'?");
}

static void the_stack_pointer_is_named_the_same_everywhere(void **state)
{
	(void)state;
	becomes(tfs_machine_find(EM_S390, 64, true), "+160(%sp)", "+160($stack)");
	becomes(tfs_machine_find(EM_PPC64, 64, false), "%sp", "$stack");
}

static void text_in_quotes_names_no_register(void **state)
{
	(void)state;
	becomes(tfs_machine_find(EM_X86_64, 64, false), "\\\"50%off\"", "\\\"50%off\"");
}

/* The README of 6.1 lists none of these, that of 6.12 parameters by name, that of 7.3 all. */
static void fetches_that_a_kernel_does_not_list_are_noted(void **state)
{
	static const struct {
		const char *args;
		unsigned int needs;
	} rows[] = {
		{ "a=(file)%di->f_mode", TFS_PROBE_HAS_CASTS },
		{ "pid=$current->pid", TFS_PROBE_HAS_CASTS },
		{ "b=+8(%di) this_cpu_ptr(@x)", TFS_PROBE_HAS_CASTS },
		{ "$arg*", TFS_PROBE_HAS_NAMES },
		{ "a=%di file=file", TFS_PROBE_HAS_NAMES },
		{ "file->f_mode", TFS_PROBE_HAS_NAMES },
		{ "a=%di b=$arg1 c=@jiffies d=+8(%si):u8 e=$comm f=\\\"$current", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const unsigned int all = TFS_PROBE_HAS_README | TFS_PROBE_HAS_CASTS |
					 TFS_PROBE_HAS_NAMES;
		const struct tfs_probe_features has[] = { { all },
							  { 0 },
							  { all & ~rows[i].needs } };
		struct tfs_strvec notices = TFS_STRVEC_INIT;

		assert_int_equal(tfs_probe_raw_note(&has[0], rows[i].args, &notices), 0);
		/* without the README nothing is known */
		assert_int_equal(tfs_probe_raw_note(&has[1], rows[i].args, &notices), 0);
		assert_int_equal(notices.n, 0);
		assert_int_equal(tfs_probe_raw_note(&has[2], rows[i].args, &notices), 0);
		assert_int_equal(tfs_probe_raw_note(&has[2], rows[i].args, &notices), 0);
		assert_int_equal(notices.n, rows[i].needs ? 1 : 0);
		tfs_strvec_release(&notices);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants_that_the_kernel_knows_are_unchanged),
		cmocka_unit_test(registers_of_another_machine_are_refused),
		cmocka_unit_test(assemblers_names_are_answered_with_the_kernels),
		cmocka_unit_test(the_stack_pointer_is_named_the_same_everywhere),
		cmocka_unit_test(fetches_that_a_kernel_does_not_list_are_noted),
		cmocka_unit_test(text_in_quotes_names_no_register),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
