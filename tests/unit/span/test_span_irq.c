/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/span_view.h"

static void interrupts_nest(void **state)
{
	static const struct span_event events[] = {
		EV(IRQ_ENTRY, 100, 0, 1000, .a = 24),    EV(IRQ_EXIT, 100, 0, 1100, .a = 24),
		EV(SOFTIRQ_ENTRY, 100, 0, 1200, .a = 1), EV(TIMER_ENTRY, 100, 0, 1300, .a = 236),
		EV(IRQ_ENTRY, 0, 1, 1350, .a = 24),      EV(TIMER_EXIT, 100, 0, 1400, .a = 236),
		EV(SOFTIRQ_EXIT, 100, 0, 1500, .a = 1),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_IRQ | 1u << TFS_SPAN_SOFTIRQ;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "irq disk (24) tid 100 cpu 0 1000-1100\n"
		    "irq local_timer tid 100 cpu 0 1300-1400 depth 1\n"
		    "softirq TIMER tid 100 cpu 0 1200-1500\n"
		    "irq disk (24) tid 0 cpu 1 1350-1500 no-end\n");
}

static void a_missing_end_ends_with_the_one_around_it(void **state)
{
	static const struct span_event events[] = {
		EV(SOFTIRQ_ENTRY, 100, 0, 1000),
		EV(IRQ_ENTRY, 100, 0, 1100, .a = 24),
		EV(SOFTIRQ_EXIT, 100, 0, 1500),
		EV(IRQ_EXIT, 100, 0, 1600, .a = 24),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_IRQ | 1u << TFS_SPAN_SOFTIRQ;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "irq disk (24) tid 100 cpu 0 1100-1500 depth 1 no-end\n"
		    "softirq HI tid 100 cpu 0 1000-1500\n"
		    "irq irq 24 tid 100 cpu 0 1600-1600 no-begin\n");
}

static void a_loss_cuts_the_interrupts_of_its_cpu(void **state)
{
	static const struct span_event events[] = {
		EV(IRQ_ENTRY, 100, 0, 1000, .a = 24),
		EV(IRQ_ENTRY, 200, 1, 1100, .a = 24),
		EV(IRQ_EXIT, 100, 0, 3000, .a = 24, .lost = 3),
		EV(IRQ_EXIT, 200, 1, 4000, .a = 24),
	};
	struct span_view *v = *state;

	v->opts.kinds = 1u << TFS_SPAN_IRQ | 1u << TFS_SPAN_SOFTIRQ;
	span_expect(v, events, N_SPAN_EVENTS(events),
		    "irq disk (24) tid 100 cpu 0 1000-1000 cut\n"
		    "gap cpu 0 1000-3000 3\n"
		    "irq irq 24 tid 100 cpu 0 3000-3000 no-begin\n"
		    "irq disk (24) tid 200 cpu 1 1100-4000\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(interrupts_nest, span_set_up, span_tear_down),
		cmocka_unit_test_setup_teardown(a_missing_end_ends_with_the_one_around_it,
						span_set_up, span_tear_down),
		cmocka_unit_test_setup_teardown(a_loss_cuts_the_interrupts_of_its_cpu, span_set_up,
						span_tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
