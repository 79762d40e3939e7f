/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/prefix.h"

#include <stdbool.h>
#include <string.h>

#define COMM_WIDTH 16
#define COMM_WIDTH_LATENCY 8
#define PID_WIDTH 5
#define SECONDS_WIDTH 5
#define RAW_WIDTH 12
#define DIGITS_MAX 20

char *tfs_prefix_number(char *p, uint64_t n, unsigned int width, char fill)
{
	char digits[DIGITS_MAX];
	unsigned int len = 0;

	do {
		digits[DIGITS_MAX - ++len] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	for (; width > len; width--)
		*p++ = fill;
	memcpy(p, digits + DIGITS_MAX - len, len);
	return p + len;
}

char *tfs_prefix_task(char *p, const char *comm, int pid, enum tfs_task_format format)
{
	bool latency = format == TFS_TASK_LATENCY;
	size_t width = latency ? COMM_WIDTH_LATENCY : COMM_WIDTH;
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
	p = tfs_prefix_number(p, cpu, 3, '0');
	*p++ = ']';
	return p;
}

char *tfs_prefix_time(char *p, uint64_t ts, enum tfs_time_format format)
{
	uint64_t second = format == TFS_TIME_USECS ? 1000000 : 1000000000;

	if (format == TFS_TIME_RAW) {
		p = tfs_prefix_number(p, ts, RAW_WIDTH, ' ');
	} else {
		/* Half a microsecond up; the sum wraps as libtraceevent's does. */
		if (format == TFS_TIME_USECS)
			ts = (ts + 500) / 1000;
		*p++ = ' ';
		p = tfs_prefix_number(p, ts / second, SECONDS_WIDTH, ' ');
		*p++ = '.';
		p = tfs_prefix_number(p, ts % second, format == TFS_TIME_USECS ? 6 : 9, '0');
	}
	*p++ = ':';
	return p;
}
