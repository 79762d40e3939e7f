/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_NEAR_H
#define TFS_RECORD_NEAR_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct tfs_near - keeps a reader on the CPU that most of its events come from
 *
 * Data that a CPU has just written are in its caches: taking them from there to another CPU can
 * cost both of them more than the reader's work. Where no CPU writes three quarters of the data, or
 * there is little, the reader runs where the scheduler likes. One that does not get to run in time
 * on that CPU (real-time tasks) is never moved again.
 *
 * @cpus: those that the thread may use; it is never moved to another
 * @cpu: where it was moved to; -1: nowhere
 * @given_up: it did not get to run there
 * @since: CLOCK_MONOTONIC of the last choice, in ns
 */
struct tfs_near {
	cpu_set_t cpus;
	int cpu;
	bool given_up;
	uint64_t since;
};

/** tfs_near_init() - of the calling thread, which makes all other calls, too */
void tfs_near_init(struct tfs_near *near);
/** tfs_near_release() - let the thread run on all of its CPUs again */
void tfs_near_release(struct tfs_near *near);
/**
 * tfs_near_choose() - where a reader should run that found this much
 * @cpus: numbers of CPUs; @found: sub-buffers that each had; @n of both
 *
 * Return: the number of a CPU, or -1 for any. Pure.
 */
int tfs_near_choose(const unsigned int *cpus, const size_t *found, size_t n);
/**
 * tfs_near_move() - move the thread to @cpu, or let it run anywhere with -1
 * @now: CLOCK_MONOTONIC in ns
 * @pause_ns: how long the reader means to wait between calls
 *
 * A CPU that the thread must not use is as good as -1. Errors are of no consequence.
 */
void tfs_near_move(struct tfs_near *near, int cpu, uint64_t now, uint64_t pause_ns);

#endif
