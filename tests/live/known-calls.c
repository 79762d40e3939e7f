/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls with arguments that nothing else has. Each is printed as perf, strace or a report
 * could not know it otherwise: number, six arguments, result, one call a line.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

struct call {
	long nr;
	unsigned long args[6];
};

int main(void)
{
	static char buf[64] = "known";
	const struct call calls[] = {
		{ SYS_write, { 987, (unsigned long)buf, 31, 0x11, 0x22, 0x33 } },
		{ SYS_read, { 654321, (unsigned long)buf, 17, 1, 2, 3 } },
		{ SYS_lseek, { (unsigned long)-7, (unsigned long)-123456789L, 77, 4, 5, 6 } },
		{ SYS_getpid, { 0xdeadbeefUL, 1, 2, 3, 4, 5 } },
		{ SYS_fcntl, { 4242, 0x7fffffffUL, ~0UL, 6, 5, 4 } },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const unsigned long *a = calls[i].args;
		long ret;

		errno = 0;
		ret = syscall(calls[i].nr, a[0], a[1], a[2], a[3], a[4], a[5]);
		if (ret == -1)
			ret = -errno;
		printf("%ld %lx %lx %lx %lx %lx %lx = %ld\n", calls[i].nr, a[0], a[1], a[2], a[3],
		       a[4], a[5], ret);
	}
	return 0;
}
