/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_TASKS_H
#define TFS_RECORD_TASKS_H

#include <stdint.h>

struct tfs_dat_clock;
struct tfs_strbuf;

/** TFS_TASKS_MAX - threads of a system that are described; the rest is left out */
#define TFS_TASKS_MAX 20000

/**
 * tfs_tasks_list() - append every thread of the system to a payload, see tracedat/dat-tasks.h
 * @now: the clocks, to say when each began; its @trace 0: not to be said
 *
 * Whatever cannot be read is left out. Return: 0 or -ENOMEM.
 */
int tfs_tasks_list(const struct tfs_dat_clock *now, struct tfs_strbuf *payload);
/**
 * tfs_tasks_add() - the same of one thread
 * Return: 0; -ENOENT, -ESRCH: it is gone; -ENOMEM.
 */
int tfs_tasks_add(uint32_t tgid, uint32_t tid, const struct tfs_dat_clock *now,
		  struct tfs_strbuf *payload);

/**
 * tfs_tasks_comms() - append lines "TID COMM", as of saved_cmdlines, for the threads that live
 * @before: of programs only those that began by then, CLOCK_BOOTTIME in ns: others may have had
 *          their numbers until they did. Threads of the kernel are rarely that many
 *
 * Nothing where their numbers are not those of events. Return: 0 or -ENOMEM.
 */
int tfs_tasks_comms(uint64_t before, struct tfs_strbuf *out);

/**
 * tfs_comm_as_traced() - cut a name that /proc shows to the one that events have
 *
 * To the name of a worker the kernel adds what it works on there: "kworker/u8:1-events_unbound",
 * with "+" while it does (kernel/workqueue.c, wq_worker_comm()).
 */
void tfs_comm_as_traced(char *comm);

/** tfs_tasks_tgid() - the process of a living thread; 0: it is gone */
uint32_t tfs_tasks_tgid(uint32_t tid);
/** tfs_tasks_from() - when a living process began, by the trace clock; 0: not known */
uint64_t tfs_tasks_from(uint32_t tgid, const struct tfs_dat_clock *now);

#endif
