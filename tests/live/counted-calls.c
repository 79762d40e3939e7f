/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counted-calls PROCESSES THREADS OK BAD: so many processes make so many threads each, of which
 * each calls getppid() OK times and close(-1) BAD times, and then sleeps for 20 ms. 0 threads: the
 * process itself does.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long ok, bad;

static void *call(void *arg)
{
	const struct timespec wait = { .tv_nsec = 20000000 };

	for (long i = 0; i < ok; i++)
		syscall(SYS_getppid);
	for (long i = 0; i < bad; i++)
		close(-1);
	nanosleep(&wait, NULL);
	return arg;
}

static void make_calls(long n)
{
	pthread_t thread;

	if (!n)
		call(NULL);
	/* One after the other: waiting takes a number of calls that depends on time. */
	for (long i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, call, NULL) || pthread_join(thread, NULL))
			exit(1);
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: counted-calls PROCESSES THREADS OK BAD\n");
		return 2;
	}
	ok = strtol(argv[3], NULL, 10);
	bad = strtol(argv[4], NULL, 10);
	for (long i = strtol(argv[1], NULL, 10); i > 0; i--) {
		pid_t pid = fork();

		if (!pid) {
			make_calls(strtol(argv[2], NULL, 10));
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
	}
	return 0;
}
