/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_TIME_H
#define TFS_BASE_TIME_H

#include <stdint.h>
#include <time.h>

/* Signed, so that they can be used with time_t and with differences; uint64_t works as well. */
#define NS_PER_USEC 1000LL
#define NS_PER_MSEC 1000000LL
#define NS_PER_SEC 1000000000LL
#define USEC_PER_SEC 1000000LL

/** tfs_clock_ns() - a clock in nanoseconds, see clock_gettime(2); 0: the kernel has no @id */
static inline uint64_t tfs_clock_ns(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

/** tfs_monotonic_ns() - CLOCK_MONOTONIC in nanoseconds */
static inline uint64_t tfs_monotonic_ns(void)
{
	return tfs_clock_ns(CLOCK_MONOTONIC);
}

#endif
