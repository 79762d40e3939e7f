/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/prefix.h"

#include <stdbool.h>
#include <string.h>

#include "base/digits.h"

#define PID_WIDTH 5
#define SECONDS_WIDTH 5
#define RAW_WIDTH 12

char *tfs_prefix_number(char *p, uint64_t n, unsigned int width, char fill)
{
	char digits[TFS_DIGITS_MAX];
	unsigned int len = (unsigned int)(tfs_digits_dec(digits, n) - digits);

	for (; width > len; width--)
		*p++ = fill;
	memcpy(p, digits, len);
	return p + len;
}

char *tfs_prefix_task(char *p, const char *comm, int pid, enum tfs_task_format format)
{
	bool latency = format == TFS_TASK_LATENCY;
	size_t width = latency ? TFS_PREFIX_COMM_LATENCY : TFS_PREFIX_COMM;
	size_t len = latency ? strnlen(comm, width) : strlen(comm);
	char *start;

	for (; width > len; width--)
		*p++ = ' ';
	memcpy(p, comm, len);
	p += len;
	*p++ = '-';
	start = p;
	if (pid < 0)
		*p++ = '-';
	p = tfs_prefix_number(p, pid < 0 ? -(uint64_t)pid : (uint64_t)pid, 0, ' ');
	while (p - start < PID_WIDTH)
		*p++ = ' ';
	*p++ = ' ';
	return p;
}

char *tfs_prefix_cpu(char *p, uint32_t cpu, enum tfs_task_format format)
{
	if (format == TFS_TASK_LATENCY)
		return tfs_prefix_number(p, cpu, 3, ' ');
	*p++ = '[';
	p = cpu < 1000 ? tfs_digits_fixed(p, cpu, 3) : tfs_digits_dec(p, cpu);
	*p++ = ']';
	return p;
}

char *tfs_prefix_clock(char *p, uint64_t ts, enum tfs_time_format format,
		       struct tfs_prefix_clock *clock)
{
	uint32_t unit = format == TFS_TIME_NSECS ? 1000000000 : 1000000;
	char *end;

	if (format == TFS_TIME_RAW) {
		p = tfs_prefix_number(p, ts, RAW_WIDTH, ' ');
		*p++ = ':';
		return p;
	}
	/* Half a microsecond up; the sum wraps as libtraceevent's does. */
	if (format == TFS_TIME_USECS)
		ts = (ts + 500) / 1000;
	if (!clock->len || ts - clock->second * unit >= unit) {
		clock->second = ts / unit;
		clock->text[0] = ' ';
		end = tfs_prefix_number(clock->text + 1, clock->second, SECONDS_WIDTH, ' ');
		*end++ = '.';
		clock->len = (unsigned int)(end - clock->text);
	}
	memcpy(p, clock->text, sizeof(clock->text));
	p += clock->len;
	ts -= clock->second * unit;
	p = format == TFS_TIME_NSECS ? tfs_digits_fixed(p, (uint32_t)ts, 9) :
				       tfs_digits_six(p, (uint32_t)ts);
	*p++ = ':';
	return p;
}

char *tfs_prefix_time(char *p, uint64_t ts, enum tfs_time_format format)
{
	struct tfs_prefix_clock clock = { 0 };

	return tfs_prefix_clock(p, ts, format, &clock);
}
