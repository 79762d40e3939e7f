/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack/trim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stack/fold-stack.h"

#define N(names) (sizeof(names) / sizeof(*(names)))

/* As kernels print them, innermost first */
static const char *const timer[] = {
	"trace_event_raw_event_sched_wakeup_template",
	"__traceiter_sched_waking",
	"try_to_wake_up",
	"hrtimer_wakeup",
	"hrtimer_interrupt",
	"sysvec_apic_timer_interrupt",
	"asm_sysvec_apic_timer_interrupt",
	"handle_softirqs",
	"__irq_exit_rcu",
	"common_interrupt",
	"asm_common_interrupt",
	"vfs_read",
};

static void cuts_off_the_tracepoint(void **state)
{
	(void)state;
	assert_int_equal(tfs_trim_kernel(timer, N(timer), TFS_TRIM_TRACING), 2);
	assert_int_equal(tfs_trim_kernel(timer, N(timer), 0), 0);
}

static void cuts_off_only_the_innermost_interrupt(void **state)
{
	(void)state;
	assert_int_equal(tfs_trim_kernel(timer, N(timer), TFS_TRIM_TRACING | TFS_TRIM_IRQ), 7);
}

static void cuts_off_all_functions_of_an_entry(void **state)
{
	(void)state;
	assert_int_equal(tfs_trim_kernel(timer + 7, N(timer) - 7, TFS_TRIM_IRQ), 4);
}

static void leaves_nothing_of_an_interrupt_in_user_mode(void **state)
{
	(void)state;
	assert_int_equal(tfs_trim_kernel(timer, 7, TFS_TRIM_IRQ), 7);
}

static void keeps_a_stack_without_interrupt(void **state)
{
	static const char *const plain[] = { "__schedule", "schedule", NULL, "vfs_read" };

	(void)state;
	assert_int_equal(tfs_trim_kernel(plain, N(plain), TFS_TRIM_IRQ), 0);
	assert_int_equal(tfs_trim_kernel(plain, N(plain), TFS_TRIM_SCHEDULE | TFS_TRIM_IRQ), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_off_the_tracepoint),
		cmocka_unit_test(cuts_off_only_the_innermost_interrupt),
		cmocka_unit_test(cuts_off_all_functions_of_an_entry),
		cmocka_unit_test(leaves_nothing_of_an_interrupt_in_user_mode),
		cmocka_unit_test(keeps_a_stack_without_interrupt),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
