/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_WAKEUP_H
#define TFS_DECODE_WAKEUP_H

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

/** enum tfs_wakeup_unit - what latencies are: times, or counts (tfs_trace_counts()) */
enum tfs_wakeup_unit { TFS_WAKEUP_TIMES, TFS_WAKEUP_COUNTS };

/** tfs_wakeup_new() - 0, -ENOMEM; without its events in the recording it prints nothing */
int tfs_wakeup_new(struct tfs_trace *trace, enum tfs_wakeup_unit unit, struct tfs_wakeup **out);
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
