/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure OUT COMMAND [ARG...]: run it with its output thrown away, and append a line to OUT: wall
 * seconds, CPU seconds, peak memory in KiB, user seconds. Ends as COMMAND does.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

static void run(char **argv)
{
	int fd = open("/dev/null", O_WRONLY);

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
		_exit(127);
	execvp(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	struct timespec a, b;
	struct rusage ru;
	int status = 0;
	FILE *out;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: measure OUT COMMAND [ARG...]\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &a);
	pid = fork();
	if (!pid)
		run(argv + 2);
	if (pid < 0 || wait4(pid, &status, 0, &ru) != pid) {
		perror("measure");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	out = fopen(argv[1], "a");
	if (!out) {
		perror(argv[1]);
		return 1;
	}
	fprintf(out, "%.3f %.3f %ld %.3f\n",
		(double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9,
		seconds(ru.ru_utime) + seconds(ru.ru_stime), ru.ru_maxrss, seconds(ru.ru_utime));
	fclose(out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
