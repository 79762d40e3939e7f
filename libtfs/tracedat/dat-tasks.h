/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_TASKS_H
#define TFS_TRACEDAT_DAT_TASKS_H

#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_strbuf;

/*
 * The option TFS_DAT_PRIVATE_TASKS: which threads belong to which process, and what other clocks
 * said. It consists of records (dat-records.h): type 1, a task: u32 tid, tgid, ppid, nspid, flags,
 * u64 from, strz comm, exe, cgroup; type 2, a reading of the clocks: u32 when, u64 trace clock,
 * realtime, boottime, monotonic, width.
 */

/** enum tfs_dat_task_flags - @TFS_DAT_TASK_KERNEL: a thread of the kernel */
enum tfs_dat_task_flags { TFS_DAT_TASK_KERNEL = 1 << 0 };

/**
 * struct tfs_dat_task - a thread as /proc had it
 * @tgid: its process
 * @ppid: its process's parent; 0: none
 * @nspid: its number in the innermost namespace of process numbers that it is in; 0: not known
 * @flags: enum tfs_dat_task_flags
 * @from: when it began, in units of the trace clock as the events are recorded, to 10 ms; 0: not
 *	known
 * @exe: path of its program; "" for threads besides the first, which have the first one's
 * @cgroup: its control group; "" likewise
 *
 * Strings are as the system had them: any bytes.
 */
struct tfs_dat_task {
	uint32_t tid, tgid, ppid, nspid, flags;
	uint64_t from;
	const char *comm, *exe, *cgroup;
};

/** enum tfs_dat_clock_when - @TFS_DAT_CLOCK_START, @TFS_DAT_CLOCK_END: of the recording */
enum tfs_dat_clock_when { TFS_DAT_CLOCK_START, TFS_DAT_CLOCK_END };

/**
 * struct tfs_dat_clock - what the clocks said at one moment, in ns
 * @when: enum tfs_dat_clock_when
 * @trace: the trace clock, in its units, as the events are recorded
 * @width: how long reading them took: they are within this of each other
 */
struct tfs_dat_clock {
	uint32_t when;
	uint64_t trace, realtime, boottime, monotonic, width;
};

/** tfs_dat_tasks_add() - append a task to a payload that begins with the mark; 0 or -errno */
int tfs_dat_tasks_add(struct tfs_strbuf *payload, const struct tfs_dat_task *task);
/** tfs_dat_tasks_add_clock() - the same of a reading of the clocks */
int tfs_dat_tasks_add_clock(struct tfs_strbuf *payload, const struct tfs_dat_clock *clock);

/** struct tfs_dat_tasks - what a file says; constant once made, for any number of threads */
struct tfs_dat_tasks;

/**
 * tfs_dat_tasks_new() - read the options
 * @out: NULL where the file has none; release with tfs_dat_tasks_free()
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_dat_tasks_new(const struct tfs_dat *dat, struct tfs_dat_tasks **out);
void tfs_dat_tasks_free(struct tfs_dat_tasks *tasks);

/** tfs_dat_tasks_all() - all tasks, by tid, then by @from; borrowed; @tasks may be NULL: none */
const struct tfs_dat_task *tfs_dat_tasks_all(const struct tfs_dat_tasks *tasks, size_t *n);
/** tfs_dat_tasks_clocks() - all readings of the clocks, in the order of the file; the same */
const struct tfs_dat_clock *tfs_dat_tasks_clocks(const struct tfs_dat_tasks *tasks, size_t *n);
/**
 * tfs_dat_tasks_find() - the last task that had the number
 *
 * A number that was used again has several: the others are before it in tfs_dat_tasks_all().
 * Return: NULL: not known.
 */
const struct tfs_dat_task *tfs_dat_tasks_find(const struct tfs_dat_tasks *tasks, uint32_t tid);

#endif
