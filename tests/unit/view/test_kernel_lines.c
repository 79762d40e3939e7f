/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output that depends on the kernel's release. The headings are those of the file "trace" of these
 * kernels; tests/live/t-truth.sh and tests/vm/t-truth.sh compare whole lines with it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "printfmt/flags.h"
#include "view/kernel-event.h"

/* 6.1, 6.12 and 6.18 */
static const char heading[] = "# tracer: nop\n"
			      "#\n"
			      "#                                _-----=> irqs-off/BH-disabled\n"
			      "#                               / _----=> need-resched\n"
			      "#                              | / _---=> hardirq/softirq\n"
			      "#                              || / _--=> preempt-depth\n"
			      "#                              ||| / _-=> migrate-disable\n"
			      "#                              |||| /     delay\n"
			      "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
			      "#              | |         |   |||||     |         |\n";

/* Documentation/trace/ftrace.rst of 5.10 */
static const char heading_5_10[] = "# tracer: nop\n"
				   "#\n"
				   "#                                _-----=> irqs-off\n"
				   "#                               / _----=> need-resched\n"
				   "#                              | / _---=> hardirq/softirq\n"
				   "#                              || / _--=> preempt-depth\n"
				   "#                              ||| /     delay\n"
				   "#           TASK-PID     CPU#  ||||   TIMESTAMP  FUNCTION\n"
				   "#              | |         |   ||||      |         |\n";

/* Documentation/trace/ftrace.rst of 4.19 */
static const char heading_4_19[] = "# tracer: nop\n"
				   "#\n"
				   "#                              _-----=> irqs-off\n"
				   "#                             / _----=> need-resched\n"
				   "#                            | / _---=> hardirq/softirq\n"
				   "#                            || / _--=> preempt-depth\n"
				   "#                            ||| /     delay\n"
				   "#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION\n"
				   "#              | |       |   ||||       |         |\n";

static void check_heading(const char *release, const char *want)
{
	struct tfs_kernel_style style = tfs_kernel_style(release);
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(tfs_kernel_head(&style, &sb), 0);
	assert_string_equal(sb.s, want);
	tfs_strbuf_release(&sb);
}

static void the_heading_is_that_of_the_kernel(void **state)
{
	(void)state;
	check_heading("6.18.44", heading);
	check_heading("6.1.0-40-amd64", heading);
	check_heading("5.10.0", heading_5_10);
	check_heading("4.19.0", heading_4_19);
	check_heading(NULL, heading);
	check_heading("unknown", heading);
}

static void check_flags(const char *release, unsigned int flags, const char *want)
{
	struct tfs_kernel_style style = tfs_kernel_style(release);
	char text[16];

	*tfs_kernel_flags(&style, flags, text) = '\0';
	assert_string_equal(text, want);
}

/* Documentation/trace/ftrace.rst, "irqs-off", "need-resched", "hardirq/softirq" */
static void the_columns_of_flags_have_the_kernels_letters(void **state)
{
	(void)state;
	check_flags("6.12", 0, ".....");
	check_flags("6.12", 0x01, "d....");
	check_flags("6.12", 0x80, "b....");
	check_flags("6.12", 0x81, "D....");
	check_flags("6.12", 0x04, ".n...");
	check_flags("6.12", 0x20, ".p...");
	check_flags("6.12", 0x24, ".N...");
	check_flags("6.12", 0x08, "..h..");
	check_flags("6.12", 0x10, "..s..");
	check_flags("6.12", 0x18, "..H..");
	check_flags("6.12", 0x40, "..z..");
	check_flags("6.12", 0x48, "..Z..");
	check_flags("6.12", 0x200, "...2.");
	check_flags("6.12", 0xa100, "...1a");
	check_flags("5.10", 0x200, "...2");
	check_flags("5.10", 0x1100, "...11");
}

static void the_flag_of_an_unknown_irq_state_became_that_of_lazy_preemption(void **state)
{
	(void)state;
	check_flags("6.12", 0x02, "X....");
	check_flags("6.13", 0x02, ".l...");
	check_flags("6.13", 0x06, ".b...");
	check_flags("6.13", 0x22, ".L...");
	check_flags("6.13", 0x26, ".B...");
}

/* As the file trace of 6.1.0-56-rt-amd64 has them; of need-resched only 'n' is left. */
static void lazy_preemption_has_columns_of_its_own(void **state)
{
	(void)state;
	check_flags("6.1", TFS_FLAGS_LAZY, ".......");
	check_flags("6.1", TFS_FLAGS_LAZY | 0x81, "D......");
	check_flags("6.1", TFS_FLAGS_LAZY | 0x0d, "dn.h...");
	check_flags("6.1", TFS_FLAGS_LAZY | 0x21, "d.L....");
	check_flags("6.1", TFS_FLAGS_LAZY | 0x25, "dnL....");
	check_flags("6.1", TFS_FLAGS_LAZY | 1 << TFS_FLAGS_LAZY_COUNT | 0x2100, "....112");
	check_flags("5.10", TFS_FLAGS_LAZY | TFS_FLAGS_OLD_LAZY | 0x81, "d.?....");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_heading_is_that_of_the_kernel),
		cmocka_unit_test(the_columns_of_flags_have_the_kernels_letters),
		cmocka_unit_test(lazy_preemption_has_columns_of_its_own),
		cmocka_unit_test(the_flag_of_an_unknown_irq_state_became_that_of_lazy_preemption),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
