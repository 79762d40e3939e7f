/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a known number of calls of getppid(), which nothing else makes: N in each of T tasks, which
 * are threads ("thread"), children ("fork"), or this program again and again ("exec"). Each task
 * is on the CPU of its number, as far as there are. "here": this task, wherever it is. "close": N
 * calls of close(), each of another descriptor, that is not open, from 1000000 on.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long calls;

static void make_calls(unsigned long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % (unsigned long)sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (unsigned long i = 0; i < calls; i++)
		syscall(SYS_getppid);
}

static void *thread_main(void *cpu)
{
	make_calls((unsigned long)cpu);
	return NULL;
}

static int in_threads(unsigned long tasks)
{
	pthread_t threads[64];

	for (unsigned long i = 0; i < tasks; i++)
		if (pthread_create(&threads[i], NULL, thread_main, (void *)i))
			return 1;
	for (unsigned long i = 0; i < tasks; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int in_children(unsigned long tasks)
{
	int failed = 0, status;

	for (unsigned long i = 0; i < tasks; i++) {
		pid_t pid = fork();

		if (!pid) {
			make_calls(i);
			_exit(0);
		}
		failed |= pid < 0;
	}
	while (wait(&status) > 0)
		failed |= status;
	return failed;
}

/* Each execution makes its calls and executes the next. */
static int in_executions(char **argv, unsigned long tasks)
{
	char left[32];

	make_calls(tasks);
	if (tasks <= 1)
		return 0;
	snprintf(left, sizeof(left), "%lu", tasks - 1);
	argv[3] = left;
	execv("/proc/self/exe", argv);
	return 1;
}

int main(int argc, char **argv)
{
	unsigned long tasks;

	if (argc != 4)
		return 2;
	calls = strtoul(argv[2], NULL, 10);
	tasks = strtoul(argv[3], NULL, 10);
	if (!tasks || tasks > 64)
		return 2;
	if (!strcmp(argv[1], "here") || !strcmp(argv[1], "close")) {
		for (unsigned long i = 0; i < calls; i++)
			syscall(*argv[1] == 'h' ? SYS_getppid : SYS_close, 1000000 + i);
		return 0;
	}
	if (!strcmp(argv[1], "thread"))
		return in_threads(tasks);
	if (!strcmp(argv[1], "fork"))
		return in_children(tasks);
	return in_executions(argv, tasks);
}
