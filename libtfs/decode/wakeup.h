/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_WAKEUP_H
#define TFS_DECODE_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_event;
struct tfs_strbuf;
struct tfs_trace;

/**
 * struct tfs_wakeup - how long tasks waited from being woken to running, as trace-cmd report -w
 *
 * From sched_wakeup or sched_wakeup_new to sched_switch. Memory grows with the number of tasks.
 */
struct tfs_wakeup;

/**
 * tfs_wakeup_new() - 0, -ENOMEM; without its events in the recording it prints nothing
 * @counts: time stamps are not nanoseconds, and latencies no times (tfs_trace_counts())
 */
int tfs_wakeup_new(struct tfs_trace *trace, bool counts, struct tfs_wakeup **out);
void tfs_wakeup_free(struct tfs_wakeup *w);

/**
 * tfs_wakeup_look() - records that are shown, in order; sets @event->woken and ->waited
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_wakeup_look(struct tfs_wakeup *w, struct tfs_event *event);

/** tfs_wakeup_put() - " Latency: ..." of a record that waited for @waited. 0 or -ENOMEM */
int tfs_wakeup_put(const struct tfs_wakeup *w, uint64_t waited, struct tfs_strbuf *out);

/** tfs_wakeup_sum() - average, greatest and least of all, and of real-time tasks. 0 or -ENOMEM */
int tfs_wakeup_sum(const struct tfs_wakeup *w, struct tfs_strbuf *out);

#endif
