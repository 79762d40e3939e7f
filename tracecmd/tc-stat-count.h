/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_STAT_COUNT_H
#define TC_STAT_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpus.h"

struct stat_events;
struct tfs_err;
struct tfs_root;
struct trace_request;

/**
 * struct stat_counter - events of one instance on one CPU
 * @last: what its stats said last
 * @total: all that were counted
 */
struct stat_counter {
	uint64_t last;
	uint64_t total;
};

/**
 * stat_counter_update() - add what was counted since the last reading
 * @now: entries, overrun, commit overrun, dropped and read events of its stats
 *
 * Return: false if the count went back: it was reset, and begins at 0 (a module was unloaded, which
 * empties every ring buffer).
 */
bool stat_counter_update(struct stat_counter *c, uint64_t now);

/**
 * struct stat_counters - exact counts of events
 * @req: its buffers are the instances; borrowed
 * @events: what is counted; borrowed. Those with an instance of their own by its counters; whoever
 *	reads the others counts them
 * @cpus: numbers, ascending; @n_cpus
 * @v: @n_cpus counters of each event, and @n_cpus more of all events of the main buffer, if some
 *	are read
 * @online: CPUs that were online at the last reading
 * @resets: how often a count went back
 */
struct stat_counters {
	const struct tfs_root *root;
	const struct trace_request *req;
	const struct stat_events *events;
	unsigned int *cpus;
	size_t n_cpus;
	struct stat_counter *v;
	struct tfs_cpus online;
	uint64_t resets;
};

/** stat_counters_init() - begin to count; the instances are there. 0 or -errno with @err set */
int stat_counters_init(struct stat_counters *c, const struct tfs_root *root,
		       const struct trace_request *req, const struct stat_events *events,
		       struct tfs_err *err);
void stat_counters_release(struct stat_counters *c);
/** stat_counters_read() - read all counters of all CPUs; 0 or -errno with @err set */
int stat_counters_read(struct stat_counters *c, struct tfs_err *err);
/** stat_counters_get() - how often an event happened; @cpu is an index, SIZE_MAX for all */
uint64_t stat_counters_get(const struct stat_counters *c, size_t event, size_t cpu);
/** stat_counters_main() - what the kernel counted in the main buffer, if events of it are read */
uint64_t stat_counters_main(const struct stat_counters *c);

/** stat_online() - the CPUs that are online; all that can be known if it cannot be read */
void stat_online(struct tfs_cpus *cpus);

#endif
