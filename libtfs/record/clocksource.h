/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_CLOCKSOURCE_H
#define TFS_RECORD_CLOCKSOURCE_H

#include <stdbool.h>

/**
 * tfs_clocksource_agrees() - do all CPUs read the same time from this clock source?
 * @name: as current_clocksource has it, with or without a newline
 *
 * The kernel keeps "tsc" only while its watchdog finds the counters of all CPUs in step, and
 * "arch_sys_counter" is one counter for the whole machine (Documentation/timers of the kernel).
 * Then the trace clock "local", which reads the same counter, is right across CPUs. Pure.
 */
bool tfs_clocksource_agrees(const char *name);

/**
 * tfs_clocksource_trace_clock() - the cheapest trace clock that times a call of a task that
 * changes its CPU meanwhile: "local" where the CPUs agree, otherwise "mono"
 *
 * "local" costs about two thirds of what "mono" costs. Any thread.
 */
const char *tfs_clocksource_trace_clock(void);

#endif
