/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_PREFIX_H
#define TFS_DECODE_PREFIX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/digits.h"

/*
 * The columns before an event's name, as trace-cmd report prints them. Pure, no printf: this runs
 * for every record. Each function writes at @p, which has room, and returns the address after it.
 */

/** TFS_PREFIX_TASK_MAX - bytes that a task column takes at most beyond its comm */
#define TFS_PREFIX_TASK_MAX 32
/** TFS_PREFIX_COMM - columns of a comm, at least; TFS_PREFIX_COMM_LATENCY: in that format */
#define TFS_PREFIX_COMM 16
#define TFS_PREFIX_COMM_LATENCY 8
/** TFS_PREFIX_PID_MAX - bytes of a task column after its comm, at most */
#define TFS_PREFIX_PID_MAX 16
/** TFS_PREFIX_TIME_MAX - bytes that a time column takes at most */
#define TFS_PREFIX_TIME_MAX 48

/** enum tfs_task_format - "%16s-%-5d " or the latency format's "%8.8s-%-5d " */
enum tfs_task_format { TFS_TASK_NORMAL, TFS_TASK_LATENCY };

/** enum tfs_time_format - " %5u.%06u:" rounded, " %5u.%09u:", or the clock's own "%12u:" */
enum tfs_time_format { TFS_TIME_USECS, TFS_TIME_NSECS, TFS_TIME_RAW };

/** tfs_prefix_task() - room needed: strlen(@comm) + TFS_PREFIX_TASK_MAX */
char *tfs_prefix_task(char *p, const char *comm, int pid, enum tfs_task_format format);
/** tfs_prefix_cpu() - "[%03u]", or "%3u" in the latency format; room for 16 bytes */
char *tfs_prefix_cpu(char *p, uint32_t cpu, enum tfs_task_format format);
/** tfs_prefix_time() - room needed: TFS_PREFIX_TIME_MAX */
char *tfs_prefix_time(char *p, uint64_t ts, enum tfs_time_format format);

/**
 * struct tfs_prefix_clock - the seconds printed last; a zeroed one is new
 * @text: " 12345." as it is @len bytes
 */
struct tfs_prefix_clock {
	uint64_t second;
	unsigned int len;
	char text[32];
};

/** tfs_prefix_clock() - tfs_prefix_time() for stamps that come one after the other */
char *tfs_prefix_clock(char *p, uint64_t ts, enum tfs_time_format format,
		       struct tfs_prefix_clock *clock);
/** tfs_prefix_usecs() - the same with TFS_TIME_USECS, for what runs for every record */
static inline char *tfs_prefix_usecs(char *p, uint64_t ts, struct tfs_prefix_clock *clock)
{
	uint64_t left = (ts + 500) / 1000 - clock->second * 1000000;

	if (left >= 1000000 || !clock->len)
		return tfs_prefix_clock(p, ts, TFS_TIME_USECS, clock);
	memcpy(p, clock->text, sizeof(clock->text));
	p = tfs_digits_six(p + clock->len, (uint32_t)left);
	*p++ = ':';
	return p;
}
/** tfs_prefix_number() - decimal, right-aligned with @fill to @width; needs 20 bytes or @width */
char *tfs_prefix_number(char *p, uint64_t n, unsigned int width, char fill);

#endif
