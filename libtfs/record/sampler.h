/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_SAMPLER_H
#define TFS_RECORD_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tfs_cpus;
struct tfs_err;
struct tfs_strbuf;

/*
 * Samples of what runs on each CPU, taken with tracefs alone. A thread for each CPU sleeps for a
 * random time around a period. The timer that ends its sleep interrupts what runs on that CPU, and
 * sched:sched_waking is recorded there: its common_pid is the interrupted task, its stacks are that
 * task's. A filter on the names or ids of the threads makes each such event a sample.
 *
 * The time between two samples of a CPU is random, so that a program cannot be in step with them
 * as it can with the tick of the scheduler (tests/live/t-profile.sh, adr/0023).
 */

/** TFS_SAMPLER_HZ_MAX - samples a second of each CPU, at most */
#define TFS_SAMPLER_HZ_MAX 10000u
/** TFS_SAMPLER_COMM_SIZE - of a thread's name, with its end: as much as the kernel keeps */
#define TFS_SAMPLER_COMM_SIZE 16

/** TFS_SAMPLER_GAP_MAX - periods from one sample of a CPU to the next, at most */
#define TFS_SAMPLER_GAP_MAX 8

/**
 * tfs_sampler_gap() - time from one sample of a CPU to the next: exponentially distributed, so that
 *	how long ago the last sample was says nothing about when the next one comes
 * @period_ns: the mean; at most a second
 * @random: 32 random bits
 *
 * Pure. Return: in ns.
 */
uint64_t tfs_sampler_gap(uint64_t period_ns, uint32_t random);

/**
 * tfs_sampler_filter() - append the kernel's filter of sched_waking that leaves the samples
 * @tids: the threads. Every wakeup on the machine has to pass the filter, so only the bounds of a
 *	long list are used
 * @n: number of @tids; 0: they are not known
 * @comm: the name that all threads have and no others do
 *
 * Samples of idle CPUs are left out. Pure. Return: 0 or -ENOMEM.
 */
int tfs_sampler_filter(const pid_t *tids, size_t n, const char *comm, struct tfs_strbuf *sb);

/** tfs_sampler_comm() - the name of the threads of the process @pid */
void tfs_sampler_comm(pid_t pid, char comm[TFS_SAMPLER_COMM_SIZE]);

/**
 * struct tfs_sampler_opts - what to sample
 * @cpus: only these CPUs; NULL: all that can be sampled but those in @isolated
 * @period_ns: at most a second
 */
struct tfs_sampler_opts {
	const struct tfs_cpus *cpus;
	uint64_t period_ns;
};

/**
 * struct tfs_sampler_totals - what sampling was like
 * @samples: times that a thread was woken; samples of idle CPUs among them
 * @cpu_ns: CPU time of the threads
 * @cpus: CPUs that were sampled at some time
 * @longest_ns: time during which the CPU that was sampled longest was sampled
 */
struct tfs_sampler_totals {
	uint64_t samples;
	uint64_t cpu_ns;
	size_t cpus;
	uint64_t longest_ns;
};

/**
 * struct tfs_sampler - the threads that sample
 *
 * new -> start -> follow... -> stop -> free. Called from one thread; the threads are its own, with
 * all signals blocked. They end with the process, and change nothing outside of it.
 */
struct tfs_sampler;

/**
 * tfs_sampler_new() - start the threads, which wait until tfs_sampler_start()
 *
 * There is a thread for each CPU that the machine can have. They get the lowest real-time priority
 * if that is allowed: see tfs_sampler_is_realtime().
 * Return: 0; -EINVAL if there is no such CPU; -errno with @err set.
 */
int tfs_sampler_new(const struct tfs_sampler_opts *opts, struct tfs_sampler **out,
		    struct tfs_err *err);
/** tfs_sampler_tids() - thread ids; borrowed, they do not change */
size_t tfs_sampler_tids(const struct tfs_sampler *s, const pid_t **tids);
/** tfs_sampler_is_realtime() - do the threads run as soon as their timers expire? */
bool tfs_sampler_is_realtime(const struct tfs_sampler *s);
/**
 * tfs_sampler_left_out() - append the CPUs that are not sampled, though they are online: "2-3"
 *
 * Isolated ones that were not asked for, nohz_full ones, whose timers run on other CPUs, and those
 * that this process may not use. Return: 0 or -ENOMEM.
 */
int tfs_sampler_left_out(const struct tfs_sampler *s, struct tfs_strbuf *sb);
/** tfs_sampler_start() - begin to sample the CPUs that are online */
void tfs_sampler_start(struct tfs_sampler *s);
/** tfs_sampler_follow() - begin with CPUs that came online; about once a second. Cheap */
void tfs_sampler_follow(struct tfs_sampler *s);
/** tfs_sampler_stop() - end the threads; @totals may be NULL. Further calls only fill @totals */
void tfs_sampler_stop(struct tfs_sampler *s, struct tfs_sampler_totals *totals);
/** tfs_sampler_free() - tfs_sampler_stop(), and free; takes NULL */
void tfs_sampler_free(struct tfs_sampler *s);

#endif
