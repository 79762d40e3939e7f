/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/trim.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

#include "decode/event-type.h"
#include "stack/fold-stack.h"

/* The tracepoint's own functions, which depend on who else uses it */
static const char *const tracing[] = {
	"trace_event_raw_event_*",
	"__traceiter_*",
	"perf_trace_*",
	"__bpf_trace_*",
	"trace_event_buffer_commit*",
	"do_trace_event_*",
	"trace_event_raw_*",
	"ftrace_syscall_enter",
	"ftrace_syscall_exit",
	"perf_syscall_enter",
	"perf_syscall_exit",
	NULL,
};

static const char *const scheduler[] = { "__schedule", "schedule", "preempt_schedule*", NULL };

/* Where the kernel is entered by an interrupt */
static const char *const interrupts[] = {
	"asm_sysvec_*",
	"asm_common_interrupt",
	"common_interrupt",
	"el*_irq",
	"do_IRQ",
	"do_irq",
	"ret_from_intr",
	"apic_timer_interrupt",
	"*_irq_entry",
	"do_ext_irq",
	"ext_int_handler",
	"irq_entries_start",
	"__irq_svc",
	"__irq_usr",
	"hardware_interrupt_*",
	NULL,
};

/*
 * Events whose stacks say where something was when they occurred by chance, or in an interrupt on
 * the way back.
 */
static const struct {
	const char *name;
	unsigned int trim;
} rules[] = {
	{ "sched_switch", TFS_TRIM_SCHEDULE | TFS_TRIM_IRQ },
	{ "sched_stat_runtime", TFS_TRIM_SCHEDULE | TFS_TRIM_IRQ },
	{ "local_timer_entry", TFS_TRIM_IRQ },
	{ "hrtimer_expire_entry", TFS_TRIM_IRQ },
};

unsigned int tfs_trim_of(const struct tfs_event_type *type)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (type->name_len == strlen(rules[i].name) &&
		    !memcmp(type->name, rules[i].name, type->name_len))
			return TFS_TRIM_TRACING | rules[i].trim;
	return TFS_TRIM_TRACING;
}

static bool is_one(const char *name, const char *const *patterns)
{
	while (name && *patterns)
		if (!fnmatch(*patterns++, name, 0))
			return true;
	return false;
}

size_t tfs_trim_kernel(const char *const *names, size_t n, unsigned int trim)
{
	size_t from = 0, i;

	if (trim & TFS_TRIM_TRACING)
		while (from < n && is_one(names[from], tracing))
			from++;
	if (trim & TFS_TRIM_SCHEDULE)
		while (from < n && is_one(names[from], scheduler))
			from++;
	if (!(trim & TFS_TRIM_IRQ))
		return from;
	for (i = from; i < n && !is_one(names[i], interrupts); i++)
		;
	if (i == n)
		return from;
	/* Its entry may be several functions, one calling the other. */
	while (i < n && is_one(names[i], interrupts))
		i++;
	return i;
}
