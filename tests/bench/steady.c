/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steady SECONDS CALLS - on each CPU, CALLS system calls a second for SECONDS, in bursts of a
 * millisecond. Prints the calls that were made, and CPU seconds, of all CPUs, to standard error.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MEGA = 1000000, MSEC = 1000000, SEC = 1000000000 };

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * SEC + ts.tv_nsec;
}

static uint64_t call(int64_t seconds, int64_t rate)
{
	const int64_t begin = now(), end = begin + seconds * SEC;
	const struct timespec burst = { .tv_nsec = MSEC };
	int64_t at, made = 0;

	while ((at = now()) < end) {
		while (made < (at - begin) / 1000 * rate / MEGA) {
			syscall(SYS_getppid);
			made++;
		}
		nanosleep(&burst, NULL);
	}
	return (uint64_t)made;
}

static uint64_t on_cpu(int cpu, int64_t seconds, int64_t rate, int out)
{
	cpu_set_t set;
	uint64_t made;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		_exit(1);
	made = call(seconds, rate);
	_exit(write(out, &made, sizeof(made)) != sizeof(made));
}

int main(int argc, char **argv)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t made, sum = 0;
	struct rusage ru;
	int fds[2];

	if (argc != 3 || pipe(fds))
		return 2;
	for (int i = 0; i < cpus; i++)
		if (!fork())
			on_cpu(i, atoll(argv[1]), atoll(argv[2]), fds[1]);
	close(fds[1]);
	while (read(fds[0], &made, sizeof(made)) == sizeof(made))
		sum += made;
	while (wait(NULL) > 0)
		;
	getrusage(RUSAGE_CHILDREN, &ru);
	fprintf(stderr, "%" PRIu64 " %.3f\n", sum,
		(double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
			(double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / MEGA);
	return 0;
}
